package judge

import (
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
	// maxSeen is how many names one action may have looked at: past it the model decides. A walk over 7,400 took a guest
	// that had just started 0.2 to 0.3 s in Node, a fraction of what a model takes.
	maxSeen = 5_000
	// folderCost is what opening a folder or a file costs beside the names in it.
	folderCost = 8
	// maxMatches is how many names one pattern may stand for.
	maxMatches  = 500
	maxRuleFile = 256 << 10 // bytes of a .gitignore, or of .git/config
	// maxFolders is how deep a walk goes; the recursion is the guest's stack.
	maxFolders = 48
)

// sight gives what may be looked at; nil when there is nothing, or when it would change nothing.
func (f *floor) sight() *sight {
	if !f.plain {
		return nil
	}
	return f.eyes
}

// stat tells what is at a path, symlinks not followed.
func (s *sight) stat(p string) (protocol.Info, protocol.Errno) {
	if s.left -= folderCost; s.left < 0 {
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
	s.left -= len(entries)
	return entries, errno == protocol.OK && s.left >= 0
}

// content reads a small file.
func (s *sight) content(p string) (string, bool) {
	info, errno := s.stat(p)
	if errno != protocol.OK || info.Kind != protocol.KindFile || info.Size > maxRuleFile {
		return "", false
	}
	buf := make([]byte, info.Size)
	n, errno := s.files.Read(p, info, 0, buf)
	return string(buf), errno == protocol.OK && n == len(buf)
}

// plainGit judges git's own folder, of whose many files two may hold a password: the settings, and what git stores at a person's wish.
func (s *sight) plainGit(dir string) bool {
	entries, ok := s.list(dir)
	for _, e := range entries {
		ok = ok && !in("credentials modules config.worktree", e.Name)
	}
	if !ok {
		return false
	}
	text, ok := s.content(dir + "/config")
	return ok && plainSettings(text)
}

// plainSettings reports a .git/config in which no key or password is: none but everyday sections, and no address with a name in it.
func plainSettings(text string) bool {
	for _, line := range strings.Split(strings.ToLower(text), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name := line[1:max(1, strings.IndexAny(line, ` "].`))]
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
