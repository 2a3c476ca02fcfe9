package harness

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// transport is a RoundTripper made of a function.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(status int, body string, headers ...string) transport {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(headers); i += 2 {
			h.Add(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// hangs answers nothing until the request is given up.
func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

const origin = "https://model.example"

func TestClientAnswers(t *testing.T) {
	broken := transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") })
	cutOff := transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(io.MultiReader(strings.NewReader("half"), brokenReader{}))}, nil
	})
	for _, c := range []struct {
		name string
		rt   transport
		send protocol.HTTPSend
		want protocol.HTTP
	}{
		{"an answer", answer(200, "body", "X-B", "2", "X-A", "1", "X-B", "3"), protocol.HTTPSend{},
			protocol.HTTP{Status: 200, Body: "body", Headers: []protocol.Header{{Name: "x-a", Value: "1"}, {Name: "x-b", Value: "2, 3"}}}},
		{"an error status", answer(500, "oops"), protocol.HTTPSend{}, protocol.HTTP{Status: 500, Body: "oops"}},
		{"a body at the bound", answer(200, "12345"), protocol.HTTPSend{MaxBytes: 5}, protocol.HTTP{Status: 200, Body: "12345"}},
		{"a body over the bound", answer(200, "123456"), protocol.HTTPSend{MaxBytes: 5}, protocol.HTTP{Status: 200, Body: "12345", Cut: true}},
		{"a cut letter", answer(200, "1234é"), protocol.HTTPSend{MaxBytes: 5}, protocol.HTTP{Status: 200, Body: "1234\uFFFD", Cut: true}},
		{"a redirect", answer(307, "", "Location", "https://elsewhere.example"), protocol.HTTPSend{},
			protocol.HTTP{Failure: "redirect", Detail: "the endpoint answered 307; redirects are not followed"}},
		{"no connection", broken, protocol.HTTPSend{}, protocol.HTTP{Failure: "network", Detail: "connection refused"}},
		{"a connection that breaks", cutOff, protocol.HTTPSend{}, protocol.HTTP{Failure: "network", Detail: "unexpected EOF"}},
		{"no answer in time", hangs, protocol.HTTPSend{TimeoutMS: 1}, protocol.HTTP{Failure: "timeout", Detail: "no answer within 1 ms"}},
		{"a bad method", answer(200, ""), protocol.HTTPSend{Method: "NO WAY"}, protocol.HTTP{Failure: "network", Detail: `net/http: invalid method "NO WAY"`}},
		{"another host", answer(200, ""), protocol.HTTPSend{URL: "https://elsewhere.example/v1"}, refused},
		{"another scheme", answer(200, ""), protocol.HTTPSend{URL: "http://model.example/v1"}, refused},
		{"another port", answer(200, ""), protocol.HTTPSend{URL: origin + ":444/v1"}, refused},
		{"credentials in the address", answer(200, ""), protocol.HTTPSend{URL: "https://me:pass@model.example/v1"}, refused},
		{"the host as credentials", answer(200, ""), protocol.HTTPSend{URL: "https://model.example@elsewhere.example/v1"}, refused},
		{"no address", answer(200, ""), protocol.HTTPSend{URL: "::"}, refused},
		{"a file", answer(200, ""), protocol.HTTPSend{URL: "file:///etc/passwd"}, refused},
		{"the same origin, written otherwise", answer(200, "ok"), protocol.HTTPSend{URL: "HTTPS://Model.Example:443/v1"}, protocol.HTTP{Status: 200, Body: "ok"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := newClient(c.rt)
			cl.allow([]string{origin + ":443"})
			r := c.send
			r.ID, c.want.ID = "h1", "h1"
			if r.URL == "" {
				r.URL = origin + "/v1"
			}
			if r.Method == "" {
				r.Method = http.MethodPost
			}
			if r.MaxBytes == 0 {
				r.MaxBytes = 1 << 20
			}
			if r.TimeoutMS == 0 {
				r.TimeoutMS = 60_000
			}
			if e := cl.Send(r); e != protocol.OK {
				t.Fatalf("Send = %v", e)
			}
			got, err := cl.next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := cl.waiting(); n != 0 {
				t.Errorf("%d requests are left", n)
			}
		})
	}
}

var refused = protocol.HTTP{Failure: "origin", Detail: "the address is not at a configured endpoint"}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestClientSendsWhatItWasGiven(t *testing.T) {
	var got []string
	cl := newClient(transport(func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		got = []string{r.Method, r.URL.String(), r.Header.Get("Authorization"), string(body)}
		return answer(204, "")(r)
	}))
	cl.allow([]string{origin})
	cl.Send(protocol.HTTPSend{ID: "h1", Method: "POST", URL: origin + "/v1/chat", TimeoutMS: 60_000, MaxBytes: 10, Body: `{"x":1}`,
		Headers: []protocol.Header{{Name: "authorization", Value: "Bearer k"}}})
	if _, err := cl.next(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"POST", origin + "/v1/chat", "Bearer k", `{"x":1}`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOriginsAreFixedOnce(t *testing.T) {
	cl := newClient(answer(200, "ok"))
	end := func(id, url string) string {
		cl.Send(protocol.HTTPSend{ID: id, Method: "GET", URL: url, TimeoutMS: 60_000, MaxBytes: 10})
		e, err := cl.next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return e.Failure + e.Body
	}
	if got := end("h1", origin); got != "origin" {
		t.Errorf("before the guest is ready: %q, want a refusal", got)
	}
	cl.allow([]string{origin, "nonsense", "ftp://files.example"})
	cl.allow([]string{"https://elsewhere.example"})
	if got := end("h2", origin); got != "ok" {
		t.Errorf("named at first: %q, want ok", got)
	}
	if got := end("h3", "https://elsewhere.example"); got != "origin" {
		t.Errorf("named later: %q, want a refusal", got)
	}
	cl.reset()
	if got := end("h4", origin); got != "origin" {
		t.Errorf("after a restart: %q, want a refusal", got)
	}
}

func TestOpenRequestsAreBoundedAndCanBeForgotten(t *testing.T) {
	cl := newClient(transport(hangs))
	cl.allow([]string{origin})
	send := func(id string) protocol.Errno {
		return cl.Send(protocol.HTTPSend{ID: id, Method: "GET", URL: origin, TimeoutMS: 60_000, MaxBytes: 10})
	}
	for i := range maxOpen {
		if e := send(strconv.Itoa(i)); e != protocol.OK {
			t.Fatalf("request %d: %v", i, e)
		}
	}
	if e := send("one more"); e != protocol.ErrnoRefused {
		t.Errorf("one more than %d: %v, want a refusal", maxOpen, e)
	}
	cl.Cancel("3")
	cl.Cancel("never sent")
	if e := send("4"); e != protocol.ErrnoRefused {
		t.Errorf("an id that is in use: %v, want a refusal", e)
	}
	if e := send("3"); e != protocol.OK {
		t.Errorf("the id of a cancelled request: %v", e)
	}
	cl.reset()
	if n := cl.waiting(); n != 0 {
		t.Errorf("%d requests are left after a reset", n)
	}
	// The ends of what was forgotten come to nobody.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if e, err := cl.next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("next gave %v, %v; want nothing", e, err)
	}
}

func TestNextNeedsATransport(t *testing.T) {
	h := open(t, handmade(echo), Config{})
	if _, err := h.Next(context.Background()); err == nil || err.Error() != "wait for a request: the harness has no transport" {
		t.Errorf("error %v", err)
	}
	if n := h.Waiting(); n != 0 {
		t.Errorf("%d requests without a transport", n)
	}
}
