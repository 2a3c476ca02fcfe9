package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// nobody has one file, advisor.json.
type nobody struct{ path, text string }

func (n nobody) Need(files, env, providers []string) protocol.Provided {
	p := protocol.Provided{}
	for _, name := range files {
		f := protocol.File{Path: name}
		if name == n.path {
			f.Text, f.Exists = n.text, true
		}
		p.Files = append(p.Files, f)
	}
	return p
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// texts gives the files of these folders that are wanted, one behind the other.
func texts(t *testing.T, wanted func(name string) bool, dirs ...string) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !wanted(path) {
				return err
			}
			text, err := os.ReadFile(path)
			all.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// A recipe that the configuration does not take would be worse than none.
func TestRecipesAreConfigurations(t *testing.T) {
	found := 0
	for _, m := range regexp.MustCompile("(?s)\n## ([^\n]*)\n.*?```jsonc\n(.*?)```").FindAllStringSubmatch(read(t, "docs/recipes.md"), -1) {
		found++
		const home = "/home"
		_, problems := config.Load(nobody{home + "/.config/opencode/advisor.json", m[2]},
			protocol.Init{Host: "opencode-v1", Directory: "/work", Root: "/work", Home: home, ConfigHome: home + "/.config", DataHome: home + "/.local/share"})
		for _, p := range problems {
			t.Errorf("recipe %q: %s", m[1], p)
		}
	}
	if found < 6 {
		t.Errorf("%d recipes found", found)
	}
}

// hosts says these; all else that is quoted is ours.
var hosts = []string{"git dep preparation failed"}

// Who looks for a message must find the one that they see.
func TestQuotedMessagesExist(t *testing.T) {
	code := texts(t, func(name string) bool {
		return strings.HasSuffix(name, ".ts") || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
	}, "pkg", "host")
	found := 0
	for _, m := range regexp.MustCompile(`(?m)^> (.*)$`).FindAllStringSubmatch(read(t, "docs/troubles.md"), -1) {
		found++
		if quoted := strings.TrimSpace(m[1]); !strings.Contains(code, quoted) && !strings.Contains(strings.Join(hosts, "\n"), quoted) {
			t.Errorf("docs/troubles.md quotes %q, which nothing says", quoted)
		}
	}
	if found < 8 {
		t.Errorf("%d messages found", found)
	}
}

// keyLike is a word in backticks that can only be a key of the configuration.
var keyLike = regexp.MustCompile("`\"?([a-z]+[A-Z][A-Za-z]*|[a-z]+\\.[a-z]+[A-Za-z]*)\"?(?:[`:])")

func TestKeysInThePagesExist(t *testing.T) {
	known := map[string]bool{"advisor.json": true}
	for _, f := range config.Fields() {
		known[f.Key] = true
	}
	for _, page := range []string{"README.zh-CN.md", "docs/recipes.md", "docs/troubles.md"} {
		for _, m := range keyLike.FindAllStringSubmatch(read(t, page), -1) {
			name := m[1]
			if strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonc") {
				continue
			}
			if !known[name] {
				t.Errorf("%s speaks of %s, which is no key", page, name)
			}
		}
	}
}

// Links between the pages lead somewhere.
func TestLinksExist(t *testing.T) {
	for _, page := range []string{"README.md", "README.zh-CN.md", "RATIONALE.md", "CONTRIBUTING.md", "docs/recipes.md", "docs/troubles.md"} {
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(?:#([a-z-]+))?\)`).FindAllStringSubmatch(read(t, page), -1) {
			to := filepath.Join(filepath.Dir(page), m[1])
			info, err := os.Stat(filepath.Join("..", "..", to))
			if err != nil {
				t.Errorf("%s links to %s, which is not there", page, to)
				continue
			}
			if m[2] == "" || info.IsDir() {
				continue
			}
			anchors := map[string]bool{}
			for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(read(t, to), -1) {
				anchors[strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
			}
			if !anchors[m[2]] {
				t.Errorf("%s links to #%s of %s, which has no such part", page, m[2], to)
			}
		}
	}
}

// named are what a page can name in backticks: a file of ours, a test, and a target of make.
var (
	namedFile   = regexp.MustCompile(`(?:^|[\s(])(?:\./)?((?:pkg|internal|host|test|testdata|scripts|wasm|docs|examples)/[\w./-]+)`)
	namedTest   = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w+`)
	namedTarget = regexp.MustCompile(`\bmake ([a-z-]+)`)
)

func TestNamesInThePagesExist(t *testing.T) {
	code := texts(t, func(name string) bool { return strings.HasSuffix(name, "_test.go") }, "pkg", "internal", "examples")
	makefile := "\n" + read(t, "Makefile")
	found := 0
	for _, page := range []string{"README.md", "README.zh-CN.md", "RATIONALE.md", "CONTRIBUTING.md", "docs/recipes.md", "docs/troubles.md", "examples/headless/README.md"} {
		for _, m := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(read(t, page), -1) {
			for _, f := range namedFile.FindAllStringSubmatch(m[1], -1) {
				found++
				name := strings.TrimRight(f[1], ".")
				if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
					t.Errorf("%s speaks of %s, which is not there", page, name)
				}
			}
			for _, name := range namedTest.FindAllString(m[1], -1) {
				found++
				if !strings.Contains(code, "func "+name+"(") {
					t.Errorf("%s speaks of %s, which no test is called", page, name)
				}
			}
			for _, f := range namedTarget.FindAllStringSubmatch(m[1], -1) {
				found++
				if !strings.Contains(makefile, "\n"+f[1]+":") {
					t.Errorf("%s speaks of make %s, which is no target", page, f[1])
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("%d names found", found)
	}
}
