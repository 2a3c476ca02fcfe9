package tools

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

//go:embed advise.md
var adviseDoc string

// AdviseName is the tool by which the reviewer speaks.
const AdviseName = "advise"

const adviseSchema = `{"type":"object","properties":{` +
	`"note":{"type":"string","description":"What is wrong and what to do, in one to three sentences"},` +
	`"severity":{"type":"string","enum":["nit","concern","blocker"]},` +
	`"category":{"type":"string","description":"One word: bug, security, goal, test, style ..."},` +
	`"verdict":{"type":"string","enum":["confirmed","refuted","uncertain"]},` +
	`"citations":{"type":"array","maxItems":5,"items":{"type":"object","properties":{` +
	`"kind":{"type":"string","enum":["quote","absence","command"]},` +
	`"path":{"type":"string"},"line":{"type":"integer","minimum":1},` +
	`"quote":{"type":"string","description":"1 to 12 lines, verbatim"},` +
	`"pattern":{"type":"string","description":"absence: what a search does not find"},` +
	`"glob":{"type":"string","description":"absence: in which files"},` +
	`"call":{"type":"string","description":"command: id of the tool call"},` +
	`"excerpt":{"type":"string","description":"command: words of its output"},` +
	`"fact":{"type":"string","description":"What this shows"}` +
	`},"required":["kind","fact"]}},` +
	`"suggestedPatch":{"type":"string","description":"Unified diff"}` +
	`},"required":["note","severity","verdict"]}`

const (
	// MaxCitations is how many citations a note may have; further ones are left out.
	MaxCitations = 5
	// maxField bounds each text of a note, in bytes; what is delivered is cut
	// further by the guard.
	maxField = 16 << 10
	// maxCategory bounds the one word of a category.
	maxCategory = 24
)

var severities = map[string]protocol.Severity{
	"nit": protocol.Nit, "info": protocol.Nit, "note": protocol.Nit, "minor": protocol.Nit, "low": protocol.Nit, "suggestion": protocol.Nit, "nitpick": protocol.Nit,
	"concern": protocol.Concern, "warning": protocol.Concern, "warn": protocol.Concern, "medium": protocol.Concern, "major": protocol.Concern, "risk": protocol.Concern,
	"blocker": protocol.Blocker, "blocking": protocol.Blocker, "critical": protocol.Blocker, "high": protocol.Blocker, "error": protocol.Blocker, "severe": protocol.Blocker,
}

var verdicts = map[string]protocol.Verdict{
	"confirmed": protocol.Confirmed, "confirm": protocol.Confirmed, "verified": protocol.Confirmed, "true": protocol.Confirmed, "yes": protocol.Confirmed,
	"refuted": protocol.Refuted, "refute": protocol.Refuted, "false": protocol.Refuted, "no": protocol.Refuted, "rejected": protocol.Refuted, "disproved": protocol.Refuted,
	"uncertain": protocol.Uncertain, "unsure": protocol.Uncertain, "unknown": protocol.Uncertain, "unclear": protocol.Uncertain, "maybe": protocol.Uncertain, "unverified": protocol.Uncertain,
}

// ParseAdvise reads the arguments of advise into a note, without an id and with
// its citations unchecked. Severity defaults to nit, the mildest. Errors are for
// the model: they name the field and what it takes.
func ParseAdvise(raw []byte) (protocol.Note, error) {
	a, err := parseArgs(raw)
	if err != nil {
		return protocol.Note{}, err
	}
	if a, err = unwrapNote(a); err != nil {
		return protocol.Note{}, err
	}
	var n protocol.Note
	if n.Text, err = a.field("note", "text", "message", "advice", "comment", "body", "description", "content"); err != nil {
		return n, err
	}
	n.Severity = protocol.Nit
	if err := oneOf(a, severities, &n.Severity, "nit, concern or blocker", "severity", "level", "priority"); err != nil {
		return n, err
	}
	if err := oneOf(a, verdicts, &n.Verdict, "confirmed, refuted or uncertain", "verdict", "conclusion"); err != nil {
		return n, err
	}
	category, err := a.field("category", "type", "kind", "tag")
	if err != nil {
		return n, err
	}
	n.Category = oneWord(category)
	if n.Patch, err = a.field("suggestedpatch", "patch", "suggestedfix", "diff", "fix"); err != nil {
		return n, err
	}
	if n.Citations, err = citations(a); err != nil {
		return n, err
	}
	if n.Text == "" && n.Verdict != protocol.Refuted {
		return n, errors.New(`"note" is missing; say in one to three sentences what is wrong and what to do`)
	}
	return n, nil
}

