package judge

import (
	"path"
	"strings"
)

// readField judges a file that a command reads.
func (f *floor) readField(fd *field, e *env) {
	if fd.proc != nil {
		return
	}
	if fd.unknown {
		f.unsafe()
		if fd.tail != "" && secretPath("/"+strings.TrimPrefix(fd.tail, "/"), "") {
			f.sawSecret()
		}
		return
	}
	paths, ok := e.everywhere(fd.text)
	if !ok {
		paths = []string{"/" + fd.text}
	}
	for _, p := range paths {
		if under(p, "/dev/tcp") || under(p, "/dev/udp") {
			f.hit("remote-shell")
		}
		if f.secretAt(p) {
			f.sawSecret()
		}
		if !ok || !f.inside(p) && !harmlessDevice(p) || fd.glob && !f.matchesNone(fd, e) {
			f.unsafe()
		}
	}
}

// matchesNone reports a pattern that matches no credentials: as seen on the disk, or where that cannot be seen, by the pattern itself.
func (f *floor) matchesNone(fd *field, e *env) bool {
	if f.eyes == nil {
		return !reachesSecret(fd)
	}
	_, ok := f.matches(fd, e)
	return ok
}

// secretAt reports a path that names credentials, or a link to them.
func (f *floor) secretAt(p string) bool {
	if secretPath(p, f.place.Home) {
		return true
	}
	if f.place.Real == nil || !f.within(p) {
		return false
	}
	real, ok := f.place.Real(p)
	return ok && real != p && secretPath(real, f.place.Home)
}

// secretArgs looks for credential files among a command's words, in whatever
// form tools take them: file, --file=file, @file, of=file, name=@file.
func (f *floor) secretArgs(c *call) {
	if in(textOnly, c.name) {
		return
	}
	looksFor := map[int]bool{}
	if in(searches, c.name) {
		looksFor = patternWords(c)
	}
	for i := range c.args {
		fd := &c.args[i]
		if looksFor[i] || passedOver(c, i) {
			continue
		}
		if !fd.unknown {
			f.secretForms(fd.text, c.e)
			continue
		}
		f.secretForms("/x"+fd.tail, c.e)
		if fd.text != "" {
			f.secretForms(fd.text+"x", c.e)
		}
	}
}

// passedOver reports a word that names what a command leaves out.
func passedOver(c *call, i int) bool {
	s := c.args[i].text
	name, val, joined := strings.Cut(s, "=")
	if !joined {
		name, val = word(c.args, i-1), s
	}
	return in("--exclude --exclude-dir", name) || in(searches, c.name) && in("-g --glob --iglob", name) && strings.HasPrefix(val, "!")
}

// patternWords gives the words that a search looks for and does not read: those behind -e, or else the first operand. Behind
// -e. or -f there is no such operand, and the first one is a file as well.
func patternWords(c *call) map[int]bool {
	words, first, option := map[int]bool{}, -1, false
	bare := "nilcvwohHEFPsqx" // options without a value, in front of -e
	if c.name != "rg" {
		bare += "rR"
	}
scan:
	for i := 0; i < len(c.args); i++ {
		s := c.args[i].text
		name, _, _ := strings.Cut(s, "=")
		letters, short := strings.CutPrefix(s, "-")
		switch {
		case words[i]:
		case s == "--":
			if first < 0 {
				first = i + 1
			}
			break scan
		case !short || s == "-":
			if first < 0 {
				first = i
			}
		case in("--regexp --expression", s), strings.HasSuffix(letters, "e") && strings.Trim(letters[:len(letters)-1], bare) == "":
			option, words[i+1] = true, true
		case strings.HasPrefix(s, "--"):
			option = option || len(name) > 4 && anyHead("--regexp --expression --file --from-file --match", name)
		default:
			option = option || strings.ContainsAny(letters, "ef")
		}
	}
	if !option {
		words[first] = true
	}
	return words
}

// anyHead reports whether s begins one of several words: long options may be shortened.
func anyHead(words, s string) bool {
	for _, w := range strings.Fields(words) {
		if strings.HasPrefix(w, s) {
			return true
		}
	}
	return false
}

