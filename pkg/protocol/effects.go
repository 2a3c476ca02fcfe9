package protocol

// Need asks for files outside the workspace, environment variables and
// providers. It is served until Ready. After it only the person's own rules are
// given: .md files in the folder of advisor.json.
//
// wire:effect need
type Need struct {
	ID        string   `json:"id"`
	Files     []string `json:"files,omitempty"` // absolute paths
	Env       []string `json:"env,omitempty"`
	Providers []string `json:"providers,omitempty"`
}

// Ready ends the start. From here on the loader contacts the origins given
// here and no others, and takes no second Ready.
//
// wire:effect ready
type Ready struct {
	Version string   `json:"version"`
	Origins []string `json:"origins,omitempty"` // scheme://host:port
	// Enabled is false when the person switched the advisor off.
	Enabled bool `json:"enabled"`
	// Consult tells whether the consult tool is to be registered.
	Consult bool `json:"consult"`
	// Judge tells whether permission asks are to be sent.
	Judge bool `json:"judge"`
	// JudgeLog is the file of the log "judge", absolute. Like the origins it is fixed here.
	JudgeLog string `json:"judgeLog,omitempty"`
	// JudgeTimeoutMS bounds the wait for a Decision in the host.
	JudgeTimeoutMS int64 `json:"judgeTimeoutMs,omitempty"`
	// ConsultTimeoutMS bounds the wait for an Answer in the host.
	ConsultTimeoutMS int64 `json:"consultTimeoutMs,omitempty"`
	// ConsultModel is provider/model, for hosts that show it.
	ConsultModel  string `json:"consultModel,omitempty"`
	ConsultEffort string `json:"consultEffort,omitempty"`
}

// Load asks for the stored state of a session and the lease to review it.
//
// wire:effect load
type Load struct {
	Session string `json:"session"`
	Origin  string `json:"origin,omitempty"` // what it was forked from
}

// Save stores the state of a session. With an ID it is answered by Saved.
//
// wire:effect save
type Save struct {
	Session string `json:"session"`
	State   JSON   `json:"state"`
	ID      string `json:"id,omitempty"`
}

// Forget removes a session's stored state, or sets it aside where it can be looked at.
//
// wire:effect forget
type Forget struct {
	Session string `json:"session"`
	Keep    bool   `json:"keep,omitempty"` // set aside, not removed
}

// Claim asks for the one wake between two human messages: a file named Key, created with O_EXCL.
//
// wire:effect claim
type Claim struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Key     string `json:"key"` // 32 hex digits, from session and human message
}

// Tally adds a line to a ledger that all processes of the person share, and asks for what
// stands in it from a byte on.
//
// wire:effect tally
type Tally struct {
	ID   string `json:"id,omitempty"`   // empty: only a failure is answered
	Name string `json:"name"`           // the day, 2006-01-02
	Line string `json:"line,omitempty"` // empty: nothing is added
	From int64  `json:"from,omitempty"`
}

// Heed asks for the wishes that a person left for a session beside its host, from a byte on. It is answered by Heard.
//
// wire:effect heed
type Heed struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Line    string `json:"line,omitempty"` // a Wish that is left first; empty: none is
	From    int64  `json:"from,omitempty"`
}

// Deliver puts a message into the session.
//
// wire:effect deliver
type Deliver struct {
	Session string `json:"session"`
	// ID is the message's id, "msg_" and 24 hex digits; the same delivery has the same id.
	ID   string `json:"id"`
	Wake bool   `json:"wake"` // false: never starts a turn
	Text string `json:"text"`
	// Severity is the highest of the notes inside, or notice.
	Severity    string   `json:"severity"`
	Description string   `json:"description"` // one line for the person
	Notes       []string `json:"notes,omitempty"`
	// Toast asks the host to alert the person as well.
	Toast bool `json:"toast,omitempty"`
}

// Notice tells the person, once, about the advisor's own health.
//
// wire:effect notice
type Notice struct {
	Session string `json:"session,omitempty"`
	Key     string `json:"key"`     // the same key is not shown twice for a project, or for a session, in a process
	Variant string `json:"variant"` // info, warning, error
	Text    string `json:"text"`
}

// Status is the line that a host may show while something goes on. Empty text clears it.
//
// wire:effect status
type Status struct {
	Session string `json:"session,omitempty"`
	Text    string `json:"text,omitempty"`
}

// Ignore says that this session is not watched: its events need not be sent.
//
// wire:effect ignore
type Ignore struct {
	Session string `json:"session"`
	Reason  string `json:"reason"` // child, location, off
}

// Resync asks for the history of a session whose beginning was missed.
//
// wire:effect resync
type Resync struct {
	Session string `json:"session"`
}

// SignalsWanted asks for the working tree's diff stat and diagnostics.
//
// wire:effect signals_wanted
type SignalsWanted struct {
	Session string `json:"session"`
	ID      string `json:"id"`
}

// FactsWanted asks what the host knows for a permission ask.
//
// wire:effect facts_wanted
type FactsWanted struct {
	ID        string `json:"id"`
	Session   string `json:"session"`
	Agent     string `json:"agent,omitempty"`     // its description, prompt and rules are wanted
	Worktrees bool   `json:"worktrees,omitempty"` // the project's git worktrees are wanted
}

