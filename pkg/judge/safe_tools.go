package judge

import (
	"path"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// gitAsks are the subcommands that change nothing, without the options in
// gitRuns, by which they write or run something.
const (
	gitAsks = "status log diff show rev-parse ls-files ls-tree blame annotate describe shortlog cat-file show-ref for-each-ref merge-base name-rev " +
		"rev-list diff-tree diff-index diff-files grep whatchanged count-objects check-ignore range-diff cherry version"
	gitRuns = "--output --output-directory --ext-diff --textconv --filters --exec --upload-pack --open-files-in-pager --contents --no-index --template -O --stdin --batch --ignore-revs-file"
	// gitKeys are the groups of settings in which no password is; those of the person's own file are answered as well.
	gitKeys = "user core remote branch init pull push fetch merge rebase diff color commit tag status log"
)

// safeGit allows the questions one may ask git.
func (f *floor) safeGit(c *call) string {
	g := parseGit(c)
	if o := g.global; o.odd || o.vague || o.has("c config-env exec-path git-dir work-tree bare") || !f.allInside(g.dirs, c) || f.oddRepository(g) {
		return ""
	}
	for i := range g.args {
		fd := &g.args[i]
		name, _, _ := strings.Cut(fd.text, "=")
		for _, bad := range strings.Fields(gitRuns) {
			// git takes options that are shortened.
			if opensPager(g.sub, fd.text) || strings.HasPrefix(fd.text, bad) || len(name) > 2 && strings.HasPrefix(bad, name) {
				return ""
			}
		}
		if fd.lead && i == 0 || (strings.HasPrefix(fd.text, "/") || fd.text == ".." || strings.Contains(fd.text, "../")) && !f.readable(fd, c) {
			return ""
		}
	}
	first := word(g.args, 0)
	o := parseOptions(g.args, "a r v vv q l: all remotes verbose list show-current contains: merged: no-merged: sort: format: points-at: column no-color")
	switch g.sub {
	case "branch":
		if o.odd || len(o.rest) > 0 {
			return ""
		}
	case "remote":
		if !f.plainRepository() || len(g.args) > 0 && first != "get-url" && (len(g.args) > 1 || !in("-v --verbose", first)) { // -v may stand in front of rm
			return ""
		}
	case "stash":
		if !in("list show", first) {
			return ""
		}
	case "tag":
		if !in("-l --list", first) && len(g.args) > 0 {
			return ""
		}
	case "worktree":
		if first != "list" {
			return ""
		}
	case "config":
		group, _, _ := strings.Cut(strings.ToLower(word(g.args, 1)), ".")
		if first != "--get" || len(g.args) != 2 || !in(gitKeys, group) || !f.plainRepository() {
			return ""
		}
	default:
		if !in(gitAsks, g.sub) {
			return ""
		}
	}
	return "safe-git"
}

// plainRepository reports that nothing is known of a password in the workspace's git settings.
func (f *floor) plainRepository() bool {
	s := f.sight()
	if s == nil || len(f.place.Roots) == 0 {
		return true
	}
	dot := f.place.Roots[0] + "/.git"
	info, errno := s.stat(dot)
	return errno != protocol.OK || info.Kind != protocol.KindDir || s.plainGit(dot)
}

// oddRepository reports a folder below the workspace that git takes for a repository because of the files in it: their settings
// were written like any others, and may run programs.
func (f *floor) oddRepository(g *gitCall) bool {
	s := f.sight()
	dirs := g.dirs
	if len(dirs) == 0 {
		dirs = []field{lit(".")}
	}
	for i := range dirs {
		paths, _ := g.e.everywhere(dirs[i].text)
		for _, p := range paths {
			for ; s != nil && f.inRoots(p) && !slices.Contains(f.place.Roots, p); p = path.Dir(p) {
				if _, errno := s.stat(p + "/HEAD"); errno == protocol.OK {
					return true
				}
			}
		}
	}
	return false
}

// safeGo allows building, testing, vetting and asking.
func (f *floor) safeGo(c *call) string {
	sub := word(c.args, 0)
	if sub == "" {
		return ""
	}
	o := parseOptions(c.args[1:], `o: p: run: bench: count: timeout: cpu: parallel: tags: mod: coverprofile: covermode: coverpkg: cpuprofile: memprofile: blockprofile: benchtime: skip: list: shuffle: fuzztime:
		json v race short failfast a n x work m u t f: deps test benchmem trimpath cover compiled find vet: fullpath asan msan C:`)
	if o.strange() || anyIs(o.values("mod"), "mod") {
		return ""
	}
	for _, fd := range append(o.rest, o.values("C")...) {
		s := strings.TrimSuffix(fd.text, "...")
		if strings.Contains(s, "@") || (strings.HasPrefix(s, "/") || strings.Contains(s, "..")) && !f.readable(&fd, c) {
			return ""
		}
	}
	switch {
	case sub == "build":
		return "safe-build"
	case sub == "test":
		return "safe-test"
	case sub == "vet":
		return "safe-lint"
	case in("list doc", sub), sub == "env" && (len(o.flags) == 0 || len(o.flags) == 1 && o.has("json")), sub == "mod" && in("verify graph why", word(o.rest, 0)):
		return "safe-list"
	}
	return ""
}

func (f *floor) safeCargo(c *call) string {
	sub := word(c.args, 0)
	if sub == "" {
		return ""
	}
	o := parseOptions(c.args[1:], "p: package: F: features: j: jobs: q v vv r release all workspace locked offline frozen all-features all-targets no-default-features lib bins tests benches examples doc no-run no-fail-fast bin: test: example: message-format: color: profile: exclude: no-deps check keep-going document-private-items nocapture D: W: A: test-threads:")
	for _, fd := range after(c.args, "--") {
		// What the tests or the compiler are told may name files, and programs.
		if s := fd.text; strings.ContainsAny(s, "/.") || strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--test-threads") && !in("-D -W -A -q --nocapture --no-capture --ignored --include-ignored --exact --show-output --list --skip", s) {
			return ""
		}
	}
	switch {
	case o.strange():
	case in("build b doc", sub):
		return "safe-build"
	case in("test t nextest bench", sub):
		return "safe-test"
	case in("check c clippy", sub), sub == "fmt" && o.has("check"):
		return "safe-lint"
	case in("tree metadata", sub):
		return "safe-list"
	}
	return ""
}

