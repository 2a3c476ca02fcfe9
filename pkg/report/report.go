// Package report writes what the advisor did as one page of HTML: when it looked, what it said, what it kept to
// itself and why, what that cost, and how often it interrupted. The page holds everything that it shows, runs no script
// and loads nothing, so that it can be sent to somebody.
package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/budget"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/utc"
)

// Input is what a report is made of.
type Input struct {
	Version string
	Now     int64
	// Session, Directory and Host say whose report it is; empty for one over all sessions.
	Session, Directory, Host string
	Lines                    []protocol.JournalLine // oldest first
}

// Mark is how a page of ours begins, after the doctype: a file that begins otherwise is not ours to replace.
const Mark = "<!doctype html>\n<!-- opencode-superadvisor report -->\n"

// page is the HTML under way.
type page struct{ b []byte }

// raw adds markup of ours; text adds a text of anybody's, of which nothing may hide or turn the direction.
func (p *page) raw(s ...string) {
	for _, one := range s {
		p.b = append(p.b, one...)
	}
}

func (p *page) text(s string) {
	s = guard.Printable(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			p.b = append(p.b, "&lt;"...)
		case c == '>':
			p.b = append(p.b, "&gt;"...)
		case c == '&':
			p.b = append(p.b, "&amp;"...)
		case c == '"':
			p.b = append(p.b, "&quot;"...)
		case c == '\'':
			p.b = append(p.b, "&#39;"...)
		case c < ' ' && c != '\n' || c == 0x7f:
			p.b = append(p.b, ' ') // no character of a page
		default:
			p.b = append(p.b, c)
		}
	}
}

// el adds an element with a text in it. Open is its name and attributes, of ours.
func (p *page) el(open, text string) {
	name, _, _ := strings.Cut(open, " ")
	p.raw("<", open, ">")
	p.text(text)
	p.raw("</", name, ">")
}

// HTML gives the page, in UTF-8.
func HTML(in Input) []byte {
	sum := total(in.Lines)
	p := &page{}
	p.raw(Mark, `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark"><title>Advisor report</title><style>`, style, `</style></head><body>
<a class="skip" href="#timeline">To the timeline</a><header><h1>Advisor report</h1>`)
	p.about(in)
	p.raw(`<nav aria-label="Parts"><a href="#sum">In short</a> <a href="#timeline">Timeline</a> <a href="#dropped">Kept back</a> <a href="#cost">Cost and time</a> <a href="#judge">Judge</a></nav></header><main>`)
	p.short(sum)
	p.timeline(in)
	p.dropped(sum)
	p.cost(sum)
	p.judge(sum)
	p.raw("</main><footer><p>")
	p.text("Written by opencode-superadvisor " + in.Version + " at ")
	p.when(in.Now)
	p.text(". All times are UTC. Nothing on this page was sent anywhere.")
	p.raw("</p></footer></body></html>\n")
	return p.b
}

func (p *page) about(in Input) {
	p.raw(`<p class="about">`)
	switch {
	case in.Session == "":
		p.text("All sessions")
	default:
		p.raw("Session ")
		p.el("code", in.Session)
	}
	if in.Directory != "" {
		p.raw(" in ")
		p.el("code", in.Directory)
	}
	if in.Host != "" {
		p.text(", " + in.Host)
	}
	if n := len(in.Lines); n > 0 {
		p.raw("<br>")
		p.when(in.Lines[0].At)
		p.raw(" to ")
		p.when(in.Lines[n-1].At)
	}
	p.raw("</p>")
}

func (p *page) when(at int64) {
	t := utc.Format(at)
	day, clock, _ := strings.Cut(t, "T")
	clock, _, _ = strings.Cut(clock, ".")
	p.raw(`<time datetime="`, t, `">`, day, " ", clock, "</time>")
}