// Keep gives the loader something for the guests to come in this process; nothing of it is stored.
//
// wire:effect keep
type Keep struct {
	State JSON `json:"state"`
}

// HTTPSend starts a request. It is encoded for the http_send import, not returned.
//
// wire:effect http_send
type HTTPSend struct {
	ID        string   `json:"id"`
	Method    string   `json:"method"`
	URL       string   `json:"url"`
	Headers   []Header `json:"headers,omitempty"`
	Body      string   `json:"body,omitempty"`
	TimeoutMS int64    `json:"timeoutMs"`
	MaxBytes  int64    `json:"maxBytes"`
}

// Generate asks the host to run its own model, without tools and session.
//
// wire:effect generate
type Generate struct {
	ID        string `json:"id"`
	Session   string `json:"session,omitempty"`
	Provider  string `json:"provider,omitempty"`
	Model     string `json:"model,omitempty"`
	System    string `json:"system,omitempty"`
	Prompt    string `json:"prompt"`
	MaxTokens int    `json:"maxTokens,omitempty"`
	Effort    string `json:"effort,omitempty"` // how hard to think, in the model's own words where it has some
	TimeoutMS int64  `json:"timeoutMs"`
}

// GenerateCancel takes a Generate back.
//
// wire:effect generate_cancel
type GenerateCancel struct {
	ID string `json:"id"`
}

// SetTimer asks for a Timer event. Setting an id again replaces it.
//
// wire:effect set_timer
type SetTimer struct {
	ID string `json:"id"`
	MS int64  `json:"ms"` // from now; negative takes the timer back
}

// Answer ends a Consult or a Command.
//
// wire:effect answer
type Answer struct {
	Call    string `json:"call"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text"`
	Failed  bool   `json:"failed,omitempty"`
	Details JSON   `json:"details,omitempty"`
}

// Decision ends a Permission.
//
// wire:effect decision
type Decision struct {
	Call    string `json:"call"`
	Session string `json:"session"`
	Effect  string `json:"effect"` // allow, deny, ask; none: not judged, as without a judge
	Message string `json:"message,omitempty"`
}

// Append adds a line to a log of ours; the loader rotates it. The log "judge" is the file that
// Ready named, the others are in the state folder.
//
// wire:effect append
type Append struct {
	Log  string `json:"log"` // advisor, judge, record
	Line string `json:"line"`
}

// Log is one line for the advisor's own log. It is encoded for the emit import.
//
// wire:effect log
type Log struct {
	Level string `json:"level"` // debug, info, warn, error
	Text  string `json:"text"`
}

// WriteConfig replaces one of the advisor's own config files.
//
// wire:effect write_config
type WriteConfig struct {
	ID   string `json:"id"`
	Name string `json:"name"`          // advisor.json
	Was  string `json:"was,omitempty"` // what it replaces; empty: there is no such file
	Text string `json:"text"`
}

// Print writes to the person's terminal, or wherever the program's output goes. The program superadvisor performs
// it and the effects below; a plugin's loader refuses them all.
//
// wire:effect print
type Print struct {
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"` // to the standard error
}

// Exit ends the program.
//
// wire:effect exit
type Exit struct {
	Code int `json:"code"`
}

// WriteFile replaces a file that the person named, or makes it; it is answered by Saved.
//
// wire:effect write_file
type WriteFile struct {
	ID   string `json:"id"`
	Path string `json:"path"` // absolute, and not a symbolic link
	Text string `json:"text"`
	// Expect is what it replaces; with New there must be no such file. What is found instead is a failure.
	Expect string `json:"expect,omitempty"`
	New    bool   `json:"new,omitempty"`
	// Backup is where the present file is copied to first; there must be none yet.
	Backup string `json:"backup,omitempty"`
}

// Probe asks for what the program knows of its surroundings; it is answered by Probed.
//
// wire:effect probe
type Probe struct {
	ID string `json:"id"`
	// Programs are asked for their versions: a name, and as its value what is started, a name on the PATH or a path.
	Programs []Fact `json:"programs,omitempty"`
}

// Trial starts a host's program in a new folder, beside a server on the loopback interface that stands in for its models.
// Whatever happens the program is ended and the folder removed. In Args, Env and Files "{folder}" stands for the
// folder and "{url}" for the server's address. It is answered by Tried.
//
// wire:effect trial
type Trial struct {
	ID      string   `json:"id"`
	Program string   `json:"program"` // a name on the PATH, or a path
	Args    []string `json:"args,omitempty"`
	// Inherit names the variables that the program gets as they are. Besides it gets Env, and nothing else.
	Inherit []string   `json:"inherit,omitempty"`
	Env     []Variable `json:"env,omitempty"`
	// Files are in the folder from the beginning, by relative paths; one that ends in "/" is a folder.
	Files []File `json:"files,omitempty"`
	Dir   string `json:"dir"` // the program's working directory, relative to the folder
	MS    int64  `json:"ms"`  // after which the program is ended
}

// TrialAnswer answers a request that a Tried told of, or ends the program. It is answered by the next Tried.
//
// wire:effect trial_answer
type TrialAnswer struct {
	ID          string `json:"id"`
	Request     int    `json:"request,omitempty"`
	ContentType string `json:"contentType,omitempty"`
	Body        string `json:"body,omitempty"`
	End         bool   `json:"end,omitempty"`
}
