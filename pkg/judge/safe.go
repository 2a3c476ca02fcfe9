package judge

import "strings"

// safeSpec is one command of the safe list: the options that are known to
// change nothing (see parseOptions), and what its operands are.
type safeSpec struct {
	row  string
	spec string // "*": every option of the command is harmless
	args argKind
}

type argKind int

const (
	files    argKind = iota // every operand is read
	pattern                 // the first is a pattern, the rest are read
	anything                // operands are text
	nothing                 // there must be none
)

var safeList = map[string]safeSpec{
	"cat":     {"safe-read", "n b s A E T v e t u number squeeze-blank show-all", files},
	"head":    {"safe-read", "n: c: q v z lines: bytes: quiet 0 1 2 3 4 5 6 7 8 9", files},
	"tail":    {"safe-read", "n: c: q v z lines: bytes: quiet 0 1 2 3 4 5 6 7 8 9", files},
	"nl":      {"safe-read", "b: f: h: i: n: s: v: w: ba", files},
	"tac":     {"safe-read", "b r s:", files},
	"rev":     {"safe-read", "", files},
	"wc":      {"safe-read", "l w c m L lines words bytes chars max-line-length", files},
	"cut":     {"safe-read", "d: f: c: b: s z n delimiter: fields: characters: bytes: output-delimiter: complement only-delimited", files},
	"sort":    {"safe-read", "r n u k: t: h V f b d g M R s z c i reverse numeric-sort unique key: field-separator: human-numeric-sort version-sort ignore-case stable check", files},
	"uniq":    {"safe-read", "c d u i z f: s: w: count repeated unique ignore-case", files},
	"tr":      {"safe-read", "d s c C t delete squeeze-repeats complement", anything},
	"fold":    {"safe-read", "w: s b width: spaces", files},
	"column":  {"safe-read", "t s: c: n table separator:", files},
	"paste":   {"safe-read", "d: s delimiters: serial", files},
	"join":    {"safe-read", "1: 2: t: a: v: o: i j:", files},
	"comm":    {"safe-read", "1 2 3 12 13 23 123 z", files},
	"cmp":     {"safe-read", "s l b n: i: silent verbose", files},
	"diff":    {"safe-read", "u U: c r q w b B i N y a s p t W: unified: brief recursive ignore-all-space side-by-side color: new-file ignore-case", files},
	"od":      {"safe-read", "A: t: N: j: c x b d o v w: An", files},
	"hexdump": {"safe-read", "C n: s: v c b x", files},
	"strings": {"safe-read", "a n: t: e:", files},
	"md5sum":  {"safe-read", "b t", files},
	"sha1sum": {"safe-read", "b t", files}, "sha256sum": {"safe-read", "b t", files}, "sha512sum": {"safe-read", "b t", files},
	"shasum": {"safe-read", "a: b t", files}, "cksum": {"safe-read", "a:", files}, "b2sum": {"safe-read", "", files},
	"base64": {"safe-read", "w: wrap: i:", files},
	"jq":     {"safe-read", "r c n e s S M C a j raw-output compact-output null-input exit-status slurp sort-keys monochrome-output tab indent: arg:", pattern},
	"sed":    {"safe-read", "n E r s u z e: expression: quiet silent regexp-extended null-data", pattern},
	"awk":    {"safe-read", "F: v: field-separator: assign: +", pattern},

	"ls":       {"safe-list", "*", files},
	"dir":      {"safe-list", "*", files},
	"exa":      {"safe-list", "*", files},
	"eza":      {"safe-list", "*", files},
	"tree":     {"safe-list", "a d f L: I: P: C n h s D p i l F A S J X Q N r t c v U x dirsfirst noreport gitignore prune filelimit: matchdirs", files},
	"du":       {"safe-list", "s h a c d: k m b L x max-depth: human-readable summarize total apparent-size exclude:", files},
	"df":       {"safe-list", "h k m T i a H l human-readable", files},
	"stat":     {"safe-list", "c: f L t format: printf: x s", files},
	"file":     {"safe-list", "b i L k h mime mime-type brief", files},
	"readlink": {"safe-list", "f e m n", files},
	"realpath": {"safe-list", "e m s q relative-to: relative-base:", files},
	"basename": {"safe-list", "a s: z suffix:", anything},
	"dirname":  {"safe-list", "z", anything},
	"which":    {"safe-list", "a s", anything},
	"type":     {"safe-list", "a t p P f", anything},
	"whereis":  {"safe-list", "b m s", anything},
	"whoami":   {"safe-list", "", nothing},
	"id":       {"safe-list", "u g G n r", anything},
	"groups":   {"safe-list", "", anything},
	"uname":    {"safe-list", "a s n r v m p i o", nothing},
	"hostname": {"safe-list", "s f", nothing},
	"nproc":    {"safe-list", "all", nothing},
	"arch":     {"safe-list", "", nothing},
	"uptime":   {"safe-list", "p s", nothing},
	"free":     {"safe-list", "h m g k b", nothing},
	"locale":   {"safe-list", "a", nothing},
	"date":     {"safe-list", "u R I d: iso-8601 rfc-3339: utc date:", anything},
	"cal":      {"safe-list", "", anything},
	"fd":       {"safe-list", "H I u s i g F a l L t: e: E: d: p 0 hidden no-ignore type: extension: exclude: max-depth: min-depth: glob full-path absolute-path case-sensitive max-results:", pattern},
	"fdfind":   {"safe-list", "H I u s i g F a l L t: e: E: d: p 0 hidden no-ignore type: extension: exclude: max-depth: min-depth: glob full-path absolute-path case-sensitive max-results:", pattern},
	"cloc":     {"safe-list", "by-file quiet", files},
	"tokei":    {"safe-list", "", files},

	"grep":  {"safe-search", grepOptions, pattern},
	"egrep": {"safe-search", grepOptions, pattern},
	"fgrep": {"safe-search", grepOptions, pattern},
	"rg": {"safe-search", `-- n i l c v w o e: g: t: T: A: B: C: S s F U P u H h N q m: r: M: j: 0 a L x line-number ignore-case files-with-matches files-without-match count invert-match word-regexp
		only-matching regexp: glob: type: type-not: type-list after-context: before-context: context: smart-case case-sensitive fixed-strings multiline multiline-dotall pcre2 hidden no-ignore no-ignore-vcs
		no-heading heading with-filename no-filename no-line-number max-count: max-depth: max-columns: replace: sort: sortr: stats json files color: vimgrep column trim count-matches line-regexp follow glob-case-insensitive no-messages passthru`, pattern},
	"ag": {"safe-search", "-- l i n c v w Q s A: B: C: G: g: hidden nocolor", pattern},

	"true":  {"safe-shell", "", nothing},
	"false": {"safe-shell", "", nothing},
	":":     {"safe-shell", "", nothing},
	"pwd":   {"safe-shell", "L P", nothing},
	"exit":  {"safe-shell", "", anything},
	"test":  {"safe-shell", "*", files},
	"[":     {"safe-shell", "*", files},
	"sleep": {"safe-shell", "", anything},
	"seq":   {"safe-shell", "w s: f:", anything},
	"expr":  {"safe-shell", "", anything},

	"tsc":           {"safe-lint", "p: b project: noEmit pretty skipLibCheck strict build version v watch: listFiles incremental", files},
	"vue-tsc":       {"safe-lint", "p: project: noEmit", files},
	"svelte-check":  {"safe-lint", "", files},
	"eslint":        {"safe-lint", "ext: max-warnings: quiet f: format: no-color color no-error-on-unmatched-pattern cache report-unused-disable-directives no-warn-ignored", files},
	"prettier":      {"safe-lint", "c check l list-different no-color ignore-unknown u", files},
	"biome":         {"safe-lint", "", files},
	"oxlint":        {"safe-lint", "quiet", files},
	"stylelint":     {"safe-lint", "quiet", files},
	"knip":          {"safe-lint", "", nothing},
	"ruff":          {"safe-lint", "check diff quiet q select: ignore: output-format: no-cache show-files", files},
	"flake8":        {"safe-lint", "max-line-length: select: ignore: count statistics", files},
	"pylint":        {"safe-lint", "E errors-only disable: enable: score:", files},
	"mypy":          {"safe-lint", "strict ignore-missing-imports p: m: no-error-summary pretty show-error-codes", files},
	"pyright":       {"safe-lint", "", files},
	"black":         {"safe-lint", "check diff q quiet", files},
	"isort":         {"safe-lint", "check check-only diff c", files},
	"gofmt":         {"safe-lint", "l d e s", files},
	"goimports":     {"safe-lint", "l d e local:", files},
	"golangci-lint": {"safe-lint", "timeout: E: D: enable: disable: new v", files},
	"staticcheck":   {"safe-lint", "checks: f:", files},
	"shellcheck":    {"safe-lint", "s: S: e: f: x shell: severity: exclude: format:", files},
	"hadolint":      {"safe-lint", "", files},
	"yamllint":      {"safe-lint", "s f:", files},
	"rubocop":       {"safe-lint", "P L", files},
	"markdownlint":  {"safe-lint", "", files},
	"rustfmt":       {"safe-lint", "check", files},

	"pytest":  {"safe-test", "v vv vvv q x s k: m: l r: ra rA n: lf ff nf sw maxfail: tb: durations: verbose quiet exitfirst last-failed failed-first no-header no-summary co collect-only disable-warnings W: showlocals stepwise color: cov cov-report: import-mode:", files},
	"py.test": {"safe-test", "v q x s k: m:", files},
	"jest":    {"safe-test", "t: ci coverage verbose silent bail watchAll: runInBand i testNamePattern: passWithNoTests no-coverage maxWorkers: colors noStackTrace detectOpenHandles forceExit w:", files},
	"vitest":  {"safe-test", "t: run coverage reporter: testNamePattern: passWithNoTests bail: silent no-color", files},
	"mocha":   {"safe-test", "g: grep: timeout: t: bail b recursive exit", files},
	"ava":     {"safe-test", "v match: m:", files},
	"rspec":   {"safe-test", "f: e: fd format: example: fail-fast no-color", files},
	"phpunit": {"safe-test", "filter: testdox stop-on-failure no-coverage", files},
	"ctest":   {"safe-test", "V VV R: E: j: output-on-failure verbose parallel: tests-regex: test-dir: N", files},
}

