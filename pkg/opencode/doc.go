// Package opencode drives the OpenCode command line headless: it runs a task in a sandboxed git worktree, on a
// given inference endpoint, and says truthfully how it ended. An exit code does not say that: OpenCode ends with 0
// when the model said nothing, or announced work and did none; it asks for ever when an answer is cut off by the output
// cap; it waits behind a rate limit without a word. Each of these has a Verdict of its own.
//
// # Use
//
//	wt, err := sandbox.New(ctx, repo, sandbox.Options{})
//	defer wt.Close()
//	a := &opencode.Adapter{Lane: "heal", ForgeBaseURL: "https://inference.example.com", Confine: true}
//	res, err := a.Invoke(ctx, wt, key, task)   // res.Verdict, res.ChangedFiles, res.AssistantText ...
//	patch, err := wt.Diff(ctx)
//
// Author repeats a run that wrote nothing with a firmer task. BuildTaskPrompt words a task from a TrustedGap.
//
// # Endpoint and model
//
// OpenCode talks to the endpoint as an OpenAI-compatible provider. Its configuration, the key included, goes
// to it in the environment variable OPENCODE_CONFIG_CONTENT alone. The model is declared under the lane's name; the
// endpoint receives the lane as the model string, or Adapter.Model when that is set: normally an alias that the
// endpoint resolves, so that no catalog id is built into a program.
//
// # Secrets
//
// The key is in no file, no argument, no log and no result. Everything that leaves (texts, file names, the
// transcript, errors, log lines) is redacted by package redact, which knows the key itself in its usual
// encodings and the shapes of common secrets. The commands that the model runs find no key in their environment; a
// determined one can still read it from OpenCode's own process, so Invoke searches the changed files and fails by
// ErrKeyLeaked when one holds it. Use a short-lived key.
//
// # Trust
//
// The repository and the model's output are not trusted. The project's own OpenCode configuration and plugins
// are not loaded, what counts as changed is measured by package sandbox in a way that the run cannot bend, and with
// Confine the kernel keeps the run inside (package jail).
package opencode
