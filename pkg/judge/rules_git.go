package judge

import (
	"slices"
	"strings"
)

const gitGlobal = "C: c: exec-path: git-dir: work-tree: namespace: config-env: super-prefix: p P paginate no-pager bare no-replace-objects literal-pathspecs no-optional-locks version help html-path +"

// gitCall is a git command line behind its global options.
type gitCall struct {
	*call
	sub    string
	args   []field
	dirs   []field // -C, --git-dir, --work-tree
	quiet  bool    // no global option that makes it unsafe
	global options
}

func parseGit(c *call) gitCall {
	o := parseOptions(c.args, gitGlobal)
	g := gitCall{call: c, global: o, quiet: !o.odd && !o.vague}
	g.dirs = append(append(o.values("C"), o.values("git-dir")...), o.values("work-tree")...)
	if len(o.rest) > 0 {
		g.sub, g.args = o.rest[0].text, o.rest[1:]
	}
	return g
}

func (f *floor) git(c *call) {
	g := parseGit(c)
	if g.global.odd || g.global.vague || len(g.global.rest) > 0 && g.global.rest[0].unknown {
		f.hit("command-unresolved")
		for i := range c.args {
			if !strings.HasPrefix(c.args[i].text, "-") {
				f.gitSub(gitCall{call: c, sub: c.args[i].text, args: c.args[i+1:]})
			}
		}
	}
	for _, kv := range g.global.values("c", "config-env") {
		f.gitConfigValue(kv.text, c)
	}
	if len(g.global.values("exec-path")) > 0 {
		f.hit("git-exec")
	}
	f.gitSub(g)
	if f.gitChanges(g) {
		for _, d := range g.dirs {
			dir := d
			if strings.HasSuffix(dir.text, "/.git") {
				dir.text = strings.TrimSuffix(dir.text, "/.git")
			}
			f.writeRepo(dir, c.e)
		}
		if len(g.dirs) == 0 {
			for _, cwd := range c.e.cwd {
				if !f.inside(cwd) {
					f.outside(cwd, "write-outside")
				}
			}
		}
	}
}

// writeRepo judges a repository that a command changes. .git itself is what
// git may write.
func (f *floor) writeRepo(dir field, e *env) {
	paths, ok := e.resolve(dir.text)
	if dir.unknown || !ok {
		f.hit("target-unresolved")
	}
	for _, p := range paths {
		if !f.inside(p) {
			f.outside(p, "write-outside")
		}
	}
}

var gitReads = words(`status log diff show branch remote rev-parse ls-files ls-tree blame annotate describe shortlog cat-file show-ref for-each-ref merge-base name-rev
	rev-list diff-tree diff-index diff-files grep whatchanged count-objects check-ignore check-attr version help ls-remote var range-diff cherry show-branch verify-commit verify-tag`)

func (f *floor) gitChanges(g gitCall) bool { return g.sub != "" && !named(g.sub, gitReads) }

// gitExecKeys are settings by which git runs programs, or talks to others than
// the command says.
var gitExecKeys = words(`core.sshcommand core.hookspath core.fsmonitor core.editor core.askpass core.gitproxy core.pager core.alternaterefscommand core.worktree diff.external sequence.editor
	credential.helper gpg.program uploadpack.packobjectshook protocol.ext.allow include.path init.templatedir http.proxy interactive.difffilter ssh.variant web.browser trailer`)

