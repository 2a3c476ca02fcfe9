package safefs

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// credential says what kind of secret a path below the root names, "" for none.
// The folders above the root count too: a workspace inside ~/.ssh has nothing
// that may be read.
func (f *FS) credential(rel string) string {
	if rel == "." {
		return Credential(f.root)
	}
	return Credential(f.abs(rel))
}

// Credential says what kind of secret a slash-separated path names by its
// name alone, "" for none. Case does not matter, nor do the spellings that some
// file systems take for the same name.
func Credential(name string) string {
	name = foldPath(name)
	for start := 0; start < len(name); {
		elem, rest, _ := strings.Cut(name[start:], "/")
		if why := credentialName(name[:max(start-1, 0)], elem, rest == ""); why != "" {
			return why
		}
		start += len(elem) + 1
	}
	return ""
}

// foldPath folds every element of a path, and makes it relative.
func foldPath(name string) string {
	if isFolded(name) {
		return strings.Trim(name, "/")
	}
	elems := strings.Split(name, "/")
	for i, elem := range elems {
		elems[i] = foldName(elem)
	}
	return path.Join(elems...)
}

// isFolded says whether a path is clearly its own folded form.
func isFolded(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= utf8.RuneSelf, 'A' <= c && c <= 'Z', c == ':', c == ' ':
			return false
		case c == '/' && i > 0 && (name[i-1] == '.' || name[i-1] == '/'):
			return false
		}
	}
	return !strings.HasSuffix(name, ".")
}

const (
	whyEnv  = "an environment file"
	whyKey  = "a private key or key store"
	whyTool = "a tool's credentials"
	whyHost = "the host's own configuration, which can hold keys"
)

var credentialFolders = map[string]string{
	".ssh": whyKey, ".gnupg": whyKey, ".aws": whyTool, ".azure": whyTool, ".kube": whyTool, ".oci": whyTool,
	".password-store": whyKey,
}

var credentialFiles = map[string]string{
	".npmrc": whyTool, ".netrc": whyTool, "_netrc": whyTool, ".pypirc": whyTool, ".pgpass": whyTool,
	".git-credentials": whyTool, ".dockercfg": whyTool, ".vault-token": whyTool, ".htpasswd": whyTool,
	".terraformrc": whyTool, "credentials.tfrc.json": whyTool, "kubeconfig": whyTool,
	"opencode.json": whyHost, "opencode.jsonc": whyHost, "advisor.json": whyHost, "advisor.jsonc": whyHost,
	"mcp-auth.json": whyHost,
}

var credentialExtensions = map[string]string{
	".env": whyEnv, ".pem": whyKey, ".key": whyKey, ".p12": whyKey, ".pfx": whyKey, ".jks": whyKey, ".keystore": whyKey,
	".kdbx": whyKey, ".ppk": whyKey, ".kubeconfig": whyTool,
}

// gcloud is the one folder whose files are secrets whatever they are called.
const gcloud = ".config/gcloud"

// credentialBelow names files that are secrets only in a certain folder.
var credentialBelow = []struct{ folder, file, why string }{
	{gcloud, "", whyTool},
	{".config/gh", "hosts.yml", whyTool},
	{".docker", "config.json", whyTool},
	{".git", "config", "git's own configuration, which can hold tokens"},
	{".git", "credentials", whyTool},
	{"opencode", "auth.json", whyHost},
	{".opencode", "auth.json", whyHost},
	{".pi", "auth.json", whyHost},
	{".pi", "models.json", whyHost},
	{".codex", "auth.json", whyHost},
}

// credentialKinds end the names of keys: id_rsa.
var credentialKinds = []string{"rsa", "dsa", "ecdsa", "ed25519", "ecdsa_sk", "ed25519_sk"}

// backups end the names of copies.
var backups = []string{".bak", ".backup", ".old", ".orig", ".save", ".swp", ".tmp"}

// endingSet holds the last two bytes of all names in the tables: a walk asks about every name, and
// most end otherwise.
type endingSet [1 << 16 / 64]uint64