// short is what most people want to know.
func (p *page) short(s *sums) {
	p.raw(`<section id="sum"><h2>In short</h2><dl class="cards">`)
	card := func(label, value, more string) {
		p.raw("<div>")
		p.el("dt", label)
		p.el("dd", value)
		if more != "" {
			p.el(`dd class="more"`, more)
		}
		p.raw("</div>")
	}
	card("Wakes", num(s.wakes), "of "+num(s.humans)+" messages of yours; at most one each")
	card("Notes said", num(s.said[protocol.Blocker]+s.said[protocol.Concern]+s.said[protocol.Nit]),
		count(s.said[protocol.Blocker], "blocker")+", "+count(s.said[protocol.Concern], "concern")+", "+count(s.said[protocol.Nit], "nit"))
	card("Kept back", num(s.kept), "notes that did not pass")
	card("Reviews", num(s.reviews.n), num(s.outcomes["notes"])+" with notes, "+num(s.outcomes["silent"]+s.outcomes["prose"])+" silent, "+num(s.unanswered())+" without an answer")
	card("Turns", num(s.turns), "")
	card("Review time", ms(s.reviews.at(50)), "half of the reviews took less; 95 in 100 took "+ms(s.reviews.at(95))+" or less")
	card("Tokens", short(s.reviews.in+s.reviews.out), short(s.reviews.in)+" in, of these "+short(s.reviews.cached)+" cached; "+short(s.reviews.out)+" out")
	if s.reviews.cost > 0 {
		card("Cost", budget.Dollars(s.reviews.cost), s.reviews.guess())
	}
	p.raw("</dl></section>")
}

// timeline tells what happened, in order. What belongs to one message of the person's is one part.
func (p *page) timeline(in Input) {
	p.raw(`<section id="timeline" tabindex="-1"><h2>Timeline</h2>`)
	lines := in.Lines
	if left := len(lines) - maxShown; left > 0 {
		p.el("p", "The "+num(left)+" oldest entries are counted above and not shown.")
		lines = lines[left:]
	}
	if len(lines) == 0 {
		p.el("p", "Nothing has happened yet. The advisor writes here after its first review.")
	}
	p.raw("<ol>")
	last := in.Session
	for _, l := range lines {
		p.entry(l, l.Session != last)
		last = l.Session
	}
	p.raw("</ol></section>")
}

// maxShown bounds the page: a browser gets slow with more, and nobody reads it.
const maxShown = 4_000

func (p *page) entry(l protocol.JournalLine, named bool) {
	kind := l.Kind
	if !slices.Contains([]string{"human", "turn", "review", "note", "withdrawn", "consult", "judge", "answer"}, kind) {
		return // of a later version
	}
	if kind == "withdrawn" || kind == "note" && l.Outcome != delivered {
		kind = "note kept"
	}
	p.raw(`<li class="`, kind, `">`)
	p.when(l.At)
	p.raw(" ")
	switch l.Kind {
	case "human":
		p.el("strong", "You wrote")
	case "turn":
		p.text("Turn " + num(l.Turn) + " ended: " + l.Outcome)
	case "review", "consult":
		what := "Review"
		if l.Kind == "consult" {
			what = "Consultation"
		}
		if l.Advisor != "" {
			what += " by " + l.Advisor
		}
		p.text(what + ": " + sentence(reviews, l.Outcome))
		p.el(`span class="more"`, " "+ms(l.MS)+", "+count(l.Requests, "request")+", "+short(l.In)+" tokens in, "+short(l.Out)+" out, "+l.Model)
	case "note", "withdrawn":
		p.note(l)
	case "judge":
		p.text("Permission judge: " + sentence(decisions, l.Outcome))
	case "answer":
		p.text("You answered an ask: the judge " + l.Outcome)
	}
	if named {
		p.raw(" ")
		p.el(`code class="more"`, l.Session)
	}
	p.raw("</li>\n")
}

func (p *page) note(l protocol.JournalLine) {
	if l.Severity.Rank() > 0 {
		p.el(`span class="tag `+string(l.Severity)+`"`, string(l.Severity))
	} else {
		p.el(`span class="tag"`, "note")
	}
	if l.Wake == woke {
		p.raw(" ")
		p.el(`span class="tag wake"`, "woke the agent")
	}
	if l.Where != "" {
		p.raw(" ")
		p.el("code", l.Where)
	}
	p.raw("<p>")
	p.text(l.Text)
	p.raw(`</p><p class="more">`)
	if l.Outcome == delivered {
		p.text("said")
	} else {
		if l.Kind == "withdrawn" {
			p.text("the host had held it back, and it was not said: ")
		} else {
			p.text("kept back: ")
		}
		p.text(sentence(fates, l.Outcome))
	}
	if l.Claimed != "" && l.Claimed != l.Severity {
		p.text("; the reviewer called it a " + string(l.Claimed))
	}
	if l.Advisor != "" {
		p.text("; from " + l.Advisor)
	}
	if l.Wake != "" && l.Wake != woke {
		p.text("; did not wake: " + sentence(wakes, l.Wake))
	}
	p.text("; ")
	p.el("code", l.Note)
	p.raw("</p>")
}

