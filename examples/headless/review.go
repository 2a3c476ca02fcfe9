package main

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/plugin"
	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

var (
	//go:embed task.md
	taskText string
	//go:embed linger.js
	lingerPlugin []byte
)

// lane is the name under which the agent's model is declared to OpenCode.
const lane = "agent"

// review does the whole job. The report is nil when OpenCode was not started.
func review(ctx context.Context, o options) (r *report, err error) {
	task, err := theTask(ctx, o)
	if err != nil {
		return nil, err
	}
	pluginPath, err := findPlugin(o.plugin)
	if err != nil {
		return nil, err
	}
	wt, err := sandbox.New(ctx, o.repo, sandbox.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, wt.Close()) }()
	plugins, err := place(wt, o, pluginPath)
	if err != nil {
		return nil, err
	}
	a := &opencode.Adapter{
		Bin: o.opencode, Lane: lane, Model: o.model, ForgeBaseURL: o.endpoint, Timeout: o.timeout, Confine: o.confine,
		Plugins: plugins, ReadPaths: []string{pluginPath},
	}
	key := os.Getenv(o.keyEnv)
	res, err := a.Invoke(ctx, wt, key, task)
	if res.Attempts == 0 {
		return nil, err
	}
	said, stateErr := readAdvisor(wt.StateHome(), res.SessionID, redact.New(key))
	r = newReport(o, res, said)
	return r, errors.Join(err, stateErr, r.save(ctx, wt, o, res))
}

// place makes the advisor and the plugin that waits for it loadable, in that order of their ends.
func place(wt *sandbox.Worktree, o options, pluginPath string) ([]any, error) {
	linger := filepath.Join(wt.CacheHome(), "linger.js")
	if err := os.WriteFile(linger, lingerPlugin, 0o600); err != nil {
		return nil, fmt.Errorf("write the waiting plugin: %w", err)
	}
	spec, err := plugin.Place(wt.CacheHome(), pluginPath)
	if err != nil {
		return nil, err
	}
	reviewer := o.reviewer
	if reviewer == "" {
		reviewer = o.model
	}
	return []any{
		[]any{(&url.URL{Scheme: "file", Path: linger}).String(), map[string]any{"maxMs": o.linger.Milliseconds()}},
		// The advisor takes address and key from the provider that OpenCode is configured with.
		[]any{spec, map[string]any{"watchdogModel": sandbox.ProviderName + "/" + reviewer}},
	}, nil
}

// findPlugin gives the plugin's absolute path; by default the checkout that the command runs in.
func findPlugin(path string) (string, error) {
	if path != "" {
		return filepath.Abs(path)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the plugin: %w", err)
	}
	for {
		var pkg struct{ Name string }
		data, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err == nil && json.Unmarshal(data, &pkg) == nil && pkg.Name == "opencode-superadvisor" {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("find the plugin: this is no checkout of opencode-superadvisor: set --plugin")
		}
		dir = filepath.Dir(dir)
	}
}

// maxDiff bounds the change that is put into the prompt, in bytes: about 30,000 tokens. The agent can read the
// rest in the worktree.
const maxDiff = 120_000

// theTask is the text that the agent gets.
func theTask(ctx context.Context, o options) (string, error) {
	switch o.task {
	case "":
	case "-":
		data, err := io.ReadAll(os.Stdin)
		return string(data), err
	default:
		data, err := os.ReadFile(o.task)
		if err != nil {
			return "", fmt.Errorf("read the task: %w", err)
		}
		return string(data), nil
	}
	cmd := exec.CommandContext(ctx, "git", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--end-of-options", o.base, "HEAD")
	cmd.Dir = o.repo
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("diff %s with HEAD: %w: %s", o.base, err, strings.TrimSpace(stderr.String()))
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return "", fmt.Errorf("diff %s with HEAD: nothing changed", o.base)
	}
	if len(out) > maxDiff {
		out = append(out[:maxDiff:maxDiff], "\n[the rest is left out; read it in the files]"...)
	}
	// The mark is fresh, so that the change cannot contain it and speak from behind the fence.
	return strings.NewReplacer("{{mark}}", rand.Text(), "{{diff}}", strings.ToValidUTF8(string(out), "\ufffd")).Replace(taskText), nil
}
