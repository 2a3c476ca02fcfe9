// Package harness runs the guest module from Go, under wazero: it gives the
// module's imports a workspace, a way to the network and a log, hands batches of
// events in and effects out, and bounds each call. It is what the TypeScript
// loader is in a host, for tests, benchmarks and Go programs.
//
// An instance that traps, exits or runs past its deadline is discarded: a Go guest
// goes on answering after an unrecovered panic, with broken state. Restart gives
// a fresh one from the compiled module; it knows nothing, and needs Init and its
// stored sessions as after a crash of the host.
//
// The guest can do nothing by itself. What an effect asks for, the caller does
// or leaves undone; only requests to the origins that the guest named when it
// was ready are made by the harness, with the caller's transport.
package harness
