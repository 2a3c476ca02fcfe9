package cli

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// packageName is what hosts know the plugin by.
const packageName = "opencode-superadvisor"

// maxSettings bounds a host's configuration file, as pkg/config does.
const maxSettings = 1 << 20

var optsInstall = []option{
	{"project", "", "in the configuration of this project, not in your own"},
	{"pi", "", "in pi's settings, not in OpenCode's"},
	{"file", "PATH", "in this file"},
	{"spec", "SPEC", "what stands in the list: a name with a version, or the absolute folder of a checkout"},
	{"dry-run", "", "show what would change, and change nothing"},
}

// target is a configuration file and the list in it.
type target struct {
	path  string // as the person knows it
	real  string // with symbolic links resolved
	text  string
	fresh bool // there is no such file yet
	key   string
	ours  []int // the entries of the list that are ours
	specs []string
}

func install(c *call) int {
	t, failure := c.target()
	if failure != "" {
		return c.fail(failure)
	}
	if len(t.ours) > 0 {
		c.say(t.path + " has " + strconv.Quote(t.specs[t.ours[0]]) + " in " + strconv.Quote(t.key) + " already; nothing to do.")
		return OK
	}
	spec := c.values["spec"]
	if spec == "" {
		spec = packageName
		if c.has("pi") {
			spec = "npm:" + spec
		}
	}
	out, err := config.Append([]byte(t.text), t.key, string(protocol.AppendString(nil, spec)))
	if err != nil {
		return c.fail("mend " + t.path + " first: " + err.Error())
	}
	return c.replace(t, string(out), "Added "+strconv.Quote(spec)+" to "+strconv.Quote(t.key)+" in "+t.path)
}

func uninstall(c *call) int {
	t, failure := c.target()
	if failure != "" {
		return c.fail(failure)
	}
	if len(t.ours) == 0 {
		c.say(t.path + " does not list " + packageName + "; nothing to do.")
		return OK
	}
	out := []byte(t.text)
	for _, n := range slices.Backward(t.ours) {
		var err error
		if out, err = config.Drop(out, t.key, n); err != nil {
			return c.fail("mend " + t.path + " first: " + err.Error())
		}
	}
	return c.replace(t, string(out), "Took "+strconv.Quote(t.specs[t.ours[0]])+" out of "+strconv.Quote(t.key)+" in "+t.path)
}

// replace writes the changed file, or shows the change.
func (c *call) replace(t target, text, done string) int {
	if c.has("dry-run") {
		c.Print(c.diff(t, text))
		return OK
	}
	w := protocol.WriteFile{Path: t.real, Text: text, New: t.fresh}
	if !t.fresh {
		w.Expect, w.Backup = t.text, c.unused(t.real+".bak")
	}
	if why := c.Write(w); why != "" {
		return c.fail("cannot write " + t.real + ": " + why + ". Nothing was changed.")
	}
	if w.Backup != "" {
		done += "; it was copied to " + w.Backup + " first"
	}
	c.say(done + ".")
	if c.has("pi") {
		c.say("It takes effect at pi's next start.")
	} else {
		c.say("It takes effect at OpenCode's next start (opencode service restart on V2).")
	}
	return OK
}

// unused gives the first of path, path.1, path.2 ... that names nothing: no backup is written over.
func (c *call) unused(path string) string {
	for n, name := 1, path; ; n++ {
		if _, e := c.Stat(name); e == protocol.ErrnoNotFound {
			return name
		}
		name = path + "." + strconv.Itoa(n)
	}
}

// target finds the file that is meant, and reads it.
func (c *call) target() (t target, failure string) {
	paths := c.candidates()
	found := -1
	for _, path := range paths {
		one, failure := c.look(path)
		if failure != "" {
			return t, failure
		}
		// The one that lists us goes before one that has a list, and that before one that is there at all.
		if rank := one.rank(); rank > found {
			t, found = one, rank
		}
	}
	if t.fresh && !c.has("pi") {
		t.text = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n"
	}
	return t, ""
}

func (t target) rank() int {
	switch {
	case t.fresh:
		return 0
	case len(t.ours) > 0:
		return 3
	case len(t.specs) > 0:
		return 2
	}
	return 1
}

// candidates are the files that may hold the list, the one to make first.
func (c *call) candidates() (paths []string) {
	if path, ok := c.values["file"]; ok {
		if !strings.HasPrefix(path, "/") && !strings.Contains(path, ":") {
			path = clean(c.init.Directory + "/" + path)
		}
		return []string{path}
	}
	switch {
	case c.has("pi") && c.has("project"):
		return []string{c.workspace() + "/.pi/settings.json"}
	case c.has("pi"):
		return []string{c.piFolder() + "/settings.json"}
	case c.has("project"):
		root := c.workspace()
		for dir := c.init.Directory; ; dir = folder(dir) {
			for _, name := range []string{"/opencode.jsonc", "/opencode.json", "/.opencode/opencode.jsonc", "/.opencode/opencode.json"} {
				paths = append(paths, dir+name)
			}
			if dir == root || dir == "" {
				// A new file belongs to the root.
				return append([]string{root + "/opencode.jsonc"}, paths...)
			}
		}
	}
	for _, name := range []string{"opencode.jsonc", "opencode.json", "config.json"} {
		paths = append(paths, c.init.ConfigHome+"/opencode/"+name)
	}
	return paths
}

