package corpus

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// secretCases reads the archives of made-up secrets. A section's name is the kinds that it is masked as, a slash,
// and what it shows; secrets stand between « and », broken by § so that no scanner trips over them.
func secretCases(dir string) ([]secretCase, error) {
	var cases []secretCase
	for _, name := range []string{"keys.txtar", "reviewer.txtar"} {
		archive, err := txtar.ParseFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, f := range archive.Files {
			kinds, _, ok := strings.Cut(f.Name, "/")
			if !ok {
				return nil, fmt.Errorf("read %s: section %q does not name its kinds: want kind/what it shows", name, f.Name)
			}
			c := secretCase{name: f.Name, kinds: strings.Fields(kinds)}
			slices.Sort(c.kinds)
			rest := strings.ReplaceAll(string(f.Data), "§", "")
			for {
				before, after, ok := strings.Cut(rest, "«")
				c.text += before
				if !ok {
					break
				}
				secret, behind, ok := strings.Cut(after, "»")
				if !ok {
					return nil, fmt.Errorf("read %s: section %q has a « without its »", name, f.Name)
				}
				c.text += secret
				c.secrets = append(c.secrets, secret)
				rest = behind
			}
			if len(c.secrets) == 0 {
				return nil, fmt.Errorf("read %s: section %q has no secret between « and »", name, f.Name)
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// encodings gives a value as transports carry it. In base64 of a longer text, what
// must vanish is the part that depends on the value alone.
func encodings(s string) map[string]string {
	m := map[string]string{
		"itself":           s,
		"a query value":    url.QueryEscape(s),
		"a path segment":   url.PathEscape(s),
		"JSON":             jsonString(s),
		"base64":           strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s)), "=")[:len(s)],
		"base64 for a URL": base64.RawURLEncoding.EncodeToString([]byte(s))[:len(s)],
	}
	for n, lead := range []string{"a", "ab", "abc"} {
		coded := base64.StdEncoding.EncodeToString([]byte(lead + s + "tail"))
		m[fmt.Sprintf("base64 behind %d characters", n+1)] = coded[4+len(lead)/3 : 4+len(s)-4]
	}
	return m
}
