package config

import (
	"slices"
	"strconv"
	"strings"
)

// Field describes one key of the configuration.
type Field struct {
	Key     string // dotted
	Meaning string
	Min     int      // numbers only
	Max     int      // numbers only
	Choices []string // words only: what is allowed
	Secret  bool     // never shown
	// Narrows: of two sources the smaller bound holds, so that plugin options, which a project may
	// have written, never allow more than the person does. 0 is no bound.
	Narrows bool
	// Own: advisor.json alone may set it.
	Own bool

	kind kind
	// at gives the place of the field's value in c: *bool, *int, *[]string, or
	// a pointer to a string type.
	at    func(c *Config) any
	check func(s string) (clean, want string) // want is empty when s is fine
}

type kind uint8

const (
	kindFlag kind = iota
	kindNumber
	kindWord // one of Choices
	kindText // free, or as check wants it
	kindList // of Choices
	kindFiles
	kindMoney
	kindPrices
	kindAdvisors
)

// Type names what the field wants, for messages and for the documentation.
func (f Field) Type() string {
	switch f.kind {
	case kindFlag:
		return "true or false"
	case kindNumber:
		return "a whole number from " + strconv.Itoa(f.Min) + " to " + strconv.Itoa(f.Max)
	case kindWord:
		return "one of " + strings.Join(f.Choices, ", ")
	case kindList:
		return "a list of " + strings.Join(f.Choices, ", ")
	case kindAdvisors:
		return "a list of up to 8 advisors"
	case kindFiles:
		return "a list of up to 8 file names inside the workspace"
	}
	switch f.kind {
	case kindMoney:
		return "dollars, from 0 to " + strconv.Itoa(f.Max)
	case kindPrices:
		return "an object: provider/model to { input, output, cacheRead, cacheWrite }"
	}
	return "text"
}

// Default gives the field's default on a host, as it would be written.
func (f Field) Default(host string) string {
	c := Defaults(host)
	return f.Value(&c)
}

// Value gives the field's value in c as it would be written; a secret is only
// said to be there.
func (f Field) Value(c *Config) string {
	switch v := f.at(c).(type) {
	case *bool:
		return strconv.FormatBool(*v)
	case *int:
		if *v == NoCap {
			return ""
		}
		return strconv.Itoa(*v)
	case *[]string:
		if len(*v) == 0 {
			return "[]"
		}
		return `["` + strings.Join(*v, `", "`) + `"]`
	case *Roster:
		return Names(slices.Concat(v.Own, v.Added))
	}
	switch v := f.at(c).(type) {
	case *Money:
		return strconv.FormatFloat(float64(*v)/1e6, 'f', -1, 64)
	case *Prices:
		if len(*v) == 0 {
			return ""
		}
		return "of " + strconv.Itoa(len(*v)) + " models"
	}
	s := f.text(c)
	if f.Secret && s != "" {
		return "(set)"
	}
	return s
}

func (f Field) text(c *Config) string {
	switch v := f.at(c).(type) {
	case *string:
		return *v
	case *Transport:
		return string(*v)
	case *ReviewMode:
		return string(*v)
	case *Verify:
		return string(*v)
	case *Gate:
		return string(*v)
	case *Channel:
		return string(*v)
	}
	return ""
}

func (f Field) setText(c *Config, s string) {
	switch v := f.at(c).(type) {
	case *string:
		*v = s
	case *Transport:
		*v = Transport(s)
	case *ReviewMode:
		*v = ReviewMode(s)
	case *Verify:
		*v = Verify(s)
	case *Gate:
		*v = Gate(s)
	case *Channel:
		*v = Channel(s)
	}
}

// carry copies the field from one Config to another.
func (f Field) carry(to, from *Config) {
	switch v := f.at(to).(type) {
	case *bool:
		*v = *f.at(from).(*bool)
	case *int:
		*v = *f.at(from).(*int)
	case *[]string:
		*v = *f.at(from).(*[]string)
	case *Money:
		*v = *f.at(from).(*Money)
	case *Prices:
		*v = *f.at(from).(*Prices)
	case *Roster:
		// One source's are added to the other's, they take nothing away.
		r := f.at(from).(*Roster)
		v.Own, v.Added = append(v.Own, r.Own...), append(v.Added, r.Added...)
	default:
		f.setText(to, f.text(from))
	}
}

