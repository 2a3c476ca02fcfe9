package engine

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// BenchmarkReview is what the core does for a review: of a turn with 32 KB of tool output, by a reviewer that reads six
// files, speaks, and is heard.
func BenchmarkReview(b *testing.B) { benchmarkReview(b, false) }

// BenchmarkReviewSearch has two greps in folders of a hundred files and two globs besides.
func BenchmarkReviewSearch(b *testing.B) { benchmarkReview(b, true) }

func benchmarkReview(b *testing.B, searches bool) {
	r := newRig(b, options)
	text := func(n int) string {
		var t strings.Builder
		for i := range 40 {
			fmt.Fprintf(&t, "export function step%dx%d(value: number): number {\n  return value * %d + helper%d(value)\n}\n", n, i, i, n%7)
		}
		return t.String()
	}
	for n := range 100 {
		r.disk.Write(fmt.Sprintf("part/file%d.ts", n), text(n))
	}
	tool := func(n int, name, args string) string {
		return fmt.Sprintf(`{"id":"call_%d","type":"function","function":{"name":%q,"arguments":%s}}`, n, name, strconv.Quote(args))
	}
	reply := func(content string, calls ...string) {
		id := r.host.sent[len(r.host.sent)-1].ID
		r.send(&protocol.HTTP{ID: id, Status: 200, Body: fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant","content":%q,"tool_calls":[%s]},"finish_reason":"stop"}]}`, content, strings.Join(calls, ","))})
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		id := fmt.Sprintf("s%d-%d", n%40, n/2000)
		file := n % 100
		events := []protocol.Event{&protocol.User{Session: id, ID: fmt.Sprintf("m%d", n), Text: "Multiply the steps.", Typed: true, Created: r.now}, &protocol.TurnStart{Session: id}}
		for k := range 10 {
			events = append(events, &protocol.Tool{Session: id, Message: fmt.Sprintf("a%d", n), Call: fmt.Sprintf("c%d-%d", n, k), Name: "read", Input: protocol.JSON(fmt.Sprintf(`{"filePath":"part/file%d.ts"}`, k)), Output: text(n + k)[:3200]})
		}
		r.send(append(events, &protocol.StepEnd{Session: id, Message: fmt.Sprintf("a%d", n)}, &protocol.TurnEnd{Session: id, Outcome: "ok"})...)
		var reads []string
		for i := range 6 {
			reads = append(reads, tool(i, "read", fmt.Sprintf(`{"path":"part/file%d.ts","offset":10,"limit":60}`, (file+i*7)%100)))
		}
		if searches {
			reads = append(reads, tool(6, "grep", `{"pattern":"helper3\\(","path":"part"}`), tool(7, "grep", `{"pattern":"step\\d+x39","path":"part"}`),
				tool(8, "glob", `{"pattern":"part/*.ts"}`), tool(10, "glob", `{"pattern":"file1*.ts","path":"part"}`))
		}
		reply("", append(reads, tool(9, "read", fmt.Sprintf(`{"path":"part/file%d.ts","limit":3}`, file)))...)
		reply("", tool(1, "advise", fmt.Sprintf(`{"note":"Part %d: the first step multiplies by 0.","severity":"concern","verdict":"confirmed","citations":[{"kind":"quote","path":"part/file%d.ts","line":2,"quote":"  return value * 0 + helper%d(value)","fact":"it multiplies by 0"}]}`, n, file, file%7)))
		reply("silent")
		r.host.sent, r.host.logs, r.seen = nil, nil, r.seen[:0]
	}
}
