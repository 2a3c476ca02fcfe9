package judge

import (
	"strings"

	"github.com/buger/jsonparser"
)

// lifecycle are the scripts that npm and its kin run without being asked to,
// on install, pack or publish.
var lifecycle = words(`preinstall install postinstall preprepare prepare postprepare prepublish prepublishonly prepack postpack
	postpublish preuninstall uninstall postuninstall dependencies`)

func isLifecycle(name string) bool { return named(name, lifecycle) }

// packageFile judges the new text of a package.json. A script that runs by
// itself is denied; any other change that does or may touch scripts is asked.
func (f *floor) packageFile(b *body) {
	if !b.known {
		f.hit("write-scripts")
		return
	}
	text := b.added()
	scripts, whole := scriptsOf(text)
	old, oldWhole := scriptsOf(b.before)
	if !whole {
		f.packagePart(text, b.before)
		return
	}
	changed := !oldWhole && len(scripts) > 0 || oldWhole && len(old) != len(scripts)
	for name, script := range scripts {
		if was, had := old[name]; had && was == script {
			continue
		}
		changed = true
		if isLifecycle(name) {
			f.hit("write-lifecycle")
		}
	}
	if changed {
		f.hit("write-scripts")
	}
}

// scriptsOf reads the scripts of a whole package.json; false: it is not one.
func scriptsOf(text string) (map[string]string, bool) {
	data := []byte(strings.TrimSpace(text))
	if len(data) == 0 || data[0] != '{' || tooNested(data) {
		return nil, false
	}
	out := map[string]string{}
	bad := false
	err := jsonparser.ObjectEach(data, func(key, value []byte, kind jsonparser.ValueType, _ int) error {
		if string(key) != "scripts" {
			return nil
		}
		if kind != jsonparser.Object {
			bad = true
			return nil
		}
		// A repeated "scripts" key counts too: readers disagree about which wins.
		return jsonparser.ObjectEach(value, func(k, v []byte, _ jsonparser.ValueType, _ int) error {
			out[string(k)] = string(v)
			return nil
		})
	})
	return out, err == nil && !bad
}

// packagePart judges a fragment of package.json, of which it is not known
// where it goes. Only lines that pin versions are certainly not scripts.
func (f *floor) packagePart(text, before string) {
	sure := !strings.Contains(text, `\u`)
	for _, line := range strings.Split(text, "\n") {
		for rest := line; ; {
			key, value, after, ok := pair(rest)
			if !ok {
				sure = sure && !strings.ContainsAny(rest, `"'`)
				break
			}
			if isLifecycle(key) && !strings.Contains(before, line) {
				f.hit("write-lifecycle")
			}
			sure = sure && versionLike(value)
			rest = after
		}
	}
	if !sure {
		f.hit("write-scripts")
	}
}

// pair reads the next "key": "value" of a line.
func pair(s string) (key, value, rest string, ok bool) {
	_, s, ok = strings.Cut(s, `"`)
	if !ok {
		return "", "", "", false
	}
	key, s, ok = strings.Cut(s, `"`)
	s = strings.TrimSpace(s)
	if !ok || !strings.HasPrefix(s, ":") {
		return "", "", "", false
	}
	s = strings.TrimSpace(s[1:])
	if !strings.HasPrefix(s, `"`) {
		return "", "", "", false
	}
	value, rest, ok = strings.Cut(s[1:], `"`)
	return key, value, rest, ok
}

// versionLike reports a value like "^4.17.21" or ">=18 <21 || 22.x".
func versionLike(s string) bool {
	digit := false
	for _, r := range s {
		digit = digit || r >= '0' && r <= '9' || r == '*'
		if !strings.ContainsRune("0123456789.^~<>=|*x -", r) {
			return false
		}
	}
	return digit
}

// tooNested reports JSON deeper than any real manifest or reply, so that a
// recursive reader is never fed it.
func tooNested(data []byte) bool {
	depth, str := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case str && c == '\\':
			i++
		case c == '"':
			str = !str
		case str:
		case c == '{' || c == '[':
			if depth++; depth > 64 {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
