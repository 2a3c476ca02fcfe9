package judge

import (
	"path"
	"slices"
	"strings"
)

// parallel: a command, to which words are added, or which holds {}; after :::
// the words themselves.
func (f *floor) parallel(c *call) flow {
	f.unsafe()
	o := parseOptions(c.args, `j: jobs: k keep-order n: N: L: m X q I: 0 null d: a: halt: bar progress tag dry-run delay: timeout: retries: joblog: results: will-cite
		S: sshlogin: pipe block: eta no-notice +`)
	if o.odd || o.vague {
		f.hit("command-unresolved")
		f.suffixes(c.args, c.e, c.in)
	}
	cmd := o.rest
	words := []field{{unknown: true, many: true, net: c.in.net}}
	if at := slices.IndexFunc(cmd, func(fd field) bool { return strings.HasPrefix(fd.text, ":::") }); at >= 0 {
		cmd, words = cmd[:at], cmd[at+1:]
	}
	for i := range words {
		line := replaceAll(cmd, "{}", &words[i])
		if !slices.ContainsFunc(cmd, func(fd field) bool { return strings.Contains(fd.text, "{}") }) {
			line = append(line, words[i])
		}
		if strings.ContainsAny(word(line, 0), " ;|&") || len(cmd) == 0 {
			f.joined(line, c.e.child(), c.in)
			continue
		}
		f.argv(line, c.e.child(), flow{open: true})
	}
	return flow{open: true, net: f.net}
}

// find: folders, then tests and actions.
func (f *floor) find(c *call) flow {
	args := c.args
	for len(args) > 0 && args[0].oneOf("-H -L -P") {
		args = args[1:]
	}
	n := 0
	for n < len(args) && (args[n].unknown || !strings.HasPrefix(args[n].text, "-") && !args[n].oneOf("( !")) {
		n++
	}
	roots, args := args[:n], args[n:]
	if n == 0 {
		roots = []field{lit(".")}
	}
	f.hit("safe-list")
	if !c.bare {
		f.unsafe()
	}
	for i := range roots {
		f.readField(&roots[i], c.e)
	}
	found := f.found(roots, args)
	for i := 0; i < len(args); i++ {
		switch fd := &args[i]; {
		case fd.is("-delete"):
			for j := range found {
				f.removeField(&found[j], c.e)
			}
		case fd.oneOf("-fprint -fprint0 -fls -fprintf"):
			file := field{unknown: true}
			if i+1 < len(args) {
				file = args[i+1]
			}
			f.writeField(&file, c.e, nil)
		case fd.is("-files0-from"):
			f.unsafe()
		case fd.oneOf("-exec -execdir -ok -okdir"):
			f.unsafe()
			from := i + 1
			for i++; i < len(args) && !args[i].oneOf("; +"); i++ {
			}
			for j := range found {
				f.argv(replaceAll(args[min(from, len(args)):min(i, len(args))], "{}", &found[j]), c.e.child(), flow{open: true})
			}
		case fd.unknown && fd.text == "" && fd.many:
			f.hit("command-unresolved") // it may be -delete
		case !strings.HasPrefix(fd.text, "-") && secretPath("/"+fd.text, "") && (anyStarts(args, "-exec") || anyStarts(args, "-ok")):
			f.sawSecret()
		}
	}
	return flow{open: true}
}

// found gives what a find acts on: the folder itself when no test narrows it,
// a part of it when one does, and both when that cannot be told.
func (f *floor) found(roots, tests []field) []field {
	narrow, turned := false, false
	for i := range tests {
		switch s := tests[i].text; {
		case in("-name -iname -path -ipath -wholename -regex -iregex", s):
			by := word(tests, i+1)
			narrow = narrow || by != "" && by != ".*" && !everything(by)
		case in("-newer -size -empty -mtime -mmin -atime -amin -ctime -cmin -user -perm -links -inum", s):
			narrow = true
		case in("! -not -o -or ,", s):
			turned = true
		}
	}
	var out []field
	for _, r := range roots {
		if r.unknown || !narrow {
			out = append(out, r)
			continue
		}
		part := r
		part.text, part.glob = path.Join(r.text, "x*.found"), true
		out = append(out, part)
		if turned {
			out = append(out, field{text: r.text, unknown: true})
		}
	}
	return out
}
