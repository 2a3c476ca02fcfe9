package engine

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestRehearsal(t *testing.T) {
	d := desk{port: port{e: New(&rehearsal{})}}
	d.e.init = &protocol.Init{Version: "1.2.3"}
	said, failed := d.Rehearse()
	if failed || !strings.Contains(said, "a note with a true quote was delivered and seen") {
		t.Error(said)
	}
	// A reviewer that never cites what the file has must not pass for one that does.
	was := rehearsalReplies[1]
	t.Cleanup(func() { rehearsalReplies[1] = was })
	rehearsalReplies[1] = strings.ReplaceAll(was, `\"return null\"`, `\"return user\"`)
	if said, failed := d.Rehearse(); !failed || !strings.HasPrefix(said, "the rehearsal did not go as it must: ") {
		t.Errorf("with two invented quotes: %s", said)
	}
}
