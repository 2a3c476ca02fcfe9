package harness_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/Kayphoon/opencode-advisor/internal/guest"
	"github.com/Kayphoon/opencode-advisor/pkg/harness"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// reviewer is a model that reads the file, has one thing to say, and is done.
type reviewer struct{ asked int }

func (r *reviewer) RoundTrip(request *http.Request) (*http.Response, error) {
	replies := []string{
		`{"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"sum.go\"}"}}]}`,
		`{"tool_calls":[{"id":"c2","type":"function","function":{"name":"advise","arguments":"{\"note\":\"The last element is left out.\",\"severity\":\"concern\",\"verdict\":\"confirmed\",\"category\":\"bug\",\"citations\":[{\"kind\":\"quote\",\"path\":\"sum.go\",\"line\":4,\"quote\":\"i < len(list)-1\"}]}"}}]}`,
		`{"content":"silent"}`,
	}
	reply := `{"choices":[{"message":` + replies[min(r.asked, len(replies)-1)] + `}]}`
	r.asked++
	fmt.Println("the reviewer is asked at", request.URL)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(reply))}, nil
}

// Example runs the advisor on a folder: one turn of a coding agent, and what the reviewer says of it.
func Example() {
	ctx := context.Background()
	root, _ := os.MkdirTemp("", "workspace")
	defer os.RemoveAll(root)
	root, _ = filepath.EvalSymlinks(root)
	source := "package sum\n\nfunc Sum(list []int) (n int) {\n\tfor i := 0; i < len(list)-1; i++ {\n\t\tn += list[i]\n\t}\n\treturn n\n}\n"
	_ = os.WriteFile(filepath.Join(root, "sum.go"), []byte(source), 0o600)

	wasm, err := guest.Wasm() // or os.ReadFile("superadvisor.wasm")
	if err != nil {
		fmt.Println(err)
		return
	}
	cache, _ := guest.CacheDir()
	h, err := harness.New(ctx, wasm, harness.Config{Root: root, Transport: &reviewer{}, CacheDir: cache})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close(ctx)

	events := []protocol.Event{
		&protocol.Init{
			ABI: protocol.ABIVersion, Version: "0.0.0", Host: "harness", Seed: strings.Repeat("5a", 32),
			Directory: root, Root: root, Home: root, ConfigHome: root, DataHome: root,
			Options: `{"watchdogModel":"any/reviewer","provider":{"baseURL":"https://model.example/v1","apiKey":"secret"},"debounceMs":0}`,
		},
		&protocol.Session{Session: "s", Complete: true},
		&protocol.User{Session: "s", ID: "m1", Text: "Write Sum in sum.go.", Created: 1, Typed: true},
		&protocol.Tool{Session: "s", Call: "t1", Name: "write", Input: `{"path":"sum.go"}`, Output: "written", Files: []string{"sum.go"}},
		&protocol.StepEnd{Session: "s", Finish: "stop"},
		&protocol.TurnEnd{Session: "s", Outcome: "ok"},
	}
	for len(events) > 0 || h.Waiting() > 0 {
		if len(events) == 0 {
			end, err := h.Next(ctx)
			if err != nil {
				fmt.Println(err)
				return
			}
			events = append(events, end)
		}
		effects, err := h.Do(ctx, events...)
		if err != nil {
			fmt.Println(err)
			return
		}
		events = nil
		for _, e := range effects {
			switch e := e.(type) {
			case *protocol.Need: // no files, no settings
				events = append(events, &protocol.Provided{ID: e.ID})
			case *protocol.Ready:
				fmt.Println("ready for", e.Origins)
			case *protocol.Load: // nothing is stored
				events = append(events, &protocol.Loaded{Session: e.Session, Reviewer: true})
			case *protocol.Heed: // nobody has left a wish
				events = append(events, &protocol.Heard{ID: e.ID})
			case *protocol.SignalsWanted:
				events = append(events, &protocol.Signals{Session: e.Session, ID: e.ID})
			case *protocol.SetTimer:
				if e.MS == 0 {
					events = append(events, &protocol.Timer{ID: e.ID})
				}
			case *protocol.Deliver:
				fmt.Printf("deliver, wake %v: %s\n", e.Wake, e.Description)
				events = append(events, &protocol.Receipt{Session: e.Session, ID: e.ID, State: "admitted"})
			}
		}
	}
	// Output:
	// ready for [https://model.example:443]
	// the reviewer is asked at https://model.example/v1/chat/completions
	// the reviewer is asked at https://model.example/v1/chat/completions
	// the reviewer is asked at https://model.example/v1/chat/completions
	// deliver, wake false: Advisor concern at sum.go:4: The last element is left out.
}
