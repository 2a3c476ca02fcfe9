package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces are what texts with secrets are made of. Put together at random they make the neighbours
// that nobody thinks of.
var pieces = []string{
	"password", "PASSWORD", "token", "apiKey", "API_KEY", "Authorization", "x", "DB_", "_KEY", "name", "secret", "sig", "PWD", "MYSQL_PWD",
	"=", ":", ": ", " = ", ":=", "=>", "==", "?=", "://", ">", "<", "</", "&", "?", ";", "|", ",", " ", "\n", "\t", "\r\n", "  ", "-", "--", "-u ", "-p", "/", "@", ".", "(", ")", "{", "}", "[", "]", "#", "%", "*", "+",
	`"`, `'`, "`", `\"`, `\\"`, `\`, `\n`, `\u0026`, `\u003e`, `\u003c`, "%3D", "%20", "\x1b[31m", "$", "${", "$(", "${{", "}}", "<(", "...", "…", `"""`,
	"hunter2", "abc", "a1b2c3d4", "correct horse", "string", "Qw3Er5Ty7Ui9Op1As2Df4Gh6", "0123456789abcdef0123456789abcdef", "wJa9rXUtnFEMIK7MDENGbPxRfiCYz8Q2vLs5dHtG", "1234", "user", "process.env.X",
	"ghp_" + "a8Bc3De5Fg7Hi9Jk1Lm2No4Pq6Rs8Tu0VwXy", "sk-" + "proj-Zx9Kq2Lm7Tn4Rv8Yb3Wc6Hd1", "sk-", "AKIA" + "ZQ3DR7W5N2XK4B6J", "AKIA", "xox" + "b-2914875620-Qw3Er5Ty7Ui9", "eyJ" + "hbGciOiJIUzI1NiJ9", ".eyJ" + "zdWIiOiIxMjM0In0.abcdefgh", "AI" + "za0123456789012345678901234567890",
	"Bearer ", "Basic ", "YTpiY2RlZmc=", "bearer", "-----BEGIN ", "-----END ", "RSA PRIVATE KEY", "PRIVATE KEY", "-----", strings.Repeat("aB1", 20), "Proc-Type: 4", "Private-Lines: 3", "PuTTY-User-Key-File-",
	"machine a login b ", "curl ", "sshpass ", "mysql ", "export ", "http", "postgres://u:", "@h/x", "hooks.slack.com/services/", "[redacted:", "[redacted:token]", "known-value-1", "a25vd24tdmFsdWUtMQ", "]abcdefg", "\xff", "é", "\x00",
}

func TestTwiceIsOnce(t *testing.T) {
	r := New("known-value-1", "]abcdefg", "abcdefg[")
	random := rand.New(rand.NewPCG(1, 2))
	n := 60_000
	if testing.Short() {
		n = 5_000
	}
	for range n {
		var b strings.Builder
		for range 2 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		s := b.String()
		once := r.Text(s)
		if twice := r.Text(once); twice != once {
			t.Fatalf("%q became\n%q and then\n%q", s, once, twice)
		}
		if strings.Count(once, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q became\n%q, which has other lines", s, once)
		}
		json, _ := r.JSON([]byte(s))
		if again, _ := r.JSON(json); string(again) != string(json) {
			t.Fatalf("%q became\n%q and then\n%q", s, json, again)
		}
	}
}
