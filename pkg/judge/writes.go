package judge

import (
	"path"
	"strings"
)

// body is what will be in a file that is written, as far as it is known.
type body struct {
	text, before string
	known        bool
}

var (
	startupNames = words(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin
		.zlogout .kshrc .cshrc .tcshrc .login config.fish .xprofile .xinitrc .xsessionrc .envrc .inputrc .vimrc .exrc .nvimrc
		sitecustomize.py usercustomize.py .pythonrc .irbrc .pryrc .Rprofile profile.ps1 Microsoft.PowerShell_profile.ps1`)
	hookNames = words(`.husky .githooks .git-hooks lefthook.yml lefthook.yaml .lefthook.yml .pre-commit-config.yaml .pre-commit-config.yml
		.lintstagedrc .lintstagedrc.json lint-staged.config.js .overcommit.yml simple-git-hooks.json`)
	ciNames = words(`.gitlab-ci.yml .gitlab-ci.yaml jenkinsfile .travis.yml .drone.yml .circleci .buildkite .woodpecker .woodpecker.yml
		azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml appveyor.yml .appveyor.yml cloudbuild.yaml buildspec.yml .cirrus.yml .teamcity`)
	hostNames = words(`opencode.json opencode.jsonc .opencode advisor.json advisor.jsonc watchdog.yml watchdog.yaml .pi .mcp.json .claude`)
	toolNames = words(`.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpmfile.js bunfig.toml pip.conf pip.ini .vscode .idea .devcontainer devcontainer.json
		.gitconfig .gitmodules .cargo .condarc .terraformrc .gdbinit .lldbinit`)
)

func words(s string) []string { return strings.Fields(strings.ToLower(s)) }

// named reports whether any element of a path is one of the names.
func named(p string, names []string) bool {
	for _, part := range strings.Split(strings.ToLower(p), "/") {
		for _, n := range names {
			if part == n {
				return true
			}
		}
	}
	return false
}

// writePath checks one absolute path that will be created or changed.
func (f *floor) writePath(p string, b *body) {
	f.unsafe()
	switch {
	case harmlessDevice(p):
		return
	case under(p, "/dev/tcp") || under(p, "/dev/udp"):
		f.hit("remote-shell")
		return
	case under(p, "/dev") || under(p, "/proc") || under(p, "/sys"):
		f.hit("write-device")
		return
	}
	f.special(p, b)
	if f.contained(p, "write-outside") && f.place.Real != nil {
		if real, ok := f.place.Real(p); ok && real != p {
			f.special(real, b)
		}
	}
}

// harmlessDevice reports a file whose writing changes nothing.
func harmlessDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero":
		return true
	}
	fd, ok := strings.CutPrefix(p, "/dev/fd/")
	return ok && fd != "" && strings.Trim(fd, "0123456789") == "" // /dev/fd/../root leads anywhere
}

// special checks what a file is for, by its path below the workspace.
func (f *floor) special(p string, b *body) {
	rel := p
	for _, list := range [2][]string{f.place.Roots, f.place.Worktrees} {
		for _, r := range list {
			// A workspace may itself lie below a folder of such a name.
			if under(p, r) && len(p)-len(r) < len(rel) {
				rel = p[len(r):]
			}
		}
	}
	base := strings.ToLower(path.Base(p))
	lower := strings.ToLower(rel)
	if hasPart(rel, ".git") {
		f.hit("write-git")
	}
	if named(base, startupNames) {
		f.hit("write-startup")
	}
	if named(rel, hookNames) {
		f.hit("write-hook")
	}
	if strings.Contains(lower, ".github/workflows") || strings.Contains(lower, ".github/actions") || strings.Contains(lower, ".forgejo/workflows") ||
		strings.Contains(lower, ".gitea/workflows") || named(rel, ciNames) || base == "action.yml" || base == "action.yaml" {
		f.hit("write-ci")
	}
	if named(rel, hostNames) {
		f.hit("write-host-config")
	}
	if named(rel, toolNames) {
		f.hit("write-tool-config")
	}
	if secretPath(rel, f.place.Home) {
		f.hit("write-secret")
	}
	if base == "package.json" {
		f.packageFile(b)
	}
	f.scriptFile(base, b)
}

// scriptFile reads a shell script that is being written: what may not be run
// now may not be prepared for later either, without a person looking.
func (f *floor) scriptFile(base string, b *body) {
	text := b.added()
	shebang := strings.HasPrefix(text, "#!")
	if line, _, _ := strings.Cut(text, "\n"); shebang && !strings.Contains(line, "sh") {
		return
	}
	switch path.Ext(base) {
	case ".sh", ".bash", ".zsh", ".ksh", ".command":
	default:
		if !shebang {
			return
		}
	}
	if f.depth > 0 && f.scripts > maxScripts/2 {
		return // deep inside a command already: its own rows speak
	}
	inner := &floor{place: f.place, off: f.off, plain: true}
	inner.script(text, newEnv(f.place), flow{})
	inner.uncalled()
	if inner.deny != "" || inner.full {
		f.hit("write-script")
	}
}

// added gives the new text: of a diff, the lines that it adds.
func (b *body) added() string {
	t := b.text
	if len(t) > maxContent {
		t = t[:maxContent]
	}
	diff := false
	for _, head := range []string{"Index: ", "diff --git ", "--- ", "*** Begin Patch"} {
		diff = diff || strings.HasPrefix(t, head)
	}
	if !diff {
		return t
	}
	var out strings.Builder
	for _, line := range strings.Split(t, "\n") {
		if strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
			out.WriteString(line[1:])
			out.WriteByte('\n')
		}
	}
	return out.String()
}
