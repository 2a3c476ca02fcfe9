package judge

import (
	"slices"
	"strings"
)

// npmValues are options of npm and its kin that take the next word.
const npmValues = `prefix: C: dir: cwd: registry: userconfig: globalconfig: script-shell: w: workspace: F: filter: c: call: p: package: tag: otp: access: cache: location:
	loglevel: omit: include: node-options: before: scope: depth: reporter: maxsockets: store-dir: virtual-store-dir: modules-dir: config: network-timeout: concurrency: workspace-concurrency:`

var npmChanges = words(`install i in ins inst add ci clean-install it install-test update up upgrade uninstall remove rm un unlink link ln dedupe rebuild rb dlx exec x create init global import audit fetch prune`)

// npm judges npm, pnpm, yarn and bun.
func (f *floor) npm(c *call) {
	o := parseOptions(c.args, npmValues)
	f.npmOptions(c, o)
	if len(o.rest) == 0 {
		if c.name == "yarn" {
			f.unsafe()
		}
		return
	}
	sub, rest := o.rest[0].text, o.rest[1:]
	if o.rest[0].unknown {
		f.hit("command-unresolved")
		return
	}
	changes := named(sub, npmChanges)
	if changes && (o.has("g", "global") || sub == "global" || slices.ContainsFunc(o.values("location"), func(v field) bool { return v.is("global") })) {
		f.hit("pkg-global")
	}
	for _, dir := range o.values("prefix", "C", "dir", "cwd") {
		f.packageFolder(dir, c.e, changes)
	}
	switch sub {
	case "install", "i", "in", "ins", "inst", "add", "it", "install-test", "update", "up", "upgrade", "link", "ln":
		f.sources(rest, c.e)
		for _, v := range o.values("w", "p", "F", "c") {
			// For some of these managers the letter takes no value.
			if strings.ContainsAny(v.text, ":/") {
				f.sources([]field{v}, c.e)
			}
		}
	case "dlx", "exec", "x", "create", "init":
		f.sources(rest[:min(1, len(rest))], c.e)
		for _, s := range o.values("c", "call") {
			f.scriptField(s, c.e.child(), c.in)
		}
		f.suffixes(rest, c.e.child(), c.in)
	case "rebuild", "rb":
		f.hit("pkg-phase")
	case "approve-builds", "trust":
		f.hit("pkg-lifecycle")
	case "pm":
		if len(rest) > 0 && rest[0].is("trust") {
			f.hit("pkg-lifecycle")
		}
	case "run", "run-script", "rum", "urn":
		if len(rest) > 0 && isLifecycle(rest[0].text) {
			f.hit("pkg-phase")
		}
		if len(rest) > 0 && rest[0].unknown {
			f.hit("command-unresolved")
		}
	case "config", "c", "set", "get":
		f.npmConfig(sub, rest)
	case "pkg":
		f.npmPkg(rest)
	case "set-script":
		f.npmScript(rest)
	case "publish", "unpublish", "deprecate", "owner", "access", "token", "login", "adduser", "logout", "dist-tag", "team", "org", "hook", "profile", "star":
		f.hit("pkg-publish")
	case "explore", "edit":
		f.suffixes(rest, c.e.child(), c.in)
	default:
		if isLifecycle(sub) {
			f.hit("pkg-phase") // yarn and bun run a script by its name
		}
	}
}

// npmOptions judges the options that change what runs or whence it comes.
func (f *floor) npmOptions(c *call, o options) {
	for _, op := range o.flags {
		v := op.val.text
		switch op.name {
		case "ignore-scripts":
			if op.has && v != "true" {
				f.hit("pkg-lifecycle")
			}
		case "no-ignore-scripts", "unsafe-perm", "script-shell", "enable-pre-post-scripts", "dangerously-allow-all-builds", "node-options", "trust", "allow-build":
			f.hit("pkg-lifecycle")
		case "registry":
			if !publicRegistry(v) || op.val.unknown {
				f.hit("pkg-source")
			}
		case "userconfig", "globalconfig", "cache", "store-dir":
			f.unsafe()
		}
	}
	for i, fd := range c.args {
		// --ignore-scripts false, as two words.
		if fd.is("--ignore-scripts") && i+1 < len(c.args) && c.args[i+1].is("false") {
			f.hit("pkg-lifecycle")
		}
		if strings.Contains(fd.text, ":registry=") && !publicRegistry(fd.text[strings.Index(fd.text, "=")+1:]) {
			f.hit("pkg-source")
		}
	}
}

