package judge

import (
	"slices"
	"strings"
)

func (f *floor) kill(c *call) {
	signal := true
	for _, fd := range c.args {
		s := fd.text
		if strings.HasPrefix(s, "-") && signal && s != "-1" {
			continue
		}
		switch {
		case c.name != "kill":
			if s == "." || s == ".*" || s == "" && !fd.unknown {
				f.hit("kill-all")
			}
		case s == "-1" && (!signal || len(c.args) == 1):
			f.hit("kill-all") // -1 as a process means every one
		case s == "1" || s == "0" && !signal:
			f.hit("kill-all")
		}
		signal = false
	}
	if c.name != "kill" && slices.ContainsFunc(c.args, func(fd field) bool { return fd.is("-u") || fd.is("-U") || fd.is("--user") || fd.is("--euid") }) {
		f.hit("kill-all")
	}
	// kill -9 -1: the first is the signal, the second everyone.
	if c.name == "kill" && len(c.args) > 1 && slices.ContainsFunc(c.args[1:], func(fd field) bool { return fd.is("-1") }) {
		f.hit("kill-all")
	}
}

func (f *floor) service(c *call) {
	o := parseOptions(c.args, "user system global now H: M: t: n: o: l a q no-pager f all state: type:")
	verb := ""
	for _, fd := range o.rest {
		s := fd.text
		if fd.unknown {
			f.hit("persistence")
			return
		}
		if c.name == "service" && verb == "" && len(o.rest) > 1 && s == o.rest[0].text {
			verb = "-" // the service's name comes first here
			continue
		}
		verb = s
		break
	}
	switch {
	case verb == "" || verb == "-" || verb == "status" || verb == "show" || verb == "cat" || verb == "list" || verb == "print" || strings.HasPrefix(verb, "list-") || strings.HasPrefix(verb, "is-") || strings.HasPrefix(verb, "get-"):
	case verb == "poweroff" || verb == "reboot" || verb == "halt" || verb == "rescue" || verb == "emergency" || verb == "isolate" || verb == "suspend" || verb == "hibernate":
		f.hit("system")
	default:
		f.hit("persistence")
	}
}

func (f *floor) crontab(c *call) {
	for _, fd := range c.args {
		if fd.is("-l") {
			return
		}
	}
	f.hit("persistence")
}

func (f *floor) sysctl(c *call) {
	for _, fd := range c.args {
		if fd.is("-w") || fd.is("-p") || fd.is("--write") || fd.is("--system") || strings.HasPrefix(fd.text, "--load") || strings.Contains(fd.text, "=") || fd.unknown {
			f.hit("system")
		}
	}
}

func (f *floor) date(c *call) {
	o := parseOptions(c.args, "d: f: r: s: u R I j v: date: file: reference: set: utc rfc-3339: iso-8601")
	for _, fd := range o.rest {
		if o.has("s", "set") || !fd.unknown && !strings.HasPrefix(fd.text, "+") && !o.has("j") {
			f.hit("system")
			return
		}
	}
	if o.has("s", "set") {
		f.hit("system")
	}
}

// container judges what a container may reach of this machine.
func (f *floor) container(c *call) {
	o := parseOptions(c.args, `v: volume: mount: p: publish: e: env: name: w: workdir: network: net: pid: ipc: uts: userns: cap-add: cap-drop: security-opt: device: entrypoint: u: user:
		h: hostname: l: label: m: memory: cpus: f: file: t: tag: build-arg: platform: restart: env-file: i d rm it q a privileged init read-only tty interactive detach add-host: gpus: log-driver: shm-size: tmpfs: ulimit: volumes-from: H: host: c: context:`)
	for _, op := range o.flags {
		v := op.val.text
		bad := false
		switch op.name {
		case "privileged":
			bad = !op.has || v != "false"
		case "cap-add", "device", "security-opt", "volumes-from":
			bad = true
		case "pid", "ipc", "uts", "userns", "network", "net":
			bad = v == "host"
		case "v", "volume", "mount":
			f.mounted(op.val, c.e)
		case "env-file":
			f.readField(op.val, c.e)
		}
		if bad && len(o.rest) > 0 && !o.rest[0].is("build") {
			f.hit("escalate-container")
		}
	}
	sub := ""
	for _, fd := range o.rest {
		if sub += " " + fd.text; len(sub) > 40 {
			break
		}
	}
	for _, bad := range []string{" system prune", " volume rm", " volume prune", " swarm leave", " stack rm"} {
		if strings.HasPrefix(sub, bad) {
			f.hit("destroy-service")
		}
	}
	if strings.HasPrefix(sub, " push") || strings.HasPrefix(sub, " login") {
		f.hit("pkg-publish")
	}
	f.suffixes(c.args, c.e.child(), c.in)
}