var endings = func() (s endingSet) {
	add := func(name string) {
		n := len(name)
		s.add(name[n-2], name[n-1])
	}
	for _, table := range []map[string]string{credentialFolders, credentialFiles, credentialExtensions} {
		for name := range table {
			add(name)
		}
	}
	for _, b := range credentialBelow {
		if b.file != "" {
			add(b.file)
		}
	}
	for _, names := range [][]string{credentialKinds, backups} {
		for _, name := range names {
			add(name)
		}
	}
	for c := range 256 {
		s.add(byte(c), '~')
	}
	return s
}()

func (s *endingSet) add(a, b byte) { s[(int(a)<<8|int(b))/64] |= 1 << (b % 64) }

// may says whether a name may be in a table; what begins like .env and what is very short may.
func (s *endingSet) may(name string) bool {
	n := len(name)
	if n < 2 || name[0] == '.' {
		return true
	}
	return s[(int(name[n-2])<<8|int(name[n-1]))/64]>>(name[n-1]%64)&1 == 1
}

// credentialName judges one element, folded, of a path whose folders above are
// parent. Last says that it is the final one.
func credentialName(parent, elem string, last bool) string {
	return credentialIn(parent, hasFolder(parent, gcloud), elem, last)
}

// credentialIn is credentialName for who knows already whether parent is in gcloud.
func credentialIn(parent string, gcloud bool, elem string, last bool) string {
	if !gcloud && !endings.may(elem) {
		return ""
	}
	return lookUp(parent, elem, last)
}

// lookUp is credentialName without its shortcut.
func lookUp(parent, elem string, last bool) string {
	if why := credentialFolders[elem]; why != "" {
		return why
	}
	for _, b := range credentialBelow {
		if b.file != "" && b.file != elem || !hasFolder(parent, b.folder) {
			continue
		}
		return b.why
	}
	if !last {
		return ""
	}
	return credentialFile(trimBackup(elem))
}

func credentialFile(name string) string {
	if strings.HasPrefix(name, ".env") {
		switch path.Ext(name) {
		case ".example", ".sample", ".template":
			return ""
		}
		return whyEnv
	}
	if why := credentialFiles[name]; why != "" {
		return why
	}
	if why := credentialExtensions[path.Ext(name)]; why != "" {
		return why
	}
	for _, kind := range credentialKinds {
		if head, ok := strings.CutSuffix(name, kind); ok && strings.HasSuffix(head, "_") {
			return whyKey
		}
	}
	return ""
}

// hasFolder says whether the folder, one or two elements, is part of parent.
func hasFolder(parent, folder string) bool {
	i := strings.Index(parent, folder)
	for i >= 0 {
		end := i + len(folder)
		if (i == 0 || parent[i-1] == '/') && (end == len(parent) || parent[end] == '/') {
			return true
		}
		next := strings.Index(parent[i+1:], folder)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// trimBackup takes off what editors and people add to the name of a copy.
func trimBackup(name string) string {
	for {
		short := strings.TrimSuffix(name, "~")
		for _, ext := range backups {
			short = strings.TrimSuffix(short, ext)
		}
		if short == name || short == "" {
			return name
		}
		name = short
	}
}

// foldName gives the form in which two names that a case-insensitive or
// Windows file system takes for one are equal: cases folded, invisible
// characters, final dots and spaces, and stream names left out.
func foldName(name string) string {
	plain, ascii := true, true
	for i := 0; i < len(name) && ascii; i++ {
		c := name[i]
		ascii = c < utf8.RuneSelf
		plain = plain && ascii && !('A' <= c && c <= 'Z') && c != ':'
	}
	if plain {
		return trimName(name)
	}
	name, _, _ = strings.Cut(name, ":")
	switch {
	case ascii:
		name = strings.ToLower(name)
	default:
		name = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			// Through upper case: the long s and the Kelvin sign are s and k there.
			return unicode.ToLower(unicode.ToUpper(r))
		}, name)
	}
	return trimName(name)
}

func trimName(name string) string {
	for n := len(name); n > 0 && (name[n-1] == '.' || name[n-1] == ' '); n-- {
		name = name[:n-1]
	}
	return name
}
