package engine

import (
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
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
	env      *tools.Env
	tools    redacted
	commands map[string]string
	rules    rules.Set
}

func newView(e *Engine, l *live, who string, delta transcript.Delta, advises bool, names []string) *view {
	v := &view{e: e, ledger: &safefs.Ledger{}, commands: delta.Commands()}
	cache := l.caches[who]
	if cache == nil {
		cache = &tools.Cache{}
		l.caches[who] = cache
	}
	cache.NewReview()
	v.env = &tools.Env{Files: e.files, Cache: cache, Ledger: v.ledger, Scratch: e.scratch, Interrupted: e.host.Interrupted, Redact: e.redact.Bytes}
	v.tools = redacted{tools.NewToolbox(v.env, names, advises), e.redact.Text}
	return v
}

// redacted is a toolbox whose answers hold no secrets.
type redacted struct {
	*tools.Toolbox
	redact func(string) string
}

func (r redacted) Run(name string, args []byte) (text string, shown func(lines int)) {
	text, shown = r.Toolbox.Run(name, args)
	return r.redact(text), shown // its lines stay where they are
}

// resolver checks citations against the files as they are now.
func (v *view) resolver() *evidence.Resolver {
	return &evidence.Resolver{Files: v, Ledger: v.ledger, Commands: v.commands, Rules: v.rules.Holds}
}

// Resolve implements evidence.Files.
func (v *view) Resolve(path string) (string, error) {
	f, err := v.e.files.Resolve(path)
	if err != nil {
		return "", evidence.Refusal(err)
	}
	return f.Rel, nil
}

// ReadFile implements evidence.Files.
func (v *view) ReadFile(path string, max int) (string, error) {
	_, data, err := v.e.files.ReadFile(path, max)
	if err != nil {
		return "", evidence.Refusal(err)
	}
	if binary(data) {
		return "", evidence.ErrBinary
	}
	return string(v.e.redact.Bytes(data)), nil
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

// Search implements evidence.Files.
func (v *view) Search(expr, glob string, max int) (evidence.Found, error) {
	found, err := tools.Search(v.env, expr, glob, max)
	out := evidence.Found{Files: found.Files, Complete: found.Complete}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, evidence.Hit(h))
	}
	return out, err
}
