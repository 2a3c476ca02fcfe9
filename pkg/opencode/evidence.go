package opencode

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxEvidence is how much of standard error, and of OpenCode's log, is looked at: the end of each.
const maxEvidence = 64 << 10

var (
	// refusedLine is what a headless OpenCode prints for each permission that it refuses.
	refusedLine = regexp.MustCompile(`permission requested: (.{1,200}); auto-rejecting`)
	// askLine is what OpenCode logs when it asks for a permission.
	askLine = regexp.MustCompile(`\basking id=(per_\w+) permission=(\S{1,100})`)
	// escapes are the colours of a terminal.
	escapes = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// evidence gathers what a run shows outside of its event stream. OpenCode's log is read only after a deadline: it
// says what the run was doing.
func (r *invocation) evidence(s *sink, timedOut bool) side {
	printed := escapes.ReplaceAll(s.stderr.last(maxEvidence), nil)
	out := side{rate: rateWords.Match(printed), retrying: transientWords.Match(printed) && !quotaWords.Match(printed)}
	out.words = lastWords(printed)
	if m := refusedLine.FindSubmatch(printed); m != nil {
		out.asked = string(m[1])
	}
	if timedOut {
		logged := tailOf(newest(r.wt.LogDir()))
		out.rate = out.rate || rateWords.Match(logged)
		if asks := askLine.FindAllSubmatchIndex(logged, -1); len(asks) > 0 {
			last := asks[len(asks)-1]
			id := logged[last[2]:last[3]]
			if !bytes.Contains(logged[last[3]:], id) { // nothing more was heard of it
				out.asked, out.open = string(logged[last[4]:last[5]]), true
			}
		}
	}
	return out
}

// lastWords gives the last few lines that are not empty.
func lastWords(printed []byte) string {
	const lines = 3
	all := strings.FieldsFunc(string(printed), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.TrimSpace(strings.Join(all[max(0, len(all)-lines):], " "))
}

// newest finds the log file that was written last, or "".
func newest(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var best string
	var when int64
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && (best == "" || info.ModTime().UnixNano() > when) {
			best, when = filepath.Join(dir, e.Name()), info.ModTime().UnixNano()
		}
	}
	return best
}

func tailOf(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > maxEvidence {
		if _, err := f.Seek(-maxEvidence, io.SeekEnd); err != nil {
			return nil
		}
	}
	data, _ := io.ReadAll(io.LimitReader(f, maxEvidence))
	return data
}

// realFolder is the folder of a file behind all links.
func realFolder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(real)
	if err != nil {
		return "", err
	}
	return filepath.Dir(abs), nil
}
