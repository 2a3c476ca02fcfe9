package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/hosts"
	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// agent is the id of the model that does what its prompts say; modelserver has the grammar.
const agent = "m2"

// Reviewers, one a scene, so that no scene's answers depend on another's requests.
const (
	unwritableReviewer = "reviewer-unwritable"
	corruptReviewer    = "reviewer-corrupt"
	twiceReviewer      = "reviewer-twice"
	midTurnReviewer    = "reviewer-mid-turn"
	adviser            = "reviewer-consulted"
	deadReviewer       = "reviewer-dead"
	hangingReviewer    = "reviewer-hanging"
	stormyReviewer     = "reviewer-500"
	forkReviewer       = "reviewer-fork"
	heldReviewer       = "reviewer-held"
	goneReviewer       = "reviewer-gone"
	silentReviewer     = "reviewer-silent"
)

func scripts() map[string][]modelserver.Reply {
	models := StoryScript()
	models[StoryAgent] = append(models[StoryAgent], Text("You are welcome."))
	models[StoryReviewer] = append(models[StoryReviewer], Silent())
	models[agent] = []modelserver.Reply{{Directive: true}}
	silence := modelserver.Reply{Every: &modelserver.Reply{Text: "silent"}}
	blocker := []modelserver.Reply{readBoth(), nullSession.Advise(), Silent()}
	models[unwritableReviewer] = slices.Concat(blocker, []modelserver.Reply{silence})
	models[corruptReviewer] = []modelserver.Reply{Read(greetingPath), unclearName.Advise(), silence}
	models[twiceReviewer] = slices.Concat(blocker, []modelserver.Reply{readBoth(), lostUser.Advise(), silence})
	models[forkReviewer] = slices.Concat(blocker, []modelserver.Reply{Silent()}, blocker, []modelserver.Reply{silence})
	models[heldReviewer] = []modelserver.Reply{Read(greetingPath), unclearName.Advise(), silence}
	models[goneReviewer] = models[heldReviewer]
	models[silentReviewer] = []modelserver.Reply{silence}
	models[midTurnReviewer] = slices.Concat(blocker, []modelserver.Reply{silence})
	models[adviser] = []modelserver.Reply{{Match: "which store", Text: "Keep the map: nothing here outlives the process."}, silence}
	models[hangingReviewer] = []modelserver.Reply{{Every: &modelserver.Reply{Hang: true}}}
	models[stormyReviewer] = []modelserver.Reply{{Every: &modelserver.Reply{Status: 500}}}
	return models
}

// lostUser is another blocker than nullSession.
var lostUser = Finding{
	Note:     "saveUser overwrites a user of the same id without a word, so that two people who register at once lose one account. Refuse an id that exists.",
	Severity: "blocker", Verdict: "confirmed", Category: "data-loss",
	Cites: []Cite{CiteOf(dbPath, dbText, "users.set(user.id, user)", "it asks nothing before it writes")},
}

// write is the directive for a prompt that lets the agent write a file.
func write(path, text string) string {
	return "[[write " + path + " " + strings.ReplaceAll(text, "\n", `\n`) + "]]"
}

func TestInRealOpenCode(t *testing.T) {
	ctx := deadline(t, 6*time.Minute)
	models := scripts()
	ids := []string{StoryAgent, agent}
	for id := range models {
		if modelserver.Role(id) == "reviewer" {
			ids = append(ids, id)
		}
	}
	stage, err := Start(ctx, t.TempDir(), plugin, modelserver.Script{RequestCap: 2000, Models: models}, ids)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	scenes := cast{stage: stage, all: ctx}

	// These two change what all instances of the plugin read at their start, so they are set up alone.
	t.Run("unwritable state folder", func(t *testing.T) { scenes.bound(t).unwritableState(t) })
	t.Run("corrupt advisor.json", func(t *testing.T) { scenes.bound(t).corruptConfig(t) })

	t.Run("together", func(t *testing.T) {
		for name, play := range map[string]func(cast, *testing.T){
			"the worked example": cast.story,
			"a second blocker in the woken turn is said without a wake": cast.secondBlocker,
			"a blocker in the middle of a turn is part of it":           cast.midTurn,
			"the agent asks for advice":                                 cast.consultation,
			"a failing advisor":                                         cast.failures,
			"a fork says nothing again":                                 cast.fork,
			"a note that waits for the end of its turn":                 cast.heldBack,
			"the advisor's command":                                     cast.advisorCommand,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				play(scenes.bound(t), t)
			})
		}
	})
	for _, r := range stage.Model.Requests() {
		if r.Kind == "chat" && r.Unscripted {
			t.Errorf("request %d to %s was not expected", r.N, r.Model)
		}
		if r.Kind == "chat" && r.KeySHA256 != modelserver.KeyDigest(hosts.TestKey) {
			t.Errorf("request %d to %s came with another key than the host's", r.N, r.Model)
		}
	}
}

// cast plays scenes on one stage.
type cast struct {
	stage *Stage
	all   context.Context // of the stage
	ctx   context.Context // of one scene
}

// sceneLimit bounds one scene, so that one that hangs does not take the time of the others.
const sceneLimit = 100 * time.Second

func (c cast) bound(t *testing.T) cast {
	t.Helper()
	ctx, cancel := context.WithTimeout(c.all, sceneLimit)
	t.Cleanup(cancel)
	c.ctx = ctx
	return c
}

// open opens a scene of the agent that is reviewed by the given model, once a turn unless the options say otherwise.
func (c cast) open(t *testing.T, name, spec, reviewer string, options map[string]any) *Scene {
	t.Helper()
	all := map[string]any{"watchdogModel": "test/" + reviewer, "reviewMode": "idle"}
	for key, value := range options {
		all[key] = value
	}
	scene, err := c.stage.Open(c.ctx, Setting{Name: name, Primary: agent, Spec: spec, Options: all})
	if err != nil {
		t.Fatal(err)
	}
	return scene
}

func (c cast) say(t *testing.T, scene *Scene, text string) {
	t.Helper()
	if err := scene.Say(c.ctx, text); err != nil {
		t.Fatal(err)
	}
}

func (c cast) settle(t *testing.T, scene *Scene, reviews int) (*protocol.StoredSession, []Line) {
	t.Helper()
	state, lines, err := scene.Settle(c.ctx, reviews)
	if err != nil {
		t.Fatal(err)
	}
	return state, lines
}

func shown(lines []Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.String()
	}
	return out
}

// asked are the requests to the agent's model that belong to a scene.
func asked(scene *Scene) []modelserver.Request {
	return slices.DeleteFunc(scene.stage.Model.Requests(), func(r modelserver.Request) bool {
		return r.Kind != "chat" || r.Headers["x-session-id"] != scene.ID
	})
}