func publicRegistry(u string) bool {
	u = strings.TrimSuffix(strings.ToLower(u), "/")
	switch u {
	case "https://registry.npmjs.org", "https://registry.yarnpkg.com", "https://pypi.org/simple", "https://rubygems.org", "https://crates.io", "https://npm.jsr.io":
		return true
	}
	return false
}

// packageFolder judges the folder that a package manager is sent to.
func (f *floor) packageFolder(dir field, e *env, changes bool) {
	if changes {
		f.writeField(dir, e, nil)
		return
	}
	f.readField(dir, e)
}

// sources judges what is to be installed: a plain name comes from the
// project's registry; an address, an archive or another folder does not.
func (f *floor) sources(specs []field, e *env) {
	for _, fd := range specs {
		s := fd.text
		if fd.unknown && s == "" {
			f.hit("target-unresolved")
			continue
		}
		if name, after, ok := strings.Cut(strings.TrimPrefix(s, "@"), "@"); ok && !strings.ContainsAny(name, ":") {
			s = after // name@spec
		} else if strings.HasPrefix(s, "@") {
			continue // @scope/name
		}
		switch {
		case strings.Contains(s, "://"), strings.HasPrefix(s, "git+"), strings.HasPrefix(s, "git@"), strings.HasPrefix(s, "github:"), strings.HasPrefix(s, "gitlab:"),
			strings.HasPrefix(s, "bitbucket:"), strings.HasPrefix(s, "gist:"), strings.HasPrefix(s, "http:"), strings.HasPrefix(s, "https:"):
			f.hit("pkg-source")
			if strings.Contains(s, "://") {
				f.url(strings.TrimPrefix(s, "git+"), false)
			}
		case strings.HasPrefix(s, "file:"), strings.HasPrefix(s, "link:"), strings.HasPrefix(s, "."), strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~/"):
			local := fd
			local.text = strings.TrimPrefix(strings.TrimPrefix(s, "file:"), "link:")
			if paths, ok := e.resolve(local.text); !ok || slices.ContainsFunc(paths, func(p string) bool { return !f.inside(p) }) {
				f.hit("pkg-source")
			}
		case strings.Count(s, "/") == 1 && !strings.HasPrefix(fd.text, "@"):
			f.hit("pkg-source") // user/repository: npm reads it as GitHub
		}
	}
}

func (f *floor) npmConfig(sub string, rest []field) {
	verb := ""
	if sub != "set" && sub != "get" && len(rest) > 0 {
		verb, rest = rest[0].text, rest[1:]
	}
	if sub == "get" || verb == "get" || verb == "list" || verb == "ls" || verb == "" && sub != "set" {
		f.unsafe()
		return
	}
	for i, fd := range rest {
		key, val, joined := strings.Cut(fd.text, "=")
		if !joined && i+1 < len(rest) {
			val = rest[i+1].text
		}
		switch key = strings.ToLower(key); {
		case key == "ignore-scripts" && val != "true", key == "script-shell", key == "unsafe-perm", key == "enablescripts", key == "node-options", key == "shell",
			key == "enable-pre-post-scripts", key == "dangerously-allow-all-builds", key == "onload-script", key == "git", key == "editor", key == "init-module", key == "yarnpath", key == "plugins":
			f.hit("pkg-lifecycle")
		case strings.HasSuffix(key, "registry") || key == "npmregistryserver":
			if !publicRegistry(val) {
				f.hit("pkg-source")
			}
		case key == "prefix" || strings.Contains(key, "_auth"):
			f.hit("pkg-global")
		}
	}
}

// npmPkg judges npm pkg set scripts.x=y.
func (f *floor) npmPkg(rest []field) {
	if len(rest) == 0 || !rest[0].is("set") && !rest[0].is("delete") {
		return
	}
	for _, fd := range rest[1:] {
		key, _, _ := strings.Cut(fd.text, "=")
		if name, ok := strings.CutPrefix(strings.NewReplacer("[", ".", "]", "").Replace(key), "scripts."); ok || fd.unknown {
			f.npmScript([]field{{text: name, unknown: fd.unknown && name == ""}})
		}
	}
}

func (f *floor) npmScript(rest []field) {
	if len(rest) == 0 {
		return
	}
	f.hit("write-scripts")
	if isLifecycle(rest[0].text) {
		f.hit("write-lifecycle")
	}
}

// localTools are linters and test runners that npx finds in the project.
var localTools = words(`tsc vue-tsc svelte-check eslint prettier vitest jest mocha ava biome oxlint stylelint knip tap c8 nyc playwright`)

