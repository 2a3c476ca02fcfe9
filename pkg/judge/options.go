package judge

import (
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
)

// Modes of the judge.
const (
	ModeJudge  = "judge"  // decide
	ModeShadow = "shadow" // judge and log, change nothing
)

// Options are the settings of the judge, under "judge" in the advisor's
// configuration, or among the plugin options under the same names.
type Options struct {
	// Configured: the person named at least one option. Without that the judge
	// never acts, whatever Enabled says.
	Configured bool
	Enabled    bool   // enabled: how the switch stands at start
	Mode       string // mode: judge or shadow
	Model      string // model: provider/model
	TimeoutMS  int64  // timeout_ms: from the ask to the answer, everything included
	// MaxContextChars (max_context_chars) bounds the prompt, in characters.
	MaxContextChars int
	LogPath         string // log_path; a leading ~/ is the person's home
	// Rules (rules) are the scope: of each list that is not empty one rule must
	// match, else the floor alone judges. The second list is the project's.
	Rules      [2][]Rule
	Exclude    []string // exclude: resources that are never judged
	Deny       []Rule   // deny: always denied
	Ask        []Rule   // ask: always asked, unless denied
	AskAll     bool     // the project switched the judge off: what is not denied is asked
	Redact     bool     // redact
	Prompt     string   // prompt: a template
	PromptFile string   // prompt_file: where a template is; the caller reads it
	Format     [2]string
	Pi         bool // pi: judge on pi too, where no permission system asks
}

// Rule matches a request by its action and a resource, both with wildcards.
type Rule struct{ Action, Resource string }

// Problem is one thing in the settings that was not used as written.
type Problem struct{ Field, Message string }

// Bounds of the numbers. A second is what a fast model needs at least; ten
// minutes is longer than any host or person waits.
const (
	defaultTimeoutMS = 30_000
	minTimeoutMS     = 1_000
	maxTimeoutMS     = 600_000
	defaultContext   = 8_000
	minContext       = 2_000
	maxContext       = 400_000
	maxRules         = 500
	maxPattern       = 2_000
)

// DefaultLogPath is where the decision log is, unless log_path says otherwise.
const DefaultLogPath = "~/.local/share/opencode/ai-approve.jsonl"

// DefaultOptions are the settings before anyone said anything.
func DefaultOptions() Options {
	return Options{
		Enabled: true, Mode: ModeJudge, TimeoutMS: defaultTimeoutMS, MaxContextChars: defaultContext,
		LogPath: DefaultLogPath, Redact: true, Format: [2]string{"ALLOW", "DENY"},
	}
}

// Keys are the names of all options.
func Keys() []string {
	return []string{"model", "enabled", "mode", "timeout_ms", "max_context_chars", "log_path", "rules", "exclude", "deny", "ask", "redact", "prompt", "prompt_file", "format", "pi"}
}

// own are the names that mean the judge even at the top of the plugin options;
// model and enabled mean it only beside one of these.
var own = []string{"timeout_ms", "max_context_chars", "log_path", "rules", "exclude", "redact", "prompt", "prompt_file", "format"}

// Load reads the judge's settings: person is the judge object of the person's
// own file, plugin all options that the host handed to the plugin, both JSON
// and both possibly empty. Plugin options that the person did not write
// (trusted is false) come from a project, and may only narrow.
func Load(person, plugin []byte, trusted bool) (Options, []Problem) {
	o := DefaultOptions()
	problems := append(unknownKeys(person), o.Parse(person)...)
	part, prefix := pluginPart(plugin)
	var more []Problem
	if prefix != "" {
		more = unknownKeys(part)
	}
	if trusted {
		more = append(more, o.Parse(part)...)
	} else {
		more = append(more, o.Narrow(part)...)
	}
	for _, p := range more {
		problems = append(problems, Problem{prefix + p.Field, p.Message})
	}
	return o, problems
}

// unknownKeys reports what stands in the judge's own object and is no option.
func unknownKeys(object []byte) []Problem {
	p := parser{}
	known := strings.Join(Keys(), " ")
	var out []Problem
	p.fields(object, func(key string, _ setting) {
		if !in(known, key) {
			out = append(out, Problem{key, "the judge has no such option; it is ignored. There are " + known})
		}
	})
	return out
}

