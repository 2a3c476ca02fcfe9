package config

import (
	"slices"
	"sort"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// account is what one source says of one provider.
type account struct {
	url     string // clean, or empty
	key     string
	headers []protocol.Header
	refused string // why a base URL that stands there is not used
}

// person reads the person's own OpenCode configuration: V1's provider.<id>.options and
// V2's providers.<id>.settings. The files of one folder count as one source,
// later ones winning field by field, as in the host. It also tells whether these
// files hold the plugin options that we were given.
func (l *loader) person(p paths, options protocol.JSON) (map[string]account, bool) {
	all := map[string]account{}
	trusted := false
	for _, path := range p.person {
		name := path[strings.LastIndexByte(path, '/')+1:]
		text, problems := l.expanded(path, name)
		if strings.TrimSpace(text) == "" {
			// Unset variables of providers that nobody asked for are no news.
			l.report(problems...)
			continue
		}
		root, err := read([]byte(text))
		if err != nil {
			l.report(Problem{Source: name, Message: "it cannot be read as JSON: " + err.Error(),
				Mend: "mend the file; until then no provider in it is used"})
			continue
		}
		for _, group := range []string{"provider", "providers"} {
			for _, m := range root.at(group).members {
				a := all[m.key]
				a.read(m.value)
				all[m.key] = a
			}
		}
		trusted = trusted || holdsOptions(root, options)
	}
	return all, trusted
}

// read lays one provider object over what is known.
func (a *account) read(v value) {
	for _, part := range []value{v, v.at("api"), v.at("options"), v.at("settings"), v.at("request")} {
		for _, key := range []string{"api", "url", "baseURL"} {
			if s := part.at(key).string(); s != "" {
				clean, err := cleanURL(s)
				if err != nil {
					a.url, a.refused = "", err.Error()
				} else {
					a.url, a.refused = clean, ""
				}
			}
		}
		if s := strings.TrimSpace(part.at("apiKey").string()); s != "" {
			a.key = s
		}
		for _, h := range part.at("headers").members {
			if h.value.kind == jsonparser.String {
				a.headers = setHeader(a.headers, h.key, h.value.text)
			}
		}
	}
}

// maxHeaders is more than any provider wants.
const maxHeaders = 32

// setHeader replaces or adds a header; names and values that HTTP cannot carry are left out.
func setHeader(list []protocol.Header, name, text string) []protocol.Header {
	if !word(name) || strings.ContainsAny(name, "()<>@,;:/[]?={}") || strings.ContainsAny(text, "\r\n\x00") {
		return list
	}
	at := slices.IndexFunc(list, func(h protocol.Header) bool { return strings.EqualFold(h.Name, name) })
	if at < 0 {
		if len(list) >= maxHeaders {
			return list
		}
		return append(list, protocol.Header{Name: name, Value: text})
	}
	list = slices.Clone(list)
	list[at].Value = text
	return list
}

// credential is what auth.json holds for a provider.
type credential struct {
	key   string
	login bool // an oauth login, which only the host can use
}

func (l *loader) auth(p paths) map[string]credential {
	all := map[string]credential{}
	f := l.got.files[p.auth]
	if strings.TrimSpace(f.Text) == "" {
		return all
	}
	root, err := read([]byte(f.Text))
	if err != nil {
		l.report(Problem{Source: "auth.json", Message: "it cannot be read as JSON", Mend: "log in again; no key in it is used"})
		return all
	}
	for _, m := range root.members {
		switch m.value.at("type").string() {
		case "api":
			all[m.key] = credential{key: strings.TrimSpace(m.value.at("key").string())}
		case "oauth":
			all[m.key] = credential{login: true, key: m.value.at("access").string()}
		}
	}
	return all
}

// meddling is what the project's own OpenCode configuration says of a provider.
type meddling struct {
	file string // that names where the provider's requests go
	account
}

// project looks which providers the project's files redirect: the host's
// answer for these mixes the person's key with an address that is not theirs. The
// files are not expanded, and nothing but this is read from them. The
// key "" stands for every provider: a file that we cannot read, the host perhaps can.
func (l *loader) project(p paths) (all map[string]meddling, priced map[string]bool) {
	all, priced = map[string]meddling{}, map[string]bool{}
	for _, path := range p.project {
		f := l.got.files[path]
		if !f.Exists && f.Text == "" {
			continue
		}
		root, err := read([]byte(f.Text))
		if err != nil || f.Failure != "" {
			if f.Failure != "" || strings.TrimSpace(f.Text) != "" {
				all[""] = meddling{file: path}
			}
			continue
		}
		for _, group := range root.members { // of two with one name, who knows which the host takes
			if group.key != "provider" && group.key != "providers" {
				continue
			}
			for _, m := range group.value.members {
				if setsPrice(m.value) {
					priced[m.key] = true
				}
				if redirects(m.value) {
					had := all[m.key]
					had.file = path
					had.account.read(m.value)
					all[m.key] = had
				}
			}
		}
	}
	return all, priced
}

// redirects reports whether a provider object may change where requests go or which key
// they carry. It errs on the careful side: any address, any reference to a variable or a file, any
// choice of credential counts, at whatever depth.
func redirects(v value) bool {
	if s := v.string(); strings.Contains(s, "://") || strings.Contains(s, "{env:") || strings.Contains(s, "{file:") {
		return true
	}
	for _, m := range v.members {
		switch strings.ToLower(m.key) {
		case "baseurl", "base_url", "url", "api", "endpoint", "enterpriseurl", "host", "proxy", "env", "auth", "npm", "package":
			if m.value.kind != jsonparser.Null {
				return true
			}
		}
		if redirects(m.value) {
			return true
		}
	}
	for _, item := range v.items {
		if redirects(item) {
			return true
		}
	}
	return false
}

// holdsOptions reports whether an OpenCode configuration lists a plugin with exactly these options.
func holdsOptions(root value, options protocol.JSON) bool {
	given, err := read([]byte(options))
	if err != nil || !given.isObject() {
		return false
	}
	want := string(given.sorted().json(nil))
	for _, group := range []string{"plugin", "plugins"} {
		for _, entry := range root.at(group).items {
			has := entry.at("options")
			if entry.kind == jsonparser.Array && len(entry.items) == 2 {
				has = entry.items[1]
			}
			if has.isObject() && string(has.sorted().json(nil)) == want {
				return true
			}
		}
	}
	return false
}

// sorted gives the value with the members of every object in order of their keys.
func (v value) sorted() value {
	v.members = slices.Clone(v.members)
	for i := range v.members {
		v.members[i].value = v.members[i].value.sorted()
	}
	sort.SliceStable(v.members, func(i, j int) bool { return v.members[i].key < v.members[j].key })
	v.items = slices.Clone(v.items)
	for i := range v.items {
		v.items[i] = v.items[i].sorted()
	}
	return v
}
