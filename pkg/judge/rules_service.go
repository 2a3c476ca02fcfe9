package judge

import "strings"

// destructive are the words by which service tools say that something goes.
const destructive = "delete destroy rm rb remove drop uninstall purge wipe drain flush reset rollback scale cordon apply down nuke teardown shutdown undeploy"

// cloud judges tools that act on a service elsewhere.
func (f *floor) cloud(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "n: namespace: f: filename: o: output: l: selector: context: region: profile: R: repo: X: method: F: H: q: t: b: title: body: c: d: project: zone: var: var-file: json: jq: template: label: auto-approve force yes web")
	first, second := word(o.rest, 0), word(o.rest, 1)
	for i := range min(len(o.rest), 3) {
		fd := &o.rest[i]
		if i > 0 && in("exec ssh run", first) {
			break
		}
		if fd.unknown && i < 2 {
			f.hit("command-unresolved")
		}
		if in(destructive, fd.text) || strings.HasPrefix(fd.text, "delete-") || strings.HasPrefix(fd.text, "terminate-") {
			f.hit("destroy-service")
		}
	}
	for _, m := range o.values("X method") {
		if !strings.EqualFold(m.text, "GET") {
			f.hit("destroy-service")
		}
	}
	last := word(o.rest, len(o.rest)-1)
	switch sub := first + " " + second; {
	case sub == "gist create", sub == "secret set", sub == "release upload", sub == "auth token":
		f.hit("net-upload")
		o.rest = o.rest[2:]
		f.does(c, o, "read: rest")
	case (c.name == "gsutil" || sub == "s3 cp" || sub == "s3 sync" || sub == "s3 mv") && len(o.rest) > 2 && strings.Contains(last, "://"):
		f.hit("net-upload")
	}
	if !in("gh glab", c.name) {
		// kubectl exec pod -- rm -rf / and the like.
		f.suffixes(c.args, c.e.child(), c.in)
	}
}

// losing are the statements by which a database loses or changes data, or runs
// something else.
var losing = []string{"drop ", "truncate ", "delete ", "alter ", "update ", "insert ", "flushall", "flushdb", "dropdatabase", "deletemany", "drop(", "remove(", ".shell", ".system", `\!`, "copy ", "load_extension", ".output", ".once", ".import", "shutdown"}

// database judges statements. Those that are not known may lose data.
func (f *floor) database(c *call) {
	if c.in.open && !c.in.known {
		f.hit("destroy-service")
		return
	}
	all := strings.ToLower(c.in.text + " ;" + joinTexts(c.args))
	for _, w := range losing {
		if strings.Contains(all, w) {
			f.hit("destroy-service")
			return
		}
	}
}

func (f *floor) netOnly(*call) { f.sawNetwork() }
