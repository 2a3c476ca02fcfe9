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
	"sync"
	"testing"
	"time"

	"github.com/Kayphoon/opencode-advisor/internal/modelserver"
	"github.com/Kayphoon/opencode-advisor/internal/scenario"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// caseOptions are laid over the product's defaults.
var caseOptions = map[string]map[string]any{
	"b-nit-mid": {"reviewInterval": 2}, // what the second review cites is written in the third step
	"l-hang":    {"timeoutMs": 1000},   // what is waited for in vain need not be waited for long
}

// TestReviewerCases plays the scripted reviewers of testdata/cases, as internal/scenario does against the engine, in
// the real OpenCode. Every ideal is reached there.
func TestReviewerCases(t *testing.T) {
	all, err := scenario.LoadCases("../../testdata/cases/reviewer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	ctx := deadline(t, 5*time.Minute)
	script := modelserver.Script{RequestCap: all.RequestCap * len(all.Cases), Play: map[string]modelserver.Play{}}
	var models []string
	cases := map[string]*playedCase{}
	for i, c := range all.Cases {
		p := &playedCase{Case: c, all: all, primary: fmt.Sprintf("m%d", i+1), reviewer: "reviewer-" + c.ID, scene: make(chan *Scene, 1)}
		cases[c.ID] = p
		script.Play[p.primary], script.Play[p.reviewer] = p.work, p.review
		models = append(models, p.primary, p.reviewer)
	}
	stage, err := Start(ctx, t.TempDir(), plugin, script, models)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stage.Close)
	if err := layOut(stage.Home.Home, all.Workspace.Home); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(ctx, sceneLimit)
			t.Cleanup(cancel)
			got, err := cases[c.ID].play(ctx, stage)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", got)
			if len(c.Ideal) == 0 || got.Reviews == 0 {
				t.Errorf("%d reviews, and an ideal of %v: nothing was tried", got.Reviews, c.Ideal)
			}
			if got.Capped || len(got.Notices) > 1 {
				t.Errorf("%d requests and the notices %q", got.Requests, got.Notices)
			}
			for what, ideal := range c.Ideal {
				if why := got.Against(what, ideal); why != "" {
					t.Errorf("%s: %s: %s", c.Title, what, why)
				}
			}
		})
	}
}

// playedCase is a case with its own two models in its own session.
type playedCase struct {
	scenario.Case
	all               *scenario.Cases
	primary, reviewer string
	scene             chan *Scene // holds one as soon as there is one

	mu    sync.Mutex
	got   scenario.Played
	out   string // the folder outside the repository
	first string // the first request of the running review
	round int    // requests of the running review
	steps int    // requests of the primary
}

func layOut(root string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

func (p *playedCase) open(ctx context.Context, stage *Stage) (*Scene, error) {
	around := filepath.Join(stage.Home.Root, p.ID)
	p.mu.Lock()
	p.out = filepath.Join(around, "outside")
	p.mu.Unlock()
	if err := layOut(p.out, p.all.Workspace.Outside); err != nil {
		return nil, err
	}
	options := map[string]any{"watchdogModel": "test/" + p.reviewer}
	for key, value := range caseOptions[p.ID] {
		options[key] = value
	}
	scene, err := stage.Open(ctx, Setting{
		Name: filepath.Join(p.ID, "repo"), Primary: p.primary, Spec: plugin, Options: options, Files: p.all.Workspace.Files,
		// OpenCode's own commits at every step, by ten runs of git, are what no case looks at. The scenes have them.
		Config: map[string]any{"snapshot": false},
	})
	if err != nil {
		return nil, err
	}
	for name, to := range p.all.Workspace.Symlinks {
		if err := os.Symlink(strings.ReplaceAll(to, "{OUT}", p.out), filepath.Join(scene.Dir, name)); err != nil {
			return nil, err
		}
	}
	p.scene <- scene
	return scene, nil
}

// paced tells that the primary waits at each step for the review of the step before. Which review it is in
// which the reviewer speaks matters to the case, and a cold start must not change it. A slow or failing
// reviewer is waited for by nobody.
func (p *playedCase) paced() bool {
	for _, a := range p.Reviewer.Reviews {
		if a.DelayMs > 0 {
			return false
		}
	}
	return p.Reviewer.Every == nil
}

// work is the primary: it carries out the directives of its input.
func (p *playedCase) work(ctx context.Context, _ modelserver.Request) modelserver.Reply {
	p.mu.Lock()
	steps := p.steps
	p.steps++
	p.mu.Unlock()
	if p.paced() && steps > 0 {
		scene := <-p.scene
		p.scene <- scene
		// Without an end the case fails by what comes of it.
		_, _ = scene.AwaitState(ctx, "the review of the step before", func(s *protocol.StoredSession) bool {
			return s.Steps >= steps && !s.Owed
		})
	}
	return modelserver.Reply{Directive: true, DelayMs: int(p.Timing.PrimaryDelayMs)}
}

// review is the reviewer.
func (p *playedCase) review(_ context.Context, r modelserver.Request) modelserver.Reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	body := string(r.Body)
	secrets, outside := p.all.Leaks(body)
	p.got.Requests++
	p.got.Secrets += secrets
	p.got.Outside += outside
	p.got.Capped = p.got.Capped || p.got.Requests >= p.all.RequestCap
	if !strings.Contains(body, `"role":"assistant"`) && body != p.first {
		p.first, p.round = body, 0
		p.got.Reviews++
	}
	p.round++
	p.got.Longest = max(p.got.Longest, p.round)
	action := p.Action(p.got.Reviews)
	if action.Hang {
		return modelserver.Reply{Hang: true}
	}
	var reply modelserver.Reply
	if err := json.Unmarshal(action.Reply(p.round, p.got.Reviews, p.out), &reply); err != nil {
		return modelserver.Reply{Status: 400, Body: modelserver.Args(err.Error())}
	}
	reply.DelayMs = int(max(action.DelayMs, p.Timing.ReviewerDelayMs))
	return reply
}

// play says the human messages, each when nothing is under way any more, and gives what came of it.
func (p *playedCase) play(ctx context.Context, stage *Stage) (scenario.Played, error) {
	scene, err := p.open(ctx, stage)
	if err != nil {
		return scenario.Played{}, err
	}
	granting, done := context.WithCancel(ctx)
	defer done()
	go scene.grant(granting)
	var lines []Line
	for i, text := range p.Human {
		if err := scene.Say(ctx, text); err != nil {
			return scenario.Played{}, err
		}
		if lines, err = scene.quiet(ctx, i+1); err != nil {
			return scenario.Played{}, err
		}
	}
	if _, ok := p.Ideal["health"]; ok {
		if _, err := scene.AwaitToasts(ctx, 1); err != nil {
			return scenario.Played{}, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	humans := 0
	for _, l := range lines {
		if l.Who == Person {
			humans++
		}
		if l.Severity == "" {
			continue
		}
		p.got.Delivered++
		if strings.Contains(l.Text, "Held back") {
			p.got.Held++
		}
		if humans == len(p.Human) {
			p.got.AfterDecision++
		}
	}
	p.got.Wakes = scene.turnsEnded() - len(p.Human)
	for _, toast := range scene.Toasts() {
		if !strings.HasPrefix(toast.Message, "Advisor ") { // the toast of a note
			p.got.Notices = append(p.got.Notices, toast.Message)
		}
	}
	if _, err := os.Stat(filepath.Join(p.out, "pwned")); !errors.Is(err, fs.ErrNotExist) {
		p.got.Executed++
	}
	return p.got, nil
}
