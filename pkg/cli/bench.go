package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/bench"
	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// maxCorpusFile bounds what is read of a file of the bench; the largest has some 40 KB.
const maxCorpusFile = 4 << 20

// breather is after how many cases of the judge the loader has its turn.
const breather = 50

// measure plays the bench: all of it, a part of it, or a real model.
func measure(c *call) int {
	reviewer, scripted := c.values["reviewer"]
	name, real := c.values["model"]
	switch {
	case scripted && !slices.Contains(bench.Reviewers(), reviewer):
		return misuse(c, "bench ", "there is no reviewer "+strconv.Quote(reviewer)+like(reviewer, bench.Reviewers())+"; there are: "+strings.Join(bench.Reviewers(), "; "))
	case scripted && real:
		return misuse(c, "bench ", "--reviewer is a scripted one, so it does not go with --model")
	case c.has("url") && !real:
		return misuse(c, "bench ", "--url is the endpoint of --model, which is missing")
	case c.has("key-env") && !c.has("url"):
		return misuse(c, "bench ", "--key-env is the key for --url, which is missing")
	}
	all, code := c.recordings()
	if code != OK {
		return code
	}
	core := func(out bench.Outside, _ *bench.Scene, _ bench.Reviewer) (bench.Core, error) { return c.Core(out), nil }
	if real {
		return c.watch(name, all, core)
	}
	var out bench.Result
	entries := bench.Entries(reviewer)
	for i, e := range entries {
		what := e.Reviewer
		if !e.Rules {
			what += " without rules"
		}
		c.progress(strconv.Itoa(i+1) + " of " + strconv.Itoa(len(entries)) + ": " + what)
		row, err := e.Play(all, bench.Setup{Start: core, Played: func(*bench.Session) { c.Sleep(0) }})
		if err != nil {
			return c.fail(err.Error())
		}
		out.Rows = append(out.Rows, row)
	}
	if !scripted && !c.has("session") {
		texts, failure := c.corpus("judge", ".jsonl")
		var cases []bench.Case
		for _, t := range texts {
			more, err := bench.ParseCases(t.text)
			if err != nil {
				return c.fail(t.name + ": " + err.Error())
			}
			cases = append(cases, more...)
		}
		if failure != "" {
			return c.fail(failure)
		}
		c.progress("the permission judge over " + strconv.Itoa(len(cases)) + " requests")
		out.Judge = bench.Judge(cases, func(done int) {
			if done%breather == 0 {
				c.Sleep(0)
			}
		}).Errors
	}
	return c.table(out)
}

func (c *call) table(out bench.Result) int {
	if c.has("json") {
		c.say(string(out.AppendJSON(nil)))
	} else {
		c.Print(out.Text())
	}
	return OK
}

