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
	global *options
}

func parseGit(c *call) *gitCall {
	o := parseOptions(c.args, gitGlobal)
	g := &gitCall{call: c, global: o, dirs: o.values("C git-dir work-tree")}
	if len(o.rest) > 0 {
		g.sub, g.args = o.rest[0].text, o.rest[1:]
	}
	return g
}

const gitReads = "status log diff show branch remote rev-parse ls-files ls-tree blame annotate describe shortlog cat-file show-ref for-each-ref merge-base name-rev " +
	"rev-list diff-tree diff-index diff-files grep whatchanged count-objects check-ignore check-attr version help ls-remote var range-diff cherry show-branch verify-commit verify-tag"

func (f *floor) git(c *call) {
	g := parseGit(c)
	o := g.global
	if o.odd || o.vague || len(o.rest) > 0 && o.rest[0].unknown {
		f.hit("command-unresolved")
		for i := range c.args {
			if !strings.HasPrefix(c.args[i].text, "-") {
				f.gitSub(&gitCall{call: c, sub: c.args[i].text, args: c.args[i+1:]})
			}
		}
	}
	for _, kv := range o.values("c config-env") {
		f.gitSetting(kv.text, c)
	}
	f.does(c, o, "hit git-exec: exec-path")
	f.gitSub(g)
	if g.sub == "" || in(gitReads, g.sub) {
		return
	}
	// A command that changes a repository changes a folder. .git itself is
	// what git may write.
	for _, dir := range g.dirs {
		paths, ok := c.e.resolve(strings.TrimSuffix(dir.text, "/.git"))
		if dir.unknown || !ok {
			f.hit("target-unresolved")
		}
		f.changedFolders(paths)
	}
	if len(g.dirs) == 0 {
		f.changedFolders(c.e.cwd)
	}
}

func (f *floor) changedFolders(paths []string) {
	for _, p := range paths {
		if !f.inside(p) {
			f.outside(p, "write-outside")
		}
	}
}

// gitSub judges a subcommand.
func (f *floor) gitSub(g *gitCall) {
	f.gitOptions(g)
	if in(gitReads, g.sub) && !in("check-ignore ls-files status", g.sub) {
		f.gitShows(g)
	}
	first := word(g.args, 0)
	switch {
	case g.sub == "push":
		f.gitPush(g)
	case in("filter-branch filter-repo prune replace", g.sub),
		g.sub == "reflog" && in("expire delete", first),
		g.sub == "gc" && (anyIs(g.args, "--prune") || anyStarts(g.args, "--prune=") && !anyIs(g.args, "--prune=never")),
		g.sub == "update-ref" && (len(g.args) > 1 || anyIs(g.args, "--stdin")),
		g.sub == "symbolic-ref" && anyIs(g.args, "-d --delete"):
		f.hit("git-history")
	case in("clone fetch pull ls-remote remote submodule", g.sub):
		f.gitRemote(g)
	case g.sub == "config":
		f.gitConfig(g)
	case g.sub == "bisect" && first == "run":
		f.argv(g.args[1:], g.e.child(), g.in)
	case g.sub == "rebase":
		f.does(g.call, parseOptions(g.args, "x: exec: i onto: s: X: C: whitespace: S strategy:"), "run: x exec")
	case in("difftool mergetool", g.sub):
		f.hit("git-exec")
		f.does(g.call, parseOptions(g.args, "x: t: extcmd: tool:"), "run: x extcmd")
	case slices.ContainsFunc(g.args, func(fd field) bool { return opensPager(g.sub, fd.text) }), in("send-email instaweb daemon imap-send fast-import credential upload-archive", g.sub):
		f.hit("git-exec")
	default:
		f.gitFiles(g)
	}
}

// opensPager reports -O of git grep, which runs what is joined to it; other letters may stand in front.
func opensPager(sub, s string) bool {
	at := strings.IndexByte(s, 'O')
	return sub == "grep" && at > 0 && s[0] == '-' && strings.Trim(s[1:at], "aiIvwrEGFPhHnlLzocpWq0123456789") == ""
}

// gitOptions judges the options by which many subcommands run or write.
func (f *floor) gitOptions(g *gitCall) {
	for _, fd := range g.args {
		name, val, joined := strings.Cut(fd.text, "=")
		helper, ext := strings.CutPrefix(fd.text, "ext::")
		switch {
		case in("--upload-pack --receive-pack --exec --extcmd --open-files-in-pager --ext-diff --textconv --filters --template", name) && (name != "--exec" || g.sub != "rebase"):
			f.hit("git-exec")
			if joined {
				f.probe(val, g.e.child())
			}
		case joined && in("--output --output-directory --separate-git-dir", name):
			fd.text = val
			f.writeField(&fd, g.e, nil)
		case ext:
			f.hit("git-exec")
			f.probe(helper, g.e.child())
		}
	}
}

