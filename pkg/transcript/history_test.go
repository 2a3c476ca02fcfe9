package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// calls lists the messages and calls in a body, in order.
func calls(d Delta) []string {
	var list []string
	for _, e := range d.entries {
		switch {
		case e.call != "":
			list = append(list, e.call)
		case e.kind != kindStep:
			list = append(list, e.id)
		}
	}
	return list
}

func history(events ...protocol.Event) *protocol.History { return &protocol.History{Events: events} }

func TestTheMissedFirstMessageTakesItsPlace(t *testing.T) {
	// The plugin was loaded when the first message was already in.
	l := feed(t, says("m1", "Calling read."), call("m1", "r1", "read", `{"path":"a"}`, "x"))
	l.Missed()
	if l.Complete(0) {
		t.Error("the log says that it is complete")
	}
	l.History(history(person("u1", "the true goal"), says("m1", "Calling read."), call("m1", "r1", "read", `{"path":"a"}`, "x"), says("m1", "unheard words")), typed)
	d := l.Cut(9_000)
	if diff := cmp.Diff([]string{"u1", "m1", "r1", "m1"}, calls(d)); diff != "" {
		t.Error(diff)
	}
	if d.Goal != "\"the true goal\"\n" || d.Latest != "" {
		t.Errorf("goal %q, latest %q", d.Goal, d.Latest)
	}
	// The same history again changes nothing.
	before := d.Render(nonce)
	l.History(history(person("u1", "the true goal"), says("m1", "Calling read."), says("m1", "unheard words")), typed)
	if diff := cmp.Diff(before, l.Cut(9_000).Render(nonce)); diff != "" {
		t.Error(diff)
	}
}

func TestAnOldSessionIsSummarisedUpToItsLastMessage(t *testing.T) {
	l := feed(t, person("u2", "now this"), says("m3", "on it"))
	events := []protocol.Event{person("u1", "the first goal")}
	events = append(events, turn(1)...)
	events = append(events, turn(2)...)
	events = append(events, person("u2", "now this"), says("m3", "on it"))
	l.History(history(events...), typed)
	d := l.Cut(9_000)
	want := `step 1: the person wrote "the first goal"; edited "src/file1.go"; ran "go test ./part1" (exit 1); 1 lookup
step 2: edited "src/file2.go"; ran "go test ./part2" (exit 0); 1 lookup
`
	if diff := cmp.Diff(want, d.Summary); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"u2", "m3"}, calls(d)); diff != "" {
		t.Error(diff)
	}
	if l.Complete(0) {
		t.Error("the log says that it holds the whole session")
	}
	if d.Goal != "\"the first goal\"\n" || d.Latest != "message 2: \"now this\"\n" || d.From != 3 || l.Steps() != 2 {
		t.Errorf("goal %q, latest %q, from step %d, %d steps", d.Goal, d.Latest, d.From, l.Steps())
	}
}

func TestAGapAfterARestartWaitsForAReview(t *testing.T) {
	first := feed(t, person("u1", "the goal"))
	add(first, turn(1)...)
	first.Commit(first.Cut(20_000).Cursor)
	l, err := Restore(first.AppendState(nil), Options{Root: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	events := []protocol.Event{person("u1", "the goal")}
	events = append(events, turn(1)...)
	events = append(events, turn(2)...) // while nobody listened
	l.History(history(events...), typed)
	d := l.Cut(20_000)
	if diff := cmp.Diff([]string{"m2", "r2", "e2", "c2"}, calls(d)); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(d.Summary, "step 1:"); n != 1 || strings.Contains(d.Summary, "part2") {
		t.Errorf("summary:\n%s", d.Summary)
	}
}

func TestAReviewUnderWayDoesNotSwallowTheHistory(t *testing.T) {
	l := feed(t, says("m1", "hello"))
	running := l.Cut(9_000)
	l.History(history(person("u1", "the goal"), says("m1", "hello")), typed)
	l.Commit(running.Cursor)
	if diff := cmp.Diff([]string{"u1"}, calls(l.Cut(9_000))); diff != "" {
		t.Error(diff)
	}
}

func TestWhatLiesBeforeAReviewedEntryIsNoNews(t *testing.T) {
	l := feed(t, person("u2", "now this"), says("m2", "on it"))
	l.Commit(l.Cut(9_000).Cursor)
	l.History(history(person("u2", "now this"), says("m1", "unheard, but old"), says("m2", "on it"), says("m3", "unheard, and new")), typed)
	if diff := cmp.Diff([]string{"m3"}, calls(l.Cut(9_000))); diff != "" {
		t.Error(diff)
	}
}

func TestAHistoryThatBeginsWithACompactionKeepsTheGoal(t *testing.T) {
	l := feed(t, person("u1", "the goal"))
	l.Commit(l.Cut(9_000).Cursor)
	l.History(history(&protocol.Compacted{Summary: "s"}, person("u9", "much later")), typed)
	if d := l.Cut(9_000); d.Goal != "\"the goal\"\n" || d.Latest != "message 2: \"much later\"\n" {
		t.Errorf("goal %q, latest %q", d.Goal, d.Latest)
	}
	// With nothing better, the first that is there will do.
	l = feed(t)
	l.History(history(&protocol.Compacted{Summary: "s"}, person("u9", "much later")), typed)
	if d := l.Cut(9_000); d.Goal != "\"much later\"\n" {
		t.Errorf("goal %q", d.Goal)
	}
}

func TestHistoriesThatHoldNothing(t *testing.T) {
	l := feed(t, person("u1", "the goal"), says("m1", "x"))
	before := l.Cut(9_000).Render(nonce)
	l.History(history(), typed)
	l.History(&protocol.History{Failure: "gone", Events: []protocol.Event{person("u0", "other")}}, typed)
	l.History(history(&protocol.TurnStart{}, &protocol.User{ID: "n1", Text: "our note", Advisor: true}), typed)
	if diff := cmp.Diff(before, l.Cut(9_000).Render(nonce)); diff != "" {
		t.Error(diff)
	}
}

func TestALongHistoryStaysWithinBounds(t *testing.T) {
	var events []protocol.Event
	events = append(events, person("u1", "the goal"))
	for n := 1; n <= 400; n++ {
		events = append(events, turn(n)...)
	}
	l := feed(t)
	l.History(history(events...), typed)
	if l.waiting > maxPending || l.count > maxPendingCount || len(l.known) > maxKnown {
		t.Errorf("%d bytes, %d entries wait, %d ids", l.waiting, l.count, len(l.known))
	}
	if d := l.Cut(20_000); d.Goal != "\"the goal\"\n" || !strings.Contains(d.Body, `"call":"c400"`) {
		t.Errorf("goal %q", d.Goal)
	}
	if got := recount(l); got != [3]int{l.count, l.waiting, l.held} {
		t.Errorf("counted %v, kept %d %d %d", got, l.count, l.waiting, l.held)
	}
}
