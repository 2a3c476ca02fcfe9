package engine

import (
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/digest"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/rules"
)

// rulesShare is the part of a request that rules may take, in hundredths: a page and a half of
// the default 40 KB, and not so much that the delta has no room.
const rulesShare = 15

// maxRuleNotices bounds what a repository can make the person read about its own rules.
const (
	maxRuleNotices = 4
	maxRulesTold   = 16 // lines of one
)

// rulesMS bounds the wait for the person's own rules.
const rulesMS = 1_500

// rules gives what is in force for a delta that touched these files. It is looked up for every
// review, so that a change takes effect at the next one.
func (e *Engine) rules(p port, touched []string) rules.Set {
	if e.ruleReader == nil {
		e.ruleReader = &rules.Reader{Files: e.files, Redact: e.redact.Text}
	}
	folder := e.config.Path[:strings.LastIndexByte(e.config.Path, '/')+1]
	return e.ruleReader.Read(rules.Wanted{Touched: touched, Directory: e.init.Directory, Context: e.config.ContextFiles},
		func(name string) protocol.File { return p.own(folder + name) })
}

// own reads a file beside advisor.json.
func (p port) own(path string) protocol.File {
	for _, f := range p.need(rulesMS, []string{path}, nil, nil).Files {
		if f.Path == path {
			return f
		}
	}
	return protocol.File{Path: path}
}

// tellRules tells of files that could not be used: all in the log once, and the broken ones to the person.
func (e *Engine) tellRules(l *live, set rules.Set, more []config.Problem) {
	for _, p := range set.Absent {
		e.logOnce("rules: " + p.String())
	}
	all := append(set.Problems[:len(set.Problems):len(set.Problems)], more...)
	if len(all) == 0 {
		return
	}
	var lines strings.Builder
	for i, p := range all {
		e.logOnce("rules: " + p.String())
		if i < maxRulesTold {
			lines.WriteString("\n- " + p.String())
		}
	}
	if more := len(all) - maxRulesTold; more > 0 {
		lines.WriteString("\n- and " + itoa(more) + " more, in the advisor's log")
	}
	if e.ruleNotices >= maxRuleNotices {
		return
	}
	key := "rules_" + digest.Hex(12, lines.String())
	if !e.told[l.state.ID+"\x00"+key] {
		e.ruleNotices++
		e.notice(l.state.ID, key, "warning", "The advisor could not use all of its rules:"+lines.String())
	}
}

func (e *Engine) logOnce(line string) {
	if !e.told["log\x00"+line] {
		e.told["log\x00"+line] = true
		e.log("warn", line)
	}
}

// rulesNonce fences rules. It is made of their text and of what only this instance knows: nobody can
// write it into a file, and while the rules stay the same, so does a provider's cached prefix.
func (e *Engine) rulesNonce(text string) string { return digest.Hex(16, "rules", e.secret, text) }
