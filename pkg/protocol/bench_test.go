package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/buger/jsonparser"
)

// The baseline is encoding/json on twins of the wire's structs: the same tags, with JSON as
// json.RawMessage. It reads a batch as anyone would who has no generated
// code: the list raw, each event's type, then the event.

// benchBatch is an ordinary step: a message, prose, ten tool calls with 4 KB of source each.
func benchBatch() Batch {
	source := strings.Repeat("\tif err := run(ctx, \"name\"); err != nil {\n\t\treturn fmt.Errorf(\"run %s: %w\", name, err)\n\t}\n", 44)
	b := Batch{Now: 1700000000000, Events: []Event{
		&User{Session: "ses_0123456789", ID: "msg_0123456789abcdef", Text: "make the tests of the parser pass, and explain 漢字", Created: 1700000000000, Typed: true},
		&Text{Session: "ses_0123456789", Message: "msg_1", Text: strings.Repeat("The parser drops the last byte of a line. ", 20)},
	}}
	for range 10 {
		b.Events = append(b.Events, &Tool{Session: "ses_0123456789", Message: "msg_1", Call: "call_0123456789", Name: "read",
			Input: `{"filePath":"internal/parser/parser.go","offset":100,"limit":200}`, Output: source, HasExit: true,
			Files: []string{"internal/parser/parser.go"}})
	}
	b.Events = append(b.Events, &StepEnd{Session: "ses_0123456789", Message: "msg_1", Finish: "tool-calls", Tokens: Tokens{Input: 12000, Output: 400}})
	return b
}

func benchOutcome() Outcome {
	return Outcome{Effects: []Effect{
		&Append{Log: "advisor", Line: `{"at":1700000000000,"session":"ses_0123456789","verdict":"silent","tokens":1234}`},
		&SetTimer{ID: "review:ses_0123456789", MS: 400},
		&Deliver{Session: "ses_0123456789", ID: "msg_0123456789abcdef01234567", Severity: "concern", Description: "concern: parser.go:120",
			Text: strings.Repeat("The loop in parser.go:120 stops one byte early, see \"line[:len(line)-1]\".\n", 8), Notes: []string{"n_0123456789ab"}},
		&Save{Session: "ses_0123456789", State: JSON(`{"v":1,"cursor":` + strings.Repeat(`{"a":["b",1,true]},"x":`, 20) + `1}`)},
	}}
}

var twins = map[reflect.Type]reflect.Type{}

// twinOf gives t with json.RawMessage for JSON, and everything else alike.
func twinOf(t reflect.Type) reflect.Type {
	if twin := twins[t]; twin != nil {
		return twin
	}
	twin := t
	switch {
	case t == reflect.TypeFor[JSON](), t.Kind() == reflect.Interface:
		twin = reflect.TypeFor[json.RawMessage]()
	case t.Kind() == reflect.Slice:
		twin = reflect.SliceOf(twinOf(t.Elem()))
	case t.Kind() == reflect.Struct:
		var fields []reflect.StructField
		for i := range t.NumField() {
			f := t.Field(i)
			fields = append(fields, reflect.StructField{Name: f.Name, Type: twinOf(f.Type), Tag: f.Tag})
		}
		twin = reflect.StructOf(fields)
	}
	twins[t] = twin
	return twin
}

func BenchmarkDecodeBatch(b *testing.B) {
	text := AppendBatch(nil, benchBatch())
	b.Run("generated", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if v, failures := DecodeBatch(text); len(v.Events) != 13 || failures != nil {
				b.Fatal(failures)
			}
		}
	})
	// A path library instead of a decoder: it checks less (raw values, unknown fields), and
	// walks each level of nesting again.
	b.Run("jsonparser", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			events := 0
			_, err := jsonparser.ArrayEach(text, func(event []byte, _ jsonparser.ValueType, _ int, _ error) {
				events++
				_ = jsonparser.ObjectEach(event, func(_, value []byte, t jsonparser.ValueType, _ int) error {
					if t == jsonparser.String {
						s, err := jsonparser.ParseString(value)
						sink = s
						return err
					}
					sink = string(value)
					return nil
				})
			}, "events")
			if err != nil || events != 13 {
				b.Fatal(events, err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for name := range eventTypes {
			twinOf(eventTypes[name])
		}
		for b.Loop() {
			var batch struct {
				Now    int64             `json:"now"`
				Events []json.RawMessage `json:"events"`
			}
			if err := json.Unmarshal(text, &batch); err != nil || len(batch.Events) != 13 {
				b.Fatal(err)
			}
			for _, raw := range batch.Events {
				var head struct {
					Type string `json:"type"`
				}
				if err := json.Unmarshal(raw, &head); err != nil {
					b.Fatal(err)
				}
				if err := json.Unmarshal(raw, reflect.New(twins[eventTypes[head.Type]]).Interface()); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	// The strictest baseline: all events are of one type, and the library knows it beforehand.
	b.Run("encoding-json-one-type", func(b *testing.B) {
		tools := AppendBatch(nil, Batch{Events: benchBatch().Events[2:12]})
		batch := reflect.StructOf([]reflect.StructField{{Name: "Events", Type: reflect.SliceOf(twinOf(reflect.TypeFor[Tool]())), Tag: `json:"events"`}})
		b.SetBytes(int64(len(tools)))
		b.ReportAllocs()
		for b.Loop() {
			if err := json.Unmarshal(tools, reflect.New(batch).Interface()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

var sink string

func BenchmarkEncodeOutcome(b *testing.B) {
	o := benchOutcome()
	size := int64(len(AppendOutcome(nil, o)))
	b.Run("generated", func(b *testing.B) {
		b.SetBytes(size)
		b.ReportAllocs()
		var buf []byte
		for b.Loop() {
			buf = AppendOutcome(buf[:0], o)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		type typed struct {
			Type string `json:"type"`
			Body any
		}
		twin := struct {
			Effects []any `json:"effects"`
		}{}
		for _, e := range o.Effects {
			t := reflect.TypeOf(e).Elem()
			v := reflect.New(twinOf(t)).Elem()
			for i := range t.NumField() {
				v.Field(i).Set(reflect.ValueOf(e).Elem().Field(i).Convert(v.Field(i).Type()))
			}
			twin.Effects = append(twin.Effects, typed{e.EffectType(), v.Interface()})
		}
		b.SetBytes(size)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(twin); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncodeBatch(b *testing.B) {
	batch := benchBatch()
	size := int64(len(AppendBatch(nil, batch)))
	b.SetBytes(size)
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = AppendBatch(buf[:0], batch)
	}
}
