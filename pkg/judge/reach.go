package judge

import (
	"path"
	"strings"

	globs "github.com/Kayphoon/opencode-advisor/pkg/pattern"
)

// habit is what a command walks over: the options by which it does, "*" where it always does.
type habit struct{ walks, hidden, ignored, follow string }

var habits = map[string]habit{
	"grep": {"r R recursive dereference-recursive d directories", "*", "*", "R dereference-recursive"},
	"rg":   {"*", "hidden u", "u no-ignore no-ignore-vcs", "L follow"},
	"ag":   {"*", "hidden", "*", ""},
	"diff": {"*", "*", "*", "*"},
}

func (o *options) does(names string) bool { return names == "*" || o.has(names) }

const grepOptions = `-- a b c E F G H h I i L l n o P q r R s T U u v V w x y z Z 0 1 2 3 4 5 6 7 8 9 A: B: C: D: d: e: f: m: regexp: file: after-context: before-context: context: max-count: include: exclude:
	exclude-from: exclude-dir: devices: directories: binary-files: label: extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case word-regexp line-regexp null-data no-messages
	invert-match version help byte-offset line-number line-buffered with-filename no-filename only-matching quiet silent text recursive dereference-recursive files-without-match files-with-matches count
	initial-tab null color colour binary unix-byte-offsets`

// reachesNone reports that a command which prints what it walks over meets no credentials on its way. What it does not walk over is
// among its words, which are judged elsewhere.
func (f *floor) reachesNone(c *call) bool {
	if c.name == "git" {
		return f.gitReachesNone(parseGit(c))
	}
	name := c.name
	if in("egrep fgrep", name) {
		name = "grep"
	}
	h := habits[name]
	o := parseOptions(c.args, safeList[name].spec)
	if h.walks == "" || !o.does(h.walks) || name == "rg" && o.has("files type-list") { // the last two tell names alone
		return true
	}
	roots := o.rest
	if name != "diff" {
		if !o.has("e f regexp file") {
			roots = roots[min(1, len(roots)):]
		}
		if len(roots) == 0 && (name == "grep" || !c.in.open) {
			roots = []field{lit(".")} // the others read their input
		}
	}
	return f.allMeetNone(roots, c, &manner{hidden: o.does(h.hidden), ignored: o.does(h.ignored), follow: o.does(h.follow), picks: picksOf(o)})
}

// allMeetNone walks several words. Where they are files, or not there, there is nothing to walk.
func (f *floor) allMeetNone(fds []field, c *call, m *manner) bool {
	for i := range fds {
		if !fds[i].is("-") && !f.meetsNone(&fds[i], c.e, m) {
			return false
		}
	}
	return true
}

// gitOnly leaves out git's own folder.
var gitOnly = pick{out: ".git", dirs: true, files: true}

// gitReachesNone walks the folder that git grep searches. What git tracks is not known here, so that an ignored file
// counts, and only ignored folders are passed over.
func (f *floor) gitReachesNone(g *gitCall) bool {
	if g.sub != "grep" {
		return true
	}
	dirs := g.dirs
	if len(dirs) == 0 {
		dirs = []field{lit(".")}
	}
	for _, bad := range []string{"--un", "--no-ex", "--rec"} {
		if anyStarts(g.args, bad) {
			return false // what is not tracked, what is ignored, other repositories
		}
	}
	return f.allMeetNone(dirs, g.call, &manner{hidden: true, folders: true, picks: []pick{gitOnly}})
}

// toolReachesNone walks as the hosts' search tools do: ripgrep with hidden names, and with a glob that the model may give.
func (f *floor) toolReachesNone(p, include string) bool {
	o := &options{}
	if include != "" {
		o.flags = []option{{name: "glob", val: lit(include)}}
	}
	return f.cleanBelow(p, &manner{hidden: true, follow: true, picks: append(picksOf(o), gitOnly)})
}

// pick is an option that leaves names out of a walk, or lets them in. What one leaves out is believed where its meaning is
// certain, and what one lets in wherever it may be meant.
type pick struct {
	out         string      // a glob; with it the pick leaves out
	glob        *globs.Glob // else it lets in what this matches; nil: anything
	dirs, files bool        // what it is about
}

// picksOf reads --include, --exclude and --exclude-dir of grep, and the globs of ripgrep.
func picksOf(o *options) (out []pick) {
	for i := range o.flags {
		op := &o.flags[i]
		s := op.val.text
		p := pick{dirs: !in("include exclude", op.name), files: op.name != "exclude-dir"}
		not := strings.HasPrefix(s, "!")
		switch {
		case in("exclude exclude-dir", op.name), not && in("g glob", op.name):
			if op.val.glob {
				continue
			}
			p.out = strings.TrimSuffix(strings.TrimPrefix(s, "!"), "/")
		case in("include g glob", op.name):
			// It is for names in whatever folder they are.
			last := widened(strings.ToLower(s[strings.LastIndexByte(s, '/')+1:]), "*")
			if g, err := globs.CompileGlob(last); err == nil && !strings.Contains(s, `\`) && !(strings.Contains(s, "{") && strings.Contains(s, "/")) {
				p.glob = g
			}
		default:
			continue
		}
		out = append(out, p)
	}
	return out
}

// skips says whether a walk passes over a name; hides: by itself it would. The last pick that matches decides, and when the first one about
// files lets in, files that none matches are passed over.
func (m *manner) skips(name string, dir, hides bool) bool {
	skip, first := hides && (dir || !m.folders), true
	for i := range m.picks {
		p := &m.picks[i]
		switch {
		case dir && !p.dirs, !dir && !p.files:
			continue
		case p.out != "":
			ok, err := path.Match(p.out, name)
			skip = skip || ok && err == nil && !strings.ContainsAny(p.out, `\/[{`)
		case p.glob == nil || p.glob.Match(strings.ToLower(name)):
			skip = false
		default:
			skip = skip || first && !dir
		}
		first = false
	}
	return skip
}
