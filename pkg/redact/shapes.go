package redact

import "strings"

// shape is a token that shows what it is by how it begins.
type shape struct {
	prefix string
	kind   string
	set    class // of the bytes behind the prefix
	least  int   // how many of them there are at least
	// mixed asks for a digit and a letter among them, where the prefix alone occurs in words.
	mixed bool
	form  form // instead of the above, for what is not one run
}

// form names a matcher. A function's address would do as well, but for a scan that is handed to one the compiler takes
// 800 bytes from the heap, and a search scans every file that it finds something in.
type form uint8

const (
	oneRun form = iota
	formAWS
	formSlack
	formJWT
	formKey
	formKeyTail
	formPutty
	formBearer
	formBasic
	formNetrc
)

// match gives the end of what this form has at s.in[i]; -1: nothing.
func (f form) match(s *scan, n uint8, i int) (end int) {
	switch f {
	case formAWS:
		return awsID(s, n, i)
	case formSlack:
		return slack(s, n, i)
	case formJWT:
		return jwt(s, n, i)
	case formKey:
		return privateKey(s, n, i)
	case formKeyTail:
		return keyTail(s, n, i)
	case formPutty:
		return puttyKey(s, n, i)
	case formBearer:
		return bearer(s, n, i)
	case formBasic:
		return basic(s, n, i)
	case formNetrc:
		return netrc(s, n, i)
	}
	return -1
}

// A shape whose prefix is a part of another's stands behind it. Lengths are a little under the real ones, as
// vendors change them; a token that the end of the text cuts needs cutLeast bytes.
var shapes = []shape{
	{prefix: "mallcop-sk-", kind: "mallcop-key", set: isToken, least: 8},
	{prefix: "sk-ant-", kind: "anthropic-key", set: isToken, least: 16},
	{prefix: "sk-or-v1-", kind: "openrouter-key", set: isToken, least: 16},
	{prefix: "sk-proj-", kind: "openai-key", set: isToken, least: 16},
	{prefix: "sk-svcacct-", kind: "openai-key", set: isToken, least: 16},
	{prefix: "sk-admin-", kind: "openai-key", set: isToken, least: 16},
	{prefix: "sk-", kind: "openai-key", set: isToken, least: 16, mixed: true}, // also DeepSeek, Moonshot and many more
	{prefix: "ghp_", kind: "github-token", set: isAlnum, least: 20},
	{prefix: "gho_", kind: "github-token", set: isAlnum, least: 20},
	{prefix: "ghu_", kind: "github-token", set: isAlnum, least: 20},
	{prefix: "ghs_", kind: "github-token", set: isAlnum, least: 20},
	{prefix: "ghr_", kind: "github-token", set: isAlnum, least: 20},
	{prefix: "github_pat_", kind: "github-token", set: isAlnum | isUnder, least: 20},
	{prefix: "glpat-", kind: "gitlab-token", set: isToken | isDot, least: 16},
	{prefix: "gldt-", kind: "gitlab-token", set: isToken | isDot, least: 16},
	{prefix: "glrt-", kind: "gitlab-token", set: isToken | isDot, least: 16},
	{prefix: "glptt-", kind: "gitlab-token", set: isToken | isDot, least: 16},
	{prefix: "glcbt-", kind: "gitlab-token", set: isToken | isDot, least: 16},
	{prefix: "glsoat-", kind: "gitlab-token", set: isToken | isDot, least: 16},
	{prefix: "AKIA", kind: "aws-key-id", form: formAWS},
	{prefix: "ASIA", kind: "aws-key-id", form: formAWS},
	{prefix: "ABIA", kind: "aws-key-id", form: formAWS},
	{prefix: "ACCA", kind: "aws-key-id", form: formAWS},
	{prefix: "xox", kind: "slack-token", form: formSlack},
	{prefix: "xapp-", kind: "slack-token", set: isToken, least: 16, mixed: true},
	{prefix: "hooks.slack.com/services/", kind: "slack-webhook", set: isToken | isBase64, least: 16},
	{prefix: "hooks.slack.com/workflows/", kind: "slack-webhook", set: isToken | isBase64, least: 16},
	{prefix: "discord.com/api/webhooks/", kind: "discord-webhook", set: isToken | isBase64, least: 16},
	{prefix: "discordapp.com/api/webhooks/", kind: "discord-webhook", set: isToken | isBase64, least: 16},
	{prefix: "AIza", kind: "google-key", set: isToken, least: 30},
	{prefix: "ya29.", kind: "google-token", set: isToken | isDot, least: 20},
	{prefix: "GOCSPX-", kind: "google-secret", set: isToken, least: 16},
	{prefix: "sk_live_", kind: "stripe-key", set: isAlnum | isUnder, least: 10},
	{prefix: "sk_test_", kind: "stripe-key", set: isAlnum | isUnder, least: 10},
	{prefix: "rk_live_", kind: "stripe-key", set: isAlnum | isUnder, least: 10},
	{prefix: "rk_test_", kind: "stripe-key", set: isAlnum | isUnder, least: 10},
	{prefix: "whsec_", kind: "stripe-secret", set: isToken | isBase64, least: 16},
	{prefix: "npm_", kind: "npm-token", set: isAlnum, least: 30},
	{prefix: "pypi-AgE", kind: "pypi-token", set: isToken, least: 16},
	{prefix: "hf_", kind: "huggingface-token", set: isAlnum, least: 30},
	{prefix: "gsk_", kind: "groq-key", set: isAlnum, least: 30},
	{prefix: "xai-", kind: "xai-key", set: isAlnum, least: 40},
	{prefix: "nvapi-", kind: "nvidia-key", set: isToken, least: 30},
	{prefix: "pplx-", kind: "perplexity-key", set: isAlnum, least: 30},
	{prefix: "tvly-", kind: "tavily-key", set: isToken, least: 20, mixed: true},
	{prefix: "r8_", kind: "replicate-token", set: isAlnum, least: 30},
	{prefix: "SG.", kind: "sendgrid-key", set: isToken | isDot, least: 40, mixed: true},
	{prefix: "dop_v1_", kind: "digitalocean-token", set: isAlnum, least: 30},
	{prefix: "shpat_", kind: "shopify-token", set: isAlnum, least: 20},
	{prefix: "shpss_", kind: "shopify-token", set: isAlnum, least: 20},
	{prefix: "hvs.", kind: "vault-token", set: isToken | isDot, least: 20},
	{prefix: "dckr_pat_", kind: "docker-token", set: isToken, least: 16},
	{prefix: "lin_api_", kind: "linear-key", set: isAlnum, least: 20},
	{prefix: "figd_", kind: "figma-token", set: isToken, least: 20},
	{prefix: "ATATT3", kind: "atlassian-token", set: isToken | isBase64, least: 40},
	{prefix: "AGE-SECRET-KEY-1", kind: "age-key", set: isUpper | isDigit, least: 30},
	{prefix: "eyJ", kind: "jwt", form: formJWT},
	{prefix: "-----BEGIN ", kind: "private-key", form: formKey},
	{prefix: "-----END ", kind: "private-key", form: formKeyTail},
	{prefix: "Private-Lines:", kind: "private-key", form: formPutty},
	{prefix: "Bearer", kind: "bearer-token", form: formBearer},
	{prefix: "bearer", kind: "bearer-token", form: formBearer},
	{prefix: "BEARER", kind: "bearer-token", form: formBearer},
	{prefix: "Basic", kind: "basic-auth", form: formBasic},
	{prefix: "basic", kind: "basic-auth", form: formBasic},
	{prefix: "BASIC", kind: "basic-auth", form: formBasic},
	{prefix: "password", kind: "password", form: formNetrc},
}