func (p *page) dropped(s *sums) {
	p.raw(`<section id="dropped"><h2>Kept back, by reason</h2>`)
	if len(s.fates) == 0 {
		p.raw("<p>No note was kept back.</p></section>")
		return
	}
	p.raw(`<div class="wide" tabindex="0" role="region" aria-label="Kept back, by reason"><table><thead><tr><th scope="col">Reason</th><th scope="col">What it means</th><th scope="col" class="n">Notes</th><th scope="col"><span class="hidden">Share</span></th></tr></thead><tbody>`)
	for _, r := range byCount(s.fates) {
		p.raw(`<tr><th scope="row">`)
		p.el("code", r.name)
		p.raw("</th>")
		p.el("td", fates[r.name])
		p.el(`td class="n"`, num(r.n))
		p.raw(`<td><span class="bar" style="width:`, num(max(1, r.n*100/s.kept)), `%"></span></td></tr>`)
	}
	p.raw("</tbody></table></div></section>")
}

func (p *page) cost(s *sums) {
	p.raw(`<section id="cost"><h2>Cost and time</h2>`)
	if len(s.models) == 0 {
		p.raw("<p>No model has been asked yet.</p></section>")
		return
	}
	p.raw(`<div class="wide" tabindex="0" role="region" aria-label="Cost and time, by model"><table><thead><tr><th scope="col">Model</th><th scope="col">For</th><th scope="col" class="n">Calls</th><th scope="col" class="n">Requests</th><th scope="col" class="n">Tokens in</th><th scope="col" class="n">Cached</th><th scope="col" class="n">Out</th><th scope="col" class="n">Cost</th><th scope="col" class="n">Median</th><th scope="col" class="n">95 % within</th></tr></thead><tbody>`)
	for _, m := range s.models {
		p.raw(`<tr><th scope="row">`)
		p.el("code", m.model)
		p.raw("</th>")
		p.el("td", m.kind)
		cost := "unknown"
		if m.cost > 0 {
			cost = budget.Dollars(m.cost)
		}
		for _, cell := range []string{num(m.n), num(m.requests), short(m.in), short(m.cached), short(m.out), cost, ms(m.at(50)), ms(m.at(95))} {
			p.el(`td class="n"`, cell)
		}
		p.raw("</tr>")
	}
	p.raw("</tbody></table></div>")
	p.raw(`<h3>How reviews ended</h3><div class="wide" tabindex="0" role="region" aria-label="How reviews ended"><table><tbody>`)
	for _, r := range byCount(s.outcomes) {
		p.raw(`<tr><th scope="row">`)
		p.el("code", r.name)
		p.raw("</th>")
		p.el("td", reviews[r.name])
		p.el(`td class="n"`, num(r.n))
		p.raw("</tr>")
	}
	p.raw("</tbody></table></div></section>")
}

func (p *page) judge(s *sums) {
	p.raw(`<section id="judge"><h2>Permission judge</h2>`)
	asks := s.asks["allow"] + s.asks["deny"] + s.asks["ask"]
	if asks == 0 {
		p.raw("<p>It has judged nothing: it is off, or there was no ask.</p></section>")
		return
	}
	p.el("p", "It judged "+count(asks, "ask")+": "+num(s.asks["allow"])+" to be allowed, "+num(s.asks["deny"])+" to be denied, and "+num(s.asks["ask"])+" left to you.")
	if n := s.answers["agreed"] + s.answers["disagreed"]; n > 0 {
		p.el("p", "Where you decided as well, it would have done the same in "+num(s.answers["agreed"])+" of "+count(n, "case")+".")
	}
	p.raw("</section>")
}

type row struct {
	name string
	n    int
}

// byCount gives counters, the largest first.
func byCount(counts map[string]int) (rows []row) {
	for name, n := range counts {
		rows = append(rows, row{name, n})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.name, b.name)) })
	return rows
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return num(n) + " " + what + "s"
}

func num(n int) string { return strconv.Itoa(n) }

// short writes a number of tokens as people say it.
func short(n int64) string {
	switch {
	case n >= 10_000_000:
		return strconv.FormatInt(n/1_000_000, 10) + "M"
	case n >= 10_000:
		return strconv.FormatInt(n/1_000, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}

// ms writes a duration.
func ms(n int64) string {
	if n < 1_000 {
		return strconv.FormatInt(n, 10) + " ms"
	}
	return strconv.FormatInt(n/1_000, 10) + "." + strconv.FormatInt(n%1_000/100, 10) + " s"
}
