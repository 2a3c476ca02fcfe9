package llm

// Transport is how an endpoint is reached. The empty transport is HTTP.
type Transport string

// The transports.
const (
	TransportHTTP Transport = "http" // chat completions at Endpoint.BaseURL
	TransportHost Transport = "host" // the host runs its own model: one prompt in, one text out
)

// Endpoint is a model and the way to it.
type Endpoint struct {
	Provider string // names the endpoint in messages
	Model    string // as the vendor spells it
	BaseURL  string // see URLs
	APIKey   string // empty: no Authorization header
	Headers  []Header
	// Effort is the reasoning effort: none, minimal, low, medium, high, or what else the
	// vendor takes. Empty leaves it to the model.
	Effort    string
	Transport Transport
}

// Header is one HTTP header.
type Header struct {
	Name  string
	Value string
}

// Role says who a message is from.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one entry of a conversation. A reply becomes one through Reply.Message, which
// keeps what vendors want to see again.
type Message struct {
	Role       Role
	Text       string
	Name       string     // tool: which tool answered
	ToolCallID string     // tool: the call that is answered
	ToolCalls  []ToolCall // assistant

	// Reasoning is sent back under ReasoningKey: some vendors refuse a tool round
	// without it. Details is the same in OpenRouter's form, a raw JSON array.
	Reasoning    string
	ReasoningKey string
	Details      []byte
}

// Tool is what the model may call. Schema is a raw JSON Schema object.
type Tool struct {
	Name        string
	Description string
	Schema      []byte
}

// ToolCall is one call that the model asked for.
type ToolCall struct {
	ID   string // never empty, unique within its reply
	Name string
	Args []byte // always one JSON object; {} when Malformed
	// Malformed is what the model wrote when no object could be made of it. The caller
	// answers the call with that fact.
	Malformed string
	// Extra is the vendor's own addition, raw (extra_content), and goes back with the call.
	Extra []byte
}

// Values of Request.ToolChoice beside a tool's name.
const (
	ChoiceAuto     = "auto"
	ChoiceNone     = "none"
	ChoiceRequired = "required"
)

// Request is what the model is asked.
type Request struct {
	Messages   []Message
	Tools      []Tool
	ToolChoice string // empty means auto
	MaxTokens  int    // of the reply; 0 leaves it to the vendor
	// Temperature is left to the vendor when nil.
	Temperature *float64
}

// Usage counts tokens. In includes CachedIn and CacheWrite, and Out includes Reasoning.
type Usage struct {
	In         int64
	Out        int64
	CachedIn   int64
	CacheWrite int64
	Reasoning  int64
	Cost       int64 // millionths of a dollar, where the vendor or the host tells; 0 where not
}

// Plus adds two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.In + v.In, u.Out + v.Out, u.CachedIn + v.CachedIn, u.CacheWrite + v.CacheWrite, u.Reasoning + v.Reasoning, u.Cost + v.Cost}
}

// FinishCut is Reply.Finish of a stream that broke off: neither a finish reason nor an end mark came.
const FinishCut = "cut"

// Reply is what the model answered.
type Reply struct {
	Text      string
	Reasoning string
	ToolCalls []ToolCall
	Finish    string // the vendor's finish_reason, or FinishCut
	Usage     Usage  // of all requests of the call
	Requests  int    // how many were sent; set by Call

	reasoningKey string
	details      []byte
}

// Cut reports whether the reply ended before the model was done.
func (r Reply) Cut() bool { return r.Finish == "length" || r.Finish == FinishCut }

// Message gives the reply as the assistant's turn of the conversation.
func (r Reply) Message() Message {
	return Message{
		Role: Assistant, Text: r.Text, ToolCalls: r.ToolCalls,
		Reasoning: r.Reasoning, ReasoningKey: r.reasoningKey, Details: r.details,
	}
}

// MaxBody is how much of a reply is read, in bytes.
const MaxBody = 4 << 20

// HTTPRequest is one request to the endpoint's own origin.
type HTTPRequest struct {
	Method    string
	URL       string
	Headers   []Header
	Body      []byte
	TimeoutMS int64
	MaxBytes  int64 // of the answer's body
}

// HTTPResponse is the answer, or why there is none.
type HTTPResponse struct {
	Status  int
	Headers []Header
	Body    []byte
	Cut     bool // the body was longer than MaxBytes
	// Failure is empty, or timeout, network, redirect, origin, cancelled; Detail says more.
	Failure string
	Detail  string
}

// Port is the outside. Its calls may suspend the caller's task.
type Port interface {
	RoundTrip(HTTPRequest) HTTPResponse
	// Sleep waits, and reports false when the call was cancelled meanwhile.
	Sleep(ms int64) bool
	// Now is the time in milliseconds since 1970.
	Now() int64
}

// GenerateRequest is one prompt for the host's own model.
type GenerateRequest struct {
	Provider  string
	Model     string
	Prompt    string
	MaxTokens int // 0 leaves it to the host
	Effort    string
	TimeoutMS int64
}

// GenerateResponse is its answer, or why there is none.
type GenerateResponse struct {
	Text string
	// Failure is empty, or timeout, unsupported, refused, failed, cancelled; Detail says more.
	Failure string
	Detail  string
	Usage   Usage // where the host tells
}

// Generator is what a Port has besides where the host can generate text (TransportHost).
type Generator interface {
	Generate(GenerateRequest) GenerateResponse
}
