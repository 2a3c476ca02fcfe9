package bench

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/llm"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Model is a real reviewer at an endpoint. It gets the core's requests as they are, and the bench's clock goes by as
// long as it takes.
type Model struct {
	Port     llm.Port
	Endpoint config.Endpoint // over HTTP
	// Failed counts requests without an answer of status 200, and Last says why the latest had none.
	Failed int
	Last   string
}

// coolMS is really waited for after an endpoint has asked for less: the core waits on the bench's clock, which no endpoint keeps.
const coolMS = 5_000

// Options are the plugin's, with which the core asks this model.
func (m *Model) Options() string {
	ref := config.Ref{Provider: m.Endpoint.Provider, Model: m.Endpoint.Model, Variant: m.Endpoint.Effort}
	way := input("baseURL", m.Endpoint.BaseURL, "apiKey", m.Endpoint.APIKey)
	if m.Endpoint.APIKey == "" {
		way = input("baseURL", m.Endpoint.BaseURL)
	}
	b := protocol.AppendString([]byte(`{"watchdogModel":`), ref.String())
	return string(append(append(append(b, `,"provider":`...), way...), '}'))
}

// Answer implements Reviewer.
func (m *Model) Answer(_ *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	request := llm.HTTPRequest{Method: r.Method, URL: r.URL, Body: []byte(r.Body), TimeoutMS: r.TimeoutMS, MaxBytes: r.MaxBytes}
	for _, h := range append(r.Headers, m.Endpoint.Headers...) {
		request.Headers = append(request.Headers, llm.Header(h))
	}
	began := m.Port.Now()
	got := m.Port.RoundTrip(request)
	ms := m.Port.Now() - began
	reply := &protocol.HTTP{Status: got.Status, Body: string(got.Body), Cut: got.Cut, Failure: got.Failure, Detail: got.Detail}
	for _, h := range got.Headers {
		reply.Headers = append(reply.Headers, protocol.Header(h))
	}
	if reply.Status != 200 {
		m.Failed++
		if m.Last = "status " + strconv.Itoa(reply.Status); reply.Status == 0 {
			m.Last = reply.Failure + " " + reply.Detail
		}
	}
	if reply.Status == 429 {
		m.Port.Sleep(coolMS)
	}
	return reply, ms
}
