package judge

import (
	"path"
	"strings"
)

func (f *floor) remove(c *call) {
	o := parseOptions(c.args, "r R f i I d v P W z u x n: s: recursive force interactive: dir verbose no-preserve-root preserve-root one-file-system zero remove iterations: size: glob")
	f.does(c, o, "remove: rest")
}

// copyFiles judges cp, mv and install by what they write and, for mv, by
// what they take away.
func (f *floor) copyFiles(c *call) {
	o := parseOptions(c.args, `a b d f H i l L n P p r R s S: t: T u v x Z D c C m: o: g: archive backup force interactive link dereference no-clobber no-dereference preserve:
		recursive reflink sparse: strip-trailing-slashes symbolic-link suffix: target-directory: no-target-directory update verbose mode: owner: group: directory`)
	if o.vague {
		f.hit("target-unresolved")
	}
	sources, dests := o.rest, o.values("t target-directory")
	into := len(dests) > 0
	if c.name == "install" {
		f.does(c, o, "hit permission-mask: o owner g group; mode: m mode")
		if o.has("d directory") {
			f.does(c, o, "write: rest")
			return
		}
	}
	if last := len(sources) - 1; !into && last >= 0 {
		dests, sources = sources[last:], sources[:last]
		into = strings.HasSuffix(dests[0].text, "/") || dests[0].oneOf(". ..") || len(sources) > 1
	}
	for i := range dests {
		d := &dests[i]
		f.writeField(d, c.e, nil)
		for j := range sources {
			if !into || d.unknown || sources[j].unknown || sources[j].glob {
				continue // its name is not known; the folder was judged
			}
			at := *d
			at.text = strings.TrimSuffix(d.text, "/") + "/" + path.Base(sources[j].text)
			f.writeField(&at, c.e, nil)
		}
	}
	for i := range sources {
		s := &sources[i]
		f.readField(s, c.e)
		if strings.HasSuffix(c.name, "mv") {
			f.takenAway(s, c.e)
		} else if o.has("s symbolic-link l link") {
			f.linkTo(s, c.e)
		}
	}
}

// takenAway judges a source of mv: gone from where it was.
func (f *floor) takenAway(fd *field, e *env) {
	paths, ok := e.resolve(fd.text)
	if fd.unknown || !ok {
		f.hit("target-unresolved")
		return
	}
	for _, p := range paths {
		f.removePath(p)
	}
}

// link judges the new name, and what it will lead to.
func (f *floor) link(c *call) {
	o := parseOptions(c.args, "s f n i v b d F L P r S: t: T symbolic force no-dereference interactive verbose backup suffix: target-directory: no-target-directory relative logical physical directory")
	targets, names := o.rest, o.values("t target-directory")
	if last := len(targets) - 1; len(names) == 0 && last > 0 {
		names, targets = targets[last:], targets[:last]
	}
	for i := range names {
		f.writeField(&names[i], c.e, nil)
	}
	for i := range targets {
		t := &targets[i]
		if strings.HasPrefix(t.text, "/") || t.unknown || !o.has("s symbolic") || len(names) == 0 {
			f.linkTo(t, c.e)
			continue
		}
		for j := range names {
			// A relative target starts from the link's own folder.
			from := *t
			from.text = path.Dir(names[j].text+"x") + "/" + t.text
			if !names[j].unknown {
				f.linkTo(&from, c.e)
			}
		}
	}
}

func (f *floor) linkTo(t *field, e *env) {
	f.unsafe()
	paths, ok := e.resolve(t.text)
	if t.unknown || !ok {
		f.hit("target-unresolved")
	}
	for _, p := range paths {
		if !f.inside(p) {
			f.hit("link-outside")
		}
	}
}

// writeAll judges commands whose every operand is made or changed.
func (f *floor) writeAll(c *call) {
	spec := "a c m p v t: d: r: s: o f h n i parents verbose time: date: reference: size: no-create no-dereference"
	if strings.HasPrefix(c.name, "mk") {
		// Here -m takes a mode, which touch's -m does not.
		spec = "p v Z m: mode: parents verbose context:"
	}
	o := parseOptions(c.args, spec)
	if c.name == "mknod" && len(o.rest) > 1 {
		f.hit("write-device")
		o.rest = o.rest[:1]
	}
	f.does(c, o, "mode: m mode; write: rest")
}

