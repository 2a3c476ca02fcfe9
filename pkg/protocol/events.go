package protocol

// Init opens the exchange. It comes first and once in an instance's life.
//
// wire:event init
type Init struct {
	ABI         int    `json:"abi"`
	Version     string `json:"version"`     // of the npm package
	Host        string `json:"host"`        // opencode-v2, opencode-v1, pi, harness
	HostVersion string `json:"hostVersion"` // as the host tells it, may be empty
	Seed        string `json:"seed"`        // 64 hex digits of fresh randomness, for nonces
	Directory   string `json:"directory"`   // where the host was opened
	Root        string `json:"root"`        // workspace: what the fs imports may see
	Home        string `json:"home"`
	ConfigHome  string `json:"configHome"` // XDG_CONFIG_HOME or its default
	DataHome    string `json:"dataHome"`   // XDG_DATA_HOME or its default
	Options     JSON   `json:"options,omitempty"`
	Kept        JSON   `json:"kept,omitempty"` // of the last Keep of this process
}

// Provided answers a Need.
//
// wire:event provided
type Provided struct {
	ID        string     `json:"id"`
	Files     []File     `json:"files,omitempty"`
	Env       []Variable `json:"env,omitempty"`
	Providers []Provider `json:"providers,omitempty"`
}

// Session tells what the host knows of a session. It comes before any other
// event of that session.
//
// wire:event session
type Session struct {
	Session   string `json:"session"`
	Parent    string `json:"parent,omitempty"`    // set for a child session
	Directory string `json:"directory,omitempty"` // its location; empty when the host has one only
	Title     string `json:"title,omitempty"`
	// First is the durable sequence number of the first event that the adapter
	// saw, and Complete tells whether that is the session's beginning.
	First    int64 `json:"first,omitempty"`
	Complete bool  `json:"complete"`
	// Born is when the host made the session, in milliseconds since 1970: a message that is older was copied into it.
	Born int64 `json:"born,omitempty"`
	// Origin is the session that this one was forked from, where the host or the copied messages prove it.
	Origin string `json:"origin,omitempty"`
}

// User is an input of role user, whoever sent it. The adapter gives facts; session.Human decides.
//
// wire:event user
type User struct {
	Session string `json:"session"`
	ID      string `json:"id"` // the message's id in the host, stable across restarts
	Text    string `json:"text"`
	Created int64  `json:"created,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// Advisor: it carries our metadata, or an id that we made.
	Advisor bool `json:"advisor,omitempty"`
	// Synthetic: the host marks it as not typed.
	Synthetic bool `json:"synthetic,omitempty"`
	// Foreign: it carries another plugin's metadata, or another plugin sent it.
	Foreign bool `json:"foreign,omitempty"`
	// Continuation: the host made it to go on after a compaction or an error.
	Continuation bool `json:"continuation,omitempty"`
	// Custom: of a message type of the host's own, not plain user.
	Custom bool `json:"custom,omitempty"`
	// Typed: the host says positively that a person sent it, or has no other
	// way for this kind of message to come about.
	Typed bool `json:"typed,omitempty"`
}

// Text is a finished text part of the primary.
//
// wire:event text
type Text struct {
	Session string `json:"session"`
	Message string `json:"message,omitempty"`
	Text    string `json:"text"`
	Cut     int    `json:"cut,omitempty"` // UTF-16 units that the loader left out at the end
}

// Tool is a settled tool call of the primary.
//
// wire:event tool
type Tool struct {
	Session string   `json:"session"`
	Message string   `json:"message,omitempty"`
	Call    string   `json:"call"`
	Name    string   `json:"name"`
	Input   JSON     `json:"input,omitempty"`
	Output  string   `json:"output,omitempty"`
	Cut     int      `json:"cut,omitempty"` // UTF-16 units of output that the loader left out in the middle
	Failed  bool     `json:"failed,omitempty"`
	HasExit bool     `json:"hasExit,omitempty"`
	Exit    int      `json:"exit,omitempty"`  // exit code of a command, when hasExit
	Files   []string `json:"files,omitempty"` // paths that it changed
	// Diagnostics that came with the result, as OpenCode V1's edit tools give.
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// Shell is a command that the person ran in the host.
//
// wire:event shell
type Shell struct {
	Session string `json:"session"`
	Command string `json:"command"`
	Output  string `json:"output,omitempty"`
	Cut     int    `json:"cut,omitempty"` // as in Tool
	HasExit bool   `json:"hasExit,omitempty"`
	Exit    int    `json:"exit,omitempty"`
}

// TurnStart says that the session began to run.
//
// wire:event turn_start
type TurnStart struct {
	Session string `json:"session"`
}

// StepEnd closes one model call and its tool calls.
//
// wire:event step_end
type StepEnd struct {
	Session string   `json:"session"`
	Message string   `json:"message,omitempty"`
	Finish  string   `json:"finish,omitempty"`
	Files   []string `json:"files,omitempty"`
	Tokens  Tokens   `json:"tokens,omitzero"`
}

// TurnEnd says that the session is idle.
//
// wire:event turn_end
type TurnEnd struct {
	Session string `json:"session"`
	// Outcome is ok, failed or interrupted; interrupted is the person's doing.
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	// Resumes: the host goes on by itself (a shutdown, a retry): not idle for good.
	Resumes bool `json:"resumes,omitempty"`
}

// Compacting says that a compaction has begun; no wake until Compacted.
//
// wire:event compacting
type Compacting struct {
	Session string `json:"session"`
}

// Compacted says that the host replaced the history by a summary.
//
// wire:event compacted
type Compacted struct {
	Session string `json:"session"`
	Summary string `json:"summary,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
}

