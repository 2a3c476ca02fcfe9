package e2epi

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/e2e"
	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
)

const (
	agent    = "m1"
	reviewer = "reviewer"
	adviser  = "adviser"
)

const (
	greetPath = "src/greet.js"
	greetText = "export const g = (n) => `Hello ${n}`\n"
	payPath   = "src/pay.js"
	payText   = "export function refund(user, amount) {\n  user.balance -= amount\n}\n"
)

func finding(severity, path, text, quote, note string) modelserver.Reply {
	return e2e.Finding{
		Note: note, Severity: severity, Verdict: "confirmed", Category: "bug",
		Cites: []e2e.Cite{e2e.CiteOf(path, text, quote, "the line says so")},
	}.Advise()
}

var (
	nit     = finding("nit", greetPath, greetText, "const g", "g tells nobody what it does: call it greet.")
	concern = finding("concern", payPath, payText, "user.balance -= amount", "refund takes a negative amount as a payment and nothing stops it.")
	blocker = finding("blocker", payPath, payText, "user.balance -= amount", "refund subtracts from the balance where it must add: every refund charges the customer twice.")
	second  = finding("blocker", payPath, payText, "export function refund", "refund throws for a user that was deleted meanwhile and loses the rest of the batch.")
)

func script() modelserver.Script {
	silent := e2e.Silent()
	return modelserver.Script{RequestCap: 500, Models: map[string][]modelserver.Reply{
		agent: {{Every: &modelserver.Reply{Match: "<conversation>", Text: "## Goal\nSUMMARY of the work."}}, {Directive: true}},
		reviewer: {
			silent,
			e2e.Read(greetPath), nit, silent,
			e2e.Read(payPath), concern, silent,
			e2e.Read(payPath), blocker, silent,
			e2e.Read(payPath), second, silent, // of the turn that the blocker woke
			{Every: &silent},
		},
		adviser: {
			{Every: &modelserver.Reply{Match: "which store", Text: "Keep the map: nothing here outlives the process."}},
			{Every: &modelserver.Reply{Match: "never answers", Hang: true}},
			{Every: &modelserver.Reply{Match: "through the host", Text: "Reached."}},
		},
	}}
}

const advisorJSON = `{
  // the cheap one reads along
  "watchdogModel": "test/reviewer",
  "reviewMode": "idle",
  "consult": { "model": "test/adviser", "maxTokens": 2000 }, // the strong one is asked
}
`

// installed is the folder of the packed package as a person has it.
func installed(t *testing.T, ctx context.Context) string {
	t.Helper()
	dir := t.TempDir()
	checkout, err := hosts.Root()
	if err != nil {
		t.Fatal(err)
	}
	tarball, err := e2e.Pack(ctx, checkout, dir)
	if err != nil {
		t.Fatal(err)
	}
	extension, err := e2e.Install(ctx, tarball, filepath.Join(dir, "somebody"))
	if err != nil {
		t.Fatal(err)
	}
	return extension
}

func TestInRealPi(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	extension := installed(t, ctx)
	bun, err := hosts.Bun(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, runtime := range map[string]string{"node": "node", "bun": bun} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t, ctx, extension, runtime)
		})
	}
}

// stage is one pi with its model server.
type stage struct {
	t       *testing.T
	ctx     context.Context
	project *hosts.Project
	model   *modelserver.Server
	options hosts.PiOptions
	pi      *hosts.PiRun
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) start(args ...string) {
	s.t.Helper()
	s.options.Args = args
	pi, err := s.project.StartPi(s.ctx, s.options)
	s.must(err)
	s.pi = pi
	s.t.Cleanup(pi.Close)
	// A loaded machine takes seconds to start the guest; until then a command says so.
	for !abled.MatchString(s.command("/advisor status")) {
		s.must(s.ctx.Err())
	}
}

func (s *stage) say(text string) {
	s.t.Helper()
	s.must(s.pi.Prompt(s.ctx, text))
}

