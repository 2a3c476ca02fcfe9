// Package search walks through every sequence of events, crashes and second
// processes up to a depth, with the real state machine (pkg/session), breaker and
// delivery channels, and checks on each path what the wake promises:
//
//   - no wake before the first human message,
//   - at most one wake for a human message,
//   - at most one wake between two human messages,
//   - so never more wakes than human messages.
//
// Every blocker is taken to have passed the guard, every process to review, and every wake to
// be wanted: the worst that could reach the breaker.
//
// Sequences that lead to equal states are merged, so the walk is over states, and the
// number of sequences is counted along. A state is what the future can
// depend on: canonical (memory.go) leaves out transcripts, counters and notes, and a test
// shows that nothing is lost by it.
package search