// unwrapNote accepts {"note": {...}} and {"notes": [{...}]}.
func unwrapNote(a args) (args, error) {
	for _, name := range []string{"note", "notes", "advice"} {
		v, ok := a[name]
		if !ok || v.kind != jsonparser.Object && v.kind != jsonparser.Array {
			continue
		}
		items := v.items()
		if len(items) != 1 {
			return nil, fmt.Errorf("%q must be one text, and is a list of %d; call advise once for each note", v.name, len(items))
		}
		if items[0].kind == jsonparser.Object {
			return parseArgs(items[0].raw)
		}
	}
	return a, nil
}

// field reads a text, trimmed and bounded; absent is empty.
func (a args) field(names ...string) (string, error) {
	text, _, err := a.text(names...)
	if err != nil {
		return "", err
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	return string(clip([]byte(strings.TrimSpace(text)), maxField)), nil
}

// oneOf reads one of a few words into to, which keeps its value when there is none.
func oneOf[T any](a args, words map[string]T, to *T, allowed string, names ...string) error {
	v, ok := a.find(names)
	if !ok {
		return nil
	}
	text := string(v.raw)
	if v.kind != jsonparser.Boolean {
		var err error
		if text, err = v.text(); err != nil {
			return err
		}
	}
	got, known := words[strings.ToLower(strings.Trim(text, " \t\n\"'`.!*"))]
	if !known {
		return v.wrong(allowed + ", and is " + quoteShort(text))
	}
	*to = got
	return nil
}

// oneWord keeps the first word of a category, in lower case.
func oneWord(text string) string {
	word := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
	if len(word) == 0 {
		return ""
	}
	return string(clip([]byte(word[0]), maxCategory))
}

// citations reads the list, a single one, a list that was written as a text,
// the older name "evidence", or the fields of one that stand beside the note.
func citations(a args) ([]protocol.Citation, error) {
	v, ok := a.find([]string{"citations", "citation", "evidence", "evidences", "proof", "references"})
	if !ok {
		return flatCitation(a)
	}
	if v.kind == jsonparser.String {
		if text, err := v.text(); err == nil {
			text = strings.TrimSpace(text)
			if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
				raw, kind, _, err := jsonparser.Get([]byte(text))
				if err != nil {
					return nil, v.wrong("a list of objects, and is a text that is not JSON")
				}
				v = value{v.name, raw, kind}
			}
		}
	}
	var list []protocol.Citation
	for i, item := range v.items() {
		c, err := citation(item)
		if err != nil {
			return nil, fmt.Errorf("citation %d: %w", i+1, err)
		}
		if c.Kind == "" {
			continue // an empty object: the model had nothing to put there
		}
		if len(list) < MaxCitations {
			list = append(list, c)
		}
	}
	return list, nil
}

func flatCitation(a args) ([]protocol.Citation, error) {
	delete(a, "kind") // beside a note, this is its category
	delete(a, "text") // and this its text
	if _, ok := a.find([]string{"path", "file", "filepath", "quote", "pattern", "excerpt"}); !ok {
		return nil, nil
	}
	c, err := citationOf(a)
	if err != nil {
		return nil, err
	}
	return []protocol.Citation{c}, nil
}

func citation(v value) (protocol.Citation, error) {
	switch v.kind {
	case jsonparser.String:
		text, err := v.text()
		if err != nil {
			return protocol.Citation{}, err
		}
		return citationText(text), nil
	case jsonparser.Object:
		a, err := parseArgs(v.raw)
		if err != nil {
			return protocol.Citation{}, err
		}
		return citationOf(a)
	}
	return protocol.Citation{}, errors.New("must be an object with kind, path, line, quote and fact, and is " + kindName(v.kind))
}

