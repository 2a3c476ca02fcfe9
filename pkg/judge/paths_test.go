package judge

import (
	"strings"
	"testing"
)

// linked resolves paths below links, as a disk would.
func linked(links map[string]string) func(string) (string, bool) {
	return func(p string) (string, bool) {
		for range 8 {
			again := false
			for from, to := range links {
				if under(p, from) {
					p, again = to+p[len(from):], true
				}
			}
			if !again {
				return p, !strings.Contains(p, "broken")
			}
		}
		return "", false
	}
}

func TestSymlinksAreJudgedByWhereTheyLead(t *testing.T) {
	place := corpusPlace
	place.Real = linked(map[string]string{
		"/home/dev/app/out": "/etc", "/home/dev/app/in": "/home/dev/app/src", "/home/dev/app/dead": "/broken", "/home/dev/app/root": "/home/dev/app",
		"/home/dev/app/hooks": "/home/dev/app/.git/hooks", "/home/dev/app/loop": "/home/dev/app/loop", "/home/dev/app/wt": "/home/dev/app-feature",
	})
	for _, tt := range []struct {
		command  string
		decision Decision
		row      string
	}{
		{"touch out/x", Deny, "write-outside"}, {"touch in/x", None, ""}, {"touch wt/x", None, ""}, {"touch dead/x", Ask, "target-unresolved"}, {"touch loop/x", Ask, "target-unresolved"},
		{"rm out/x", Deny, "delete-outside"}, {"rm -rf out/*", Deny, "delete-outside"}, {"rm -rf out/", Deny, "delete-outside"}, {"rm out", None, ""}, {"rm -rf in/*", None, ""},
		{"rm -rf root/*", Deny, "delete-root"}, {"echo x > hooks/pre-commit", Deny, "write-git"}, {"cat out/hostname", None, ""}, {"cat in/a.go", Allow, "safe-read"}, {"find out/ -delete", Deny, "delete-outside"},
		{"cd out && touch x", Deny, "write-outside"}, {"cd in && go test ./...", Allow, "safe-test"},
	} {
		v := Floor(Action{Kind: "bash", Command: tt.command, Place: place})
		if v.Decision != tt.decision || v.Row != tt.row {
			t.Errorf("%s: %s %s, want %s %s", tt.command, v.Decision, v.Row, tt.decision, tt.row)
		}
	}
}

func TestPlacesThatSayLittle(t *testing.T) {
	for _, tt := range []struct {
		name     string
		place    Place
		command  string
		decision Decision
		row      string
	}{
		{"no workspace", Place{}, "touch /x", Ask, "target-unresolved"},
		{"no workspace, relative", Place{}, "touch x", Ask, "target-unresolved"},
		{"the whole disk", Place{Roots: []string{"/"}}, "touch /etc/x", Ask, "target-unresolved"},
		{"no home", Place{Roots: []string{"/w"}}, "rm -rf ~", Deny, "delete-outside"},
		{"no home, by variable", Place{Roots: []string{"/w"}}, "rm -rf $HOME", Ask, "target-unresolved"},
		{"a folder below", Place{Roots: []string{"/w"}, Cwd: "/w/sub"}, "touch ../x", None, ""},
		{"a folder below, above", Place{Roots: []string{"/w"}, Cwd: "/w/sub"}, "touch ../../x", Deny, "write-outside"},
		{"a name that begins alike", Place{Roots: []string{"/w/app"}}, "touch /w/app2/x", Deny, "write-outside"},
		{"unclean roots", Place{Roots: []string{"/w/app/../app/"}}, "touch /w/app/x", None, ""},
		{"a drive", Place{Roots: []string{`C:\w`}}, `touch C:/w/x`, None, ""},
		{"another drive", Place{Roots: []string{`C:\w`}}, `touch D:/w/x`, Deny, "write-outside"},
		{"a drive, as git's bash writes it", Place{Roots: []string{`C:\w`}}, `touch /c/w/x`, None, ""},
		{"another drive, as git's bash writes it", Place{Roots: []string{`C:\w`}}, `rm -rf /d/x`, Deny, "delete-outside"},
		{"a workspace below a folder like .git", Place{Roots: []string{"/srv/.git/w"}}, "touch x", None, ""},
	} {
		v := Floor(Action{Kind: "bash", Command: tt.command, Place: tt.place})
		if v.Decision != tt.decision || v.Row != tt.row {
			t.Errorf("%s: %s: %s %s, want %s %s", tt.name, tt.command, v.Decision, v.Row, tt.decision, tt.row)
		}
	}
	windows := Place{Roots: []string{`C:\Users\dev\app`}}
	for path, want := range map[string]Decision{`C:\Users\dev\app\src\a.go`: None, `c:\users\dev\APP\a.go`: None, `C:\Windows\x`: Deny, `src\a.go`: None, `..\x`: Deny, `C:\Users\dev\app\.git\config`: Deny} {
		if v := Floor(Action{Kind: "edit", Path: path, Content: "x", Place: windows}); v.Decision != want {
			t.Errorf("edit %s: %s %s, want %s", path, v.Decision, v.Row, want)
		}
	}
}

