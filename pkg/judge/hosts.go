package judge

import (
	"strconv"
	"strings"
)

// url judges an address. plain: only http and https are expected.
func (f *floor) url(u string, plain bool) {
	f.sawNetwork()
	if oddText(u) || strings.ContainsAny(u, "\\ \t\n") {
		f.hit("odd-text")
	}
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok {
		if scheme, _, named := strings.Cut(u, ":"); plain && named && !strings.Contains(scheme, ".") && scheme != "localhost" {
			f.hit("url-odd") // data:, javascript:
			return
		}
		rest = u
	} else if s := strings.ToLower(scheme); s != "http" && s != "https" && (plain || s == "file" || s == "gopher" || s == "dict" || s == "ldap" || s == "data") {
		f.hit("url-odd")
	}
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		rest = rest[:at]
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		f.hit("url-odd")
		rest = rest[at+1:]
	}
	f.host(rest)
}

// host judges the name of a machine, with or without a port.
func (f *floor) host(h string) {
	f.sawNetwork()
	if strings.HasPrefix(h, "[") || strings.Count(h, ":") > 1 {
		f.hit("host-literal") // IPv6, in brackets or not
		return
	}
	h, _, _ = strings.Cut(h, ":")
	h = strings.ToLower(strings.TrimRight(h, "."))
	switch {
	case h == "":
		f.hit("host-unresolved")
	case strings.Contains(h, "%"):
		f.hit("host-unresolved") // percent-encoding hides a name
	case strings.IndexFunc(h, func(r rune) bool { return r >= 0x80 }) >= 0:
		f.hit("host-unresolved") // may be normalised into anything
	case addressLike(h):
		f.hit("host-literal")
	case privateName(h):
		f.hit("host-private")
	}
}

// addressLike reports every form of an IPv4 address that inet_aton reads: one
// to four numbers, each decimal, octal or hexadecimal.
func addressLike(h string) bool {
	parts := strings.Split(h, ".")
	if len(parts) > 4 {
		return false
	}
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 0, 64); err != nil {
			// 08 is no octal number, though some readers take it for 8.
			if _, err := strconv.ParseUint(p, 10, 64); err != nil {
				return false
			}
		}
	}
	return true
}

// privateSuffixes are names that never, or by design, lead out of a private
// network, and public names made to lead back into one.
var privateSuffixes = []string{
	"localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "localdomain", "test",
	"nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "traefik.me", "rbndr.us", "1u.ms",
	"in-addr.arpa", "ip6.arpa", "svc.cluster.local", "docker.internal", "ts.net",
}

func privateName(h string) bool {
	if !strings.Contains(h, ".") {
		return true // a name without a dot is looked up in the local network
	}
	for _, s := range privateSuffixes {
		if strings.HasSuffix(h, "."+s) {
			return true
		}
	}
	return false
}
