package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Mutes is what the person does not want to hear about.
type Mutes struct {
	All        bool     // "ignore the advisor"
	Notes      []string // note ids: the matter, in whatever words it comes back
	Paths      []string // a file, a folder, or a path.Match pattern; workspace-relative
	Categories []string
}

// reason tells whether a note is muted. id is the id of its matter, empty for
// a new one. Any cited path counts: a reviewer cannot get round a mute by citing another
// file first.
func (m Mutes) reason(note protocol.Note, id string, places []string) Reason {
	switch {
	case m.All:
		return MutedAll
	case id != "" && slices.Contains(m.Notes, id):
		return MutedNote
	case slices.ContainsFunc(places, m.path):
		return MutedPath
	case slices.ContainsFunc(m.Categories, func(c string) bool { return fold(c) != "" && fold(c) == fold(note.Category) }):
		return MutedCategory
	}
	return ""
}

func (m Mutes) path(name string) bool {
	name = cleanPath(name)
	for _, muted := range m.Paths {
		muted = cleanPath(strings.TrimSuffix(strings.TrimSpace(muted), "/**"))
		switch {
		case muted == "" || name == "":
			continue
		case muted == "." || muted == "**" || name == muted || strings.HasPrefix(name, muted+"/"):
			return true
		}
		subject := name
		if !strings.Contains(muted, "/") {
			subject = path.Base(name)
		}
		if ok, err := path.Match(muted, subject); err == nil && ok {
			return true
		}
	}
	return false
}

// cleanPath gives a path the one spelling in which paths are compared. Case is
// folded: on some disks it does not count, and a mute may well reach too far.
func cleanPath(name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if name == "" {
		return ""
	}
	return path.Clean(strings.ToLower(name))
}
