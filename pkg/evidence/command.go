package evidence

import (
	"sort"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// command looks an excerpt up in the output of the primary's command.
func (r *Resolver) command(c protocol.Citation) (protocol.Citation, Finding) {
	c.Call = strings.TrimSpace(c.Call)
	if reason := weak(c.Excerpt); reason != "" {
		return c, unknown(strings.Replace(reason, "of the file", "of the output", 1))
	}
	output, known := r.Commands[c.Call]
	if known {
		switch places := inOutput(output, c.Excerpt); {
		case places > maxPlaces:
			return c, unknown("the excerpt stands in more than 20 places of the output; quote more of it")
		case places > 0:
			c.Hash = hashText(normalize(plain(c.Excerpt)).text)
			return c, Finding{Status: protocol.CiteVerified}
		}
	}
	// The wrong id, or none: one output alone that has the excerpt settles it.
	var calls []string
	for call, output := range r.Commands {
		if places := inOutput(output, c.Excerpt); places > 0 && places <= maxPlaces {
			calls = append(calls, call)
		}
	}
	sort.Strings(calls)
	switch {
	case len(calls) == 1:
		c.Call = calls[0]
		c.Hash = hashText(normalize(plain(c.Excerpt)).text)
		return c, Finding{Status: protocol.CiteMoved}
	case len(calls) > 1:
		return c, unknown("several commands printed the excerpt; name the tool call that you mean")
	case known:
		return c, Finding{Status: protocol.CiteContradicted, Reason: "the command did not print the excerpt"}
	}
	return c, Finding{Status: protocol.CiteMissing, Reason: "there is no such tool call here, and no command printed the excerpt"}
}

// inOutput counts the places of an excerpt in an output, up to maxPlaces+1.
func inOutput(output, excerpt string) int {
	form := normalize(plain(output))
	return len(findIn(&form, plain(excerpt)))
}

// plain takes terminal escapes (CSI and OSC) out of a command's output.
func plain(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != 0x1b {
			out = append(out, text[i])
			continue
		}
		if i+1 >= len(text) {
			break
		}
		switch i++; text[i] {
		case '[':
			for i++; i < len(text) && (text[i] < 0x40 || text[i] > 0x7e); i++ {
			}
		case ']':
			for i++; i < len(text) && text[i] != 0x07 && text[i] != 0x1b; i++ {
			}
			if i+1 < len(text) && text[i] == 0x1b && text[i+1] == '\\' {
				i++
			}
		}
	}
	return string(out)
}
