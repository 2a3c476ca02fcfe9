package transcript

import "github.com/Kayphoon/opencode-advisor/pkg/protocol"

// kind says what an entry is.
type kind uint8

const (
	kindHuman kind = iota + 1 // a person's message
	kindOther                 // a message of role user that no person typed
	kindOurs                  // a note of ours; never part of a delta
	kindText                  // the primary's words
	kindTool                  // a tool call with its result
	kindShell                 // a command that the person ran
	kindStep                  // the end of a step
	kindEvent                 // something that the host did, in our words
)

// class sorts tools by what they do to the world.
type class uint8

const (
	classOther   class = iota
	classRead          // reads, lists, searches: the reviewer can look for itself
	classEdit          // changes files
	classCommand       // runs a command
	classAdvisor       // asks us; its result is our own words
)

// entry is one thing that happened. It does not change once it is in the log,
// but for reviewed.
type entry struct {
	seq      uint64 // when we heard of it; cursors are of this
	step     int
	kind     kind
	reviewed bool

	id      string // of the message
	call    string // tool: id of the call
	name    string // tool: its name
	class   class
	args    []arg
	command string // tool of classCommand, and shell
	text    string // words, or the result of a tool or command
	cut     int    // UTF-16 units that the loader had left out of text
	failed  bool
	hasExit bool
	exit    int
	files   []string // that it changed
	added   int      // lines, as far as the arguments tell
	removed int
	diags   []protocol.Diagnostic
	size    int // bytes that it holds, about
}

// arg is one argument of a tool call. Nested ones are named by their path: edits[0].newText.
type arg struct {
	name string
	text string
	raw  bool // text is a JSON number or literal
}

// weigh sets size, which the bounds of a Log go by.
func (e *entry) weigh() {
	const overhead = 200 // the struct itself, and slice headers
	e.size = overhead + len(e.text) + len(e.command)
	for _, a := range e.args {
		e.size += len(a.name) + len(a.text) + 32
	}
	for _, f := range e.files {
		e.size += len(f) + 16
	}
	for _, d := range e.diags {
		e.size += len(d.Path) + len(d.Text) + 48
	}
}

// broke reports whether the entry is a command that did not end well.
func (e *entry) broke() bool {
	return (e.class == classCommand || e.kind == kindShell) && (e.hasExit && e.exit != 0 || e.failed)
}

// pending reports whether a review has yet to see the entry.
func (e *entry) pending() bool { return !e.reviewed && e.kind != kindOurs }
