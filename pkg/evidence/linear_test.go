package evidence

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// everyPlace is the obvious search that places stands for.
func everyPlace(n *normal, pieces []string) (found []span) {
	for at := 0; len(found) <= maxPlaces; {
		first := strings.Index(n.text[at:], pieces[0])
		if first < 0 {
			return found
		}
		first += at
		end, whole := first+len(pieces[0]), true
		for _, piece := range pieces[1:] {
			offset := strings.Index(n.text[end:], piece)
			if offset < 0 {
				return found
			}
			end += offset + len(piece)
			whole = whole && n.line(end-1)-n.line(first) < maxElidedLines
		}
		if whole {
			found = append(found, span{first, end})
		}
		at = first + 1
	}
	return found
}

func TestPlacesOfPiecesAreThoseOfTheObviousSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"aaa", "aab", "baa", "ccc"}
	some := 0
	for range 3_000 {
		var text strings.Builder
		for range random.IntN(160) {
			text.WriteString(words[min(random.IntN(9), 3)*random.IntN(2)] + strings.Repeat("\n", random.IntN(3)*random.IntN(12)) + " ")
		}
		pieces := make([]string, 1+random.IntN(4))
		for i := range pieces {
			pieces[i] = words[random.IntN(4)]
		}
		form := normalize(text.String())
		got, want := form.places(pieces), everyPlace(&form, pieces)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %v, want %v", pieces, text.String(), got, want)
		}
		if len(pieces) > 1 && len(want) > 0 && len(want) <= maxPlaces {
			some++
		}
	}
	if some < 50 {
		t.Errorf("%d of the cases have a place; too few to say anything", some)
	}
}

func TestHunksStandWhereTheObviousSearchFindsThem(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = string(rune('a' + random.IntN(2)))
		}
		return list
	}
	for range 20_000 {
		lines, h := draw(random.IntN(12)), hunk{line: random.IntN(14), old: draw(1 + random.IntN(4))}
		at := random.IntN(len(lines) + 1)
		best, count := -1, 0
		for i := at; i+len(h.old) <= len(lines); i++ {
			if slices.Equal(lines[i:i+len(h.old)], h.old) {
				if count++; best < 0 || abs(i+1-h.line) < abs(best+1-h.line) {
					best = i
				}
			}
		}
		where, ok := findHunk(lines, at, h, false)
		if want := count == 1 || count > 1 && h.line > 0; ok != want || ok && where != best {
			t.Fatalf("%q from %d, %+v: %d %v, want %d %v", lines, at, h, where, ok, best, want)
		}
	}
}

// Nothing here is measured. Without the shortcuts each of these takes minutes, and in the guest the instance.
func TestWhatRepeatsIsLookedThroughOnce(t *testing.T) {
	files := tree{
		"flat.txt":  strings.Repeat("aaa ", 1<<20) + strings.Repeat("\n", 60) + "zzz\n",
		"lines.txt": strings.Repeat("a\n", 500_000),
		"empty.txt": strings.Repeat("\n", 2<<20),
	}
	r := &Resolver{Files: files}
	if c, _ := r.Resolve(quoteOf("flat.txt", 1, strings.Repeat("aaa ... ", 400)+"zzz")); c.Line != 1 || c.EndLine != 0 {
		t.Errorf("pieces that lie too far apart are at %d-%d", c.Line, c.EndLine)
	}
	if CheckPatch("@@\n"+strings.Repeat("-a\n", 8_000)+"-b\n", "lines.txt", files) {
		t.Error("a patch of what is not there fits")
	}
	if CheckPatch("@@ -1,1 +1,1 @@\n-\n+a\n", "empty.txt", files) {
		t.Error("a patch of a file that is too large for one fits")
	}
	if _, f := r.Resolve(quoteOf("empty.txt", 1<<20, "is not there")); f.From != 1<<20-4 || f.To != 1<<20+4 {
		t.Errorf("lines %d to %d are shown", f.From, f.To)
	}
}
