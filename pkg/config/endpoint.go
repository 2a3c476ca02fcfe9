package config

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Endpoint is where a role's model is reached.
type Endpoint struct {
	Transport Transport // http, host or none
	Provider  string    // empty with the host's transport: the host's own default model
	Model     string
	Effort    string // reasoning effort, empty leaves it to the model
	BaseURL   string // without a trailing slash; http only
	APIKey    string // http only; empty: no Authorization header
	Headers   []protocol.Header
	From      Source // of BaseURL and APIKey, which are always of one source
	Price     budget.Price
	// Why says in a sentence why this endpoint was taken, and with transport
	// none what to do about it.
	Why string
}

// Source is where an endpoint came from.
type Source string

// The sources of endpoints, in their order of precedence.
const (
	FromOptions  Source = "options"
	FromFile     Source = "advisor.json"
	FromHost     Source = "host"
	FromOpenCode Source = "opencode.jsonc"
	FromAuth     Source = "auth.json"
	FromEnv      Source = "environment"
	FromLocal    Source = "local"   // a server on this machine that wants no key
	FromProject  Source = "project" // with the project's own key, or none
)

// knowledge is all that endpoints are chosen from. It is made at the start and
// never changes.
type knowledge struct {
	host      string
	transport Transport
	layers    []Layer // options, advisor.json
	from      map[string]string
	hosted    map[string]protocol.Provider
	person    map[string]account
	auth      map[string]credential
	env       map[string]string
	project   map[string]meddling
	priced    map[string]bool // providers whose prices the project sets
}

// role resolves the endpoint of a role and reports what is wrong with it.
func (l *loader) role(r *Resolved, key, ref, effort string) Endpoint {
	m, ok := ParseRef(ref)
	if !ok { // the defaults and wantRef leave none
		return Endpoint{Transport: TransportNone, Why: key + " is no provider/model"}
	}
	source := r.From[key]
	if key != "watchdogModel" && source == SourceDefault && ref == r.WatchdogModel {
		source = r.From["watchdogModel"]
	}
	e, problems := r.known.endpoint(m, source)
	e.Effort = cmpOr(m.Variant, cmpOr(effort, r.Variant))
	e.Price = r.known.price(r.Budget.Prices, e)
	for _, p := range problems {
		if !slices.Contains(l.problems, p) {
			l.report(p)
		}
	}
	return e
}

// endpoint chooses where a model is reached. named is the source that named the model.
//
// Order: provider.baseURL of the options, then of advisor.json; then, for the
// model's provider, the first of these that holds a key: the host's answer, unless
// the project redirects that provider; the person's opencode.jsonc; auth.json
// and the environment, both with the built-in URL alone. Without any key: the
// first of these that at least holds a URL; last the project's own.
//
// A key never leaves its source: each step makes a pair of what that one source
// says, and the pair is taken or left as a whole.
func (k *knowledge) endpoint(m Ref, named string) (Endpoint, []Problem) {
	if k.transport == TransportHost {
		return k.throughHost(m, "transport is host"), nil
	}
	var problems []Problem
	e, found := k.configured(m, named, &problems)
	if !found {
		e, found = k.discovered(m, &problems)
	}
	if found {
		e.Provider, e.Model, e.Transport = m.Provider, m.Model, TransportHTTP
		if e.carriesKey() && strings.HasPrefix(e.BaseURL, "http://") && !loopback(e.BaseURL) {
			problems = append(problems, Problem{Source: string(e.From), Field: "baseURL",
				Message: "a key goes to " + e.BaseURL + " without encryption", Mend: "use https:// unless you trust the whole network between"})
		}
		return e, problems
	}
	if k.transport == TransportHTTP {
		return Endpoint{Transport: TransportNone, Provider: m.Provider, Model: m.Model, Why: k.missing(m)}, problems
	}
	return k.hostOrNone(m, named), problems
}

// configured takes provider.baseURL of the options or of advisor.json, with the apiKey of the same layer.
func (k *knowledge) configured(m Ref, named string, problems *[]Problem) (Endpoint, bool) {
	for _, l := range k.layers {
		c, from := l.config.Provider, Source(l.Source)
		if l.set["provider.baseURL"] {
			e := Endpoint{BaseURL: c.BaseURL, From: from, Why: "provider.baseURL of " + l.Source}
			if l.set["provider.apiKey"] {
				e.APIKey = c.APIKey
			} else if !loopback(c.BaseURL) {
				e.Why += "; it has no provider.apiKey beside it, so no key is sent"
			}
			return e, true
		}
		if !l.set["provider.apiKey"] {
			continue
		}
		// A key without a URL belongs to the provider of the watchdog's model, if
		// the same layer (or nobody) named that, and to its built-in URL alone.
		owner, _ := ParseRef(l.config.WatchdogModel)
		if !l.set["watchdogModel"] && k.from["watchdogModel"] == SourceDefault {
			owner, _ = ParseRef(Defaults(k.host).WatchdogModel)
		}
		if s, known := serviceOf(m.Provider); known && owner.Provider == m.Provider && (named == l.Source || named == SourceDefault) {
			return Endpoint{BaseURL: s.url, APIKey: c.APIKey, From: from,
				Why: "provider.apiKey of " + l.Source + " with the built-in URL of " + m.Provider}, true
		}
		*problems = append(*problems, Problem{Source: l.Source, Field: "provider.apiKey",
			Message: "it is not used for " + m.Provider + ": it has no provider.baseURL beside it", Mend: "put provider.baseURL into the same place"})
	}
	return Endpoint{}, false
}

// carriesKey reports whether requests to e are authorised.
func (e Endpoint) carriesKey() bool {
	return e.APIKey != "" || slices.ContainsFunc(e.Headers, secretHeader)
}

// secretHeader tells headers that authorise from those that merely describe.
func secretHeader(h protocol.Header) bool {
	name := strings.ToLower(h.Name)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// secrets collects every key that was seen. Shorter than 6 characters is a
// stand-in ("none", "x"), and masking it would hit ordinary words.
func (k *knowledge) secrets() []string {
	var list []string
	headers := func(all []protocol.Header) {
		for _, h := range all {
			if secretHeader(h) {
				list = append(list, strings.TrimPrefix(strings.TrimPrefix(h.Value, "Bearer "), "Basic "))
			}
		}
	}
	for _, l := range k.layers {
		list = append(list, l.config.Provider.APIKey)
	}
	for _, p := range k.hosted {
		list = append(list, p.APIKey)
		headers(p.Headers)
	}
	for _, a := range k.person {
		list = append(list, a.key)
		headers(a.headers)
	}
	for _, c := range k.auth {
		list = append(list, c.key)
	}
	for _, s := range services {
		for _, name := range s.env {
			list = append(list, strings.TrimSpace(k.env[name]))
		}
	}
	for _, m := range k.project {
		list = append(list, literal(m.key))
	}
	list = slices.DeleteFunc(list, func(s string) bool { return len(s) < 6 })
	return unique(list)
}