// gitConfigValue judges one key=value of -c or config.
func (f *floor) gitConfigValue(kv string, c *call) {
	f.unsafe()
	key, val, _ := strings.Cut(kv, "=")
	lower := strings.ToLower(key)
	tail := lower[strings.LastIndexByte(lower, '.')+1:]
	exec := named(lower, gitExecKeys)
	switch {
	case strings.HasPrefix(lower, "alias."):
		if cmd, ok := strings.CutPrefix(val, "!"); ok {
			exec, val = true, cmd
		} else {
			// The alias may be called in the same command line.
			f.gitAlias(val, c)
			return
		}
	case strings.HasPrefix(lower, "url."), strings.HasPrefix(lower, "includeif."), strings.HasPrefix(lower, "pager."):
		exec = true
	default:
		switch tail {
		case "command", "textconv", "clean", "smudge", "process", "driver", "cmd", "helper", "uploadpack", "receivepack", "vcs", "proxy", "program", "sshcommand", "update", "path":
			exec = true
		}
	}
	if exec && (lower == "core.pager" || lower == "core.editor" || strings.HasPrefix(lower, "pager.")) && (val == "cat" || val == "" || val == "true" || val == "false" || val == ":") {
		return
	}
	if exec {
		f.hit("git-exec")
		f.probe(strings.TrimPrefix(val, "!"), c.e.child())
	}
}

func (f *floor) gitAlias(val string, c *call) {
	var args []field
	for w := range strings.FieldsSeq(val) {
		args = append(args, lit(w))
	}
	if len(args) > 0 && f.step() {
		f.gitSub(gitCall{call: c, sub: args[0].text, args: args[1:]})
	}
}

// gitSub judges a subcommand.
func (f *floor) gitSub(g gitCall) {
	for _, fd := range g.args {
		name, val, joined := strings.Cut(fd.text, "=")
		switch name {
		case "--upload-pack", "--receive-pack", "--exec", "--extcmd", "--open-files-in-pager", "--ext-diff", "--textconv", "--filters", "--template":
			if name != "--exec" || g.sub != "rebase" {
				f.hit("git-exec")
			}
			if joined {
				f.probe(val, g.e.child())
			}
		case "--output", "--output-directory", "--separate-git-dir":
			if joined {
				out := fd
				out.text = val
				f.writeField(out, g.e, nil)
			}
		}
		if strings.HasPrefix(fd.text, "ext::") {
			f.hit("git-exec")
			f.probe(strings.TrimPrefix(fd.text, "ext::"), g.e.child())
		}
	}
	if named(g.sub, gitReads) {
		for _, fd := range g.args {
			// HEAD:.env and -- .env show what the file holds.
			_, file, ok := strings.Cut(fd.text, ":")
			if !ok {
				file = fd.text
			}
			if !strings.ContainsAny(file, " \t\n") && !strings.HasPrefix(fd.text, "-") && secretPath("/"+file, "") && g.sub != "check-ignore" && g.sub != "ls-files" && g.sub != "status" {
				f.sawSecret()
			}
		}
	}
	switch g.sub {
	case "push":
		f.gitPush(g)
	case "filter-branch", "filter-repo":
		f.hit("git-history")
	case "reflog":
		if len(g.args) > 0 && (g.args[0].is("expire") || g.args[0].is("delete")) {
			f.hit("git-history")
		}
	case "gc":
		if slices.ContainsFunc(g.args, func(fd field) bool {
			return strings.HasPrefix(fd.text, "--prune=") && fd.text != "--prune=never" || fd.is("--prune")
		}) {
			f.hit("git-history")
		}
	case "prune", "replace":
		f.hit("git-history")
	case "update-ref", "symbolic-ref":
		if len(g.args) > 1 || slices.ContainsFunc(g.args, func(fd field) bool { return fd.is("-d") || fd.is("--delete") || fd.is("--stdin") }) {
			if g.sub == "update-ref" || slices.ContainsFunc(g.args, func(fd field) bool { return fd.is("-d") || fd.is("--delete") }) {
				f.hit("git-history")
			}
		}
	case "clone", "fetch", "pull", "ls-remote", "remote", "submodule":
		f.gitRemote(g)
	case "config":
		f.gitConfig(g)
	case "bisect":
		if len(g.args) > 1 && g.args[0].is("run") {
			f.argv(g.args[1:], g.e.child(), g.in)
		}
	case "rebase":
		o := parseOptions(g.args, "x: exec: i onto: s: X: C: whitespace: S strategy:")
		for _, fd := range o.values("x", "exec") {
			f.unsafe()
			f.scriptField(fd, g.e.child(), g.in)
		}
	case "difftool", "mergetool":
		f.hit("git-exec")
		for _, fd := range parseOptions(g.args, "x: t: extcmd: tool:").values("x", "extcmd") {
			f.scriptField(fd, g.e.child(), g.in)
		}
	case "grep":
		if slices.ContainsFunc(g.args, func(fd field) bool { return strings.HasPrefix(fd.text, "-O") }) {
			f.hit("git-exec")
		}
	case "send-email", "instaweb", "daemon", "imap-send", "fast-import", "credential", "upload-archive":
		f.hit("git-exec")
	default:
		f.gitFiles(g)
	}
}

