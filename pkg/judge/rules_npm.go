package judge

import (
	"slices"
	"strings"
)

// npmValues are options of npm and its kin that take the next word.
const npmValues = `prefix: C: dir: cwd: registry: userconfig: globalconfig: script-shell: w: workspace: F: filter: c: call: p: package: tag: otp: access: cache: location:
	loglevel: omit: include: node-options: before: scope: depth: reporter: maxsockets: store-dir: virtual-store-dir: modules-dir: config: network-timeout: concurrency: workspace-concurrency:`

const (
	npmInstalls = "install i in ins inst add it install-test update up upgrade link ln"
	npmRunsOne  = "dlx exec x create init"
	npmChanges  = npmInstalls + " " + npmRunsOne + " ci clean-install uninstall remove rm un unlink dedupe rebuild rb global import audit fetch prune"
	npmAccount  = "publish unpublish deprecate owner access token login adduser logout dist-tag team org hook profile star"
)

// npm judges npm, pnpm, yarn and bun.
func (f *floor) npm(c *call) {
	o := parseOptions(c.args, npmValues)
	f.npmOptions(c, o)
	if len(o.rest) == 0 {
		return
	}
	sub, rest := o.rest[0].text, o.rest[1:]
	if o.rest[0].unknown {
		f.hit("command-unresolved")
		return
	}
	if in(npmChanges, sub) {
		if o.has("g global") || sub == "global" || anyIs(o.values("location"), "global") {
			f.hit("pkg-global")
		}
		f.does(c, o, "write: prefix C dir cwd")
	} else {
		f.does(c, o, "read: prefix C dir cwd")
	}
	switch {
	case in(npmInstalls, sub):
		f.sources(rest, c.e)
		for _, v := range o.values("w p F c") {
			// For some of these managers the letter takes no value.
			if strings.ContainsAny(v.text, ":/") {
				f.sources([]field{v}, c.e)
			}
		}
	case in(npmRunsOne, sub):
		f.sources(rest[:min(1, len(rest))], c.e)
		f.does(c, o, "run: c call")
		f.suffixes(rest, c.e.child(), c.in)
	case in("rebuild rb", sub):
		f.hit("pkg-phase")
	case in("approve-builds trust", sub), sub == "pm" && word(rest, 0) == "trust":
		f.hit("pkg-lifecycle")
	case in("run run-script rum urn", sub) && len(rest) > 0:
		if rest[0].unknown {
			f.hit("command-unresolved")
		}
		if isLifecycle(rest[0].text) {
			f.hit("pkg-phase")
		}
	case in("set", sub):
		f.npmConfig(rest)
	case in("config c", sub) && len(rest) > 0:
		if !in("get list ls", rest[0].text) {
			f.npmConfig(rest[1:])
		}
	case sub == "pkg":
		f.npmPkg(rest)
	case sub == "set-script":
		f.npmScript(word(rest, 0))
	case in(npmAccount, sub):
		f.hit("pkg-publish")
	case in("explore edit", sub):
		f.suffixes(rest, c.e.child(), c.in)
	case isLifecycle(sub):
		f.hit("pkg-phase") // yarn and bun run a script by its name
	}
}

// npmOptions judges the options that change what runs or whence it comes.
func (f *floor) npmOptions(c *call, o *options) {
	for i := range o.flags {
		op := &o.flags[i]
		switch {
		case op.name == "ignore-scripts":
			if op.has && op.val.text != "true" {
				f.hit("pkg-lifecycle")
			}
		case in("no-ignore-scripts unsafe-perm script-shell enable-pre-post-scripts dangerously-allow-all-builds node-options trust allow-build", op.name):
			f.hit("pkg-lifecycle")
		case op.name == "registry":
			f.registry(&op.val)
		}
	}
	for i := range c.args {
		// --ignore-scripts false, as two words.
		if c.args[i].is("--ignore-scripts") && word(c.args, i+1) == "false" {
			f.hit("pkg-lifecycle")
		}
		if _, url, ok := strings.Cut(c.args[i].text, ":registry="); ok {
			f.registry(&field{text: url})
		}
	}
}

