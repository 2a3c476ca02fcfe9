package protocol

// FailureKind says what sort of thing went wrong.
type FailureKind string

// The kinds of Failure. They appear in logs and counters, so they are append-only.
const (
	FailSyntax  FailureKind = "syntax"  // not JSON; nothing of the message was taken
	FailUnknown FailureKind = "unknown" // a "type" that this version does not know; ignored
	FailType    FailureKind = "type"    // a field holds the wrong kind of value; its event was dropped
	FailDepth   FailureKind = "depth"   // nested deeper than MaxDepth; its event was dropped
)

// Failure is a failure as data: what was attempted, on what, and why not.
type Failure struct {
	Op      string      // what was attempted: decode
	Kind    FailureKind // what sort of failure
	Path    string      // where: type.field, such as tool.exit
	Message string      // why, for people: want a whole number, got a string
}

// Error gives "op path: message".
func (f Failure) Error() string {
	return f.Op + " " + f.Path + ": " + f.Message
}
