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

// encoded is a text that carries a value, and a piece that must not be left of it.
type encoded struct{ form, text, piece string }

// encodings gives a value as transports carry it. Of base64 the piece is from the middle, where it depends on the
// value alone.
func encodings(s string) []encoded {
	var list []encoded
	for form, text := range map[string]string{"itself": s, "a query value": url.QueryEscape(s), "a path segment": url.PathEscape(s), "JSON": jsonString(s)} {
		list = append(list, encoded{form, text, text})
	}
	for n, lead := range []string{"", "a", "ab", "abc"} {
		for form, coder := range map[string]*base64.Encoding{"base64": base64.StdEncoding, "base64 for a URL": base64.RawURLEncoding} {
			text := coder.EncodeToString([]byte(lead + s + "tail"))
			list = append(list, encoded{fmt.Sprintf("%s behind %d characters", form, n), text, text[6:14]})
		}
	}
	slices.SortFunc(list, func(a, b encoded) int { return strings.Compare(a.form, b.form) })
	return list
}
