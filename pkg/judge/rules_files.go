package judge

import (
	"path"
	"strings"
)

func (f *floor) remove(c *call) {
	o := parseOptions(c.args, "r R f i I d v P W z u x n: s: recursive force interactive: dir verbose no-preserve-root preserve-root one-file-system zero remove iterations: size: glob")
	for _, fd := range o.rest {
		f.removeField(fd, c.e)
	}
}

// copyFiles judges cp, mv and install by what they write and, for mv, by
// what they take away.
func (f *floor) copyFiles(c *call) {
	o := parseOptions(c.args, `a b d f H i l L n P p r R s S: t: T u v x Z D c C m: o: g: archive backup force interactive link dereference no-clobber no-dereference preserve:
		recursive reflink sparse: strip-trailing-slashes symbolic-link suffix: target-directory: no-target-directory update verbose mode: owner: group: directory`)
	if o.vague {
		f.hit("target-unresolved")
	}
	if c.name == "install" {
		if len(o.values("o", "owner", "g", "group")) > 0 {
			f.hit("permission-mask")
		}
		for _, m := range o.values("m", "mode") {
			f.mode(m)
		}
	}
	sources, dests := o.rest, o.values("t", "target-directory")
	into := len(dests) > 0
	if !into && len(sources) > 0 {
		last := sources[len(sources)-1]
		if o.has("d", "directory") && c.name == "install" {
			dests, sources = sources, nil
		} else {
			dests, sources = []field{last}, sources[:len(sources)-1]
		}
		into = strings.HasSuffix(last.text, "/") || last.is(".") || last.is("..") || len(sources) > 1
	}
	for _, d := range dests {
		f.writeField(d, c.e, nil)
		if !into || d.unknown {
			continue
		}
		for _, s := range sources {
			if s.unknown || s.glob {
				continue // its name is not known; the folder was judged
			}
			at := d
			at.text = strings.TrimSuffix(d.text, "/") + "/" + path.Base(s.text)
			f.writeField(at, c.e, nil)
		}
	}
	symbolic := o.has("s", "symbolic-link", "l", "link") && c.name == "cp"
	for _, s := range sources {
		f.readField(s, c.e)
		if c.name == "mv" || c.name == "gmv" {
			f.takenAway(s, c.e)
		}
		if symbolic {
			f.linkTo(s, c.e)
		}
	}
}

// takenAway judges a source of mv: gone from where it was.
func (f *floor) takenAway(fd field, e *env) {
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
	targets, names := o.rest, o.values("t", "target-directory")
	if len(names) == 0 && len(targets) > 1 {
		names, targets = targets[len(targets)-1:], targets[:len(targets)-1]
	}
	for _, n := range names {
		f.writeField(n, c.e, nil)
	}
	for _, t := range targets {
		if strings.HasPrefix(t.text, "/") || t.unknown || !o.has("s", "symbolic") || len(names) == 0 {
			f.linkTo(t, c.e)
			continue
		}
		for _, n := range names {
			// A relative target starts from the link's own folder.
			from := t
			from.text = path.Dir(n.text+"x") + "/" + t.text
			if !n.unknown {
				f.linkTo(from, c.e)
			}
		}
	}
}

func (f *floor) linkTo(t field, e *env) {
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
	o := parseOptions(c.args, "a c m p v t: d: r: s: o f h n i mode: parents verbose time: date: reference: size: no-create no-dereference context:")
	if c.name == "mkdir" || c.name == "mkfifo" || c.name == "mknod" {
		// Here -m takes a mode, which touch's -m does not.
		o = parseOptions(c.args, "p v Z m: mode: parents verbose context:")
		for _, m := range o.values("m", "mode") {
			f.mode(m)
		}
	}
	rest := o.rest
	if c.name == "mknod" && len(rest) > 1 {
		f.hit("write-device")
		rest = rest[:1]
	}
	for _, fd := range rest {
		f.writeField(fd, c.e, nil)
	}
}

