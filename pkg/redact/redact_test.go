package redact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// key makes a secret of parts, so that no scanner of repositories finds it whole.
func key(parts ...string) string { return strings.Join(parts, "") }

func TestHide(t *testing.T) {
	gh := key("gh", "p_", "a8Bc3De5Fg7Hi9Jk1Lm2No4Pq6Rs8Tu0VwXy")
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "no issues\n", "no issues\n"},
		{"empty", "", ""},
		{"in the middle", "use " + gh + " now", "use [redacted:github-token] now"},
		{"two", gh + "," + gh, "[redacted:github-token],[redacted:github-token]"},
		{"inside a word", "x" + gh, "x" + gh},
		{"after an escaped line end", `a\n` + gh, `a\n[redacted:github-token]`},
		{"the value's own kind wins over the name's", "API_KEY=" + gh, "API_KEY=[redacted:github-token]"},
		{"quotes stay", `password = "hunter2x"`, `password = "[redacted:password]"`},
		{"an escaped quote inside", `password: "a\"b1c"; x`, `password: "[redacted:password]"; x`},
		{"backslashes of an outer string", `"{\"password\":\"hunter2\",\"n\":1}"`, `"{\"password\":\"[redacted:password]\",\"n\":1}"`},
		{"the string is cut", `password: "hunter2x and so`, `password: "[redacted:password]`},
		{"a default in an expansion", "PASSWORD=${PW:-hunter2x}", "PASSWORD=[redacted:password]"},
		{"a command goes on", "DB_PASSWORD=hunter2 ./run --fast; ls", "DB_PASSWORD=[redacted:password] ./run --fast; ls"},
		{"a command without a blank", "PASSWORD=hunter2;ls -l", "PASSWORD=[redacted:password];ls -l"},
		{"a file's line with operators", "PASSWORD=a;b|c&d\nX=1\n", "PASSWORD=[redacted:password]\nX=1\n"},
		{"an assignment inside a substitution", "PASSWORD=$(X_TOKEN=abcdef123 curl -d x)", "PASSWORD=$(X_TOKEN=[redacted:token] curl -d x)"},
		{"a token as the user's name", "curl -u " + gh + ":x-oauth-basic https://h", "curl -u [redacted:github-token]:[redacted:password] https://h"},
		{"a token as the user's name in a URL", "https://" + gh + ":x-oauth-basic@h/r", "https://[redacted:github-token]:[redacted:url-password]@h/r"},
		{"a string that ends in the name", `f("Password:"), g("x1234567")`, `f("Password:"), g("x1234567")`},
		{"a port and a path are no password", "http://h:8080/a@b", "http://h:8080/a@b"},
		{"two passwords in URLs", "a://u:abc1@h b://u:abc2@h", "a://u:[redacted:url-password]@h b://u:[redacted:url-password]@h"},
		{"a mask is left alone", "password=[redacted:jwt] x", "password=[redacted:jwt] x"},
		{"what only looks like a mask is not", "password=[redacted:", "password=[redacted:"},
		{"cut at the end", "token " + gh[:12], "token [redacted:github-token]"},
		{"too short to tell, in the middle", gh[:12] + " x", gh[:12] + " x"},
		{"a key block keeps its lines", "a\n-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("aB1", 20) + "\n-----END PRIVATE KEY-----\nd", "a\n[redacted:private-key]\n\n\nd"},
		{"CR LF", "PASSWORD=hunter2\r\nX=1\r\n", "PASSWORD=[redacted:password]\r\nX=1\r\n"},
		{"not UTF-8", "\xff\xfePASSWORD=hunter2\xff", "\xff\xfePASSWORD=[redacted:password]"},
		{"NUL", "PASSWORD=hunter2\x00X", "PASSWORD=[redacted:password]\x00X"},
		{"a colour of a terminal", "\x1b[31m" + gh + "\x1b[0m", "\x1b[31m[redacted:github-token]\x1b[0m"},
		{"an id and its secret in another line", "AKIA" + "ZQ3DR7W5N2XK4B6J\n" + "wJa9rXUtnFEMIK7MDENGbPxRfiCYz8Q2vLs5dHtG\n", "[redacted:aws-key-id]\n[redacted:aws-secret]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := New()
			got := r.Text(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if again := r.Text(got); again != got {
				t.Errorf("redacting twice gives %q", again)
			}
			if b := string(r.Bytes([]byte(tt.in))); b != tt.want {
				t.Errorf("Bytes gives %q", b)
			}
		})
	}
}

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     Report
	}{
		{"nothing", "ls -l", Report{}},
		{"one", "PASSWORD=hunter2 ls", Report{Count: 1, Kinds: []string{"password"}}},
		{"kinds are sorted and stand once", "PASSWORD=hunter2 DB_PASSWORD=hunter3 API_TOKEN=abc123def ls", Report{Count: 3, Kinds: []string{"password", "token"}}},
		{"a substitution among text", `PASSWORD="x1$(rm -rf /)y" ls`, Report{Count: 1, Kinds: []string{"password"}, Command: true}},
		{"a backtick among text", "PASSWORD=\"x1`id`y\" ls", Report{Count: 1, Kinds: []string{"password"}, Command: true}},
		{"a process substitution", `PASSWORD="x1<(id)" ls`, Report{Count: 1, Kinds: []string{"password"}, Command: true}},
		{"an operator without quotes", "PASSWORD=x;id|sh\n", Report{Count: 1, Kinds: []string{"password"}, Command: true}},
		{"an operator in quotes", `PASSWORD="x;y|z1"`, Report{Count: 1, Kinds: []string{"password"}}},
		{"a substitution in a URL", "curl http://u:$(id)x@h", Report{Count: 1, Kinds: []string{"url-password"}, Command: true}},
		{"a substitution alone is shown", `PASSWORD="$(rm -rf /)" ls`, Report{}},
		{"a substitution alone, without quotes", "PASSWORD=$(pass show x) ls", Report{}},
		{"two substitutions are not one reference", `PASSWORD="$(a)b$(c)"`, Report{Count: 1, Kinds: []string{"password"}, Command: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, got := New().Hide(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n%q", diff, out)
			}
		})
	}
}