// safeScript gives the row of a script or target by whose name a project
// builds, tests or checks itself; "" when the name does not say that, or its
// second half says otherwise.
func safeScript(name string) string {
	head, tail, _ := strings.Cut(name, ":")
	for _, bad := range strings.Fields("fix write publish deploy release push prod install clean update e2e") {
		if strings.Contains(tail, bad) {
			return ""
		}
	}
	switch {
	case in("build compile bundle", head):
		return "safe-build"
	case in("test tests unit coverage spec", head):
		return "safe-test"
	case in("lint typecheck type-check types check tsc vet", head), name == "format:check":
		return "safe-lint"
	}
	return ""
}

func (f *floor) safeNpm(c *call) string {
	o := parseOptions(c.args, "s silent if-present w: workspace: workspaces r recursive F: filter: loglevel: parallel stream bail json depth: long all prod production no-color color")
	// What stands behind -- goes to the script, which may read it as it likes.
	if o.strange() || len(o.rest) == 0 || anyIs(c.args, "--") {
		return ""
	}
	for _, fd := range o.values("w workspace F filter") {
		if strings.HasPrefix(fd.text, "/") || strings.Contains(fd.text, "..") {
			return ""
		}
	}
	sub, rest := o.rest[0].text, o.rest[1:]
	switch {
	case in("test t tst", sub) && (len(rest) == 0 || c.name == "bun" && f.allInside(rest, c)):
		return "safe-test"
	case in("run run-script", sub) && len(rest) == 1:
		return safeScript(rest[0].text)
	case in("ls list ll la root prefix bin why explain fund query", sub):
		return "safe-list"
	case !in("yarn pnpm", c.name):
	case len(rest) == 0:
		return safeScript(sub)
	case in(localTools, sub):
		return f.fits(&call{name: sub, args: after(c.args, sub), e: c.e})
	}
	return ""
}

// safeMake allows make and ninja to build, and the targets by whose name a project tests or checks itself.
func (f *floor) safeMake(c *call) string {
	spec := "j: k s n C: jobs: keep-going silent quiet dry-run directory: no-print-directory B always-make"
	if c.name == "ninja" {
		spec = "j: k: n v C:"
	}
	o := parseOptions(c.args, spec)
	if o.strange() || !f.allInside(o.values("C directory"), c) {
		return ""
	}
	row := "safe-build"
	for i := range o.rest {
		if target := o.rest[i].text; target != "all" {
			if row = safeScript(strings.ReplaceAll(target, "-", ":")); row == "" {
				return ""
			}
		}
	}
	return row
}

// toolWords are the words with which other tools build, test and check, by
// tool; behind a colon the row of the word that names the job.
var toolWords = map[string]string{
	"mvn":     mavenWords,
	"mvnw":    mavenWords,
	"gradle":  gradleWords,
	"gradlew": gradleWords,
	"dotnet":  "build:safe-build test:safe-test --no-restore --nologo",
	"cmake":   "--build:safe-build . build --parallel -j",
	"deno":    "test:safe-test lint:safe-lint check:safe-lint",
	"uv":      "run " + pythonWords,
	"poetry":  "run " + pythonWords,
	"python":  "-m unittest:safe-test discover " + pythonWords,
	"python3": "-m unittest:safe-test discover " + pythonWords,
	"bundle":  "exec rspec:safe-test rubocop:safe-lint",
	"rake":    "test:safe-test spec:safe-test -T:safe-list",
	"mix":     "test:safe-test compile:safe-build",
	"swift":   "build:safe-build test:safe-test",
	"zig":     "build:safe-build test:safe-test",
	"node":    "--test:safe-test",
}

const (
	mavenWords  = "test:safe-test verify:safe-test compile:safe-build package:safe-build validate:safe-lint -q -B -o -ntp --batch-mode --quiet --offline"
	gradleWords = "test:safe-test check:safe-test build:safe-build assemble:safe-build lint:safe-lint tasks:safe-list dependencies:safe-list --offline -q --quiet --info --console=plain --no-daemon"
	pythonWords = "pytest:safe-test ruff:safe-lint check mypy:safe-lint flake8:safe-lint -q -v -x"
)

// safeTool allows such a tool when all its words are listed; behind the one
// that names the job, files and folders of the workspace too.
func (f *floor) safeTool(c *call) string {
	row := ""
next:
	for i := range c.args {
		fd := &c.args[i]
		for _, w := range strings.Fields(toolWords[c.name]) {
			if name, job, _ := strings.Cut(w, ":"); name == fd.text {
				if job != "" {
					row = job
				}
				continue next
			}
		}
		if row == "" || strings.HasPrefix(fd.text, "-") || !strings.ContainsAny(fd.text, "/.") || !f.readable(fd, c) {
			return ""
		}
	}
	return row
}
