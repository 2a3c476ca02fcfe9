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
	loader, err := Loader(kept)
	if err != nil {
		return "", err
	}
	sizes, err := Sizes(kept)
	if err != nil {
		return "", err
	}
	for _, part := range []struct{ name, text string }{
		{"evidence", evidence.Markdown()},
		{"config", Config()},
		{"judge", Judge()},
		{"commands", cli.Markdown()},
		{"bench", counted.Markdown()},
		{"loader", loader},
		{"sizes", sizes},
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

// load decodes a file of what the benches kept.
func load(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

// Loader is the table of what the plugin takes from its host.
func Loader(kept string) (string, error) {
	type thread struct {
		Host  string
		P99   float64 `json:"event_p99_ms"`
		Max   float64 `json:"event_max_ms"`
		Posts float64 `json:"posts_per_1000_events"`
		Core  float64 `json:"core_percent"`
	}
	type start struct {
		Setup float64 `json:"setup_ms"`
		Host  float64 `json:"host_cpu_ms"`
		Ready float64 `json:"ready_ms"`
		Bare  float64 `json:"bare_ms"`
	}
	var threads struct{ Node, Bun []thread }
	var starts struct{ Node, Bun []start }
	if err := load(kept+"/thread.json", &threads); err != nil {
		return "", err
	}
	if err := load(kept+"/start.json", &starts); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| runtime | host | an event, p99 (max) | posts for 1,000 events | of a core at 1,000 events a second |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range []struct {
		name string
		rows []thread
	}{{"Node", threads.Node}, {"Bun", threads.Bun}} {
		for _, t := range r.rows {
			fmt.Fprintf(&b, "| %s | %s | %g ms (%g) | %g | %g %% |\n", r.name, t.Host, t.P99, t.Max, t.Posts, t.Core)
		}
	}
	b.WriteString("\n| runtime | setup | of the host's thread until it is ready | guest ready | the module's bare start |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range []struct {
		name string
		rows []start
	}{{"Node", starts.Node}, {"Bun", starts.Bun}} {
		for _, s := range r.rows {
			fmt.Fprintf(&b, "| %s | %.1f ms | %.1f ms | %.0f ms | %.0f ms |\n", r.name, s.Setup, s.Host, s.Ready, s.Bare)
		}
	}
	return b.String(), nil
}

// largest is how many packages Sizes names.
const largest = 12

// Sizes is the table of what the module takes.
func Sizes(kept string) (string, error) {
	var all struct {
		File, Gzip, Data int
		Code             []struct {
			Name  string
			Bytes int
		}
	}
	if err := load(kept+"/sizes.json", &all); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d bytes, compressed by gzip %d.\n\n| code of | bytes | of the file |\n| --- | --- | --- |\n", all.File, all.Gzip)
	row := func(name string, bytes int) {
		fmt.Fprintf(&b, "| %s | %d | %.1f %% |\n", name, bytes, 100*float64(bytes)/float64(all.File))
	}
	rest := 0
	for i, c := range all.Code {
		if i < largest {
			row("`"+c.Name+"`", c.Bytes)
		} else {
			rest += c.Bytes
		}
	}
	row("everything smaller", rest)
	row("data: texts, tables, and what Go keeps of types and functions", all.Data)
	return b.String(), nil
}
