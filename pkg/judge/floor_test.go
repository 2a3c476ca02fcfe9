package judge

import (
	"runtime"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// A row that no case needs is a row that nobody would miss when it breaks: with
// any one of them taken out, some labelled case must come out wrong.
func TestEveryRowOfTheFloorIsNeeded(t *testing.T) {
	cases := corpus(t)
	byRow := map[string][]labelled{}
	for _, l := range cases {
		byRow[l.Row] = append(byRow[l.Row], l)
	}
	for _, r := range rows {
		caught := ""
		for _, l := range byRow[r.ID] {
			if v := floorWithout(l.action(), r.ID); v.Decision != l.Floor {
				caught = l.ID
				break
			}
		}
		if caught == "" {
			t.Errorf("row %s: all %d of its cases are decided the same without it", r.ID, len(byRow[r.ID]))
		}
	}
}

func TestRowsAreCompleteAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rows() {
		if seen[r.ID] || r.ID == "" || r.Reason == "" || strings.HasSuffix(r.Reason, ".") {
			t.Errorf("row %+v: an id of its own and a reason without a full stop are wanted", r)
		}
		seen[r.ID] = true
	}
	defer func() {
		if recover() != nil {
			t.Error("Rows gives away the table itself")
		}
	}()
	Rows()[0].ID = "changed"
	if rows[0].ID == "changed" {
		t.Error("Rows gives away the table itself")
	}
}

