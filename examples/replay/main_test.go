package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// outside is a host that keeps the recording.
type outside struct {
	protocol.Files
	lines strings.Builder
}

func (o *outside) Send(protocol.HTTPSend) protocol.Errno { return protocol.OK }
func (o *outside) Cancel(string)                         {}
func (o *outside) Interrupted()                          {}
func (o *outside) Emit(l protocol.Log) {
	if l.Level == protocol.LevelRecord {
		o.lines.WriteString(l.Text + "\n")
	}
}

// recording is one of a start, a step and a command.
func recording(t *testing.T) string {
	t.Helper()
	o := &outside{Files: memfs.New("/work")}
	e := engine.New(o)
	queue := []protocol.Event{&protocol.Init{ABI: protocol.ABIVersion, Version: "1.2.3", Host: "harness", Seed: strings.Repeat("ab", 32), Directory: "/work", Root: "/work", ConfigHome: "/home/.config"},
		&protocol.User{Session: "s", ID: "m", Text: "go on", Typed: true, Created: 1}, &protocol.StepEnd{Session: "s", Message: "a"},
		&protocol.Command{Session: "s", Call: "k", Name: "advisor", Text: "notes"}}
	for now := int64(1); len(queue) > 0; now++ {
		out, _ := protocol.DecodeOutcome(e.Call(protocol.AppendBatch(nil, protocol.Batch{Now: now, Events: queue})))
		queue = nil
		for _, ef := range out.Effects {
			switch ef := ef.(type) {
			case *protocol.Need:
				p := &protocol.Provided{ID: ef.ID}
				for _, path := range ef.Files {
					if strings.HasSuffix(path, "/advisor.json") {
						p.Files = append(p.Files, protocol.File{Path: path, Text: `{"record": true}`, Exists: true})
					}
				}
				queue = append(queue, p)
			case *protocol.Load:
				queue = append(queue, &protocol.Loaded{Session: ef.Session, Reviewer: true})
			}
		}
	}
	return o.lines.String()
}

func TestARecordingIsReplayed(t *testing.T) {
	text := recording(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	same := write("same.jsonl", text)
	changed := write("changed.jsonl", strings.Replace(text, "No notes in this session yet.", "No notes.", 1))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{same}, 0, "recorded by 1.2.3"},
		{[]string{same}, 0, "every decision is the same"},
		{[]string{changed}, 1, "].text: recorded"},
		{[]string{"main.go"}, 2, "line 1 is no line of a recording"},
		{[]string{"nowhere"}, 2, "nowhere"},
		{nil, 2, "usage: replay FILE"},
	} {
		var out, complaints strings.Builder
		if code := run(c.args, &out, &complaints); code != c.code || !strings.Contains(out.String()+complaints.String(), c.says) {
			t.Errorf("%q: code %d, %s%s", c.args, code, out.String(), complaints.String())
		}
	}
}
