package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// Stage is one OpenCode server and the model server that answers for all of its models. Starting OpenCode takes
// ten seconds and more, so that one stage serves many scenes.
type Stage struct {
	Model *modelserver.Server
	Host  *hosts.Server
	// Home has the folders of the host: HOME, XDG_CONFIG_HOME and so on.
	Home *hosts.Project
	// Plugin is the folder of the installed package.
	Plugin string
}

// Start starts both servers. The root is an empty folder for everything that they write; the script's keys are
// the models' ids. The context bounds the stage's whole life.
func Start(ctx context.Context, root, plugin string, script modelserver.Script, models []string) (*Stage, error) {
	model, err := modelserver.Start(script)
	if err != nil {
		return nil, err
	}
	home, err := hosts.NewProject(root, nil)
	if err != nil {
		model.Close()
		return nil, err
	}
	host, err := home.Serve(ctx, hosts.Options{ModelURL: model.BaseURL(), Models: append(models, modelserver.SmallModel)})
	if err != nil {
		model.Close()
		return nil, err
	}
	return &Stage{Model: model, Host: host, Home: home, Plugin: plugin}, nil
}

// Close ends both servers.
func (s *Stage) Close() {
	s.Host.Close()
	s.Model.Close()
}

// StateFolder is where the advisor keeps what outlives the process.
func (s *Stage) StateFolder() string { return filepath.Join(s.Home.State, PackageName) }

// AdvisorConfig is the path of a person's advisor.json.
func (s *Stage) AdvisorConfig() string {
	return filepath.Join(s.Home.Config, "opencode", "advisor.json")
}

// Setting says how a scene is set up.
type Setting struct {
	// Name names the scene's folder.
	Name string
	// Primary is the id of the agent's model.
	Primary string
	// Spec is the plugin's entry in opencode.json: a path or a file URL. Empty means that
	// there is no entry, and the session runs without the plugin.
	Spec string
	// Options are the plugin's.
	Options map[string]any
	// Config is more of opencode.json.
	Config map[string]any
	// Files are committed first, by path; nil means the worked example.
	Files map[string]string
}

// Open makes a repository with an opencode.json and opens a session in it.
func (s *Stage) Open(ctx context.Context, set Setting) (*Scene, error) {
	files := set.Files
	if files == nil {
		files = Example()
	}
	repo, err := s.Home.Repo(set.Name, files)
	if err != nil {
		return nil, err
	}
	if set.Spec != "" {
		all := map[string]any{"plugin": []any{[]any{set.Spec, set.Options}}}
		maps.Copy(all, set.Config)
		config, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", set.Name, err)
		}
		if err := os.WriteFile(filepath.Join(repo.Dir, "opencode.json"), config, 0o644); err != nil {
			return nil, fmt.Errorf("open %s: %w", set.Name, err)
		}
	}
	c := &Scene{Client: s.Host.In(repo.Dir, set.Primary), Repo: repo, stage: s}
	if c.events, err = c.Client.Events(ctx); err != nil {
		return nil, err
	}
	c.changed = make(chan struct{})
	go c.listen()
	if c.ID, err = c.CreateSession(ctx); err != nil {
		return nil, err
	}
	return c, nil
}