// aliases are other spellings of a key. Where both stand in one source, the
// key itself wins.
var aliases = map[string]string{
	"model":            "watchdogModel", // its old name
	"consultModel":     "consult.model",
	"tokensPerSession": "maxTokensPerSession", // its old name
}

// Fields gives every key, in the order of the documentation.
func Fields() []Field { return fields }

var quiet = []string{string(ChannelSilent), string(ChannelOff)}

var fields = []Field{
	{Key: "enabled", kind: kindFlag, at: func(c *Config) any { return &c.Enabled },
		Meaning: "master switch"},
	{Key: "watchdogModel", kind: kindText, check: wantRef, at: func(c *Config) any { return &c.WatchdogModel },
		Meaning: "provider/model#variant of the background reviewer; model is its old name"},
	{Key: "variant", kind: kindText, check: wantWord, at: func(c *Config) any { return &c.Variant },
		Meaning: "reasoning effort of the models that name none themselves"},
	{Key: "provider.baseURL", kind: kindText, check: wantURL, at: func(c *Config) any { return &c.Provider.BaseURL },
		Meaning: "OpenAI-compatible endpoint for every role; without it the host and your files are asked"},
	{Key: "provider.apiKey", kind: kindText, Secret: true, check: wantKey, at: func(c *Config) any { return &c.Provider.APIKey },
		Meaning: "bearer token; goes only to the provider.baseURL beside it"},
	{Key: "transport", kind: kindWord, Choices: []string{"auto", "http", "host"}, at: func(c *Config) any { return &c.Transport },
		Meaning: "auto: HTTP where an endpoint is known, else the host's own model call"},
	{Key: "reviewMode", kind: kindWord, Choices: []string{"step", "idle", "execution"}, at: func(c *Config) any { return &c.ReviewMode },
		Meaning: "what triggers a review"},
	{Key: "reviewInterval", kind: kindNumber, Min: 1, Max: 1000, at: func(c *Config) any { return &c.ReviewInterval },
		Meaning: "review every Nth eligible update; what was skipped joins the next"},
	{Key: "debounceMs", kind: kindNumber, Min: 0, Max: 60_000, at: func(c *Config) any { return &c.DebounceMS },
		Meaning: "quiet time before a review starts, milliseconds"},
	{Key: "timeoutMs", kind: kindNumber, Min: 1000, Max: 600_000, at: func(c *Config) any { return &c.TimeoutMS },
		Meaning: "deadline of a whole review, retries included, milliseconds"},
	{Key: "maxToolSteps", kind: kindNumber, Min: 0, Max: 20, at: func(c *Config) any { return &c.MaxToolSteps },
		Meaning: "rounds of tool calls in a review"},
	{Key: "maxRequestBytes", kind: kindNumber, Min: 8192, Max: 1 << 20, at: func(c *Config) any { return &c.MaxRequestBytes },
		Meaning: "size of one request to the reviewer, whatever the session's length"},
	{Key: "maxNotesPerUpdate", kind: kindNumber, Min: 1, Max: 20, at: func(c *Config) any { return &c.MaxNotesPerUpdate },
		Meaning: "notes accepted from one review"},
	{Key: "notesPerMessage", kind: kindNumber, Min: 1, Max: 100, at: func(c *Config) any { return &c.NotesPerMessage },
		Meaning: "notes between two human messages"},
	{Key: "blockersPerMessage", kind: kindNumber, Min: 0, Max: 20, at: func(c *Config) any { return &c.BlockersPerMessage },
		Meaning: "blockers between two human messages; at most one of them wakes"},
	{Key: "notesPerSession", kind: kindNumber, Min: 1, Max: 10_000, at: func(c *Config) any { return &c.NotesPerSession },
		Meaning: "notes in a session"},
	{Key: "reviewsPerSession", kind: kindNumber, Min: 0, Max: 1_000_000, at: func(c *Config) any { return &c.ReviewsPerSession },
		Meaning: "reviews in a session; 0 sets no bound"},
	{Key: "maxTokensPerSession", kind: kindNumber, Min: 0, Max: 1_000_000_000, Narrows: true, at: func(c *Config) any { return &c.Budget.TokensPerSession },
		Meaning: "tokens of all reviews and consultations in a session; 0 sets no bound; tokensPerSession is its old name"},
	{Key: "maxTokensPerReview", kind: kindNumber, Min: 0, Max: 1_000_000_000, Narrows: true, at: func(c *Config) any { return &c.Budget.TokensPerReview },
		Meaning: "tokens of one review; from half of it on the next request is the last; 0 sets no bound"},
	{Key: "maxCostPerDay", kind: kindMoney, Max: 100_000, Narrows: true, at: func(c *Config) any { return &c.Budget.CostPerDay },
		Meaning: "what all sessions of a day (UTC) may cost; 0 sets no bound"},
	{Key: "pauseAtShare", kind: kindNumber, Min: 0, Max: 1000, Narrows: true, at: func(c *Config) any { return &c.Budget.PauseAtShare },
		Meaning: "pauses while the advisor's spending in a session is at this percentage of the agent's own; 0 never does"},
	{Key: "prices", kind: kindPrices, Own: true, at: func(c *Config) any { return &c.Budget.Prices },
		Meaning: "dollars for a million tokens, before what the host knows; advisor.json only"},
	{Key: "reviewGate", kind: kindWord, Choices: []string{"off", "auto"}, at: func(c *Config) any { return &c.ReviewGate },
		Meaning: "auto: no review of a turn without an edit, a command, a failure or a claim to be done; it joins the next"},
	{Key: "record", kind: kindFlag, Own: true, at: func(c *Config) any { return &c.Record },
		Meaning: "keep a recording of each session, for a bug report; advisor.json only"},
	{Key: "maxWakesPerHour", kind: kindNumber, Min: 0, Max: 60, at: func(c *Config) any { return &c.MaxWakesPerHour },
		Meaning: "wakes in an hour, however many messages look human; 0 never wakes"},
	{Key: "immuneTurns", kind: kindNumber, Min: 0, Max: 100, at: func(c *Config) any { return &c.ImmuneTurns },
		Meaning: "turns after a wake in which concerns are lowered"},
	{Key: "requireEvidence", kind: kindFlag, at: func(c *Config) any { return &c.RequireEvidence },
		Meaning: "lower a concern or a blocker without proof to a nit; false lets an unproved blocker through"},
	{Key: "verify", kind: kindWord, Choices: []string{"off", "refute"}, at: func(c *Config) any { return &c.Verify },
		Meaning: "refute: a second request tries to disprove concerns and blockers"},
	{Key: "verifyModel", kind: kindText, check: wantRef, at: func(c *Config) any { return &c.VerifyModel },
		Meaning: "provider/model#variant of that request; the watchdog's by default"},
	{Key: "tools", kind: kindList, Choices: []string{"read", "grep", "glob"}, at: func(c *Config) any { return &c.Tools },
		Meaning: "read-only tools of the reviewer"},
	{Key: "systemPrompt", kind: kindText, check: wantPrompt, at: func(c *Config) any { return &c.SystemPrompt },
		Meaning: "replaces the reviewer's built-in prompt; up to 16 KB"},
	{Key: "contextFiles", kind: kindFiles, at: func(c *Config) any { return &c.ContextFiles },
		Meaning: "files of the workspace, such as AGENTS.md, that the reviewer is shown"},
	{Key: "advisors", kind: kindAdvisors, at: func(c *Config) any { return &c.Advisors },
		Meaning: "reviewers that work side by side, in place of the one; see The roster"},
	{Key: "projectAdvisors", kind: kindNumber, Min: 0, Max: 8, at: func(c *Config) any { return &c.ProjectAdvisors },
		Meaning: "how many of them a project may add; its options can only lower it"},
	{Key: "delivery.nit", kind: kindWord, Choices: quiet, at: func(c *Config) any { return &c.Delivery.Nit },
		Meaning: "channel of a nit; it never wakes"},
	{Key: "delivery.concern", kind: kindWord, Choices: quiet, at: func(c *Config) any { return &c.Delivery.Concern },
		Meaning: "channel of a concern; it never wakes"},
	{Key: "delivery.blocker", kind: kindWord, Choices: []string{string(ChannelWaking), string(ChannelSilent), string(ChannelOff)},
		at:      func(c *Config) any { return &c.Delivery.Blocker },
		Meaning: "channel of a blocker"},
	{Key: "consult.enabled", kind: kindFlag, at: func(c *Config) any { return &c.Consult.Enabled },
		Meaning: "register the consult tool"},
	{Key: "consult.model", kind: kindText, check: wantRef, at: func(c *Config) any { return &c.Consult.Model },
		Meaning: "provider/model#variant for consultations, the watchdog's by default; consultModel is the same key"},
	{Key: "consult.effort", kind: kindWord, Choices: efforts, at: func(c *Config) any { return &c.Consult.Effort },
		Meaning: "reasoning effort of consultations"},
	{Key: "consult.maxTokens", kind: kindNumber, Min: 1000, Max: 200_000, at: func(c *Config) any { return &c.Consult.MaxTokens },
		Meaning: "output of a consultation, thinking included"},
	{Key: "consult.includeContextMessages", kind: kindNumber, Min: 0, Max: 1000, at: func(c *Config) any { return &c.Consult.IncludeContextMessages },
		Meaning: "recent messages that go with a question"},
	{Key: "consult.timeoutMs", kind: kindNumber, Min: 1000, Max: 600_000, at: func(c *Config) any { return &c.Consult.TimeoutMS },
		Meaning: "deadline of a consultation, retry included, milliseconds"},
	{Key: "consult.maxToolSteps", kind: kindNumber, Min: 0, Max: 20, at: func(c *Config) any { return &c.Consult.MaxToolSteps },
		Meaning: "rounds of tool calls in a consultation; 0 turns its tools off"},
	{Key: "consult.maxCalls", kind: kindNumber, Min: 0, Max: 1000, at: func(c *Config) any { return &c.Consult.MaxCalls },
		Meaning: "consultations in a session; 0 allows none, without the key there is no cap"},
}