// piFolder is where pi keeps its settings.
func (c *call) piFolder() string {
	for _, v := range c.Need(nil, []string{"PI_CODING_AGENT_DIR"}, nil).Env {
		if rest, ok := strings.CutPrefix(v.Value, "~"); v.Set && v.Value != "" {
			if ok {
				return c.init.Home + rest
			}
			return v.Value
		}
	}
	return c.init.Home + "/.pi/agent"
}

// look reads one file and finds the list in it.
func (c *call) look(path string) (t target, failure string) {
	t = target{path: path, real: path}
	if real, e := c.Real(path); e == protocol.OK {
		t.real = real
		text, failure := readFile(c, real, maxSettings)
		if failure != "" {
			return t, "cannot read " + path + ": " + failure
		}
		if !utf8.Valid(text) {
			return t, "mend " + path + " first: it is not UTF-8 text"
		}
		t.text = string(text)
	} else if _, e2 := c.Stat(path); e2 == protocol.OK {
		return t, "cannot read " + path + ": it is a link that leads nowhere (" + e.Error() + "); mend or remove it"
	} else if e2 != protocol.ErrnoNotFound {
		return t, "cannot read " + path + ": " + e2.Error()
	} else {
		t.fresh = true
	}
	keys := []string{"plugins", "plugin"} // a file with V2's key is refused by V1, so that is what it is for
	if c.has("pi") {
		keys = []string{"packages"}
	}
	t.key = keys[len(keys)-1]
	for _, key := range keys {
		specs, there, err := config.Specs([]byte(t.text), key)
		if err != nil {
			return t, "mend " + path + " first: " + err.Error()
		}
		var ours []int
		for n, spec := range specs {
			if c.ours(spec, folder(t.real)) {
				ours = append(ours, n)
			}
		}
		if there && t.specs == nil || len(ours) > len(t.ours) {
			t.key, t.specs, t.ours = key, specs, ours
		}
		if there && t.specs == nil {
			t.specs = []string{}
		}
	}
	return t, ""
}

// ours tells whether an entry names this plugin: by its name, by a folder of that name, or by a folder that holds it.
func (c *call) ours(spec, beside string) bool {
	if spec == "" {
		return false
	}
	if spec == c.values["spec"] {
		return true
	}
	path := strings.TrimPrefix(strings.TrimPrefix(spec, "npm:"), "file://")
	for _, end := range []string{"/", "/index.js", "/dist/plugin.js", "/dist/pi.js"} {
		path = strings.TrimSuffix(path, end)
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	if at := strings.IndexByte(name, '@'); at > 0 {
		name = name[:at]
	}
	if name == packageName {
		return true
	}
	if strings.HasPrefix(path, ".") {
		path = clean(beside + "/" + path)
	}
	if !strings.HasPrefix(path, "/") {
		return false
	}
	text, _ := readFile(c, path+"/package.json", maxSettings)
	found, _ := protocol.GetString(text, "name")
	return found == packageName
}

// clean takes "." and ".." out of an absolute path.
func clean(path string) string {
	var parts []string
	for _, part := range strings.Split(path, "/") {
		switch part {
		case "", ".":
		case "..":
			parts = parts[:max(0, len(parts)-1)]
		default:
			parts = append(parts, part)
		}
	}
	return "/" + strings.Join(parts, "/")
}

// diff shows a change as diff -u does; there is one place where the texts differ.
func (c *call) diff(t target, text string) string {
	const around = 3
	was, now := strings.SplitAfter(t.text, "\n"), strings.SplitAfter(text, "\n")
	from := "--- " + t.path
	if t.fresh {
		was, from = nil, "--- /dev/null"
	}
	head := 0
	for head < len(was) && head < len(now) && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	start, less, more := max(0, head-around), len(was)-tail, len(now)-tail
	after := min(around, tail)
	var b strings.Builder
	row := func(sgr, mark, line string) {
		if line != "" {
			b.WriteString(c.paint(sgr, mark+strings.TrimRight(line, "\r\n")) + "\n")
		}
	}
	b.WriteString(from + "\n+++ " + t.path + "\n@@ -" + strconv.Itoa(start+1) + " +" + strconv.Itoa(start+1) + " @@\n")
	for _, line := range was[start:min(head, len(was))] {
		row("0", " ", line)
	}
	for _, line := range was[min(head, len(was)):less] {
		row(red, "-", line)
	}
	for _, line := range now[head:more] {
		row(green, "+", line)
	}
	for _, line := range now[more : more+after] {
		row("0", " ", line)
	}
	return b.String()
}
