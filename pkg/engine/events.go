package engine

import (
	"maps"
	"slices"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// sessionOf gives the session that an event belongs to; empty when it is of none. A child's ask belongs to
// the session that the person talks to.
func sessionOf(ev protocol.Event) string {
	switch e := ev.(type) {
	case *protocol.Session:
		return e.Session
	case *protocol.User:
		return e.Session
	case *protocol.Text:
		return e.Session
	case *protocol.Tool:
		return e.Session
	case *protocol.Shell:
		return e.Session
	case *protocol.TurnStart:
		return e.Session
	case *protocol.StepEnd:
		return e.Session
	case *protocol.TurnEnd:
		return e.Session
	case *protocol.Compacting:
		return e.Session
	case *protocol.Compacted:
		return e.Session
	case *protocol.Reverted:
		return e.Session
	case *protocol.Closed:
		return e.Session
	case *protocol.History:
		return e.Session
	case *protocol.Signals:
		return e.Session
	case *protocol.Receipt:
		return e.Session
	case *protocol.Consult:
		return e.Session
	case *protocol.Command:
		return e.Session
	case *protocol.Permission:
		if e.Top != "" {
			return e.Top
		}
		return e.Session
	}
	return ""
}

func sortedIDs[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
