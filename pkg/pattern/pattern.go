package pattern

import (
	"bytes"
	"errors"
	"math"
	"regexp/syntax"
	"strconv"
	"strings"
)

// MaxPattern is how long a pattern may be, in bytes: a long alternation of
// names fits, a pasted file does not.
const MaxPattern = 1000

// maxRelaxed bounds the RE2 text of a relaxed pattern; \p{L} alone spells out to
// 13 KB. A longer one would take longer to read than it saves.
const maxRelaxed = 64 << 10

// ErrTooLarge is wrapped by the errors about patterns that are well formed and
// cost too much.
var ErrTooLarge = errors.New("the pattern is too large")

// tooLarge wraps ErrTooLarge with what is too large. Here and in all that the
// guest links, errors are made without fmt, which costs the module 0.7 MB.
type tooLarge string

func (e tooLarge) Error() string { return ErrTooLarge.Error() + ": " + string(e) }
func (tooLarge) Unwrap() error   { return ErrTooLarge }

const errTooLong = tooLarge("repeat less, or use a shorter range than {n,m}")

// ErrBudget is returned once a pattern has used the steps it was given.
var ErrBudget = errors.New("the pattern takes too many steps on this text")

// Flags change how a pattern is read.
type Flags struct {
	IgnoreCase bool
	Literal    bool // the pattern is plain text
}

// Pattern finds lines. It keeps the states it has built, so one Pattern serves
// one search at a time.
type Pattern struct {
	auto *automaton   // exact, or, beside back, true for more lines than match
	back *backtracker // nil when the automaton alone is exact
	lit  *literal     // nil when no literal must occur
	pure bool         // a line matches wherever lit occurs

	budget, spent int64
	gaveUp        int
	clipped       int
}

// Compile reads a pattern in the syntax of RE2, and beyond it lookahead,
// lookbehind, back references, atomic groups and possessive quantifiers. Lines
// are matched one at a time; a pattern that needs a line break is refused.
func Compile(expr string, flags Flags) (*Pattern, error) {
	if len(expr) > MaxPattern {
		return nil, tooLarge(strconv.Itoa(len(expr)) + " bytes, at most " + strconv.Itoa(MaxPattern) + " are allowed")
	}
	if flags.Literal {
		if strings.ContainsAny(expr, "\n") {
			return nil, ErrNewline
		}
		expr = quote(expr)
	} else {
		expr = unescapeUnicode(expr)
	}
	p := &Pattern{budget: math.MaxInt64}
	syn := syntax.Perl
	if flags.IgnoreCase {
		syn |= syntax.FoldCase
	}
	re, err := syntax.Parse(expr, syn)
	if err == nil {
		return p, p.setAutomaton(re)
	}
	var bad *syntax.Error
	if !errors.As(err, &bad) || !beyondRE2(bad.Code) {
		return nil, describe(err)
	}
	root, groups, extErr := parseExtended(expr, flags.IgnoreCase)
	if extErr != nil {
		return nil, extErr
	}
	return p, p.setExtended(root, groups)
}

func (p *Pattern) setAutomaton(re *syntax.Regexp) error {
	re = re.Simplify()
	if needsNewline(re) {
		return ErrNewline
	}
	prog, err := syntax.Compile(re)
	if err != nil {
		return describe(err)
	}
	if len(prog.Inst) > maxInst {
		return errTooLong
	}
	p.auto = newAutomaton(prog)
	p.lit = requiredLiteral(re)
	p.pure = p.lit != nil && pure(re)
	return nil
}

func (p *Pattern) setExtended(root *node, groups int) error {
	joinEdges(root)
	back, err := newBacktracker(root, groups)
	if err != nil {
		return err
	}
	// Without its lookaround the pattern matches at least the same lines, and
	// the automaton can say quickly which ones are worth the slower look.
	relaxed, exact := relax(root)
	if len(relaxed) <= maxRelaxed {
		if re, err := syntax.Parse(relaxed, syntax.Perl); err == nil {
			if err := p.setAutomaton(re); errors.Is(err, ErrNewline) {
				return err
			}
		}
	}
	p.pure = false
	if exact && p.auto != nil {
		return nil
	}
	p.back = back
	// A positive lookaround must find its own literal, in the same line.
	for _, l := range lookLiterals(root, nil) {
		if p.lit == nil || len(l.text) > len(p.lit.text) {
			p.lit = l
		}
	}
	return nil
}

// skipped is how many bytes the search for a literal passes over in the time that
// the automaton takes for one.
const skipped = 8

// SetBudget gives the pattern this many steps from now on. One step is a byte
// through the automaton, one instruction of a new state, an eighth of one of the
// backtracking matcher, or eight bytes passed over by the search for a literal.
func (p *Pattern) SetBudget(steps int64) { p.budget, p.spent = steps, 0 }

// Spent is how many steps have gone since SetBudget.
func (p *Pattern) Spent() int64 { return p.spent }

// GaveUp is on how many lines the backtracking matcher stopped at its bound
// without an answer. They count as not matching.
func (p *Pattern) GaveUp() int { return p.gaveUp }

// Clipped is how many lines were longer than the backtracking matcher reads.
func (p *Pattern) Clipped() int { return p.clipped }

// Backtracks says whether the pattern needs the backtracking matcher.
func (p *Pattern) Backtracks() bool { return p.back != nil }

// Lines calls hit for each line of text that matches, in order, until it
// returns false: with the bounds of the line, its line break left out, and an
// offset in text near the match. Text must begin at the start of a line. The only error is ErrBudget.
func (p *Pattern) Lines(text []byte, hit func(start, end, at int) bool) error {
	for start := 0; start < len(text); {
		from := start
		if p.lit != nil {
			i := p.lit.index(text[start:])
			if i < 0 {
				p.spent += int64(len(text)-start) / skipped
				return p.overBudget()
			}
			p.spent += int64(i)/skipped + 1
			from += i
			start += bytes.LastIndexByte(text[start:from], '\n') + 1
		}
		end, next := len(text), len(text)
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			end, next = from+i, from+i+1
		}
		if end > start && text[end-1] == '\r' {
			end--
		}
		at := from - start
		if !p.pure {
			at = p.matchLine(text[start:end])
		}
		if err := p.overBudget(); err != nil {
			return err
		}
		if at >= 0 && !hit(start, end, start+at) {
			return nil
		}
		start = next
	}
	return nil
}

func (p *Pattern) overBudget() error {
	if p.spent > p.budget {
		return ErrBudget
	}
	return nil
}

// MatchLine says whether one line, given without its line break, matches.
func (p *Pattern) MatchLine(line []byte) bool {
	if p.lit != nil && p.lit.index(line) < 0 {
		p.spent += int64(len(line)) / skipped
		return false
	}
	return p.matchLine(line) >= 0
}

func (p *Pattern) matchLine(line []byte) int {
	at := 0
	if p.auto != nil {
		end, cost := p.auto.match(line, p.budget-p.spent)
		p.spent += cost
		if at = end; end < 0 {
			return -1
		}
	}
	if p.back == nil {
		return at
	}
	if len(line) > maxLine {
		line = line[:maxLine]
		p.clipped++
	}
	at, cost, ok := p.back.match(line, p.budget-p.spent)
	p.spent += cost
	if !ok {
		p.gaveUp++
	}
	return at
}
