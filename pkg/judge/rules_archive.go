package judge

import (
	"path"
	"strings"
)

func (f *floor) tar(c *call) {
	args := c.args
	if first := word(args, 0); first != "" && first[0] != '-' && !args[0].unknown {
		// The old style, without a dash.
		dashed := args[0]
		dashed.text = "-" + first
		args = append([]field{dashed}, args[1:]...)
	}
	o := parseOptions(args, `c x t r u A d f: C: z j J Z v k p P h O w m T: X: b: H: I: F: L: g: N: K: V: file: directory: exclude: exclude-from: files-from: strip-components:
		transform: to-command: checkpoint checkpoint-action: use-compress-program: rsh-command: rmt-command: info-script: new-volume-script: absolute-names
		remove-files overwrite extract create list get append update gzip bzip2 xz zstd verbose same-owner one-top-level: owner: group: mode:`)
	for _, fd := range o.values("to-command checkpoint-action use-compress-program I rsh-command rmt-command info-script F new-volume-script") {
		s := strings.TrimPrefix(fd.text, "exec=")
		if !in("gzip pigz bzip2 xz zstd lz4 dot echo", path.Base(s)) {
			f.hit("inline-code")
			f.probe(s, c.e.child())
		}
	}
	if o.has("x extract get") {
		f.does(c, o, "write: C directory; hit target-unresolved: P absolute-names")
		if !o.has("C directory O") {
			f.writeField(&field{text: "."}, c.e, nil)
		}
	} else if o.has("c create r u append update A") {
		f.does(c, o, "out: f file")
	}
	f.does(c, o, "pack: rest; pack: C directory")
	if o.has("remove-files") {
		f.does(c, o, "remove: rest")
	}
}

// packs notices a folder, taken whole, that credentials are in.
func (f *floor) packs(fd *field, e *env) {
	paths, _ := e.resolve(fd.text)
	for _, p := range paths {
		if !fd.unknown && holdsSecrets(globBase(p), f.place.Home) {
			f.sawSecret()
		}
	}
}

func (f *floor) unpack(c *call) {
	o := parseOptions(c.args, "o q n u j d: l t v p x: P: y o:")
	f.does(c, o, "write: d")
	if c.name != "unzip" {
		for _, fd := range c.args {
			if after, ok := strings.CutPrefix(fd.text, "-o"); ok {
				fd.text = after
				f.writeField(&fd, c.e, nil)
			}
		}
	}
	if !o.has("d l t p v") {
		f.writeField(&field{text: "."}, c.e, nil)
	}
}

func (f *floor) archive(c *call) {
	o := parseOptions(c.args, "r q u d m j 9 0 1 e y x: i: P: b: TT: T unzip-command:")
	f.does(c, o, "probe inline-code: TT unzip-command")
	if len(o.rest) > 0 {
		f.writeField(&o.rest[0], c.e, nil)
		o.rest = o.rest[1:]
	}
	f.does(c, o, "pack: rest")
	if o.has("m") {
		f.does(c, o, "remove: rest")
	}
}
