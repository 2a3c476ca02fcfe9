package llm

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// Kind says what sort of thing went wrong. Kinds are counted and logged, so they are append-only.
type Kind string

// The kinds.
const (
	KindAuth      Kind = "auth"       // 401, 403: the key
	KindNotFound  Kind = "not_found"  // 404: the model or the path
	KindRate      Kind = "rate"       // 429: wait and try again
	KindQuota     Kind = "quota"      // 402, or 429 that no waiting mends: no credit
	KindServer    Kind = "server"     // 5xx, or an error inside a reply
	KindOverflow  Kind = "overflow"   // more than the model's context holds
	KindTools     Kind = "tools"      // the endpoint does not take tools
	KindParameter Kind = "parameter"  // the endpoint does not take another parameter
	KindInvalid   Kind = "invalid"    // any other 4xx, or an endpoint that cannot be called
	KindEmpty     Kind = "empty"      // a reply that says nothing
	KindThinking  Kind = "thinking"   // thoughts, and no answer before the cap
	KindUnparsed  Kind = "unparsed"   // a reply that is no chat completion
	KindTimeout   Kind = "timeout"    // the deadline passed
	KindNetwork   Kind = "network"    // no answer
	KindRedirect  Kind = "redirect"   // an answer that points elsewhere; never followed
	KindOrigin    Kind = "origin"     // the loader does not let this origin be contacted
	KindTooLarge  Kind = "too_large"  // more than MaxBody
	KindCancelled Kind = "cancelled"  // the caller took it back
	KindHost      Kind = "host_model" // the host's own model is missing or refused
	KindBudget    Kind = "budget"     // the Meter refuses; Detail is its reason
)

// Failure is why there is no reply. It is a value: errors.As with a *Failure target finds it.
type Failure struct {
	Kind     Kind
	Status   int    // of the answer, 0 when there was none
	Detail   string // what the vendor or the loader said, one line; of Call short, and without the endpoint's key
	RetryMS  int64  // how long the vendor asked to wait, 0 when it did not say
	Provider string
	Model    string
	Origin   string // of the endpoint

	param Quirks // KindParameter: what to leave out
}

// Error gives "call provider/model: kind (status): detail".
func (f Failure) Error() string {
	var b strings.Builder
	b.WriteString("call ")
	b.WriteString(f.who())
	b.WriteString(": ")
	b.WriteString(kindText[f.Kind])
	if f.Status != 0 {
		b.WriteString(" (" + strconv.Itoa(f.Status) + ")")
	}
	if f.Detail != "" {
		b.WriteString(": " + f.Detail)
	}
	return b.String()
}

var kindText = map[Kind]string{
	KindAuth:      "the key was refused",
	KindNotFound:  "not found",
	KindRate:      "rate limited",
	KindQuota:     "no quota left",
	KindServer:    "the server failed",
	KindOverflow:  "the request is longer than the model's context",
	KindTools:     "tools are not supported",
	KindParameter: "a parameter is not supported",
	KindInvalid:   "the request was refused",
	KindEmpty:     "empty reply",
	KindThinking:  "no answer after thinking",
	KindUnparsed:  "unreadable reply",
	KindTimeout:   "timed out",
	KindNetwork:   "no connection",
	KindRedirect:  "redirect refused",
	KindOrigin:    "address not allowed",
	KindTooLarge:  "reply too large",
	KindCancelled: "cancelled",
	KindHost:      "the host's model did not answer",
	KindBudget:    "the budget is used up",
}

func (f Failure) who() string {
	switch {
	case f.Provider != "" && f.Model != "":
		return f.Provider + "/" + f.Model
	case f.Model != "":
		return f.Model
	case f.Origin != "":
		return f.Origin
	}
	return "the model"
}

// Mend is one sentence for the person: what to change.
func (f Failure) Mend() string {
	at := ""
	if f.Origin != "" {
		at = " at " + f.Origin
	}
	switch f.Kind {
	case KindAuth:
		return "The key for " + f.who() + at + " was refused: set provider.apiKey in advisor.json, or log in again with `opencode auth login`."
	case KindNotFound:
		if f.Detail != "" && mentionsModel(strings.ToLower(f.Detail)) {
			return "The endpoint" + at + " does not know the model " + strconv.Quote(f.Model) + ": check the spelling of watchdogModel and consultModel against the provider's list."
		}
		return "Nothing answers chat completions" + at + ": check provider.baseURL, which usually ends in /v1."
	case KindRate:
		return "The provider of " + f.who() + " limits the rate: raise reviewInterval, or choose another model for the advisor."
	case KindQuota:
		return "The account behind " + f.who() + " has no credit left: top it up, or choose another provider for the advisor."
	case KindServer:
		return "The server of " + f.who() + at + " is failing; nothing is wrong on this side, and the advisor tries again later."
	case KindOverflow:
		return "The request is longer than the context of " + f.who() + ": lower maxRequestBytes, or choose a model with a larger context."
	case KindTools, KindParameter, KindInvalid:
		return "The endpoint" + at + " refused the request for " + f.who() + ": check the model and its variant, and look in the advisor's log for what it said."
	case KindEmpty:
		return "The model " + f.who() + " answers with nothing: choose another model, or check that the server has loaded it."
	case KindThinking:
		return "The model " + f.who() + " spends its whole answer on thinking: set a lower variant, or choose another model."
	case KindUnparsed:
		return "What answers" + at + " is not an OpenAI-compatible API: check provider.baseURL, which usually ends in /v1."
	case KindTimeout:
		return "The model " + f.who() + " did not answer in time: raise timeoutMs, or choose a faster model or a lower variant."
	case KindNetwork:
		return "Nothing answers" + at + ": check that the server is running and that provider.baseURL is right."
	case KindRedirect:
		return "The endpoint" + at + " answers with a redirect, which is never followed because the key would go along: set provider.baseURL to the final address."
	case KindOrigin:
		return "The loader does not allow requests to this address: set provider.baseURL in advisor.json and restart the host."
	case KindTooLarge:
		return "The reply of " + f.who() + " is larger than 4 MB: choose another model."
	case KindHost:
		return "The host could not run the model " + f.who() + " for the advisor: set provider.baseURL and provider.apiKey in advisor.json."
	}
	return ""
}

// AsFailure finds the Failure in an error.
func AsFailure(err error) (Failure, bool) {
	var f Failure
	ok := errors.As(err, &f)
	return f, ok
}

// hide takes the endpoint's own secrets out of what a vendor said, which sometimes quotes them, and only then shortens
// it: half a key is no longer known as one.
func (f *Failure) hide(ep Endpoint) {
	secrets := []string{ep.APIKey}
	for _, h := range ep.Headers {
		secrets = append(secrets, h.Value)
		if strings.Contains(strings.ToLower(h.Name), "auth") {
			_, token, _ := strings.Cut(strings.TrimSpace(h.Value), " ") // behind its scheme, such as Bearer
			secrets = append(secrets, token)
		}
	}
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= 6 { // shorter ones are words like "true"
			f.Detail = strings.ReplaceAll(f.Detail, s, "[redacted:known-key]")
		}
	}
	f.Detail = oneLine(f.Detail, maxDetail)
}

// oneLine gives at most limit characters of s, without control characters and bidi marks.
func oneLine(s string, limit int) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = b.Len() > 0
			continue
		}
		if r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r) {
			continue
		}
		if limit--; limit < 0 {
			b.WriteString("...")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// maxDetail is how many characters of a vendor's words are kept: enough for the sentence that matters.
const maxDetail = 300

// whole gives all of what a vendor said in one line; see hide.
func whole(said string) string { return oneLine(said, len(said)) }
