package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// note is one note of the advisor, as reported.
type note struct {
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Place    string `json:"place,omitempty"` // path:line of its first citation
	Fate     string `json:"fate"`            // "delivered", or why it was not
}

// advice is what the advisor did in a session.
type advice struct {
	Notes     []note `json:"notes"`
	Reviews   int64  `json:"reviews"`
	Unended   bool   `json:"unended"` // a review was cut off by the end of the run
	TokensIn  int64  `json:"tokensIn"`
	TokensOut int64  `json:"tokensOut"`
}

// readAdvisor reads the state that the plugin keeps of a session, without secrets. Without a state there was no
// review.
func readAdvisor(stateHome, session string, secrets *redact.Redactor) (advice, error) {
	out := advice{Notes: []note{}}
	name := sha256.Sum256([]byte(session))
	data, err := os.ReadFile(filepath.Join(stateHome, "opencode-superadvisor", "sessions", hex.EncodeToString(name[:])+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("read the advisor's state: %w", err)
	}
	state, err := protocol.DecodeStoredSession(data)
	if err != nil {
		return out, fmt.Errorf("read the advisor's state: %w", err)
	}
	out.Unended = state.Owed
	for _, c := range state.Counts {
		switch c.Name {
		case "review.started":
			out.Reviews = c.N
		case "tokens.in":
			out.TokensIn = c.N
		case "tokens.out":
			out.TokensOut = c.N
		}
	}
	for _, n := range state.Notes {
		shown := note{Severity: string(n.Note.Severity), Text: secrets.Text(n.Note.Text), Fate: n.Fate}
		for _, c := range n.Note.Citations {
			if c.Path != "" {
				shown.Place = fmt.Sprintf("%s:%d", c.Path, c.Line)
				break
			}
		}
		out.Notes = append(out.Notes, shown)
	}
	return out, nil
}

// rank orders severities; 0 is none.
func rank(severity string) int {
	switch severity {
	case "nit":
		return 1
	case "concern":
		return 2
	case "blocker":
		return 3
	}
	return 0
}
