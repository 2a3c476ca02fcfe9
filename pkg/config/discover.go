package config

import (
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// discovered looks for the provider where the person keeps their providers.
func (k *knowledge) discovered(m Ref, problems *[]Problem) (Endpoint, bool) {
	var pairs []Endpoint
	id := m.Provider
	s, _ := serviceOf(id)
	add := func(from Source, url, key string, headers []protocol.Header, why string) {
		if url = cmpOr(url, s.url); url != "" {
			pairs = append(pairs, Endpoint{BaseURL: speaking(id, url), APIKey: key, Headers: headers, From: from, Why: why})
		}
	}
	meddled, redirected := k.project[id]
	if !redirected {
		meddled, redirected = k.project[""]
	}
	if p := k.hosted[id]; p.Known && !redirected {
		url, err := "", error(nil)
		if p.BaseURL != "" {
			url, err = cleanURL(p.BaseURL)
		}
		if err != nil {
			*problems = append(*problems, Problem{Source: string(FromHost), Field: id + ".baseURL",
				Message: "it is not used: " + err.Error(), Mend: "mend it in the host's configuration"})
		} else {
			var headers []protocol.Header
			for _, h := range p.Headers {
				headers = setHeader(headers, h.Name, h.Value)
			}
			add(FromHost, url, p.APIKey, headers, "provider "+id+" as the host knows it")
		}
	} else if p.Known && p.APIKey != "" {
		*problems = append(*problems, Problem{Source: meddled.file, Field: "provider." + id,
			Message: "this file of the project may change where requests of " + id + " go, so the host's key for it is not used",
			Mend:    "put provider.baseURL and provider.apiKey into advisor.json, or take the entry out of the project's file"})
	}
	if a, ok := k.person[id]; ok {
		if a.refused != "" {
			*problems = append(*problems, Problem{Source: string(FromOpenCode), Field: "provider." + id,
				Message: "its base URL is not used: " + a.refused, Mend: "mend it there"})
		} else {
			add(FromOpenCode, a.url, a.key, a.headers, "provider "+id+" of opencode.jsonc")
		}
	}
	if c := k.auth[id]; c.key != "" && !c.login && s.url != "" {
		add(FromAuth, s.url, c.key, nil, "the login of "+id+" in auth.json with its built-in URL")
	}
	for _, name := range s.env {
		if key := strings.TrimSpace(k.env[name]); key != "" {
			add(FromEnv, s.url, key, nil, "the environment variable "+name+" with the built-in URL of "+id)
		}
	}
	for _, e := range pairs {
		if e.carriesKey() {
			return e, true
		}
	}
	// A built-in provider without a key is of no use over HTTP; one whose URL
	// somebody wrote down may not want a key.
	for _, e := range pairs {
		if e.BaseURL != s.url && !k.auth[id].login {
			e.Why += "; there is no key for it, so none is sent"
			return e, true
		}
	}
	if s.keyless {
		return Endpoint{BaseURL: s.url, From: FromLocal, Why: id + " on this machine"}, true
	}
	if redirected && meddled.url != "" {
		return Endpoint{BaseURL: meddled.url, APIKey: literal(meddled.key), From: FromProject,
			Why: "provider " + id + " of the project's own " + meddled.file}, true
	}
	return Endpoint{}, false
}

// literal drops a key that refers to something of the person's.
func literal(key string) string {
	if strings.Contains(key, "{env:") || strings.Contains(key, "{file:") {
		return ""
	}
	if _, want := wantKey(key); want != "" {
		return ""
	}
	return key
}

// hostModels reports whether the host can run a model for us.
func (k *knowledge) hostModels() bool {
	switch k.host {
	case "opencode-v2", "opencode-v1", HostPi:
		return true
	}
	return false
}

// throughHost reaches the model through the host, which has its own credentials.
func (k *knowledge) throughHost(m Ref, why string) Endpoint {
	if !k.hostModels() {
		return Endpoint{Transport: TransportNone, Provider: m.Provider, Model: m.Model,
			Why: why + ", but this host runs no models for plugins; set transport to auto and provider.baseURL in advisor.json"}
	}
	return Endpoint{Transport: TransportHost, Provider: m.Provider, Model: m.Model, From: FromHost, Why: why}
}

// hostOrNone is the last resort where no endpoint was found.
func (k *knowledge) hostOrNone(m Ref, named string) Endpoint {
	switch {
	case !k.hostModels():
		return Endpoint{Transport: TransportNone, Provider: m.Provider, Model: m.Model, Why: k.missing(m)}
	case k.hosted[m.Provider].Known:
		return k.throughHost(m, "no base URL and key are known for "+m.Provider+", so the host is asked")
	case named == SourceDefault:
		// Nobody chose this model: any model that works in the host is better than none.
		return Endpoint{Transport: TransportHost, From: FromHost,
			Why: "no model is configured, and the host does not have " + m.Provider + ": the host's default model is used"}
	}
	return Endpoint{Transport: TransportNone, Provider: m.Provider, Model: m.Model, Why: k.missing(m)}
}

// missing says what a person can do to get a provider working.
func (k *knowledge) missing(m Ref) string {
	s, known := serviceOf(m.Provider)
	why := "there is no key for " + m.Provider + ": put provider.baseURL and provider.apiKey into advisor.json, or log in to " + m.Provider + " in the host"
	switch {
	case known && len(s.env) > 0:
		why += ", or set " + s.env[0]
	case !known:
		if near := Nearest(m.Provider, serviceIDs()); near != "" {
			why += "; did you mean " + near + "?"
		}
	}
	return why
}

func serviceIDs() []string {
	var ids []string
	for _, s := range services {
		ids = append(ids, s.id)
	}
	slices.Sort(ids)
	return ids
}
