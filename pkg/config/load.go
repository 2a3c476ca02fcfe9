package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Asker is how Load gets what lies outside: the engine yields a protocol.Need and comes back
// with the answer. Paths are absolute. What is absent from the answer counts as not there.
type Asker interface {
	Need(files, env, providers []string) protocol.Provided
}

// Judge is what the permission judge is configured with. pkg/judge reads it.
type Judge struct {
	Person  protocol.JSON // the judge object of advisor.json, may be empty
	Options protocol.JSON // all plugin options, may be empty
	// Trusted: the person's own OpenCode configuration holds exactly these
	// options, so they may widen as well as narrow.
	Trusted bool
}

// Resolved is the configuration in force, with the endpoint of each role: Consult and
// Verify are endpoints here, while their settings are Config.Consult and Config.Verify.
type Resolved struct {
	Config
	From map[string]string // Field.Key -> SourceDefault, SourceFile or SourceOptions
	Path string            // of advisor.json, whether it exists or not

	Watchdog Endpoint
	Consult  Endpoint
	Verify   Endpoint
	Judge    Judge
	// Team are the endpoints of Advisors.Own, one by one.
	Team []Endpoint

	known   *knowledge
	secrets []string
	loader  loader
	paths   paths
}

// Load reads the configuration, in at most four questions:
//
//  1. on pi, the variable that moves its folder;
//  2. advisor.json, the person's OpenCode configuration and auth.json, and the
//     project's OpenCode configuration (only to see what it meddles with);
//  3. the variables and files that the person's own files refer to;
//  4. the providers of the configured models, at the host and in the environment.
//
// It never fails: what cannot be used is reported and left at its default.
func Load(ask Asker, init protocol.Init) (*Resolved, []Problem) {
	for _, path := range []*string{&init.Directory, &init.Root, &init.Home, &init.ConfigHome, &init.DataHome} {
		*path = Slashed(*path)
	}
	l := loader{ask: ask, init: init}
	l.got.add(protocol.Provided{})
	if init.Host == HostPi {
		l.need(nil, []string{"PI_CODING_AGENT_DIR"}, nil)
	}
	paths := l.paths()
	l.need(paths.all(), nil, nil)

	files, env := l.referred(paths)
	if len(files)+len(env) > 0 {
		l.need(files, env, nil)
	}
	return l.resolve(paths)
}

// With gives the configuration as it is when advisor.json holds doc. The outside is asked nothing
// more, for after the start it gives nothing more: a provider that nobody knew of is
// reached through the host when it is one of hosts.
func (r *Resolved) With(doc string, hosts ...string) (*Resolved, []Problem) {
	l := r.loader
	l.ask, l.problems = silent{}, nil
	files := maps.Clone(l.got.files)
	files[r.paths.advisor] = protocol.File{Path: r.paths.advisor, Text: doc, Exists: true}
	providers := maps.Clone(l.got.providers)
	for _, id := range hosts {
		if _, known := providers[id]; !known {
			providers[id] = protocol.Provider{ID: id, Known: true}
		}
	}
	l.got = provided{files: files, env: l.got.env, providers: providers}
	return l.resolve(r.paths)
}

// Document gives advisor.json as it was read, and whether it could be.
func (r *Resolved) Document() (text string, ok bool) {
	f := r.loader.got.files[r.paths.advisor]
	return f.Text, f.Failure == ""
}

// Asked reports whether the outside was asked about a provider.
func (r *Resolved) Asked(provider string) bool {
	_, ok := r.loader.got.providers[provider]
	return ok
}

// silent answers nothing.
type silent struct{}

func (silent) Need(_, _, _ []string) protocol.Provided { return protocol.Provided{} }

