// Package docs fills the parts of README.md that come from code, so that they cannot drift apart.
package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/cli"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/judge"
)

// Fill replaces what stands between the marks of each part. Kept is the folder of what the benches counted last; their
// own tests hold it against the source.
func Fill(readme, kept string) (string, error) {
	data, err := os.ReadFile(kept + "/sessions.json")
	if err != nil {
		return "", err
	}
	var counted bench.Result
	if err := json.Unmarshal(data, &counted); err != nil {
		return "", fmt.Errorf("read %s/sessions.json: %w", kept, err)
	}
	for _, part := range []struct{ name, text string }{
		{"evidence", evidence.Markdown()},
		{"config", Config()},
		{"judge", Judge()},
		{"commands", cli.Markdown()},
		{"bench", counted.Markdown()},
	} {
		open, end := "<!-- "+part.name+":begin", "<!-- "+part.name+":end -->"
		i := strings.Index(readme, open)
		j := strings.Index(readme, end)
		if i < 0 || j < i {
			return "", fmt.Errorf("fill README.md: no marks for %s", part.name)
		}
		i += strings.Index(readme[i:], "\n") + 1
		readme = readme[:i] + strings.TrimRight(part.text, "\n") + "\n" + readme[j:]
	}
	return readme, nil
}

// Judge is the table of the permission judge's options.
func Judge() string {
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, o := range judge.OptionTable() {
		def := o.Default
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Key, o.Type, def, o.Meaning)
	}
	return b.String()
}

// Config is the table of all keys.
func Config() string {
	var b strings.Builder
	b.WriteString("| key | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range config.Fields() {
		def := f.Default("opencode-v2")
		if def != "" {
			def = "`" + def + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Key, f.Type(), def, f.Meaning)
	}
	return b.String()
}
