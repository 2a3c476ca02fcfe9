package sandbox

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// marker names the sandbox in the environment of every process in it: by it KillStrays finds them.
const marker = "OPENCODE_SANDBOX"

// allowed are the variables that a sandboxed program inherits. Everything else stays outside: an
// environment is where credentials live.
var allowed = []string{
	"PATH", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", // a company's certificate authority
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
}

// Env is the environment for a program in the sandbox: the allowed part of this process's own, the
// sandbox's folders, and settings that keep OpenCode from reading the project's configuration and from
// fetching anything at its start.
//
// A proxy whose URL carries a password is left out.
func (wt *Worktree) Env() []string {
	at := func(name string) string { return filepath.Join(wt.box, name) }
	env := inherited(os.Environ())
	env = append(env,
		marker+"="+wt.home,
		"HOME="+at("home"), "TMPDIR="+at("tmp"), "PWD="+wt.Dir,
		"XDG_CONFIG_HOME="+at("config"), "XDG_DATA_HOME="+at("data"), "XDG_CACHE_HOME="+at("cache"), "XDG_STATE_HOME="+at("state"),
		"TERM=dumb", "NO_COLOR=1", "SHELL="+wt.shell(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_TERMINAL_PROMPT=0",
		// A project's own config can name plugins and providers: code that would run with our key.
		"OPENCODE_DISABLE_PROJECT_CONFIG=1",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_SHARE=1",
	)
	return append(env, wt.env...)
}

// shell is the sandbox's shell: the system's, without the run's configuration in its environment.
func (wt *Worktree) shell() string { return filepath.Join(wt.box, "bin", filepath.Base(systemShell())) }

func systemShell() string {
	const bash = "/bin/bash"
	if _, err := os.Stat(bash); err == nil {
		return bash
	}
	return "/bin/sh"
}

// writeShell writes the shell by which OpenCode runs commands. A command that prints its environment must not
// print the key.
func writeShell(path string) error {
	script := "#!/bin/sh\nunset OPENCODE_CONFIG_CONTENT\nexec " + systemShell() + " \"$@\"\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write sandbox shell: %w", err)
	}
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return fmt.Errorf("write sandbox shell: %w", err)
	}
	return nil
}

func inherited(environ []string) []string {
	var out []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !slices.Contains(allowed, name) {
			continue
		}
		if strings.HasSuffix(strings.ToUpper(name), "_PROXY") && hasPassword(value) {
			continue
		}
		out = append(out, entry)
	}
	return out
}

func hasPassword(proxy string) bool {
	u, err := url.Parse(proxy)
	return strings.Contains(proxy, "@") || err == nil && u.User != nil
}

// SealConfig fills an OpenCode config folder so that OpenCode does not install its plugin SDK there at
// every start: it skips the install when node_modules exists and the lock file names the package.
func SealConfig(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o700); err != nil {
		return fmt.Errorf("seal config folder: %w", err)
	}
	lockfile, err := json.Marshal(map[string]any{"packages": map[string]any{
		"": map[string]any{"dependencies": map[string]string{"@opencode-ai/plugin": "*"}},
	}})
	if err != nil {
		return fmt.Errorf("seal config folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package-lock.json"), lockfile, 0o600); err != nil {
		return fmt.Errorf("seal config folder: %w", err)
	}
	return nil
}
