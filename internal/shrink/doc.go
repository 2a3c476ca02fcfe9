// Package shrink makes a module that Go's compiler wrote smaller, and faster by
// the way, without changing what it does. It undoes three habits of that compiler
// and touches nothing that it does not recognise for certain:
//
//   - Jumps. A Go function is one loop around a br_table, and every jump stores the
//     number of its target and starts the loop again. Forwards, the target's
//     block is still open, and a plain br reaches it.
//   - Addresses on the stack. SP is an i32 that Go widens, adds to, and wraps
//     again, where the offset of the load or store would do.
//   - The table by which the runtime finds the function of a program counter. It counts a
//     function as 64 KB of code, so it has 16 entries a function, 15 of
//     which repeat the first: a megabyte of memory in 60,000 data segments. A loop
//     writes it, when the module starts.
//
// The result is valid for every engine that takes the original. What it saves
// stands in RATIONALE.md.
package shrink
