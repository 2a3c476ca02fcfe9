package judge

import "strconv"

// Option describes one of the judge's options for the documentation.
type Option struct{ Key, Type, Default, Meaning string }

// OptionTable gives all options, in the order of Keys.
func OptionTable() []Option {
	o := DefaultOptions()
	number := func(least, most int) string {
		return "a whole number from " + strconv.Itoa(least) + " to " + strconv.Itoa(most)
	}
	const rules = "a list of {action, resource}"
	return []Option{
		{"model", "text", "", "provider/model#variant; fast and cheap is right. Without it the fixed rules decide alone, and what they leave open is asked"},
		{"enabled", "true or false", strconv.FormatBool(o.Enabled), "how the switch stands when the host starts"},
		{"mode", "one of judge, shadow", o.Mode, "shadow: judge and log, change nothing"},
		{"timeout_ms", number(minTimeoutMS, maxTimeoutMS), strconv.FormatInt(o.TimeoutMS, 10), "from the ask to the answer, everything included; then you are asked"},
		{"max_context_chars", number(minContext, maxContext), strconv.Itoa(o.MaxContextChars), "size of the prompt; a request that does not fit whole is asked"},
		{"log_path", "text", o.LogPath, "the decision log, one JSON object a line, mode 0600, moved aside at 50 MB"},
		{"rules", rules, "", "the model judges only what one of these matches; the rest is asked, unless a fixed rule decides"},
		{"exclude", "a list of patterns", "", "resources that are never judged nor logged: each is a plain ask"},
		{"deny", rules, "", "always denied"},
		{"ask", rules, "", "always asked, unless denied"},
		{"redact", "true or false", strconv.FormatBool(o.Redact), "take secrets out of what the model and the log see"},
		{"prompt", "text", "", "your own prompt; {data} is where the request goes, else behind it. The reminder of the format always comes last"},
		{"prompt_file", "text", "", "a file with that prompt; relative to advisor.json, or ~/"},
		{"format", "two words", o.Format[0] + ", " + o.Format[1], "the verdicts, the allowing one first"},
		{"pi", "true or false", strconv.FormatBool(o.Pi), "judge on pi too, where nothing else asks"},
	}
}