func (f *floor) tee(c *call) {
	b := &body{text: c.in.text, known: c.in.known}
	rest := parseOptions(c.args, "a i p append ignore-interrupts output-error").rest
	for i := range rest {
		if fd := &rest[i]; fd.unknown || !harmlessDevice(fd.text) {
			f.writeField(fd, c.e, b)
			paths, _ := c.e.resolve(fd.text)
			for _, p := range paths {
				f.wrote(p, flow{open: true, known: c.in.known, text: c.in.text, net: c.in.net})
			}
		}
	}
}

// chmod judges the mode, and every file as something that is changed.
func (f *floor) chmod(c *call) {
	haveMode := anyStarts(c.args, "--reference")
	for i := range c.args {
		fd := &c.args[i]
		s := fd.text
		flag := strings.HasPrefix(s, "--") || strings.HasPrefix(s, "-") && len(s) > 1 && strings.Trim(s[1:], "Rvcfh") == ""
		switch {
		case flag && !fd.unknown:
		case !haveMode:
			haveMode = true
			f.mode(fd)
		default:
			f.writeField(fd, c.e, nil)
		}
	}
}

// mode judges a file mode: what opens files to everyone, or lends rights.
func (f *floor) mode(m *field) {
	if m.unknown || m.glob {
		f.hit("target-unresolved")
		return
	}
	s := m.text
	if s != "" && strings.Trim(s, "01234567") == "" {
		s = strings.TrimLeft(s, "0")
		// Writable by others, one of the bits above the nine, or no rights at all.
		if s == "" || len(s) > 3 || (s[len(s)-1]-'0')&2 != 0 {
			f.hit("permission-mask")
		}
		return
	}
	for _, clause := range strings.Split(s, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			f.hit("target-unresolved")
			return
		}
		who, what := clause[:at], clause[at:]
		if strings.ContainsAny(what, "+=") && (strings.ContainsAny(what, "st") || strings.ContainsAny(who, "oa") && strings.Contains(what, "w")) {
			f.hit("permission-mask")
		}
	}
}

func (f *floor) dd(c *call) {
	for i := range c.args {
		target := c.args[i]
		name, val, ok := strings.Cut(target.text, "=")
		target.text = val
		switch {
		case !ok && target.unknown:
			f.hit("target-unresolved")
		case name == "of":
			f.writeField(&target, c.e, nil)
		case name == "if" && strings.HasPrefix(val, "/dev/") && !harmlessDevice(val) && !in("/dev/urandom /dev/random", val):
			f.hit("disk")
		case name == "if":
			f.readField(&target, c.e)
		}
	}
}

// outputs judges tools with an output file and, for sort, a helper program.
func (f *floor) outputs(c *call) {
	o := parseOptions(c.args, "o: output: output-file: files0-from: compress-program: T: temporary-directory: k: t: S: I: L: D: f: n: b: x: W: g: O: c: m: std:")
	f.does(c, o, "write: o output output-file; run: compress-program")
	switch c.name {
	case "sort":
		f.does(c, o, "write: T temporary-directory")
	case "csplit":
		f.does(c, o, "write: f")
	}
}

// secondWritten judges commands whose second operand is written.
func (f *floor) secondWritten(c *call) {
	o := parseOptions(c.args, "a: b: C: d n: l: f: s: w: c D i u z x t: filter: additional-suffix: numeric-suffixes bytes: lines: skip-fields: skip-chars: check-chars: count repeated unique")
	f.does(c, o, "run: filter")
	if len(o.rest) > 1 {
		f.writeField(&o.rest[1], c.e, nil)
	}
}

func (f *floor) patch(c *call) {
	o := parseOptions(c.args, "p: i: d: o: R N E b f s t u l n c e F: D: r: z: B: input: directory: output: reverse forward dry-run strip: batch force")
	f.does(c, o, "write: d directory o output r")
	if len(o.rest) > 0 {
		f.writeField(&o.rest[0], c.e, nil)
	}
}
