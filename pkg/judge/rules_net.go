package judge

import (
	"slices"
	"strings"
)

// networkNames are commands whose output comes from the network.
var networkNames = map[string]bool{
	"curl": true, "wget": true, "http": true, "https": true, "xh": true, "aria2c": true, "nc": true, "ncat": true, "netcat": true,
	"socat": true, "ssh": true, "ftp": true, "lftp": true, "lynx": true, "w3m": true, "gh": true, "dig": true,
}

// target judges a word that names a host or an address.
func (f *floor) target(fd field, plain bool) {
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
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		s = s[at+1:]
	}
	f.host(s)
}

// curlFlags are curl's options without a value; any other long option takes one.
const curlFlags = "a B f g G i I j J k l L M n N O p q R s S v V Z 0 1 2 3 4 6 # append basic ca-native compressed compressed-ssh create-dirs crlf digest disable disable-eprt disable-epsv " +
	"fail fail-early fail-with-body false-start ftp-create-dirs ftp-pasv ftp-ssl-reqd get globoff haproxy-protocol head http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 ignore-content-length " +
	"include insecure ipv4 ipv6 junk-session-cookies list-only location location-trusted manual netrc netrc-optional next no-alpn no-buffer no-clobber no-keepalive no-progress-meter no-sessionid no-npn ntlm " +
	"parallel path-as-is post301 post302 post303 progress-bar proxy-insecure raw remote-header-name remote-name remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused show-error show-headers silent ssl " +
	"ssl-no-revoke ssl-reqd styled-output suppress-connect-headers tcp-fastopen tcp-nodelay tlsv1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose version xattr "

const curlValues = "A: b: c: C: d: D: e: E: F: h: H: K: m: o: P: Q: r: t: T: u: U: w: x: X: y: Y: z:"

func (f *floor) curl(c *call) {
	f.sawNetwork()
	spec := curlFlags + curlValues
	for _, fd := range c.args {
		// Every long option that is no flag takes a value.
		if name, ok := strings.CutPrefix(fd.text, "--"); ok && !strings.Contains(name, "=") && !slices.Contains(strings.Fields(curlFlags), name) {
			spec += " " + name + ":"
		}
	}
	o := parseOptions(c.args, spec)
	if o.vague {
		f.hit("host-unresolved")
	}
	for _, fd := range append(o.values("url"), o.rest...) {
		f.target(fd, false)
	}
	for _, fd := range o.values("o", "output", "D", "dump-header", "c", "cookie-jar", "trace", "trace-ascii", "stderr", "output-dir", "hsts", "alt-svc", "etag-save", "libcurl") {
		if !fd.is("-") && (fd.unknown || !harmlessDevice(fd.text)) {
			f.writeField(fd, c.e, nil)
		}
	}
	for _, fd := range o.values("x", "proxy", "preproxy", "socks5", "socks5-hostname", "socks4", "socks4a", "doh-url", "connect-to", "resolve") {
		for part := range strings.SplitSeq(strings.TrimPrefix(fd.text, "+"), ",") {
			if addressIn(part) || strings.Contains(part, "localhost") {
				f.hit("host-private") // sent there whatever the URL says
			}
		}
		f.unsafe()
	}
	if len(o.values("unix-socket", "abstract-unix-socket")) > 0 {
		f.hit("host-private")
	}
	if len(o.values("K", "config")) > 0 {
		f.hit("host-unresolved")
	}
	f.uploads(c, o)
}

// addressIn reports a literal address among the colon-separated parts.
func addressIn(s string) bool {
	for part := range strings.SplitSeq(s, ":") {
		part = strings.TrimPrefix(part, "//")
		if strings.Contains(part, ".") && addressLike(part) {
			return true
		}
	}
	return false
}

// uploads notices request bodies that come from files, from the input, or from
// text that is only known when it runs.
func (f *floor) uploads(c *call, o options) {
	files := o.values("T", "upload-file", "netrc-file", "E", "cert", "key")
	for _, fd := range files {
		f.hit("net-upload")
		f.readField(fd, c.e)
	}
	for _, fd := range o.values("d", "data", "data-binary", "data-raw", "data-urlencode", "data-ascii", "json", "F", "form", "form-string", "body-file", "post-file", "post-data", "body-data", "H", "header", "url-query") {
		raw := strings.TrimLeft(fd.text, " ")
		_, after, named := strings.Cut(raw, "=")
		at := strings.HasPrefix(raw, "@") || named && (strings.HasPrefix(after, "@") || strings.HasPrefix(after, "<"))
		if at {
			f.hit("net-upload")
			file := fd
			file.text = strings.TrimLeft(raw[strings.IndexAny(raw, "@<")+1:], " ")
			f.readField(file, c.e)
		}
	}
	for _, fd := range o.values("d", "data", "data-binary", "data-raw", "data-urlencode", "json", "F", "form", "post-data", "body-data") {
		if fd.unknown {
			f.hit("net-upload")
		}
	}
}

