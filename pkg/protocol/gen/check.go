package main

import (
	"fmt"
	"slices"
)

// check resolves the named types, and refuses what one of the two sides could not say.
func (w *wire) check() error {
	seen := map[string]string{}
	for _, s := range w.structs {
		if s.wire != "" {
			// Events and effects share no name either: a log then reads without saying which it is.
			if other := seen[s.wire]; other != "" {
				return fmt.Errorf("%s and %s are both called %q on the wire", other, s.name, s.wire)
			}
			seen[s.wire] = s.name
		}
		keys := map[string]bool{"type": s.wire != ""}
		for i := range s.fields {
			f := &s.fields[i]
			if keys[f.key] {
				return fmt.Errorf("%s.%s: key %q is taken", s.name, f.name, f.key)
			}
			keys[f.key] = true
			if err := w.resolve(f); err != nil {
				return fmt.Errorf("%s.%s: %w", s.name, f.name, err)
			}
		}
	}
	for _, e := range w.enums {
		if len(e.values) == 0 {
			return fmt.Errorf("type %s has no constants", e.name)
		}
	}
	return nil
}

func (w *wire) resolve(f *field) error {
	if f.kind == kindStruct && slices.ContainsFunc(w.enums, func(e *enum) bool { return e.name == f.ref }) {
		f.kind = kindNamed
	}
	switch {
	case f.kind == kindStruct && w.byName[f.ref] == nil:
		return fmt.Errorf("type %s is not on the wire", f.ref)
	case f.kind == kindStruct && w.byName[f.ref].role != part:
		return fmt.Errorf("type %s is an event, effect or envelope and cannot be a part", f.ref)
	case f.list && f.kind != kindString && f.kind != kindStruct && f.kind != kindEvent && f.kind != kindEffect:
		return fmt.Errorf("a list of these is not supported")
	case !f.list && (f.kind == kindEvent || f.kind == kindEffect):
		return fmt.Errorf("a single event or effect is not supported")
	case f.omitzero && (f.list || f.kind != kindStruct):
		return fmt.Errorf("omitzero is for structs; use omitempty")
	case f.omitempty && !f.list && f.kind == kindStruct:
		return fmt.Errorf("omitempty never omits a struct; use omitzero")
	case f.omitzero && slices.ContainsFunc(w.byName[f.ref].fields, func(g field) bool { return g.list }):
		return fmt.Errorf("omitzero needs a type that can be compared")
	}
	return nil
}
