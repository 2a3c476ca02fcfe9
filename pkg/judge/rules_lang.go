package judge

import "strings"

// pip judges pip and uv pip.
func (f *floor) pip(c *call) {
	o := parseOptions(c.args, "i: index-url: extra-index-url: f: find-links: r: requirement: c: constraint: e: editable: t: target: root: prefix: trusted-host: python: no-binary: only-binary: proxy: log: cache-dir: d: dest: src: user U upgrade no-deps pre quiet q break-system-packages config-settings:")
	f.registries(o.values("i index-url extra-index-url f find-links"))
	f.does(c, o, "hit pkg-source: trusted-host")
	sub := word(o.rest, 0)
	if sub == "config" && in("set edit", word(o.rest, 1)) {
		f.hit("pkg-source")
	}
	if !in("install uninstall download wheel", sub) {
		return
	}
	f.does(c, o, "hit pkg-global: user break-system-packages; write: t target root prefix d dest src log; read: r requirement")
	for _, fd := range append(o.rest[1:], o.values("e editable r requirement")...) {
		s := strings.TrimSpace(fd.text)
		if _, at, ok := strings.Cut(s, "@"); ok {
			s = strings.TrimSpace(at)
		}
		switch {
		case strings.Contains(s, "://"), strings.HasPrefix(s, "git+"):
			f.hit("pkg-source")
		case strings.HasPrefix(s, "/"), strings.HasPrefix(s, ".."), strings.HasPrefix(s, "~"):
			f.sources([]field{{text: s}}, c.e)
		}
	}
}

// runner judges tools that manage an environment and run commands in it.
func (f *floor) runner(c *call) {
	o := parseOptions(c.args, "C: directory: project: p: python: index-url: default-index: index: extra-index-url: i: with: with-requirements: from: source: g global path: git: no-sync frozen env-file: m: module: d: working-dir:")
	f.registries(o.values("index-url default-index index extra-index-url i source"))
	f.does(c, o, "hit pkg-source: git")
	if len(o.rest) == 0 {
		return
	}
	rest := o.rest[1:]
	switch sub := o.rest[0].text; {
	case sub == "pip":
		f.pip(&call{name: "pip", args: after(c.args, "pip"), e: c.e, in: c.in})
	case in("publish upload", sub):
		f.hit("pkg-publish")
	case in("add install require sync update", sub):
		f.does(c, o, "hit pkg-global: g global")
		for i := range rest {
			if strings.Contains(rest[i].text, "://") || strings.HasPrefix(rest[i].text, "git+") {
				f.hit("pkg-source")
			}
		}
	case in("self global", sub), sub == "tool" && word(rest, 0) == "install":
		f.hit("pkg-global")
	}
	f.suffixes(c.args, c.e.child(), c.in)
}

// after gives the words behind one.
func after(args []field, word string) []field {
	for i := range args {
		if args[i].is(word) {
			return args[i+1:]
		}
	}
	return nil
}

func (f *floor) gem(c *call) {
	o := parseOptions(c.args, "s: source: i: install-dir: v: version: n: bindir: N no-document user-install p: http-proxy:")
	f.registries(o.values("s source"))
	switch sub := word(o.rest, 0); {
	case in("install uninstall update i", sub):
		f.hit("pkg-global")
	case in("push yank owner signin", sub):
		f.hit("pkg-publish")
	}
}

func (f *floor) cargo(c *call) {
	o := parseOptions(c.args, "p: package: F: features: j: jobs: target: target-dir: manifest-path: config: Z: C: git: path: registry: index: root: color: profile: bin: example: test: message-format: version: branch: tag: rev: q v all release locked offline workspace")
	// Runners and wrappers of the compiler can be set by --config.
	f.does(c, o, "probe env-hijack: config; hit pkg-source: git index; write: target-dir root")
	switch sub := word(o.rest, 0); {
	case in("install uninstall", sub):
		f.hit("pkg-global")
	case in("publish yank owner login logout", sub):
		f.hit("pkg-publish")
	}
}

const goValues = `o: p: C: exec: toolexec: run: bench: count: timeout: cpu: parallel: tags: mod: modfile: overlay: ldflags: gcflags: asmflags: gccgoflags: pkgdir: coverprofile: covermode: coverpkg: cpuprofile: memprofile:
	blockprofile: mutexprofile: trace: outputdir: fuzz: fuzztime: vettool: benchtime: skip: list: shuffle: json v race short failfast a n x work m u t f: d c i msan asan cover compiled deps test benchmem trimpath linkshared installsuffix: buildmode: compiler: vet: fullpath artifacts`

// goTool judges the go command.
func (f *floor) goTool(c *call) {
	o := parseOptions(c.args, goValues)
	f.does(c, o, "run env-hijack: exec toolexec vettool; out: o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir pkgdir")
	for _, fd := range o.values("ldflags") {
		if strings.Contains(fd.text, "extld") {
			f.hit("env-hijack")
		}
	}
	switch sub := word(o.rest, 0); {
	case sub == "install":
		f.hit("pkg-global")
	case sub == "run" && strings.Contains(word(o.rest, 1), "@"):
		f.hit("pkg-source")
	case sub == "env" && anyIs(c.args, "-w -u --w"):
		f.hit("write-outside") // the go environment file is in home
	}
}

// systemPackages judges the managers of the whole machine.
func (f *floor) systemPackages(c *call) {
	asks := map[string]string{"dpkg": "-l -s -L -S --list --version", "rpm": "-q -qa -qi -ql --version", "pacman": "-Q -Qs -Qi -Ss -Si --version"}[c.name]
	for i := range c.args {
		fd := &c.args[i]
		switch {
		case fd.unknown:
		case fd.oneOf("--version --help"), asks != "" && fd.oneOf(asks):
			return
		case strings.HasPrefix(fd.text, "-"):
			continue
		case fd.oneOf("list search show info policy depends rdepends outdated deps leaves provides repolist history config doctor help madison home uses desc"):
			return
		}
		f.hit("pkg-system")
		return
	}
	if asks != "" && len(c.args) > 0 {
		f.hit("pkg-system") // these change by their options alone
	}
}