func (f *floor) wget(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, `q v nv c N S r l: k p m nc nd np np b i: o: a: O: P: e: t: T: w: U: A: R: D: x: d s j: H L F B: K E nH quiet verbose no-verbose continue timestamping recursive level: convert-links page-requisites mirror no-clobber
		no-check-certificate output-document: directory-prefix: output-file: append-output: input-file: execute: tries: timeout: wait: user-agent: header: post-data: post-file: body-data: body-file: method: user: password:
		load-cookies: save-cookies: progress: show-progress spider dir: out: no-directories no-parent content-disposition max-redirect: config: use-askpass: server-response inet4-only inet6-only accept: reject: limit-rate:`)
	if o.vague {
		f.hit("host-unresolved")
	}
	for _, fd := range o.rest {
		f.target(fd, false)
	}
	for _, fd := range o.values("O", "output-document", "P", "directory-prefix", "o", "output-file", "a", "append-output", "save-cookies", "d", "dir", "out") {
		if !fd.is("-") && (fd.unknown || !harmlessDevice(fd.text)) {
			f.writeField(fd, c.e, nil)
		}
	}
	if len(o.values("i", "input-file", "config")) > 0 {
		f.hit("host-unresolved")
	}
	for _, fd := range o.values("e", "execute", "use-askpass") {
		f.hit("inline-code")
		f.probe(fd.text, c.e.child())
	}
	for _, fd := range o.values("post-file", "body-file") {
		f.hit("net-upload")
		f.readField(fd, c.e)
	}
	f.uploads(c, o)
}

func (f *floor) httpie(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "f j m h b p: v a: A: o: d c F I S s: download output: auth: form json multipart headers body verbose all follow print: session: proxy: verify: ignore-stdin")
	rest := o.rest
	if len(rest) > 0 && strings.ToUpper(rest[0].text) == rest[0].text && !strings.ContainsAny(rest[0].text, ".:/") && !rest[0].unknown && len(rest) > 1 {
		rest = rest[1:]
	}
	for i, fd := range rest {
		if i == 0 {
			if strings.HasPrefix(fd.text, ":") {
				f.hit("host-private") // short for localhost
				continue
			}
			f.target(fd, false)
			continue
		}
		if strings.Contains(fd.text, "@") {
			f.hit("net-upload")
		}
	}
	for _, fd := range o.values("o", "output") {
		f.writeField(fd, c.e, nil)
	}
	if c.in.open {
		f.hit("net-upload")
	}
}

func (f *floor) netcat(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "e: c: g: G: i: l k n o: p: q: r s: t u v w: x: X: z 4 6 N U C b D d h I: O: P: S T: V: exec: sh-exec: lua-exec: listen keep-open ssl proxy:")
	if len(o.values("e", "c", "exec", "sh-exec", "lua-exec")) > 0 {
		f.hit("remote-shell")
	}
	if o.has("l", "listen") {
		f.hit("remote-shell")
		return
	}
	for i, fd := range o.rest {
		if i == 0 {
			f.target(fd, false)
		}
	}
	if c.in.open {
		f.hit("net-upload")
	}
}

func (f *floor) socat(c *call) {
	f.sawNetwork()
	for _, fd := range c.args {
		s := strings.ToLower(fd.text)
		if strings.HasPrefix(s, "exec:") || strings.HasPrefix(s, "system:") || strings.Contains(s, "-listen") || fd.unknown {
			f.hit("remote-shell")
		}
		if _, addr, ok := strings.Cut(s, ":"); ok && !strings.HasPrefix(s, "exec") && !strings.HasPrefix(s, "system") && (strings.HasPrefix(s, "tcp") || strings.HasPrefix(s, "udp") || strings.HasPrefix(s, "openssl") || strings.HasPrefix(s, "ssl")) {
			f.host(addr)
		}
	}
}