// citationText reads "src/db.ts:45: returns null"; it counts as the older form.
func citationText(text string) protocol.Citation {
	c := protocol.Citation{Kind: protocol.CiteLegacy, Fact: strings.TrimSpace(text)}
	place, fact, _ := strings.Cut(strings.TrimSpace(text), " ")
	place = strings.TrimRight(place, ":,")
	if path, line := splitPlace(place); line > 0 {
		c.Path, c.Line, c.Fact = path, line, strings.TrimSpace(fact)
	}
	return c
}

// splitPlace takes path:45, path:45-47 and path#L45 apart; line 0 when it is a plain path.
func splitPlace(place string) (path string, line int) {
	cut := strings.LastIndexAny(place, ":#")
	if cut < 1 {
		return place, 0
	}
	from, _, ok := parseRange(place[cut+1:])
	if !ok {
		return place, 0
	}
	path = place[:cut]
	if other, earlier := splitPlace(path); earlier > 0 { // path:line:column
		return other, earlier
	}
	return path, from
}

func citationOf(a args) (protocol.Citation, error) {
	var c protocol.Citation
	fields := []struct {
		into  *string
		names []string
	}{
		{&c.Path, []string{"path", "file", "filepath", "filename"}},
		{&c.Fact, []string{"fact", "observedfact", "observation", "claim", "shows", "explanation"}},
		{&c.Pattern, []string{"pattern", "regex", "search", "query"}},
		{&c.Glob, []string{"glob", "include", "files"}},
		{&c.Call, []string{"call", "callid", "toolcallid", "toolcall", "id"}},
		{&c.Excerpt, []string{"excerpt", "output"}},
	}
	var err error
	for _, f := range fields {
		if *f.into, err = a.field(f.names...); err != nil {
			return c, err
		}
	}
	if c.Quote, _, err = a.text("quote", "snippet", "code", "text", "lines"); err != nil {
		return c, err
	}
	// The quote keeps its indentation: white space is compared elsewhere.
	c.Quote = string(clip([]byte(strings.ToValidUTF8(strings.Trim(c.Quote, "\r\n"), "\ufffd")), maxField))
	if c.Line, err = lineOf(a); err != nil {
		return c, err
	}
	if path, line := splitPlace(c.Path); line > 0 {
		if c.Path = path; c.Line == 0 {
			c.Line = line
		}
	}
	kind, err := a.field("kind", "type")
	if err != nil {
		return c, err
	}
	c.Kind, err = kindOfCitation(c, strings.ToLower(kind))
	return c, err
}

func lineOf(a args) (int, error) {
	v, ok := a.find([]string{"line", "startline", "linenumber", "linestart", "start"})
	if !ok {
		return 0, nil
	}
	if text, err := v.text(); err == nil {
		if from, _, ok := parseRange(text); ok {
			return from, nil
		}
		if strings.TrimSpace(text) == "" || text == "0" {
			return 0, nil
		}
	}
	n, err := v.number()
	if err != nil {
		return 0, err
	}
	return max(n, 0), nil
}

// kindOfCitation goes by what the citation has; the kind it names decides only
// where that leaves a choice.
func kindOfCitation(c protocol.Citation, named string) (protocol.CitationKind, error) {
	blank := c
	blank.Line, blank.Kind = 0, ""
	switch {
	case blank == protocol.Citation{}:
		return "", nil
	case c.Pattern != "" && (named == "absence" || c.Quote == "" && c.Path == ""):
		return protocol.CiteAbsence, nil
	case c.Excerpt != "" && (named == "command" || c.Path == ""):
		return protocol.CiteCommand, nil
	case c.Path != "" && strings.TrimSpace(c.Quote) != "":
		return protocol.CiteQuote, nil
	case named == "absence":
		return "", errors.New(`an absence needs "pattern": what a search does not find`)
	case named == "command":
		return "", errors.New(`a command needs "call" and "excerpt": the id of the tool call and words of its output`)
	case c.Path != "":
		return protocol.CiteLegacy, nil
	case c.Quote != "":
		return "", errors.New(`a quote needs "path": the file that it is from, relative to the workspace`)
	}
	return "", fmt.Errorf("needs a path, line and quote, or a pattern, or a call and excerpt; it has only %s", strconv.Quote(string(clip([]byte(c.Fact+c.Call+c.Glob), 60))))
}
