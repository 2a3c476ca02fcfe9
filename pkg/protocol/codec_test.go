package protocol

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppendString(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{`quote " and \`, `"quote \" and \\"`},
		{"\n\r\t\b\f", `"\n\r\t\b\f"`},
		{"\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"<a href='x'>&</a>", `"<a href='x'>&</a>"`},
		{"né 漢 😀", `"né 漢 😀"`},
		{"a\xffb\xc3", `"a�b�"`},
		{"\xed\xa0\x80", `"���"`}, // a surrogate half, as UTF-8 must not have it
		{"\uFFFD", `"�"`},
	} {
		if got := string(AppendString(nil, c.in)); got != c.want {
			t.Errorf("AppendString(%q) = %s, want %s", c.in, got, c.want)
		}
	}
}

func TestAppendRawKeepsTheMessageWhole(t *testing.T) {
	for in, want := range map[JSON]string{
		"":                         "null",
		`{"a":[1,2]}`:              `{"a":[1,2]}`,
		`{"a":1}, "b":2`:           "null",
		`{"a":`:                    "null",
		`"unclosed`:                "null",
		JSON(nested(MaxDepth)):     nested(MaxDepth),
		JSON(nested(1 + MaxDepth)): "null",
	} {
		if got := string(AppendRaw(nil, in)); got != want {
			t.Errorf("AppendRaw(%.40q) = %.40q, want %.40q", in, got, want)
		}
	}
}

func TestEncodingPutsTheTypeFirstAndOmitsWhatIsEmpty(t *testing.T) {
	for _, c := range []struct {
		event Event
		want  string
	}{
		{&Shutdown{}, `{"type":"shutdown"}`},
		{&Timer{ID: "t1"}, `{"type":"timer","id":"t1"}`},
		{&Tool{Session: "s", Call: "c", Name: "bash"}, `{"type":"tool","session":"s","call":"c","name":"bash"}`},
		{&StepEnd{Session: "s"}, `{"type":"step_end","session":"s"}`},
		{&StepEnd{Session: "s", Tokens: Tokens{Output: 3}}, `{"type":"step_end","session":"s","tokens":{"output":3}}`},
		{&Loaded{Session: "s", State: `{"v":1}`, Reviewer: true}, `{"type":"loaded","session":"s","state":{"v":1},"reviewer":true}`},
		{&History{Session: "s", Events: []Event{&Timer{ID: "t"}}}, `{"type":"history","session":"s","events":[{"type":"timer","id":"t"}]}`},
	} {
		if diff := cmp.Diff(c.want, string(AppendEvent(nil, c.event))); diff != "" {
			t.Errorf("%T (-want +got):\n%s", c.event, diff)
		}
	}
	if got, want := string(AppendOutcome(nil, Outcome{})), `{"effects":[]}`; got != want {
		t.Errorf("an empty outcome is %s, want %s", got, want)
	}
}

type foreign struct{}

func (foreign) EventType() string { return "timer" }

func TestAppendEventRefusesWhatIsNotOfTheWire(t *testing.T) {
	defer func() {
		if got, want := recover(), "protocol: encode event: not an event of the wire"; got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	AppendEvent(nil, foreign{})
}

func TestDecodeBatch(t *testing.T) {
	fail := func(kind FailureKind, path, message string) Failure {
		return Failure{Op: "decode", Kind: kind, Path: path, Message: message}
	}
	for _, c := range []struct {
		name, in string
		want     Batch
		failures []Failure
	}{
		{"the ordinary", `{"now":7,"events":[{"type":"timer","id":"t"},{"type":"shutdown"}]}`,
			Batch{Now: 7, Events: []Event{&Timer{ID: "t"}, &Shutdown{}}}, nil},
		{"nothing", `{}`, Batch{}, nil},
		{"white space", " {\n\t\"events\" : [ { \"type\" : \"timer\" , \"id\" : \"t\" } ] }\r\n",
			Batch{Events: []Event{&Timer{ID: "t"}}}, nil},
		{"the type at the end", `{"events":[{"id":"t","type":"timer"}]}`, Batch{Events: []Event{&Timer{ID: "t"}}}, nil},
		{"an escaped key", `{"events":[{"ty\u0070e":"timer","\u0069d":"t"}]}`, Batch{Events: []Event{&Timer{ID: "t"}}}, nil},
		{"an unknown field", `{"x":{"y":[1,null,true,"]"]},"events":[{"type":"timer","new":[{}],"id":"t"}]}`,
			Batch{Events: []Event{&Timer{ID: "t"}}}, nil},
		{"null is absent", `{"now":null,"events":[{"type":"tool","call":null,"input":null,"files":null,"exit":null,"failed":null}]}`,
			Batch{Events: []Event{&Tool{}}}, nil},
		{"raw values are kept as written", `{"events":[{"type":"tool","input": {"a" : [1.50, "\u00e9"]} }]}`,
			Batch{Events: []Event{&Tool{Input: `{"a" : [1.50, "\u00e9"]}`}}}, nil},
		{"the last of equal keys", `{"events":[{"type":"timer","id":"a","id":"b"}]}`, Batch{Events: []Event{&Timer{ID: "b"}}}, nil},
		{"escapes", `{"events":[{"type":"timer","id":"\"\\\/\b\f\n\r\t\u0041\u00E9"}]}`,
			Batch{Events: []Event{&Timer{ID: "\"\\/\b\f\n\r\tA\u00e9"}}}, nil},
		{"a bad escape", `{"events":[{"type":"timer","id":"a\u00g0"}]}`, Batch{},
			[]Failure{fail(FailSyntax, "message", "bad escape in a string at byte 34")}},
		{"surrogates", `{"events":[{"type":"timer","id":"\ud83d\ude00 \ud83d \ude00 \ud83dx \ud83d\u0041"}]}`,
			Batch{Events: []Event{&Timer{ID: "😀 � � �x �A"}}}, nil},
		{"invalid UTF-8", "{\"events\":[{\"type\":\"timer\",\"id\":\"a\xffb\"}]}", Batch{Events: []Event{&Timer{ID: "a\uFFFDb"}}}, nil},
		{"a fraction is cut off", `{"now":1700000000000.75,"events":[{"type":"tool","exit":-1.9},{"type":"tool","exit":2e3}]}`,
			Batch{Now: 1700000000000, Events: []Event{&Tool{Exit: -1}, &Tool{Exit: 2000}}}, nil},
		{"the widest integers", `{"now":9223372036854775807,"events":[{"type":"user","created":-9223372036854775808}]}`,
			Batch{Now: math.MaxInt64, Events: []Event{&User{Created: math.MinInt64}}}, nil},

		{"an unknown type", `{"events":[{"type":"zap","id":[]},{"type":"timer","id":"t"}]}`, Batch{Events: []Event{&Timer{ID: "t"}}},
			[]Failure{fail(FailUnknown, "event.zap", "unknown type; it is ignored")}},
		{"a field of the wrong type", `{"events":[{"type":"tool","exit":"1"},{"type":"timer","id":"t"}]}`,
			Batch{Events: []Event{&Timer{ID: "t"}}},
			[]Failure{fail(FailType, "tool.exit", "want a whole number, got a string")}},
		{"an element of the wrong type", `{"events":[{"type":"tool","files":["a",1]}]}`, Batch{},
			[]Failure{fail(FailType, "tool.files", "want a string, got a number")}},
		{"a part of the wrong type", `{"events":[{"type":"tool","diagnostics":[{"path":"a","line":{}}]}]}`, Batch{},
			[]Failure{fail(FailType, "diagnostic.line", "want a whole number, got an object")}},
		{"the first of several faults is told", `{"events":[{"type":"tool","failed":0,"exit":"x"}]}`, Batch{},
			[]Failure{fail(FailType, "tool.failed", "want a boolean, got a number")}},
		{"no type", `{"events":[{"id":"t"},{},{"type":5},7]}`, Batch{}, []Failure{
			fail(FailType, "batch.events", `want an object with a "type"`),
			fail(FailType, "batch.events", `want an object with a "type"`),
			fail(FailType, "batch.events", `want an object with a "type"`),
			fail(FailType, "batch.events", "want an object, got a number")}},
		{"a number out of range", `{"events":[{"type":"tool","exit":9223372036854775808},{"type":"tool","exit":1e999}]}`, Batch{}, []Failure{
			fail(FailType, "tool.exit", "want a whole number of 64 bits, got 9223372036854775808"),
			fail(FailType, "tool.exit", "want a whole number of 64 bits, got 1e999")}},
		{"in a history the event alone is dropped",
			`{"events":[{"type":"history","session":"s","events":[{"type":"user","id":1},{"type":"text","text":"x"},{"type":"zap"}]}]}`,
			Batch{Events: []Event{&History{Session: "s", Events: []Event{&Text{Text: "x"}}}}}, []Failure{
				fail(FailType, "user.id", "want a string, got a number"),
				fail(FailUnknown, "event.zap", "unknown type; it is ignored")}},
		{"events that are no list", `{"events":{"type":"timer"}}`, Batch{},
			[]Failure{fail(FailType, "batch.events", "want an array, got an object")}},
		{"no object", `[]`, Batch{}, []Failure{fail(FailType, "batch", "want an object, got an array")}},

		{"empty", ``, Batch{}, []Failure{fail(FailSyntax, "message", "unexpected end at byte 0")}},
		{"cut in an event", `{"events":[{"type":"shutdown"},{"type":"timer","id":"`, Batch{},
			[]Failure{fail(FailSyntax, "message", "unexpected end in a string at byte 53")}},
		{"text behind it", `{"events":[{"type":"shutdown"}]} x`, Batch{},
			[]Failure{fail(FailSyntax, "message", "unexpected text behind the message at byte 33")}},
		{"a comma too many", `{"events":[{"type":"shutdown"},]}`, Batch{},
			[]Failure{fail(FailSyntax, "message", "want a value at byte 31")}},
		{"a bare control character", "{\"events\":[{\"type\":\"timer\",\"id\":\"a\nb\"}]}", Batch{},
			[]Failure{fail(FailSyntax, "message", "bare control character in a string at byte 34")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, failures := DecodeBatch([]byte(c.in))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("batch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.failures, failures); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}

// nested is n arrays in one another.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// A model writes tool arguments, so deep nesting is an attack on the guest's stack: it
// costs its own event and nothing beside it.
func TestDeepNestingCostsItsEventAlone(t *testing.T) {
	const above = 3 // batch, events, tool
	input := func(n int) string {
		return `{"events":[{"type":"tool","call":"c","input":` + nested(n) + `},{"type":"timer","id":"t"}]}`
	}
	got, failures := DecodeBatch([]byte(input(MaxDepth - above)))
	if len(failures) != 0 || len(got.Events) != 2 {
		t.Errorf("at the bound: %d events, failures %v; want 2 and none", len(got.Events), failures)
	}
	for _, n := range []int{MaxDepth - above + 1, 100_000} {
		got, failures = DecodeBatch([]byte(input(n)))
		if diff := cmp.Diff([]Event{&Timer{ID: "t"}}, got.Events); diff != "" {
			t.Errorf("depth %d (-want +got):\n%s", n, diff)
		}
		want := []Failure{{Op: "decode", Kind: FailDepth, Path: "tool.input", Message: "nested too deep"}}
		if diff := cmp.Diff(want, failures); diff != "" {
			t.Errorf("depth %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestHistoriesInOneAnotherAreBounded(t *testing.T) {
	const each = 2 // brackets for one history: its object and its list
	deep := strings.Repeat(`{"type":"history","events":[`, MaxDepth) + strings.Repeat(`]}`, MaxDepth)
	got, failures := DecodeBatch([]byte(`{"events":[` + deep + `,{"type":"timer","id":"t"}]}`))
	if len(failures) != 1 || failures[0].Kind != FailDepth {
		t.Fatalf("failures %v, want one of kind depth", failures)
	}
	if len(got.Events) != 2 {
		t.Fatalf("%d events, want 2", len(got.Events))
	}
	levels := 0
	for v, ok := got.Events[0].(*History); ok; levels++ {
		if len(v.Events) == 0 {
			break
		}
		v, ok = v.Events[0].(*History)
	}
	if levels > MaxDepth/each {
		t.Errorf("%d histories in one another, want at most %d", levels, MaxDepth/each)
	}
}

func TestDecodeSingle(t *testing.T) {
	if got, err := DecodeEvent([]byte(`{"type":"timer","id":"t"}`)); err != nil || !cmp.Equal(got, Event(&Timer{ID: "t"})) {
		t.Errorf("DecodeEvent = %v, %v", got, err)
	}
	if got, err := DecodeEffect([]byte(`{"type":"load","session":"s"}`)); err != nil || !cmp.Equal(got, Effect(&Load{Session: "s"})) {
		t.Errorf("DecodeEffect = %v, %v", got, err)
	}
	if got, err := DecodeCitation([]byte(`{"kind":"quote","path":"a.go","line":3}`)); err != nil || got != (Citation{Kind: CiteQuote, Path: "a.go", Line: 3}) {
		t.Errorf("DecodeCitation = %v, %v", got, err)
	}
	for in, want := range map[string]string{
		`{"type":"timer"}`:             "decode effect.timer: unknown type; it is ignored",
		`{"type":"load","session":[]}`: "decode load.session: want a string, got an array",
		`{"type":"load"`:               "decode message: want a comma or } at byte 14",
		`{"type":"load"}]`:             "decode message: unexpected text behind the message at byte 15",
		`7`:                            "decode effect: want an object, got a number",
	} {
		if got, err := DecodeEffect([]byte(in)); err == nil || err.Error() != want || got != nil {
			t.Errorf("DecodeEffect(%s) = %v, %v; want error %q", in, got, err, want)
		}
	}
	if got, err := DecodeNote([]byte(`{"id":"n","citations":[{"line":true}]}`)); err == nil ||
		err.Error() != "decode citation.line: want a whole number, got a boolean" || !cmp.Equal(got, Note{}) {
		t.Errorf("DecodeNote = %v, %v", got, err)
	}
}

func TestFailureIsASentence(t *testing.T) {
	f := Failure{Op: "decode", Kind: FailType, Path: "tool.exit", Message: "want a whole number, got a string"}
	if got, want := f.Error(), "decode tool.exit: want a whole number, got a string"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every struct of the wire with every field filled comes back as it was, and encoding/json
// sees the same keys and values in it.
func TestEveryTypeComesBack(t *testing.T) {
	for _, v := range filledEvents() {
		text := AppendEvent(nil, v)
		got, err := DecodeEvent(text)
		if diff := cmp.Diff(v, got); diff != "" || err != nil {
			t.Errorf("%T: %v (-want +got):\n%s", v, err, diff)
		}
		compareKeys(t, v, v.EventType(), text)
	}
	for _, v := range filledEffects() {
		text := AppendEffect(nil, v)
		got, err := DecodeEffect(text)
		if diff := cmp.Diff(v, got); diff != "" || err != nil {
			t.Errorf("%T: %v (-want +got):\n%s", v, err, diff)
		}
		compareKeys(t, v, v.EffectType(), text)
	}
	note := fill(reflect.TypeFor[Note](), 1).Interface().(Note)
	if got, err := DecodeNote(AppendNote(nil, note)); err != nil || cmp.Diff(note, got) != "" {
		t.Errorf("Note: %v\n%s", err, cmp.Diff(note, got))
	}
	batch := Batch{Now: 1, Events: filledEvents()}
	if got, failures := DecodeBatch(AppendBatch(nil, batch)); failures != nil || cmp.Diff(batch, got) != "" {
		t.Errorf("Batch: %v\n%s", failures, cmp.Diff(batch, got))
	}
	outcome := Outcome{Effects: filledEffects()}
	if got, failures := DecodeOutcome(AppendOutcome(nil, outcome)); failures != nil || cmp.Diff(outcome, got) != "" {
		t.Errorf("Outcome: %v\n%s", failures, cmp.Diff(outcome, got))
	}
}

// compareKeys holds text against what encoding/json makes of v's own tags.
func compareKeys(t *testing.T, v any, name string, text []byte) {
	t.Helper()
	if !bytes.HasPrefix(text, []byte(`{"type":"`+name+`"`)) {
		t.Errorf("%T does not begin with its type: %.60s", v, text)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Errorf("%T is not JSON: %v", v, err)
		return
	}
	delete(got, "type")
	want := plainValue(reflect.ValueOf(v).Elem())
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("%T (-want +got):\n%s", v, diff)
	}
}
