package corpus

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/engine"
	"github.com/Kayphoon/opencode-advisor/pkg/memfs"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// outside keeps requests and the recording.
type outside struct {
	protocol.Files
	sent      []protocol.HTTPSend
	recording strings.Builder
}

func (o *outside) Send(r protocol.HTTPSend) protocol.Errno {
	o.sent = append(o.sent, r)
	return protocol.OK
}
func (o *outside) Cancel(string) {}
func (o *outside) Interrupted()  {}
func (o *outside) Emit(l protocol.Log) {
	if l.Level == protocol.LevelRecord {
		o.recording.WriteString(l.Text + "\n")
	}
}

// Every secret of the corpus goes in by every way: typed, said, printed by a command, read from a file by the
// reviewer, in the config. None of them is in the recording, and the recording decides the same.
func TestNoSecretIsInARecording(t *testing.T) {
	cases, err := secretCases("../../testdata/corpus/redaction")
	if err != nil {
		t.Fatal(err)
	}
	const key = "sk-person-0123456789abcdefghij"
	disk := memfs.New("/work")
	o := &outside{Files: disk}
	e := engine.New(o)
	now := int64(1_700_000_000_000)
	send := func(events ...protocol.Event) {
		for len(events) > 0 {
			now += 100
			out, _ := protocol.DecodeOutcome(e.Call(protocol.AppendBatch(nil, protocol.Batch{Now: now, Events: events})))
			events = nil
			for _, ef := range out.Effects {
				switch ef := ef.(type) {
				case *protocol.Need:
					p := &protocol.Provided{ID: ef.ID}
					for _, path := range ef.Files {
						if strings.HasSuffix(path, "opencode/advisor.json") {
							p.Files = append(p.Files, protocol.File{Path: path, Exists: true, Text: `{"record": true, "debounceMs": 0, "watchdogModel": "fake/reviewer", "provider": {"baseURL": "http://127.0.0.1:9/v1", "apiKey": "` + key + `"}}`})
						}
					}
					events = append(events, p)
				case *protocol.Load:
					events = append(events, &protocol.Loaded{Session: ef.Session, Reviewer: true})
				case *protocol.Heed:
					events = append(events, &protocol.Heard{ID: ef.ID})
				case *protocol.SignalsWanted:
					events = append(events, &protocol.Signals{Session: ef.Session, ID: ef.ID})
				}
			}
		}
	}
	reply := func(message map[string]any) {
		body, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"message": message}}, "usage": map[string]any{"prompt_tokens": 100, "completion_tokens": 9}})
		if err != nil {
			t.Fatal(err)
		}
		send(&protocol.HTTP{ID: o.sent[len(o.sent)-1].ID, Status: 200, Body: string(body)})
	}
	send(&protocol.Init{ABI: protocol.ABIVersion, Host: "harness", Seed: strings.Repeat("ab", 32), Directory: "/work", Root: "/work", Home: "/home", ConfigHome: "/home/.config", DataHome: "/home/.local/share"})
	for i, c := range cases {
		name := fmt.Sprintf("notes%03d.txt", i)
		disk.Write(name, c.text)
		id := fmt.Sprint("t", i)
		send(&protocol.User{Session: "s", ID: fmt.Sprint("m", i), Text: "Look at this:\n" + c.text, Typed: true, Created: int64(i + 1)},
			&protocol.Text{Session: "s", Message: id, Text: c.text},
			&protocol.Tool{Session: "s", Message: id, Call: fmt.Sprint("c", i), Name: "bash", Input: `{"command":"cat x"}`, Output: c.text, HasExit: true},
			&protocol.StepEnd{Session: "s", Message: id})
		reply(map[string]any{"tool_calls": []any{map[string]any{"id": "r", "type": "function", "function": map[string]any{"name": "read", "arguments": `{"path":"` + name + `"}`}}}})
		reply(map[string]any{"content": "silent"})
	}
	text := o.recording.String()
	if len(o.sent) != 2*len(cases) || !strings.Contains(text, "notes000.txt") {
		t.Fatalf("%d requests for %d cases", len(o.sent), len(cases))
	}
	for _, c := range cases {
		for _, secret := range c.secrets {
			if leak(text, secret) != "" || strings.Contains(text, strings.Trim(string(protocol.AppendString(nil, secret)), `"`)) {
				t.Errorf("%s: the recording holds a secret", c.name)
			}
		}
	}
	if strings.Contains(text, key) {
		t.Error("the recording holds the person's key")
	}
	done, err := engine.Replay(text)
	if err != nil || done.Different != "" {
		t.Errorf("the replay decides otherwise: %s (%v)", done.Different, err)
	}
}
