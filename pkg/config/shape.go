package config

import "github.com/buger/jsonparser"

// judgeKeys are the option names of the permission judge that may stand at
// the top of the plugin options; pkg/judge says what they mean. model and enabled are
// shared with ours.
var judgeKeys = []string{"timeout_ms", "max_context_chars", "log_path", "rules", "exclude", "redact", "prompt", "prompt_file", "format",
	"model", "enabled", "mode", "deny", "ask", "pi"}

// judgeNames reports whether options are written in the judge's own names. Then
// model and enabled are the judge's too.
func judgeNames(root value) bool {
	for _, key := range judgeKeys[:9] { // those that are the judge's alone
		if _, ok := root.get(key); ok {
			return true
		}
	}
	return false
}

// piShape reads the older form of pi's advisor.json, where provider is a
// word and model, effort and maxTokens stand at the top: all of them are the consultation's.
func piShape(root value) value {
	provider, ok := root.get("provider")
	if !ok || provider.kind != jsonparser.String {
		return root
	}
	out := value{kind: jsonparser.Object}
	consult := value{kind: jsonparser.Object}
	for _, m := range root.members {
		switch m.key {
		case "provider":
		case "model":
			if m.value.kind == jsonparser.String {
				m.value.text = provider.text + "/" + m.value.text
			}
			consult.members = append(consult.members, m)
		case "effort", "maxTokens":
			consult.members = append(consult.members, m)
		case "consult":
			consult.members = append(consult.members, m.value.members...)
		default:
			out.members = append(out.members, m)
		}
	}
	if len(consult.members) > 0 {
		out.members = append(out.members, member{"consult", consult})
	}
	return out
}
