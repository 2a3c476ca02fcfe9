package opencode

// Parse extracts the files that a run named and the assistant's text from OpenCode's line-delimited event
// stream. It needs no schema: every JSON object is walked, strings under file- and path-shaped keys are
// files (in order, each once), those under "text" keys of what is not a tool's event are text. Other text in
// the stream is passed over. Files that were only read are in the list; WriteToolFiles has the authored
// ones. When the schema drifts and nothing is recognised, the results are empty: git knows what changed.
//
// At most 10,000 files and 4 MiB of text are returned.
func Parse(stdout []byte) (files []string, text string) {
	s := parsed(stdout)
	return s.files.list, s.text.String()
}

// WriteToolFiles gives the files that a run authored by a write or edit tool, in order, each once. An event
// counts when a "tool" or "name" value in it is a write tool, at any depth; a call that failed or was refused
// authored nothing, and an event of a tool that only reads counts for nothing whatever it contains.
func WriteToolFiles(stdout []byte) []string { return parsed(stdout).written.list }

func parsed(stdout []byte) *stream {
	s := newStream()
	s.walker.write(stdout)
	s.walker.close()
	return s
}
