package judge

import (
	"path"
	"slices"
	"strings"
)

// reachesNone reports that a command which prints what it walks over meets no credentials on its way. What it does not walk over is
// among its words, which are judged elsewhere.
func (f *floor) reachesNone(c *call) bool {
	switch c.name {
	case "grep", "egrep", "fgrep":
		return f.grepReachesNone(c)
	case "rg":
		return f.rgReachesNone(c)
	case "ag":
		o := parseOptions(c.args, safeList["ag"].spec)
		return o.has("g") || f.allMeetNone(operands(c, o), c, manner{hidden: o.has("hidden"), ignored: true})
	case "diff":
		return f.allMeetNone(parseOptions(c.args, safeList["diff"].spec).rest, c, manner{hidden: true, ignored: true, follow: true})
	case "git":
		if g := parseGit(c); g.sub == "grep" {
			return f.gitGrepReachesNone(g)
		}
	}
	return true
}

// allMeetNone walks several words. Where they are files, or not there, there is nothing to walk.
func (f *floor) allMeetNone(fds []field, c *call, m manner) bool {
	for i := range fds {
		if !fds[i].is("-") && !f.meetsNone(&fds[i], c.e, m) {
			return false
		}
	}
	return true
}

// operands are the files and folders of a search; without any it is the folder where it runs, or its input.
func operands(c *call, o *options) []field {
	rest := o.rest
	if !o.has("e f regexp file files") {
		rest = rest[min(1, len(rest)):]
	}
	if len(rest) == 0 && !c.in.open {
		rest = []field{lit(".")}
	}
	return rest
}

const grepOptions = `-- a b c E F G H h I i L l n o P q r R s T U u v V w x y z Z 0 1 2 3 4 5 6 7 8 9 A: B: C: D: d: e: f: m: regexp: file: after-context: before-context: context: max-count: include: exclude:
	exclude-from: exclude-dir: devices: directories: binary-files: label: extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case word-regexp line-regexp null-data no-messages
	invert-match version help byte-offset line-number line-buffered with-filename no-filename only-matching quiet silent text recursive dereference-recursive files-without-match files-with-matches count
	initial-tab null color colour binary unix-byte-offsets`

func (f *floor) grepReachesNone(c *call) bool {
	o := parseOptions(c.args, grepOptions)
	m := manner{hidden: true, ignored: true, follow: o.has("R dereference-recursive"), skips: grepSkips(o)}
	return !o.has("r R recursive dereference-recursive d directories") || f.allMeetNone(operands(&call{}, o), c, m)
}

// grepSkips reads --include, --exclude and --exclude-dir: the last of them that matches decides, and when the first is an
// --include, what none of them matches is passed over.
func grepSkips(o *options) func(string, bool, bool) bool {
	return func(name string, dir, _ bool) bool {
		skip, first := false, true
		for i := range o.flags {
			op := &o.flags[i]
			if op.val.glob || dir != (op.name == "exclude-dir") {
				continue
			}
			switch op.name {
			case "include":
				skip = (skip || first) && !mayMatch(op.val.text, name)
			case "exclude", "exclude-dir":
				skip = skip || certainly(strings.TrimSuffix(op.val.text, "/"), name)
			default:
				continue
			}
			first = false
		}
		return skip
	}
}

func (f *floor) rgReachesNone(c *call) bool {
	o := parseOptions(c.args, safeList["rg"].spec)
	if o.has("type-list") || anyIs(c.args, "--files") {
		return true // names alone
	}
	loose := 0
	m := manner{hidden: o.has("hidden"), follow: o.has("L follow"), skips: globSkips(append(o.values("g glob"), o.values("iglob")...))}
	for i := range o.flags {
		switch name := o.flags[i].name; {
		case strings.HasPrefix(name, "no-ignore"):
			loose = max(loose, 1)
		case strings.Trim(name, "u") == "":
			loose += len(name)
		}
	}
	m.ignored, m.hidden = loose > 0, m.hidden || loose > 1
	return f.allMeetNone(operands(c, o), c, m)
}

// globSkips reads the globs of ripgrep, of which the last that matches decides: what one names is searched though it is hidden or ignored, and
// with any of these, files that none names are not.
func globSkips(globs []field) func(string, bool, bool) bool {
	return func(name string, dir, hides bool) bool {
		skip := hides || !dir && slices.ContainsFunc(globs, func(fd field) bool { return !strings.HasPrefix(fd.text, "!") })
		for _, fd := range globs {
			if not, ok := strings.CutPrefix(fd.text, "!"); ok {
				skip = skip || certainly(strings.TrimSuffix(not, "/"), name)
			} else {
				skip = skip && !mayMatch(fd.text, name)
			}
		}
		return skip
	}
}

// mayMatch reports whether a glob of a search may mean a name, in whatever folder that is.
func mayMatch(glob, name string) bool {
	glob = glob[strings.LastIndexByte(glob, '/')+1:]
	if head, after, ok := strings.Cut(glob, "{"); ok {
		list, tail, closed := strings.Cut(after, "}")
		if !closed || strings.ContainsAny(list+tail, "{}") {
			return true
		}
		for alt := range strings.SplitSeq(list, ",") {
			if mayMatch(head+alt+tail, name) {
				return true
			}
		}
		return false
	}
	ok, err := path.Match(widened(strings.ToLower(glob), "*"), strings.ToLower(name))
	return ok || err != nil || glob == "" || strings.Contains(glob, `\`)
}

// certainly reports that a glob means a name, however it is read.
func certainly(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil && !strings.ContainsAny(glob, `\/[{`)
}

// gitGrepReachesNone walks the folder that git grep searches. What git tracks is not known here, so that an ignored file
// counts, and only ignored folders are passed over.
func (f *floor) gitGrepReachesNone(g *gitCall) bool {
	if anyStarts(g.args, "--untracked") || anyStarts(g.args, "--no-ex") || anyStarts(g.args, "--recurse") {
		return false
	}
	dirs := g.dirs
	if len(dirs) == 0 {
		dirs = []field{lit(".")}
	}
	return f.allMeetNone(dirs, g.call, manner{hidden: true, skips: func(name string, dir, hides bool) bool {
		return dir && (hides || name == ".git")
	}})
}

// toolReachesNone walks as the hosts' search tools do: ripgrep with hidden names, and with a glob that the model may give.
func (f *floor) toolReachesNone(p, include string) bool {
	var globs []field
	if include != "" {
		globs = []field{lit(include)}
	}
	skips := globSkips(globs)
	return f.cleanBelow(p, manner{hidden: true, follow: true, skips: func(name string, dir, hides bool) bool {
		return dir && name == ".git" || skips(name, dir, hides)
	}})
}