// Reverted says that the person went back: what came after is undone.
//
// wire:event reverted
type Reverted struct {
	Session string `json:"session"`
	Message string `json:"message,omitempty"`
}

// Closed says that the session was deleted.
//
// wire:event closed
type Closed struct {
	Session string `json:"session"`
}

// History answers a Resync: the session's messages so far, oldest first, as the events
// that they would have been.
//
// wire:event history
type History struct {
	Session string  `json:"session"`
	Events  []Event `json:"events,omitempty"`
	Failure string  `json:"failure,omitempty"`
}

// Signals answers a SignalsWanted.
//
// wire:event signals
type Signals struct {
	Session     string       `json:"session"`
	ID          string       `json:"id"`
	Changes     []Change     `json:"changes,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// HTTP is the end of a request: an answer, or why there is none.
//
// wire:event http
type HTTP struct {
	ID      string   `json:"id"`
	Status  int      `json:"status,omitempty"`
	Headers []Header `json:"headers,omitempty"`
	Body    string   `json:"body,omitempty"`
	Cut     bool     `json:"cut,omitempty"` // the body was longer than maxBytes
	// Failure is empty, or timeout, network, redirect, origin, cancelled; Detail says more.
	Failure string `json:"failure,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// Generated answers a Generate.
//
// wire:event generated
type Generated struct {
	ID      string `json:"id"`
	Text    string `json:"text,omitempty"`
	Failure string `json:"failure,omitempty"` // empty, or timeout, unsupported, refused, failed, cancelled
	Detail  string `json:"detail,omitempty"`
	Tokens  Tokens `json:"tokens,omitzero"` // where the host tells
}

// Timer is the end of a SetTimer.
//
// wire:event timer
type Timer struct {
	ID string `json:"id"`
}

// Loaded answers a Load.
//
// wire:event loaded
type Loaded struct {
	Session string `json:"session"`
	State   JSON   `json:"state,omitempty"` // absent: nothing was stored
	// Inherited is the stored state of the Load's origin, when there is none of the session itself.
	Inherited JSON `json:"inherited,omitempty"`
	// Failure: something was stored and could not be read; it was set aside.
	Failure string `json:"failure,omitempty"`
	// Reviewer is false when another process holds this session's lease.
	Reviewer bool `json:"reviewer"`
}

// Saved answers a WriteConfig, and a Save that asked for it.
//
// wire:event saved
type Saved struct {
	ID string `json:"id"`
	// Failure is changed when a WriteConfig found another text than it was to replace; Text is that.
	Failure string `json:"failure,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Tallied answers a Tally.
//
// wire:event tallied
type Tallied struct {
	ID   string `json:"id"`
	Text string `json:"text,omitempty"` // whole lines
	Next int64  `json:"next,omitempty"` // the byte behind them
	// Failure: the ledger cannot be kept; what others spend is not known.
	Failure string `json:"failure,omitempty"`
}

// Heard answers a Heed.
//
// wire:event heard
type Heard struct {
	ID   string `json:"id"`
	Text string `json:"text,omitempty"` // whole lines, each a Wish
	Next int64  `json:"next,omitempty"` // the byte behind them
	// Failure: the wish was not left, or what is left cannot be read.
	Failure string `json:"failure,omitempty"`
}

// Claimed answers a Claim.
//
// wire:event claimed
type Claimed struct {
	ID      string `json:"id"`
	Granted bool   `json:"granted"`
	Reason  string `json:"reason,omitempty"` // taken, unwritable, removed, ...
	// Other is when another process last claimed a wake of this session, in milliseconds since 1970; 0: never.
	Other int64 `json:"other,omitempty"`
}

// Receipt tells what became of a Deliver.
//
// wire:event receipt
type Receipt struct {
	Session string `json:"session"`
	ID      string `json:"id"` // of the delivery
	// State is admitted, seen, refused, or held: the host cannot take it before the turn ends, and it is to
	// be sent again then.
	State  string `json:"state"`
	Woke   bool   `json:"woke,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Consult is the primary's call of the consult tool.
//
// wire:event consult
type Consult struct {
	Session  string `json:"session"`
	Call     string `json:"call"` // unique among open calls
	Question string `json:"question,omitempty"`
	Context  string `json:"context,omitempty"`
	// Ignored: an Ignore was given for this session, as for a child's.
	Ignored bool `json:"ignored,omitempty"`
}

// Abort takes an open Consult or Permission back.
//
// wire:event abort
type Abort struct {
	Call string `json:"call"`
}

// Command is a slash command of ours.
//
// wire:event command
type Command struct {
	Session string `json:"session,omitempty"`
	Call    string `json:"call"`
	Name    string `json:"name"` // advisor, ai-approval
	Text    string `json:"text,omitempty"`
	// Models are those that the host has, as provider/model; empty when it does not say.
	Models []string `json:"models,omitempty"`
}

// Permission is an ask of the host. It is answered by a Decision before the deadline.
//
// wire:event permission
type Permission struct {
	Session string `json:"session"`
	// Top is the session that the person talks to, when a child of it asks.
	Top       string   `json:"top,omitempty"`
	Call      string   `json:"call"`
	Agent     string   `json:"agent,omitempty"`
	Action    string   `json:"action"`
	Resources []string `json:"resources,omitempty"`
	Metadata  JSON     `json:"metadata,omitempty"` // the tool's input, whole but for what Cut says
	Source    JSON     `json:"source,omitempty"`
	// Cut: something of metadata was too large, or too deeply nested, and is missing.
	Cut bool `json:"cut,omitempty"`
	// Started is when the host asked, in milliseconds since 1970; the deadline counts from there.
	Started int64 `json:"started,omitempty"`
}

// Facts answers a FactsWanted. What the host cannot tell is left out.
//
// wire:event facts
type Facts struct {
	ID          string   `json:"id"`
	AgentInfo   JSON     `json:"agentInfo,omitempty"`   // name, description, mode, permission rules
	AgentPrompt string   `json:"agentPrompt,omitempty"` // its system prompt
	Worktrees   []string `json:"worktrees,omitempty"`
	WorktreesOK bool     `json:"worktreesOK,omitempty"` // the list is known, even if it is empty
}

// Decided tells what the person said to an ask: one that was left to them, or one that is
// still being judged.
//
// wire:event decided
type Decided struct {
	Session string `json:"session"`
	Call    string `json:"call"`
	Allowed bool   `json:"allowed"`
}

// CLI runs one command of the program superadvisor. It follows Init, whose host is then "cli" and whose
// directory is where the program was started.
//
// wire:event cli
type CLI struct {
	Args     []string `json:"args,omitempty"`
	State    string   `json:"state"`              // our folder: sessions, claims, leases, logs
	Package  string   `json:"package,omitempty"`  // the folder of the npm package, with what is shipped beside the module
	Terminal bool     `json:"terminal,omitempty"` // the output is one, so it may have colours
	Watched  bool     `json:"watched,omitempty"`  // the standard error is one, so somebody sees how far a long work is
}

// Probed answers a Probe.
//
// wire:event probed
type Probed struct {
	ID    string `json:"id"`
	Facts []Fact `json:"facts,omitempty"`
}

// Tried tells the next thing that happened in a Trial: its server was asked, or its program has ended.
//
// wire:event tried
type Tried struct {
	ID      string `json:"id"`
	Request int    `json:"request,omitempty"` // which one, from 1; it waits for its TrialAnswer
	Body    string `json:"body,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
	Code    int    `json:"code,omitempty"` // with which it ended
	Late    bool   `json:"late,omitempty"` // its time was up
	Said    string `json:"said,omitempty"` // the last that it printed
	// Failure says why it could not be started.
	Failure string `json:"failure,omitempty"`
}

// Shutdown says that the loader is about to go. The guest saves and falls silent.
//
// wire:event shutdown
type Shutdown struct{}