// gitPush judges what becomes of the branches on the other side.
func (f *floor) gitPush(g gitCall) {
	f.sawNetwork()
	o := parseOptions(g.args, "f u n v q d 4 6 o: force force-with-lease force-if-includes all mirror tags delete prune set-upstream dry-run porcelain no-verify follow-tags signed atomic thin repo: receive-pack: exec: push-option: recurse-submodules:")
	if o.has("f", "force", "force-with-lease", "mirror", "d", "delete", "prune") {
		f.hit("git-force")
	}
	for i, fd := range o.rest {
		if strings.HasPrefix(fd.text, "+") || strings.HasPrefix(fd.text, ":") && len(fd.text) > 1 {
			f.hit("git-force")
		}
		if fd.unknown && fd.text == "" && (i > 0 || fd.many) {
			f.hit("target-unresolved")
		}
	}
	if o.vague {
		f.hit("target-unresolved")
	}
	if len(o.values("receive-pack", "exec")) > 0 {
		f.hit("git-exec")
	}
	if len(o.rest) > 0 {
		f.remoteURL(o.rest[0])
	}
}

// remoteURL judges an address of a repository, where it is one.
func (f *floor) remoteURL(fd field) {
	s := fd.text
	switch {
	case strings.Contains(s, "://"):
		if strings.HasPrefix(s, "file://") {
			f.unsafe()
			return
		}
		f.target(fd, false)
	case strings.Contains(s, "::"): // a helper program, see gitSub
	case strings.Contains(s, ":") && !strings.Contains(strings.SplitN(s, ":", 2)[0], "/"):
		host, _, _ := strings.Cut(s, ":")
		f.target(field{text: host}, false) // user@host:path
	}
}

func (f *floor) gitRemote(g gitCall) {
	if g.sub != "remote" || len(g.args) > 0 {
		f.net = f.net || g.sub != "submodule" && g.sub != "remote"
		f.leak()
	}
	o := parseOptions(g.args, "o: b: u: c: j: depth: origin: branch: upload-pack: config: reference: filter: shallow-since: server-option: recurse bare mirror q v p f t n a tags prune all force single-branch no-checkout")
	for _, kv := range o.values("c", "config") {
		if g.sub == "clone" {
			f.gitConfigValue(kv.text, g.call)
		}
	}
	if len(o.values("u", "upload-pack")) > 0 && (g.sub == "clone" || g.sub == "fetch" || g.sub == "ls-remote") {
		f.hit("git-exec")
	}
	for _, fd := range o.rest {
		f.remoteURL(fd)
	}
	switch {
	case g.sub == "clone" && len(o.rest) > 1:
		f.writeField(o.rest[1], g.e, nil)
	case g.sub == "clone":
		f.writeField(lit("."), g.e, nil)
	case g.sub == "submodule" && len(g.args) > 1 && g.args[0].is("foreach"):
		f.joined(o.rest[1:], g.e.child(), g.in)
	}
}