// resolve chooses the settings and endpoints from what is known.
func (l *loader) resolve(paths paths) (*Resolved, []Problem) {
	init := l.init
	own, problems := l.expanded(paths.advisor, SourceFile)
	l.report(problems...)
	fileLayer, problems := Parse([]byte(own), SourceFile)
	l.report(problems...)
	optionLayer, problems := Parse([]byte(init.Options), SourceOptions)
	l.report(problems...)

	r := &Resolved{Path: paths.advisor}
	r.Config, r.From = Merge(init.Host, fileLayer, optionLayer)
	person, _ := Merge(init.Host, fileLayer)
	r.ProjectAdvisors = min(r.ProjectAdvisors, person.ProjectAdvisors)
	l.report(r.takeRoster(l.got.files[paths.roster])...)
	r.Judge = Judge{Person: fileLayer.Judge}
	if options, err := read([]byte(init.Options)); err == nil {
		r.Judge.Options = protocol.JSON(options.json(nil))
	}

	k := &knowledge{host: init.Host, layers: []Layer{optionLayer, fileLayer}, from: r.From, transport: r.Transport}
	k.person, r.Judge.Trusted = l.person(paths, r.Judge.Options)
	k.auth = l.auth(paths)
	k.project, k.priced = l.project(paths)

	providers := r.providers()
	var variables []string
	for _, id := range providers {
		s, _ := serviceOf(id)
		variables = append(variables, s.env...)
	}
	if len(providers) > 0 {
		l.need(nil, unique(variables), providers)
	}
	k.env, k.hosted = l.got.env, l.got.providers
	r.known = k

	r.Watchdog = l.role(r, "watchdogModel", r.WatchdogModel, "")
	r.Consult = l.role(r, "consult.model", cmpOr(r.Config.Consult.Model, r.WatchdogModel), r.Config.Consult.Effort)
	r.Verify = l.role(r, "verifyModel", cmpOr(r.VerifyModel, r.WatchdogModel), "")
	for _, a := range r.Advisors.Own {
		if a.Model == "" {
			r.Team = append(r.Team, r.Watchdog)
		} else {
			r.Team = append(r.Team, l.role(r, "advisors", a.Model, ""))
		}
	}
	if r.Config.Verify == VerifyOff {
		r.Verify = Endpoint{Transport: TransportNone, Why: "verify is off"}
	}
	r.secrets = k.secrets()
	r.loader, r.paths = *l, paths
	return r, l.problems
}

// Origins gives the origins (scheme://host:port, the port always written out)
// that the roles contact, sorted; for protocol.Ready.
func (r *Resolved) Origins() []string {
	var list []string
	for _, e := range append([]Endpoint{r.Watchdog, r.Consult, r.Verify, r.JudgeEndpoint()}, r.Team...) {
		if e.Transport == TransportHTTP {
			list = append(list, Origin(e.BaseURL))
		}
	}
	return unique(list)
}

// Secrets gives every key that was seen, used or not, for pkg/redact.
func (r *Resolved) Secrets() []string { return r.secrets }

// providers names the providers of all roles, without repeats.
func (r *Resolved) providers() []string {
	var ids []string
	refs := []string{r.WatchdogModel, r.Config.Consult.Model, r.VerifyModel, r.judgeModel()}
	for _, a := range r.Advisors.Own {
		refs = append(refs, a.Model)
	}
	for _, ref := range refs {
		if m, ok := ParseRef(ref); ok {
			ids = append(ids, m.Provider)
		}
	}
	return unique(ids)
}

// judgeModel is the model that the judge's settings name, if the source may name one. As
// everywhere, the options go before advisor.json.
func (r *Resolved) judgeModel() string {
	if v, err := read([]byte(r.Judge.Options)); err == nil && r.Judge.Trusted {
		own := v.at("judge")
		if !own.isObject() && judgeNames(v) {
			own = v
		}
		if m := own.at("model").string(); m != "" {
			return m
		}
	}
	v, _ := read([]byte(r.Judge.Person))
	return v.at("model").string()
}

// JudgeEndpoint gives the endpoint of the model that the judge's settings name. Its
// transport is none when they name no model, or a source names it that may not.
func (r *Resolved) JudgeEndpoint() Endpoint {
	ref := r.judgeModel()
	if ref == "" {
		return Endpoint{Transport: TransportNone, Why: "the judge has no model: set judge.model in advisor.json to provider/model"}
	}
	m, ok := ParseRef(ref)
	if !ok {
		return Endpoint{Transport: TransportNone, Why: "judge.model: want provider/model, got " + shown(ref)}
	}
	e, _ := r.known.endpoint(m, SourceFile)
	e.Effort = m.Variant
	return e
}