func (f *floor) tee(c *call) {
	b := &body{text: c.in.text, known: c.in.known}
	for _, fd := range parseOptions(c.args, "a i p append ignore-interrupts output-error").rest {
		if !fd.unknown && harmlessDevice(fd.text) {
			continue
		}
		f.writeField(fd, c.e, b)
	}
}

// chmod judges the mode, and every file as something that is changed.
func (f *floor) chmod(c *call) {
	o := parseOptions(c.args, "R v c f h recursive verbose changes silent quiet reference: preserve-root no-preserve-root")
	var files []field
	haveMode := len(o.values("reference")) > 0
	for _, fd := range c.args {
		s := fd.text
		isFlag := strings.HasPrefix(s, "--") || strings.HasPrefix(s, "-") && len(s) > 1 && strings.Trim(s[1:], "Rvcfh") == ""
		switch {
		case isFlag && !fd.unknown:
		case !haveMode:
			haveMode = true
			f.mode(fd)
		default:
			files = append(files, fd)
		}
	}
	for _, fd := range files {
		f.writeField(fd, c.e, &body{})
	}
}

// mode judges a file mode: what opens files to everyone, or lends rights.
func (f *floor) mode(m field) {
	if m.unknown || m.glob {
		f.hit("target-unresolved")
		return
	}
	s := m.text
	if s != "" && strings.Trim(s, "01234567") == "" {
		s = strings.TrimLeft(s, "0")
		last := byte('0')
		if s != "" {
			last = s[len(s)-1]
		}
		if (last-'0')&2 != 0 || len(s) > 3 || s == "" {
			f.hit("permission-mask")
		}
		return
	}
	for clause := range strings.SplitSeq(s, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			f.hit("target-unresolved")
			return
		}
		who, what := clause[:at], clause[at:]
		grants := strings.ContainsAny(what, "+=")
		if grants && strings.ContainsAny(what, "st") || grants && strings.ContainsAny(who, "oa") && strings.Contains(what, "w") {
			f.hit("permission-mask")
		}
	}
}

func (f *floor) dd(c *call) {
	for _, fd := range c.args {
		name, val, ok := strings.Cut(fd.text, "=")
		target := fd
		target.text = val
		switch {
		case !ok && fd.unknown:
			f.hit("target-unresolved")
		case name == "of":
			f.writeField(target, c.e, nil)
		case name == "if" && strings.HasPrefix(val, "/dev/") && !harmlessDevice(val) && val != "/dev/urandom" && val != "/dev/random":
			f.hit("disk")
		case name == "if":
			f.readField(target, c.e)
		}
	}
}

// outputFlag judges -o FILE and --output FILE.
func (f *floor) outputFlag(c *call) {
	o := parseOptions(c.args, "o: output: output-file: files0-from: compress-program: T: temporary-directory: k: t: S: I: L: D: f: n: b: x: W: g: O: c: m: std:")
	for _, fd := range o.values("o", "output", "output-file", "f") {
		if c.name == "csplit" || !strings.HasPrefix(fd.text, "-") {
			if c.name == "csplit" || len(o.values("o", "output", "output-file")) > 0 {
				f.writeField(fd, c.e, nil)
			}
		}
	}
	for _, fd := range o.values("compress-program") {
		f.scriptField(fd, c.e.child(), flow{open: true})
	}
	for _, fd := range o.values("T", "temporary-directory") {
		if c.name == "sort" {
			f.writeField(fd, c.e, nil)
		}
	}
}

// lastOperand judges commands whose second operand is written.
func (f *floor) lastOperand(c *call) {
	o := parseOptions(c.args, "a: b: C: d n: l: f: s: w: c D i u z x t: filter: additional-suffix: numeric-suffixes bytes: lines: skip-fields: skip-chars: check-chars: count repeated unique")
	for _, fd := range o.values("filter") {
		f.scriptField(fd, c.e.child(), flow{open: true})
	}
	if len(o.rest) > 1 {
		f.writeField(o.rest[1], c.e, nil)
	}
}

