package tools

import (
	"errors"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

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
			return nil, explained{"citation " + strconv.Itoa(i+1) + ": ", err, ""}
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
	return "", errors.New("needs a path, line and quote, or a pattern, or a call and excerpt; it has only " + strconv.Quote(string(clip([]byte(c.Fact+c.Call+c.Glob), 60))))
}
