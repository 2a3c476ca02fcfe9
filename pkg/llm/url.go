package llm

import (
	"errors"
	"strconv"
	"strings"
)

const completions = "/chat/completions"

// URLs gives the addresses to try for a base URL, best first. The base may end in a slash,
// in /v1 or another path, or already in /chat/completions. A bare host is tried
// with /v1 first and then without, because vendors differ.
func URLs(base string) ([]string, error) {
	origin, path, err := splitURL(base)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(path, completions):
		return []string{origin + path}, nil
	case path == "":
		return []string{origin + "/v1" + completions, origin + completions}, nil
	}
	return []string{origin + path + completions}, nil
}

// Origin gives scheme://host[:port] of a base URL as browsers write it: lower case, the
// scheme's own port left out.
func Origin(base string) (string, error) {
	origin, _, err := splitURL(base)
	return origin, err
}

// splitURL is stricter than a browser's parser on purpose. Whatever two parsers could read
// differently is refused, so that the origin checked is the origin contacted.
func splitURL(base string) (origin, path string, err error) {
	base = strings.TrimSpace(base)
	if base == "" {
		return "", "", errors.New("no base URL is set")
	}
	for i := 0; i < len(base); i++ {
		if c := base[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\\\"<>^`{|}", c) >= 0 {
			return "", "", errors.New("the base URL holds a character that a URL cannot have")
		}
	}
	scheme, rest, found := strings.Cut(base, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "http" && scheme != "https" {
		return "", "", errors.New("the base URL does not begin with http:// or https://")
	}
	if strings.ContainsAny(rest, "?#") {
		return "", "", errors.New("the base URL has a query or a fragment")
	}
	authority, path := rest, ""
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		authority, path = rest[:at], strings.TrimRight(rest[at:], "/")
	}
	if strings.Contains(authority, "@") {
		return "", "", errors.New("the base URL carries a user name or password")
	}
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && (len(path)-i < 3 || strings.Trim(path[i+1:i+3], "0123456789abcdefABCDEF") != "") {
			return "", "", errors.New("the path of the base URL has a % that no two hex digits follow")
		}
	}
	for _, part := range strings.Split(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(part), "%2e", ".") {
		case ".", "..":
			return "", "", errors.New("the path of the base URL has a . or .. in it")
		}
	}
	host, err := cleanHost(strings.ToLower(authority), scheme)
	if err != nil {
		return "", "", err
	}
	return scheme + "://" + host, path, nil
}

// cleanHost checks host[:port] and leaves the scheme's own port out.
func cleanHost(authority, scheme string) (string, error) {
	host, port, allowed := authority, "", "abcdefghijklmnopqrstuvwxyz0123456789.-_"
	if at := strings.LastIndexByte(authority, ':'); at >= 0 && !strings.HasSuffix(authority, "]") {
		host, port = authority[:at], authority[at+1:]
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return "", errors.New("the port of the base URL is not a number from 1 to 65535")
		}
		port = strconv.FormatUint(n, 10)
	}
	name := host
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") && strings.Contains(host, ":") {
		if name = host[1 : len(host)-1]; !ipv6(name) {
			return "", errors.New("the IPv6 address of the base URL is malformed")
		}
		allowed = "abcdef0123456789:"
	}
	if name == "" || strings.Trim(name, allowed) != "" {
		return "", errors.New("the host of the base URL is missing or malformed")
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return host, nil
	}
	return host + ":" + port, nil
}

// ipv6 reports whether s is an address in groups of hex digits; zones and embedded IPv4 are not taken.
func ipv6(s string) bool {
	groups, gaps := 0, strings.Count(s, "::")
	for _, side := range strings.SplitN(s, "::", 2) {
		if side == "" && gaps == 1 {
			continue
		}
		for _, group := range strings.Split(side, ":") {
			if len(group) == 0 || len(group) > 4 || strings.Trim(group, "0123456789abcdef") != "" {
				return false
			}
			groups++
		}
	}
	return gaps == 0 && groups == 8 || gaps == 1 && groups < 8
}
