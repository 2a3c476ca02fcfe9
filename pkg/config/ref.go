package config

import "strings"

// Ref names a model: provider/model#variant. The model may hold slashes of
// its own (openrouter/anthropic/claude-opus-4.8); the provider may not.
type Ref struct {
	Provider string
	Model    string
	Variant  string // reasoning effort, may be empty
}

// ParseRef splits at the first slash, and at the last # behind it. It reports
// whether both provider and model are there and plain.
func ParseRef(s string) (Ref, bool) {
	provider, model, ok := strings.Cut(strings.TrimSpace(s), "/")
	if !ok {
		return Ref{}, false
	}
	r := Ref{Provider: provider, Model: model}
	if at := strings.LastIndexByte(model, '#'); at >= 0 {
		r.Model, r.Variant = model[:at], model[at+1:]
		if r.Variant == "" {
			return Ref{}, false
		}
	}
	if !word(r.Provider) || !word(r.Model) || r.Variant != "" && !word(r.Variant) {
		return Ref{}, false
	}
	return r, true
}

// word reports whether s is 1 to 200 visible ASCII characters without quotes or backslash.
// Model ids go into URLs, headers and messages; nothing else occurs in the wild.
func word(s string) bool {
	if s == "" || len(s) > 200 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\'' || c == '\\' || c == '`' {
			return false
		}
	}
	return true
}

// String is the reference as it is written in a configuration.
func (r Ref) String() string {
	s := r.Provider + "/" + r.Model
	if r.Variant != "" {
		s += "#" + r.Variant
	}
	return s
}
