package judge

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// sight is what judging one action may still look at of the workspace's disk: names, and of contents only .gitignore
// and git's own settings. It is spent while nothing but safe parts have been met, since else it decides nothing.
type sight struct {
	files protocol.Files
	left  int
}

const (
	// maxSeen is how many names one action may have looked at: past it the model decides. A listing of so many takes
	// the guest a few milliseconds.
	maxSeen = 10_000
	// folderCost is what opening a folder or a file costs beside the names in it.
	folderCost = 8
	// maxMatches is how many names one pattern may stand for.
	maxMatches  = 500
	maxRuleFile = 256 << 10 // bytes of a .gitignore, or of .git/config
)

// sight gives what may be looked at; nil when there is nothing, or when it would change nothing.
func (f *floor) sight() *sight {
	if f.eyes == nil || !f.plain {
		return nil
	}
	return f.eyes
}

func (s *sight) spend(n int) bool {
	s.left -= n
	return s.left > 0
}

// stat tells what is at a path, symlinks not followed.
func (s *sight) stat(p string) (protocol.Info, protocol.Errno) {
	if !s.spend(folderCost) {
		return protocol.Info{}, protocol.ErrnoIO
	}
	return s.files.Stat(p)
}

// list gives the names in a folder. False: it cannot tell them.
func (s *sight) list(dir string) ([]protocol.Entry, bool) {
	info, errno := s.stat(dir)
	if errno != protocol.OK || info.Kind != protocol.KindDir {
		return nil, false
	}
	entries, errno := s.files.List(dir, info)
	return entries, errno == protocol.OK && s.spend(len(entries))
}

// content reads a small file.
func (s *sight) content(p string) (string, bool) {
	info, errno := s.stat(p)
	if errno != protocol.OK || info.Kind != protocol.KindFile || info.Size > maxRuleFile {
		return "", false
	}
	buf := make([]byte, info.Size+1)
	n, errno := s.files.Read(p, info, 0, buf)
	return string(buf[:min(n, len(buf))]), errno == protocol.OK && n == int(info.Size)
}

func (s *sight) missing(p string) bool {
	_, errno := s.stat(p)
	return errno == protocol.ErrnoNotFound
}

func holds(entries []protocol.Entry, name string) (protocol.Kind, bool) {
	i := slices.IndexFunc(entries, func(e protocol.Entry) bool { return e.Name == name })
	if i < 0 {
		return 0, false
	}
	return entries[i].Kind, true
}

// plainSettings reports a .git/config in which no key or password is: none but everyday sections, and no address with a name in it.
func plainSettings(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.ToLower(strings.TrimSpace(line))
		if section, ok := strings.CutPrefix(line, "["); ok {
			name := section[:max(0, strings.IndexAny(section, ` "].`))]
			if !in("core remote branch user init pull push fetch merge diff extensions submodule gc maintenance color rerere commit tag advice index pack", name) {
				return false
			}
		}
		if strings.Contains(line, "://") && strings.Contains(line, "@") {
			return false
		}
	}
	return true
}