// npx runs a package, of the project or straight from the registry.
func (f *floor) npx(c *call) flow {
	o := parseOptions(c.args, "p: package: c: call: y yes n no no-install q quiet python: from: with: spec: isolated bun +")
	f.npmOptions(c, o)
	for _, s := range o.values("c", "call") {
		f.scriptField(s, c.e.child(), c.in)
	}
	f.sources(o.values("p", "package", "from", "with", "spec"), c.e)
	rest := o.rest
	if c.name == "pipx" && len(rest) > 0 {
		switch rest[0].text {
		case "install", "inject", "upgrade", "uninstall":
			f.hit("pkg-global")
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		f.unsafe()
		return flow{open: true}
	}
	if o.odd || len(o.values("p", "package", "from", "with", "spec")) > 0 {
		f.unsafe()
	}
	if strings.ContainsAny(rest[0].text, "/:") && !strings.HasPrefix(rest[0].text, "@") {
		f.sources(rest[:1], c.e)
	}
	if !named(rest[0].text, localTools) {
		f.unsafe()
	}
	return f.argv(rest, c.e.child(), c.in)
}

// pip judges pip and uv pip.
func (f *floor) pip(c *call) {
	o := parseOptions(c.args, "i: index-url: extra-index-url: f: find-links: r: requirement: c: constraint: e: editable: t: target: root: prefix: trusted-host: python: no-binary: only-binary: proxy: log: cache-dir: d: dest: src: user U upgrade no-deps pre quiet q break-system-packages config-settings:")
	for _, u := range append(o.values("i", "index-url", "extra-index-url"), o.values("f", "find-links")...) {
		if !publicRegistry(u.text) || u.unknown {
			f.hit("pkg-source")
		}
	}
	if len(o.values("trusted-host")) > 0 {
		f.hit("pkg-source")
	}
	if len(o.rest) == 0 {
		return
	}
	sub := o.rest[0].text
	if sub != "install" && sub != "uninstall" && sub != "download" && sub != "wheel" && sub != "config" {
		return
	}
	if sub == "config" {
		if len(o.rest) > 1 && (o.rest[1].is("set") || o.rest[1].is("edit")) {
			f.hit("pkg-source")
		}
		return
	}
	if o.has("user", "break-system-packages") {
		f.hit("pkg-global")
	}
	for _, fd := range o.values("t", "target", "root", "prefix", "d", "dest", "src", "log") {
		f.writeField(fd, c.e, nil)
	}
	for _, fd := range o.values("r", "requirement") {
		if strings.Contains(fd.text, "://") {
			f.hit("pkg-source")
		}
		f.readField(fd, c.e)
	}
	for _, fd := range append(o.rest[1:], o.values("e", "editable")...) {
		s := strings.TrimSpace(fd.text)
		if _, at, ok := strings.Cut(s, "@"); ok {
			s = strings.TrimSpace(at)
		}
		if strings.Contains(s, "://") || strings.HasPrefix(s, "git+") {
			f.hit("pkg-source")
			continue
		}
		if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "..") || strings.HasPrefix(s, "~") {
			f.sources([]field{{text: s}}, c.e)
		}
	}
}

// runner judges tools that manage an environment and run commands in it.
func (f *floor) runner(c *call) {
	o := parseOptions(c.args, "C: directory: project: p: python: index-url: default-index: index: extra-index-url: i: with: with-requirements: from: source: g global path: git: no-sync frozen env-file: m: module: d: working-dir:")
	for _, u := range o.values("index-url", "default-index", "index", "extra-index-url", "i", "source") {
		if !publicRegistry(u.text) {
			f.hit("pkg-source")
		}
	}
	if len(o.values("git")) > 0 {
		f.hit("pkg-source")
	}
	if len(o.rest) == 0 {
		return
	}
	sub, rest := o.rest[0].text, o.rest[1:]
	switch sub {
	case "pip":
		f.pip(&call{name: "pip", args: after(c.args, "pip"), e: c.e, in: c.in})
	case "publish", "upload":
		f.hit("pkg-publish")
	case "add", "install", "require", "sync", "update", "global":
		if o.has("g", "global") || sub == "global" {
			f.hit("pkg-global")
		}
		for _, fd := range rest {
			if strings.Contains(fd.text, "://") || strings.HasPrefix(fd.text, "git+") {
				f.hit("pkg-source")
			}
		}
	case "tool":
		if len(rest) > 0 && rest[0].is("install") {
			f.hit("pkg-global")
		}
	case "self":
		f.hit("pkg-global")
	}
	f.suffixes(c.args, c.e.child(), c.in)
}

// after gives the words behind one.
func after(args []field, word string) []field {
	for i, fd := range args {
		if fd.is(word) {
			return args[i+1:]
		}
	}
	return nil
}

