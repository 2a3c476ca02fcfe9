package judge

import (
	"slices"
	"strings"
)

var hijack = words(`LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH PATH BASH_ENV ENV ZDOTDIR
	PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_ASKPASS GIT_PROXY_COMMAND
	GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_DIR GIT_WORK_TREE SSH_ASKPASS EDITOR VISUAL PAGER MANPAGER
	BROWSER LESSOPEN LESSCLOSE NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONINSPECT PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS
	JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS GOFLAGS RUSTC_WRAPPER RUSTC RUSTDOC CARGO_HOME CC CXX LD AR MAKEFLAGS GNUMAKEFLAGS MAKEFILES SHELL TAR_OPTIONS RSYNC_RSH
	npm_config_script_shell npm_config_ignore_scripts npm_config_node_options npm_config_registry PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL BUN_OPTIONS DENO_DIR
	OPENCODE_CONFIG OPENCODE_CONFIG_CONTENT OPENCODE_PERMISSION OPENCODE_CONFIG_DIR`)

// tame are variables that only colour, localise or select; setting them leaves
// a safe command safe.
var tame = words(`CI NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LANG LC_ALL LC_CTYPE TZ NODE_ENV RUST_BACKTRACE RUST_LOG CGO_ENABLED GOOS GOARCH GOMAXPROCS
	PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE DEBUG VERBOSE`)

// watchVariable asks about variables through which other programs run code.
func (f *floor) watchVariable(name string, v value) {
	live := slices.ContainsFunc(v.alts, func(s string) bool { return strings.ContainsAny(s, "$`") })
	if named(name, tame) && !v.unknown && !live {
		return
	}
	if live {
		// make reads each variable of the environment as its own, $(shell ...) included.
		for _, s := range v.alts {
			if _, script, ok := strings.Cut(s, "shell "); ok {
				f.hit("code-in-text")
				f.probe(strings.TrimRight(script, ")}"), newEnv(f.place))
			}
		}
	}
	if (strings.HasSuffix(name, "PAGER") || strings.HasSuffix(name, "EDITOR")) && !v.unknown && len(v.alts) == 1 && (v.alts[0] == "cat" || v.alts[0] == "" || v.alts[0] == "true") {
		return // the usual way to have none
	}
	f.unsafe()
	if !named(name, hijack) && !strings.HasPrefix(name, "BASH_FUNC") {
		return
	}
	// PATH="$PATH:..." is caught as well: what it adds comes first or last, and
	// which program then runs cannot be told.
	f.hit("env-hijack")
	for _, s := range v.alts {
		if strings.ContainsAny(s, " /") {
			f.probe(strings.TrimPrefix(s, "()"), newEnv(f.place))
		}
	}
}
