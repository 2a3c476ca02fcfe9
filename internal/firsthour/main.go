// Command firsthour goes the way of somebody who has just heard of the plugin, with the packed package, the real OpenCode, pi
// and a scripted model server: install it with superadvisor, let the doctor look and try both hosts, work until the first note, ask what became
// of it and why, mute, and take it out again. It exits with 1 at the first thing that is not as the documentation says.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/cmdline"
	"github.com/Kayphoon/opencode-advisor/internal/e2e"
	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// limit bounds the whole: a first run downloads OpenCode and pi.
const limit = 10 * time.Minute

func main() {
	cmdline.Parse("go run ./internal/firsthour\nGoes a first-time user's way with the packed plugin, in a real OpenCode and pi.")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Println("\nfailed: " + err.Error())
		os.Exit(1)
	}
}

// newcomer is one person's way.
type newcomer struct {
	ctx    context.Context
	dir    string // of everything
	plugin string // the installed package
	bin    string // the folder of the hosts' programs
	model  *modelserver.Server
	home   *hosts.Project
	stage  *e2e.Stage
	scene  *e2e.Scene
	config string // OpenCode's, as it was before
	note   string // the id of the first note
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "superadvisor-first-hour-")
	if err != nil {
		return err
	}
	n := &newcomer{ctx: ctx, dir: dir}
	defer func() {
		n.close()
		if err != nil {
			fmt.Println("kept: " + dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	began := time.Now()
	for _, s := range []struct {
		title string
		do    func() error
	}{
		{"the packed package in an empty npm project", n.install},
		{"a machine with a model and a repository", n.settle},
		{"superadvisor --help, as npx runs it", n.help},
		{"superadvisor bench, of one recording", n.bench},
		{"superadvisor install --dry-run, install, and install again", n.add},
		{"superadvisor doctor, with a turn in OpenCode and in pi", func() error {
			return n.doctor("opencode plugin", "watchdog", "tools", "state", "rehearsal", "module", "opencode trial", "pi trial", "delivery")
		}},
		{"OpenCode " + hosts.OpenCodeVersion + " works until a blocker wakes it, once", n.work},
		{"superadvisor status, notes and why", n.ask},
		{"superadvisor report", n.report},
		{"superadvisor mute, while OpenCode runs and after", n.mute},
		{"superadvisor doctor --no-host, once a note was seen", func() error {
			return n.says("doctor --no-host", `^ok +opencode trial: left out$`, `^ok +delivery: opencode-v1 showed a note in session `+n.scene.ID)
		}},
		{"superadvisor uninstall", n.remove},
	} {
		start := time.Now()
		fmt.Printf("%-65s ", s.title)
		if err := s.do(); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		fmt.Printf("ok %5.1f s\n", time.Since(start).Seconds())
	}
	fmt.Printf("all as the documentation says, in %.0f s\n", time.Since(began).Seconds())
	return nil
}

func (n *newcomer) close() {
	if n.stage != nil {
		n.stage.Host.Close()
	}
	if n.model != nil {
		n.model.Close()
	}
}

func (n *newcomer) install() error {
	root, err := hosts.Root()
	if err != nil {
		return err
	}
	tarball, err := e2e.Pack(n.ctx, root, n.dir)
	if err != nil {
		return err
	}
	if n.plugin, err = e2e.Install(n.ctx, tarball, filepath.Join(n.dir, "npm")); err != nil {
		return err
	}
	return n.hosts()
}

// hosts makes the folder that holds the programs opencode and pi.
func (n *newcomer) hosts() error {
	opencode, err1 := hosts.OpenCode(n.ctx)
	pi, err2 := hosts.Pi(n.ctx)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	n.bin = filepath.Join(n.dir, "bin")
	return errors.Join(
		os.Mkdir(n.bin, 0o755),
		os.Symlink(opencode, filepath.Join(n.bin, "opencode")),
		os.WriteFile(filepath.Join(n.bin, "pi"), []byte("#!/bin/sh\nexec node '"+pi+"' \"$@\"\n"), 0o755),
	)
}

// The act of the story that the newcomer sees: a blocker.
const act = 3

func (n *newcomer) settle() (err error) {
	story := e2e.Story()[act]
	n.model, err = modelserver.Start(modelserver.Script{Models: map[string][]modelserver.Reply{
		e2e.StoryAgent: story.Agent,
		// The doctor asks first.
		e2e.StoryReviewer: append([]modelserver.Reply{e2e.Read("README.md")}, story.Reviewer...),
	}})
	if err != nil {
		return err
	}
	if n.home, err = hosts.NewProject(filepath.Join(n.dir), e2e.Example()); err != nil {
		return err
	}
	n.config = fmt.Sprintf(`{
  "$schema": "https://opencode.ai/config.json",
  // my own models
  "provider": {
    "test": { "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": %q, "apiKey": %q } }, // on this machine
  },
}
`, n.model.BaseURL(), hosts.TestKey)
	return errors.Join(
		os.WriteFile(n.configFile(), []byte(n.config), 0o600),
		os.WriteFile(filepath.Join(n.home.Config, "opencode", "advisor.json"), []byte(`{ "watchdogModel": "test/`+e2e.StoryReviewer+`", "reviewMode": "idle" }`), 0o600),
	)
}

func (n *newcomer) configFile() string {
	return filepath.Join(n.home.Config, "opencode", "opencode.jsonc")
}

// superadvisor runs the installed program in the repository, and gives its output when it ends with the code that is wanted.
func (n *newcomer) superadvisor(want int, args ...string) (string, error) {
	cmd := exec.CommandContext(n.ctx, filepath.Join(n.dir, "npm", "node_modules", ".bin", "superadvisor"), args...)
	cmd.Dir = n.home.Dir
	cmd.Env = append(n.home.Env(), "PATH="+n.bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() >= 0 {
		err = nil
	}
	if err != nil {
		return "", err
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		return "", fmt.Errorf("superadvisor %s ended with %d, want %d:\n%s%s", strings.Join(args, " "), got, want, &out, &errs)
	}
	return out.String() + errs.String(), nil
}

// says runs the program, which must end with 0, and looks for each of the patterns in what it prints.
func (n *newcomer) says(line string, patterns ...string) error {
	return n.ends(0, line, patterns...)
}

func (n *newcomer) ends(code int, line string, patterns ...string) error {
	out, err := n.superadvisor(code, strings.Fields(line)...)
	if err != nil {
		return err
	}
	for _, p := range patterns {
		if !regexp.MustCompile(`(?m)` + p).MatchString(out) {
			return fmt.Errorf("superadvisor %s does not print %s:\n%s", line, p, out)
		}
	}
	return nil
}

func (n *newcomer) help() error {
	if err := n.says("--help", `^usage: superadvisor <command>`, `^  doctor `, `^  install `); err != nil {
		return err
	}
	cmd := exec.CommandContext(n.ctx, "npx", "--no-install", "opencode-superadvisor", "--version")
	cmd.Dir = filepath.Join(n.dir, "npm")
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(`^\d+\.\d+\.\d+\n$`).Match(out) {
		return fmt.Errorf("npx opencode-superadvisor --version: %w: %s", err, out)
	}
	return nil
}

func (n *newcomer) bench() error {
	return n.says("bench --session go-notes", `^15 turns, 11 of them clean$`, `^honest +yes +0\.0 +0\.0 +3 of 3 `, `^hallucinating +yes +0\.0 +18\.2 +0 of 3 +0 `)
}

func (n *newcomer) add() error {
	line := "install --spec " + n.plugin
	if err := n.says(line+" --dry-run", `^\+  "plugin": \["`+regexp.QuoteMeta(n.plugin)+`"\]$`); err != nil {
		return err
	}
	if err := n.configIs(n.config); err != nil {
		return err
	}
	if err := errors.Join(n.says(line, `^Added `), n.says(line, `already; nothing to do\.$`)); err != nil {
		return err
	}
	return n.configIs(strings.TrimSuffix(n.config, "}\n") + `  "plugin": ["` + n.plugin + "\"]\n}\n")
}

func (n *newcomer) configIs(want string) error {
	got, err := os.ReadFile(n.configFile())
	if err == nil && string(got) != want {
		return fmt.Errorf("%s holds\n%s\nwant\n%s", n.configFile(), got, want)
	}
	return err
}

// doctor demands that nothing fails, and that the checks named are well.
func (n *newcomer) doctor(well ...string) error {
	out, err := n.superadvisor(0, "doctor", "--json")
	if err != nil {
		return err
	}
	var checks []struct{ State, Check, Text string }
	if err := json.Unmarshal([]byte(out), &checks); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	states, odd := map[string]string{}, ""
	for _, c := range checks {
		states[c.Check] = c.State
		if c.State != "ok" {
			odd += "\n" + c.State + " " + c.Check + ": " + c.Text
		}
	}
	for _, name := range well {
		if states[name] != "ok" {
			return fmt.Errorf("%s is not as it should be%s", name, odd)
		}
	}
	return nil
}

func (n *newcomer) work() error {
	host, err := n.home.Serve(n.ctx, hosts.Options{ModelURL: n.model.BaseURL(), Models: []string{e2e.StoryAgent, e2e.StoryReviewer, modelserver.SmallModel}})
	if err != nil {
		return err
	}
	n.stage = &e2e.Stage{Model: n.model, Host: host, Home: n.home, Plugin: n.plugin}
	if n.scene, err = n.stage.Open(n.ctx, e2e.Setting{Name: "work", Primary: e2e.StoryAgent}); err != nil {
		return err
	}
	n.home.Dir = n.scene.Repo.Dir
	story := e2e.Story()[act]
	if err := n.scene.Say(n.ctx, story.Says); err != nil {
		return err
	}
	state, lines, err := n.scene.Settle(n.ctx, story.Reviews)
	if err != nil {
		return err
	}
	var said []string
	for _, l := range lines {
		if l.Who == e2e.Advisor {
			said = append(said, l.Severity)
		}
	}
	if fmt.Sprint(said) != fmt.Sprint(story.Said) || e2e.Count(state, "note.woken") != story.Wakes || len(state.Notes) == 0 {
		return fmt.Errorf("the advisor said %v and woke %d times, want %v and %d", said, e2e.Count(state, "note.woken"), story.Said, story.Wakes)
	}
	n.note = state.Notes[0].Note.ID
	return nil
}

func (n *newcomer) ask() error {
	return errors.Join(
		n.says("status", `^session: `+n.scene.ID+` in `+regexp.QuoteMeta(n.home.Dir), `^reviews: 2 started, 2 with notes`, `^notes: 1 delivered, 1 woke the agent, 1 dropped`),
		n.says("status --all", `^`+n.scene.ID),
		n.says("notes", `^`+n.note+` blocker \(delivered\) src/db\.ts:\d+ currentUser crashes`, ` blocker \(duplicate\) `),
		n.says("why "+n.note, `^fate: delivered$`, `^again: 1 more with this id`, `^citation: quote verified src/db\.ts:\d+ return null`, `^looked: `),
		n.ends(1, "why n_none", `There is no note "n_none"`),
		n.ends(2, "wy", `did you mean why\?`),
	)
}

func (n *newcomer) report() error {
	page := filepath.Join(n.dir, "report.html")
	if err := n.says("report --out "+page, regexp.QuoteMeta(page)); err != nil {
		return err
	}
	html, err := os.ReadFile(page)
	if err == nil && !bytes.Contains(html, []byte("currentUser crashes for an unknown token")) {
		err = fmt.Errorf("%s does not tell of the note", page)
	}
	return err
}

func (n *newcomer) mute() error {
	if err := errors.Join(n.says("mute "+n.note, `^Muted: `+n.note), n.says("status", `^muted notes: `+n.note)); err != nil {
		return err
	}
	n.stage.Host.Close()
	return errors.Join(n.says("status", `^muted notes: `+n.note), n.says("mute style", `^Muted: style`), n.says("unmute "+n.note, `^No longer muted`), n.says("status", `^muted categories: style$`))
}

func (n *newcomer) remove() error {
	if err := n.says("uninstall", `^Took `); err != nil {
		return err
	}
	return n.configIs(strings.TrimSuffix(n.config, "}\n") + "  \"plugin\": []\n}\n")
}