func TestSecretPaths(t *testing.T) {
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"/w/.env", true}, {"/w/.env.local", true}, {"/w/.env.example", false}, {"/w/.env.sample", false}, {"/w/.ENV", true}, {"/w/env.go", false}, {"/w/src/environment.ts", false},
		{"/h/.ssh/id_rsa", true}, {"/h/.ssh/id_rsa.pub", false}, {"/h/.ssh/config", true}, {"/h/.ssh/known_hosts", false}, {"/h/.ssh", true},
		{"/h/.aws/credentials", true}, {"/w/server.pem", true}, {"/w/a.key", true}, {"/w/keyboard.go", false}, {"/etc/shadow", true}, {"/etc/passwd", false},
		{"/proc/1/environ", true}, {"/w/.npmrc", true}, {"/w/package.json", false}, {"/w/credentials.json", true}, {"/w/secrets.go", false},
		{"/h/.ss?/id_*", true}, {"/h/.s*/x", true}, {"/w/.en*", true}, {"/w/.*", false}, {"/w/*", false}, {"/w/*.go", false}, {"/w/*.pem", true}, {"/w/*.json", false}, {"/w/id_*", true}, {"/h/.[s]sh/x", true},
		{"/h/.config/gh/hosts.yml", true},
	} {
		if got := secretPath(tt.path, "/h"); got != tt.want {
			t.Errorf("secretPath(%s) = %v, want %v", tt.path, got, tt.want)
		}
	}
}

func TestHosts(t *testing.T) {
	for _, tt := range []struct{ url, row string }{
		{"https://example.com/x", ""}, {"http://EXAMPLE.com:8080", ""}, {"https://sub.example.co.uk./", ""}, {"https://1e100.net/", ""}, {"https://0x7f.example.com/", ""},
		{"http://1.2.3.4/", "host-literal"}, {"http://1.2.3/", "host-literal"}, {"http://0x7f000001/", "host-literal"}, {"http://017700000001/", "host-literal"}, {"http://0/", "host-literal"}, {"http://127.0.0.1.:80/", "host-literal"},
		{"http://[::1]/", "host-literal"}, {"http://[::ffff:10.0.0.1]:80/", "host-literal"}, {"http://08.8.8.8/", "host-literal"},
		{"http://localhost/", "host-private"}, {"http://a.localhost/", "host-private"}, {"http://router/", "host-private"}, {"http://x.internal/", "host-private"}, {"http://10.0.0.1.nip.io/", "host-private"}, {"http://x.LOCAL/", "host-private"},
		{"https://ex%61mple.com/", "host-unresolved"}, {"https:///x", "host-unresolved"}, {"https://éxample.com/", "host-unresolved"},
		{"https://user@example.com/", "url-odd"}, {"file:///x", "url-odd"}, {"javascript:x", "url-odd"},
	} {
		if v := Floor(Action{Kind: "webfetch", Resources: []string{tt.url}, Place: corpusPlace}); v.Row != tt.row {
			t.Errorf("%s: %s, want %q", tt.url, v.Row, tt.row)
		}
	}
}

// A guest sees the workspace and nothing beside it: of other worktrees it knows the names alone.
func TestALinkThatCannotBeSeenIsAskedInTheWorkspaceAndLeftToTheModelInAWorktree(t *testing.T) {
	place := Place{Roots: []string{"/w/app"}, Worktrees: []string{"/w/feature"}, Home: "/home/dev", Real: func(string) (string, bool) { return "", false }}
	for _, tt := range []struct {
		path string
		want Decision
		row  string
	}{
		{"/w/app/a.txt", Ask, "target-unresolved"},
		{"/w/feature/a.txt", None, ""},
		{"/w/feature/.git/hooks/pre-commit", Deny, "write-git"},
		{"/w/other/a.txt", Deny, "write-outside"},
	} {
		if v := Floor(Action{Kind: "edit", Path: tt.path, Content: "x", Place: place}); v.Decision != tt.want || v.Row != tt.row {
			t.Errorf("%s: %s %s, want %s %s", tt.path, v.Decision, v.Row, tt.want, tt.row)
		}
	}
	// What a read there leads to is not known to be safe.
	if v := Floor(Action{Kind: "read", Path: "/w/feature/a.txt", Place: place}); v.Decision != None {
		t.Errorf("a read in a worktree: %s %s, want none", v.Decision, v.Row)
	}
}
