// Package pattern matches text lines and file names against patterns that a
// model or a repository wrote, in an engine that nothing can interrupt. So no
// pattern may run away: every matcher here counts its steps and stops at a
// bound that is the same on every host, and none needs a clock.
//
// Three engines share one front door, Compile:
//
//   - a lazily built automaton runs all that RE2 can express, in time linear in
//     the text, behind a search for a literal that each match must contain;
//   - a backtracking matcher runs the rest (lookaround, back references, atomic
//     groups), remembers which states have failed, and gives up at a bound;
//   - Glob matches slash-separated paths in at most pattern times path steps.
package pattern
