package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxBadRun is how many invalid tool calls in a row are a loop: a model that can mend its call does so by the
// second or third.
const maxBadRun = 3

// cutOff tells whether the error of a call relabelled "invalid" says that the arguments end too early, as they
// do when the output cap cuts them. Arguments that are wrong in their middle, a wrong type and an unknown tool are
// the model's mistake, which it can mend. An error that says nothing counts as cut off: better a loud end than
// a silent loop.
func cutOff(message string) bool {
	if strings.TrimSpace(message) == "" {
		return true
	}
	if !strings.Contains(strings.ToLower(message), "json pars") {
		return false
	}
	_, text, ok := strings.Cut(message, "Text: ")
	if !ok {
		return true
	}
	if i := strings.LastIndex(text, "\nError message:"); i >= 0 {
		text = strings.TrimSuffix(text[:i], ".") // the sentence's own full stop
	}
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		_, err := dec.Token()
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return true
		}
		return false
	}
}

// truncated reports that the output cap cut the model off, with what was seen of it.
func (s *stream) truncated(limit int) (detail string, yes bool) {
	if s.invalid == 0 && s.lengths == 0 {
		return "", false
	}
	detail = fmt.Sprintf("the model's output was cut off by the cap of %d output tokens (MaxOutputTokens): "+
		"%d tool call(s) with cut-off arguments, %d step(s) ended with reason \"length\"", limit, s.invalid, s.lengths)
	if s.cutoff > 0 {
		detail += fmt.Sprintf(", at %d output tokens", s.cutoff)
	}
	return detail, true
}

// stuck reports a loop of invalid tool calls that has another cause than the cap.
func (s *stream) stuck() bool { return s.badRun >= maxBadRun }
