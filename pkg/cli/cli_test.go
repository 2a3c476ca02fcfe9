package cli

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestCommandLinesThatAreWrong(t *testing.T) {
	for _, c := range []struct {
		line string
		want string // of the standard error
	}{
		{"statsu", `superadvisor: there is no command "statsu" (did you mean status?); see superadvisor --help`},
		{"frobnicate", `superadvisor: there is no command "frobnicate"; see superadvisor --help`},
		{"--verison", `superadvisor: there is no option "--verison" (did you mean --version?); see superadvisor --help`},
		{"help statsu", `superadvisor: there is no command "statsu" (did you mean status?); see superadvisor --help`},
		{"status --sesion x", `superadvisor: there is no option "--sesion" (did you mean --session?); see superadvisor status --help`},
		{"status -x", `superadvisor: there is no option "-x"; see superadvisor status --help`},
		{"status --json=yes", `superadvisor: --json takes no value; see superadvisor status --help`},
		{"status --session", `superadvisor: --session needs a value: --session ID; see superadvisor status --help`},
		{"status more", `superadvisor: "more" is one argument too many; see superadvisor status --help`},
		{"why", `superadvisor: <note> is missing; see superadvisor why --help`},
		{"why a b", `superadvisor: "b" is one argument too many; see superadvisor why --help`},
		{"log --lines many", `superadvisor: --lines wants a whole number, got "many"; see superadvisor log --help`},
	} {
		out, err, code := fresh(t).run(strings.Fields(c.line)...)
		if out != "" || err != c.want+"\n" || code != Usage {
			t.Errorf("%s: code %d, output %q\n got %s\nwant %s", c.line, code, out, err, c.want)
		}
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	d := fresh(t)
	all, _, code := d.run("--help")
	if code != OK {
		t.Errorf("--help ends with %d", code)
	}
	if out, _, code := d.run(); out != all || code != Usage {
		t.Errorf("no command at all: code %d, and\n%s", code, out)
	}
	for _, c := range commands() {
		if !strings.Contains(all, "\n  "+c.name+" ") {
			t.Errorf("--help does not list %s", c.name)
		}
		out, err, code := d.run(c.name, "--help")
		if code != OK || err != "" || !strings.HasPrefix(strings.Join(strings.Fields(out), " "), "superadvisor "+c.name+": "+c.does+" usage: ") {
			t.Errorf("%s --help: code %d, %s%s", c.name, code, out, err)
		}
		for _, same := range [][]string{{"help", c.name}, {c.name, "-h"}} {
			if again, _, _ := d.run(same...); again != out {
				t.Errorf("%v is not as --help:\n%s", same, again)
			}
		}
		for _, o := range c.options {
			if !strings.Contains(out, "--"+o.name) {
				t.Errorf("%s --help does not tell of --%s", c.name, o.name)
			}
		}
		for line := range strings.Lines(all + out) {
			if utf8.RuneCountInString(line) > 81 {
				t.Errorf("a line of the help has %d characters: %s", len(line), line)
			}
		}
	}
	if out, _, code := d.run("--version"); out != "1.2.3\n" || code != OK {
		t.Errorf("--version: code %d, %s", code, out)
	}
}

func TestWhatIsKnownOfASession(t *testing.T) {
	d := fresh(t)
	d.store("ses_old", project, nit)
	d.store("ses_mine", project, nit, blocker)
	d.store("ses_else", "/home/ada/other", nit)
	out, err, code := d.run("notes")
	want := "n_0123456789ab blocker (delivered) src/db.ts:25 currentUser crashes for an unknown token.\nn_aaaaaaaaaaaa nit (duplicate) Call it name.\n"
	if out != want || err != "" || code != OK {
		t.Errorf("notes: code %d, %s\n%s", code, err, cmp.Diff(want, out))
	}
	out, _, code = d.run("why", "n_0123456789ab")
	want = "n_0123456789ab blocker: currentUser crashes for an unknown token.\nfate: delivered\nwake: granted\n" +
		"citation: quote verified src/db.ts:25 return null\nlooked: read src/db.ts\n"
	if out != want || code != OK {
		t.Errorf("why: code %d\n%s", code, cmp.Diff(want, out))
	}
	again := blocker
	again.Fate = "duplicate"
	d.store("ses_again", project, blocker, again, again)
	out, _, _ = d.run("why", "n_0123456789ab")
	if !strings.Contains(out, "\nfate: delivered\nagain: 2 more with this id; ") {
		t.Errorf("why of a note that was found again: %s", out)
	}
	var one protocol.StoredNote
	if out, _, _ = d.run("why", "n_0123456789ab", "--json"); json.Unmarshal([]byte(out), &one) != nil || one.Fate != "delivered" {
		t.Errorf("why --json of a note that was found again: %s", out)
	}
	d.Remove(d.slot("ses_again"))
	if _, err, code = d.run("why", "n_none"); err != "superadvisor why: There is no note \"n_none\". superadvisor notes lists the ids.\n" || code != Failed {
		t.Errorf("why of none: code %d, %s", code, err)
	}
	out, err, code = d.run("status")
	if code != OK || !strings.HasPrefix(out, "session: ses_mine in "+project+", last used ") || !strings.Contains(out, "\nreviews: 2 started") {
		t.Errorf("status: code %d, %s%s", code, out, err)
	}
	if out, _, _ = d.run("status", "--session", "ses_o"); !strings.HasPrefix(out, "session: ses_old ") {
		t.Errorf("status --session of a beginning: %s", out)
	}
	if _, err, code = d.run("status", "--session=ses_"); code != Failed || err != "superadvisor status: 3 sessions begin with \"ses_\"; write more of it\n" {
		t.Errorf("an ambiguous session: code %d, %s", code, err)
	}
	if _, err, code = d.run("notes", "--session", "nix"); code != Failed || !strings.Contains(err, `there is no session "nix" in `+stateDir) {
		t.Errorf("an unknown session: code %d, %s", code, err)
	}
}

func TestWhatScriptsGet(t *testing.T) {
	d := fresh(t)
	d.store("ses_1", project, nit, blocker)
	d.store("ses_2", "/home/ada/other")
	var notes []protocol.StoredNote
	var one protocol.StoredNote
	var status struct {
		Session, Directory string
		Used               int64
		Counts             []protocol.Count
		Guard, Log         json.RawMessage
		Now                struct{ Rules []string }
	}
	var all []struct{ Session string }
	for _, c := range []struct {
		line string
		into any
	}{{"notes --json", &notes}, {"why n_aaaaaaaaaaaa --json", &one}, {"status --json", &status}, {"status --all --json", &all}} {
		out, err, code := d.run(strings.Fields(c.line)...)
		if code != OK || err != "" {
			t.Fatalf("%s: code %d, %s", c.line, code, err)
		}
		if err := json.Unmarshal([]byte(out), c.into); err != nil {
			t.Fatalf("%s: %v\n%s", c.line, err, out)
		}
	}
	if d := cmp.Diff([]protocol.StoredNote{{Note: blocker.Note, Fate: blocker.Fate, Woke: true, Tools: blocker.Tools, Wake: blocker.Wake}, nit}, notes); d != "" {
		t.Error("notes: ", d)
	}
	if d := cmp.Diff(nit, one); d != "" {
		t.Error("why: ", d)
	}
	if status.Session != "ses_1" || status.Directory != project || len(status.Counts) != 1 || status.Guard != nil || status.Log != nil || len(status.Now.Rules) != 1 || status.Now.Rules[0] != project {
		t.Errorf("status: %+v", status)
	}
	if len(all) != 2 || all[0].Session != "ses_2" {
		t.Errorf("status --all: %v", all)
	}
	d = fresh(t)
	if out, _, code := d.run("status", "--all", "--json"); out != "[]\n" || code != OK {
		t.Errorf("no session: code %d, %s", code, out)
	}
}

func TestFilesThatAreMissingOrDamaged(t *testing.T) {
	d := fresh(t)
	for _, line := range []string{"notes", "why n_1", "mute", "unmute", "report"} {
		words := strings.Fields(line)
		out, err, code := d.run(words...)
		if out != "" || code != Failed || err != "superadvisor "+words[0]+": the advisor has watched no session yet ("+stateDir+" holds none); work in the host, and if none appears, see superadvisor doctor\n" {
			t.Errorf("%s: code %d, %s%s", line, code, out, err)
		}
	}
	if _, err, code := d.run("log"); code != Failed || err != "superadvisor log: there is none yet: what goes wrong in a host is written to "+stateDir+"/logs/advisor.log\n" {
		t.Errorf("log: code %d, %s", code, err)
	}
	d.store("ses_1", project, nit)
	d.FS.Write(d.slot("damaged"), `{"session": "x`)
	d.FS.Write(d.slot("other"), `{"a": 1}`)
	d.Mkdir(stateDir + "/sessions/folder.json")
	out, err, code := d.run("notes")
	if code != OK || !strings.HasPrefix(out, "n_aaaaaaaaaaaa") {
		t.Errorf("code %d, %s", code, out)
	}
	for _, name := range []string{"damaged", "other"} {
		if !strings.Contains(err, d.slot(name)+" is left out: it is not a session's state\n") {
			t.Errorf("nothing is said of %s: %s", name, err)
		}
	}
	d.FS.Write(d.slot("ses_2"), `{"version":9,"session":"ses_2","directory":"`+project+`"}`)
	if _, err, code = d.run("status"); code != Failed || !strings.Contains(err, "it is of a newer version of the advisor") {
		t.Errorf("a newer state: code %d, %s", code, err)
	}
	d.Fail(stateDir+"/sessions", protocol.ErrnoPermission)
	if _, err, code = d.run("notes"); code != Failed || err != "superadvisor notes: read "+stateDir+"/sessions: permission denied\n" {
		t.Errorf("a folder that cannot be read: code %d, %s", code, err)
	}
}

func TestMute(t *testing.T) {
	d := fresh(t)
	d.store("ses_1", project, nit)
	before, _ := d.text(d.slot("ses_1"))
	for _, c := range []struct{ line, want string }{
		{"mute n_aaaaaaaaaaaa", "Muted: n_aaaaaaaaaaaa. superadvisor unmute n_aaaaaaaaaaaa lifts it.\n"},
		{"mute src/db.ts", "Muted: src/db.ts. superadvisor unmute src/db.ts lifts it.\n"},
		{"unmute n_aaaaaaaaaaaa", "No longer muted: n_aaaaaaaaaaaa.\n"},
		{"mute", "The advisor is quiet in this session. superadvisor unmute lifts it.\n"},
	} {
		out, err, code := d.run(strings.Fields(c.line)...)
		if out != c.want || code != OK {
			t.Errorf("%s: code %d, %s%s", c.line, code, out, err)
		}
	}
	var now protocol.StoredSession
	out, _, _ := d.run("status", "--json")
	if err := json.Unmarshal([]byte(out), &now); err != nil || !now.Muted || len(now.MutedNotes) != 0 || len(now.MutedPaths) != 1 || len(now.Notes) != 1 || now.Directory != project || now.Heard != 0 {
		t.Errorf("status --json: %v, %s", err, out)
	}
	if out, _, _ = d.run("status"); !strings.Contains(out, "\nadvisor: quiet in this session, because you said so; superadvisor unmute lifts it\n") || !strings.Contains(out, "\nmuted paths: src/db.ts\n") {
		t.Errorf("status: %s", out)
	}
	if text, _ := d.text(d.slot("ses_1")); text != before {
		t.Error("the stored session, which a host may have open, was changed")
	}
	for _, c := range []struct{ line, want string }{
		{"unmute style", "superadvisor unmute: \"style\" is not muted. superadvisor status lists what is.\n"},
		{"mute " + strings.Repeat("x", 301), "superadvisor mute: A note's id, a path or a category is one line of 300 bytes at most.\n"},
		{"mute a\x1bb", "superadvisor mute: A note's id, a path or a category is one line of 300 bytes at most.\n"},
	} {
		left, _ := d.text(d.wishes("ses_1"))
		if _, err, code := d.run(strings.Split(c.line, " ")...); code != Failed || err != c.want {
			t.Errorf("%q: code %d, %s", c.line, code, err)
		}
		if now, _ := d.text(d.wishes("ses_1")); now != left {
			t.Errorf("%q was left all the same", c.line)
		}
	}
	d.broken = "permission denied"
	if _, err, code := d.run("mute"); code != Failed || err != "superadvisor mute: permission denied\n" {
		t.Errorf("a folder that cannot be written: code %d, %s", code, err)
	}
}

// What was left and what a host has stored since are one.
func TestWishesBesideWhatAHostStores(t *testing.T) {
	d := fresh(t)
	d.store("ses_1", project, nit)
	text, _ := d.text(d.slot("ses_1"))
	const mute = `{"do":"mute","about":"style"}` + "\n"
	heard := func(n int) {
		d.FS.Write(d.slot("ses_1"), strings.TrimSuffix(text, "}")+`,"heard":`+strconv.Itoa(n)+"}")
	}
	for _, c := range []struct {
		name   string
		wishes string
		heard  int
		muted  bool
		odd    string
	}{
		{"not heard yet", mute, 0, true, ""},
		{"heard, and lifted in the host", mute, len(mute), false, ""},
		{"a part is heard", `{"do":"mute"}` + "\n" + mute, 14, true, ""},
		{"the file is a new one", mute, 10_000, true, ""},
		{"less than nothing is heard", mute, -5, true, ""},
		{"cut off", mute + `{"do":"unmute","about":"sty`, 0, true, ""},
		{"no wishes", "nonsense\n" + mute + "[]\n", 0, true, "2 lines are no wishes and are left out\n"},
		{"too much", strings.Repeat(mute, 50_000), 0, false, "larger than 1 MB\n"},
	} {
		heard(c.heard)
		d.FS.Write(d.wishes("ses_1"), c.wishes)
		for _, line := range []string{"status", "status --json", "notes"} {
			out, err, code := d.run(strings.Fields(line)...)
			if muted := strings.Contains(out, `style`); code != OK || line != "notes" && muted != c.muted || strings.Contains(out, "quiet in this") {
				t.Errorf("%s: %s: code %d, %s", c.name, line, code, out)
			}
			if !strings.HasSuffix(err, c.odd) || (err == "") != (c.odd == "") {
				t.Errorf("%s: %s: complains %q, want %q", c.name, line, err, c.odd)
			}
		}
	}
	d.Remove(d.wishes("ses_1"))
	d.Mkdir(d.wishes("ses_1"))
	if _, err, code := d.run("notes"); code != OK || !strings.HasSuffix(err, ".jsonl: not a regular file\n") {
		t.Errorf("a folder: code %d, %s", code, err)
	}
}

func TestLog(t *testing.T) {
	d := fresh(t)
	path := stateDir + "/logs/advisor.log"
	d.FS.Write(path, "one\ntwo\nthree\n")
	if out, _, code := d.run("log", "--lines", "2"); out != "two\nthree\n" || code != OK {
		t.Errorf("code %d, %q", code, out)
	}
	if out, _, _ := d.run("log"); out != "one\ntwo\nthree\n" {
		t.Errorf("all lines: %q", out)
	}
	if out, _, _ := d.run("log", "--lines=0"); out != "" {
		t.Errorf("no lines: %q", out)
	}
	d.sleeps = []func(){
		func() { d.FS.Write(path, "one\ntwo\nthree\nfo") },
		func() { d.FS.Write(path, "one\ntwo\nthree\nfour\n") },
		func() { d.Remove(path) },
		func() { d.FS.Write(path, "new\n") },
		func() { d.FS.Write(path+".1", "new\nits end\n"); d.FS.Write(path, "1\n") },
	}
	if out, _, code := d.run("log", "--follow", "--lines", "1"); out != "three\nfour\nnew\nits end\n1\n" || code != OK {
		t.Errorf("followed: code %d, %q", code, out)
	}
}

func TestReplay(t *testing.T) {
	d := fresh(t)
	for name, text := range map[string]string{"a.jsonl": "same\n", "b.jsonl": "other\n", "c.jsonl": "# Notes\n"} {
		d.FS.Write(project+"/"+name, text)
	}
	for _, c := range []struct {
		args      []string
		out, fail string
		code      int
	}{
		{[]string{"a.jsonl"}, "the same\n", "", OK},
		{[]string{project + "/a.jsonl"}, "the same\n", "", OK},
		{[]string{"b.jsonl"}, "not the same\n", "", Failed},
		{[]string{"c.jsonl"}, "", "c.jsonl: no recording", Failed},
		{[]string{"none.jsonl"}, "", "none.jsonl: no such file", Failed},
		{nil, "", "recording", Usage},
		{[]string{"a", "b"}, "", "one argument too many", Usage},
	} {
		out, complaint, code := d.run(append([]string{"replay"}, c.args...)...)
		if out != c.out || code != c.code || !strings.Contains(complaint, c.fail) {
			t.Errorf("%q: code %d, %q, %q", c.args, code, out, complaint)
		}
	}
}

func TestColours(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"a terminal", true, nil, true},
		{"a pipe", false, nil, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, false},
		{"an empty NO_COLOR", true, map[string]string{"NO_COLOR": ""}, true},
		{"a terminal that has none", true, map[string]string{"TERM": "dumb"}, false},
	} {
		d := fresh(t)
		d.env = c.env
		if got := colours(d, protocol.CLI{Terminal: c.terminal}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestReport(t *testing.T) {
	line := func(session, kind, text string) string {
		return string(protocol.AppendJournalLine(nil, protocol.JournalLine{At: 1, Session: session, Kind: kind, Outcome: "delivered", Note: "n", Severity: protocol.Nit, Text: text})) + "\n"
	}
	watched := func(t *testing.T) *desk {
		d := fresh(t)
		d.store("ses_a", project)
		d.FS.Write(stateDir+"/logs/journal.log.1", line("ses_a", "note", "the older")+line("ses_b", "note", "of another"))
		d.FS.Write(stateDir+"/logs/journal.log", line("ses_a", "note", "the newer")+"half a li")
		return d
	}
	t.Run("is written beside the person, and again over its own", func(t *testing.T) {
		d := watched(t)
		for range 2 {
			out, err, code := d.run("report")
			if code != OK || out != project+"/superadvisor-report.html\n" || err != "superadvisor: "+stateDir+"/logs/journal.log: 1 lines could not be read and are left out\n" {
				t.Errorf("code %d, %s%s", code, out, err)
			}
			page, _ := d.text(project + "/superadvisor-report.html")
			older, newer := strings.Index(page, "the older"), strings.Index(page, "the newer")
			if older < 0 || newer < older || strings.Contains(page, "of another") {
				t.Errorf("the page:\n%s", page)
			}
		}
	})
	t.Run("over all sessions goes where it should", func(t *testing.T) {
		out, _, code := watched(t).run("report", "--all", "--out", "-")
		if code != OK || !strings.Contains(out, "of another") || !strings.HasPrefix(out, "<!doctype html>") {
			t.Errorf("code %d, %s", code, out)
		}
	})
	t.Run("replaces nothing of the person's", func(t *testing.T) {
		d := watched(t)
		d.FS.Write(project+"/index.html", "<!doctype html>\nmine")
		_, err, code := d.run("report", "--out", "index.html")
		if code != Failed || !strings.HasSuffix(err, "index.html exists and is not a report of ours; name another file with --out\n") {
			t.Errorf("code %d, %s", code, err)
		}
		if text, _ := d.text(project + "/index.html"); text != "<!doctype html>\nmine" {
			t.Errorf("the file is now %s", text)
		}
	})
	t.Run("that cannot be written says why", func(t *testing.T) {
		d := watched(t)
		d.broken = "read-only file system"
		if _, err, code := d.run("report"); code != Failed || !strings.HasSuffix(err, "write superadvisor-report.html: read-only file system\n") {
			t.Errorf("code %d, %s", code, err)
		}
	})
	t.Run("without a session says so", func(t *testing.T) {
		if out, err, code := fresh(t).run("report"); code != Failed || out != "" || err == "" {
			t.Errorf("code %d, %s%s", code, out, err)
		}
	})
}

// What others wrote is on the screen as it is in the file, and moves nothing there.
func TestWhatDoesNotShowIsWrittenOut(t *testing.T) {
	const odd = "a\u202eb\x1b[2J\u200b\u2028\x7f\U000e0041\r"
	const shown = `a\u202eb\u001b[2J\u200b\u2028\u007f\udb40\udc41\u000d`
	d := fresh(t)
	d.FS.Write(stateDir+"/logs/advisor.log", "2026-01-01 info "+odd+"\tä 漢\n")
	if out, _, code := d.run("log"); code != OK || out != "2026-01-01 info "+shown+"\tä 漢\n" {
		t.Errorf("log: code %d, %q", code, out)
	}
	for _, line := range [][]string{{odd}, {"why", odd}, {"judge", "--action", odd, "x"}, {"status", "--session", odd}, {"log", "--lines", odd}} {
		out, complaint, _ := d.run(line...)
		if at := strings.IndexFunc(out+complaint, func(r rune) bool { return r != '\n' && guard.Hidden(r) }); at >= 0 {
			t.Errorf("%q: %q", line, out+complaint)
		}
	}
	for _, text := range []string{"", "plain\n\tä", "\x1b[31mred\x1b[0m"} {
		if got := writtenOut(text, true); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := writtenOut("\x1b[31mred \x1b[8m", false); got != `\u001b[31mred \u001b[8m` {
		t.Errorf("without colours: %q", got)
	}
	raw, _ := json.Marshal(odd)
	var back string
	if err := json.Unmarshal([]byte(writtenOut(string(raw), false)), &back); err != nil || back != odd {
		t.Errorf("a value for scripts: %q, %v", back, err)
	}
}

// Before the first session there is something to tell: what will be in force.
func TestStatusWithoutASession(t *testing.T) {
	d := fresh(t)
	d.FS.Write("/home/ada/.config/opencode/advisor.json", `{"watchdogModel": "fake/small", "transport": "host", "timeoutMs": "soon"}`)
	for _, why := range []string{"the advisor has watched no session yet", "the advisor has watched no session in " + project + "; superadvisor status --all"} {
		out, err, code := d.run("status")
		if code != OK || err != "" || !strings.HasPrefix(out, "session: none: "+why) || !strings.Contains(out, "\nwatchdog: fake/small through the host\n") ||
			!strings.Contains(out, "\nrules: "+project+"\n") || !strings.Contains(out, "\nconfig: advisor.json: timeoutMs: ") {
			t.Errorf("code %d, %s%s", code, out, err)
		}
		var status map[string]json.RawMessage
		if out, _, code = d.run("status", "--json"); json.Unmarshal([]byte(out), &status) != nil || code != OK || len(status) != 1 || status["now"] == nil {
			t.Errorf("--json: code %d, %s", code, out)
		}
		if _, err, code = d.run("status", "--session", "ses_1"); code != Failed || !strings.Contains(err, `there is no session "ses_1"`) {
			t.Errorf("a session that is named: code %d, %s", code, err)
		}
		d.store("ses_2", "/home/ada/other")
	}
}

func TestLinesFitATerminal(t *testing.T) {
	long := strings.Repeat("wörd ", 40)
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"short\nlines\n", "short\nlines\n"}, {strings.Repeat("x", 100), strings.Repeat("x", 100)},
		{strings.Repeat("x", 79) + " y", strings.Repeat("x", 79) + "\n  y"},
		{strings.Repeat("x", 80) + " y", strings.Repeat("x", 80) + "\n  y"},
		{"aaa " + strings.Repeat("x", 90) + " b", "aaa\n  " + strings.Repeat("x", 90) + "\n  b"},
	} {
		if got := fold(c.text, 2); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	folded := fold(long, 4)
	for line := range strings.Lines(folded) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > columns {
			t.Errorf("too wide: %q", line)
		}
	}
	if strings.Join(strings.Fields(folded), " ") != strings.TrimSpace(long) {
		t.Errorf("words are lost: %q", folded)
	}
	d := fresh(t)
	d.store("ses_1", project, nit, blocker)
	init := protocol.Init{Version: "1.2.3", Directory: project, Home: "/home/ada", ConfigHome: "/home/ada/.config"}
	for _, args := range []string{"doctor --no-host", "doctor --no-host --all", "status", "notes", "why n_aaaaaaaaaaaa"} {
		d.out.Reset()
		Run(d, init, protocol.CLI{Args: strings.Fields(args), State: stateDir, Package: packageDir, Terminal: true})
		for line := range strings.Lines(regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(d.out.String(), "")) {
			if words := strings.TrimSpace(line); utf8.RuneCountInString(line) > columns+1 && strings.Contains(words, " ") {
				t.Errorf("%s: too wide: %q", args, line)
			}
		}
	}
}