// secretForms tries a word, and what stands in it behind = and @.
func (f *floor) secretForms(s string, e *env) {
	for ; s != ""; s = s[strings.IndexAny(s, "=@")+1:] {
		if !strings.Contains(s, "://") {
			paths, ok := e.resolve(s)
			if !ok {
				paths = []string{"/" + s}
			}
			for _, p := range paths {
				if secretPath(p, f.place.Home) {
					f.sawSecret()
				}
			}
		}
		if !strings.ContainsAny(s, "=@") {
			return
		}
	}
}

// writeField judges a file that a command creates or changes.
func (f *floor) writeField(fd *field, e *env, b *body) {
	f.unsafe()
	if b == nil {
		b = &body{}
	}
	if fd.proc != nil {
		return
	}
	paths, ok := e.resolve(fd.text)
	if fd.unknown || !ok {
		f.hit("target-unresolved")
		return
	}
	for _, p := range paths {
		if fd.glob {
			p = globBase(p) // what it matches lies below that
		}
		f.writePath(p, b)
		if f.net {
			f.wrote(p, flow{open: true, net: true})
		}
	}
	for _, g := range f.elsewhere(fd, e) {
		g.writePath(g.place.Cwd, b)
		f.denied(g)
	}
}

// wrote remembers what a file holds that this command writes.
func (f *floor) wrote(p string, holds flow) {
	if f.written == nil {
		f.written = map[string]flow{}
	}
	if _, before := f.written[p]; before {
		holds.known = false // it may be appended to
	}
	f.written[p] = holds
}

// justWritten gives what is in a file that this command has written.
func (f *floor) justWritten(fd *field, e *env) (flow, bool) {
	if fd.unknown || fd.glob || f.written == nil {
		return flow{}, false
	}
	paths, _ := e.resolve(fd.text)
	for _, p := range paths {
		if holds, ok := f.written[p]; ok {
			return holds, true
		}
	}
	return flow{}, false
}

// elsewhere gives, for a relative path, a floor for each folder where a failed
// cd would have left the shell; the path there is its Cwd.
func (f *floor) elsewhere(fd *field, e *env) []*floor {
	if strings.HasPrefix(fd.text, "/") || drive(fd.text) {
		return nil
	}
	var out []*floor
	for _, dir := range e.fallback {
		g := &floor{place: f.place, off: f.off}
		g.place.Cwd = path.Clean(dir + "/" + fd.text)
		out = append(out, g)
	}
	return out
}

// denied asks about what would be denied if a cd had failed.
func (f *floor) denied(g *floor) {
	if g.deny != "" {
		f.hit("target-unresolved")
	}
}

// globBase is the part of a path before its first element with a glob sign.
func globBase(p string) string {
	at := strings.IndexAny(p, "*?[")
	if at < 0 {
		return p
	}
	if at = strings.LastIndexByte(p[:at], '/'); at <= 0 {
		return "/"
	}
	return p[:at]
}

// removeField judges something that a command deletes.
func (f *floor) removeField(fd *field, e *env) {
	f.unsafe()
	paths, ok := e.resolve(fd.text)
	if fd.unknown || !ok {
		f.hit("target-unresolved")
		return
	}
	if fd.text == "" {
		return
	}
	for _, p := range paths {
		f.removeGlob(p, fd.glob)
		if strings.HasSuffix(fd.text, "/") {
			f.contained(p, "delete-outside") // through a link, what it leads to
		}
	}
	for _, g := range f.elsewhere(fd, e) {
		g.removeGlob(g.place.Cwd, fd.glob)
		f.denied(g)
	}
}

// removeGlob judges a deletion: a pattern that takes everything in a folder
// deletes the folder, as far as it matters.
func (f *floor) removeGlob(p string, glob bool) {
	for glob && everything(path.Base(p)) {
		p = path.Dir(p)
		f.contained(p, "delete-outside")
	}
	if base := globBase(p); glob && base != p && !f.within(base) {
		f.outside(base, "delete-outside")
		return
	}
	f.removePath(p)
}

// everything reports a pattern that matches all names, or all dot names.
func everything(pattern string) bool {
	return strings.Contains(pattern, "*") && strings.Trim(pattern, "*.?[]!^") == ""
}
