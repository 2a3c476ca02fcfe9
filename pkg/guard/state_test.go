package guard

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/google/go-cmp/cmp"
)

var whole = cmp.Options{
	cmp.AllowUnexported(Guard{}, entry{}, fingerprint{}, spot{}),
	// A batch ends with its guest.
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".batch" }, cmp.Ignore()),
}

// busy is a guard in the middle of a session.
func busy() Guard {
	var g Guard
	g.Human()
	g.Review(distinct("nit", 9), ctx)
	g.Woke(Limits{})
	g.Human()
	g.Review(append(distinct("concern", 12)[9:], distinct("blocker", 30)[27:]...), ctx)
	g.Review([]protocol.Note{{Text: "LGTM"}, distinct("nit", 1)[0]}, ctx)
	g.Review(distinct("concern", 20)[12:], ctx)
	return g
}

func TestAStateSurvivesARestart(t *testing.T) {
	g := busy()
	data := g.Append(nil)
	if !json.Valid(data) {
		t.Fatalf("not JSON: %s", data)
	}
	back, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(g, back, whole); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(g.ring) == 0 || g.counts.Of(Duplicate) == 0 || g.calm == 0 || !strings.Contains(string(data), `"told":["blocker_quota"`) {
		t.Errorf("the state under test is too plain: %s", data)
	}
	if size := len(data) / len(g.ring); size > 300 {
		t.Errorf("%d bytes a matter", size)
	}
}

// A restart between any two reviews changes nothing about what is said.
func TestRestartBetweenReviews(t *testing.T) {
	var steady, restarted Guard
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		notes := distinct(protocol.Severity([]string{"nit", "concern", "blocker"}[rng.IntN(3)]), 60)
		from := rng.IntN(50)
		notes = notes[from : from+rng.IntN(6)]
		human, woke := rng.IntN(3) == 0, rng.IntN(9) == 0
		for _, g := range []*Guard{&steady, &restarted} {
			if human {
				g.Human()
			}
			if woke {
				g.Woke(Limits{})
			}
		}
		want := steady.Review(notes, ctx)
		got := restarted.Review(notes, ctx)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("review %d (-steady +restarted):\n%s", i, diff)
		}
		var err error
		if restarted, err = Decode(restarted.Append(nil)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDecodeGarbage(t *testing.T) {
	g := busy()
	good := string(g.Append(nil))
	for _, test := range []struct{ name, data, want string }{
		{"nothing", "", "read guard state: no version in it"},
		{"not JSON", "hello", "read guard state: no version in it"},
		{"newer", strings.Replace(good, `"v":1`, `"v":2`, 1), "read guard state: version 2, and only 1 is known"},
		{"no ring", `{"v":1}`, "read guard state: the ring is damaged"},
		{"a ring of another kind", `{"v":1,"ring":{"a":1}}`, "read guard state: the ring is damaged"},
		{"cut short", good[:len(good)-100], "read guard state: the ring is damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Decode([]byte(test.data))
			if err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
			if diff := cmp.Diff(Guard{}, got, whole); diff != "" {
				t.Errorf("not an empty guard:\n%s", diff)
			}
		})
	}
	// What is out of range counts as absent.
	got, err := Decode([]byte(`{"v":1,"inSession":-5,"calm":"x","review":99999999999999999999,"told":[1,"nonsense"],
		"ring":[1,null,"x",{},{"id":"n_zz","f":"AAAA"},{"id":"n_0123456789ab","s":99,"f":"AAAA"},{"id":"n_0123456789ab","f":"??"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Guard{}, got, whole); diff != "" {
		t.Errorf("not an empty guard:\n%s", diff)
	}
}

// One damaged entry takes none of the others with it.
func TestDecodeDamagedEntries(t *testing.T) {
	g := busy()
	good := string(g.Append(nil))
	for _, change := range [][2]string{
		{`"s":`, `"s":99`},
		{`"f":"`, `"f":"AAAA`},
		{`"id":"n_`, `"id":"m_`},
		{`"id":"n_`, `"id":"n_\u0022`},
	} {
		got, err := Decode([]byte(strings.Replace(good, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.ring[1:], got.ring, whole); diff != "" {
			t.Errorf("%s to %s (-want +got):\n%s", change[0], change[1], diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	g := busy()
	f.Add(string(g.Append(nil)))
	f.Add(`{"v":1,"ring":[{"id":"n_0123456789ab","s":5,"f":""}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		g, err := Decode([]byte(data))
		if err != nil {
			return
		}
		out := g.Append(nil)
		if !json.Valid(out) {
			t.Fatalf("not JSON: %s", out)
		}
		back, err := Decode(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, back, whole); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		g.Human()
		g.Review(distinct("nit", 3), Context{Limits: Limits{Ring: 2}})
	})
}
