package e2e

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// Call is a reply that calls one tool.
func Call(name string, args map[string]any) modelserver.Reply {
	return modelserver.Reply{ToolCalls: []modelserver.ToolCall{{Name: name, Args: modelserver.Args(args)}}}
}

// Text is a reply in words.
func Text(text string) modelserver.Reply { return modelserver.Reply{Text: text} }

// Silent is the reviewer's answer when it has nothing (more) to say.
func Silent() modelserver.Reply { return Text("silent") }

// Write is the agent's call that writes a file, by OpenCode's names.
func Write(path, content string) modelserver.Reply {
	return Call("write", map[string]any{"filePath": path, "content": content})
}

// Read and Grep are calls of the reviewer's own tools.
func Read(path string) modelserver.Reply { return Call("read", map[string]any{"path": path}) }

// Grep searches the workspace.
func Grep(pattern string) modelserver.Reply { return Call("grep", map[string]any{"pattern": pattern}) }

// Finding is what the reviewer says.
type Finding struct {
	Note, Severity, Verdict, Category, Patch string
	Cites                                    []Cite
}

// Cite is a quote of a file.
type Cite struct {
	Path  string
	Line  int
	Quote string
	Fact  string
}

// CiteOf cites the first line of the content that holds the quote; no line when there is none.
func CiteOf(path, content, quote, fact string) Cite {
	before, _, found := strings.Cut(content, quote)
	if !found {
		return Cite{Path: path, Quote: quote, Fact: fact}
	}
	return Cite{Path: path, Line: 1 + strings.Count(before, "\n"), Quote: quote, Fact: fact}
}

// Advise is the reviewer's call that leaves a note.
func (f Finding) Advise() modelserver.Reply {
	cites := make([]any, len(f.Cites))
	for i, c := range f.Cites {
		cites[i] = map[string]any{"kind": "quote", "path": c.Path, "line": c.Line, "quote": c.Quote, "fact": c.Fact}
	}
	args := map[string]any{
		"note": f.Note, "severity": f.Severity, "verdict": f.Verdict, "category": f.Category, "citations": cites,
	}
	if f.Patch != "" {
		args["suggestedPatch"] = f.Patch
	}
	return Call("advise", args)
}