// gitShows notices HEAD:.env and -- .env, which show what the file holds.
func (f *floor) gitShows(g *gitCall) {
	for i := range g.args {
		s := g.args[i].text
		at := strings.IndexByte(s, ':')
		if strings.HasPrefix(s, ":(") {
			at = strings.IndexByte(s, ')') // :(glob)
		}
		if file := s[at+1:]; !strings.ContainsAny(file, " \t\n") && !strings.HasPrefix(s, "-") && secretPath("/"+file, "") {
			f.sawSecret()
		}
	}
}

// gitPush judges what becomes of the branches on the other side.
func (f *floor) gitPush(g *gitCall) {
	f.sawNetwork()
	o := parseOptions(g.args, "f u n v q d 4 6 o: force force-with-lease force-if-includes all mirror tags delete prune set-upstream dry-run porcelain no-verify follow-tags signed atomic thin repo: receive-pack: exec: push-option: recurse-submodules:")
	f.does(g.call, o, "hit git-force: f force force-with-lease mirror d delete prune; hit git-exec: receive-pack exec")
	if o.vague {
		f.hit("target-unresolved")
	}
	for i := range o.rest {
		fd := &o.rest[i]
		if strings.HasPrefix(fd.text, "+") || strings.HasPrefix(fd.text, ":") && len(fd.text) > 1 {
			f.hit("git-force")
		}
		if fd.unknown && fd.text == "" && (i > 0 || fd.many) {
			f.hit("target-unresolved")
		}
		if i == 0 {
			f.remoteURL(fd)
		}
	}
}

// remoteURL judges an address of a repository, where it is one.
func (f *floor) remoteURL(fd *field) {
	s := fd.text
	host, _, scp := strings.Cut(s, ":")
	switch {
	case strings.HasPrefix(s, "file://"), strings.Contains(s, "::"): // here, or by a helper: see gitOptions
	case strings.Contains(s, "://"):
		f.target(fd, false)
	case scp && !strings.Contains(host, "/"):
		f.target(&field{text: host}, false) // user@host:path
	}
}

func (f *floor) gitRemote(g *gitCall) {
	if in("clone fetch pull ls-remote", g.sub) {
		f.net = true
		f.leak()
	}
	o := parseOptions(g.args, "o: b: u: c: j: depth: origin: branch: upload-pack: config: reference: filter: shallow-since: server-option: recurse bare mirror q v p f t n a tags prune all force single-branch no-checkout")
	if g.sub == "clone" {
		for _, kv := range o.values("c config") {
			f.gitSetting(kv.text, g.call)
		}
		dest := &field{text: "."}
		if len(o.rest) > 1 {
			dest = &o.rest[1]
		}
		f.writeField(dest, g.e, nil)
	}
	if g.sub == "submodule" && word(g.args, 0) == "foreach" {
		f.joined(o.rest[1:], g.e.child(), g.in)
	} else if in("clone ls-remote", g.sub) {
		f.does(g.call, o, "hit git-exec: u")
	}
	for i := range o.rest {
		f.remoteURL(&o.rest[i])
	}
}

// gitFiles judges the subcommands that touch the working tree.
func (f *floor) gitFiles(g *gitCall) {
	o := parseOptions(g.args, "b: B: m: F: C: c: o: s: S: e: n d f x X q p i u a A v r R t w l hard soft mixed merge keep force dry-run staged worktree source: ours theirs detach discard-changes cached message: file: prefix: format: output: output-directory: exclude: pathspec-from-file: amend no-edit all track orphan: unsafe-paths")
	sub, first := g.sub, word(o.rest, 0)
	switch {
	case sub == "reset" && o.has("hard merge keep"),
		sub == "clean" && !o.has("n dry-run"),
		sub == "checkout" && (o.has("f force p ours theirs") || anyIs(g.args, "-- . :/") || len(o.rest) > 1 && !o.has("b B orphan")),
		sub == "restore" && (!o.has("staged S") || o.has("worktree w W")),
		sub == "switch" && o.has("f force discard-changes C"),
		sub == "branch" && (o.has("D") || o.has("delete d") && o.has("force f")),
		sub == "stash" && in("drop clear", first),
		sub == "worktree" && in("remove prune", first):
		f.hit("git-discard")
	case in("apply am", sub):
		f.does(g.call, o, "hit target-unresolved: unsafe-paths")
	case in("add stage commit stash", sub):
		f.gitShows(g) // what is committed is made to be pushed
	case in("archive format-patch diff log show", sub):
		f.does(g.call, o, "write: o output output-directory")
	case in("mv init", sub):
		f.does(g.call, o, "write: rest")
	case sub == "worktree" && in("add move", first) && len(o.rest) > 1, sub == "bundle" && first == "create" && len(o.rest) > 1:
		f.writeField(&o.rest[1], g.e, nil)
	}
	if sub == "clean" || sub == "rm" && !o.has("cached n dry-run") {
		f.does(g.call, o, "remove: rest")
	}
}
