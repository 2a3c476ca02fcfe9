package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJudgeExplains(t *testing.T) {
	d := fresh(t)
	d.Mkdir(project + "/.git")
	d.Mkdir(project + "/build")
	d.Symlink("/etc", project+"/link")
	d.FS.Write(project+"/src/a.go", "")
	d.FS.Write(project+"/conf/server.key", "")
	for _, c := range []struct{ input, want string }{
		{"git status", "allow"}, {"rm -rf ..", "deny"}, {"rm -rf /home/ada", "deny"}, {"frobnicate --all", "ask"},
		{"head src/*", "allow"}, {"grep -rn x src", "allow"}, {"head */*", "ask"}, {"grep -rn x .", "ask"},
	} {
		out, err, code := d.run("judge", c.input)
		if code != OK || err != "" || !strings.HasPrefix(out, c.want+"  ") {
			t.Errorf("%s: code %d, %s%s, want %s", c.input, code, out, err, c.want)
		}
	}
	out, _, _ := d.run("judge", "--json", "--action", "edit", "--content", `{"scripts":{"postinstall":"x"}}`, "package.json")
	var v struct{ Decision, Row, Reason string }
	if err := json.Unmarshal([]byte(out), &v); err != nil || v.Decision == "" || v.Row == "" || v.Reason == "" {
		t.Errorf("%v: %s", err, out)
	}
	d.Mkdir("/etc")
	if real, ok := (&call{Host: d}).real(project + "/link/passwd"); !ok || real != "/etc/passwd" {
		t.Errorf("a path through a link: %q %v", real, ok)
	}
	d.Symlink("/nowhere", project+"/lost")
	if real, ok := (&call{Host: d}).real(project + "/lost"); ok {
		t.Errorf("a link to nowhere: %q", real)
	}
	if out, _, code := d.run("judge", "--rows"); code != OK || strings.Count(out, "\n") < 20 || !strings.HasPrefix(out, "  deny   delete-outside      deletes outside the workspace and its worktrees\n") {
		t.Errorf("the rows: code %d, %s", code, out)
	}
	for line, want := range map[string]string{
		"judge":                 "superadvisor: want an input, or --rows; see superadvisor judge --help\n",
		"judge --action wrte x": "superadvisor: --action wants one of bash, edit, write, read, webfetch, got \"wrte\" (did you mean write?); see superadvisor judge --help\n",
	} {
		if out, err, code := d.run(strings.Fields(line)...); code != Usage || err != want || out != "" {
			t.Errorf("%s: code %d, %s%s", line, code, out, err)
		}
	}
}
