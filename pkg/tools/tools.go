// Package tools is what a reviewing model may do: read, grep and glob in the
// workspace, and advise. Nothing here writes, runs or connects. A call takes
// the arguments as models really send them, never fails but with an answer that
// says what to do instead, and is bounded in time, memory and length; what is
// cut is marked as cut, with the way to see the rest. Beside each tool lies the
// Markdown that the model reads.
package tools

import (
	"sort"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// MaxAnswer is how long an answer may be, in bytes: with ten calls it leaves room for
// the delta in a context of 128,000 tokens.
const MaxAnswer = 32 << 10

// Result is the answer to one call. Error says that the call did not do what
// it was meant to; the text then says why and how to mend it.
type Result struct {
	Text  string
	Error bool

	spans []seenSpan // of files, in the text
	entry *cached    // that the text is remembered in
}

// Tool is one of the read-only tools.
type Tool struct {
	Name        string
	Description string // Markdown
	Schema      string // a JSON Schema object
	Run         func(env *Env, args []byte) Result
}

// Read, Grep and Glob are all there is.
var (
	Read = Tool{"read", readDoc, readSchema, runRead}
	Grep = Tool{"grep", grepDoc, grepSchema, runGrep}
	Glob = Tool{"glob", globDoc, globSchema, runGlob}
)

var all = []Tool{Read, Grep, Glob}

// Env is what the tools work on during one review or consultation.
type Env struct {
	Files       *safefs.FS
	Cache       *Cache         // of the session; nil remembers nothing
	Ledger      *safefs.Ledger // of the review; nil keeps none
	Scratch     *Scratch       // shared by all reviews of an engine; nil makes one
	Interrupted func()         // called every few thousand steps; may be nil
	// Redact takes secrets out of a text and keeps its line breaks; nil shows all. It sees
	// a file whole before a page is cut from it, so that a page from inside a key block
	// shows no key. Of a file larger than the buffer it sees pieces of the buffer's
	// size in a search and nothing in a read: the caller redacts answers as well. A text that
	// holds none is given back itself.
	Redact func([]byte) []byte
}

// Scratch is the one buffer that files are read into.
type Scratch struct{ buf []byte }

// scratchSize holds nearly every source file whole; longer ones pass through it
// in pieces. It stays well below the 1 MB that reading a huge file may allocate.
const scratchSize = 512 << 10

func (e *Env) buffer() []byte {
	if e.Scratch == nil {
		e.Scratch = &Scratch{}
	}
	if e.Scratch.buf == nil {
		e.Scratch.buf = make([]byte, scratchSize)
	}
	return e.Scratch.buf
}

func (e *Env) interrupted() {
	if e.Interrupted != nil {
		e.Interrupted()
	}
}

// Shown counts what an answer's first lines show of files as read. No tool does so by itself: an answer may be
// cut on its way to the model.
func (e *Env) Shown(r Result, lines int) {
	for _, s := range r.spans {
		if e.Ledger != nil {
			e.Ledger.Add(s.path, s.from, min(s.to, s.from+lines-s.at-1))
		}
	}
	if r.entry != nil {
		r.entry.full = lines >= strings.Count(r.Text, "\n")
	}
}

// Toolbox answers the calls of one review or consultation.
type Toolbox struct {
	env     *Env
	granted []Tool
	advises bool
}

// NewToolbox grants the named tools; unknown ones are left out. With advises
// the model may also advise, and in its last round do nothing else.
func NewToolbox(env *Env, names []string, advises bool) *Toolbox {
	b := &Toolbox{env: env, advises: advises}
	for _, tool := range all {
		for _, name := range names {
			if name == tool.Name {
				b.granted = append(b.granted, tool)
				break
			}
		}
	}
	return b
}

// Names lists the tools that can be granted, sorted.
func Names() []string {
	var names []string
	for _, tool := range all {
		names = append(names, tool.Name)
	}
	sort.Strings(names)
	return names
}

// Offer gives the definitions for a request.
func (b *Toolbox) Offer(last bool) []llm.Tool {
	var offer []llm.Tool
	if !last || !b.advises {
		for _, tool := range b.granted {
			offer = append(offer, llm.Tool{Name: tool.Name, Description: tool.Description, Schema: []byte(tool.Schema)})
		}
	}
	if b.advises {
		offer = append(offer, llm.Tool{Name: AdviseName, Description: adviseDoc, Schema: []byte(adviseSchema)})
	}
	return offer
}

// Run answers a call of a tool other than advise, with text for the model. Shown is to hear how many of the text's
// lines, from its first, the model got whole: those count as read.
func (b *Toolbox) Run(name string, args []byte) (text string, shown func(lines int)) {
	r := b.Call(name, args)
	return r.Text, func(lines int) { b.env.Shown(r, lines) }
}

// Call answers a call, and says whether it went well. Nothing counts as read yet.
func (b *Toolbox) Call(name string, args []byte) Result {
	for _, tool := range b.granted {
		if tool.Name == name {
			return tool.Run(b.env, args)
		}
	}
	var have []string
	for _, tool := range b.Offer(false) {
		have = append(have, tool.Name)
	}
	why := " is not one of your tools"
	for _, tool := range all {
		if tool.Name == name {
			why = " is not granted to you"
		}
	}
	if len(have) == 0 {
		return failed(safefs.Quote(name) + why + ": you have none; answer with what you know")
	}
	return failed(safefs.Quote(name) + why + ": you have " + strings.Join(have, ", ") + ", and nothing was run")
}

// Advise reads the arguments of advise. The error is for the model.
func (b *Toolbox) Advise(args []byte) (protocol.Note, error) { return ParseAdvise(args) }

func failed(text string) Result { return Result{Text: text, Error: true} }

func refuse(op string, err error) Result { return failed(op + ": " + err.Error()) }
