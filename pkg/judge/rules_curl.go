package judge

import "strings"

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
	for i := range c.args {
		// Every long option that is no flag takes a value.
		if name, ok := strings.CutPrefix(c.args[i].text, "--"); ok && !strings.Contains(name, "=") && !in(curlFlags, name) {
			spec += " " + name + ":"
		}
	}
	o := parseOptions(c.args, spec)
	f.fetches(c, o, `target: url; target: rest; out: o output D dump-header c cookie-jar trace trace-ascii stderr output-dir hsts alt-svc etag-save libcurl;
		hit host-private: unix-socket abstract-unix-socket; hit host-unresolved: K config; read net-upload: T upload-file netrc-file E cert key`)
	for _, fd := range o.values("x proxy preproxy socks5 socks5-hostname socks4 socks4a doh-url connect-to resolve") {
		for _, part := range strings.Split(fd.text, ",") {
			if addressIn(part) || strings.Contains(part, "localhost") {
				f.hit("host-private") // sent there whatever the URL says
			}
		}
	}
}

func (f *floor) wget(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, `q v nv c N S r l: k p m nc nd np np b i: o: a: O: P: e: t: T: w: U: A: R: D: x: d: s j: H L F B: K E nH quiet verbose no-verbose continue timestamping recursive level: convert-links page-requisites mirror no-clobber
		no-check-certificate output-document: directory-prefix: output-file: append-output: input-file: execute: tries: timeout: wait: user-agent: header: post-data: post-file: body-data: body-file: method: user: password:
		load-cookies: save-cookies: progress: show-progress spider dir: out: no-directories no-parent content-disposition max-redirect: config: use-askpass: server-response inet4-only inet6-only accept: reject: limit-rate:`)
	f.fetches(c, o, `target: rest; out: O output-document P directory-prefix o output-file a append-output save-cookies d dir out;
		hit host-unresolved: i input-file config; probe inline-code: e execute use-askpass; read net-upload: post-file body-file`)
}

// fetches judges what curl and wget have in common, beside their own clauses.
func (f *floor) fetches(c *call, o *options, clauses string) {
	if o.vague {
		f.hit("host-unresolved")
	}
	f.does(c, o, clauses)
	// Bodies may come from files, or from text that is only known when it runs.
	for _, fd := range o.values("d data data-binary data-raw data-urlencode data-ascii json F form form-string post-data body-data H header url-query") {
		raw := strings.TrimLeft(fd.text, " ")
		_, after, named := strings.Cut(raw, "=")
		if strings.HasPrefix(raw, "@") || named && (strings.HasPrefix(after, "@") || strings.HasPrefix(after, "<")) {
			f.hit("net-upload")
			fd.text = strings.TrimLeft(raw[strings.IndexAny(raw, "@<")+1:], " ")
			f.readField(&fd, c.e)
		}
	}
	for _, fd := range o.values("d data data-binary data-raw data-urlencode json F form post-data body-data") {
		if fd.unknown {
			f.hit("net-upload")
		}
	}
}

// addressIn reports a literal address among the colon-separated parts.
func addressIn(s string) bool {
	for _, part := range strings.Split(s, ":") {
		if part = strings.Trim(part, "/+"); strings.Contains(part, ".") && addressLike(part) {
			return true
		}
	}
	return false
}

func (f *floor) httpie(c *call) {
	f.sawNetwork()
	o := parseOptions(c.args, "f j m h b p: v a: A: o: d c F I S s: download output: auth: form json multipart headers body verbose all follow print: session: proxy: verify: ignore-stdin")
	rest := o.rest
	if method := word(rest, 0); len(rest) > 1 && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && !rest[0].unknown {
		rest = rest[1:]
	}
	for i := range rest {
		switch {
		case i == 0 && strings.HasPrefix(rest[i].text, ":"):
			f.hit("host-private") // short for localhost
		case i == 0:
			f.target(&rest[i], false)
		case strings.Contains(rest[i].text, "@"):
			f.hit("net-upload")
		}
	}
	f.does(c, o, "out: o output")
	f.sends(c)
}
