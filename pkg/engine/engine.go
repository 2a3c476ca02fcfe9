// Package engine is the guest's inside: it decodes a batch of events, feeds each
// session's state machine, runs the tasks that talk to the outside, and gives
// back the effects. It holds the only recover of the core: a failure in one
// event or task costs that event or task, is counted and logged, and nothing else.
package engine

import (
	"math/rand/v2"
	"runtime"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/cli"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/tools"
)

// Host is the outside, as the module's imports give it. Methods do not call
// back into the engine.
type Host interface {
	protocol.Files
	// Send starts a request; its end arrives as an HTTP event.
	Send(protocol.HTTPSend) protocol.Errno
	// Cancel forgets a request; no event follows.
	Cancel(id string)
	// Emit writes a log line at once, so that it survives a trap.
	Emit(protocol.Log)
	// Interrupted does not return once this call's deadline has passed.
	Interrupted()
}

// maxEarly bounds the events that arrive before the config is known. The start
// takes two round trips to the disk; a hundred events are many seconds of work.
const maxEarly = 2_000

// Engine is one guest's core. It is not safe for concurrent use.
type Engine struct {
	host     Host
	now      int64 // goes on whatever happens to the clock: what waits and how long
	wall     int64 // what the clock says: what is dated, and compared with other dates
	out      []protocol.Effect
	waiting  map[string]*task // by the key they wait for
	timers   map[string]func()
	sessions map[string]*live
	queue    []string         // sessions whose review waits for room
	calls    map[string]*task // open consults, by call
	// histories is who waits for a session's history.
	histories map[string][]string
	open      int // tasks under way
	lastID    int
	saved     []byte // the states that this call stores, one behind the other
	outcome   []byte // of this call
	instance  string
	rand      *rand.Rand

	init       *protocol.Init
	early      []protocol.Event // what came before ready
	lost       map[string]int   // by session, what early had no room for
	ready      bool
	watching   bool     // the advisor was on at the start; until then nothing is known of any session
	origins    []string // that this instance may contact
	config     *config.Resolved
	problems   []config.Problem
	files      *safefs.FS
	redact     *redact.Redactor
	memory     *llm.Memory
	remembered bool // memory was looked for in a stored session
	scratch    *tools.Scratch
	rec        *recorder // nil once it is known that no recording is wanted
	purse      purse
	judging    *judging             // nil: no ask is judged
	pauses     map[string]llm.Pause // by the endpoint's fingerprint
	roster     keptRoster
	soon       []string           // keys to be resumed once what runs has yielded
	told       map[string]bool    // notices given in this instance
	homeless   []*protocol.Notice // notices that no session was there for
	used       int64              // counts sessions' last use

	secret      string // known to this instance alone
	ruleReader  *rules.Reader
	ruleNotices int
}

// New returns an engine that waits for Init.
func New(h Host) *Engine {
	rec := &recorder{Host: h, grown: map[string]int64{}}
	return &Engine{
		host:      rec,
		rec:       rec,
		waiting:   map[string]*task{},
		timers:    map[string]func(){},
		sessions:  map[string]*live{},
		calls:     map[string]*task{},
		histories: map[string][]string{},
		told:      map[string]bool{},
		lost:      map[string]int{},
		purse:     purse{asked: map[string]string{}},
		memory:    &llm.Memory{},
		scratch:   &tools.Scratch{},
		redact:    redact.New(),
		rand:      rand.New(rand.NewChaCha8([32]byte{})),
		pauses:    map[string]llm.Pause{},
	}
}

// Call takes one batch and gives back the outcome, both as the wire has them.
// It never panics: what fails is reported in the log. The outcome is valid until the next call.
func (e *Engine) Call(batch []byte) []byte {
	if e.rec != nil {
		e.rec.begin(batch, e.redact)
	}
	b, failures := protocol.DecodeBatch(batch)
	for _, f := range failures {
		e.log("warn", "the loader sent something odd, ignored: "+f.Error())
	}
	effects := e.Take(b.Now, b.Events)
	e.outcome = protocol.AppendOutcome(emptied(e.outcome), protocol.Outcome{Effects: effects})
	if e.rec != nil {
		e.rec.end(effects, e.redact)
	}
	return e.outcome
}

