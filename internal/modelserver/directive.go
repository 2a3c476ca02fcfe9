package modelserver

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Directives let a human message say what the scripted primary does:
//
//	[[read PATH]]  [[write PATH CONTENT]]  [[edit PATH OLD => NEW]]  [[bash COMMAND]]
//	[[grep PATTERN]]  [[glob PATTERN]]  [[task PROMPT]]  [[NAME {"json": "arguments"}]]
//
// \n and \t in CONTENT, OLD and NEW stand for a line feed and a tab. A bare [[write PATH]] and
// [[edit PATH]] have defaults. The names of tools and arguments follow what the request offers, so the
// same directive serves OpenCode 1.x, 2.x and pi.
type directive struct {
	name, rest string
}

// parseDirectives finds the directives of a message in order. A directive whose arguments are a JSON
// object ends at the first ]] that completes the object.
func parseDirectives(text string) []directive {
	var out []directive
	for {
		start := strings.Index(text, "[[")
		if start < 0 {
			return out
		}
		text = text[start+2:]
		d, after, ok := cutDirective(text)
		if !ok {
			return out
		}
		out, text = append(out, d), after
	}
}

func cutDirective(text string) (directive, string, bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], "]]")
		if i < 0 {
			return directive{}, "", false
		}
		end := from + i
		name, rest, _ := strings.Cut(strings.TrimSpace(text[:end]), " ")
		d := directive{name: name, rest: strings.TrimLeft(rest, " ")}
		if !strings.HasPrefix(d.rest, "{") || json.Valid([]byte(d.rest)) {
			return d, text[end+2:], name != ""
		}
		from = end + 1
	}
}

var numberedHuman = regexp.MustCompile(`^H[0-9]+:`)

// nextDirective finds the newest human message with directives and gives the first that is not yet
// carried out, told by the tool results after it. A later message "H<n>:" without directives ends the
// earlier ones; notes that an advisor inserts do not.
func nextDirective(req chatRequest) (d directive, results int, ok bool) {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := req.Messages[i]
		switch m.Role {
		case "tool":
			results++
		case "user":
			text := strings.TrimSpace(m.text())
			if all := parseDirectives(text); len(all) > 0 {
				if results < len(all) {
					return all[results], results, true
				}
				return directive{}, results, false
			}
			if numberedHuman.MatchString(text) {
				return directive{}, results, false
			}
		}
	}
	return directive{}, results, false
}

// directiveReply builds the reply to a request under a directive script.
func directiveReply(base Reply, req chatRequest) Reply {
	out := base
	d, results, ok := nextDirective(req)
	if !ok || len(req.Tools) == 0 {
		if out.Text == "" {
			out.Text = fmt.Sprintf("Done (%d tool results).", results)
		}
		return out
	}
	name, args := d.call(req.Tools)
	out.Text = "Calling " + name + "."
	out.ToolCalls = []ToolCall{{Name: name, Args: Args(args)}}
	return out
}

// toolNames lists, per directive, the names under which hosts offer the tool.
var toolNames = map[string][]string{
	"bash": {"bash", "shell"},
	"task": {"task", "subagent"},
	"glob": {"glob", "find"},
}

// call gives the tool's name and its arguments as the request's tools want them.
func (d directive) call(tools []tool) (string, map[string]any) {
	name, properties := d.name, map[string]json.RawMessage(nil)
	names := toolNames[d.name]
	if names == nil {
		names = []string{d.name}
	}
	for _, t := range tools {
		if slices.Contains(names, t.Function.Name) {
			name, properties = t.Function.Name, t.Function.Parameters.Properties
			break
		}
	}
	if strings.HasPrefix(d.rest, "{") {
		var args map[string]any
		if json.Unmarshal([]byte(d.rest), &args) == nil {
			return name, args
		}
	}
	return name, keepKnown(d.arguments(), properties)
}

var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t")

// arguments gives every spelling of the directive's arguments; keepKnown then drops those that the tool
// does not know.
func (d directive) arguments() map[string]any {
	first, rest, _ := strings.Cut(d.rest, " ")
	switch d.name {
	case "read", "list":
		return map[string]any{"filePath": d.rest, "path": d.rest}
	case "write":
		content := "export const x = 1\n"
		if rest != "" {
			content = unescape.Replace(rest)
		}
		return map[string]any{"filePath": first, "path": first, "content": content}
	case "edit":
		before, after := "hello", "goodbye"
		if o, n, ok := strings.Cut(rest, " => "); ok {
			before, after = unescape.Replace(o), unescape.Replace(n)
		}
		return map[string]any{
			"filePath": first, "path": first, "oldString": before, "newString": after,
			"edits": []map[string]string{{"oldText": before, "newText": after}},
		}
	case "bash":
		return map[string]any{"command": d.rest, "description": "run"}
	case "grep", "glob":
		return map[string]any{"pattern": d.rest}
	case "task":
		return map[string]any{"description": "sub", "prompt": d.rest, "subagent_type": "general", "agent": "general"}
	}
	return map[string]any{"question": d.rest, "text": d.rest, "input": d.rest}
}

// keepKnown drops arguments that the tool's schema does not name. A tool without properties (or one that
// was not offered) keeps them all.
func keepKnown(args map[string]any, properties map[string]json.RawMessage) map[string]any {
	if len(properties) == 0 {
		return args
	}
	for k := range args {
		if _, ok := properties[k]; !ok {
			delete(args, k)
		}
	}
	return args
}
