package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

// judgeModel answers for the permission judge.
const judgeModel = "reviewer-judge"

// judges answers by the command that it is asked about, which is not that of earlier asks in the conversation.
func judges(_ context.Context, r modelserver.Request) modelserver.Reply {
	for command, reply := range map[string]modelserver.Reply{
		"./fine.sh": {Text: "ALLOW\nit fits what the person asked for"},
		"./bad.sh":  {Text: "DENY: nobody asked for that"},
		"./slow.sh": {Hang: true},
	} {
		if strings.Contains(string(r.Body), `\"command\":\"`+command+`\"`) {
			return reply
		}
	}
	return modelserver.Reply{Status: 500}
}

// judged is a line of the decision log.
type judged struct {
	SessionID, Action, Decision, Reason, Row, Reply, Prompt, Answer, Person string
	Metadata                                                                json.RawMessage
	Attempts                                                                int
	Latency                                                                 int64 `json:"latency_ms"`
	Late                                                                    bool
}

// TestJudgeInRealOpenCode lets the real host ask before every command, with the judge between it and the person.
func TestJudgeInRealOpenCode(t *testing.T) {
	ctx := deadline(t, 5*time.Minute)
	stage, err := Start(ctx, t.TempDir(), plugin, modelserver.Script{
		RequestCap: 500,
		Models:     map[string][]modelserver.Reply{agent: {{Directive: true}}},
		Play:       map[string]modelserver.Play{judgeModel: judges},
	}, []string{agent, judgeModel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	c := courtroom{cast{stage: stage, all: ctx, ctx: ctx}, filepath.Join(t.TempDir(), "log", "decisions.jsonl"), 0}
	settings := `{"watchdogModel": "test/` + judgeModel + `", "reviewInterval": 1000,
		"judge": {"model": "test/` + judgeModel + `", "timeout_ms": TIMEOUT, "log_path": "` + c.log + `"}}`
	putWhile(t, stage.AdvisorConfig(), strings.Replace(settings, "TIMEOUT", "60000", 1))

	scene := c.enter(t, "judged")
	t.Run("a safe command runs unattended", func(t *testing.T) {
		c.say(t, scene, "H1: look. [[bash ls src]]")
		c.wantLine(t, func(j judged) bool { return j.Decision == "allow" && j.Row == "safe-list" && j.Attempts == 0 })
		wantTool(t, c, scene, "completed", "db.ts")
	})
	t.Run("a dangerous one is denied, and the agent reads why and goes on", func(t *testing.T) {
		c.say(t, scene, "H2: write. [[bash touch ../outside.txt]]")
		c.wantLine(t, func(j judged) bool { return j.Decision == "deny" && j.Row == "write-outside" })
		wantTool(t, c, scene, "error", "Denied by rule write-outside")
		if _, err := os.Stat(filepath.Join(filepath.Dir(scene.Repo.Dir), "outside.txt")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the file is there: %v", err)
		}
		lines, err := scene.Lines(c.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if last := lines[len(lines)-1]; last.Who != Agent || !strings.HasPrefix(last.Text, "Done") {
			t.Errorf("the turn ended with %s, want the agent's own word", last)
		}
	})
	t.Run("the model decides what the floor does not", func(t *testing.T) {
		c.say(t, scene, "H3: deploy. [[bash ./fine.sh]]")
		line := c.wantLine(t, func(j judged) bool { return j.Decision == "allow" && j.Attempts == 1 })
		for _, part := range []string{"./fine.sh", "H3: deploy.", "ANSWER: begin your reply with ALLOW or DENY", scene.Repo.Dir} {
			if !strings.Contains(line.Prompt, part) {
				t.Errorf("the prompt in the log lacks %q", part)
			}
		}
		c.say(t, scene, "H4: deploy. [[bash ./bad.sh]]")
		c.wantLine(t, func(j judged) bool { return j.Decision == "deny" && j.Reason == "nobody asked for that" })
		wantTool(t, c, scene, "error", "nobody asked for that")
	})
	t.Run("the person who answers first wins, and is not asked again", func(t *testing.T) {
		c.answering(t, scene, "H5: slowly. [[bash ./slow.sh]]", "once")
		c.wantLine(t, func(j judged) bool {
			return j.Decision == "fallback-ask" && strings.HasPrefix(j.Reason, "answered before")
		})
		c.wantLine(t, func(j judged) bool { return j.Answer != "" && j.Person == "allow" })
		c.say(t, scene, "H6: again. [[bash ./slow.sh]]")
		c.wantLine(t, func(j judged) bool { return j.Decision == "allow" && j.Row == "approved-before" })
	})
	t.Run("the switch", func(t *testing.T) {
		c.command(t, scene, "OFF", "AI approval is off")
		c.answering(t, scene, "H7: look. [[bash ls]]", "once")
		c.wantNoLine(t)
		c.command(t, scene, "", "AI approval is on (test/"+judgeModel+")")
		c.say(t, scene, "H8: look. [[bash ls]]")
		c.wantLine(t, func(j judged) bool { return j.Decision == "allow" && j.Row == "safe-list" })
	})
	t.Run("a subagent's command", func(t *testing.T) {
		c.say(t, scene, `H9: delegate. [[task {"description": "look", "subagent_type": "general", "prompt": "H1: look. [[bash ls src]]"}]]`)
		c.wantLine(t, func(j judged) bool { return j.Decision == "allow" && j.Row == "safe-list" && j.SessionID != scene.ID })
	})

	// Another location reads the settings anew.
	if err := os.WriteFile(stage.AdvisorConfig(), []byte(strings.Replace(settings, "TIMEOUT", "1500", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	slow := c.enter(t, "timeout")
	t.Run("a model that hangs costs the deadline and the person is asked", func(t *testing.T) {
		said := make(chan error, 1)
		go func() { said <- slow.Say(c.ctx, "H1: slowly. [[bash ./slow.sh]]") }()
		id := c.asked(t, slow, 0)
		line := c.wantLine(t, func(j judged) bool { return j.Decision == "fallback-ask" })
		if line.Reason != "timed out after 1500 ms" || line.Latency > 1500 {
			t.Errorf("the log says %q after %d ms", line.Reason, line.Latency)
		}
		c.reply(t, slow, id, "reject")
		if err := <-said; err != nil {
			t.Fatal(err)
		}
		c.wantLine(t, func(j judged) bool { return j.Person == "deny" })
	})
	if info, err := os.Stat(c.log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v, %v; want mode 0600", info, err)
	}
}

// courtroom is a cast with a judge.
type courtroom struct {
	cast
	log  string
	read int // lines of the log that were looked at
}

func (c *courtroom) enter(t *testing.T, name string) *Scene {
	t.Helper()
	files := Example()
	for _, name := range []string{"fine.sh", "bad.sh", "slow.sh"} {
		files[name] = "#!/bin/sh\necho " + name + " ran\n"
	}
	scene, err := c.stage.Open(c.ctx, Setting{Name: name, Primary: agent, Spec: plugin, Options: map[string]any{},
		Config: map[string]any{"permission": map[string]string{"bash": "ask", "external_directory": "ask"}}, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

func (c *courtroom) lines(t *testing.T) (out []judged) {
	t.Helper()
	data, err := os.ReadFile(c.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var j judged
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			t.Fatalf("the log: %v in %s", err, line)
		}
		out = append(out, j)
	}
	return out
}

// wantLine waits for a line as it is looked for, and goes on behind it.
func (c *courtroom) wantLine(t *testing.T, found func(judged) bool) judged {
	t.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, 40*time.Second)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		all := c.lines(t)
		for i := c.read; i < len(all); i++ {
			if found(all[i]) {
				c.read = i + 1
				return all[i]
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the log has no such line behind line %d: %+v\nadvisor: %s", c.read, all, c.words())
		}
	}
}

func (c *courtroom) words() string {
	log, err := os.ReadFile(filepath.Join(c.stage.StateFolder(), "logs", "advisor.log"))
	return fmt.Sprint(tail(string(log)), err)
}

func (c *courtroom) wantNoLine(t *testing.T) {
	t.Helper()
	if all := c.lines(t); len(all) != c.read {
		t.Errorf("the log has lines that nobody wants: %+v", all[c.read:])
	}
}

// asked waits for an ask of the session behind the first n, and gives its id.
func (c *courtroom) asked(t *testing.T, scene *Scene, n int) string {
	t.Helper()
	var ids []string
	err := scene.hear(c.ctx, "a question", func() bool {
		ids = asks(scene)
		return len(ids) > n
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids[n]
}

func asks(scene *Scene) (ids []string) {
	for _, e := range scene.Heard() {
		var p struct{ ID, SessionID string }
		if e.Type == "permission.asked" && json.Unmarshal(e.Properties, &p) == nil && p.SessionID == scene.ID {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

func (c *courtroom) reply(t *testing.T, scene *Scene, id, reply string) {
	t.Helper()
	if err := scene.Call(c.ctx, "POST", "/permission/"+id+"/reply", map[string]string{"reply": reply}, nil); err != nil {
		t.Fatal(err)
	}
}

// answering says something and answers the ask that comes of it.
func (c *courtroom) answering(t *testing.T, scene *Scene, text, reply string) {
	t.Helper()
	before := len(asks(scene))
	said := make(chan error, 1)
	go func() { said <- scene.Say(c.ctx, text) }()
	c.reply(t, scene, c.asked(t, scene, before), reply)
	if err := <-said; err != nil {
		t.Fatal(err)
	}
}

// command runs /ai-approval. V1 puts the answer before the model, which repeats it to the person.
func (c *courtroom) command(t *testing.T, scene *Scene, args, want string) {
	t.Helper()
	body := map[string]string{"command": "ai-approval", "arguments": args, "model": "test/" + agent}
	if err := scene.Call(c.ctx, "POST", "/session/"+scene.ID+"/command", body, nil); err != nil {
		t.Fatal(err)
	}
	messages, err := scene.Messages(c.ctx, scene.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages[max(0, len(messages)-3):] {
		for _, p := range m.Parts {
			if strings.Contains(p.Text, want) {
				return
			}
		}
	}
	t.Errorf("/ai-approval %s: no message says %q", args, want)
}

// wantTool looks at the session's last tool call.
func wantTool(t *testing.T, c courtroom, scene *Scene, status, part string) {
	t.Helper()
	messages, err := scene.Messages(c.ctx, scene.ID)
	if err != nil {
		t.Fatal(err)
	}
	state := json.RawMessage(nil)
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type == "tool" {
				state = p.State
			}
		}
	}
	if toolStatus(state) != status || !strings.Contains(string(state), part) {
		t.Errorf("the last tool call: %s, want %s and %q", state, status, part)
	}
}
