package cli

import (
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// A trial plays one turn in a host of this machine: the real program with the package that this doctor belongs to, and with
// scripted models behind a server of the doctor's own. The agent writes a file, the advisor reads it and leaves a note
// with a true quote, and the agent goes on with small steps until one of its requests holds that note.

// The models of a trial.
const (
	trialProvider = "doctor"
	trialAgent    = "agent"
	trialAdvisor  = "advisor"
)

const (
	trialFile = "total.js"
	trialText = "export const total = (a, b) => a - b\n"
	trialNote = "total subtracts, and its name promises a sum."
)

const (
	// trialMS is long: on a machine that was busy with builds OpenCode has needed more than a minute.
	trialMS = 120_000
	// quietMS is how long the agent goes on without news of the advisor, stepMS what it lets pass before a step.
	quietMS = 40_000
	stepMS  = 200
)

// trial is one under way.
type trial struct {
	*doctor
	host
	steps   int   // requests of the agent
	reviews int   // requests of the advisor
	news    int64 // when there last was any of the advisor
	seen    bool
	gaveUp  bool
}

// try plays a turn in a host, with the package of that folder, and tells whether a note reached its agent.
func (d *doctor) try(h host, place string) {
	name := h.name + " trial"
	if d.has("no-host") {
		d.passed(name, "left out")
		return
	}
	if d.in.Terminal && !d.has("json") {
		d.Complain("playing a turn in " + h.name + " ...\n")
	}
	t := &trial{doctor: d, host: h}
	began := d.Now()
	said := d.Begin(t.script(place))
	for !said.Ended {
		said = d.Next(t.answer(said))
	}
	words := ""
	if said.Said != "" {
		words = "; its last words: " + lastWords(said.Said)
	}
	tenths := (d.Now() - began) / 100
	took := strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " s"
	count := " (requests: agent " + strconv.Itoa(t.steps) + ", advisor " + strconv.Itoa(t.reviews) + ")"
	byHand := "start " + h.program + " by hand and see why; --no-host leaves this out"
	switch {
	case t.seen && said.Failure == "":
		d.proved = true
		d.passed(name, "in a turn of the real program, with scripted models and in a folder of its own, a note was delivered and seen by the agent; "+took)
	case said.Failure != "":
		d.told(warning, name, "a turn could not be played: "+said.Failure, byHand)
	case said.Late:
		d.told(warning, name, "the turn did not end within "+strconv.Itoa(trialMS/1000)+" s"+count+words, "try again when the machine is less busy; --no-host leaves this out")
	case !t.gaveUp:
		d.told(warning, name, "it ended with "+strconv.Itoa(said.Code)+" before a note could reach its agent"+count+words, byHand)
	case t.reviews == 0:
		d.told(failure, name, "it works and does not run the advisor: no request of it came"+count, "update "+h.name+"; if it is the latest, please report this line")
	default:
		d.told(failure, name, "the advisor left a note, and no request of the agent held it"+count, "update "+h.name+"; if it is the latest, please report this line")
	}
}

// lastWords is the end of what a program printed, in one line and without its colours.
func lastWords(text string) string {
	const most = 200
	var b strings.Builder
	escape := false
	for _, r := range text {
		switch {
		case r == 0x1b:
			escape = true
		case escape:
			escape = r == '[' || r == ';' || r >= '0' && r <= '9' // the letter behind them is the last
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	text = strings.Join(strings.Fields(b.String()), " ")
	if len(text) > most {
		text = "..." + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}

// answer gives the scripted reply to a request.
func (t *trial) answer(asked protocol.Tried) protocol.TrialAnswer {
	a := protocol.TrialAnswer{ID: asked.ID, Request: asked.Request, ContentType: "text/event-stream"}
	switch model, _ := protocol.GetString([]byte(asked.Body), "model"); {
	case model == trialAdvisor:
		a.ContentType, a.Body = "application/json", t.review()
	case !strings.Contains(asked.Body, `"tools"`): // for a title, say
		a.Body = streamed(`"content":"A trial"`, "stop")
	case strings.Contains(asked.Body, trialNote):
		t.seen = true
		a.End = true
	default:
		t.steps++
		if t.steps == 1 {
			t.news = t.Now()
		} else {
			t.Sleep(stepMS)
		}
		if t.Now()-t.news > quietMS {
			t.gaveUp = true
			a.End = true
			break
		}
		// A first file for the advisor to read, then one that counts, so that no two steps are alike.
		path, text := trialFile, trialText
		if t.steps > 1 {
			path, text = "steps.txt", strconv.Itoa(t.steps)+"\n"
		}
		a.Body = streamed(`"tool_calls":[{"index":0,`+called("call_"+strconv.Itoa(t.steps), "write", t.write(asked.Body, path, text))[1:]+`]`, "tool_calls")
	}
	return a
}

// write gives the arguments of the host's tool of that name.
func (t *trial) write(request, path, text string) string {
	key := `{"path":`
	if strings.Contains(request, `"filePath"`) {
		key = `{"filePath":`
	}
	b := protocol.AppendString([]byte(key), path)
	return string(append(protocol.AppendString(append(b, `,"content":`...), text), '}'))
}

// review is the advisor's next reply.
func (t *trial) review() string {
	t.reviews++
	message := `"content":"silent"}`
	switch t.reviews {
	case 1:
		message = `"tool_calls":[` + called("call_a", "read", `{"path":"`+trialFile+`"}`) + `]}`
	case 2:
		message = `"tool_calls":[` + called("call_b", "advise", `{"note":"`+trialNote+`","severity":"blocker","verdict":"confirmed","category":"bug",`+
			`"citations":[{"kind":"quote","path":"`+trialFile+`","line":1,"quote":"a - b","fact":"it subtracts"}]}`) + `]}`
	}
	if t.reviews <= 3 { // those of later steps are no news
		t.news = t.Now()
	}
	finish := "stop"
	if t.reviews <= 2 {
		finish = "tool_calls"
	}
	return `{"choices":[{"index":0,"finish_reason":"` + finish + `","message":{"role":"assistant",` + message + `}]}`
}

func called(id, name, args string) string {
	return string(protocol.AppendString([]byte(`{"id":"`+id+`","type":"function","function":{"name":"`+name+`","arguments":`), args)) + `}}`
}

// streamed is a reply as a stream of events.
func streamed(delta, finish string) string {
	const head = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"` + trialAgent + `","choices":[`
	return head + `{"index":0,"delta":{"role":"assistant",` + delta + "},\"finish_reason\":null}]}\n\n" +
		head + `{"index":0,"delta":{},"finish_reason":"` + finish + "\"}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":15}}\n\ndata: [DONE]\n\n"
}

// script is how the host is started: with folders of its own for everything, without a way out but the doctor's server, and
// with no variable of the person's but those that a program needs to start at all.
func (t *trial) script(place string) protocol.Trial {
	s := protocol.Trial{Program: t.program, Dir: "project", MS: trialMS, Inherit: strings.Fields("PATH LANG SystemRoot windir ComSpec PATHEXT")}
	env := func(list string) {
		for _, one := range strings.Fields(list) {
			name, value, _ := strings.Cut(one, "=")
			s.Env = append(s.Env, protocol.Variable{Name: name, Value: value, Set: true})
		}
	}
	file := func(path, text string) {
		s.Files = append(s.Files, protocol.File{Path: path, Text: text, Exists: true})
	}
	env(`HOME={folder}/home USERPROFILE={folder}/home APPDATA={folder}/home LOCALAPPDATA={folder}/home TMPDIR={folder}/tmp TEMP={folder}/tmp TMP={folder}/tmp
		XDG_CONFIG_HOME={folder}/config XDG_DATA_HOME={folder}/data XDG_CACHE_HOME={folder}/cache XDG_STATE_HOME={folder}/state PWD={folder}/project
		HTTP_PROXY={url} HTTPS_PROXY={url} http_proxy={url} https_proxy={url} NO_PROXY=127.0.0.1,localhost no_proxy=127.0.0.1,localhost
		GIT_CONFIG_GLOBAL={folder}/gitconfig GIT_CONFIG_NOSYSTEM=1 NO_COLOR=1 TERM=dumb`)
	// A repository, so that nobody looks for settings in the folders above.
	for _, path := range strings.Fields("home/ tmp/ data/ cache/ state/ project/.git/objects/ project/.git/refs/") {
		file(path, "")
	}
	file("project/.git/HEAD", "ref: refs/heads/main\n")
	quoted := string(protocol.AppendString(nil, place))
	settings, advisor := "config/opencode/", `{"watchdogModel":"`+trialProvider+"/"+trialAdvisor+`","reviewMode":"step","debounceMs":0,"consult":{"enabled":false}}`
	const key = `"apiKey":"scripted"`
	const prompt = "Begin."
	if t.name == "pi" {
		settings = "home/.pi/agent/"
		env("PI_OFFLINE=1 PI_SKIP_VERSION_CHECK=1")
		s.Args = []string{"-p", "-ne", "-e", place, prompt}
		model := func(id string) string {
			return `{"id":"` + id + `","name":"` + id + `","reasoning":false,"input":["text"],"contextWindow":100000,"maxTokens":4000,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0}}`
		}
		file(settings+"models.json", `{"providers":{"`+trialProvider+`":{"baseUrl":"{url}/v1","api":"openai-completions",`+key+`,"models":[`+model(trialAgent)+`,`+model(trialAdvisor)+`]}}}`)
		file(settings+"settings.json", `{"defaultProvider":"`+trialProvider+`","defaultModel":"`+trialAgent+`","enableInstallTelemetry":false,"quietStartup":true}`)
	} else {
		env("OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1 OPENCODE_DISABLE_SHARE=1")
		s.Args = []string{"run", "-m", trialProvider + "/" + trialAgent, "--title", "trial", "--dangerously-skip-permissions"}
		if major(t.version) >= 2 {
			s.Args = append(s.Args, "--standalone") // not in the service that the person's own sessions run in
		}
		s.Args = append(s.Args, prompt)
		// What keeps OpenCode from installing the SDK for plugins at its start.
		file(settings+"node_modules/", "")
		file(settings+"package-lock.json", `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}`)
		model := func(id string) string {
			return `"` + id + `":{"name":"` + id + `","tool_call":true,"limit":{"context":100000,"output":4000}}`
		}
		const reference = `"` + trialProvider + "/" + trialAgent + `"`
		file(settings+"opencode.json", `{"model":`+reference+`,"small_model":`+reference+`,"autoupdate":false,"share":"disabled","snapshot":false,"plugin":[`+quoted+`],"provider":{"`+trialProvider+
			`":{"name":"`+trialProvider+`","npm":"@ai-sdk/openai-compatible","options":{"baseURL":"{url}/v1",`+key+`},"models":{`+model(trialAgent)+`,`+model(trialAdvisor)+`}}}}`)
	}
	file(settings+"advisor.json", advisor)
	return s
}

// major is the first number of a version.
func major(version string) (n int) {
	at := strings.IndexAny(version, "0123456789")
	for ; at >= 0 && at < len(version) && version[at] >= '0' && version[at] <= '9' && n < 1000; at++ {
		n = n*10 + int(version[at]-'0')
	}
	return n
}
