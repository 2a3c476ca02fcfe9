package judge

import (
	"strings"
	"testing"
)

// Each of these looks like a command of the safe list and does more.
func TestWhatOnlyLooksSafeIsNotAllowed(t *testing.T) {
	many, wide := "", ""
	for _, v := range strings.Fields("a b c d e") {
		many += v + "=1; if test -e x; then " + v + "=2; fi; "
		wide += "$" + v
	}
	for _, tt := range []struct {
		command string
		row     string // empty: no row, the model decides
	}{
		// -v stands in front of any subcommand.
		{"git remote -v rm origin", ""},
		{"git remote --verbose update", ""},
		{"git remote -v set-url origin https://example.com/x.git", ""},

		{"ninja install", ""},
		{"ninja -C build uninstall", ""},
		{"ninja -C /srv/other", ""},

		// bash takes the CR for what the backslash escapes, for a part of the last word, or for a command.
		{"ls \\\r\ntouch x", "odd-text"},
		{"cd nope &&\r\nrm -rf *", "odd-text"},
		{"cd sub || exit\r\nrm -rf *", "odd-text"},

		// With the pattern in an option the first operand is a file.
		{"grep -e. .env", "secret-read"},
		{"grep -nre. .env", "secret-read"},
		{"grep --regexp=. .env", "secret-read"},
		{"grep --reg=. .env", "secret-read"},
		{"grep -f .env x", "secret-read"},
		{"grep -fe .env", "secret-read"},
		{"rg -e. .env", "secret-read"},
		{"rg -e. '-r$0e' .env", "secret-read"},
		{"sed -ep .env", "secret-read"},
		{"sed -n --expression=p .env", "secret-read"},
		{"sed -ne p .env", "secret-read"},
		{"grep -e x .env", "secret-read"},
		{"grep x -- .env", "secret-read"},
		{"grep x .env", "secret-read"},

		{"cat .[!x]nv", "secret-read"},
		{"cat .e[[:alpha:]]v", "secret-read"},
		{"cat .[!.]*", "secret-read"},
		{"cat .e[]n]v", "secret-read"},
		{"head .ss[[.h.]]/id_rs[!b]", "secret-read"},

		// More ways to expand than are looked at.
		{many + "p=; if test -e x; then p=/etc/; fi; rm -rf $p" + wide, "too-big"},
	} {
		v := Floor(bash(tt.command))
		if v.Decision == Allow || v.Row != tt.row {
			t.Errorf("%q: %s, row %s; want row %q", tt.command, v.Decision, v.Row, tt.row)
		}
	}
	for _, c := range []string{
		"git remote -v", "git remote", "git remote get-url origin", "ninja", "ninja -C build -j 4", "ninja test", "ninja -k 0 all",
		"grep -rn x src", "grep -e .env src/a.go", "grep -rne .env src/a.go", "grep .env -- src/a.go", "rg -e .env src", "sed -ne p src/a.go", "sed -n p src/a.go", "cat src/[!a]*.go", "jq -e . package.json",
	} {
		if v := Floor(bash(c)); v.Decision != Allow {
			t.Errorf("%q: %s, row %s; want allow", c, v.Decision, v.Row)
		}
	}
}
