package judge

import (
	"slices"
	"strings"
)

// safeGit allows the questions one may ask git, without the options by which
// they write or run something.
func (f *floor) safeGit(c *call) string {
	g := parseGit(c)
	if !g.quiet || len(g.global.values("c", "config-env", "exec-path", "git-dir", "work-tree")) > 0 {
		return ""
	}
	for _, d := range g.dirs {
		if !f.reads1(d, c) {
			return ""
		}
	}
	for i, fd := range g.args {
		s := fd.text
		name, _, _ := strings.Cut(s, "=")
		for _, bad := range []string{"--output", "--output-directory", "--ext-diff", "--textconv", "--filters", "--exec", "--upload-pack", "--open-files-in-pager", "--contents", "--no-index", "--template", "-O"} {
			// git takes options that are shortened.
			if strings.HasPrefix(s, bad) || len(name) > 2 && strings.HasPrefix(bad, name) {
				return ""
			}
		}
		if fd.lead && i == 0 || strings.HasPrefix(s, "/") && !f.reads1(fd, c) {
			return ""
		}
	}
	first := ""
	if len(g.args) > 0 {
		first = g.args[0].text
	}
	switch g.sub {
	case "status", "log", "diff", "show", "rev-parse", "ls-files", "ls-tree", "blame", "annotate", "describe", "shortlog", "cat-file", "show-ref", "for-each-ref", "merge-base", "name-rev",
		"rev-list", "diff-tree", "diff-index", "diff-files", "grep", "whatchanged", "count-objects", "check-ignore", "range-diff", "cherry", "version":
		return "safe-git"
	case "branch":
		o := parseOptions(g.args, "a r v vv q l: all remotes verbose list show-current contains: merged: no-merged: sort: format: points-at: column no-color")
		if !o.odd && len(o.rest) == 0 {
			return "safe-git"
		}
	case "remote":
		if first == "" || first == "-v" || first == "get-url" || first == "--verbose" {
			return "safe-git"
		}
	case "stash":
		if first == "list" || first == "show" {
			return "safe-git"
		}
	case "tag":
		if first == "" || first == "-l" || first == "--list" {
			return "safe-git"
		}
	case "worktree":
		if first == "list" {
			return "safe-git"
		}
	case "config":
		if first == "--get" && len(g.args) == 2 {
			return "safe-git"
		}
	}
	return ""
}

// safeGo allows building, testing, vetting and asking.
func (f *floor) safeGo(c *call) string {
	if len(c.args) == 0 {
		return ""
	}
	sub := c.args[0].text
	o := parseOptions(c.args[1:], `o: p: run: bench: count: timeout: cpu: parallel: tags: mod: coverprofile: covermode: coverpkg: cpuprofile: memprofile: blockprofile: benchtime: skip: list: shuffle: fuzztime:
		json v race short failfast a n x work m u t f: deps test benchmem trimpath cover compiled find vet: fullpath asan msan C:`)
	if o.odd || o.vague || o.lead || len(o.values("mod")) > 0 && o.values("mod")[0].text == "mod" && sub == "list" {
		return ""
	}
	for _, fd := range append(o.rest, o.values("C")...) {
		if strings.HasPrefix(fd.text, "/") || strings.Contains(fd.text, "..") && !strings.HasSuffix(fd.text, "...") || strings.HasPrefix(fd.text, "../") {
			if !f.reads1(fd, c) {
				return ""
			}
		}
		if strings.Contains(fd.text, "@") {
			return ""
		}
	}
	switch sub {
	case "build":
		return "safe-build"
	case "test":
		return "safe-test"
	case "vet":
		return "safe-lint"
	case "list", "doc":
		return "safe-list"
	case "env":
		if len(o.flags) == 0 || len(o.flags) == 1 && o.has("json") {
			return "safe-list"
		}
	case "mod":
		if len(o.rest) > 0 && (o.rest[0].is("verify") || o.rest[0].is("graph") || o.rest[0].is("why")) {
			return "safe-list"
		}
	}
	return ""
}

func (f *floor) safeCargo(c *call) string {
	if len(c.args) == 0 {
		return ""
	}
	o := parseOptions(c.args[1:], "p: package: F: features: j: jobs: q v vv r release all workspace locked offline frozen all-features all-targets no-default-features lib bins tests benches examples doc no-run no-fail-fast bin: test: example: message-format: color: profile: exclude: no-deps check keep-going document-private-items nocapture D: W: A: test-threads:")
	if o.odd || o.vague || o.lead {
		return ""
	}
	switch c.args[0].text {
	case "build", "b", "doc":
		return "safe-build"
	case "test", "t", "nextest", "bench":
		return "safe-test"
	case "check", "c", "clippy":
		return "safe-lint"
	case "fmt":
		if o.has("check") {
			return "safe-lint"
		}
	case "tree", "metadata":
		return "safe-list"
	}
	return ""
}

// safeScripts are the scripts and targets that a project builds, tests and
// checks itself with, by their usual names.
func safeScript(name string) string {
	switch head, tail, _ := strings.Cut(name, ":"); head {
	case "build", "compile", "bundle":
		if scriptTail(tail) {
			return "safe-build"
		}
	case "test", "tests", "unit", "coverage", "spec":
		if scriptTail(tail) {
			return "safe-test"
		}
	case "lint", "typecheck", "type-check", "types", "check", "tsc", "vet", "format":
		if scriptTail(tail) && (head != "format" || tail == "check") {
			return "safe-lint"
		}
	}
	return ""
}

