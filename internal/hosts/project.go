package hosts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

// Project is a git repository for one test, beside the HOME and XDG folders of its host.
type Project struct {
	Root   string // holds everything below
	Dir    string // the repository: the host's working directory
	Home   string
	Config string // XDG_CONFIG_HOME
	Data   string // XDG_DATA_HOME
	Cache  string // XDG_CACHE_HOME
	State  string // XDG_STATE_HOME
	Tmp    string
}

// NewProject creates a project in an empty folder (a test's t.TempDir()) with one commit of the given
// files, by path and content.
func NewProject(root string, files map[string]string) (*Project, error) {
	root, err := filepath.EvalSymlinks(root) // hosts report real paths
	if err != nil {
		return nil, fmt.Errorf("create project: %w", err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	p := &Project{
		Root: root, Dir: at("project"), Home: at("home"), Config: at("config"),
		Data: at("data"), Cache: at("cache"), State: at("state"), Tmp: at("tmp"),
	}
	for _, dir := range []string{p.Dir, p.Home, p.Config, p.Data, p.Cache, p.State, p.Tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("create project: %w", err)
		}
	}
	if err := sandbox.SealConfig(filepath.Join(p.Config, "opencode")); err != nil {
		return nil, err
	}
	return p, p.commitFirst(files)
}

// Repo creates one more git repository, in a folder of the given name beside the others, for the same host: it
// shares HOME and the XDG folders.
func (p *Project) Repo(name string, files map[string]string) (*Project, error) {
	q := *p
	q.Dir = filepath.Join(p.Root, name)
	if err := os.Mkdir(q.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("create project: %w", err)
	}
	return &q, q.commitFirst(files)
}

// commitFirst makes a repository of the folder, with one commit of the files.
func (p *Project) commitFirst(files map[string]string) error {
	for name, content := range files {
		path := filepath.Join(p.Dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("create project: %w", err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return fmt.Errorf("create project: %w", err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "--allow-empty", "--message=first"},
	} {
		if out, err := p.Git(args...); err != nil {
			return fmt.Errorf("create project: git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// Git runs git in the repository, without any settings of the machine's user.
func (p *Project) Git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = p.Dir
	cmd.Env = append(p.Env(), "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@localhost",
		"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@localhost")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Env is the environment of every program in the project: the PATH and the project's own folders.
func (p *Project) Env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "TMPDIR=" + p.Tmp, "PWD=" + p.Dir,
		"XDG_CONFIG_HOME=" + p.Config, "XDG_DATA_HOME=" + p.Data, "XDG_CACHE_HOME=" + p.Cache, "XDG_STATE_HOME=" + p.State,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LANG=C.UTF-8", "NO_COLOR=1",
	}
}
