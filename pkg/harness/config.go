package harness

import (
	"errors"
	"net/http"
	"time"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Config says what the guest gets to see.
type Config struct {
	// Root is the workspace, a folder on disk. The guest reads what lies inside of it.
	Root string
	// Files is the workspace in another form, and takes Root's place.
	Files protocol.Files

	// Transport makes the guest's requests, each to an origin that its Ready
	// effect has named. Their ends come from Next. Without a transport every request is refused.
	Transport http.RoundTripper
	// HTTP takes the requests in Transport's place, unchecked, for scripted answers.
	HTTP HTTP

	// Log gets the guest's own log, and what Go's runtime prints before it
	// dies, as level error. It may be nil, and must not call the harness.
	Log func(protocol.Log)

	// Now is the clock of Do. Without one it is the system's.
	Now func() time.Time

	// Deadline bounds one call. 0 is 5 seconds, as in the loader.
	Deadline time.Duration
	// StopSpinning makes the deadline hold for a guest that never asks whether it is
	// interrupted, at the price of a check in every loop: such a guest
	// runs about three times slower. Without it, that guest hangs the caller.
	StopSpinning bool

	// CacheDir keeps compiled modules: compiling takes seconds, loading milliseconds.
	// Empty keeps nothing. Whoever can write to it can run code here.
	CacheDir string
}

// HTTP is the guest's http_send and http_cancel. Its methods are called during a
// call and must not call the harness.
type HTTP interface {
	// Send starts a request. Anything but OK means that it was not started,
	// and that no HTTP event follows.
	Send(protocol.HTTPSend) protocol.Errno
	// Cancel forgets the request with this id, if there is one.
	Cancel(id string)
}

var (
	// ErrDeadline is in the error of a call that ran for too long.
	ErrDeadline = errors.New("the call ran past its deadline")
	// ErrLost is in the error of every call after one that lost the instance.
	ErrLost = errors.New("the instance was discarded after a failure; use Restart")
)

// The loader's own bounds: of a call, and of the start of Go's runtime.
const (
	deadlineDefault = 5 * time.Second
	startDeadline   = 20 * time.Second
)

// maxPages is what the loader's engines would give the module, 256 MB: the
// bound holds even for a module built without it.
const maxPages = 256 << 20 / pageSize

const pageSize = 64 << 10
