package budget

import (
	"strconv"
	"strings"
)

// Ledger is one day's spending by all processes, as one of them sees it. The day's file holds one
// line a request; the order of lines is the same for everybody.
//
// A line that was written and not yet read back is counted by its writer all the same, so a folder that
// cannot be written costs only what other processes would have told.
type Ledger struct {
	Name  string // of the day, 2006-01-02
	From  int64  // where the file has not been read yet
	Known bool   // the file was read at least once
	Total Use    // of the whole day
	Since Use    // since somebody lifted the bound

	unread []Use // ours, not yet seen in the file, oldest first
	lifts  int   // likewise
}

// Spend counts a request of ours and gives its line.
func (l *Ledger) Spend(writer string, u Use) (line string) {
	l.count(u)
	l.unread = append(l.unread, u)
	if len(l.unread) > maxUnread {
		// Nothing is read back; then nothing is told twice either.
		l.unread = l.unread[1:]
	}
	b := append([]byte(writer), ' ')
	for i, n := range []int64{u.Requests, u.In, u.Out, u.CachedIn, u.CacheWrite, u.Cost, u.Estimated} {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}

// maxUnread bounds the memory of lines that were written and not read back.
const maxUnread = 1_000

// Behind tells that much was written and not read back: beyond maxUnread a line of ours would be taken for another's.
func (l *Ledger) Behind() bool { return len(l.unread) >= maxUnread/4 }

// Lift begins the bound's period anew and gives the line that tells the others.
func (l *Ledger) Lift(writer string) (line string) {
	l.Since = Use{}
	l.lifts++
	return writer + " lift"
}

func (l *Ledger) count(u Use) {
	l.Total, l.Since = l.Total.Plus(u), l.Since.Plus(u)
}

// Read takes what the file holds from From on; next is where that ends. Lines of ours were counted when they
// were written. What is no line is left out: it cannot lower what is counted.
func (l *Ledger) Read(writer, text string, next int64) {
	l.Known = true
	if next <= l.From {
		return
	}
	l.From = next
	for line := range strings.Lines(text) {
		who, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if rest == "lift" {
			if who == writer && l.lifts > 0 {
				l.lifts--
			} else {
				// What is ours and on its way comes behind it.
				l.Since = Use{}
				for _, u := range l.unread {
					l.Since = l.Since.Plus(u)
				}
			}
			continue
		}
		u, ok := parse(rest)
		switch {
		case !ok:
		case who == writer && len(l.unread) > 0 && l.unread[0] == u:
			l.unread = l.unread[1:]
		default:
			l.count(u)
		}
	}
}

func parse(text string) (u Use, ok bool) {
	fields := strings.Fields(text)
	at := []*int64{&u.Requests, &u.In, &u.Out, &u.CachedIn, &u.CacheWrite, &u.Cost, &u.Estimated}
	if len(fields) != len(at) {
		return u, false
	}
	for i, f := range fields {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || n < 0 || n > MostTokens*1_000 {
			return Use{}, false
		}
		*at[i] = n
	}
	return u, true
}
