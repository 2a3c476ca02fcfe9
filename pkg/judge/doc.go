// Package judge decides permission asks: allow the safe, deny the dangerous,
// and leave the rest to the person.
//
// It has two halves. The floor is code: it parses a command with a real shell
// parser, follows it through wrappers, quoting and variables, and looks every
// effect up in one table of rows (see Rows). It never guesses: what it cannot
// resolve is asked. Above it sits a model, which sees only what the floor had
// no opinion about, answers inside one deadline, and is believed only when its
// reply begins with an unambiguous verdict. Whatever fails, the ask stays an ask.
//
// Everything here is pure: the clock, randomness, the model and the host's
// facts come in through Port, and state is a value the caller keeps.
package judge
