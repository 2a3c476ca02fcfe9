package redact

import "strings"

// secretKind says what kind of secret a name names: OPENAI_API_KEY, dbPassword, client-secret,
// spring.datasource.password. Empty: none.
func secretKind(name string) string {
	if !endsSecret(name) {
		return ""
	}
	return kindOfName(name)
}

// endsSecret rules out most names by their last two letters: kindOfName knows none that ends otherwise.
func endsSecret(name string) bool {
	n := len(name)
	for n > 0 && (classes[name[n-1]]&isDigit != 0 || name[n-1] == '_') {
		n--
	}
	return n > 1 && secretEnds[lower(name[n-2])]&endBit(lower(name[n-1])) != 0
}

// secretEnds has the last two letters of what kindOfName looks for: the bit of the second by the first.
var secretEnds = func() (t [256]uint32) {
	for _, end := range [...]string{"rd", "wd", "se", "de", "ss", "et", "en", "al", "ls", "ey", "on", "th"} {
		t[end[0]] |= 1 << (end[1] - 'a')
	}
	return t
}()

// endBit is no bit for what is no small letter.
func endBit(c byte) uint32 {
	if classes[c]&isLower == 0 {
		return 0
	}
	return 1 << (c - 'a')
}

func kindOfName(name string) string {
	var buf [maxName + maxName/2]byte
	words := snake(buf[:0], name)
	if len(words) == 0 {
		return ""
	}
	last := words
	if at := strings.LastIndexByte(words, '_'); at >= 0 {
		last = words[at+1:]
	}
	before := strings.TrimSuffix(words[:len(words)-len(last)], "_")
	switch {
	case hasAnySuffix(last, "password", "passwd", "passphrase", "passcode"):
		return "password"
	case last == "pwd" && before != "" && before != "old":
		return "password"
	case last == "pass" && before != "" && (allCaps(name) || strings.Contains(passWords, " "+before[strings.LastIndexByte(before, '_')+1:]+" ")):
		return "password"
	case last == "pwd" && classes[name[0]]&isUpper != 0 && classes[name[len(name)-1]]&isLower != 0: // Pwd= of a connection string
		return "password"
	case strings.HasSuffix(last, "secret"), last == "clientsecret":
		return "secret"
	case strings.HasSuffix(last, "token"):
		word := before[strings.LastIndexByte(before, '_')+1:] + "_"
		if strings.Contains("_page_continuation_next_eos_bos_pad_unk_sep_mask_cancel_cancellation_delete_sync_syntax_start_end_first_last_", "_"+word) && word != "_" {
			return ""
		}
		return "token"
	case last == "credential", last == "credentials":
		return "credential"
	case last == "apikey", hasAnySuffix(last, "secretkey", "accesskey", "privatekey", "accountkey", "authkey", "masterkey", "signingkey", "apikey"):
		return "api-key"
	case last == "key":
		word := before[strings.LastIndexByte(before, '_')+1:]
		if word != "" && strings.Contains(keyWords, " "+word+" ") {
			return "api-key"
		}
		if classes[name[0]]&isUpper != 0 && !hasLower(name) && word != "" && !strings.Contains(plainKeys, " "+word+" ") {
			return anyKey
		}
	case last == "authorization":
		return authorization
	case last == "auth" && (before == "" || before == "basic" || before == "http" || before == "proxy" || before == "npm"):
		return anyKey
	}
	return ""
}

// Kinds that ask for more than others: any KEY in capitals, whose value must look random, and the header
// with a scheme in front of what is secret.
const (
	anyKey        = "key"
	authorization = "authorization"
)

const keyWords = " api access secret private signing sign encryption encrypt decryption auth account master service session shared storage app application client " +
	"consumer deploy license jwt hmac cookie aes ssh root admin webhook subscription host function integration bot "

// passWords stand in front of "pass" where it is short for password: tests_pass is not.
const passWords = " db database user admin root smtp mail email imap redis mysql pg postgres mongo ftp ssh proxy auth basic login account "

const plainKeys = " public primary foreign sort partition cache map dict unique index row column hot press registry row "

// maxName is how far an assignment is looked back from for its name, in bytes.
const maxName = 64

// snake gives a name in lower case with its words joined by underscores, without a number at its end.
func snake(b []byte, name string) string {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	for len(name) > 0 && (classes[name[len(name)-1]]&isDigit != 0 || name[len(name)-1] == '_') {
		name = name[:len(name)-1]
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case classes[c]&isUpper != 0:
			// A word begins at a capital behind a small letter, and at the last capital of a run: APIKey.
			if i > 0 && (classes[name[i-1]]&(isLower|isDigit) != 0 ||
				classes[name[i-1]]&isUpper != 0 && i+1 < len(name) && classes[name[i+1]]&isLower != 0) {
				b = append(b, '_')
			}
			b = append(b, lower(c))
		case alnum(c):
			b = append(b, c)
		default:
			if len(b) > 0 && b[len(b)-1] != '_' {
				b = append(b, '_')
			}
		}
	}
	return string(b)
}

func hasAnySuffix(s string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

func hasLower(s string) bool {
	for i := range len(s) {
		if classes[s[i]]&isLower != 0 {
			return true
		}
	}
	return false
}

// allCaps reports whether a name is written as variables of an environment are.
func allCaps(name string) bool {
	return !hasLower(name) && run(name, 0, isUpper|isDigit|isUnder, len(name)) == len(name) && strings.ContainsAny(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
}
