package judge

import "strings"

// matches compares a resource with a pattern: * stands for any run of
// characters, ? for one, case counts. A pattern without either also matches
// everything that begins with it. Only the last star is ever tried again.
func matches(pattern, s string) bool {
	if !strings.ContainsAny(pattern, "*?") {
		return strings.HasPrefix(s, pattern)
	}
	p, t := []rune(pattern), []rune(s)
	i, j, star, mark := 0, 0, -1, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// subjects are the texts of an action that a pattern is tried against.
func (a *Action) subjects() []string {
	out := append([]string(nil), a.Resources...)
	for _, s := range []string{a.Command, a.Path} {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// ruleMatches reports whether a rule matches any resource of the action.
func ruleMatches(r Rule, a *Action) bool {
	if r.Action == "" || !matches(r.Action, a.Kind) {
		return false
	}
	for _, s := range a.subjects() {
		if matches(r.Resource, s) {
			return true
		}
	}
	return false
}

func anyRule(rules []Rule, a *Action) bool {
	for _, r := range rules {
		if ruleMatches(r, a) {
			return true
		}
	}
	return false
}

// inScope reports whether every resource of the action is matched by a rule
// of each list that has any.
func (o *Options) inScope(a *Action) bool {
	for _, list := range o.Rules {
		if len(list) == 0 {
			continue
		}
		subjects := a.Resources
		if len(subjects) == 0 {
			subjects = a.subjects()
		}
		for _, s := range subjects {
			ok := false
			for _, r := range list {
				ok = ok || r.Action != "" && matches(r.Action, a.Kind) && matches(r.Resource, s)
			}
			if !ok {
				return false
			}
		}
	}
	return true
}

// excluded reports whether the person keeps the judge away from the action.
func (o *Options) excluded(a *Action) bool {
	for _, pattern := range o.Exclude {
		for _, s := range a.subjects() {
			if matches(pattern, s) {
				return true
			}
		}
	}
	return false
}
