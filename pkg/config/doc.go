// Package config turns what a person wrote into settings that the core can rely on.
//
// Three layers are laid over each other, field by field: the built-in defaults,
// the person's advisor.json, and the options that the host passes to the
// plugin. A field that cannot be used falls back alone, and says so in a
// Problem; nothing here ever fails as a whole.
//
// The package also decides which endpoint each role (watchdog, consult,
// verify, judge) talks to, and with whose key. One rule governs that: a key goes only to
// the base URL that came from the same source. Options are not trusted, since a
// cloned project may have written them: they may name an endpoint and a key of
// their own, and never see a key of the person's. See Load.
package config
