package tools

import (
	_ "embed"
	"errors"
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
			return nil, errors.New(strconv.Quote(v.name) + " must be one text, and is a list of " + strconv.Itoa(len(items)) + "; call advise once for each note")
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
