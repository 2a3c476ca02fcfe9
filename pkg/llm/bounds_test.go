package llm

import (
	"strings"
	"testing"
)

// Nothing here is measured. When each bracket looks for the beginning of its line, these take minutes in the guest.
func TestALineOfBracketsIsLookedAtOnce(t *testing.T) {
	for _, text := range []string{"a" + strings.Repeat("{", maxRepair), strings.Repeat(" ", maxRepair/2) + "a" + strings.Repeat("[", maxRepair/2)} {
		r := ParseText(text+"\n", []Tool{{Name: "read"}})
		if len(r.ToolCalls) != 0 || r.Text != text+"\n" {
			t.Errorf("%d calls in a text of brackets", len(r.ToolCalls))
		}
	}
	r := ParseText("see [1] {2} and then\n{\"tool\":\"read\",\"args\":{}}", []Tool{{Name: "read"}})
	if len(r.ToolCalls) != 1 || r.Text != "see [1] {2} and then" {
		t.Errorf("%d calls, text %q", len(r.ToolCalls), r.Text)
	}
}

// A name and an id come back with each request of the conversation, and a name goes into the trace.
func TestNamesAndIDsOfCallsAreBounded(t *testing.T) {
	long := strings.Repeat("n", 5_000)
	r, err := ParseReply(200, nil, []byte(`{"choices":[{"message":{"tool_calls":[{"id":"`+long+`","function":{"name":"`+long+`","arguments":"{}"}}]}}]}`))
	if err != nil || len(r.ToolCalls) != 1 || len(r.ToolCalls[0].Name) != maxName || r.ToolCalls[0].ID == "" || len(r.ToolCalls[0].ID) > maxID {
		t.Errorf("%v, %+v", err, r.ToolCalls)
	}
	if r := ParseText(`{"tool":"`+long+`","args":{}}`, nil); len(r.ToolCalls) != 1 || len(r.ToolCalls[0].Name) != maxName {
		t.Errorf("%+v", r.ToolCalls)
	}
}
