package llm

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPause(t *testing.T) {
	fail := func(k Kind, retryMS int64) error { return Failure{Kind: k, RetryMS: retryMS} }
	const min = 60_000
	for _, tt := range []struct {
		name string
		errs []error // each a second after the one before
		want []int64 // how long the pause is from then on, in ms
		tell []bool
	}{
		{"a wrong key pauses at once and is told once", []error{fail(KindAuth, 0), fail(KindAuth, 0)}, []int64{30 * min, 30 * min}, []bool{true, false}},
		{"another trouble is told too", []error{fail(KindAuth, 0), fail(KindNotFound, 0)}, []int64{30 * min, 30 * min}, []bool{true, true}},
		{"a success makes it news again", []error{fail(KindAuth, 0), nil, fail(KindAuth, 0)}, []int64{30 * min, 0, 30 * min}, []bool{true, false, true}},
		{"no quota", []error{fail(KindQuota, 0)}, []int64{15 * min}, []bool{true}},
		{"a rate limit waits as it was told", []error{fail(KindRate, 90_000), fail(KindRate, 0), fail(KindRate, 99*min)}, []int64{90_000, min, 10 * min}, []bool{true, false, false}},
		{"a struggling server is left alone from the third failure on", []error{fail(KindServer, 0), fail(KindTimeout, 0), fail(KindServer, 0), fail(KindServer, 0), fail(KindEmpty, 0)}, []int64{0, 0, min, 2 * min, 4 * min}, []bool{false, false, true, false, false}},
		{"a server that comes and goes is told once", []error{fail(KindServer, 0), fail(KindServer, 0), fail(KindServer, 0), nil, fail(KindTimeout, 0), fail(KindTimeout, 0), fail(KindTimeout, 0)},
			[]int64{0, 0, min, 0, 0, 0, min}, []bool{false, false, true, false, false, false, false}},
		{"a wrong key is told beside a struggling server", []error{fail(KindServer, 0), fail(KindServer, 0), fail(KindServer, 0), fail(KindAuth, 0)},
			[]int64{0, 0, min, 30 * min}, []bool{false, false, true, true}},
		{"cancelled and overflow say nothing", []error{fail(KindCancelled, 0), fail(KindOverflow, 0), errors.New("x")}, []int64{0, 0, 0}, []bool{false, false, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p Pause
			now := int64(1_000_000)
			var got []int64
			var told []bool
			for _, err := range tt.errs {
				var tell bool
				p, tell = p.After(err, now, "c")
				got = append(got, max(p.Until-now, 0))
				told = append(told, tell)
				if active := p.Active(now, "c"); active != (p.Until > now) {
					t.Errorf("Active is %v with %d ms to go", active, p.Until-now)
				}
				if p.Active(now, "another config") || p.Active(p.Until, "c") {
					t.Error("a pause ends with a new config, and when its time is over")
				}
				now += 1000
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.tell, told); diff != "" {
				t.Error("told", diff)
			}
		})
	}
	p, _ := Pause{}.After(fail(KindAuth, 0), 0, "a")
	if next, tell := p.After(fail(KindAuth, 0), 0, "b"); !tell || next.Streak != 1 {
		t.Error("a failure under a new config is news")
	}
	hourly := Pause{}
	for i := range int64(3) {
		hourly, _ = hourly.After(fail(KindServer, 0), i, "c")
	}
	hourly, _ = hourly.After(nil, 10, "c")
	for i, want := range []bool{false, false, true} {
		var tell bool
		if hourly, tell = hourly.After(fail(KindServer, 0), 61*min, "c"); tell != want {
			t.Errorf("an hour later, failure %d: told %t, want %t", i+1, tell, want)
		}
	}
	long := Pause{}
	for range 100 {
		long, _ = long.After(fail(KindServer, 0), 0, "c")
	}
	if long.Until != 15*min {
		t.Errorf("after a hundred failures the pause is %d ms, want 15 minutes", long.Until)
	}
}

func TestFingerprint(t *testing.T) {
	a := Endpoint{Provider: "p", Model: "m", BaseURL: "https://x", APIKey: "secret-key"}
	for _, change := range []func(*Endpoint){
		func(e *Endpoint) { e.APIKey = "other" }, func(e *Endpoint) { e.Model = "n" }, func(e *Endpoint) { e.BaseURL = "https://y" },
		func(e *Endpoint) { e.Headers = []Header{{"a", "b"}} }, func(e *Endpoint) { e.Transport = TransportHost }, func(e *Endpoint) { e.Provider, e.Model = "pm", "" },
	} {
		b := a
		change(&b)
		if a.Fingerprint() == b.Fingerprint() {
			t.Errorf("%+v has the fingerprint of %+v", b, a)
		}
	}
	if strings.Contains(a.Fingerprint(), "secret") || a.Fingerprint() != a.Fingerprint() {
		t.Errorf("got %s", a.Fingerprint())
	}
}

func TestMemory(t *testing.T) {
	m := &Memory{}
	a, b := Endpoint{Model: "a", BaseURL: "https://X.com/v1"}, Endpoint{Model: "b", BaseURL: "https://x.com"}
	if !m.Learn(a, TextTools) || m.Learn(a, TextTools) || !m.Learn(a, NoEffort) {
		t.Error("Learn says whether it was news")
	}
	if got := string(m.Append(nil)); got != `{"https://x.com a":5}` {
		t.Errorf("stored as %s", got)
	}
	if q := m.Of(b); q != 0 {
		t.Errorf("b has %b", q)
	}
	for i := range 40 {
		m.Learn(Endpoint{Model: string(rune('c' + i)), BaseURL: "https://x.com"}, NoEffort)
	}
	if len(m.known) != maxRemembered || m.Of(a) != 0 {
		t.Errorf("%d remembered, the oldest %b; want %d and none", len(m.known), m.Of(a), maxRemembered)
	}
	if m.Forget(); m.Of(Endpoint{Model: "c", BaseURL: "https://x.com"}) != 0 {
		t.Error("Forget keeps something")
	}
	var none *Memory
	if none.Of(a) != 0 || none.Learn(a, TextTools) {
		t.Error("a nil Memory remembers")
	}
}

func FuzzParseMemory(f *testing.F) {
	f.Add([]byte(`{"https://x.com a":5}`))
	f.Add([]byte(`{"a":-1,"b":99999999999,"c":"x","d":{},"e":1.5}`))
	f.Add([]byte(`[1`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := ParseMemory(data)
		if stored := m.Append(nil); string(ParseMemory(stored).Append(nil)) != string(stored) {
			t.Fatalf("%s is not stable", stored)
		}
	})
}
