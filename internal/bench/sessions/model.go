package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Model is a real reviewer at an OpenAI-compatible endpoint. It gets the core's requests as they are, and the
// bench's clock goes by as long as it takes.
type Model struct {
	URL, Name, Key string
	// Failed counts requests without an answer of status 200, and Last says why the latest had none.
	Failed int
	Last   string
}

// maxReply bounds what is read of an answer, as in the loader.
const maxReply = 4 << 20

func (m *Model) options() (string, error) {
	text, err := json.Marshal(map[string]any{"watchdogModel": "bench/" + m.Name, "provider": map[string]string{"baseURL": m.URL, "apiKey": m.Key}})
	return string(text), err
}

// Answer implements Reviewer.
func (m *Model) Answer(_ *Scene, r protocol.HTTPSend) (*protocol.HTTP, int64) {
	begin := time.Now()
	reply := m.send(r)
	if reply.Status != http.StatusOK {
		m.Failed++
		m.Last = fmt.Sprintf("status %d %s %s", reply.Status, reply.Failure, reply.Detail)
	}
	return reply, time.Since(begin).Milliseconds()
}

func (m *Model) send(r protocol.HTTPSend) *protocol.HTTP {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.TimeoutMS)*time.Millisecond)
	defer cancel()
	fail := func(err error) *protocol.HTTP {
		if ctx.Err() != nil {
			return &protocol.HTTP{Failure: "timeout"}
		}
		return &protocol.HTTP{Failure: "network", Detail: err.Error()}
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return fail(err)
	}
	for _, h := range r.Headers {
		request.Header.Set(h.Name, h.Value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fail(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return fail(err)
	}
	out := &protocol.HTTP{Status: response.StatusCode, Body: strings.ToValidUTF8(string(body), "\uFFFD")}
	for name, values := range response.Header {
		out.Headers = append(out.Headers, protocol.Header{Name: strings.ToLower(name), Value: strings.Join(values, ", ")})
	}
	return out
}

// Watch lets the model watch all sessions behind the native engine, and tells of each as it ends.
func (m *Model) Watch(all []*Session, progress io.Writer) (Row, error) {
	row := Row{Reviewer: m.Name, Rules: true}
	options, err := m.options()
	if err != nil {
		return row, err
	}
	for i, s := range all {
		if err := play(s, m, Setup{Start: Native, Options: options}, &row); err != nil {
			return row, err
		}
		fmt.Fprintf(progress, "%d of %d: %s, %d requests so far\n", i+1, len(all), s.Name, row.Requests)
	}
	row.finish()
	if row.Requests == 0 || m.Failed == row.Requests {
		return row, fmt.Errorf("%s at %s answered none of %d requests: %s", m.Name, m.URL, row.Requests, m.Last)
	}
	if m.Failed > 0 {
		fmt.Fprintf(progress, "%d of %d requests failed; the last one: %s\n", m.Failed, row.Requests, m.Last)
	}
	return row, nil
}
