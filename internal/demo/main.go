// Command demo shows the whole product once: it builds and packs the plugin, installs the tarball as a person
// would, starts the real OpenCode on a small repository, and plays a session in which the advisor is silent about
// a suspicion that the code refutes, leaves a nit and a concern, wakes the agent once with a proven blocker, and does
// not wake it again. It exits with 1 when one of these does not happen.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/cmdline"
	"github.com/Kayphoon/opencode-advisor/internal/e2e"
	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// limit bounds the demo: a first run downloads OpenCode (60 MB) and compiles the module.
const limit = 15 * time.Minute

// actLimit bounds one act: a review takes a second, on a busy machine a few.
const actLimit = time.Minute

func main() {
	keep := flag.Bool("keep", false, "keep the folder with the repository, the logs and the advisor's state")
	cmdline.Parse("go run ./internal/demo [options]\nPlays the worked example in a real OpenCode, with scripted models.")
	// A reader that goes away (demo | head) ends the demo in order too: OpenCode must not stay behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := newScreen(os.Stdout, time.Now)
	if err := run(ctx, out, *keep); err != nil {
		out.failed(err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out *screen, keep bool) (err error) {
	root, err := hosts.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "superadvisor-demo-")
	if err != nil {
		return err
	}
	defer func() {
		interrupted := errors.Is(ctx.Err(), context.Canceled)
		if keep || err != nil && !interrupted {
			out.say("Kept: " + dir)
			return
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	out.title("opencode-superadvisor: a demo", "Real: OpenCode "+hosts.OpenCodeVersion+", the packed plugin, its reviews and the checks of its citations, the repository. "+
		"Scripted: what the two models answer.")

	var tarball, plugin string
	var stage *e2e.Stage
	steps := []struct {
		title string
		do    func() (note string, err error)
	}{
		{"install the build's tools (npm ci)", func() (string, error) { return install(ctx, root) }},
		{"build (npm run build)", func() (string, error) { return build(ctx, root) }},
		{"pack (npm pack)", func() (note string, err error) {
			tarball, err = e2e.Pack(ctx, root, dir)
			return sizeOf(tarball), err
		}},
		{"install the tarball in an empty npm project", func() (note string, err error) {
			plugin, err = e2e.Install(ctx, tarball, filepath.Join(dir, "npm"))
			return "", err
		}},
		{"get OpenCode " + hosts.OpenCodeVersion + " (npm, cached in .cache/hosts)", func() (string, error) {
			_, err := hosts.OpenCode(ctx)
			return "", err
		}},
		{"start OpenCode and the model server", func() (note string, err error) {
			stage, err = e2e.Start(ctx, mkdir(dir, "host"), plugin, modelserver.Script{Models: e2e.StoryScript()},
				[]string{e2e.StoryAgent, e2e.StoryReviewer})
			return "", err
		}},
	}
	for i, s := range steps {
		if err := out.step(i+1, len(steps), s.title, s.do); err != nil {
			return err
		}
	}
	defer stage.Close()
	return play(ctx, out, stage, plugin)
}

// play plays the acts, and goes on after one that failed only when its session did.
func play(ctx context.Context, out *screen, stage *e2e.Stage, plugin string) error {
	scene, err := stage.Open(ctx, e2e.Setting{Name: "profiles", Primary: e2e.StoryAgent, Spec: plugin, Options: e2e.StoryOptions()})
	if err != nil {
		return err
	}
	teller := &e2e.Teller{Scene: scene}
	acts := e2e.Story()
	for i, act := range acts {
		out.act(i+1, len(acts), act.Title)
		ctx, cancel := context.WithTimeout(ctx, actLimit)
		entries, err := teller.Play(ctx, act)
		cancel()
		out.entries(entries)
		if err != nil {
			return fmt.Errorf("%s did not go as it must: %w", act.Title, err)
		}
		out.point(act.Point)
	}
	out.end(acts)
	return nil
}

func mkdir(dir, name string) string {
	path := filepath.Join(dir, name)
	_ = os.Mkdir(path, 0o755) // who uses it reports what is wrong with it
	return path
}

// install installs the build's tools unless those of this lock file are there.
func install(ctx context.Context, root string) (note string, err error) {
	installed := filepath.Join(root, "node_modules", ".package-lock.json")
	if newer(installed, filepath.Join(root, "package.json"), filepath.Join(root, "package-lock.json")) {
		return "there", nil
	}
	if err := command(ctx, root, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return "", err
	}
	now := time.Now()
	return "", os.Chtimes(installed, now, now)
}

// newer tells whether a file is there and not older than any of the others.
func newer(file string, than ...string) bool {
	info, err := os.Stat(file)
	if err != nil {
		return false
	}
	for _, other := range than {
		if o, err := os.Stat(other); err != nil || o.ModTime().After(info.ModTime()) {
			return false
		}
	}
	return true
}

func build(ctx context.Context, root string) (note string, err error) {
	if err := command(ctx, root, "npm", "run", "--silent", "build"); err != nil {
		return "", err
	}
	return "module " + sizeOf(filepath.Join(root, "dist", "superadvisor.wasm")), nil
}

// command runs a program and gives its output when it fails.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not installed: the demo needs Go 1.26, Node 20 and git", name)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

func sizeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%.2f MB", float64(info.Size())/1e6)
}
