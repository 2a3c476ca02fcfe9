package evidence

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxHits is how many hits against a claimed absence are shown.
const maxHits = 5

// absence runs the search again that is said to find nothing.
func (r *Resolver) absence(c protocol.Citation) (protocol.Citation, Finding) {
	if substance(c.Pattern) < minSubstance {
		return c, unknown("the pattern is too short to prove an absence; search for a whole name")
	}
	found, err := r.Files.Search(c.Pattern, c.Glob, maxHits)
	switch {
	case err != nil:
		return c, unknown("the search cannot be run: " + err.Error())
	case len(found.Hits) > 0:
		f := Finding{Status: protocol.CiteContradicted, Reason: "the search does find something"}
		if len(found.Hits) >= maxHits {
			f.Reason += ", in " + strconv.Itoa(maxHits) + " places or more"
		}
		var out strings.Builder
		for _, hit := range found.Hits[:min(len(found.Hits), maxHits)] {
			entry := hit.Path + ":" + strconv.Itoa(hit.Line) + ": " + clip(hit.Text, showWidth) + "\n"
			if out.Len()+len(entry) > showBytes {
				break
			}
			out.WriteString(entry)
		}
		f.Excerpt = out.String()
		return c, f
	case found.Files == 0:
		return c, unknown("no file matches the glob, so that the search proves nothing")
	case !found.Complete:
		return c, unknown("the search stopped before it had seen every file; narrow the glob")
	}
	return c, Finding{Status: protocol.CiteVerified}
}