// searches are commands whose first operand is what they look for.
const searches = "grep egrep fgrep rg ag ack sed awk gawk jq fd fdfind"

// textOnly are commands whose words are never files, or whose own rule looks
// at those that are.
const textOnly = "echo printf test [ true false : exit export git ls gh basename dirname which type stat rm seq kill"

// knownNames need no guess about being a wrapper: they take text and files.
var knownNames = func() map[string]bool {
	m := map[string]bool{}
	for name := range safeList {
		m[name] = true
	}
	for _, name := range words(`ninja ps top lsof jobs fg bg return break continue wait history bc dc gzip gunzip bzip2 xz zstd less more bat mvn gradle ./gradlew ./mvnw gradlew mvnw dotnet cmake
		meson bazel rustup rustc javac java kotlinc swift xcodebuild tput clear reset stty ulimit logger open xdg-open code subl yq xmllint protoc buf`) {
		m[name] = true
	}
	return m
}()

// safe gives the row by which a command is obviously safe, or "". A command
// must be known, with options that are all known, and words that are all
// certain; whatever its files are is checked as a read.
func (f *floor) safe(c *call) string {
	for i := range c.args {
		if fd := &c.args[i]; fd.unknown || fd.proc != nil {
			return ""
		}
	}
	if len(c.args) == 1 && in(versioned, c.name) && (c.args[0].oneOf("--version -V version") || c.args[0].is("-v") && in("node npm bun", c.name)) {
		return "safe-list"
	}
	switch {
	case c.name == "git":
		return f.safeGit(c)
	case c.name == "go":
		return f.safeGo(c)
	case c.name == "cargo":
		return f.safeCargo(c)
	case in("npm pnpm yarn bun", c.name):
		return f.safeNpm(c)
	case in("make gmake ninja", c.name):
		return f.safeMake(c)
	case toolWords[c.name] != "":
		return f.safeTool(c)
	}
	return f.fits(c)
}

