package corpus

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/diskfs"
	"github.com/Kayphoon/opencode-advisor/pkg/evidence"
	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// workspace is the folder of the citation corpus, copied to a place where it
// may be changed, and seen through the same containment as in a session. It
// implements evidence.Files.
type workspace struct {
	top  string // holds the two folders below
	root string
	out  string // what lies outside
	spec workspaceSpec
	fs   *safefs.FS
}

// workspaceSpec is citations/workspace.json: what cannot lie in a repository.
type workspaceSpec struct {
	Links     map[string]string `json:"links"`
	Outside   map[string]string `json:"outside"`
	Generated map[string]int    `json:"generated"` // path to size in bytes
	Commands  map[string]string `json:"commands"`  // outputs of the primary's commands
}

func newWorkspace(dir string) (w *workspace, err error) {
	w = &workspace{}
	if w.top, err = os.MkdirTemp("", "corpus-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	w.root, w.out = filepath.Join(w.top, "shop"), filepath.Join(w.top, "out")
	data, err := os.ReadFile(filepath.Join(dir, "workspace.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &w.spec); err != nil {
		return nil, fmt.Errorf("read workspace.json: %w", err)
	}
	if err := os.CopyFS(w.root, os.DirFS(filepath.Join(dir, "files"))); err != nil {
		return nil, err
	}
	if err := w.build(); err != nil {
		return nil, err
	}
	disk, err := diskfs.New(w.root)
	if err != nil {
		return nil, err
	}
	w.fs, err = safefs.New(disk, disk.Root())
	return w, err
}

// build adds what the specification asks for.
func (w *workspace) build() error {
	if err := os.MkdirAll(w.out, 0o755); err != nil {
		return err
	}
	for name, text := range w.spec.Outside {
		if err := os.WriteFile(filepath.Join(w.out, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for name, target := range w.spec.Links {
		if err := os.Symlink(w.fill(target), filepath.Join(w.root, name)); err != nil {
			return err
		}
	}
	for name, size := range w.spec.Generated {
		var text strings.Builder
		for n := 0; text.Len() < size; n++ {
			fmt.Fprintf(&text, "  { id: %d, currency: \"EUR\", factor: 0.%04d },\n", n, n*7919%10007)
		}
		if err := os.WriteFile(filepath.Join(w.root, name), []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (w *workspace) close() { _ = os.RemoveAll(w.top) }

// fill puts the real folders into a path.
func (w *workspace) fill(path string) string {
	return strings.NewReplacer("{ROOT}", w.root, "{OUT}", w.out).Replace(path)
}

// languages counts the kinds of files, by their ending.
func (w *workspace) languages() int {
	kinds := make(map[string]bool)
	_ = filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			kinds[filepath.Ext(path)] = true
		}
		return nil
	})
	return len(kinds)
}

// edit changes files and gives the way back.
func (w *workspace) edit(edits []edit) (undo func() error, err error) {
	before := make(map[string][]byte)
	undo = func() error {
		for path, text := range before {
			_ = os.Remove(path)
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	for _, e := range edits {
		path := filepath.Join(w.root, e.Path)
		text, err := os.ReadFile(path)
		if err != nil {
			return undo, err
		}
		before[path] = text
		if err := e.apply(path, string(text), w); err != nil {
			return undo, err
		}
	}
	return undo, nil
}

func (e edit) apply(path, text string, w *workspace) error {
	switch {
	case e.Delete:
		return os.Remove(path)
	case e.Link != "":
		if err := os.Remove(path); err != nil {
			return err
		}
		return os.Symlink(w.fill(e.Link), path)
	case e.Find == "":
		text = e.Replace
	case strings.Count(text, e.Find) != 1:
		return fmt.Errorf("edit %s: %q is there %d times", e.Path, e.Find, strings.Count(text, e.Find))
	default:
		text = strings.Replace(text, e.Find, e.Replace, 1)
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// Resolve implements evidence.Files.
func (w *workspace) Resolve(path string) (string, error) {
	f, err := w.fs.Resolve(path)
	return f.Rel, evidence.Refusal(err)
}

// ReadFile implements evidence.Files.
func (w *workspace) ReadFile(path string, max int) (string, error) {
	_, data, err := w.fs.ReadFile(path, max)
	return string(data), evidence.Refusal(err)
}

// Search implements evidence.Files, without the bounds that a session needs.
func (w *workspace) Search(expr, glob string, max int) (evidence.Found, error) {
	p, err := pattern.Compile(expr, pattern.Flags{})
	if err != nil {
		return evidence.Found{}, err
	}
	if glob == "" {
		glob = "**"
	}
	g, err := pattern.CompileGlob(glob)
	if err != nil {
		return evidence.Found{}, err
	}
	root, err := w.fs.Resolve(".")
	if err != nil {
		return evidence.Found{}, err
	}
	found := evidence.Found{Complete: true}
	_, err = w.fs.Walk(root, nil, func(entry safefs.Entry) bool {
		if entry.Kind != protocol.KindFile || !g.Match(entry.Rel) {
			return true
		}
		text, err := w.ReadFile(entry.Rel, evidence.MaxFile)
		if err != nil {
			return true
		}
		found.Files++
		for n, line := range strings.Split(text, "\n") {
			hit := false
			_ = p.Lines([]byte(line), func(int, int, int) bool { hit = true; return false })
			if hit && len(found.Hits) < max {
				found.Hits = append(found.Hits, evidence.Hit{Path: entry.Rel, Line: n + 1, Text: line})
			}
		}
		return len(found.Hits) < max
	})
	return found, err
}
