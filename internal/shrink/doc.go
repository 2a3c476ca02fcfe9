// Package shrink makes a module that Go's compiler wrote smaller, and faster by
// the way, without changing what it does. It undoes habits of that compiler
// and touches nothing that it does not recognise for certain:
//
//   - Jumps. A Go function is one loop around a br_table, and every jump stores the
//     number of its target and starts the loop again. Forwards, the target's
//     block is still open, and a plain br reaches it. A call by a table borrows the local of that
//     number, so it gets one of its own.
//   - Places. Every place of that table has a block, though most are never jumped or
//     returned to any more.
//   - Calls of what never returns: panics, and growing the stack. A helper does what
//     comes before such a call, and nothing needs to come behind it. Where speed does
//     not matter, a helper stores the return address of any call.
//   - Addresses on the stack. SP is an i32 that Go widens, adds to, and wraps
//     again, where the offset of the load or store would do.
//   - Neighbours: a comparison and its negation, a local set and read at once, a frame
//     and a return address given back one after the other.
//
// Tables leaves out data that only a traceback's text needs, numbers the places anew without holes, and packs the tables.
//
// The result is valid for every engine that takes the original. What it saves
// stands in RATIONALE.md.
package shrink
