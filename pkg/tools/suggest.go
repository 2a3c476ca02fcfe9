package tools

import (
	"path"
	"sort"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

const (
	maxSuggestions = 3
	// maxSuggestWalk bounds the search for a better path after a wrong one.
	maxSuggestWalk = 20_000
)

// explained is an error with words before and behind it.
type explained struct {
	before string
	cause  error
	behind string
}

func (e explained) Error() string { return e.before + e.cause.Error() + e.behind }
func (e explained) Unwrap() error { return e.cause }

// suggest adds to the refusal of a missing path the names that may have been meant.
func suggest(env *Env, name string, err error) error {
	if safefs.KindOf(err) != safefs.KindMissing {
		return err
	}
	near := nearNames(env, name)
	if len(near) == 0 {
		return explained{"", err, "; find the file with glob"}
	}
	for i := range near {
		near[i] = safefs.Quote(near[i])
	}
	return explained{"", err, "; did you mean " + strings.Join(near, " or ") + "?"}
}

// nearNames ranks the workspace's files by how close their names are to the
// wanted one: the same name elsewhere, the same but for its case or extension, a slip of
// the pen.
func nearNames(env *Env, name string) []string {
	root, err := env.Files.Resolve(".")
	if err != nil {
		return nil
	}
	name = path.Clean(strings.TrimPrefix(name, env.Files.Root()+"/"))
	want := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(want, path.Ext(want))
	folder := path.Dir(name)
	type candidate struct {
		rel  string
		rank int
	}
	var found []candidate
	walked := 0
	_, _ = env.Files.Walk(root, env.Interrupted, func(e safefs.Entry) bool {
		walked++
		have := strings.ToLower(e.Name)
		rank := -1
		switch {
		case have == want:
			rank = 1
		case stem != "" && strings.TrimSuffix(have, path.Ext(have)) == stem:
			rank = 3
		case len(want) > 3 && slips(have, want) <= 2:
			rank = 5
		}
		if rank >= 0 {
			if path.Dir(e.Rel) == folder {
				rank--
			}
			found = append(found, candidate{e.Rel, rank})
		}
		return walked < maxSuggestWalk
	})
	sort.SliceStable(found, func(i, j int) bool { return found[i].rank < found[j].rank })
	var names []string
	for _, c := range found[:min(len(found), maxSuggestions)] {
		names = append(names, c.rel)
	}
	return names
}

// slips counts the letters to add, drop or change between two names, 3 when
// there are more than two.
func slips(a, b string) int {
	const most = 3
	if len(a)-len(b) >= most || len(b)-len(a) >= most || len(a) > 64 || len(b) > 64 {
		return most
	}
	prev := make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			change := prev[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, prev[j+1]+1, next[j]+1)
		}
		prev, next = next, prev
	}
	return min(prev[len(b)], most)
}