type loader struct {
	ask      Asker
	init     protocol.Init
	got      provided
	problems []Problem
}

func (l *loader) report(p ...Problem) { l.problems = append(l.problems, p...) }

func (l *loader) need(files, env, providers []string) {
	l.got.add(l.ask.Need(files, env, providers))
}

// provided is all answers so far.
type provided struct {
	files     map[string]protocol.File
	env       map[string]string // those that are set
	providers map[string]protocol.Provider
}

func (p *provided) add(answer protocol.Provided) {
	if p.files == nil {
		p.files, p.env, p.providers = map[string]protocol.File{}, map[string]string{}, map[string]protocol.Provider{}
	}
	for _, f := range answer.Files {
		p.files[f.Path] = f
	}
	for _, v := range answer.Env {
		if v.Set {
			p.env[v.Name] = v.Value
		}
	}
	for _, one := range answer.Providers {
		p.providers[one.ID] = one
	}
}

// paths is where the configuration may lie.
type paths struct {
	advisor string
	roster  string   // the person's own
	person  []string // OpenCode's, weakest first
	auth    string
	project []string
}

func (p paths) all() []string {
	return unique(slices.Concat([]string{p.advisor, p.roster, p.auth}, p.person, p.project))
}

func (l *loader) paths() paths {
	home := join(l.init.ConfigHome, "opencode")
	p := paths{
		advisor: join(home, "advisor.json"),
		person:  []string{join(home, "config.json"), join(home, "opencode.json"), join(home, "opencode.jsonc")},
		auth:    join(l.init.DataHome, "opencode/auth.json"),
	}
	if l.init.Host == HostPi {
		agent := join(l.init.Home, ".pi/agent")
		if moved := l.got.env["PI_CODING_AGENT_DIR"]; moved == "~" || strings.HasPrefix(moved, "~/") {
			agent = join(l.init.Home, moved[1:])
		} else if moved != "" {
			agent = strings.TrimRight(moved, "/")
		}
		p.advisor = join(agent, "advisor.json")
	}
	p.roster = join(folder(p.advisor), RosterName)
	for _, dir := range l.projectFolders() {
		for _, name := range []string{"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"} {
			if path := join(dir, name); !slices.Contains(p.person, path) {
				p.project = append(p.project, path)
			}
		}
	}
	return p
}

// projectFolders gives the folders in which a cloned project could have put an OpenCode
// configuration: the opened folder and the workspace, and what lies above
// them, as hosts walk up too. The person's home and what lies above it is theirs.
func (l *loader) projectFolders() []string {
	const most = 24 // levels; deeper trees than this are not checkouts
	var list []string
	for _, dir := range []string{l.init.Directory, l.init.Root} {
		for i := 0; i < most && dir != "" && dir != "/" && dir != l.init.Home && !strings.HasPrefix(l.init.Home, dir+"/"); i++ {
			list = append(list, dir)
			dir = folder(dir)
		}
	}
	return unique(list)
}

// referred collects what the person's own files refer to.
func (l *loader) referred(p paths) (files, env []string) {
	for _, path := range append([]string{p.advisor}, p.person...) {
		for _, r := range references(l.got.files[path].Text) {
			if r.env {
				env = append(env, r.name)
			} else {
				files = append(files, r.file(folder(path), l.init.Home))
			}
		}
	}
	return unique(files), unique(env)
}

// expanded gives the text of one of the person's own files with its references
// replaced, or "" when there is none.
func (l *loader) expanded(path, source string) (string, []Problem) {
	f := l.got.files[path]
	if f.Exists && f.Failure != "" {
		return "", []Problem{{Source: source, Message: "it cannot be read: " + f.Failure,
			Mend: "mend its permissions; until then nothing in it is used"}}
	}
	return expand(f.Text, source, folder(path), l.init.Home, l.got)
}

// Slashed gives a Windows path with slashes, which every host takes too. On
// other systems a backslash is part of a name.
func Slashed(path string) string {
	if len(path) > 2 && path[1] == ':' && path[2] == '\\' {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}

// unique sorts and drops repeats and empty strings.
func unique(list []string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" })
	slices.Sort(list)
	return slices.Compact(list)
}