func (f *floor) gem(c *call) {
	o := parseOptions(c.args, "s: source: i: install-dir: v: version: n: bindir: N no-document user-install p: http-proxy:")
	for _, u := range o.values("s", "source") {
		if !publicRegistry(u.text) {
			f.hit("pkg-source")
		}
	}
	if len(o.rest) == 0 {
		return
	}
	switch o.rest[0].text {
	case "install", "uninstall", "update", "i":
		f.hit("pkg-global")
	case "push", "yank", "owner", "signin":
		f.hit("pkg-publish")
	}
}

func (f *floor) cargo(c *call) {
	o := parseOptions(c.args, "p: package: F: features: j: jobs: target: target-dir: manifest-path: config: Z: C: git: path: registry: index: root: color: profile: bin: example: test: message-format: version: branch: tag: rev: q v all release locked offline workspace")
	for _, v := range o.values("config") {
		f.hit("env-hijack") // runners and wrappers can be set there
		f.probe(v.text, c.e.child())
	}
	if len(o.values("git", "index")) > 0 {
		f.hit("pkg-source")
	}
	for _, v := range o.values("target-dir", "root") {
		f.writeField(v, c.e, nil)
	}
	if len(o.rest) == 0 {
		return
	}
	switch o.rest[0].text {
	case "install", "uninstall":
		f.hit("pkg-global")
	case "publish", "yank", "owner", "login", "logout":
		f.hit("pkg-publish")
	}
}

const goValues = `o: p: C: exec: toolexec: run: bench: count: timeout: cpu: parallel: tags: mod: modfile: overlay: ldflags: gcflags: asmflags: gccgoflags: pkgdir: coverprofile: covermode: coverpkg: cpuprofile: memprofile:
	blockprofile: mutexprofile: trace: outputdir: fuzz: fuzztime: vettool: benchtime: skip: list: shuffle: json v race short failfast a n x work m u t f: d c i msan asan cover compiled deps test benchmem trimpath linkshared installsuffix: buildmode: compiler: vet: fullpath artifacts`

// goTool judges the go command.
func (f *floor) goTool(c *call) {
	o := parseOptions(c.args, goValues)
	for _, fd := range o.values("exec", "toolexec", "vettool") {
		f.hit("env-hijack")
		f.scriptField(fd, c.e.child(), c.in)
	}
	for _, fd := range o.values("o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir", "pkgdir") {
		f.writeOut(fd, c)
	}
	for _, fd := range o.values("ldflags", "gcflags", "overlay", "modfile") {
		f.unsafe()
		if strings.Contains(fd.text, "extld") {
			f.hit("env-hijack")
		}
	}
	if len(o.rest) == 0 {
		return
	}
	sub, rest := o.rest[0].text, o.rest[1:]
	switch {
	case sub == "install":
		f.hit("pkg-global")
	case sub == "run":
		f.sources(nil, c.e)
		for _, fd := range rest[:min(1, len(rest))] {
			if strings.Contains(fd.text, "@") {
				f.hit("pkg-source")
			}
		}
	case sub == "env":
		for _, fd := range c.args {
			if fd.is("-w") || fd.is("-u") || fd.is("--w") {
				f.hit("write-outside") // the go environment file is in home
			}
		}
	case sub == "clean":
		for _, fd := range c.args {
			if fd.is("-modcache") || fd.is("-cache") || fd.is("-testcache") || fd.is("-fuzzcache") {
				f.unsafe()
			}
		}
	}
}

// writeOut judges an output file that may well be /dev/null.
func (f *floor) writeOut(fd field, c *call) {
	if fd.unknown || !harmlessDevice(fd.text) {
		f.writeField(fd, c.e, nil)
	}
}

// systemPackages judges the managers of the whole machine.
func (f *floor) systemPackages(c *call) {
	for _, fd := range c.args {
		s := strings.ToLower(fd.text)
		if fd.unknown {
			break
		}
		switch {
		case c.name == "dpkg" || c.name == "rpm" || c.name == "pacman":
			for _, ask := range map[string][]string{"dpkg": {"-l", "-s", "-L", "-S", "--list", "--version"}, "rpm": {"-q", "--version"}, "pacman": {"-Q", "-Ss", "-Si", "--version"}}[c.name] {
				if strings.HasPrefix(fd.text, ask) {
					return
				}
			}
		case strings.HasPrefix(s, "-"):
			if s == "--version" || s == "-v" || s == "--help" {
				return
			}
			continue
		}
		switch s {
		case "list", "search", "show", "info", "policy", "depends", "rdepends", "outdated", "deps", "leaves", "provides", "repolist", "history", "config", "doctor", "help", "madison", "home", "uses", "desc":
			return
		}
		break
	}
	if len(c.args) > 0 {
		f.hit("pkg-system")
	}
}