func (f *floor) tar(c *call) {
	args := c.args
	if len(args) > 0 && !args[0].unknown && args[0].text != "" && args[0].text[0] != '-' {
		// The old style, without a dash.
		first := args[0]
		first.text = "-" + first.text
		args = append([]field{first}, args[1:]...)
	}
	o := parseOptions(args, `c x t r u A d f: C: z j J Z v k p P h O w m T: X: b: H: I: F: L: g: N: K: V: file: directory: exclude: exclude-from: files-from: strip-components:
		transform: to-command: checkpoint checkpoint-action: use-compress-program: rsh-command: rmt-command: info-script: new-volume-script: absolute-names
		remove-files overwrite extract create list get append update gzip bzip2 xz zstd verbose same-owner one-top-level: owner: group: mode:`)
	for _, fd := range o.values("to-command", "checkpoint-action", "use-compress-program", "I", "rsh-command", "rmt-command", "info-script", "F", "new-volume-script") {
		s := strings.TrimPrefix(fd.text, "exec=")
		switch path.Base(s) {
		case "gzip", "pigz", "bzip2", "xz", "zstd", "lz4", "dot", "echo":
			continue
		}
		f.hit("inline-code")
		f.probe(s, c.e.child())
	}
	if o.has("P", "absolute-names") && o.has("x", "extract", "get") {
		f.hit("target-unresolved")
	}
	creates := o.has("c", "create", "r", "u", "append", "update", "A")
	for _, fd := range o.values("f", "file") {
		if creates && !fd.is("-") {
			f.writeField(fd, c.e, nil)
		}
	}
	for _, fd := range o.values("C", "directory") {
		if o.has("x", "extract", "get") {
			f.writeField(fd, c.e, nil)
		}
	}
	if o.has("x", "extract", "get") && len(o.values("C", "directory")) == 0 && !o.has("O") {
		f.writeField(field{text: "."}, c.e, nil)
	}
	for _, fd := range o.rest {
		f.packs(fd, c.e)
		if o.has("remove-files") {
			f.removeField(fd, c.e)
		}
	}
	for _, dir := range o.values("C", "directory") {
		f.packs(dir, c.e)
	}
}

// packs notices a folder, taken whole, that credentials are in.
func (f *floor) packs(fd field, e *env) {
	paths, _ := e.resolve(fd.text)
	for _, p := range paths {
		if !fd.unknown && holdsSecrets(globBase(p), f.place.Home) {
			f.sawSecret()
		}
	}
}

func (f *floor) unpack(c *call) {
	o := parseOptions(c.args, "o q n u j d: l t v p x: P: y o:")
	dests := o.values("d")
	for _, fd := range c.args {
		if after, ok := strings.CutPrefix(fd.text, "-o"); ok && c.name != "unzip" && after != "" {
			fd.text = after
			dests = append(dests, fd)
		}
	}
	if len(dests) == 0 && !o.has("l", "t", "p", "v") {
		dests = []field{lit(".")}
	}
	for _, fd := range dests {
		f.writeField(fd, c.e, nil)
	}
}

func (f *floor) archive(c *call) {
	o := parseOptions(c.args, "r q u d m j 9 0 1 e y x: i: P: b: TT: T unzip-command:")
	for _, fd := range o.values("TT", "unzip-command") {
		f.hit("inline-code")
		f.probe(fd.text, c.e.child())
	}
	for i, fd := range o.rest {
		if i == 0 {
			f.writeField(fd, c.e, nil)
			continue
		}
		f.packs(fd, c.e)
		if o.has("m") {
			f.removeField(fd, c.e)
		}
	}
}

func (f *floor) patch(c *call) {
	o := parseOptions(c.args, "p: i: d: o: R N E b f s t u l n c e F: D: r: z: B: input: directory: output: reverse forward dry-run strip: batch force")
	for _, fd := range o.values("d", "directory", "o", "output", "r") {
		f.writeField(fd, c.e, nil)
	}
	for i, fd := range o.rest {
		if i == 0 {
			f.writeField(fd, c.e, nil)
		}
	}
}
