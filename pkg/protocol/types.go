package protocol

// JSON is a value kept as its raw text: options, tool arguments, state. Empty
// means absent. In TypeScript it is unknown.
type JSON string

// Batch is what one call hands to the guest.
type Batch struct {
	Now    int64   `json:"now"` // the loader's clock
	Events []Event `json:"events"`
}

// Outcome is what one call gives back. The loader performs the effects in
// their order, and none of them when the call trapped.
type Outcome struct {
	Effects []Effect `json:"effects"`
}

// Event is something that happened outside the guest.
type Event interface{ EventType() string }

// Effect is something that the guest wants done outside.
type Effect interface{ EffectType() string }

// Severity ranks a note. The empty severity ranks below nit.
type Severity string

// The severities, mildest first.
const (
	Nit     Severity = "nit"
	Concern Severity = "concern"
	Blocker Severity = "blocker"
)

// Rank orders severities: 0 for anything unknown, then 1, 2, 3.
func (s Severity) Rank() int {
	switch s {
	case Nit:
		return 1
	case Concern:
		return 2
	case Blocker:
		return 3
	}
	return 0
}

// Verdict is what the reviewer says of its own suspicion after looking.
type Verdict string

// The verdicts. An absent verdict counts as uncertain.
const (
	Confirmed Verdict = "confirmed"
	Refuted   Verdict = "refuted"
	Uncertain Verdict = "uncertain"
)

// Note is what the reviewer wants to say.
type Note struct {
	ID        string     `json:"id"` // "n_" and 12 hex digits, made from session and key
	Severity  Severity   `json:"severity"`
	Category  string     `json:"category,omitempty"` // one word: bug, security, goal, test, style ...
	Verdict   Verdict    `json:"verdict,omitempty"`
	Text      string     `json:"text"`
	Citations []Citation `json:"citations,omitempty"`
	Patch     string     `json:"patch,omitempty"`
	Author    string     `json:"author,omitempty"` // the advisor's name, when there are several
	// Claimed is the severity that the reviewer asked for, when a gate lowered it.
	Claimed Severity `json:"claimed,omitempty"`
	// Gates lists what lowered the note, in order, as "gate: reason".
	Gates []string `json:"gates,omitempty"`
}

// CitationKind says what a citation claims.
type CitationKind string

// The kinds. Legacy is the seed's {file, line, observedFact}.
const (
	CiteQuote   CitationKind = "quote"
	CiteAbsence CitationKind = "absence"
	CiteCommand CitationKind = "command"
	CiteLegacy  CitationKind = "legacy"
)

// CitationStatus is what the engine found. Empty means not looked at yet.
type CitationStatus string

// The statuses; only verified and moved prove anything.
const (
	CiteVerified     CitationStatus = "verified"
	CiteMoved        CitationStatus = "moved"
	CiteContradicted CitationStatus = "contradicted"
	CiteMissing      CitationStatus = "missing"
	CiteUnread       CitationStatus = "unread"
	CiteUnknown      CitationStatus = "unknown"
)

// Citation is one fact that a note rests on. Lines count from 1.
type Citation struct {
	Kind    CitationKind `json:"kind"`
	Path    string       `json:"path,omitempty"` // workspace-relative, slashes
	Line    int          `json:"line,omitempty"`
	Quote   string       `json:"quote,omitempty"`
	Fact    string       `json:"fact,omitempty"`
	Pattern string       `json:"pattern,omitempty"` // absence: what the search looks for
	Glob    string       `json:"glob,omitempty"`    // absence: where
	Call    string       `json:"call,omitempty"`    // command: the primary's tool call
	Excerpt string       `json:"excerpt,omitempty"` // command: of its output

	// What the engine found.
	Status  CitationStatus `json:"status,omitempty"`
	EndLine int            `json:"endLine,omitempty"` // last line of the match; Line is its first
	Hash    string         `json:"hash,omitempty"`    // of the matched lines, compared at delivery
}

// Diagnostic is one message of a language server or compiler.
type Diagnostic struct {
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"`
	Severity string `json:"severity,omitempty"` // error, warning, info, hint
	Text     string `json:"text"`
}

// Change is one file of a diff stat.
type Change struct {
	Path    string `json:"path"`
	Status  string `json:"status,omitempty"` // added, modified, deleted, renamed
	Added   int    `json:"added"`            // lines
	Removed int    `json:"removed"`
}

// Tokens counts one model call of the host's.
type Tokens struct {
	Input     int64 `json:"input,omitempty"`
	Output    int64 `json:"output,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
	CacheRead int64 `json:"cacheRead,omitempty"`
	// CacheWrite and CacheRead are not part of Input: hosts count them apart.
	CacheWrite int64 `json:"cacheWrite,omitempty"`
	Cost       int64 `json:"cost,omitempty"` // millionths of a dollar
}

// Header is one HTTP header; names of answers are lower case.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// File is the text of one file that the guest needed, or why there is none.
type File struct {
	Path   string `json:"path"`
	Text   string `json:"text,omitempty"`
	Exists bool   `json:"exists"`
	// Failure is set when the file exists and cannot be read.
	Failure string `json:"failure,omitempty"`
}

// Variable is one environment variable that the guest needed.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	Set   bool   `json:"set"`
}

// Provider is what the host knows about a model provider.
type Provider struct {
	ID      string   `json:"id"`
	BaseURL string   `json:"baseURL,omitempty"`
	APIKey  string   `json:"apiKey,omitempty"`
	Headers []Header `json:"headers,omitempty"`
	// Known is false when the host does not have this provider.
	Known bool `json:"known"`
	// Prices are those of its models, as far as the host knows them.
	Prices []ModelPrice `json:"prices,omitempty"`
}

// ModelPrice is what a million tokens of a model cost, in millionths of a dollar.
type ModelPrice struct {
	Model      string `json:"model"`
	Input      int64  `json:"input,omitempty"`
	Output     int64  `json:"output,omitempty"`
	CacheRead  int64  `json:"cacheRead,omitempty"`
	CacheWrite int64  `json:"cacheWrite,omitempty"`
}

// Fact is one thing that the program superadvisor found out about its surroundings.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	// Failure says why there is no value.
	Failure string `json:"failure,omitempty"`
}
