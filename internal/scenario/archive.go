// Package scenario runs the corpus in testdata/scenarios against a guest: the
// native engine or the module. Its README states the format.
package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// Scenario is one archive, read.
type Scenario struct {
	Name    string
	Prose   string
	Options json.RawMessage
	Files   map[string]string // workspace-relative
	Home    map[string]string // home-relative
	Script  []Line
	Want    string
	// KeepGuest says why the guest is not replaced in this scenario; empty when it is.
	KeepGuest string

	archive *txtar.Archive
	path    string
}

// Line is one line of the script.
type Line struct {
	Number int // in script.jsonl, from 1
	Raw    json.RawMessage
	Do     string // directive, or empty for an event
}

// Load reads the archives of a folder, sorted by name.
func Load(dir string) ([]*Scenario, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("load scenarios: no .txtar file in %s", dir)
	}
	var all []*Scenario
	for _, path := range paths {
		s, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("load scenario %s: %w", path, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func read(path string) (*Scenario, error) {
	a, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	s := &Scenario{
		Name:  strings.TrimSuffix(filepath.Base(path), ".txtar"),
		Prose: strings.TrimSpace(string(a.Comment)),
		Files: map[string]string{}, Home: map[string]string{},
		archive: a, path: path,
	}
	if s.Prose == "" {
		return nil, fmt.Errorf("no prose says what it tries and why")
	}
	for _, f := range a.Files {
		text := string(f.Data)
		switch {
		case f.Name == "options.json":
			if !json.Valid(f.Data) {
				return nil, fmt.Errorf("options.json is not JSON")
			}
			s.Options = f.Data
		case strings.HasPrefix(f.Name, "files/"):
			s.Files[strings.TrimPrefix(f.Name, "files/")] = text
		case strings.HasPrefix(f.Name, "home/"):
			s.Home[strings.TrimPrefix(f.Name, "home/")] = text
		case f.Name == "script.jsonl":
			if s.Script, err = script(f.Data); err != nil {
				return nil, err
			}
		case f.Name == "want.jsonl":
			s.Want = text
		case f.Name == "keep-guest.txt":
			s.KeepGuest = strings.TrimSpace(text)
		default:
			return nil, fmt.Errorf("unknown section %s", f.Name)
		}
	}
	return s, nil
}

func script(data []byte) ([]Line, error) {
	var lines []Line
	for i, raw := range bytes.Split(data, []byte("\n")) {
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 || bytes.HasPrefix(raw, []byte("//")) {
			continue
		}
		var head struct {
			Do   string `json:"do"`
			Type string `json:"type"`
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, fmt.Errorf("script.jsonl:%d: %w", i+1, err)
		}
		if (head.Do == "") == (head.Type == "") {
			return nil, fmt.Errorf("script.jsonl:%d: want either do or type", i+1)
		}
		lines = append(lines, Line{Number: i + 1, Raw: raw, Do: head.Do})
	}
	return lines, nil
}

// Update writes what was seen as what is wanted.
func (s *Scenario) Update(got string) error {
	found := false
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == "want.jsonl" {
			s.archive.Files[i].Data = []byte(got)
			found = true
		}
	}
	if !found {
		s.archive.Files = append(s.archive.Files, txtar.File{Name: "want.jsonl", Data: []byte(got)})
	}
	return os.WriteFile(s.path, txtar.Format(s.archive), 0o644)
}