// recordings are the sessions that are meant.
func (c *call) recordings() (all []*bench.Session, code int) {
	texts, failure := c.corpus("sessions", ".txtar")
	if failure != "" {
		return nil, c.fail(failure)
	}
	want, one := c.values["session"]
	var names []string
	for _, t := range texts {
		names = append(names, t.name)
		if one && t.name != want {
			continue
		}
		s, err := bench.Parse(t.name, t.text)
		if err != nil {
			return nil, c.fail(t.name + ": " + err.Error())
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, misuse(c, "bench ", "there is no recording "+strconv.Quote(want)+like(want, names)+"; there are: "+strings.Join(names, ", "))
	}
	return all, OK
}

// text is a file of the package, without what its name ends with.
type text struct{ name, text string }

// corpus reads a folder of what is shipped for the bench, in the order of the names.
func (c *call) corpus(folder, end string) (all []text, failure string) {
	dir := c.in.Package + "/testdata/corpus/" + folder
	info, e := c.Stat(dir)
	list, e2 := c.List(dir, info)
	if e = max(e, e2); e != protocol.OK {
		return nil, "read " + dir + ": " + e.Error() + "; it is part of " + packageName + ": reinstall that"
	}
	var names []string
	for _, one := range list {
		if name, ok := strings.CutSuffix(one.Name, end); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		path := dir + "/" + name + end
		b, failure := readFile(c, path, maxCorpusFile)
		if failure != "" {
			return nil, "read " + path + ": " + failure
		}
		all = append(all, text{name, string(b)})
	}
	if len(all) == 0 {
		failure = "read " + dir + ": it holds nothing; it is part of " + packageName + ": reinstall that"
	}
	return all, failure
}

// watch lets a real model watch the sessions, and tells of each as it ends: it takes minutes.
func (c *call) watch(name string, all []*bench.Session, core bench.Start) int {
	ep, why := c.endpoint(name)
	if why != "" {
		return c.fail(why)
	}
	c.Open([]string{config.Origin(ep.BaseURL)})
	m := &bench.Model{Port: c, Endpoint: ep}
	done := 0
	row, err := bench.Play(all, ep.Model, m, bench.Setup{Start: core, Options: m.Options(), Played: func(s *bench.Session) {
		done++
		c.Complain(strconv.Itoa(done) + " of " + strconv.Itoa(len(all)) + ": " + s.Name + "\n")
	}})
	failed := strconv.Itoa(m.Failed) + " of " + strconv.Itoa(row.Requests) + " requests failed; the last one: " + m.Last
	switch {
	case err != nil:
		return c.fail(err.Error())
	case m.Failed == row.Requests:
		return c.fail(ep.Model + " at " + ep.BaseURL + " answered nothing: " + failed)
	case m.Failed > 0:
		c.Complain(program + " bench: " + failed + "\n")
	}
	return c.table(bench.Result{Rows: []bench.Row{row}})
}

// endpoint is where a model is asked: at --url, or as the settings say. Why says what is in the way.
func (c *call) endpoint(name string) (ep config.Endpoint, why string) {
	url, given := c.values["url"]
	if !given {
		// A key of advisor.json belongs to the model that it names there, so that one is taken as it stands.
		if r, _ := c.configured("opencode-v1", ""); name == r.WatchdogModel {
			return over(r.Watchdog)
		}
	}
	ref, provider := name, ""
	if given {
		ref = "bench/" + name
		provider = string(protocol.AppendString([]byte(`,"provider":{"baseURL":`), url))
		if variable, keyed := c.values["key-env"]; keyed {
			env := c.Need(nil, []string{variable}, nil).Env
			if len(env) == 0 || env[0].Value == "" {
				return ep, "--key-env: the environment variable " + variable + " is not set"
			}
			provider = string(protocol.AppendString([]byte(provider+`,"apiKey":`), env[0].Value))
		}
		provider += "}"
	}
	if _, ok := config.ParseRef(ref); !ok {
		return ep, "--model: want provider/model, or with --url the name of a model there; got " + strconv.Quote(name)
	}
	options := protocol.AppendString([]byte(`{"watchdogModel":`), ref)
	r, problems := c.configured("opencode-v1", protocol.JSON(append(options, provider+"}"...)))
	for _, p := range problems {
		if p.Source == config.SourceOptions {
			c.Complain(program + " bench: " + p.Field + ": " + p.Message + "; " + p.Mend + "\n")
		}
	}
	if given && r.Watchdog.From != config.FromOptions {
		return ep, "--url: " + strconv.Quote(url) + " cannot be used"
	}
	return over(r.Watchdog)
}

// over gives an endpoint that can be asked from here, and says why where it cannot.
func over(ep config.Endpoint) (_ config.Endpoint, why string) {
	switch ep.Transport {
	case config.TransportHTTP:
		return ep, ""
	case config.TransportHost:
		return ep, "the host is asked for this model, which cannot be done from here (" + ep.Why + "); name its endpoint with --url"
	}
	return ep, ep.Why
}
