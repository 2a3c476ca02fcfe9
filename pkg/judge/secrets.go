package judge

import (
	"path"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// moreSecrets are credential files beside those that the read tools refuse
// (safefs.Credential): a command reaches all of the disk, not the workspace alone.
var moreSecrets = words(`shadow gshadow sudoers .my.cnf .boto .s3cfg credentials credentials.json credentials.toml secrets.json secrets.yml secrets.yaml
	secrets.toml auth.json authorized_keys key4.db logins.json cookies.sqlite wallet.dat login.keychain-db`)

var moreSecretFolders = words(`keychains sudoers.d keyrings`)

// secretExamples stand for the rest when a pattern is tried: ~/.ss?/id_*.
var secretExamples = append(words(`.env .env.local .env.production prod.env .netrc .npmrc .pypirc .pgpass .git-credentials .vault-token id_rsa id_ed25519 id_ecdsa
	server.pem server.key store.p12`), moreSecrets...)

var folderExamples = words(`.ssh .gnupg .aws .azure .kube .docker`)

// secretPath reports whether a path, which may hold glob signs, names
// credentials.
func secretPath(p, home string) bool {
	p = path.Clean(p)
	base := strings.ToLower(path.Base(p))
	switch {
	case strings.HasSuffix(base, ".pub"), base == "known_hosts", strings.HasPrefix(base, ".env") && (strings.HasSuffix(base, ".dist") || strings.HasSuffix(base, "example")):
		return false // made to be shared, whatever folder they are in
	case safefs.Credential(p) != "", named(base, moreSecrets), named(path.Dir(p), moreSecretFolders):
		return true
	case strings.HasPrefix(p, "/proc/") && base == "environ":
		return true
	case home != "" && under(p, home+"/.config/gh"), home != "" && p == home+"/.docker":
		return true
	}
	return strings.ContainsAny(p, "*?[") && secretGlob(strings.ToLower(p))
}

// secretGlob reports a pattern that was made to match credentials. One that
// names hardly a letter, like * or *.json, is too wide to accuse, and without
// its dot it never matches a dot file.
func secretGlob(p string) bool {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		at := strings.IndexAny(part, "*?[")
		if at < 0 || part == ".*" || at < 3 && !strings.HasPrefix(part, ".") && !strings.HasPrefix(part, "id_") && !strings.HasPrefix(part, "*.") {
			continue
		}
		examples := folderExamples
		if i == len(parts)-1 {
			examples = append(examples[:len(examples):len(examples)], secretExamples...)
		}
		for _, name := range examples {
			if strings.HasPrefix(part, "*.") && (strings.HasPrefix(name, ".") || part == "*.json" || part == "*.toml" || part == "*.yml" || part == "*.yaml") {
				continue
			}
			if ok, err := path.Match(widened(part, "?"), name); ok || err != nil {
				return true
			}
		}
	}
	return false
}

// reachesSecret reports a live pattern of a shell that may expand to credentials, also where it is too wide to accuse.
// As in a shell, the dot of a name is matched by a dot alone. One that matches .. leaves the folder that it is in.
func reachesSecret(fd *field) bool {
	if !fd.glob {
		return false
	}
	parts := strings.Split(strings.ToLower(fd.text), "/")
	for i, part := range parts {
		if !strings.ContainsAny(part, "*?[") {
			continue
		}
		examples := append([]string{".."}, folderExamples...)
		if i == len(parts)-1 {
			examples = secretExamples
		}
		part = widened(part, "?")
		for _, name := range examples {
			if ok, err := path.Match(part, name); (ok || err != nil) && (name[0] != '.' || part[0] == '.') {
				return true
			}
		}
	}
	return false
}

// widened puts a wider sign in place of each [...] of a pattern. How these are written differs from shell to path.Match, [!a] and
// [[:alpha:]] among it, and whatever one matches, ? does.
func widened(part, sign string) string {
	var out strings.Builder
	for i := 0; i < len(part); i++ {
		end := -1
		if part[i] == '[' {
			end = bracketEnd(part, i)
		}
		if end < 0 {
			out.WriteByte(part[i])
			continue
		}
		out.WriteString(sign)
		i = end
	}
	return out.String()
}

// bracketEnd gives the index of the ] that closes the [ at s[i], or -1.
func bracketEnd(s string, i int) int {
	j := i + 1
	if j < len(s) && (s[j] == '!' || s[j] == '^') {
		j++
	}
	for from := j; j < len(s); j++ {
		switch {
		case s[j] == ']' && j > from:
			return j
		case s[j] == '[' && j+1 < len(s) && strings.IndexByte(":.=", s[j+1]) >= 0:
			if at := strings.Index(s[j+2:], s[j+1:j+2]+"]"); at >= 0 {
				j += at + 3
			}
		}
	}
	return -1
}

// holdsSecrets reports a folder so wide that reading all of it reads
// credentials too: home, or anything above it.
func holdsSecrets(p, home string) bool {
	return p == "/" || p == "/home" || p == "/root" || p == "/Users" || p == "/etc" || home != "" && under(home, p)
}
