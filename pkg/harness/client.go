package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// The bounds of requests, all as in the loader.
const (
	maxReply   = 4 << 20          // a body is read this far, whatever the guest asks for
	maxOpen    = 16               // requests under way at once
	maxTimeout = 10 * time.Minute // longest life of a request
	maxHeaders = 64               // headers of an answer that are handed on
)

// client makes the guest's requests.
type client struct {
	transport http.RoundTripper

	mu      sync.Mutex
	origins map[string]bool // nil until allow
	open    map[string]*request
	ends    []*protocol.HTTP
	arrived chan struct{} // has one element when ends may have some
}

// request is one under way.
type request struct{ cancel context.CancelFunc }

func newClient(rt http.RoundTripper) *client {
	return &client{transport: rt, open: map[string]*request{}, arrived: make(chan struct{}, 1)}
}

// allow fixes the origins, once.
func (c *client) allow(origins []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.origins != nil {
		return
	}
	c.origins = map[string]bool{}
	for _, o := range origins {
		if o = originOf(o); o != "" {
			c.origins[o] = true
		}
	}
}

// reset forgets the open requests and the origins.
func (c *client) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.open {
		r.cancel()
	}
	clear(c.open)
	c.origins, c.ends = nil, nil
}

// waiting counts the requests under way and the ends that nobody has taken.
func (c *client) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) + len(c.ends)
}

// next waits for the end of a request.
func (c *client) next(ctx context.Context) (*protocol.HTTP, error) {
	for {
		c.mu.Lock()
		if len(c.ends) > 0 {
			end := c.ends[0]
			c.ends = c.ends[1:]
			c.mu.Unlock()
			return end, nil
		}
		c.mu.Unlock()
		select {
		case <-c.arrived:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Send implements HTTP.
func (c *client) Send(r protocol.HTTPSend) protocol.Errno {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= maxOpen || c.open[r.ID] != nil {
		return protocol.ErrnoRefused
	}
	limit := maxTimeout
	if ms := max(1, r.TimeoutMS); ms < limit.Milliseconds() {
		limit = time.Duration(ms) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	self := &request{cancel}
	c.open[r.ID] = self
	allowed := c.origins[originOf(r.URL)]
	go func() {
		end := &protocol.HTTP{ID: r.ID, Failure: "origin", Detail: "the address is not at a configured endpoint"}
		if allowed {
			end = c.run(ctx, r, limit)
		}
		c.finish(self, end)
	}()
	return protocol.OK
}

// Cancel implements HTTP.
func (c *client) Cancel(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.open[id]; r != nil {
		r.cancel()
		delete(c.open, id)
	}
}

// finish hands an end on, unless the request has been forgotten.
func (c *client) finish(r *request, end *protocol.HTTP) {
	r.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[end.ID] != r {
		return
	}
	delete(c.open, end.ID)
	c.ends = append(c.ends, end)
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

func (c *client) run(ctx context.Context, r protocol.HTTPSend, limit time.Duration) *protocol.HTTP {
	end := &protocol.HTTP{ID: r.ID}
	fail := func(err error) *protocol.HTTP {
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return &protocol.HTTP{ID: r.ID, Failure: "timeout", Detail: fmt.Sprintf("no answer within %d ms", limit.Milliseconds())}
		case ctx.Err() != nil:
			return &protocol.HTTP{ID: r.ID, Failure: "cancelled"}
		}
		return &protocol.HTTP{ID: r.ID, Failure: "network", Detail: err.Error()}
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return fail(err)
	}
	for _, h := range r.Headers {
		request.Header.Add(h.Name, h.Value)
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return fail(err)
	}
	defer response.Body.Close()
	end.Status = response.StatusCode
	if end.Status >= 300 && end.Status < 400 && end.Status != http.StatusNotModified {
		return &protocol.HTTP{ID: r.ID, Failure: "redirect", Detail: fmt.Sprintf("the endpoint answered %d; redirects are not followed", end.Status)}
	}
	bound := min(max(1, r.MaxBytes), maxReply)
	body, err := io.ReadAll(io.LimitReader(response.Body, bound+1))
	if err != nil {
		return fail(err)
	}
	if end.Cut = int64(len(body)) > bound; end.Cut {
		body = body[:bound]
	}
	end.Body = strings.ToValidUTF8(string(body), "\uFFFD")
	end.Headers = headersOf(response.Header)
	return end
}

func headersOf(h http.Header) (list []protocol.Header) {
	for name, values := range h {
		list = append(list, protocol.Header{Name: strings.ToLower(name), Value: strings.Join(values, ", ")})
	}
	slices.SortFunc(list, func(a, b protocol.Header) int { return strings.Compare(a.Name, b.Name) })
	return list[:min(len(list), maxHeaders)]
}

// originOf gives scheme://host:port of a web address, in lower case and without the
// scheme's own port; empty for any other address, and for one with credentials in it.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if scheme != "http" && scheme != "https" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	standard := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return scheme + "://" + strings.TrimSuffix(host, standard)
}
