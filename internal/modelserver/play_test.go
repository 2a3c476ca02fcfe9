package modelserver

import (
	"context"
	"testing"
)

func TestPlayedModelAnswersByTheRequest(t *testing.T) {
	s, err := Start(Script{Play: map[string]Play{
		"m1":       func(context.Context, Request) Reply { return Reply{Directive: true} },
		"reviewer": func(_ context.Context, r Request) Reply { return Reply{Text: r.Model + " heard " + r.LastText()} },
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, body := ask(t, s, "reviewer", "hello", false); text(t, body) != "reviewer heard hello" {
		t.Errorf("played by its request: %s", body)
	}
	_, body := post(t, s, map[string]any{
		"model": "m1", "tools": v1Tools, "messages": []any{map[string]string{"role": "user", "content": "H1: look. [[read a.txt]]"}},
	})
	if got, want := firstCall(t, body), `read {"filePath":"a.txt"}`; got != want {
		t.Errorf("a directive that is played: got %q, want %q", got, want)
	}
}