// registry judges where packages come from.
func (f *floor) registry(u *field) {
	if u.unknown || !in("https://registry.npmjs.org https://registry.yarnpkg.com https://npm.jsr.io https://pypi.org/simple https://rubygems.org https://crates.io", strings.TrimSuffix(strings.ToLower(u.text), "/")) {
		f.hit("pkg-source")
	}
}

func (f *floor) registries(list []field) {
	for i := range list {
		f.registry(&list[i])
	}
}

// sources judges what is to be installed: a plain name comes from the
// project's registry; an address, an archive or another folder does not.
func (f *floor) sources(specs []field, e *env) {
	for i := range specs {
		fd := &specs[i]
		if fd.unknown && fd.text == "" {
			f.hit("target-unresolved")
			continue
		}
		s := fd.text
		if name, after, ok := strings.Cut(strings.TrimPrefix(s, "@"), "@"); ok && !strings.Contains(name, ":") {
			s = after // name@spec
		} else if strings.HasPrefix(s, "@") {
			continue // @scope/name
		}
		kind, after, prefixed := strings.Cut(s, ":")
		switch {
		case prefixed && in("file link", kind), strings.HasPrefix(s, "."), strings.HasPrefix(s, "/"), strings.HasPrefix(s, "~/"):
			if prefixed && in("file link", kind) {
				s = after
			}
			if paths, ok := e.resolve(s); !ok || slices.ContainsFunc(paths, func(p string) bool { return !f.inside(p) }) {
				f.hit("pkg-source")
			}
		case prefixed && kind != "npm" && kind != "workspace" && kind != "catalog", strings.HasPrefix(s, "git+"), strings.HasPrefix(s, "git@"):
			f.hit("pkg-source")
			if strings.Contains(s, "://") {
				f.url(strings.TrimPrefix(s, "git+"), false)
			}
		case strings.Count(s, "/") == 1:
			f.hit("pkg-source") // user/repository: npm reads it as GitHub
		}
	}
}

func (f *floor) npmConfig(rest []field) {
	for i := range rest {
		key, val, joined := strings.Cut(rest[i].text, "=")
		if !joined {
			val = word(rest, i+1)
		}
		switch key = strings.ToLower(key); {
		case key == "ignore-scripts" && val != "true",
			in("script-shell unsafe-perm enablescripts node-options shell enable-pre-post-scripts dangerously-allow-all-builds onload-script git editor init-module yarnpath plugins", key):
			f.hit("pkg-lifecycle")
		case strings.HasSuffix(key, "registry"), key == "npmregistryserver":
			f.registry(&field{text: val})
		case key == "prefix", strings.Contains(key, "_auth"):
			f.hit("pkg-global")
		}
	}
}

// npmPkg judges npm pkg set scripts.x=y.
func (f *floor) npmPkg(rest []field) {
	if !in("set delete", word(rest, 0)) {
		return
	}
	for i := range rest {
		key, _, _ := strings.Cut(rest[i].text, "=")
		if name, ok := strings.CutPrefix(strings.NewReplacer("[", ".", "]", "").Replace(key), "scripts."); ok || rest[i].unknown {
			f.npmScript(name)
		}
	}
}

func (f *floor) npmScript(name string) {
	f.hit("write-scripts")
	if isLifecycle(name) {
		f.hit("write-lifecycle")
	}
}

// localTools are linters and test runners that npx finds in the project.
const localTools = "tsc vue-tsc svelte-check eslint prettier vitest jest mocha ava biome oxlint stylelint knip tap c8 nyc playwright"

// npx runs a package, of the project or straight from the registry.
func (f *floor) npx(c *call) flow {
	o := parseOptions(c.args, "p: package: c: call: y yes n no no-install q quiet python: from: with: spec: isolated bun +")
	f.npmOptions(c, o)
	f.does(c, o, "run: c call")
	other := o.values("p package from with spec")
	f.sources(other, c.e)
	rest := o.rest
	if c.name == "pipx" && len(rest) > 0 {
		if in("install inject upgrade uninstall", rest[0].text) {
			f.hit("pkg-global")
		}
		rest = rest[1:]
	}
	tool := word(rest, 0)
	if o.odd || len(other) > 0 || !in(localTools, tool) {
		f.unsafe()
	}
	if strings.ContainsAny(tool, "/:") && !strings.HasPrefix(tool, "@") {
		f.sources(rest[:1], c.e)
	}
	return f.argv(rest, c.e.child(), c.in)
}