// single puts a text between single quotes, as a shell reads them.
func single(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// wrappings are ways to run a command that keep what it does, or may do. Those
// under text take any text, the others only what is one list of commands.
var wrappings = []struct {
	name string
	text bool
	wrap func(string) string
}{
	{"sh -c", true, func(s string) string { return "sh -c " + single(s) }},
	{"bash -ec", true, func(s string) string { return "bash -ec " + single(s) }},
	{"bash -o pipefail -c", true, func(s string) string { return "bash -o pipefail -c " + single(s) }},
	{"eval", true, func(s string) string { return "eval " + single(s) }},
	{"eval in a variable", true, func(s string) string { return "run_it=eval; all_of_it=" + single(s) + `; $run_it "$all_of_it"` }},
	{"nested sh -c", true, func(s string) string { return "sh -c " + single("sh -c "+single(s)) }},
	{"timeout", true, func(s string) string { return "timeout -k 1 5 sh -c " + single(s) }},
	{"env", true, func(s string) string { return "env -u X A=b sh -c " + single(s) }},
	{"env -S", true, func(s string) string { return "env -S " + single("sh -c "+single(s)) }},
	{"nohup", true, func(s string) string { return "nohup sh -c " + single(s) + " &" }},
	{"xargs", true, func(s string) string { return "echo x | xargs sh -c " + single(s) }},
	{"find -exec", true, func(s string) string { return "find . -maxdepth 0 -exec sh -c " + single(s) + ` \;` }},
	{"sudo", true, func(s string) string { return "sudo -n sh -c " + single(s) }},
	{"command exec", true, func(s string) string { return "command exec sh -c " + single(s) }},
	{"trap", true, func(s string) string { return "trap " + single(s) + " EXIT" }},
	{"unknown wrapper", true, func(s string) string { return "sh -c " + single(s) + "; otherwrap x" }},
	{"here-string", true, func(s string) string { return "bash <<< " + single(s) }},
	{"here-document", false, func(s string) string { return "bash <<'END_OF_TEXT'\n" + s + "\nEND_OF_TEXT" }},
	{"pipe into a shell", true, func(s string) string { return "printf %s " + single(s) + " | sh" }},
	{"subshell", false, func(s string) string { return "(\n" + s + "\n)" }},
	{"braces", false, func(s string) string { return "{\n" + s + "\n}" }},
	{"substitution", false, func(s string) string { return "echo $(\n" + s + "\n)" }},
	{"process substitution", false, func(s string) string { return "cat <(\n" + s + "\n)" }},
	{"function", false, func(s string) string { return "f() {\n" + s + "\n}\nf" }},
	{"function that nothing calls", false, func(s string) string { return "f() {\n" + s + "\n}" }},
	{"if", false, func(s string) string { return "if true; then\n" + s + "\nfi" }},
	{"while", false, func(s string) string { return "while true; do\n" + s + "\ndone" }},
	{"for", false, func(s string) string { return "for i in a b; do\n" + s + "\ndone" }},
	{"case", false, func(s string) string { return "case x in x)\n" + s + "\n;; esac" }},
	{"behind &&", false, func(s string) string { return "true && {\n" + s + "\n}" }},
	{"behind ||", false, func(s string) string { return "false || {\n" + s + "\n}" }},
	{"behind ;", false, func(s string) string { return "ls;\n" + s }},
	{"before ;", false, func(s string) string { return s + "\nls" }},
	{"in a pipe", false, func(s string) string { return "{\n" + s + "\n} | cat" }},
	{"time", false, func(s string) string { return "time {\n" + s + "\n}" }},
	{"coproc", false, func(s string) string { return "coproc {\n" + s + "\n}" }},
}

func parses(command string) bool {
	_, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	return err == nil
}

// milder reports a wrapping under which a command is judged milder. What a
// wrapper makes unreadable for lack of room is asked, whatever it was.
func milder(t *testing.T, l labelled, name string, plain Verdict, wrapped string) bool {
	t.Helper()
	a := l.action()
	a.Command = wrapped
	v := Floor(a)
	if v.Decision.Severity() < plain.Decision.Severity() && v.Row != "too-big" {
		t.Errorf("%s: %q is judged %s (%s), and %q, wrapped in %s, only %s (%s)", l.ID, l.Command, plain.Decision, plain.Row, wrapped, name, v.Decision, v.Row)
		return true
	}
	return false
}

func TestNoWrapperMakesTheFloorMilder(t *testing.T) {
	for n, l := range corpus(t) {
		if l.Command == "" || l.Kind != "bash" || strings.Contains(l.Command, "END_OF_TEXT") {
			continue
		}
		plain := Floor(l.action())
		for m, w := range wrappings {
			if plain.Decision.Severity() < Ask.Severity() && (n+m)%3 != 0 {
				continue // a third of them is enough where little can get milder
			}
			if !w.text && !parses(l.Command) || plain.Row == "too-big" {
				continue // a piece of a command may be whole in other company
			}
			if milder(t, l, w.name, plain, w.wrap(l.Command)) {
				break
			}
		}
	}
}

// Two wrappers at once, on the cases that must be denied.
func TestNoTwoWrappersMakeADenialMilder(t *testing.T) {
	n := 0
	for _, l := range corpus(t) {
		if l.Floor != Deny || l.Kind != "bash" || l.Command == "" {
			continue
		}
		n++
		plain := Floor(l.action())
		outer, inner := wrappings[n%len(wrappings)], wrappings[n*7%len(wrappings)]
		if !parses(l.Command) {
			continue
		}
		milder(t, l, outer.name+" of "+inner.name, plain, outer.wrap(inner.wrap(l.Command)))
	}
}

// A program named by a variable, quoted, or with its folder is the same program.
func TestSpellingsOfACommandAreOneCommand(t *testing.T) {
	for _, l := range corpus(t) {
		if l.Floor != Deny || l.Kind != "bash" || strings.ContainsAny(l.Command, "|;&(){}<>`\n#$=~") {
			continue
		}
		word, rest, _ := strings.Cut(l.Command, " ")
		if strings.ContainsAny(word, `'"\/`) || word == "" || word == "time" || word == "coproc" || word == "exec" || word == "!" {
			continue
		}
		plain := Floor(l.action())
		for _, spelled := range []string{"'" + word + "' " + rest, `\` + word + " " + rest, word[:1] + "''" + word[1:] + " " + rest, "x=" + word + "; $x " + rest, "x=" + word[:1] + "; y=" + word[1:] + "; $x$y " + rest, "/usr/bin/" + word + " " + rest} {
			if milder(t, l, "another spelling", plain, spelled) {
				break
			}
		}
	}
}

// Beyond the nesting that the floor follows, it asks; it neither allows nor
// overflows a stack.
func TestDeepNestingIsAsked(t *testing.T) {
	deep := map[string]string{
		"brackets":      strings.Repeat("(", 10_000),
		"subshells":     strings.Repeat("( ", 5_000) + "ls" + strings.Repeat(")", 5_000),
		"braces":        strings.Repeat("{ ", 5_000),
		"substitutions": strings.Repeat("$(", 5_000),
		"quotes":        strings.Repeat(`"$(`, 5_000),
		"backquotes":    strings.Repeat("`", 9_999),
		"ifs":           strings.Repeat("if ", 5_000),
		"not":           strings.Repeat("! ", 5_000),
		"pipes":         strings.Repeat("ls | ", 3_000) + "ls",
		"ands":          strings.Repeat("ls && ", 3_000) + "ls",
		"arithmetic":    "echo $((" + strings.Repeat("(", 5_000),
		"minus":         "echo $((" + strings.Repeat("- ", 9_000) + "1))",
		"powers":        "echo $((" + strings.Repeat("2**", 9_000) + "1))",
		"tests":         "[[ " + strings.Repeat("( ", 5_000),
		"expansions":    strings.Repeat("${a:-", 5_000),
		"cases":         strings.Repeat("case x in x) ", 1_500),
		"functions":     strings.Repeat("f() ", 5_000),
		"time":          strings.Repeat("time ", 5_000) + "ls",
		"redirects":     "ls " + strings.Repeat("2>&1 ", 6_000),
		"heredocs":      strings.Repeat("<<a ", 3_000),
		"wrappers":      strings.Repeat("nohup ", 5_000) + "ls",
		"evals":         strings.Repeat("eval ", 5_000) + "ls",
		"doubling":      "a=xxxxxxxxxxxxxxxxxxxx;" + strings.Repeat("a=$a$a$a$a;", 2_000) + "eval $a",
		"branches":      strings.Repeat("[ -d x ] && a=$RANDOM$a; ", 1_000),
		"nested brace":  "echo " + strings.Repeat("{a,b}", 4_000),
		"functions2":    "f(){ f2; f2; }; f2(){ f3; f3; }; f3(){ f4; f4; }; f4(){ f5; f5; }; f5(){ f6; f6; }; f6(){ f7; f7; }; f7(){ f8; f8; }; f8(){ f9; f9; }; f9(){ ga; ga; }; ga(){ gb; gb; }; gb(){ ls; }; f",
		"loops":         strings.Repeat("for i in a b c d; do ", 12) + "ls;" + strings.Repeat("done;", 12),
	}
	for name, text := range deep {
		v, took := worked(text)
		if v.Decision == Allow {
			t.Errorf("%s: allowed by %s", name, v.Row)
		}
		if took.beyond(mostEffort) {
			t.Errorf("%s: took %+v, want at most %+v", name, took, mostEffort)
		}
		t.Logf("%s: %+v", name, took)
	}
}

func FuzzFloor(f *testing.F) {
	for _, l := range corpus(f) {
		if l.Command != "" && len(l.Command) < 500 {
			f.Add(l.Command)
		}
	}
	f.Fuzz(func(t *testing.T, command string) {
		plain, took := worked(command)
		if took.beyond(mostEffort) {
			t.Fatalf("took %+v, want at most %+v", took, mostEffort)
		}
		if plain.Decision != None && rowByID[plain.Row].Decision != plain.Decision {
			t.Fatalf("row %q does not say %s", plain.Row, plain.Decision)
		}
		if text := strings.TrimSpace(command); len(command) > 2_000 || plain.Row == "too-big" || text == "" || text[0] == '-' || text[0] == '+' {
			return // what begins with a dash is an option to a wrapper
		}
		for _, w := range wrappings[:5] {
			v := Floor(Action{Kind: "bash", Command: w.wrap(command), Place: corpusPlace})
			if v.Decision.Severity() < plain.Decision.Severity() && v.Row != "too-big" {
				t.Fatalf("%q: %s (%s), but in %s only %s (%s)", command, plain.Decision, plain.Row, w.name, v.Decision, v.Row)
			}
		}
	})
}

// effort is what a decision took, counted: a slow or busy machine changes nothing of it.
type effort struct{ steps, scripts, allocated int }

// Behind the last step nothing more is begun: each statement that is still open is left by trying one step more.
// What a step allocates is bounded by the alternatives that it follows.
var mostEffort = effort{steps: 2 * maxSteps, scripts: maxScripts + maxCommand, allocated: 100_000}

func (e effort) beyond(most effort) bool {
	return e.steps > most.steps || e.scripts > most.scripts || e.allocated > most.allocated
}

// worked decides a command, and tells the effort.
func worked(command string) (Verdict, effort) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := &floor{place: tidyPlace(corpusPlace), plain: true, eyes: &sight{corpusPlace.Files, maxSeen}}
	f.judge(Action{Kind: "bash", Command: command, Place: corpusPlace})
	v := f.verdict()
	runtime.ReadMemStats(&after)
	return v, effort{f.steps, f.scripts, int(after.Mallocs - before.Mallocs)}
}

// Whatever stands behind a known name, bare, broken or odd, is decided.
func TestEveryKnownCommandTakesAnyArguments(t *testing.T) {
	names := map[string]bool{"mkfs.ext4": true, "./gradlew": true}
	for _, known := range []func(func(string)){
		func(add func(string)) {
			for n := range rules {
				add(n)
			}
		},
		func(add func(string)) {
			for n := range wrappers {
				add(n)
			}
		},
		func(add func(string)) {
			for n := range shellWords {
				add(n)
			}
		},
		func(add func(string)) {
			for n := range safeList {
				add(n)
			}
		},
		func(add func(string)) {
			for n := range toolWords {
				add(n)
			}
		},
	} {
		known(func(n string) { names[n] = true })
	}
	args := []string{"", "-", "--", "-x", "-o", "--output", "--output=", "-c", "''", "'' ''", "a", "a b c", "-- -a", "=", "@", ":", "a:", ":a", "a=b", "://", "$X", `"$X"`, "*", "-*", "-$X", "--$X", "<(a)",
		"foreach", "push", "push ''", "config", "config set", "pkg set", "run", "install", "exec", "-exec", "-exec {}", "-m", "-m ''", "-S", "-S ''", "-I", "-I ''", ":::", "a :::", "{}", "+x", "--rcfile", "-lo", "gist create", "clone", "clone a ext::b", "worktree add", "alias.x= x", "-c alias.x= x", "-c =", "s3 cp", "-e", "-f", "-f ''", "1", "-1"}
	for name := range names {
		for _, arg := range args {
			for _, command := range []string{name + " " + arg, "echo a | " + name + " " + arg + " " + arg + " a"} {
				v := Floor(Action{Kind: "bash", Command: command, Place: corpusPlace})
				if v.Decision != None && rowByID[v.Row].Decision != v.Decision {
					t.Errorf("%s: row %q does not say %s", command, v.Row, v.Decision)
				}
			}
		}
	}
}

// A shell may expand a pattern to a credential file. Where the disk cannot be seen, what prints files is then not allowed, and what tells names alone is.
func TestFloorAllowsNoPatternThatReachesCredentials(t *testing.T) {
	blind := corpusPlace
	blind.Files = nil
	for _, tt := range []struct {
		want     Decision
		commands string
	}{
		{None, `cat .*
cat ./.*
cat {.,x}*
cat "."*
cat *
cat sub/.*
cat .*/*
cat .?/x
cat ./s*
cat config/*.json
cat < ./.*
cat .* | head
head ./.*
tail -n 3 ./.*
grep x ./.*
grep .* src/a.go
rg x ./.*
sed -n 1p ./.*
sort ./.*
diff ./.* x
cp .* out
tar c .*
git diff .*
git grep x .*
eslint ./.*
bash -c 'cat ./.*'
cd sub && cat .*
for f in ./.*; do cat "$f"; done`},
		{Allow, `ls ./.*
stat ./.*
echo ./.*
test -f ./.*
cat '.*'
cat src/*.go
cat ./README*
cat .eslintrc*
grep foo.* src/a.go
wc -l src/*.ts
git log --oneline *.go`},
	} {
		for command := range strings.SplitSeq(tt.commands, "\n") {
			if v := Floor(Action{Kind: "bash", Command: command, Place: blind}); v.Decision != tt.want {
				t.Errorf("%s: %s (%s), want %s", command, v.Decision, v.Row, tt.want)
			}
		}
	}
}