func TestExactValues(t *testing.T) {
	const secret = `k/9+"w$ q~é=7`
	r := New(secret, "  padded-value-1\n", "short", "lm-studio", "overlap-abcdef", "abcdef-overlap")
	for _, tt := range []struct{ name, in, want string }{
		{"itself", "a " + secret + " b", "a [redacted:known-key] b"},
		{"in JSON", `{"a":"k/9+\"w$ q~é=7"}`, `{"a":"[redacted:known-key]"}`},
		{"in JSON, slashes escaped", `{"a":"k\/9+\"w$ q~é=7"}`, `{"a":"[redacted:known-key]"}`},
		{"in JSON in JSON", `"{\"a\":\"k/9+\\\"w$ q~é=7\"}"`, `"{\"a\":\"[redacted:known-key]\"}"`},
		{"in a query", "?q=k%2F9%2B%22w%24%20q~%C3%A9%3D7&x", "?q=[redacted:known-key]&x"},
		{"in a form", "q=k%2F9%2B%22w%24+q~%C3%A9%3D7&x", "q=[redacted:known-key]&x"},
		{"in a query, small digits", "?q=k%2f9%2b%22w%24%20q~%c3%a9%3d7&x", "?q=[redacted:known-key]&x"},
		{"blanks around the configured value do not count", "<padded-value-1>", "<[redacted:known-key]>"},
		{"too short", "short circuit", "short circuit"},
		{"a stand-in", "with lm-studio", "with lm-studio"},
		{"two that overlap are one", "x overlap-abcdef-overlap y", "x [redacted:known-key] y"},
		{"cut at the end", "x overlap-abc", "x [redacted:known-key]"},
		{"cut at the beginning", "-abcdef x", "-abcdef x"},
		{"cut at the beginning, enough left", "lap-abcdef x", "[redacted:known-key] x"},
		{"a mask is not searched", "[redacted:known-key]", "[redacted:known-key]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := r.Text(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if again := r.Text(got); again != got {
				t.Errorf("redacting twice gives %q", again)
			}
		})
	}
	var none *Redactor
	if got := none.Text("PASSWORD=hunter2"); got != "PASSWORD=[redacted:password]" {
		t.Errorf("a nil Redactor gives %q", got)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"OPENAI_API_KEY": "api-key", "apiKey": "api-key", "x-api-key": "api-key", "apikey": "api-key", "APIKey": "api-key", "secretAccessKey": "api-key", "AccountKey": "api-key",
		"password": "password", "DB_PASSWORD": "password", "dbPassword": "password", "spring.datasource.password": "password", "PGPASSWORD": "password", "PASSWORD2": "password",
		"MYSQL_PWD": "password", "Pwd": "password", "DB_PASS": "password", "smtp_pass": "password", "user-passphrase": "password",
		"token": "token", "authToken": "token", "_authToken": "token", "GITHUB_TOKEN": "token", "csrf_token": "token", "SLACK_TOKEN_1": "token",
		"clientSecret": "secret", "SECRET": "secret", "jwt_secret": "secret", "credentials": "credential",
		"Authorization": "authorization", "DATADOG_KEY": "key",
		"PWD": "", "OLDPWD": "", "pass": "", "tests_pass": "", "bypass": "", "tokens": "", "max_tokens": "", "nextPageToken": "", "eos_token": "", "tokenizer": "", "secretName": "",
		"key": "", "KEY": "", "PRIMARY_KEY": "", "primaryKey": "", "publicKey": "", "keyboard": "", "passwordField": "", "AWS_ACCESS_KEY_ID": "", "": "", "_": "", "123": "",
	} {
		if got := secretKind(name); got != want {
			t.Errorf("secretKind(%q) = %q, want %q", name, got, want)
		}
	}
	if got := secretKind(strings.Repeat("a_", 500) + "password"); got != "password" {
		t.Errorf("a long name is %q", got)
	}
}

