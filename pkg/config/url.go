package config

import (
	"errors"
	"strconv"
	"strings"
)

// cleanURL checks a base URL and gives it without trailing slashes, scheme and host in
// lower case. It is stricter than the loader's URL parser on purpose: what two
// parsers could read differently (backslashes, white space, percent signs in a
// host) is refused, so that the origin checked here is the origin contacted.
func cleanURL(s string) (string, error) {
	if len(s) > 2000 {
		return "", errors.New("it is longer than 2000 characters")
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\\\"<>^`{|}", c) >= 0 {
			return "", errors.New("it holds a character that a URL cannot have")
		}
	}
	scheme, rest, ok := strings.Cut(s, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return "", errors.New("it does not begin with https:// or http://")
	}
	if strings.ContainsAny(rest, "?#") {
		return "", errors.New("it has a query or a fragment, where a path would be appended")
	}
	authority, path := rest, ""
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		authority, path = rest[:at], rest[at:]
	}
	if strings.Contains(authority, "@") {
		return "", errors.New("it carries a user name or password; put the key into apiKey")
	}
	host, port, err := splitPort(strings.ToLower(authority))
	if err != nil {
		return "", err
	}
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	if port != "" {
		host += ":" + port
	}
	for _, part := range strings.Split(path, "/") {
		if part == "." || part == ".." || strings.EqualFold(part, "%2e") || strings.EqualFold(part, "%2e%2e") {
			return "", errors.New("its path has a . or .. in it")
		}
	}
	return scheme + "://" + host + strings.TrimRight(path, "/"), nil
}

// splitPort takes host and port apart and checks both.
func splitPort(authority string) (host, port string, err error) {
	host = authority
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return "", "", errors.New("its IPv6 address has no closing bracket")
		}
		host, port = authority[:end+1], authority[end+1:]
		if strings.Trim(host[1:end], "0123456789abcdef:.") != "" || !strings.Contains(host, ":") {
			return "", "", errors.New("its IPv6 address is not one")
		}
		if port != "" && port[0] != ':' {
			return "", "", errors.New("its host is malformed")
		}
		port = strings.TrimPrefix(port, ":")
	} else if at := strings.IndexByte(authority, ':'); at >= 0 {
		host, port = authority[:at], authority[at+1:]
	}
	if host == "" {
		return "", "", errors.New("it names no host")
	}
	if host[0] != '[' && strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-_") != "" {
		return "", "", errors.New("its host has a character that host names cannot have")
	}
	if port == "" {
		return host, "", nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || port[0] == '0' {
		return "", "", errors.New("its port is not a number from 1 to 65535")
	}
	return host, port, nil
}

// Origin gives scheme://host:port of a clean URL, the port always written out.
func Origin(clean string) string {
	scheme, rest, _ := strings.Cut(clean, "://")
	authority, _, _ := strings.Cut(rest, "/")
	if authority == "" {
		return ""
	}
	if at := strings.LastIndexByte(authority, ':'); at < 0 || strings.HasSuffix(authority, "]") {
		if scheme == "https" {
			authority += ":443"
		} else {
			authority += ":80"
		}
	}
	return scheme + "://" + authority
}

// loopback reports whether a clean URL stays on this machine.
func loopback(clean string) bool {
	_, rest, _ := strings.Cut(clean, "://")
	authority, _, _ := strings.Cut(rest, "/")
	host, _, err := splitPort(authority)
	if err != nil {
		return false
	}
	return host == "localhost" || host == "[::1]" || strings.HasSuffix(host, ".localhost") || ipv4Loopback(host)
}

// ipv4Loopback recognises 127.a.b.c in plain decimal form.
func ipv4Loopback(host string) bool {
	parts := strings.Split(host, ".")
	if len(parts) != 4 || parts[0] != "127" {
		return false
	}
	for _, p := range parts {
		if p == "" || len(p) > 3 || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return true
}
