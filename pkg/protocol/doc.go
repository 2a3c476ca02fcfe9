// Package protocol is the wire between loader and guest: every event that the
// loader may send, every effect that the guest may ask for, and the names and
// layouts of the module's imports. It is the only place where a wire name is
// spelled; host/protocol.gen.ts and codec.gen.go are generated from it.
//
// One exchange is a Batch of events in and an Outcome of effects back, both
// JSON. Each event and effect is an object whose first key is "type". An
// unknown type is reported and ignored, an unknown key is ignored, a missing
// key is the zero value. Times are milliseconds since 1970, sizes are bytes,
// ids are opaque.
//
// A struct whose comment ends in a line "wire:event NAME" or "wire:effect NAME" is a
// member of the wire; other structs are parts of those.
package protocol

//go:generate go run ./gen
