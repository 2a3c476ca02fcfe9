// Package guard decides what may be said. Every note of a review passes it
// after its citations were judged (pkg/evidence) and before anything asks
// whether it may wake the session (pkg/breaker).
//
// The order of precedence, which Admit keeps; the first that applies decides:
//
//  1. The text is cleaned: see Clean. Nothing left: dropped (empty).
//  2. A text without content, such as "LGTM" or "没问题", is dropped (content_free).
//  3. A matter that the person muted is dropped (muted_all, muted_note,
//     muted_path, muted_category).
//  4. After a wake, and for immuneTurns human messages, a concern becomes a nit.
//  5. A matter that was said before, at this severity or above, is dropped
//     (duplicate). A rise in severity passes once; a fall never.
//  6. Bounds: of the session (session_quota), of blockers and of notes since
//     the last human message (blocker_quota, message_quota), of the review
//     (review_quota). A bound is told to the person once in a session.
//
// Blockers come first within a review, so that no bound drops a blocker for a nit.
//
// # The same matter
//
// Two notes are one matter when they have the same text once counters, numbers and
// hashes are masked; or when place and text are near; or when place and category
// are the same, though the wording changed. A place is a file and, within
// it, the cited lines themselves, or a function that both name, or line
// numbers less than ten apart. Notes of one review never count as one
// matter by place and category alone: the reviewer listed them side by side.
// Categories that reviewers take for one another, such as bug and correctness, are one.
//
// What the person muted reaches further: a note that cites the same lines is that matter,
// under any category and in any words.
//
// The state is a plain value, and is kept with the session (Append, Decode), so that restart,
// compaction, fork and revert do not forget. Time is counted in human
// messages and reviews; there is no clock here.
package guard
