package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/show"
)

// setting is one value to be written to advisor.json, as JSON.
type setting struct{ key, value string }

// notSaved begins every answer after which advisor.json is what it was.
const notSaved = "Could not save the advisor config. "

// change writes settings to advisor.json and goes on with them. What is said in the end is done's.
func (e *Engine) change(l *live, c *protocol.Command, hosts []string, sets []setting, done func() string) {
	for _, s := range sets {
		if e.config.From[s.key] == config.SourceOptions {
			e.reply(l, c, "The plugin options of your OpenCode configuration set "+s.key+", and they go before advisor.json: change it there.", true)
			return
		}
	}
	e.start("settings", l.state.ID, func(t *task) {
		doc, failure := e.write(port{e, t}, sets)
		switch {
		case t.dead:
		case failure != "":
			e.reply(l, c, notSaved+failure, true)
		default:
			text := e.takeOver(doc, hosts)
			e.reply(l, c, done()+text, false)
		}
	})
}

// write puts settings into advisor.json. Where the file was changed since it was read, they are put into what it is now.
func (e *Engine) write(p port, sets []setting) (doc, failure string) {
	was, ok := e.config.Document()
	if !ok {
		return "", "advisor.json cannot be read; mend its permissions first."
	}
	for range 2 {
		now := []byte(was)
		for _, s := range sets {
			var err error
			if now, err = config.Set(now, s.key, s.value); err != nil {
				return "", "Mend advisor.json first: " + err.Error() + "."
			}
		}
		saved := p.writeConfig(was, string(now))
		switch {
		case saved == nil:
			return "", "The loader did not answer."
		case saved.Failure == "changed":
			was = saved.Text
		case saved.Failure != "":
			return "", "It said: " + saved.Failure + "."
		default:
			return string(now), ""
		}
	}
	return "", "Another program writes it at the same time; try again."
}

// takeOver goes on with a new advisor.json, and says what has to wait for a restart: this instance
// reaches the origins that were known at its start, and knows the providers that it then asked about.
func (e *Engine) takeOver(doc string, hosts []string) string {
	next, problems := e.config.With(doc, hosts...)
	e.problems = problems
	for _, p := range problems {
		e.log("warn", "config: "+p.String())
	}
	late := false
	for _, role := range []struct{ now, was *config.Endpoint }{
		{&next.Watchdog, &e.config.Watchdog}, {&next.Consult, &e.config.Consult}, {&next.Verify, &e.config.Verify},
	} {
		if e.later(*role.now) {
			*role.now, late = *role.was, true
		}
	}
	for _, now := range next.Team {
		if e.later(now) {
			// The whole roster waits: half of one is not what anybody wrote.
			next.Team, next.Advisors.Own, late = e.config.Team, e.config.Advisors.Own, true
			break
		}
	}
	e.config = next
	if late {
		return " (takes effect when the host is started again)"
	}
	return ""
}

// later tells that an endpoint has to wait for a restart.
func (e *Engine) later(now config.Endpoint) bool {
	unreached := now.Transport == config.TransportHTTP && !slices.Contains(e.origins, config.Origin(now.BaseURL))
	unknown := now.Transport == config.TransportNone && now.Provider != "" && !e.config.Asked(now.Provider)
	return unreached || unknown
}

// switchTo answers on and off.
func (e *Engine) switchTo(l *live, c *protocol.Command, on bool) {
	if on && e.config.Enabled && e.files != nil {
		if why := e.afford(l, 0); e.lift(l) {
			e.reply(l, c, "The advisor goes on: the count for "+show.Bound(e.config.Budget, why)+" begins anew.", false)
			return
		}
	}
	e.change(l, c, nil, []setting{{"enabled", strconv.FormatBool(on)}}, func() string {
		if !on {
			return "The advisor is off. /advisor on switches it on again."
		}
		return show.Summary(e.config)
	})
}

// choose answers a model: for the consultation, which it switches on, or for the watchdog.
func (e *Engine) choose(l *live, c *protocol.Command, role, arg string) {
	if arg == "" {
		e.reply(l, c, "Say which model: /advisor "+role+" <provider>/<model>. /advisor status tells the present one.", true)
		return
	}
	ref, problem := pick(arg, c.Models)
	if problem != "" {
		if e.init.Host == config.HostPi {
			problem += " Run /advisor with no arguments to pick one."
		} else {
			problem += " " + commandHelp
		}
		e.reply(l, c, problem, true)
		return
	}
	var hosts []string
	if len(c.Models) > 0 {
		hosts = []string{ref.Provider}
	}
	text := func(s string) string { return string(protocol.AppendString(nil, s)) }
	if role == "watchdog" {
		e.change(l, c, hosts, []setting{{"watchdogModel", text(ref.String())}}, func() string { return "Watchdog: " + show.Told(ref.Provider+"/"+ref.Model, ref.Variant) })
		return
	}
	sets := []setting{{"enabled", "true"}}
	effort := e.config.Config.Consult.Effort
	if config.IsEffort(ref.Variant) {
		effort = ref.Variant
		sets = append(sets, setting{"consult.effort", text(effort)})
		ref.Variant = ""
	}
	sets = append(sets, setting{"consult.model", text(ref.String())})
	e.change(l, c, hosts, sets, func() string { return "Advisor: " + show.Told(ref.Provider+"/"+ref.Model, effort) })
}

// pick finds the model that is meant: a pair that the host has (any, when it does not say what it has), or the id of
// exactly one of its models.
func pick(arg string, models []string) (config.Ref, string) {
	none := "\"" + show.OneLine(arg, 80) + "\" is not an available model."
	name, variant, _ := strings.Cut(arg, "#")
	if !slices.Contains(models, name) && len(models) > 0 || !strings.Contains(name, "/") {
		var found []string
		for _, m := range models {
			if _, id, _ := strings.Cut(m, "/"); id == name {
				found = append(found, m)
			}
		}
		if len(found) > 1 {
			return config.Ref{}, "\"" + show.OneLine(arg, 80) + "\" is a model of several providers: " + strings.Join(found, ", ") + ". Name one of these."
		}
		if len(found) == 0 {
			return config.Ref{}, none
		}
		name = found[0]
	}
	if variant != "" {
		name += "#" + variant
	}
	ref, ok := config.ParseRef(name)
	if !ok {
		return ref, none
	}
	return ref, ""
}

// reply ends a command. The details are for hosts that show or hide the tool.
func (e *Engine) reply(l *live, c *protocol.Command, text string, failed bool) {
	b := strconv.AppendBool([]byte(`{"enabled":`), e.config.Enabled)
	b = strconv.AppendBool(append(b, `,"consult":`...), e.config.Enabled && e.config.Config.Consult.Enabled)
	b = protocol.AppendString(append(b, `,"model":`...), e.config.Consult.Provider+"/"+e.config.Consult.Model)
	b = protocol.AppendString(append(b, `,"effort":`...), e.config.Consult.Effort)
	e.emit(&protocol.Answer{Call: c.Call, Session: l.state.ID, Text: e.forPeople(text), Failed: failed, Details: protocol.JSON(append(b, '}'))})
}
