package opencode

import (
	"context"
	"log/slog"
	"time"
)

// Adapter drives headless OpenCode runs. Its fields are not changed once it is in use; it may then be used from
// several goroutines, each with a worktree of its own.
type Adapter struct {
	// Bin is the opencode executable. Empty means "opencode" on the PATH.
	Bin string
	// Lane is the name under which the model is declared to OpenCode, and, when Model is empty, the model string
	// that the endpoint receives. Required.
	Lane string
	// Model, when not empty, is the model string that the endpoint receives instead of Lane: an alias that the
	// endpoint resolves (CodeAuthoringModel), or a catalog id. Whether the key may use it is for the caller
	// to know.
	Model string
	// Provider is the id of the provider declared to OpenCode. Empty means sandbox.ProviderName.
	Provider string
	// ForgeBaseURL is the inference endpoint, to which /v1 is added unless it ends so. Required.
	ForgeBaseURL string
	// MaxAttempts bounds how often one Invoke starts OpenCode. Only a passing failure that authored nothing is
	// repeated. 0 or less means 3.
	MaxAttempts int
	// RetryBackoff is the pause before a repeated attempt. When the endpoint said Retry-After and that is longer,
	// it holds instead, up to 5 minutes; above that there is no further attempt. 0 or less means 5 seconds.
	RetryBackoff time.Duration
	// Timeout bounds one attempt: past it the whole process group is killed. Each attempt has all of it. 0 or
	// less means 15 minutes.
	Timeout time.Duration
	// Confine runs OpenCode in a jail (package jail): it can write only in the worktree and the sandbox's own
	// folders, read only those, the repository's git folder, the executable's folder and the system's, and connect
	// by TCP only to the endpoint's port. Where the kernel cannot do that, Invoke fails and starts nothing.
	Confine bool
	// MaxOutputTokens is the output cap declared to OpenCode. 0 or less means 4096.
	MaxOutputTokens int
	// MaxContextTokens is the context size declared to OpenCode, which wants one beside an output cap. 0 or less
	// means 128000.
	MaxContextTokens int
	// Logger receives what the adapter does, without secrets. Nil means nothing is logged.
	Logger *slog.Logger

	// Plugins are the OpenCode plugins to load: specs as in OpenCode's config, a string or [string, options].
	// Empty means none. A plugin that lies outside of the worktree needs its folder in ReadPaths when confined.
	Plugins []any
	// Config is further OpenCode configuration, merged at the top level. It cannot change the model, the
	// provider, sharing and updating.
	Config map[string]any
	// AskPermissions leaves OpenCode's permission rules in force instead of approving what they ask about. Headless,
	// a question is answered with no.
	AskPermissions bool
	// V2 says that Bin is OpenCode 2: it is started with a server of its own (--standalone) instead of the
	// shared one, and is given its folder as the working directory alone.
	V2 bool
	// ReadPaths are further folders or files, by absolute path, that a confined run may read.
	ReadPaths []string

	// after stands in for time.After in tests.
	after func(time.Duration) <-chan time.Time
}

// Defaults of the fields above.
const (
	defaultMaxAttempts   = 3
	defaultRetryBackoff  = 5 * time.Second
	defaultInvokeTimeout = 15 * time.Minute
	// maxRetryAfter is the longest wait that an endpoint can ask for: a caller that waits longer wants to know.
	maxRetryAfter = 5 * time.Minute
)

func (a *Adapter) timer(d time.Duration) <-chan time.Time {
	if a.after != nil {
		return a.after(d)
	}
	return time.After(d)
}

// pause waits, or returns the context's error.
func (a *Adapter) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-a.timer(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *Adapter) log() *slog.Logger {
	if a.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return a.Logger
}
