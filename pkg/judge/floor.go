package judge

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Floor judges an action by code alone, without a model or a clock; of the disk it
// sees names, by way of Place. The harshest row that any part of the action meets
// decides; the action is safe only when every part of it is.
func Floor(a Action) Verdict { return floorWithout(a, "") }

// floorWithout is the floor with one row taken out, as a test of that row.
func floorWithout(a Action, row string) Verdict {
	f := &floor{place: tidyPlace(a.Place), off: row, plain: true}
	if a.Place.Files != nil {
		f.eyes = &sight{a.Place.Files, maxSeen}
	}
	f.judge(a)
	return f.verdict()
}

// floor gathers what one action meets.
type floor struct {
	place Place
	eyes  *sight // of the action itself; nil in what is only tried
	off   string // a row that does not count

	deny, ask, allow string // the first row of each kind
	plain            bool   // nothing seen yet that is not safe

	steps, scripts, depth int
	full                  bool           // a limit was passed: stop reading
	calls                 []*syntax.Stmt // functions being called
	declared              []declaration
	ran                   map[*syntax.Stmt]bool
	inSuffix              bool // already trying words of an unknown command
	piped                 int  // pipes and background jobs around this point

	secret, net bool // credentials were read; the network was used
	// written are the files that the command itself writes, by path, with what
	// is in them: running one of them runs text of the command.
	written map[string]flow
}

// hit records that the action meets a row.
func (f *floor) hit(id string) {
	r := rowByID[id]
	if r.Decision != Allow || id == f.off {
		f.plain = false
	}
	if id == f.off {
		return
	}
	slot := &f.allow
	switch r.Decision {
	case Deny:
		slot = &f.deny
	case Ask:
		slot = &f.ask
	}
	// Of what makes a command safe, the least telling is left out.
	if *slot == "" || *slot == "safe-shell" {
		*slot = id
	}
}

// unsafe says that a part has no row: not safe, and not known to be dangerous.
func (f *floor) unsafe() { f.plain = false }

// step counts work, and reports whether there is any left to spend.
func (f *floor) step() bool {
	f.steps++
	if f.steps > maxSteps || f.depth > maxDepth {
		f.over()
	}
	return !f.full
}

func (f *floor) over() {
	f.full = true
	f.hit("too-big")
}

// sawSecret and sawNetwork meet in one row, whatever came first: which bytes
// flow where inside a command is not worth a guess.
func (f *floor) sawSecret() {
	f.secret = true
	f.hit("secret-read")
	f.leak()
}

func (f *floor) sawNetwork() {
	f.net = true
	f.unsafe()
	f.leak()
}

func (f *floor) leak() {
	if f.secret && f.net {
		f.hit("secret-to-network")
	}
}

func (f *floor) verdict() Verdict {
	id := f.deny
	if id == "" {
		id = f.ask
	}
	if id == "" && f.plain {
		id = f.allow
	}
	if id == "" {
		return Verdict{Decision: None}
	}
	r := rowByID[id]
	return Verdict{Decision: r.Decision, Row: r.ID, Reason: r.Reason}
}

func (f *floor) judge(a Action) {
	if a.Cut {
		f.hit("too-big")
	}
	switch strings.ToLower(a.Kind) {
	case "bash", "shell":
		f.command(a)
	case "edit", "write", "multiedit", "patch", "apply_patch":
		f.edit(a)
	case "read", "glob", "grep", "list", "ls", "lsp":
		f.reading(a)
	case "webfetch":
		f.webfetch(a)
	case "external_directory":
		f.external(a)
	case "doom_loop":
		f.hit("loop")
	default:
		f.unsafe()
	}
}

// command judges a shell command. When the host gave none, its patterns may
// hold what must be denied, but not more: they lack the pipes between them.
func (f *floor) command(a Action) {
	switch strings.ToLower(path.Base(strings.TrimSuffix(a.Shell, ".exe"))) {
	case ".", "sh", "bash", "zsh", "dash", "ksh", "ash":
	default:
		f.hit("shell-unknown")
	}
	scripts := a.Resources
	if strings.TrimSpace(a.Command) != "" {
		scripts = []string{a.Command}
	} else {
		f.hit("nothing-to-judge")
	}
	for _, s := range scripts {
		f.script(s, newEnv(f.place), flow{})
	}
	f.uncalled()
}

// paths gives the files an action names, absolute. The host may repeat the
// path among its patterns, relative to the project.
func (f *floor) paths(a Action) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range append([]string{a.Path}, a.Resources...) {
		if p == "" {
			continue
		}
		if p = f.absolute(f.slashes(p)); !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}

func (f *floor) edit(a Action) {
	f.unsafe()
	paths := f.paths(a)
	if len(paths) == 0 {
		f.hit("nothing-to-judge")
	}
	for _, p := range paths {
		if oddText(p) {
			f.hit("odd-text")
		}
		f.writePath(p, &body{text: a.Content, before: a.Before, known: a.Content != ""})
	}
}

func (f *floor) reading(a Action) {
	paths := f.paths(a)
	kind := strings.ToLower(a.Kind)
	if kind == "grep" || kind == "glob" {
		// The pattern is among the resources; the folder is in Path, and
		// without it the search is over the whole workspace.
		paths = []string{f.absolute(f.slashes(a.Path))}
	} else if len(paths) == 0 {
		f.hit("nothing-to-judge")
	}
	for _, p := range paths {
		switch {
		case oddText(p):
			f.hit("odd-text")
		case f.secretAt(p):
			f.sawSecret()
		case !f.inside(p):
			f.unsafe()
		case kind == "read":
			f.hit("safe-read")
		case kind == "grep" && !f.toolReachesNone(p, a.Include):
			f.unsafe()
		case kind == "grep":
			f.hit("safe-search")
		default:
			f.hit("safe-list")
		}
	}
}

func (f *floor) webfetch(a Action) {
	f.unsafe()
	urls := a.Resources
	if a.Path != "" {
		urls = append([]string{a.Path}, urls...)
	}
	if len(urls) == 0 {
		f.hit("nothing-to-judge")
	}
	for _, u := range urls {
		f.url(u, true)
	}
}

// external judges a host's question about a folder outside the workspace. The
// command or the kind of access decides; without either a person has to look.
func (f *floor) external(a Action) {
	f.unsafe()
	switch {
	case a.Command != "":
		f.command(a)
		f.unsafe()
	case a.Access == "read":
		for _, p := range f.paths(a) {
			if secretPath(p, f.place.Home) {
				f.sawSecret()
			}
		}
	case a.Access == "write":
		for _, p := range f.paths(a) {
			f.writePath(p, &body{})
		}
	default:
		f.hit("external-unknown")
	}
}
