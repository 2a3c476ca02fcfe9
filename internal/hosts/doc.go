// Package hosts installs the real programs that our plugin runs in (OpenCode, pi, Bun) and starts them
// headless against a model server, for tests. Each program is fetched once from the npm registry, at a
// pinned version, into .cache/hosts of the checkout; a later run needs no network. Every run gets a
// fresh git repository and a HOME and XDG folders of its own, so no test sees a developer's settings.
//
// A host that cannot be installed is an error, and a test that needs one then fails: it never skips. Such tests
// have the build tag realhost, which "make test-driver" sets.
package hosts
