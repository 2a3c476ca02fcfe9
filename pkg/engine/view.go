package engine

import (
	"bytes"

	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// view is the workspace as one review or consultation sees it. Everything
// that it shows has its secrets taken out, so a quote of what was shown is checked
// against the same text.
type view struct {
	e        *Engine
	ledger   *safefs.Ledger
	tools    redacted
	commands map[string]string
}

func newView(e *Engine, l *live, delta transcript.Delta, advises bool, names []string) *view {
	v := &view{e: e, ledger: &safefs.Ledger{}, commands: delta.Commands()}
	l.cache.NewReview()
	env := &tools.Env{Files: e.files, Cache: l.cache, Ledger: v.ledger, Scratch: e.scratch, Interrupted: e.host.Interrupted}
	v.tools = redacted{tools.NewToolbox(env, names, advises), e.redact.Text}
	return v
}

// redacted is a toolbox whose answers hold no secrets.
type redacted struct {
	*tools.Toolbox
	redact func(string) string
}

func (r redacted) Run(name string, args []byte) string { return r.redact(r.Toolbox.Run(name, args)) }

// resolver checks citations against the files as they are now.
func (v *view) resolver() *evidence.Resolver {
	return &evidence.Resolver{Files: v, Ledger: v.ledger, Commands: v.commands}
}

// Resolve implements evidence.Files.
func (v *view) Resolve(path string) (string, error) {
	f, err := v.e.files.Resolve(path)
	if err != nil {
		return "", reason(err)
	}
	return f.Rel, nil
}

// ReadFile implements evidence.Files.
func (v *view) ReadFile(path string, max int) (string, error) {
	_, data, err := v.e.files.ReadFile(path, max)
	if err != nil {
		return "", reason(err)
	}
	if binary(data) {
		return "", evidence.ErrBinary
	}
	return v.e.redact.Text(string(data)), nil
}

// sniff is how much of a file is looked at for a NUL, as git does.
const sniff = 8_000

func binary(data []byte) bool {
	for _, c := range data[:min(len(data), sniff)] {
		if c == 0 {
			return true
		}
	}
	return false
}

// reason is a refusal in evidence's terms.
func reason(err error) error {
	switch safefs.KindOf(err) {
	case safefs.KindMissing, safefs.KindNotDir:
		return evidence.ErrMissing
	case safefs.KindOutside, safefs.KindPath:
		return evidence.ErrOutside
	case safefs.KindCredential:
		return evidence.ErrRefused
	case safefs.KindTooLarge:
		return evidence.ErrTooLarge
	}
	return err
}

// Bounds of one search for an absence: what a review may cost when it is run again at delivery.
const (
	maxSearchFile  = 2 << 20
	maxSearchBytes = 64 << 20
)

// Search implements evidence.Files.
func (v *view) Search(expr, glob string, max int) (evidence.Found, error) {
	p, err := pattern.Compile(expr, pattern.Flags{})
	if err != nil {
		return evidence.Found{}, err
	}
	if glob == "" {
		glob = "**"
	}
	g, err := pattern.CompileGlob(glob)
	if err != nil {
		return evidence.Found{}, err
	}
	root, err := v.e.files.Resolve(".")
	if err != nil {
		return evidence.Found{}, reason(err)
	}
	found := evidence.Found{Complete: true}
	total := int64(0)
	var failed error
	walked, err := v.e.files.Walk(root, v.e.host.Interrupted, func(en safefs.Entry) bool {
		if en.Kind != protocol.KindFile || !g.Match(en.Rel) {
			return true
		}
		f, err := v.e.files.Entry(en.Rel)
		if err != nil || f.Info.Size > maxSearchFile {
			found.Complete = false
			return true
		}
		if total += f.Info.Size; total > maxSearchBytes {
			found.Complete = false
			return false
		}
		data, err := v.e.files.Read(f, maxSearchFile)
		if err != nil {
			found.Complete = false
			return true
		}
		if binary(data) {
			return true
		}
		found.Files++
		failed = v.searchFile(p, en.Rel, data, max, &found)
		return failed == nil && len(found.Hits) < max
	})
	if err == nil {
		err = failed
	}
	if walked.Stopped != "" || walked.Failed > 0 {
		found.Complete = false
	}
	return found, err
}

// searchSteps bounds one pattern over one file; beyond it the absence is not proven.
const searchSteps = 400_000_000

func (v *view) searchFile(p *pattern.Pattern, rel string, data []byte, max int, found *evidence.Found) error {
	p.SetBudget(searchSteps)
	line, counted := 1, 0
	err := p.Lines(data, func(start, end, _ int) bool {
		line += bytes.Count(data[counted:start], []byte{'\n'})
		counted = start
		found.Hits = append(found.Hits, evidence.Hit{Path: rel, Line: line, Text: v.e.redact.Text(oneLine(string(data[start:end]), 200))})
		return len(found.Hits) < max
	})
	if p.GaveUp() > 0 || p.Clipped() > 0 {
		found.Complete = false
	}
	return err
}
