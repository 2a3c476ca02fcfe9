package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"syscall"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/plugin"
)

// TestKey is the provider key that hosts are configured with unless Options.Key says otherwise. It is no
// secret: the model server accepts anything.
const TestKey = "test-key-of-the-model-server"

// Options configure OpenCode for one start.
type Options struct {
	// ModelURL is the model server's base URL, ending in /v1.
	ModelURL string
	// Models are the model ids to declare; empty means m1, reviewer and small. The first is the default.
	Models []string
	// Key is the provider's key; empty means TestKey.
	Key string
	// Plugin is a packed tarball (.tgz), a built package folder or a single file; empty means none.
	Plugin string
	// PluginOptions are given to the plugin as its options; nil means none.
	PluginOptions any
	// Config is merged over the generated config, key by key at the top level.
	Config map[string]any
	// Env is added to the environment.
	Env []string
	// Args are added to the command line of Run, in front of the prompt, and of Serve.
	Args []string
}

// Provider is the id of the provider that serves the model server's models: a model is test/<id>.
const Provider = "test"

// config is the value of OPENCODE_CONFIG_CONTENT.
func (o Options) config(p *Project) (string, error) {
	ids := o.Models
	if len(ids) == 0 {
		ids = []string{"m1", "reviewer", "small"}
	}
	models := map[string]any{}
	for _, id := range ids {
		models[id] = map[string]any{"name": id, "tool_call": true, "limit": map[string]int{"context": 100000, "output": 4000}}
	}
	key := o.Key
	if key == "" {
		key = TestKey
	}
	config := map[string]any{
		"model": Provider + "/" + ids[0], "small_model": Provider + "/small", "autoupdate": false, "share": "disabled",
		"provider": map[string]any{Provider: map[string]any{
			"name": "Test", "npm": "@ai-sdk/openai-compatible", "models": models,
			"options": map[string]string{"baseURL": o.ModelURL, "apiKey": key},
		}},
	}
	if _, ok := models["small"]; !ok {
		models["small"] = map[string]any{"name": "small"}
	}
	if o.Plugin != "" {
		spec, err := plugin.Place(p.Cache, o.Plugin)
		if err != nil {
			return "", err
		}
		config["plugin"] = []any{spec}
		if o.PluginOptions != nil {
			config["plugin"] = []any{[]any{spec, o.PluginOptions}}
		}
	}
	maps.Copy(config, o.Config)
	out, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("encode OpenCode config: %w", err)
	}
	return string(out), nil
}

// command prepares an OpenCode process in a group of its own, which ends as a whole with the context.
func (p *Project) command(ctx context.Context, o Options, args ...string) (*exec.Cmd, error) {
	bin, err := OpenCode(ctx)
	if err != nil {
		return nil, err
	}
	config, err := o.config(p)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = p.Dir
	cmd.Env = append(p.Env(),
		"OPENCODE_CONFIG_CONTENT="+config,
		// Nothing of a start may depend on the network.
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1")
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd, nil
}

func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// Output is what a finished run printed.
type Output struct {
	Stdout   []byte // one JSON event a line
	Stderr   []byte
	ExitCode int
}

// Run runs one prompt with "opencode run --format json" and waits for its end. The prompt goes in on standard
// input, which is the one way to OpenCode that neither quotes it nor shows it in the process list. A non-zero
// exit is no error; a deadline is.
func (p *Project) Run(ctx context.Context, o Options, prompt string) (Output, error) {
	args := append([]string{"run", "--model", Provider + "/" + o.defaultModel(), "--format", "json", "--dangerously-skip-permissions"}, o.Args...)
	cmd, err := p.command(ctx, o, args...)
	if err != nil {
		return Output{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader([]byte(prompt)), &stdout, &stderr
	err = cmd.Run()
	out := Output{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), ExitCode: -1}
	if cmd.ProcessState != nil {
		out.ExitCode = cmd.ProcessState.ExitCode()
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		err = nil
	}
	if err != nil {
		return out, fmt.Errorf("run OpenCode: %w (its last words: %s)", errors.Join(err, ctx.Err()), lastLines(out.Stderr, 5))
	}
	return out, nil
}

func (o Options) defaultModel() string {
	if len(o.Models) > 0 {
		return o.Models[0]
	}
	return "m1"
}