func (f *floor) ssh(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "4 6 A a C f G g K k M N n q s T t V v X x Y y B: b: c: D: E: e: F: I: i: J: L: l: m: O: o: p: Q: R: S: W: w: +")
	for _, fd := range o.values("o") {
		name, val, ok := strings.Cut(fd.text, "=")
		if !ok {
			name, val, _ = strings.Cut(fd.text, " ")
		}
		if strings.HasSuffix(strings.ToLower(name), "command") || strings.EqualFold(name, "include") {
			f.hit("inline-code")
			f.probe(val, c.e.child())
		}
	}
	if len(o.values("F")) > 0 {
		f.hit("host-unresolved")
	}
	for _, fd := range o.values("J") {
		f.target(fd, false)
	}
	if o.has("R") || o.has("D") || o.has("L") {
		f.hit("remote-shell")
	}
	if len(o.rest) > 0 {
		f.target(o.rest[0], false)
		f.suffixes(o.rest[1:], c.e.child(), c.in)
	}
	if c.in.open {
		f.hit("net-upload")
	}
}

// remoteCopy judges scp, sftp and rsync: which side is remote, and what is
// written here.
func (f *floor) remoteCopy(c *call) {
	o := parseOptions(c.args, `3 4 6 A a B C c: D d E F: H I i: J: K L: l: N n O o: P: p q r R s S: T t u v X: x y z Z h W e: b: f: delete delete-after delete-excluded exclude: include: filter: files-from:
		rsh: rsync-path: progress archive verbose compress recursive partial inplace dry-run checksum stats human-readable exclude-from: include-from: bwlimit: timeout: port: backup-dir: link-dest: temp-dir: remove-source-files
		delete-before delete-during delete-delay links perms times group owner info: no-perms no-owner no-group ignore-existing size-only mkpath chmod: chown: max-size: min-size: password-file: log-file:`)
	for _, fd := range o.values("e", "rsh", "S", "rsync-path") {
		if s := fd.text; s != "ssh" && !strings.HasPrefix(s, "ssh -") || fd.unknown {
			f.hit("inline-code")
			f.probe(s, c.e.child())
		}
	}
	for _, fd := range o.values("o") {
		if strings.Contains(strings.ToLower(fd.text), "command") {
			f.hit("inline-code")
			f.probe(fd.text, c.e.child())
		}
	}
	for i, fd := range o.rest {
		last := i == len(o.rest)-1 && len(o.rest) > 1
		if fd.unknown && last {
			f.hit("target-unresolved")
			continue
		}
		host, _, remote := strings.Cut(fd.text, ":")
		if strings.Contains(host, "/") {
			remote = false
		}
		if remote || c.name == "sftp" || strings.HasPrefix(fd.text, "rsync://") {
			if strings.Contains(fd.text, "://") {
				f.url(fd.text, false)
			} else {
				f.target(field{text: host}, false)
			}
			if last && c.name != "sftp" {
				f.hit("net-upload")
			}
			continue
		}
		if last {
			f.writeField(fd, c.e, nil)
			if o.has("delete", "delete-after", "delete-before", "delete-excluded", "delete-during", "delete-delay") {
				f.removeField(fd, c.e)
			}
			continue
		}
		f.packs(fd, c.e)
		if o.has("remove-source-files") {
			f.removeField(fd, c.e)
		}
	}
	for _, fd := range o.values("backup-dir", "temp-dir", "log-file") {
		f.writeField(fd, c.e, nil)
	}
}

// anyHost judges tools of which every operand may be a host.
func (f *floor) anyHost(c *call) {
	if c.name == "openssl" && (len(c.args) == 0 || !c.args[0].is("s_client")) {
		return // works on files
	}
	f.sawNetwork()
	o := parseOptions(c.args, "c: i: w: W: p: t: s: x: 4 6 n connect: host: port:")
	for _, fd := range append(o.rest, o.values("connect", "host")...) {
		s := strings.TrimPrefix(fd.text, "@")
		switch {
		case c.name == "openssl" && !strings.Contains(s, ":"):
		case fd.unknown:
			f.hit("host-unresolved") // a name looked up may carry data out
		case strings.Contains(s, ".") || s == "localhost" || strings.Contains(s, "://"):
			f.target(field{text: s}, false)
		}
	}
	if c.in.open {
		f.hit("net-upload")
	}
}