// versioned are tools that may be asked for their version.
const versioned = "go node npm pnpm yarn bun deno python python3 pip pip3 ruby gem cargo rustc java javac mvn gradle git make gcc clang cmake tsc php composer dotnet swift zig docker kubectl terraform psql uv poetry jq rg gh"

// strange reports options that are not known, or that may not be options.
func (o *options) strange() bool { return o.odd || o.vague || o.lead }

// fits checks a command against its entry of the safe list.
func (f *floor) fits(c *call) string {
	s, ok := safeList[c.name]
	if !ok {
		return ""
	}
	args := c.args
	switch {
	case in("ruff biome golangci-lint vitest", c.name) && in("check lint run ci", word(args, 0)):
		args = args[1:]
	case in("ruff biome golangci-lint", c.name),
		in("prettier black isort rustfmt", c.name) && !anyIs(args, "--check -c -l --list-different --check-only --diff"):
		return "" // they rewrite files
	}
	o := parseOptions(args, s.spec)
	if s.spec != "*" && o.strange() {
		return ""
	}
	for i := range o.flags {
		op := &o.flags[i]
		if op.is("cov-report") && strings.Contains(op.val.text, ":") {
			return "" // html:FOLDER is written
		}
		if v := op.val.text; op.has && s.args != anything && !in("sed awk", c.name) && !op.is("e regexp g glob iglob include exclude exclude-dir") && (strings.HasPrefix(v, "/") || strings.Contains(v, "..")) && !f.readable(&op.val, c) {
			return ""
		}
	}
	rest := o.rest
	switch {
	case s.args == anything, s.args == nothing && len(rest) == 0:
		return s.row
	case s.args == nothing, c.name == "uniq" && len(rest) > 1, c.name == "jq" && jqReaches(o):
		return ""
	case s.args == pattern && !o.has("e f expression regexp file files") && len(rest) > 0:
		rest = rest[1:]
	}
	if !f.allInside(rest, c) {
		return ""
	}
	return s.row
}

// jqReaches reports a program of jq that may read the environment or other files. Behind --arg it is not the first operand.
func jqReaches(o *options) bool {
	text := word(o.rest, 0)
	if o.has("arg") {
		text = joinTexts(o.rest)
	}
	text = strings.ToLower(text)
	return strings.Contains(text, "env") || strings.Contains(text, "import") || strings.Contains(text, "include")
}

func (f *floor) allInside(fds []field, c *call) bool {
	for i := range fds {
		if !fds[i].is("-") && !f.readable(&fds[i], c) {
			return false
		}
	}
	return true
}

// readable reports a file, or a pattern of files, inside the workspace,
// wherever the shell may be.
func (f *floor) readable(fd *field, c *call) bool {
	text := fd.text
	if fd.glob {
		text = globBase(text)
	}
	paths, ok := c.e.everywhere(text)
	for _, p := range paths {
		ok = ok && (f.inside(p) && !f.secretAt(p) || harmlessDevice(p))
	}
	return ok
}
