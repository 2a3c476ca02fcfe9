package protocol

// StateVersion is the version of StoredSession. A newer one is not read: it is
// set aside and the session starts with its breaker closed.
const StateVersion = 1

// StoredSession is what Save stores of a session and Loaded gives back. For the
// loader it is opaque.
type StoredSession struct {
	Version int    `json:"version"`
	Session string `json:"session"`
	// Directory is where the host was opened, and Host which it is, for a person who asks about the session of a folder.
	Directory string `json:"directory,omitempty"`
	Host      string `json:"host,omitempty"`

	// The breaker, see pkg/breaker.
	Human  string   `json:"human,omitempty"`
	At     int64    `json:"at,omitempty"`
	Past   []string `json:"past,omitempty"`
	Spent  bool     `json:"spent,omitempty"`
	Wakes  []Moment `json:"wakes,omitempty"`
	Sealed bool     `json:"sealed,omitempty"`
	Born   int64    `json:"born,omitempty"`

	Humans     int    `json:"humans,omitempty"`
	Turns      int    `json:"turns,omitempty"`
	Steps      int    `json:"steps,omitempty"`
	Eligible   int    `json:"eligible,omitempty"`
	WakeAt     int    `json:"wakeAt,omitempty"`
	Owed       bool   `json:"owed,omitempty"`
	Known      bool   `json:"known,omitempty"`
	Busy       bool   `json:"busy,omitempty"`
	Compacting bool   `json:"compacting,omitempty"`
	Unfit      bool   `json:"unfit,omitempty"`
	Agent      string `json:"agent,omitempty"`

	Deliveries []StoredDelivery `json:"deliveries,omitempty"`
	Notes      []StoredNote     `json:"notes,omitempty"`
	Counts     []Count          `json:"counts,omitempty"`
	Told       []string         `json:"told,omitempty"`
	Failing    int              `json:"failing,omitempty"` // reviews in a row without a usable answer
	Consults   int              `json:"consults,omitempty"`

	Muted           bool     `json:"muted,omitempty"`
	MutedNotes      []string `json:"mutedNotes,omitempty"`
	MutedPaths      []string `json:"mutedPaths,omitempty"`
	MutedCategories []string `json:"mutedCategories,omitempty"`
	// Heard is how far the wishes have been taken up that were left beside the host, in bytes.
	Heard int64 `json:"heard,omitempty"`

	Guard JSON `json:"guard,omitempty"` // pkg/guard
	Log   JSON `json:"log,omitempty"`   // pkg/transcript
	Judge JSON `json:"judge,omitempty"` // pkg/judge
	// Models is what endpoints were found not to take, see llm.Memory. It is of the process,
	// and lies with every session because nothing else is stored.
	Models JSON `json:"models,omitempty"`
}

// Wish is one line of the wishes that a person leaves for a session beside its host, with the program superadvisor.
type Wish struct {
	Do    string `json:"do"`              // mute or unmute
	About string `json:"about,omitempty"` // a note's id, a path or a category; empty: everything
}

// StoredDelivery is one message of ours.
type StoredDelivery struct {
	ID       string   `json:"id"`
	Note     string   `json:"note,omitempty"`
	Severity Severity `json:"severity,omitempty"`
	Turn     int      `json:"turn,omitempty"`
	State    string   `json:"state,omitempty"`
	Woke     bool     `json:"woke,omitempty"`
	Rest     string   `json:"rest,omitempty"`
}

// StoredNote is a note and what became of it, for `/advisor notes` and `/advisor why`.
type StoredNote struct {
	Note  Note     `json:"note"`
	Fate  string   `json:"fate"` // delivered, or the reason of the drop
	Turn  int      `json:"turn,omitempty"`
	At    int64    `json:"at,omitempty"`
	Woke  bool     `json:"woke,omitempty"`
	Tools []string `json:"tools,omitempty"` // what the review looked at, one line each
	Wake  string   `json:"wake,omitempty"`  // the breaker's reason, for a blocker
}

// Count is one counter.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Moment is a point in time, in milliseconds since 1970.
type Moment struct {
	At int64 `json:"at"`
}

// JournalLine is one line of the journal, the log in which the advisor writes what it did, for
// `superadvisor report`. It holds no text of the session: of a note, what was said.
type JournalLine struct {
	At      int64  `json:"at"` // milliseconds since 1970
	Session string `json:"session"`
	// Kind is human, turn, review, consult, note, withdrawn (a note that the host had held back), judge (an ask
	// that was judged) or answer (what the person said to one).
	Kind string `json:"kind"`
	Turn int    `json:"turn,omitempty"`
	// Outcome is how a turn, review or consultation ended; of a note what became of it; of an ask the judge's
	// decision, in shadow mode the one that it would have made; of an answer agreed or disagreed.
	Outcome string `json:"outcome,omitempty"`

	// Of a review and a consultation.
	MS       int64  `json:"ms,omitempty"`
	Model    string `json:"model,omitempty"`
	Advisor  string `json:"advisor,omitempty"` // its name, when there are several
	Requests int    `json:"requests,omitempty"`
	In       int64  `json:"in,omitempty"` // tokens, the cached ones among them
	Cached   int64  `json:"cached,omitempty"`
	Out      int64  `json:"out,omitempty"`
	Cost     int64  `json:"cost,omitempty"`    // millionths of a dollar
	Guessed  bool   `json:"guessed,omitempty"` // the cost is an estimate

	// Of a note.
	Note     string   `json:"note,omitempty"`
	Severity Severity `json:"severity,omitempty"`
	Claimed  Severity `json:"claimed,omitempty"`
	Category string   `json:"category,omitempty"`
	Where    string   `json:"where,omitempty"`
	Text     string   `json:"text,omitempty"`
	Wake     string   `json:"wake,omitempty"` // the breaker's reason, for a blocker
}
