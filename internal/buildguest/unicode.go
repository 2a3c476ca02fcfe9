package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The maps by which regexp/syntax looks up \p{...}. Go fills a map with code, 48 KB of it for these, at each start;
// a list is data.
var unicodeMap = regexp.MustCompile(`(?ms)^var (Categories|CategoryAliases|Scripts) = map\[string\](\S+)\{$(.*?)^\}$`)

var (
	unicodeEntry  = regexp.MustCompile(`(?m)^\t("\w+"): +(.+),$`)
	unicodeLookup = regexp.MustCompile(`unicode\.(Categories|Scripts)\[(.+?)\]`)
)

const (
	unicodeList = `
// Named is searched as a map would be.
type Named[T any] []struct {
	Name  string
	Value T
}

func (l Named[T]) Get(name string) (value T) {
	for i := range l {
		if l[i].Name == name {
			return l[i].Value
		}
	}
	return value
}
`
	aliasMap  = "for name, actual := range unicode.CategoryAliases {\n"
	aliasList = "for _, alias := range unicode.CategoryAliases {\n\t\tname, actual := alias.Name, alias.Value\n"
)

// writeUnicode writes package unicode with lists and regexp/syntax as it reads them into dir, and gives for each of
// the two files the one to take instead. What a later Go writes otherwise does not compile.
func writeUnicode(goroot, dir string) (map[string]string, error) {
	replace := map[string]string{}
	for file, edit := range map[string]func(string) string{
		"unicode/tables.go": func(text string) string {
			return unicodeMap.ReplaceAllStringFunc(text, func(m string) string {
				part := unicodeMap.FindStringSubmatch(m)
				return "var " + part[1] + " = Named[" + part[2] + "]{" + unicodeEntry.ReplaceAllString(part[3], "\t{$1, $2},") + "}"
			}) + unicodeList
		},
		"regexp/syntax/parse.go": func(text string) string {
			return unicodeLookup.ReplaceAllString(strings.Replace(text, aliasMap, aliasList, 1), "unicode.$1.Get($2)")
		},
	} {
		path := filepath.Join(goroot, "src", filepath.FromSlash(file))
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("patch Go's Unicode: %w", err)
		}
		replace[path] = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(replace[path], []byte(edit(string(b))), 0o600); err != nil {
			return nil, err
		}
	}
	return replace, nil
}