// Take is Call without the wire, for an engine inside another: the codec of what comes in and the decoder of what
// goes out would take 100 KB of the module. Nothing is recorded. The effects are valid until the next call.
func (e *Engine) Take(now int64, events []protocol.Event) []protocol.Effect {
	e.out, e.saved = e.out[:0], emptied(e.saved)
	// A laptop that slept is later by all of it. A clock that is set back, be it by a year, takes nothing back from what has
	// passed, and time goes on from there.
	if e.wall == 0 {
		e.now = now
	} else {
		e.now += max(0, now-e.wall)
	}
	e.wall = now
	for _, ev := range events {
		e.safely("event "+ev.EventType(), func() { e.take(ev) })
		e.resumeSoon()
	}
	e.startWaiting()
	e.resumeSoon()
	e.safely("save", e.saveChanged)
	return e.out
}

// maxScratch bounds the room that is kept for the next call; the usual state has 30 KB, and is encoded in twice as much.
const maxScratch = 256 << 10

// emptied gives the room of what an earlier call left.
func emptied(b []byte) []byte {
	if cap(b) > maxScratch {
		return nil
	}
	return b[:0]
}

// safely is the core's only recover. An effect that was asked for before the panic
// stands: it was asked for by code that had not failed yet.
func (e *Engine) safely(what string, body func()) {
	defer func() {
		if r := recover(); r != nil {
			e.host.Emit(protocol.Log{Level: "error", Text: what + ": " + panicText(r) + "\n" + stack()})
			if e.init != nil && e.init.Host == config.HostCLI {
				e.emit(&protocol.Print{Text: "superadvisor: an internal error: " + panicText(r) + "\n", Error: true})
				e.emit(&protocol.Exit{Code: cli.Internal})
			}
			e.notice("", "internal", "error", "The advisor met an internal error and dropped what it was doing; the session is not affected. superadvisor log has the details.")
		}
	}()
	body()
}

// resumeSoon goes on with tasks that others have something for.
func (e *Engine) resumeSoon() {
	for len(e.soon) > 0 {
		key := e.soon[0]
		e.soon = e.soon[1:]
		e.safely("round", func() { e.resume(key, expired{}) })
	}
}

func panicText(r any) string {
	switch r := r.(type) {
	case error:
		return r.Error()
	case string:
		return r
	}
	return "a panic of another type"
}

