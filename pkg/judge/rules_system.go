package judge

import "strings"

func (f *floor) kill(c *call) {
	if c.name != "kill" {
		if anyIs(c.args, "-u -U --user --euid . .*") {
			f.hit("kill-all")
		}
		return
	}
	signal := true // a leading -9 or -TERM is the signal
	for i := range c.args {
		s := c.args[i].text
		if signal && strings.HasPrefix(s, "-") && (s != "-1" || len(c.args) > 1) {
			signal = false
			continue
		}
		// -1 as a process means every one, 0 the whole group.
		if in("1 -1 0", s) {
			f.hit("kill-all")
		}
		signal = false
	}
}

func (f *floor) service(c *call) {
	o := parseOptions(c.args, "user system global now H: M: t: n: o: l a q no-pager f all state: type:")
	verbs := o.rest
	if c.name == "service" && len(verbs) > 0 {
		verbs = verbs[1:] // the service's name comes first here
	}
	if len(verbs) == 0 {
		return
	}
	verb := verbs[0].text
	switch {
	case in("status show cat list print help", verb), strings.HasPrefix(verb, "list-"), strings.HasPrefix(verb, "is-"), strings.HasPrefix(verb, "get-"):
	case in("poweroff reboot halt rescue emergency isolate suspend hibernate", verb):
		f.hit("system")
	default:
		f.hit("persistence")
	}
}

func (f *floor) crontab(c *call) {
	if !anyIs(c.args, "-l") {
		f.hit("persistence")
	}
}

func (f *floor) sysctl(c *call) {
	for i := range c.args {
		fd := &c.args[i]
		if fd.unknown || fd.oneOf("-w -p --write --system") || strings.HasPrefix(fd.text, "--load") || strings.Contains(fd.text, "=") {
			f.hit("system")
		}
	}
}

func (f *floor) date(c *call) {
	o := parseOptions(c.args, "d: f: r: s: u R I j v: date: file: reference: set: utc rfc-3339: iso-8601")
	f.does(c, o, "hit system: s set")
	if s := word(o.rest, 0); s != "" && !strings.HasPrefix(s, "+") && !o.has("j") {
		f.hit("system")
	}
}

// networkSetup judges commands that show the network's settings unless they
// are told to change them.
func (f *floor) networkSetup(c *call) {
	for i := range c.args {
		switch fd := &c.args[i]; {
		case fd.oneOf("up down add del delete set change replace flush con dev addbr delbr -s -d modify connect disconnect"):
			f.hit("system")
			return
		case fd.is("netns"):
			f.suffixes(c.args, c.e, c.in)
			return
		case fd.oneOf("show list ls"):
			return
		}
	}
}

// man runs a pager, which its options name.
func (f *floor) man(c *call) {
	o := parseOptions(c.args, "P: H: pager: html: C: config-file:")
	f.does(c, o, "run inline-code: P H pager html")
}

// container judges what a container may reach of this machine.
func (f *floor) container(c *call) {
	o := parseOptions(c.args, `v: volume: mount: p: publish: e: env: name: w: workdir: network: net: pid: ipc: uts: userns: cap-add: cap-drop: security-opt: device: entrypoint: u: user:
		h: hostname: l: label: m: memory: cpus: f: file: t: tag: build-arg: platform: restart: env-file: i d rm it q a privileged init read-only tty interactive detach add-host: gpus: log-driver: shm-size: tmpfs: ulimit: volumes-from: H: host: c: context:`)
	for i := range o.flags {
		op := &o.flags[i]
		bad := op.is("cap-add device security-opt volumes-from") || op.is("privileged") && op.val.text != "false" ||
			op.is("pid ipc uts userns network net") && op.val.text == "host"
		if bad && word(o.rest, 0) != "build" {
			f.hit("escalate-container")
		}
		if op.is("v volume mount") {
			f.mounted(&op.val, c.e)
		}
	}
	f.does(c, o, "read: env-file")
	switch sub := word(o.rest, 0) + " " + word(o.rest, 1); {
	case sub == "system prune", sub == "volume rm", sub == "volume prune", sub == "swarm leave", sub == "stack rm":
		f.hit("destroy-service")
	case in("push login", word(o.rest, 0)):
		f.hit("pkg-publish")
	}
	f.suffixes(c.args, c.e.child(), c.in)
}

// mounted judges -v SOURCE:TARGET and --mount type=bind,source=SOURCE.
func (f *floor) mounted(fd *field, e *env) {
	src, _, _ := strings.Cut(fd.text, ":")
	for _, part := range strings.Split(fd.text, ",") {
		if name, val, ok := strings.Cut(part, "="); ok && in("source src", name) {
			src = val
		}
	}
	paths, ok := e.resolve(src)
	switch {
	case fd.unknown && src == fd.text, !ok:
		f.hit("target-unresolved")
		return
	case !strings.ContainsAny(src[:min(1, len(src))], "/.~"):
		return // a named volume
	}
	for _, p := range paths {
		if !f.inside(p) {
			f.hit("escalate-container")
		}
	}
}
