// Package e2e runs what a person would install in the program that they would install it in: it packs the
// npm package, installs the tarball into an empty project, names it in a repository's opencode.json, starts
// the real OpenCode on a scripted model server, and looks at what came of it: the server's record of requests,
// the session as OpenCode's HTTP API tells it, the toasts, and the advisor's own state.
//
// The tests here and the demo (internal/demo) share it.
package e2e
