package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServesUntilStdinCloses(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"models": {"m1": [{"text": "from the file"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run([]string{"-script", script}, inR, outW, io.Discard) }()

	line, err := bufio.NewReader(outR).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var at struct {
		URL, BaseURL string
		Port         int
	}
	if err := json.Unmarshal([]byte(line), &at); err != nil || at.BaseURL != at.URL+"/v1" || at.Port == 0 {
		t.Fatalf("line %q: %v", line, err)
	}
	res, err := http.Post(at.BaseURL+"/chat/completions", "application/json", strings.NewReader(`{"model": "m1", "messages": []}`))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if !strings.Contains(string(body), "from the file") {
		t.Errorf("got %s", body)
	}
	inW.Close()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := http.Get(at.URL + "/requests"); err == nil {
		t.Error("the server still answers")
	}
}

func TestBadArguments(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-addr 0.0.0.0:0", "not a loopback address"},
		{"-script /nonexistent.json", "read model script"},
	} {
		err := run(strings.Fields(c.args), strings.NewReader(""), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
	}
}
