// Package mutants disables the rules of loop safety one by one, in a copy that only the compiler
// sees, and demands that a test fails for each, which passes without it. A mutant that survives is a
// rule that no test holds. A mutant whose text is no longer in the source fails as well.
package mutants
