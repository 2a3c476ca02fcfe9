package judge

// Explain says what the floor alone makes of an action, as the explain command
// prints it: where the floor has no row, the decision is ask with the row
// "model", since without a model's word the person is asked.
func Explain(a Action) Verdict {
	v := Floor(a)
	if v.Decision == None {
		return Verdict{Ask, "model", "no fixed rule speaks; the model decides, and without it you are asked"}
	}
	return v
}

// AppendJSON appends {"decision", "row", "reason"}.
func (v Verdict) AppendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendMember(b, "decision", string(v.Decision))
	b = appendMember(b, "row", v.Row)
	return append(appendMember(b, "reason", v.Reason), '}')
}

// ActionOf makes an action of what the explain command is given: the kind
// (bash, edit, write, read, webfetch or another), its one input (a command, a
// path, a URL), and the new content of an edit.
func ActionOf(kind, input, content string, place Place) Action {
	a := Action{Kind: kind, Content: content, Place: place}
	switch kind {
	case "bash", "shell":
		a.Command, a.Resources = input, []string{input}
	case "webfetch", "grep", "glob":
		a.Resources = []string{input}
	default:
		a.Path = input
	}
	return a
}