// stack is where it happened; the depth of the core is far below this.
func stack() string {
	buf := make([]byte, 8<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

func (e *Engine) take(ev protocol.Event) {
	switch ev := ev.(type) {
	case *protocol.Init:
		e.begin(ev)
	case *protocol.Provided:
		e.resume(ev.ID, ev)
	case *protocol.HTTP:
		e.resume(ev.ID, ev)
	case *protocol.Generated:
		e.resume(ev.ID, ev)
	case *protocol.Claimed:
		e.resume(ev.ID, ev)
	case *protocol.Saved:
		e.resume(ev.ID, ev)
	case *protocol.Tallied:
		e.tallied(ev)
	case *protocol.Heard:
		e.resume(ev.ID, ev)
	case *protocol.Facts:
		e.resume(ev.ID, ev)
	case *protocol.Timer:
		e.fire(ev)
	case *protocol.Shutdown:
		e.shutdown()
	case *protocol.Loaded:
		if !e.resume(loadKey(ev.Session), ev) {
			e.loaded(ev)
		}
	case *protocol.Probed:
		e.resume(ev.ID, ev)
	case *protocol.Tried:
		e.resume(ev.ID, ev)
	case *protocol.CLI:
		e.cli(ev)
	default:
		if !e.ready {
			e.hold(ev)
			return
		}
		e.dispatch(ev)
	}
}

// fire hands a timer to whoever set it. A timer that nobody waits for any more is stale.
func (e *Engine) fire(ev *protocol.Timer) {
	if f := e.timers[ev.ID]; f != nil {
		delete(e.timers, ev.ID)
		f()
		return
	}
	e.resume(ev.ID, ev)
}

// after runs f once, ms milliseconds from now. The key makes it replaceable.
func (e *Engine) after(key string, ms int64, f func()) {
	e.timers[key] = f
	e.emit(&protocol.SetTimer{ID: key, MS: ms})
}

func (e *Engine) drop(key string) {
	if _, ok := e.timers[key]; ok {
		delete(e.timers, key)
		e.stopTimer(key)
	}
}

// hold keeps what comes before the config is known. What there is no room for is counted, and the session's own history
// fills the gap.
func (e *Engine) hold(ev protocol.Event) {
	if len(e.early) >= maxEarly && passing(ev) {
		e.lost[sessionOf(ev)]++
		return
	}
	e.early = append(e.early, ev)
}

// letIn hands over what was held. A session of which something was lost is behind.
func (e *Engine) letIn() {
	early := e.early
	e.early = nil
	for _, ev := range early {
		e.safely("event "+ev.EventType(), func() { e.dispatch(ev) })
	}
	for _, id := range sortedIDs(e.lost) {
		if l := e.sessions[id]; l != nil { // watched, and loading
			l.lost += e.lost[id]
		}
	}
	clear(e.lost)
}

// begin reads the config as a task and then lets the held events in.
func (e *Engine) begin(in *protocol.Init) {
	if e.init != nil {
		e.log("warn", "a second init was ignored")
		return
	}
	e.init = in
	if in.ABI != protocol.ABIVersion {
		e.notice("", "abi", "error", "The advisor is off: its loader speaks version "+itoa(in.ABI)+" of the wire and its module version "+
			itoa(protocol.ABIVersion)+". Reinstall opencode-superadvisor so that both come from one package.")
		e.emit(&protocol.Ready{Version: in.Version})
		return
	}
	e.seed(in.Seed)
	if in.Host == config.HostCLI {
		return // a command reads what it needs
	}
	e.start("config", "", func(t *task) {
		e.configure(t)
		if t.dead {
			return
		}
		e.letIn()
	})
}

// seed derives the instance's name and its nonces from the loader's randomness.
func (e *Engine) seed(text string) {
	var seed [32]byte
	// encoding/hex would link fmt into the guest for the sake of its error.
	for i := range seed {
		n, err := strconv.ParseUint(text[min(2*i, len(text)):min(2*i+2, len(text))], 16, 8)
		if err != nil {
			e.log("warn", "init.seed is not 64 hex digits; fences are predictable in this instance")
			break
		}
		seed[i] = byte(n)
	}
	e.rand = rand.New(rand.NewChaCha8(seed))
	e.instance = e.nonce()[:6]
	e.secret = text
}

// nonce gives 16 hex digits that no text of the repository can know.
func (e *Engine) nonce() string {
	s := strconv.FormatUint(e.rand.Uint64(), 16)
	for len(s) < 16 {
		s = "0" + s
	}
	return s
}

func (e *Engine) emit(ef protocol.Effect) { e.out = append(e.out, ef) }

func (e *Engine) log(level, text string) {
	e.host.Emit(protocol.Log{Level: level, Text: e.forPeople(text)})
}

// forPeople makes a text fit for a screen: a model's words, a file's name or a provider's failure in it moves no cursor,
// turns no direction, and holds no secret. The secrets go last, for what does not show can stand within one.
func (e *Engine) forPeople(text string) string { return e.redact.Text(guard.Printable(text)) }

// notice tells the person something once in this instance. What is of no
// session waits for the first one: most hosts can show a notice only there.
func (e *Engine) notice(session, key, variant, text string) {
	if e.told[session+"\x00"+key] {
		return
	}
	e.told[session+"\x00"+key] = true
	n := &protocol.Notice{Session: session, Key: key, Variant: variant, Text: e.forPeople(text)}
	if session == "" && len(e.sessions) == 0 {
		e.homeless = append(e.homeless, n)
		return
	}
	e.emit(n)
}

// flushNotices gives the waiting notices to the first session.
func (e *Engine) flushNotices(session string) {
	for _, n := range e.homeless {
		n.Session = session
		e.emit(n)
	}
	e.homeless = nil
}

func itoa(n int) string { return strconv.Itoa(n) }
