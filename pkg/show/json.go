package show

import (
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// AppendJSON writes for scripts what Status tells beside the session: {"rules":[names],"advisors":[{"name","model",
// "ceiling","on","paths"}],"day":{"day","requests","in","out","cost"},"limits":{setting: number},"out":setting,
// "problems":[texts]}. Money is in millionths of a dollar; what is not known or not set is left out.
func (h Health) AppendJSON(b []byte) []byte {
	b = appendTexts(append(b, `{"rules":`...), h.Rules)
	b = append(b, `,"advisors":[`...)
	team := h.Team
	if len(team) == 0 {
		team = []Member{{Advisor: config.Advisor{Name: config.General}, Endpoint: h.Config.Watchdog}}
	}
	for i, m := range team {
		if i > 0 {
			b = append(b, ',')
		}
		b = protocol.AppendString(append(b, `{"name":`...), m.Name)
		if m.Endpoint.Transport != config.TransportNone {
			b = protocol.AppendString(append(b, `,"model":`...), m.Endpoint.Provider+"/"+m.Endpoint.Model)
		}
		if m.Ceiling != "" {
			b = protocol.AppendString(append(b, `,"ceiling":`...), string(m.Ceiling))
		}
		if len(m.On) > 0 {
			b = appendTexts(append(b, `,"on":`...), m.On)
		}
		if len(m.Paths) > 0 {
			b = appendTexts(append(b, `,"paths":`...), m.Paths)
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if h.Day != nil {
		b = protocol.AppendString(append(b, `,"day":{"day":`...), h.Day.Name)
		t := h.Day.Total
		for i, n := range []int64{t.Requests, t.In, t.Out, t.Cost} {
			b = strconv.AppendInt(append(b, [...]string{`,"requests":`, `,"in":`, `,"out":`, `,"cost":`}[i]...), n, 10)
		}
		b = append(b, '}')
	}
	b = append(b, `,"limits":{`...)
	for i, l := range limits(h.Config.Budget) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(protocol.AppendString(b, string(l.why)), ':'), l.n, 10)
	}
	b = append(b, '}')
	if h.Out != "" {
		b = protocol.AppendString(append(b, `,"out":`...), string(h.Out))
	}
	var problems []string
	for _, list := range [][]config.Problem{h.RuleProblems, h.Problems} {
		for _, p := range list {
			problems = append(problems, p.String())
		}
	}
	return append(appendTexts(append(b, `,"problems":`...), problems), '}')
}

func appendTexts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = protocol.AppendString(b, s)
	}
	return append(b, ']')
}