// What the last two letters rule out is no secret's name when it is looked at whole: every ending, behind everything
// that can stand before one.
func TestNoNameIsRuledOutByItsEnd(t *testing.T) {
	var stems []string
	for _, w := range strings.Fields(keyWords + passWords + "password passwd passphrase passcode pwd pass secret clientsecret token credential credentials apikey key authorization auth npm") {
		for i := range len(w) + 1 {
			stems = append(stems, w[:i], "db_"+w[:i], "api-"+strings.ToUpper(w[:i]), "api"+strings.ToUpper(w[:min(i, 1)])+w[min(i, 1):i])
		}
	}
	ends := []string{""}
	const letters = "abcdefghijklmnopqrstuvwxyzAEKYDNST019_-. é"
	for _, a := range letters {
		for _, b := range letters {
			ends = append(ends, string(b), string(a)+string(b))
		}
	}
	for _, stem := range stems {
		for _, end := range ends {
			if name := stem + end; !endsSecret(name) && kindOfName(name) != "" {
				t.Fatalf("%q is ruled out, and names a %s", name, kindOfName(name))
			}
		}
	}
}

// A text without secrets costs no memory, however many bytes of it look as if: a search scans every file that it finds something in.
func TestBytesTakesNoMemory(t *testing.T) {
	text := []byte(strings.Repeat("const value: number = step4x39(a) // \"sk-\", Basic, eyJ, --flag x, see http://host:80/\n", 40))
	r := New("known-value-1")
	if got := r.Bytes(text); &got[0] != &text[0] {
		t.Fatal("the text was copied")
	}
	if n := testing.AllocsPerRun(10, func() { r.Bytes(text) }); n > 1 { // the report
		t.Errorf("%v allocations", n)
	}
}

// The tables hold every shape, and each can be reached by its first two bytes.
func TestShapeTable(t *testing.T) {
	if len(shapes) > maxShapes {
		t.Fatalf("%d shapes, room for %d: raise maxShapes", len(shapes), maxShapes)
	}
	for i := range shapes {
		sh := &shapes[i]
		if len(sh.prefix) < 2 || sh.kind == "" || sh.form == oneRun && (sh.set == 0 || sh.least < cutLeast) {
			t.Errorf("shape %q is incomplete", sh.prefix)
		}
		if maskEnd(mask(sh.kind), 0) != len(mask(sh.kind)) {
			t.Errorf("%s is no mask", mask(sh.kind))
		}
		for j := range i {
			if strings.HasPrefix(sh.prefix, shapes[j].prefix) && shapes[j].form == oneRun {
				t.Errorf("%q stands behind %q, which would take it", sh.prefix, shapes[j].prefix)
			}
		}
	}
}
