// Package shrink makes a module that Go's compiler wrote smaller, and faster by
// the way, without changing what it does. It undoes two habits of that compiler
// and touches nothing that it does not recognise for certain:
//
//   - Jumps. A Go function is one loop around a br_table, and every jump stores the
//     number of its target and starts the loop again. Forwards, the target's
//     block is still open, and a plain br reaches it.
//   - Addresses on the stack. SP is an i32 that Go widens, adds to, and wraps
//     again, where the offset of the load or store would do.
//
// The result is valid for every engine that takes the original. What it saves
// stands in RATIONALE.md.
package shrink
