package engine

import (
	"iter"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// A task is straight-line Go that yields when it needs the outside and is resumed
// with the answer. It is a coroutine on the one thread that the guest has:
// between two yields nothing else runs, so a task shares the engine's state
// without locks.
type task struct {
	name    string // for the log, when it fails
	session string // empty: of the whole engine
	next    func() (struct{}, bool)
	yield   func(struct{}) bool
	key     string // what it waits for, empty while it runs
	answer  any    // what it was resumed with
	dead    bool   // cancelled: every wait returns at once, with nothing
	// cleanup undoes what the open wait started: a request, a timer.
	cleanup func()
	// deadline is when the whole task must have ended, in milliseconds; 0 is never.
	deadline int64
	expired  bool
}

// start runs body as a task until its first wait.
func (e *Engine) start(name, session string, body func(*task)) *task {
	t := &task{name: name, session: session}
	next, _ := iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		body(t)
	})
	t.next = next
	e.open++
	e.run(t)
	return t
}

// run goes on with a task until it waits or ends.
func (e *Engine) run(t *task) {
	ended := true
	// A panic in the body surfaces here; the task is over then, and the engine's
	// recover reports it.
	defer func() {
		if ended {
			e.open--
			t.dead = true
			t.next = nil
		}
	}()
	_, ok := t.next()
	ended = !ok
}

// wait suspends the task until resume is called with key, and returns the
// answer; nil when the task was cancelled.
func (e *Engine) wait(t *task, key string, cleanup func()) any {
	if t.dead {
		if cleanup != nil {
			cleanup()
		}
		return nil
	}
	t.key, t.cleanup, t.answer = key, cleanup, nil
	e.waiting[key] = t
	t.yield(struct{}{})
	t.cleanup = nil
	return t.answer
}

// resume hands an answer to whoever waits for key. It tells whether somebody
// did: a late answer to a cancelled wait is nobody's.
func (e *Engine) resume(key string, answer any) bool {
	t := e.waiting[key]
	if t == nil {
		return false
	}
	delete(e.waiting, key)
	t.key, t.answer = "", answer
	e.run(t)
	return true
}

// cancel ends a task: its open wait is undone, and the body runs to its end with
// every further wait answered by nothing.
func (e *Engine) cancel(t *task) {
	if t == nil || t.dead || t.next == nil {
		return
	}
	t.dead = true
	if t.key == "" {
		return // it is running right now and will see that it is dead
	}
	delete(e.waiting, t.key)
	t.key, t.answer = "", nil
	if t.cleanup != nil {
		t.cleanup()
	}
	e.run(t)
}

// id gives a fresh id for a request, a claim or a timer of this instance. The instance's
// seed is in it, so that an answer meant for a guest that was replaced is nobody's.
func (e *Engine) id(kind string) string {
	e.lastID++
	return kind + "_" + e.instance + "_" + itoa(e.lastID)
}

// timer starts a timer and returns its id.
func (e *Engine) timer(ms int64) string {
	id := e.id("t")
	e.emit(&protocol.SetTimer{ID: id, MS: max(0, ms)})
	return id
}

func (e *Engine) stopTimer(id string) { e.emit(&protocol.SetTimer{ID: id, MS: -1}) }

// sleep waits ms milliseconds; false when the task was cancelled meanwhile.
func (e *Engine) sleep(t *task, ms int64) bool {
	if t.dead {
		return false
	}
	id := e.timer(ms)
	return e.wait(t, id, func() { e.stopTimer(id) }) != nil
}