// mounted judges -v SOURCE:TARGET and --mount type=bind,source=SOURCE.
func (f *floor) mounted(fd field, e *env) {
	src, _, _ := strings.Cut(fd.text, ":")
	for part := range strings.SplitSeq(fd.text, ",") {
		name, val, ok := strings.Cut(part, "=")
		if ok && (name == "source" || name == "src") {
			src = val
		}
	}
	if fd.unknown && src == fd.text {
		f.hit("target-unresolved")
		return
	}
	if !strings.HasPrefix(src, "/") && !strings.HasPrefix(src, ".") && !strings.HasPrefix(src, "~") {
		return // a named volume
	}
	paths, ok := e.resolve(src)
	if !ok {
		f.hit("target-unresolved")
	}
	for _, p := range paths {
		if !f.inside(p) {
			f.hit("escalate-container")
		}
	}
}

// destructive are the words by which service tools say that something goes.
var destructive = words(`delete destroy rm rb remove terminate-instances delete-stack delete-bucket delete-object delete-objects drop uninstall purge wipe
	drain flush reset rollback scale cordon apply down nuke teardown shutdown undeploy`)

// cloud judges tools that act on a service elsewhere.
func (f *floor) cloud(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "n: namespace: f: filename: o: output: l: selector: context: region: profile: R: repo: X: method: F: H: q: t: b: title: body: c: d: project: zone: var: var-file: json: jq: template: label: auto-approve force yes web")
	for i, fd := range o.rest {
		if i > 2 || i > 0 && (o.rest[0].is("exec") || o.rest[0].is("ssh") || o.rest[0].is("run")) {
			break
		}
		if fd.unknown && i < 2 {
			f.hit("command-unresolved")
		}
		if named(fd.text, destructive) || strings.HasPrefix(fd.text, "delete-") || strings.HasPrefix(fd.text, "terminate-") {
			f.hit("destroy-service")
		}
	}
	for _, m := range o.values("X", "method") {
		if !strings.EqualFold(m.text, "GET") {
			f.hit("destroy-service")
		}
	}
	if len(o.rest) > 1 {
		pair := o.rest[0].text + " " + o.rest[1].text
		if c.name == "gh" && (pair == "gist create" || pair == "secret set" || pair == "release upload" || pair == "auth token") {
			f.hit("net-upload")
			for _, fd := range o.rest[2:] {
				f.readField(fd, c.e)
			}
		}
		if (c.name == "gsutil" || pair == "s3 cp" || pair == "s3 sync" || pair == "s3 mv") && len(o.rest) > 2 && strings.Contains(o.rest[len(o.rest)-1].text, "://") {
			f.hit("net-upload")
		}
	}
	if c.name != "gh" && c.name != "glab" {
		// kubectl exec pod -- rm -rf / and the like.
		f.suffixes(c.args, c.e.child(), c.in)
	}
}

// database judges statements that lose data. Anything but a plain question
// may, so every one that is not is asked.
func (f *floor) database(c *call) {
	all := c.in.text
	for _, fd := range c.args {
		all += " ;" + fd.text
	}
	all = strings.ToLower(all)
	for _, w := range []string{"drop ", "truncate ", "delete ", "delete from", "alter ", "update ", "insert ", "flushall", "flushdb", "dropdatabase", "deletemany", "drop(", "remove(", ".shell", ".system", `\!`, "copy ", "load_extension", ".output", ".once", ".import", "shutdown"} {
		if strings.Contains(all, w) {
			f.hit("destroy-service")
			return
		}
	}
}

func (f *floor) netOnly(*call) { f.sawNetwork() }