// abled is how a status begins.
var abled = regexp.MustCompile(`^(enabled|disabled)`)

// command runs a slash command and gives what it notified.
func (s *stage) command(text string) string {
	s.t.Helper()
	_, err := s.pi.Command(s.ctx, map[string]any{"type": "prompt", "message": text})
	s.must(err)
	for _, said := range slices.Backward(s.notified()) {
		if !alert.MatchString(said) {
			return said
		}
	}
	s.t.Fatalf("%s notified nothing", text)
	return ""
}

// alert is a note that is shown to the person, which may come at any time.
var alert = regexp.MustCompile(`^Advisor (concern|blocker) at `)

func (s *stage) notified() (texts []string) {
	for _, line := range s.pi.Lines() {
		var request struct{ Method, Message string }
		if line.Type == "extension_ui_request" && json.Unmarshal(line.Raw, &request) == nil && request.Method == "notify" {
			texts = append(texts, request.Message)
		}
	}
	return texts
}

var ended = regexp.MustCompile(`reviews: (\d+) started, (\d+) with notes, (\d+) silent, (\d+) without`)

// reviewed waits until that many reviews have begun and all of them have ended.
func (s *stage) reviewed(n int) string {
	s.t.Helper()
	for {
		text := s.command("/advisor status")
		var counts [4]int
		m := ended.FindStringSubmatch(text)
		if m == nil {
			s.t.Fatalf("status says %q", text)
		}
		for i := range counts {
			for _, c := range m[i+1] {
				counts[i] = counts[i]*10 + int(c-'0')
			}
		}
		if counts[0] >= n && counts[0] == counts[1]+counts[2]+counts[3] {
			if counts[0] != n || counts[3] != 0 {
				s.t.Fatalf("reviews are not as expected: %s", m[0])
			}
			return text
		}
		if s.ctx.Err() != nil {
			s.t.Fatalf("waited for %d reviews, the last status: %s", n, text)
		}
	}
}

// put waits for a note of the session that holds a text.
func (s *stage) put(text string) {
	s.t.Helper()
	_, err := s.pi.Wait(s.ctx, func(l hosts.PiLine) bool {
		return l.Type == "message_end" && strings.Contains(string(l.Raw), `"customType":"advisor-note"`) && strings.Contains(string(l.Raw), text)
	})
	s.must(err)
}

// alerted waits until the person was shown a text; it comes beside the note, before or after it.
func (s *stage) alerted(text string) {
	s.t.Helper()
	_, err := s.pi.Wait(s.ctx, func(l hosts.PiLine) bool {
		return l.Type == "extension_ui_request" && strings.Contains(string(l.Raw), text)
	})
	s.must(err)
}

// runs waits for that many ended runs.
func (s *stage) runs(n int) {
	s.t.Helper()
	seen := map[string]bool{}
	_, err := s.pi.Wait(s.ctx, func(l hosts.PiLine) bool {
		if l.Type == "agent_end" {
			seen[string(l.Raw)] = true
		}
		return len(seen) >= n
	})
	s.must(err)
}

func (s *stage) asked(model string) (all []modelserver.Request) {
	for _, r := range s.model.Requests() {
		if r.Kind == "chat" && r.Model == model {
			all = append(all, r)
		}
	}
	return all
}

func (s *stage) last(model string) string {
	s.t.Helper()
	all := s.asked(model)
	if len(all) == 0 {
		s.t.Fatalf("%s was not asked", model)
	}
	return string(all[len(all)-1].Body)
}

// offers checks whether the agent's last request has the tool, and what pi's system prompt says of it.
func (s *stage) offers(want bool) {
	s.t.Helper()
	body := s.last(agent)
	var request struct {
		Tools []struct{ Function struct{ Name string } }
	}
	s.must(json.Unmarshal([]byte(body), &request))
	tool := false
	for _, one := range request.Tools {
		tool = tool || one.Function.Name == "advisor"
	}
	snippet := strings.Contains(body, "- advisor: Ask a stronger model")
	rules := strings.Contains(body, "Call advisor before substantive work")
	if tool != want || snippet != want || rules != want {
		s.t.Errorf("the agent's request has the tool %v, its snippet %v and its rules %v; want %v", tool, snippet, rules, want)
	}
}

