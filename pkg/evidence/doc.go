// Package evidence decides whether a citation is true. A reviewer's file:line
// is a claim: here the file is opened, the quoted text is looked for, and only
// what was found proves anything. No model is asked.
//
// # Statuses
//
//	verified      the quote is at the claimed line (or no line was claimed)
//	moved         the quote is in the file, elsewhere; Line is corrected
//	contradicted  the file is there and the quote is not; the search finds
//	              something; the command did not say so
//	missing       no such file in the workspace, no such tool call
//	unread        the text is there, and this review never read that place
//	unknown       nothing can be proved by it: too short, too long, too
//	              common, not readable, a pattern that does not compile
//
// Only verified and moved prove; see Table for what follows for a note.
//
// # When two texts are the same
//
// Quote and file are compared in a normal form:
//
//   - Unicode NFC; invalid UTF-8 counts as U+FFFD.
//   - Characters that do not show (BOM, zero-width, soft hyphen, bidi marks) are left out.
//   - Line breaks, tabs, NBSP and all other Unicode spaces are white space. A run of
//     it is one space between two words, and nothing beside a sign or a CJK
//     character: "foo( a,\n b )" is "foo(a,b)", but "return x" is not "returnx".
//   - Curly quotes, long dashes and the one-character ellipsis are their ASCII forms.
//
// A quote that is not found as it stands is tried again without what models
// copy along with it, in this order: a Markdown fence or backticks, quotes
// around the whole, line numbers ("45: ", "  45|", "path:45:"), the "+" and " "
// of a diff, and the escapes \n, \t, \" and &lt;. Then "..." or "…" counts as an elided
// middle: the pieces must stand in order within 40 lines.
//
// A quote proves nothing when it has more than 12 lines or 4,000 characters, fewer than two
// letters or digits, or more than 20 places in the file. Of several places the
// one nearest to the claimed line is taken.
//
// What is not undone: comment marks inside a comment that was joined to one
// line, and lines left out without a mark.
//
// Matching is linear in the file, which may have up to 8 MB.
package evidence
