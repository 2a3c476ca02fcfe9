package judge

import "strings"

// networkNames are commands whose output comes from the network.
const networkNames = "curl wget http https xh aria2c axel nc ncat netcat socat telnet ssh ftp lftp lynx w3m gh dig"

// target judges a word that names a host or an address.
func (f *floor) target(fd *field, plain bool) {
	f.sawNetwork()
	s := fd.text
	if fd.unknown {
		// The host is certain when the path has begun.
		rest := s
		if _, after, ok := strings.Cut(s, "://"); ok {
			rest = after
		}
		if at := strings.IndexAny(rest, "/?"); at <= 0 {
			f.hit("host-unresolved")
			return
		}
	}
	if strings.Contains(s, "://") {
		f.url(s, plain)
		return
	}
	if at := strings.IndexAny(s, "/?#"); at >= 0 {
		s = s[:at]
	}
	f.host(s[strings.LastIndexByte(s, '@')+1:])
}

func (f *floor) netcat(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "e: c: g: G: i: l k n o: p: q: r s: t u v w: x: X: z 4 6 N U C b D d h I: O: P: S T: V: exec: sh-exec: lua-exec: listen keep-open ssl proxy:")
	f.does(c, o, "hit remote-shell: e c exec sh-exec lua-exec l listen")
	if !o.has("l listen") && len(o.rest) > 0 {
		f.target(&o.rest[0], false)
	}
	f.sends(c)
}

// sends notices a command that hands on what is piped into it.
func (f *floor) sends(c *call) {
	if c.in.open {
		f.hit("net-upload")
	}
}

func (f *floor) socat(c *call) {
	f.sawNetwork()
	for i := range c.args {
		s := strings.ToLower(c.args[i].text)
		kind, addr, ok := strings.Cut(s, ":")
		switch {
		case in("exec system", kind), strings.Contains(kind, "-listen"), c.args[i].unknown:
			f.hit("remote-shell")
		case ok && (strings.HasPrefix(kind, "tcp") || strings.HasPrefix(kind, "udp") || strings.HasSuffix(kind, "ssl")):
			f.host(addr)
		}
	}
}

func (f *floor) ssh(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "4 6 A a C f G g K k M N n q s T t V v X x Y y B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: p: Q: R: S: W: w: +")
	f.sshOptions(c, o)
	f.does(c, o, "hit host-unresolved: F; target: J; hit remote-shell: R D L")
	if len(o.rest) > 0 {
		f.target(&o.rest[0], false)
		f.suffixes(o.rest[1:], c.e.child(), c.in)
	}
	f.sends(c)
}

// sshOptions judges -o Key=value, of which some run a command.
func (f *floor) sshOptions(c *call, o *options) {
	for _, fd := range o.values("o") {
		name, val, ok := strings.Cut(fd.text, "=")
		if !ok {
			name, val, _ = strings.Cut(fd.text, " ")
		}
		if name = strings.ToLower(name); strings.HasSuffix(name, "command") || name == "include" {
			f.hit("inline-code")
			f.probe(val, c.e.child())
		}
	}
}

// remoteCopy judges scp, sftp and rsync: which side is remote, and what is
// written here.
func (f *floor) remoteCopy(c *call) {
	o := parseOptions(c.args, `3 4 6 A a B C c: D d E F: H I i: J: K L: l: N n O o: P: p q r R s S: T t u v X: x y z Z h W e: b: f: delete delete-after delete-excluded exclude: include: filter: files-from:
		rsh: rsync-path: progress archive verbose compress recursive partial inplace dry-run checksum stats human-readable exclude-from: include-from: bwlimit: timeout: port: backup-dir: link-dest: temp-dir: remove-source-files
		delete-before delete-during delete-delay links perms times group owner info: no-perms no-owner no-group ignore-existing size-only mkpath chmod: chown: max-size: min-size: password-file: log-file:`)
	for _, fd := range o.values("e rsh S rsync-path") {
		if s := fd.text; s != "ssh" && !strings.HasPrefix(s, "ssh -") || fd.unknown {
			f.hit("inline-code")
			f.probe(s, c.e.child())
		}
	}
	f.sshOptions(c, o)
	f.does(c, o, "write: backup-dir temp-dir log-file")
	for i := range o.rest {
		fd := &o.rest[i]
		last := i > 0 && i == len(o.rest)-1
		host, _, remote := strings.Cut(fd.text, ":")
		switch {
		case fd.unknown && last:
			f.hit("target-unresolved")
		case remote && !strings.Contains(host, "/"), c.name == "sftp":
			if !strings.Contains(fd.text, "://") {
				fd = &field{text: host}
			}
			f.target(fd, false)
			if last && c.name != "sftp" {
				f.hit("net-upload")
			}
		case last:
			f.writeField(fd, c.e, nil)
			if o.has("delete delete-after delete-before delete-excluded delete-during delete-delay") {
				f.removeField(fd, c.e)
			}
		default:
			f.packs(fd, c.e)
			if o.has("remove-source-files") {
				f.removeField(fd, c.e)
			}
		}
	}
}

// openssl works on files, but for s_client.
func (f *floor) openssl(c *call) {
	o := parseOptions(c.args, "in: out: inkey: keyout: key: cert: CAfile: connect: pass: passin: passout: days: subj: engine: provider: provider-path: signature: sign: verify: config: kfile: port: accept: writerand:")
	f.does(c, o, "write: out keyout writerand; hit inline-code: engine provider provider-path")
	if in("s_client s_server", word(o.rest, 0)) {
		f.anyHost(c)
	}
}

// anyHost judges tools of which every operand may be a host.
func (f *floor) anyHost(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "c: i: w: W: p: t: s: x: 4 6 n connect: host: port:")
	for _, fd := range append(o.rest, o.values("connect host")...) {
		s := strings.TrimPrefix(fd.text, "@")
		switch {
		case fd.unknown:
			f.hit("host-unresolved") // a name looked up may carry data out
		case strings.Contains(s, ".") || s == "localhost" || strings.Contains(s, "://"):
			f.target(&field{text: s}, false)
		}
	}
	f.sends(c)
}
