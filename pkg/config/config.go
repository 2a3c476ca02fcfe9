package config

import (
	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Config is the settings of one process, every field within its bounds. The bounds and the
// meaning of each key are in Fields.
type Config struct {
	Enabled       bool
	WatchdogModel string // provider/model#variant
	Variant       string // reasoning effort where a model reference names none; empty leaves it to the model
	Provider      Provider
	Transport     Transport

	ReviewMode         ReviewMode
	ReviewInterval     int // every Nth eligible update
	DebounceMS         int
	TimeoutMS          int // for one whole review
	MaxToolSteps       int
	MaxRequestBytes    int
	MaxNotesPerUpdate  int
	NotesPerMessage    int
	BlockersPerMessage int
	NotesPerSession    int
	ReviewsPerSession  int // 0: no bound
	Budget             Budget
	ReviewGate         Gate
	Record             bool
	MaxWakesPerHour    int
	ImmuneTurns        int
	RequireEvidence    bool
	Verify             Verify
	VerifyModel        string // empty: the watchdog's
	Tools              []string
	SystemPrompt       string // empty: the built-in one
	ContextFiles       []string
	Advisors           Roster
	ProjectAdvisors    int // that a project may add

	Delivery Delivery
	Consult  Consult
}

// Budget is what the advisor may spend. Zero sets no bound.
type Budget struct {
	TokensPerSession int
	TokensPerReview  int
	CostPerDay       Money
	PauseAtShare     int // percent of what the primary spends
	Prices           Prices
}

// Money is an amount in millionths of a dollar.
type Money int64

// Prices are what models cost, by provider/model.
type Prices map[string]budget.Price

// Bounds gives the bounds in the budget's own terms.
func (b Budget) Bounds() budget.Bounds {
	return budget.Bounds{SessionTokens: int64(b.TokensPerSession), ReviewTokens: int64(b.TokensPerReview), DayCost: int64(b.CostPerDay), Share: int64(b.PauseAtShare)}
}

// Gate is whether turns in which nothing happened are reviewed.
type Gate string

// The gates.
const (
	GateOff  Gate = "off"  // every update
	GateAuto Gate = "auto" // not one without an edit, a command, a failure or a claim
)

// Provider is an endpoint given by hand. It serves every role.
type Provider struct {
	BaseURL string
	APIKey  string
}

// Consult is the settings of the consultation.
type Consult struct {
	Enabled                bool
	Model                  string // empty: the watchdog's
	Effort                 string // empty: as Config.Variant
	MaxTokens              int
	IncludeContextMessages int
	TimeoutMS              int
	MaxToolSteps           int // 0: no tools
	MaxCalls               int // a session; 0 allows none, NoCap any number
}

// NoCap is the value of Consult.MaxCalls when the key is absent.
const NoCap = -1

// Delivery is the channel of each severity.
type Delivery struct {
	Nit     Channel
	Concern Channel
	Blocker Channel
}

// Of gives the channel of a severity.
func (d Delivery) Of(s protocol.Severity) Channel {
	switch s {
	case protocol.Blocker:
		return d.Blocker
	case protocol.Concern:
		return d.Concern
	}
	return d.Nit
}

// Channel is how a note reaches the session.
type Channel string

// The channels.
const (
	ChannelSilent Channel = "synthetic_noreply" // into the context, never starts a turn
	ChannelWaking Channel = "steer_waking"      // starts a turn, if the breaker lets it
	ChannelOff    Channel = "off"               // dropped, and counted
)

// ReviewMode is what triggers a review.
type ReviewMode string

// The modes.
const (
	ModeStep      ReviewMode = "step"      // each model call and its tools
	ModeIdle      ReviewMode = "idle"      // the session came to rest
	ModeExecution ReviewMode = "execution" // a turn ended well
)

// Transport is how models are reached.
type Transport string

// The transports. None stands in a resolved Endpoint alone.
const (
	TransportAuto Transport = "auto" // HTTP where an endpoint is known, else the host
	TransportHTTP Transport = "http"
	TransportHost Transport = "host"
	TransportNone Transport = "none" // the role cannot run; Endpoint.Why says what to do
)

// Verify is whether concerns and blockers get a second look.
type Verify string

// The ways of a second look.
const (
	VerifyOff    Verify = "off"
	VerifyRefute Verify = "refute"
)

// HostPi is protocol.Init.Host of pi, where a few defaults differ.
const HostPi = "pi"

// HostCLI is protocol.Init.Host of the program superadvisor.
const HostCLI = "cli"

// Defaults gives the settings of a person who configured nothing. Host is
// protocol.Init.Host.
func Defaults(host string) Config {
	c := Config{
		Enabled:            true,
		WatchdogModel:      "deepseek/deepseek-flash",
		Transport:          TransportAuto,
		ReviewMode:         ModeStep,
		ReviewInterval:     1,
		DebounceMS:         300,
		TimeoutMS:          25_000,
		MaxToolSteps:       3,
		MaxRequestBytes:    40_960,
		MaxNotesPerUpdate:  3,
		NotesPerMessage:    6,
		BlockersPerMessage: 2,
		NotesPerSession:    60,
		MaxWakesPerHour:    3,
		ImmuneTurns:        3,
		RequireEvidence:    true,
		Verify:             VerifyOff,
		ReviewGate:         GateOff,
		Tools:              []string{"read", "grep", "glob"},
		ProjectAdvisors:    3,
		Delivery:           Delivery{Nit: ChannelSilent, Concern: ChannelSilent, Blocker: ChannelWaking},
		Consult: Consult{
			Enabled:                true,
			MaxTokens:              1024,
			IncludeContextMessages: 12,
			TimeoutMS:              120_000,
			MaxToolSteps:           3,
			MaxCalls:               NoCap,
		},
	}
	if host == HostPi {
		// pi's people know the advisor as a strong model with room to think.
		c.Consult.Model = "openrouter/anthropic/claude-opus-4.8"
		c.Consult.Effort = "high"
		c.Consult.MaxTokens = 32_000
		c.Consult.TimeoutMS = 600_000
	}
	return c
}