func (s *stage) file() string {
	s.t.Helper()
	text, err := os.ReadFile(s.advisorJSON())
	s.must(err)
	return string(text)
}

func (s *stage) advisorJSON() string {
	return filepath.Join(s.project.Home, ".pi", "agent", "advisor.json")
}

func write(path, text string) string {
	return "[[write " + path + " " + strings.ReplaceAll(text, "\n", `\n`) + "]]"
}

func play(t *testing.T, ctx context.Context, extension, runtime string) {
	model, err := modelserver.Start(script())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	project, err := hosts.NewProject(t.TempDir(), map[string]string{"README.md": "A shop.\n"})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, ctx: ctx, project: project, model: model, options: hosts.PiOptions{
		ModelURL: model.BaseURL(), Models: []string{agent, reviewer, adviser}, Extension: extension, Runtime: runtime,
		Settings: map[string]any{"compaction": map[string]any{"keepRecentTokens": 50}},
	}}
	s.must(os.MkdirAll(filepath.Dir(s.advisorJSON()), 0o755))
	s.must(os.WriteFile(s.advisorJSON(), []byte(advisorJSON), 0o600))
	s.start()

	// The tool is there for the first prompt, and its answer comes back.
	s.say("H1: ask. [[advisor which store?]]")
	s.offers(true)
	if !strings.Contains(s.last(agent), "Keep the map: nothing here outlives the process.") {
		t.Error("the advice did not come back to the agent")
	}
	if body := string(s.asked(adviser)[0].Body); !strings.Contains(body, "H1: ask.") || !strings.Contains(body, `"grep"`) {
		t.Error("the adviser was not shown the conversation, or not given the tools")
	}
	s.reviewed(1)

	// A nit is put into the resting session: no request, no alert.
	s.say("H2: greet. " + write(greetPath, greetText))
	s.reviewed(2)
	s.put("call it greet")
	before := len(s.asked(agent))

	// A concern is put likewise, and shown to the person.
	s.say("H3: refunds. " + write(payPath, payText))
	if got := len(s.asked(agent)); got != before+2 {
		t.Errorf("the nit cost %d requests of the agent", got-before-2)
	}
	if !strings.Contains(s.last(agent), "call it greet") {
		t.Error("the nit is not before the agent's model")
	}
	s.reviewed(3)
	s.put("as a payment")
	s.alerted("Advisor concern at src/pay.js:2")
	if said := strings.Join(s.notified(), "\n"); strings.Contains(said, "Advisor nit") {
		t.Errorf("the person was shown %q, want the concern alone", said)
	}

	// A blocker wakes, once: another one about the turn that it started is said in silence.
	s.say("H4: go on. [[read src/pay.js]]")
	s.put("charges the customer twice")
	s.runs(5)
	if !strings.Contains(s.last(agent), "charges the customer twice") {
		t.Error("the woken agent does not see why")
	}
	if status := s.reviewed(5); !strings.Contains(status, "1 woke the agent") {
		t.Errorf("status says %q", status)
	}
	s.put("loses the rest of the batch")
	woken := len(s.asked(agent))

	// The person's abort ends the request to the adviser as well.
	consulted := len(s.asked(adviser))
	done := make(chan error, 1)
	_, err = s.pi.Command(ctx, map[string]any{"type": "prompt", "message": "H5: ask. [[advisor one that never answers]]"})
	s.must(err)
	_, err = model.Wait(ctx, consulted+1, modelserver.Filter{Model: adviser})
	s.must(err)
	go func() {
		_, err := model.Wait(ctx, consulted+1, modelserver.Filter{Model: adviser, Done: true})
		done <- err
	}()
	_, err = s.pi.Command(ctx, map[string]any{"type": "abort"})
	s.must(err)
	s.must(<-done)
	if all := s.asked(adviser); !all[len(all)-1].Aborted {
		t.Error("the adviser's request goes on after the abort")
	}
	s.runs(6)
	if got := len(s.asked(agent)); got != woken+1 {
		t.Errorf("the second blocker cost %d requests of the agent", got-woken-1)
	}
	s.reviewed(6)

	// Switched off: the tool, its rules and the reviews are gone, and the file is what it was but for that.
	if said := s.command("/advisor off"); !strings.HasPrefix(said, "The advisor is off.") {
		t.Errorf("/advisor off says %q", said)
	}
	reviews := len(s.asked(reviewer))
	s.say("H6: more. [[read README.md]]")
	s.offers(false)
	if got := s.file(); got != strings.Replace(advisorJSON, "asked\n}", "asked\n  \"enabled\": false\n}", 1) {
		t.Errorf("advisor.json is\n%s", got)
	}
	if info, err := os.Stat(s.advisorJSON()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("advisor.json: %v %v", info.Mode(), err)
	}
	if said := s.command("/advisor on"); said != "enabled · test/adviser · high" {
		t.Errorf("/advisor on says %q", said)
	}
	s.say("H7: more. [[read README.md]]")
	s.offers(true)
	s.reviewed(7)
	if got := len(s.asked(reviewer)); got != reviews+1 {
		t.Errorf("%d reviews were held while the advisor was off", got-reviews-1)
	}
	if said := s.command("/advisor nobody/nothing"); said != `"nobody/nothing" is not an available model. Run /advisor with no arguments to pick one.` {
		t.Errorf("an unknown model: %q", said)
	}

	// A compaction leaves the session watched.
	_, err = s.pi.Command(ctx, map[string]any{"type": "compact"})
	s.must(err)
	s.say("H8: more. [[read README.md]]")
	if !strings.Contains(s.last(agent), "SUMMARY of the work.") {
		t.Error("the session was not compacted")
	}
	s.reviewed(8)
	s.pi.Close()

	// Gone on with: what was said is remembered, and the models are reached through pi.
	s.must(os.WriteFile(s.advisorJSON(), []byte(strings.Replace(advisorJSON, `"reviewMode"`, `"transport": "host", "reviewMode"`, 1)), 0o600))
	s.start("-c")
	s.say("H9: ask. [[advisor through the host?]]")
	if !strings.Contains(s.last(agent), "Reached.") {
		t.Error("the advice did not come through pi's own model call")
	}
	if body := s.last(adviser); strings.Contains(body, `"tools"`) || !strings.Contains(body, `"stream":true`) {
		t.Error("the adviser was not asked by pi")
	}
	if status := s.reviewed(9); !strings.Contains(status, "1 woke the agent") {
		t.Errorf("after the restart status says %q", status)
	}
	s.command("/advisor off")
	s.pi.Close()

	// Off from the beginning: nothing is registered until the person says so, and then at once.
	s.start("-c")
	s.say("H10: more. [[read README.md]]")
	s.offers(false)
	if said := s.command("/advisor on"); said != "enabled · test/adviser · high" {
		t.Errorf("/advisor on says %q", said)
	}
	s.say("H11: more. [[read README.md]]")
	s.offers(true)
	if status := s.reviewed(10); !strings.Contains(status, "1 woke the agent") {
		t.Errorf("after the second restart status says %q", status)
	}
	for _, r := range model.Requests() {
		if r.Kind == "chat" && (r.Unscripted || r.KeySHA256 != modelserver.KeyDigest(hosts.TestKey)) {
			t.Errorf("request %d to %s: unscripted %v, or with another key than pi's", r.N, r.Model, r.Unscripted)
		}
	}
}
