package judge

import "strings"

// Settings by which git runs programs, or talks to others than the command
// says: whole keys, and last parts of keys.
const (
	gitExecKeys = "core.sshcommand core.hookspath core.fsmonitor core.editor core.askpass core.gitproxy core.pager core.alternaterefscommand core.worktree diff.external sequence.editor " +
		"credential.helper gpg.program uploadpack.packobjectshook protocol.ext.allow include.path init.templatedir http.proxy interactive.difffilter web.browser"
	gitExecTails = "command textconv clean smudge process driver cmd helper uploadpack receivepack vcs proxy program sshcommand update path"
)

// gitSetting judges one key=value of -c or config.
func (f *floor) gitSetting(kv string, c *call) {
	f.unsafe()
	key, val, _ := strings.Cut(kv, "=")
	key = strings.ToLower(key)
	group, _, _ := strings.Cut(key, ".")
	switch {
	case group == "alias" && !strings.HasPrefix(val, "!"):
		// The alias may be called in the same command line.
		var args []field
		for _, w := range strings.Fields(val) {
			args = append(args, lit(w))
		}
		if len(args) > 0 && f.step() {
			f.gitSub(&gitCall{call: c, sub: args[0].text, args: args[1:]})
		}
	case (key == "core.pager" || key == "core.editor" || group == "pager") && (val == "" || in("cat true false :", val)):
		// The usual way to have none.
	case in("alias url includeif pager", group), in(gitExecKeys, key), in(gitExecTails, key[strings.LastIndexByte(key, '.')+1:]):
		f.hit("git-exec")
		f.probe(strings.TrimPrefix(val, "!"), c.e.child())
	}
}

// gitConfig judges git config: where it writes, and what the key means.
func (f *floor) gitConfig(g *gitCall) {
	o := parseOptions(g.args, "f: file: blob: type: default: e l z global system local worktree get get-all get-regexp get-urlmatch list unset unset-all add replace-all edit show-origin show-scope name-only bool int path")
	rest := o.rest
	verb := word(rest, 0)
	if in("set unset edit", verb) {
		rest = rest[1:]
	} else if in("get list", verb) || o.has("get get-all get-regexp get-urlmatch l list") || len(rest) < 2 && !o.has("unset unset-all e edit") {
		return
	}
	f.does(g.call, o, "hit write-outside: global system; write: f file; hit inline-code: e edit")
	if len(rest) > 1 {
		f.gitSetting(rest[0].text+"="+rest[1].text, g.call)
		if rest[0].unknown || rest[1].unknown {
			f.hit("git-exec")
		}
	}
}
