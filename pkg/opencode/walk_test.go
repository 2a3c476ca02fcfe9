package opencode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// recorder notes what a walker reports.
type recorder struct {
	docs [][]string // the leaves of each object that was whole
	now  []string
}

func (r *recorder) begin()           { r.now = nil }
func (r *recorder) limit(string) int { return 1 << 20 }
func (r *recorder) leaf(l leaf)      { r.now = append(r.now, fmt.Sprintf("%s=%s", l.key, l.text)) }
func (r *recorder) end(ok bool) {
	if ok {
		slices.Sort(r.now)
		r.docs = append(r.docs, r.now)
	}
}

func walkIn(pieces ...[]byte) [][]string {
	r := &recorder{}
	w := &walker{h: r}
	for _, p := range pieces {
		w.write(p)
	}
	w.close()
	return r.docs
}

// slowly finds the leaves of one JSON object by way of encoding/json.
func slowly(text []byte) ([]string, bool) {
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, false
	}
	var out []string
	var visit func(key string, v any)
	visit = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, item := range v {
				visit(keyNames[k], item)
			}
		case []any:
			for _, item := range v {
				visit(key, item)
			}
		case nil:
			out = append(out, key+"=null")
		default:
			out = append(out, fmt.Sprintf("%s=%v", key, v))
		}
	}
	visit("", v)
	slices.Sort(out)
	return out, true
}

func TestWalkerFindsObjectsAmongOtherText(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     [][]string
	}{
		{"nothing", "", nil},
		{"one", `{"type":"text","part":{"text":"hi"}}`, [][]string{{"text=hi", "type=text"}}},
		{"text around", "warn {x} {\"type\":\"a\"} tail {\"type\":\"b\"}\nend", [][]string{{"type=a"}, {"type=b"}}},
		{"a broken line", "{\"type\":\"a\n{\"type\":\"b\"}\n", [][]string{{"type=b"}}},
		{"cut at the end", `{"type":"a"} {"type":"b`, [][]string{{"type=a"}}},
		{"brace after brace", `{{"type":"a"}`, [][]string{{"type=a"}}},
		{"escapes", `{"text":"\u00e9\ud83d\ude00\n\"\/\ud83dx\ude00"}`, [][]string{{"text=é😀\n\"/\ufffdx\ufffd"}}},
		{"an escaped key", `{"t\u0065xt":"a"}`, [][]string{{"text=a"}}},
		{"arrays name their items", `{"files":["a",["b"],{"path":"c"}]}`, [][]string{{"files=a", "files=b", "path=c"}}},
		{"literals", `{"cost":1.5e-3,"status":true,"code":null}`, [][]string{{"code=null", "cost=1.5e-3", "status=true"}}},
		{"a trailing comma", `{"type":"a",}`, nil},
		{"a missing colon", `{"type" "a"}`, nil},
		{"a bad literal", `{"cost":nope}`, nil},
		{"the wrong bracket", `{"files":["a"}`, nil},
		{"a raw control character", "{\"text\":\"a\x01\"}", nil},
		{"too deep", strings.Repeat(`{"part":`, 300) + "1" + strings.Repeat("}", 300), nil},
	} {
		if diff := cmp.Diff(c.want, walkIn([]byte(c.in))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func FuzzWalker(f *testing.F) {
	for _, seed := range []string{
		`{"type":"text","part":{"text":"hi\u00e9\ud83d\ude00"}}`, `x {"files":["a",1,true,null,{"path":"b"}]} y`, "{\"a\":\"\n{}", `{"cost":-0.5e+3}`, `{{}}`,
	} {
		f.Add([]byte(seed), uint(3))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		whole := walkIn(data)
		// However the stream is cut, the result is the same.
		at := int(cut % uint(len(data)+1))
		if diff := cmp.Diff(whole, walkIn(data[:at], data[at:])); diff != "" {
			t.Errorf("cut at %d: %s", at, diff)
		}
		bytewise := make([][]byte, len(data))
		for i := range data {
			bytewise[i] = data[i : i+1]
		}
		if diff := cmp.Diff(whole, walkIn(bytewise...)); diff != "" {
			t.Errorf("byte by byte: %s", diff)
		}
		// A line that encoding/json takes for one object is one object to the walker, with the same leaves.
		// Invalid UTF-8, duplicate keys and deep nesting are where the two may differ.
		if !json.Valid(data) || bytes.ContainsAny(data, "\n") || strings.ToValidUTF8(string(data), "") != string(data) || bytes.Count(data, []byte{'{'})+bytes.Count(data, []byte{'['}) > 50 {
			return
		}
		want, ok := slowly(data)
		if !ok || bytes.Count(data, []byte(`"`)) == 0 || hasDuplicateKeys(data) {
			return
		}
		if diff := cmp.Diff([][]string{want}, whole); diff != "" && !longNumber(data) {
			t.Errorf("encoding/json finds other leaves: %s", diff)
		}
	})
}

// longNumber tells texts with a literal longer than the walker keeps.
func longNumber(data []byte) bool {
	run := 0
	for _, c := range data {
		if run++; !isLiteral(c) {
			run = 0
		}
		if run >= maxKey {
			return true
		}
	}
	return false
}

// hasDuplicateKeys compares the number of tokens before and after a round trip that drops duplicates.
func hasDuplicateKeys(data []byte) bool {
	count := func(b []byte) (n int) {
		dec := json.NewDecoder(bytes.NewReader(b))
		for {
			if _, err := dec.Token(); err != nil {
				return n
			}
			n++
		}
	}
	var v any
	if json.Unmarshal(data, &v) != nil {
		return true
	}
	again, err := json.Marshal(v)
	return err != nil || count(again) != count(data)
}