// gitConfig judges git config: where it writes, and what the key means.
func (f *floor) gitConfig(g gitCall) {
	o := parseOptions(g.args, "f: file: blob: type: default: e l z global system local worktree get get-all get-regexp get-urlmatch list unset unset-all add replace-all edit show-origin show-scope name-only bool int path")
	rest := o.rest
	if len(rest) > 0 && (rest[0].is("set") || rest[0].is("get") || rest[0].is("unset") || rest[0].is("list") || rest[0].is("edit")) {
		if rest[0].is("get") || rest[0].is("list") {
			return
		}
		rest = rest[1:]
	}
	reads := o.has("get", "get-all", "get-regexp", "get-urlmatch", "l", "list") || len(rest) < 2 && !o.has("unset", "unset-all", "e", "edit")
	if reads {
		return
	}
	if o.has("global", "system") {
		f.hit("write-outside")
	}
	for _, fd := range o.values("f", "file") {
		f.writeField(fd, g.e, nil)
	}
	if o.has("e", "edit") {
		f.hit("inline-code")
	}
	if len(rest) > 1 {
		f.gitConfigValue(rest[0].text+"="+rest[1].text, g.call)
		if rest[0].unknown || rest[1].unknown {
			f.hit("git-exec")
		}
	}
}

// gitFiles judges the subcommands that touch the working tree.
func (f *floor) gitFiles(g gitCall) {
	o := parseOptions(g.args, "b: B: m: F: C: c: o: s: S: e: n d f x X q p i u a A v r R t w l hard soft mixed merge keep force dry-run staged worktree source: ours theirs detach discard-changes cached message: file: prefix: format: output: output-directory: exclude: pathspec-from-file: amend no-edit all track orphan: unsafe-paths")
	switch g.sub {
	case "reset":
		if o.has("hard", "merge", "keep") {
			f.hit("git-discard")
		}
	case "clean":
		if !o.has("n", "dry-run") {
			f.hit("git-discard")
		}
		for _, fd := range o.rest {
			f.removeField(fd, g.e)
		}
	case "checkout":
		files := slices.ContainsFunc(g.args, func(fd field) bool { return fd.is("--") || fd.is(".") || fd.is(":/") })
		if o.has("f", "force") || files || slices.ContainsFunc(g.args, func(fd field) bool { return fd.is("-p") || fd.is("--ours") || fd.is("--theirs") }) || len(o.rest) > 1 && len(o.values("b", "B", "orphan")) == 0 {
			f.hit("git-discard")
		}
	case "restore":
		if !o.has("staged", "S") || o.has("worktree", "w", "W") {
			f.hit("git-discard")
		}
	case "switch":
		if o.has("f", "force", "discard-changes", "C") {
			f.hit("git-discard")
		}
	case "branch":
		if o.has("D") || o.has("delete", "d") && o.has("force", "f") {
			f.hit("git-discard")
		}
	case "stash":
		if len(o.rest) > 0 && (o.rest[0].is("drop") || o.rest[0].is("clear")) {
			f.hit("git-discard")
		}
	case "rm":
		for _, fd := range o.rest {
			if !o.has("cached", "n", "dry-run") {
				f.removeField(fd, g.e)
			}
		}
	case "mv", "init":
		for _, fd := range o.rest {
			f.writeField(fd, g.e, nil)
		}
	case "worktree":
		if len(o.rest) > 1 && (o.rest[0].is("add") || o.rest[0].is("move")) {
			f.writeField(o.rest[1], g.e, nil)
		}
		if len(o.rest) > 0 && (o.rest[0].is("remove") || o.rest[0].is("prune")) {
			f.hit("git-discard")
		}
	case "apply", "am":
		if o.has("unsafe-paths") {
			f.hit("target-unresolved")
		}
	}
	for _, fd := range o.values("o", "output", "output-directory") {
		switch g.sub {
		case "archive", "format-patch", "bundle", "diff", "log", "show":
			f.writeField(fd, g.e, nil)
		}
	}
}