// efforts are the thinking levels that a consultation may ask for.
var efforts = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// IsEffort reports whether a word is one of the thinking levels.
func IsEffort(word string) bool { return slices.Contains(efforts, word) }

func wantRef(s string) (clean, want string) {
	if s = strings.TrimSpace(s); s != "" {
		if _, ok := ParseRef(s); !ok {
			return "", "provider/model, as in deepseek/deepseek-flash"
		}
	}
	return s, ""
}

func wantWord(s string) (clean, want string) {
	if s = strings.TrimSpace(s); s != "" && (!word(s) || len(s) > 40) {
		return "", "one word"
	}
	return s, ""
}

func wantKey(s string) (clean, want string) {
	s = strings.TrimSpace(s)
	if len(s) > maxKey {
		return "", "a key of at most 4096 characters"
	}
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return "", "a key without spaces and control characters"
		}
	}
	return s, ""
}

// maxKey is far above the longest tokens in use (about 1,500 characters).
const maxKey = 4096

func wantURL(s string) (clean, want string) {
	if s = strings.TrimSpace(s); s == "" {
		return "", ""
	}
	clean, err := cleanURL(s)
	if err != nil {
		return "", "a base URL: " + err.Error()
	}
	return clean, ""
}

func wantPrompt(s string) (clean, want string) {
	if len(s) > 16<<10 {
		return "", "at most 16384 bytes"
	}
	return strings.TrimSpace(s), ""
}

// wantFile keeps a context file inside the workspace; safefs holds that again when it opens it.
func wantFile(s string) (clean, want string) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "./")
	for _, part := range strings.Split(s, "/") {
		if part == ".." || part == "" || part == "." {
			return "", "a path relative to the workspace, without .."
		}
	}
	if len(s) > 200 || strings.ContainsAny(s, "\\\x00\r\n") || strings.Contains(s, ":") {
		return "", "a plain path of at most 200 characters"
	}
	return s, ""
}
