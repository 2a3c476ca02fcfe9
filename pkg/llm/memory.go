package llm

import (
	"slices"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/buger/jsonparser"
)

// Quirks is what an endpoint was found not to take. The bits are append-only: they are stored.
type Quirks uint32

// The quirks.
const (
	TextTools        Quirks = 1 << iota // no native tools: the JSON protocol in text
	NoToolChoice                        // takes tools, but no tool_choice
	NoEffort                            // no reasoning_effort
	NoTemperature                       // no temperature
	CompletionTokens                    // max_completion_tokens instead of max_tokens
	NoMaxTokens                         // not even that
	NoReasoningEcho                     // refuses reasoning in the conversation
	BarePath                            // a bare host answers without /v1
	CapEffort                           // no reasoning_effort above high

	allQuirks = 1<<iota - 1
)

// maxRemembered bounds the memory; a person has a handful of endpoints.
const maxRemembered = 32

// Memory holds the quirks of endpoints, so that each refusal is met once. The zero
// value is empty and ready; its owner may store it with Append.
type Memory struct {
	known []remembered // oldest first
}

type remembered struct {
	key    string
	quirks Quirks
}

func memoryKey(ep Endpoint) string {
	origin, _ := Origin(ep.BaseURL)
	return origin + " " + ep.Model
}

// Of gives what is known of an endpoint. It works on a nil Memory.
func (m *Memory) Of(ep Endpoint) Quirks {
	if m == nil {
		return 0
	}
	key := memoryKey(ep)
	for _, r := range m.known {
		if r.key == key {
			return r.quirks
		}
	}
	return 0
}

// Effort is the effort that an endpoint is asked for, as far as is known of it.
func (m *Memory) Effort(ep Endpoint) string { return effortFor(ep, m.Of(ep)) }

// Learn adds quirks of an endpoint and reports whether that was news.
func (m *Memory) Learn(ep Endpoint, q Quirks) bool {
	if m == nil {
		return false
	}
	return m.set(memoryKey(ep), q)
}

func (m *Memory) set(key string, q Quirks) bool {
	for i := range m.known {
		if r := &m.known[i]; r.key == key {
			news := r.quirks|q != r.quirks
			r.quirks |= q
			return news
		}
	}
	if len(m.known) == maxRemembered {
		m.known = slices.Delete(m.known, 0, 1)
	}
	m.known = append(m.known, remembered{key, q})
	return true
}

// Forget drops everything, as when the config has changed.
func (m *Memory) Forget() { m.known = nil }

// Append appends the memory as one JSON object.
func (m *Memory) Append(b []byte) []byte {
	b = append(b, '{')
	for i, r := range m.known {
		if i > 0 {
			b = append(b, ',')
		}
		b = protocol.AppendString(b, r.key)
		b = append(b, ':')
		b = strconv.AppendUint(b, uint64(r.quirks), 10)
	}
	return append(b, '}')
}

// ParseMemory reads what Append wrote. What is not that gives an empty memory.
func ParseMemory(data []byte) *Memory {
	m := &Memory{}
	if !protocol.Valid(data) {
		return m
	}
	_ = eachField(data, func(key string, value []byte, kind jsonparser.ValueType) {
		n, err := strconv.ParseUint(string(value), 10, 32)
		if kind == jsonparser.Number && err == nil && n&allQuirks == n {
			m.set(key, Quirks(n))
		}
	})
	return m
}