// cutLeast is how much of a token behind its prefix is enough at the very end of a text.
const cutLeast = 6

// maxRun bounds how far one run is followed before it is hidden in pieces. Real tokens end before 4 KB.
const maxRun = 1 << 16

// shapeAt looks for a shape at s.in[i] and gives what to hide: from where to where, and its kind.
func (s *scan) shapeAt(i int) (from, to int, kind string) {
	for _, n := range shapesBy[s.in[i]] {
		sh := &shapes[n]
		if !strings.HasPrefix(s.in[i:], sh.prefix) || i < s.failed[n] {
			continue
		}
		end := -1
		if sh.form == oneRun {
			if s.boundary(i) {
				end = s.runOf(sh, n, i)
			}
		} else {
			s.from = i
			end = sh.form.match(s, n, i)
		}
		if end > i {
			from = i
			if sh.form != oneRun {
				from = s.from
			}
			return from, end, sh.kind
		}
	}
	return 0, -1, ""
}

// runOf matches a shape that is a prefix and a run. A run that fails fails from everywhere
// inside it, which is remembered: so a text of prefixes costs no more than a text.
func (s *scan) runOf(sh *shape, n uint8, i int) int {
	start := i + len(sh.prefix)
	end := run(s.in, start, sh.set, maxRun)
	least := sh.least
	if end == len(s.in) || strings.HasPrefix(s.in[end:], "…") || strings.HasPrefix(s.in[end:], "...") {
		least = min(least, cutLeast)
	}
	if end-start < least || sh.mixed && !mixed(s.in[start:end]) {
		s.failed[n] = end
		return -1
	}
	return end
}

// mixed reports whether v has a digit and a letter, and enough of the first to be no name: sk-bounce-delay-2
// is a class of a style sheet.
func mixed(v string) bool {
	digits, letters := 0, 0
	for i := range len(v) {
		switch c := classes[v[i]]; {
		case c&isDigit != 0:
			digits++
		case c&isLetter != 0:
			letters++
		}
	}
	return digits >= 2 && letters >= 2
}

// boundary reports whether a token may begin at s.in[i]: not inside a word, unless the word's last characters are an
// escape (\n in a JSON string, %3D in a URL, a colour of a terminal).
func (s *scan) boundary(i int) bool {
	if i <= s.floor {
		return true
	}
	prev := s.in[i-1]
	if !alnum(prev) {
		return true
	}
	if i-2 >= s.floor && s.in[i-2] == '\\' && strings.IndexByte("nrtbf", prev) >= 0 {
		return true
	}
	if i-3 >= s.floor && s.in[i-3] == '%' && isHex(s.in[i-2]) && isHex(prev) {
		return true
	}
	if i-6 >= s.floor && s.in[i-6] == '\\' && s.in[i-5] == 'u' && isHex(s.in[i-4]) && isHex(s.in[i-3]) && isHex(s.in[i-2]) && isHex(prev) {
		return true
	}
	if prev == 'm' { // the end of ESC [ 3 1 m
		j := i - 2
		for j > s.floor && i-j < 12 && (classes[s.in[j]]&isDigit != 0 || s.in[j] == ';') {
			j--
		}
		return j > s.floor && s.in[j] == '[' && hasAnySuffix(strings.ToLower(s.in[max(s.floor, j-6):j]), "\x1b", `\x1b`, `\u001b`, `\033`, `\e`)
	}
	return false
}

func isHex(c byte) bool {
	return classes[c]&isDigit != 0 || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
