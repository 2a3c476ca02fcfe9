// Package sandbox gives a headless OpenCode run a place of its own: a detached git worktree to write in,
// and HOME, XDG and temporary folders that start empty, so that neither the user's settings nor the
// user's sessions are read or changed.
//
// # Life
//
// New makes a sandbox, Close removes it. What a crashed program left behind (folders, git's record of the
// worktree, processes that still run) is removed by Sweep, which New calls first. Whether a sandbox is in
// use is told by a file lock that the kernel drops with its owner, never by age or process number.
//
// # Trust
//
// The program in the sandbox may be driven by a hostile repository or model. Package sandbox keeps it from
// reaching back through git: it names the git folder itself instead of believing the worktree's .git
// file, keeps its own index, runs no hook, fsmonitor, external diff or text conversion, and measures
// changes against the commit that the worktree was made from, so a commit inside hides nothing. What keeps
// the program from writing elsewhere is package jail.
package sandbox
