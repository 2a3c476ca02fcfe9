// Package transcript turns the events of a session into what a reviewer or a
// consulted model is shown, at the cost of what is new.
//
// A Log holds the goal (the first and the latest human message), a rolling summary of
// what has been reviewed, and the entries that no review has covered yet.
// Cut renders these within a byte budget; Commit moves what a review covered into the
// summary. A review that failed or was superseded does not commit, and so its
// entries are part of the next. Everything held is bounded, whatever the
// length of the session.
//
// All text passes the caller's Redact before it is kept, cut or rendered. What we cut
// is marked as cut by us, and never inside a rune.
package transcript