// scriptTail refuses the second halves by which a harmless name is not.
func scriptTail(tail string) bool {
	for _, bad := range []string{"fix", "write", "publish", "deploy", "release", "push", "prod", "install", "clean", "update", "e2e"} {
		if strings.Contains(tail, bad) {
			return false
		}
	}
	return true
}

func (f *floor) safeNpm(c *call) string {
	o := parseOptions(c.args, "s silent if-present w: workspace: workspaces r recursive F: filter: loglevel: parallel stream bail json depth: long all prod production no-color color")
	if o.vague || o.lead || len(o.rest) == 0 {
		return ""
	}
	sub, rest := o.rest[0].text, o.rest[1:]
	// What stands behind -- goes to the script, which may read it as it likes.
	if slices.ContainsFunc(c.args, func(fd field) bool { return fd.is("--") }) {
		return ""
	}
	if o.odd {
		return ""
	}
	switch sub {
	case "test", "t", "tst":
		if len(rest) == 0 || c.name == "bun" && f.allInside(rest, c) {
			return "safe-test"
		}
	case "run", "run-script":
		if len(rest) == 1 {
			return safeScript(rest[0].text)
		}
	case "ls", "list", "ll", "la", "outdated", "root", "prefix", "bin", "why", "explain", "view", "info", "show", "fund", "query":
		if sub == "view" || sub == "info" || sub == "show" || sub == "outdated" {
			return "" // these ask the registry
		}
		return "safe-list"
	default:
		if (c.name == "yarn" || c.name == "pnpm") && len(rest) == 0 {
			return safeScript(sub)
		}
		if (c.name == "yarn" || c.name == "pnpm") && named(sub, localTools) {
			if s, ok := safeList[sub]; ok {
				return f.fits(&call{name: sub, args: after(c.args, sub), e: c.e}, s)
			}
		}
	}
	return ""
}

func (f *floor) allInside(fds []field, c *call) bool {
	return !slices.ContainsFunc(fds, func(fd field) bool { return !f.reads1(fd, c) })
}

func (f *floor) safeMake(c *call) string {
	o := parseOptions(c.args, "j: k s n C: jobs: keep-going silent quiet dry-run directory: no-print-directory B always-make")
	if o.odd || o.vague || o.lead {
		return ""
	}
	for _, dir := range o.values("C", "directory") {
		if !f.reads1(dir, c) {
			return ""
		}
	}
	row := "safe-build"
	for _, fd := range o.rest {
		if fd.text == "all" {
			continue
		}
		if row = safeScript(strings.ReplaceAll(fd.text, "-", ":")); row == "" {
			return ""
		}
	}
	return row
}

// safeTool allows the plain build and test commands of other tools: only the
// words listed, and options that are listed too.
func (f *floor) safeTool(c *call) string {
	allowed := map[string]string{
		"mvn":     "test:safe-test verify:safe-test compile:safe-build package:safe-build validate:safe-lint -q -B -o -ntp --batch-mode --quiet --offline",
		"gradle":  "test:safe-test check:safe-test build:safe-build assemble:safe-build compileJava:safe-build lint:safe-lint tasks:safe-list dependencies:safe-list --offline -q --quiet --info --console=plain --no-daemon",
		"dotnet":  "build:safe-build test:safe-test --no-restore --nologo",
		"cmake":   "--build:safe-build .: build: --parallel -j",
		"deno":    "test:safe-test lint:safe-lint check:safe-lint",
		"uv":      "run: pytest:safe-test ruff:safe-lint check: mypy:safe-lint . -q -v -x",
		"poetry":  "run: pytest:safe-test ruff:safe-lint check: mypy:safe-lint . -q -v -x",
		"bundle":  "exec: rspec:safe-test rubocop:safe-lint rake: test: spec:",
		"rake":    "test:safe-test spec:safe-test -T:safe-list",
		"mix":     "test:safe-test compile:safe-build",
		"swift":   "build:safe-build test:safe-test",
		"zig":     "build:safe-build test:safe-test",
		"bazel":   "build:safe-build test:safe-test //...: ...:",
		"python":  "-m: pytest:safe-test unittest:safe-test mypy:safe-lint ruff:safe-lint check: flake8:safe-lint discover: -q -v -x",
		"python3": "-m: pytest:safe-test unittest:safe-test mypy:safe-lint ruff:safe-lint check: flake8:safe-lint discover: -q -v -x",
		"node":    "--test:safe-test",
	}
	allowed["mvnw"], allowed["gradlew"] = allowed["mvn"], allowed["gradle"]
	rows := map[string]string{}
	for w := range strings.FieldsSeq(allowed[c.name]) {
		at := strings.LastIndex(w, ":")
		if at < 0 {
			at = len(w)
		}
		rows[w[:at]] = strings.TrimPrefix(w[at:], ":")
	}
	row := ""
	for _, fd := range c.args {
		r, ok := rows[fd.text]
		if !ok {
			// Behind the words that name the job: files and folders to run it on.
			if row == "" || strings.HasPrefix(fd.text, "-") || c.name == "bazel" || !strings.ContainsAny(fd.text, "/.") || !f.reads1(fd, c) {
				return ""
			}
			continue
		}
		if strings.HasPrefix(r, "safe-") {
			row = r
		}
	}
	return row
}
