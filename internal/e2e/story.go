package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// The models of the story.
const (
	StoryAgent    = "m1"
	StoryReviewer = "reviewer"
)

// Act is one human message of the story, what both models answer until the session is quiet again, and what must
// come of it.
type Act struct {
	Title    string
	Says     string
	Agent    []modelserver.Reply
	Reviewer []modelserver.Reply

	Reviews int      // that are held
	Said    []string // severities of the notes that reach the session, in order
	Wakes   int      // of the agent
	Fates   []string // what becomes of the reviewer's notes, in order
	Point   string   // what it shows
}

// Story is the worked example told in one session, from a refuted suspicion to a blocker that is said once.
func Story() []Act {
	look := func(f Finding, calls ...modelserver.Reply) []modelserver.Reply {
		return append(calls, f.Advise(), Silent())
	}
	return []Act{
		{
			Title:    "a suspicion that the code refutes",
			Says:     "Add getUserProfile(userId) in src/profile.ts: the name and the role of a user.",
			Agent:    []modelserver.Reply{Write(profilePath, profileText), Text("getUserProfile is in src/profile.ts.")},
			Reviewer: look(nullableUser, Grep("function findUserById"), Read(dbPath)),
			Reviews:  1, Fates: []string{"refuted"},
			Point: "silence: the reviewer read src/db.ts, saw that findUserById throws, and dropped its suspicion",
		},
		{
			Title:    "a nit",
			Says:     "Add a greeting for the start page in src/greeting.ts.",
			Agent:    []modelserver.Reply{Write(greetingPath, greetingText), Text("The greeting is there.")},
			Reviewer: look(unclearName, Read(greetingPath)),
			Reviews:  1, Said: []string{"nit"}, Fates: []string{"delivered"},
			Point: "it lies in the session for the next turn; nobody was disturbed",
		},
		{
			Title:    "a concern",
			Says:     "Add setRole(userId, role) in src/admin.ts.",
			Agent:    []modelserver.Reply{Write(adminPath, adminText), Text("setRole is there.")},
			Reviewer: look(anyRole, Read(adminPath), Grep("type Role")),
			Reviews:  1, Said: []string{"concern"}, Fates: []string{"delivered"},
			Point: "as the nit, and a toast for the person",
		},
		{
			Title: "a blocker",
			Says:  "Add currentUser(token) in src/session.ts.",
			Agent: []modelserver.Reply{
				Write(sessionPath, sessionText), Text("currentUser is there."),
				Text("The token comes from our own cookie, so it is always known. I leave it as it is."),
			},
			Reviewer: slices.Concat(look(nullSession, Grep("function findSession"), readBoth()), look(nullSession, readBoth())),
			Reviews:  2, Said: []string{"blocker"}, Wakes: 1, Fates: []string{"delivered", "duplicate"},
			Point: "it woke the agent once; said again about the turn that it started, it was dropped",
		},
		{
			Title:    "the same blocker a second time",
			Says:     "Good. Write a test for it.",
			Agent:    []modelserver.Reply{Write(sessionTestPath, sessionTestText), Text("The test is in src/session.test.ts.")},
			Reviewer: look(nullSessionAgain, readBoth()),
			Reviews:  1, Fates: []string{"duplicate"},
			Point: "no wake: the matter was said before, and other words do not make it a new one",
		},
	}
}

// readBoth are two calls in one reply.
func readBoth() modelserver.Reply {
	r := Read(dbPath)
	r.ToolCalls = append(r.ToolCalls, Read(sessionPath).ToolCalls...)
	return r
}

// StoryScript is what both models answer in the whole story.
func StoryScript() map[string][]modelserver.Reply {
	models := map[string][]modelserver.Reply{}
	for _, act := range Story() {
		models[StoryAgent] = append(models[StoryAgent], act.Agent...)
		models[StoryReviewer] = append(models[StoryReviewer], act.Reviewer...)
	}
	return models
}

// StoryOptions are the plugin's options in the story: one review a turn, so that it is the same every time.
func StoryOptions() map[string]any {
	return map[string]any{"watchdogModel": "test/" + StoryReviewer, "reviewMode": "idle"}
}

// Teller plays the acts in one scene and checks each.
type Teller struct {
	Scene *Scene

	reviews, woken, notes, lines, toasts int
	agent, reviewer                      int // requests
	told                                 int // entries of the timeline
}

// Play plays one act and gives its timeline. The error says what did not come as it must.
func (t *Teller) Play(ctx context.Context, act Act) ([]Entry, error) {
	if err := t.Scene.Say(ctx, act.Says); err != nil {
		return nil, err
	}
	t.reviews += act.Reviews
	state, lines, err := t.Scene.Settle(ctx, t.reviews)
	if err != nil {
		return nil, err
	}
	wrong := t.check(act, state, lines)
	for _, severity := range act.Said {
		if severity != "nit" {
			t.toasts++
		}
	}
	// The host's events may lag behind its answers.
	err = t.Scene.hear(ctx, "the events of what the session holds", func() bool {
		return len(t.Scene.spoken()) >= len(lines)+t.toasts
	})
	all, failed := t.Scene.Timeline(StoryReviewer)
	entries := all[min(t.told, len(all)):]
	t.told = len(all)
	return entries, errors.Join(wrong, err, failed)
}

// check compares what came of an act with what must.
func (t *Teller) check(act Act, state *protocol.StoredSession, lines []Line) error {
	var wrong []error
	check := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			wrong = append(wrong, fmt.Errorf("%s: got %s, want %s", what, g, w))
		}
	}
	check("reviews", Count(state, "review.started"), t.reviews)
	check("notes in the session", severities(lines[min(t.lines, len(lines)):]), act.Said)
	t.lines = len(lines)
	check("wakes", Count(state, "note.woken")-t.woken, act.Wakes)
	t.woken = Count(state, "note.woken")
	check("fates of the reviewer's notes", fates(state.Notes[min(t.notes, len(state.Notes)):]), act.Fates)
	t.notes = len(state.Notes)

	agent, reviewer := t.requests(StoryAgent), t.requests(StoryReviewer)
	check("requests to the agent's model", len(agent)-t.agent, len(act.Agent))
	check("requests to the reviewer's model", len(reviewer)-t.reviewer, len(act.Reviewer))
	for _, r := range agent[min(t.agent, len(agent)):] {
		// What woke the agent is the last thing that its model was told.
		if strings.HasPrefix(r.LastText(), "[advisor blocker] "+place(nullSession)) {
			act.Wakes--
		}
	}
	check("wakes that no request of the agent shows", act.Wakes, 0)
	t.agent, t.reviewer = len(agent), len(reviewer)
	return errors.Join(wrong...)
}

func (t *Teller) requests(model string) []modelserver.Request {
	return slices.DeleteFunc(t.Scene.stage.Model.Requests(), func(r modelserver.Request) bool {
		return r.Kind != "chat" || r.Model != model
	})
}

func place(f Finding) string { return fmt.Sprintf("%s:%d", f.Cites[0].Path, f.Cites[0].Line) }

func severities(lines []Line) []string {
	var out []string
	for _, l := range lines {
		if l.Who == Advisor {
			out = append(out, l.Severity)
		}
	}
	return out
}

func fates(notes []protocol.StoredNote) []string {
	var out []string
	for _, n := range notes {
		out = append(out, n.Fate)
	}
	return out
}