// pluginPart finds the judge's settings among all plugin options.
func pluginPart(plugin []byte) (part []byte, prefix string) {
	if tooNested(plugin) {
		return nil, ""
	}
	if v, kind, _, err := jsonparser.Get(plugin, "judge"); err == nil && kind == jsonparser.Object {
		return v, "judge."
	}
	for _, key := range own {
		if _, _, _, err := jsonparser.Get(plugin, key); err == nil {
			return plugin, ""
		}
	}
	return nil, ""
}

// Parse lays a JSON object over the options, field by field: what cannot be
// used is reported and left as it was. Keys that are not ours are passed over;
// the caller knows which of them belong elsewhere.
func (o *Options) Parse(object []byte) []Problem {
	p := parser{}
	p.fields(object, func(key string, v setting) {
		o.Configured = true
		switch key {
		case "model":
			if s, ok := v.text(&p); ok {
				if at := strings.IndexByte(s, '/'); at < 1 || at == len(s)-1 {
					p.report(key, "want provider/model, got "+quoteShort(s)+"; asks stay asks until it is mended")
					s = ""
				}
				o.Model = s
			}
		case "enabled":
			v.flag(&p, &o.Enabled)
		case "redact":
			v.flag(&p, &o.Redact)
		case "pi":
			v.flag(&p, &o.Pi)
		case "mode":
			if s, ok := v.text(&p); ok {
				if s != ModeJudge && s != ModeShadow {
					p.report(key, `want "judge" or "shadow", got `+quoteShort(s)+"; "+o.Mode+" is used")
					return
				}
				o.Mode = s
			}
		case "timeout_ms":
			v.number(&p, &o.TimeoutMS, minTimeoutMS, maxTimeoutMS)
		case "max_context_chars":
			n := int64(o.MaxContextChars)
			v.number(&p, &n, minContext, maxContext)
			o.MaxContextChars = int(n)
		case "log_path":
			if s, ok := v.text(&p); ok && s != "" {
				o.LogPath = s
			}
		case "rules":
			o.Rules[0] = v.rules(&p, true)
		case "deny":
			o.Deny = v.rules(&p, false)
		case "ask":
			o.Ask = v.rules(&p, false)
		case "exclude":
			o.Exclude = v.patterns(&p)
		case "prompt":
			if s, ok := v.text(&p); ok {
				o.Prompt = s
			}
		case "prompt_file":
			if s, ok := v.text(&p); ok {
				o.PromptFile = s
			}
		case "format":
			o.Format = v.format(&p, o.Format)
		}
	})
	if len(o.Prompt) > o.MaxContextChars*3/4 {
		p.report("prompt", "it takes most of max_context_chars ("+strconv.Itoa(o.MaxContextChars)+"): little else will reach the model")
	}
	return p.problems
}

// Narrow takes what a project may say: more denials and more questions, less
// time. Everything by which it could widen the judge, or choose what judges
// and what it is told, is reported and left alone.
func (o *Options) Narrow(object []byte) []Problem {
	p := parser{}
	p.fields(object, func(key string, v setting) {
		switch key {
		case "deny":
			o.Deny = append(o.Deny, v.rules(&p, false)...)
		case "ask":
			o.Ask = append(o.Ask, v.rules(&p, false)...)
		case "exclude":
			// As the person's own, these would pass the floor too. From a
			// project they are questions, and a denial stays one.
			for _, pattern := range v.patterns(&p) {
				o.Ask = append(o.Ask, Rule{"*", pattern})
			}
		case "rules":
			o.Rules[1] = v.rules(&p, true)
		case "enabled":
			on := true
			v.flag(&p, &on)
			o.AskAll = o.AskAll || !on
		case "timeout_ms":
			n := o.TimeoutMS
			v.number(&p, &n, minTimeoutMS, maxTimeoutMS)
			o.TimeoutMS = min(o.TimeoutMS, n)
		case "redact":
			on := true
			v.flag(&p, &on)
			if !on {
				p.report(key, "a project may not switch redaction off")
			}
			o.Redact = o.Redact || on
		case "model", "mode", "max_context_chars", "log_path", "prompt", "prompt_file", "format", "pi":
			p.report(key, "a project may not set this; put it into your own configuration")
		}
	})
	return p.problems
}
