package opencode

// Verdict says in one word how a run ended.
type Verdict string

const (
	// OK: OpenCode ended well and changed files.
	OK Verdict = "ok"
	// NoOp: OpenCode ended well, said something, and changed nothing.
	NoOp Verdict = "no_op"
	// Empty: OpenCode ended well and there was no text and no tool call.
	Empty Verdict = "empty"
	// Truncated: the output cap cut the model off.
	Truncated Verdict = "truncated"
	// TimedOut: the run was killed at Adapter.Timeout.
	TimedOut Verdict = "timed_out"
	// RateLimited: the endpoint refused by rate or quota until OpenCode, or the deadline, gave up.
	RateLimited Verdict = "rate_limited"
	// PermissionBlocked: nothing was changed, and a permission was refused or never answered.
	PermissionBlocked Verdict = "permission_blocked"
	// Failed: anything else. The reason says what.
	Failed Verdict = "failed"
)

// Usage is what the model's steps cost, as OpenCode reported it.
type Usage struct {
	Steps      int     `json:"steps"`
	Input      int     `json:"inputTokens"`
	Output     int     `json:"outputTokens"`
	Reasoning  int     `json:"reasoningTokens"`
	CacheRead  int     `json:"cacheReadTokens"`
	CacheWrite int     `json:"cacheWriteTokens"`
	CostUSD    float64 `json:"costUSD"` // 0 when OpenCode knows no prices for the model
}

func (u *Usage) add(v Usage) {
	u.Steps += v.Steps
	u.Input += v.Input
	u.Output += v.Output
	u.Reasoning += v.Reasoning
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.CostUSD += v.CostUSD
}

// Result is the outcome of Invoke. Every text in it is free of the run's key and of what looks like a secret.
type Result struct {
	// Verdict and Reason say how the last attempt ended. The reason is one sentence, never empty.
	Verdict Verdict
	Reason  string
	// AuthoredFiles are the files that write tools named in the event stream, at best; ChangedFiles are the
	// files that differ from the worktree's commit, by git, which is the record to go by.
	AuthoredFiles []string
	ChangedFiles  []string
	// AssistantText is what the model said, at most 4 MiB.
	AssistantText string
	// TranscriptRedacted is the last attempt's standard output and standard error, cut in the middle at
	// 4 MiB, fit to be stored.
	TranscriptRedacted []byte
	// ExitCode is OpenCode's; -1 when it was killed.
	ExitCode int
	// TimedOut is true when the attempt was killed at Adapter.Timeout. Such an attempt is not repeated: a hang
	// is no passing failure, and several in a row only take longer.
	TimedOut bool
	// Truncated is true when the event stream shows that the output cap cut the model off within a tool call
	// (OpenCode then cannot parse the arguments, calls the tool "invalid" and asks again, without end) or that a
	// step ended with the reason "length". Invoke stops the run and returns ErrTruncated.
	Truncated bool
	// TruncationDetail says, when Truncated, which cap it was and what was seen.
	TruncationDetail string
	// Attempts is how often OpenCode was started.
	Attempts int
	// Usage sums up all attempts.
	Usage Usage
	// SessionID names the last attempt's session in OpenCode.
	SessionID string
}
