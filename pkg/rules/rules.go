// Package rules finds what a project and its people want a reviewer to look for:
// WATCHDOG.md in the folders of the files that were touched, up to the workspace's root, the
// person's own one, what these import, and the files that contextFiles names.
//
// All of it is text that somebody wrote, most of it a stranger: it is read through safefs, cut,
// rid of secrets, and shown to the reviewer as data. It sets no option. What is
// wrong with it is a Problem that names file and line.
package rules

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/config"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// Name is the file that holds rules.
const Name = "WATCHDOG.md"

// Bounds of one collection. A page of rules has a few KB; a chain of imports that is longer
// than this is a mistake, or somebody's joke.
const (
	maxFile   = 64 << 10 // bytes of one file
	maxFiles  = 24       // files in all
	maxDepth  = 4        // imports of imports
	maxFolder = 48       // folders that are looked into
	maxLooked = 96       // imports that are looked for, whether they are there or not
	maxName   = 200      // bytes of a file's name that the reviewer is shown
	maxTold   = 16       // problems that are told of
)

// File is one text in force.
type File struct {
	Name  string // relative to the workspace, or to the folder of the person's own
	Owner Owner
	Text  string
}

// Owner is whose word a file is.
type Owner string

// The owners.
const (
	Person  Owner = "person"
	Project Owner = "project"
)

// place is where imports of this owner must lie.
func (o Owner) place() string {
	if o == Person {
		return "the folder of your " + Name
	}
	return "the workspace"
}

// String names the file for people.
func (f File) String() string {
	if f.Owner == Person {
		return f.Name + " (your own)"
	}
	return f.Name
}

// Set is what is in force for one review, the most specific last.
type Set struct {
	Files    []File
	Problems []config.Problem
	// Absent are files of contextFiles that could not be read.
	Absent []config.Problem

	paths []string // in the workspace, resolved
}

// Holds tells whether a resolved path of the workspace is a file of these rules. Whoever wrote it wrote
// what is in it, so a quote of it proves nothing. contextFiles are not among them.
func (s Set) Holds(rel string) bool { return slices.Contains(s.paths, rel) }

// Wanted says what to look for.
type Wanted struct {
	Touched   []string // files that the delta changed, relative to the workspace
	Directory string   // that the host was opened in; it counts when no file was touched
	Context   []string // contextFiles
}

// Reader collects rules. It keeps what it read for as long as the file stays the same.
type Reader struct {
	Files  *safefs.FS
	Redact func(string) string
	cache  map[string]kept
}

type kept struct {
	info protocol.Info
	text string
}

// Read collects what is in force now. Own reads a file of the person's own folder, which lies outside the
// workspace; what else happens while it waits does no harm.
func (r *Reader) Read(w Wanted, own func(name string) protocol.File) Set {
	c := &collection{r: r, theirs: own, seen: map[string]bool{}, fresh: map[string]kept{}}
	c.add(Person, Name, origin{}, 0)
	for _, dir := range c.folders(w) {
		c.add(Project, path.Join(dir, Name), origin{}, 0)
	}
	for _, name := range w.Context {
		c.add(Project, name, origin{source: "contextFiles"}, 0)
	}
	r.cache = c.fresh
	return c.set
}

// origin is where a file was named: empty for one that is looked for by its name.
type origin struct {
	source string // file and line, or contextFiles
	text   string // as it stands there
}

type collection struct {
	r      *Reader
	theirs func(name string) protocol.File
	set    Set
	seen   map[string]bool
	fresh  map[string]kept
	files  int
	looked int
}

// add reads one file and, before it, what it imports: the importing file is the more specific one.
func (c *collection) add(owner Owner, name string, from origin, depth int) {
	id, text, err := c.open(owner, name)
	if err != "" {
		c.fail(owner, name, from, err)
		return
	}
	if id == "" && from.source != "" {
		c.fail(owner, name, from, "does not exist")
	}
	if id == "" || c.seen[id] {
		return
	}
	c.seen[id] = true
	if c.files++; c.files > maxFiles {
		if c.files == maxFiles+1 {
			c.tell(config.Problem{Source: name, Message: "there are more than " + strconv.Itoa(maxFiles) + " files of rules", Mend: "it and what comes after it are left out; put rules together"})
		}
		return
	}
	if from.source != "contextFiles" {
		for _, i := range imports(text) {
			at := origin{source: shownName(owner, name) + ":" + strconv.Itoa(i.line), text: "@" + i.path}
			if c.looked++; c.looked > maxLooked { // a file of imports that lead nowhere has ten thousand of them
				if c.looked == maxLooked+1 {
					c.tell(config.Problem{Source: at.source, Field: at.text, Message: "there are more than " + strconv.Itoa(maxLooked) + " imports", Mend: "it and what comes after it are left out; put rules together"})
				}
				break
			}
			if depth >= maxDepth {
				c.fail(owner, name, at, "lies deeper than "+strconv.Itoa(maxDepth)+" imports")
				continue
			}
			if path.Ext(i.path) != ".md" {
				c.fail(owner, name, at, "is no .md file of "+owner.place())
				continue
			}
			c.add(owner, beside(name, i.path), at, depth+1)
		}
	}
	if strings.TrimSpace(text) != "" {
		c.set.Files = append(c.set.Files, File{name, owner, text})
		if owner == Project && from.source != "contextFiles" {
			c.set.paths = append(c.set.paths, id)
		}
	}
}

// beside resolves an import by the folder of the file that it stands in. What is absolute stays so, for safefs to refuse.
func beside(name, imported string) string {
	if path.IsAbs(imported) || strings.HasPrefix(imported, "~") || strings.Contains(imported, "://") {
		return imported
	}
	return path.Join(path.Dir(name), imported)
}

// open gives a file's identity and text. An empty identity: there is no such file. An err says why it is not read.
func (c *collection) open(owner Owner, name string) (id, text, err string) {
	if owner == Person {
		return c.own(name)
	}
	file, bad := c.r.Files.Resolve(name)
	if bad != nil {
		if safefs.KindOf(bad) == safefs.KindMissing || safefs.KindOf(bad) == safefs.KindNotDir {
			return "", "", ""
		}
		return "", "", safefs.Why(bad)
	}
	if old, ok := c.r.cache[file.Rel]; ok && old.info == file.Info {
		c.fresh[file.Rel] = old
		return file.Rel, old.text, ""
	}
	data, bad := c.r.Files.Read(file, maxFile)
	if bad != nil {
		return "", "", safefs.Why(bad)
	}
	if strings.IndexByte(string(data), 0) >= 0 {
		return "", "", "is no text"
	}
	text = c.r.Redact(string(data))
	c.fresh[file.Rel] = kept{file.Info, text}
	return file.Rel, text, ""
}

// own reads a file of the person's own folder. The loader lets no other be read.
func (c *collection) own(name string) (id, text, err string) {
	if path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") || strings.HasPrefix(name, "~") || strings.ContainsAny(name, "\\\x00:") {
		return "", "", "leads out of " + Person.place()
	}
	f := c.theirs(name)
	switch {
	case f.Failure != "":
		return "", "", "cannot be read: " + f.Failure
	case !f.Exists:
		return "", "", ""
	case len(f.Text) > maxFile:
		return "", "", "has more than " + strconv.Itoa(maxFile) + " bytes"
	}
	return "\x00" + name, c.r.Redact(f.Text), ""
}

func (c *collection) fail(owner Owner, name string, from origin, err string) {
	if from.source == "contextFiles" {
		c.set.Absent = append(c.set.Absent, config.Problem{Source: from.source, Field: name, Message: "it " + err, Mend: "it is left out"})
		return
	}
	p := config.Problem{Source: from.source, Field: from.text, Message: "it " + err, Mend: "mend the line; nothing is imported there"}
	if from.source == "" {
		p = config.Problem{Source: shownName(owner, name), Message: "it " + err, Mend: "it is left out"}
	}
	c.tell(p)
}

func (c *collection) tell(p config.Problem) {
	if len(c.set.Problems) < maxTold {
		c.set.Problems = append(c.set.Problems, p)
	}
}

func shownName(owner Owner, name string) string { return File{Name: name, Owner: owner}.String() }

// folders gives the folders whose rules count, from the root down.
func (c *collection) folders(w Wanted) []string {
	list := []string{"."}
	for _, file := range w.Touched {
		if path.IsAbs(file) || strings.HasPrefix(file, "../") {
			continue // outside the workspace
		}
		list = above(list, path.Dir(path.Clean(file)))
	}
	if len(list) == 1 {
		if f, err := c.r.Files.Resolve(w.Directory); err == nil && f.IsDir() {
			list = above(list, f.Rel)
		}
	}
	return list[:min(len(list), maxFolder)]
}

// above puts a folder and all above it into a list that is in order of depth, and by name within one. A few dozen
// folders need no better way, and a sort of package slices is 15 KB of the module.
func above(list []string, dir string) []string {
	for ; dir != "." && dir != "/" && dir != ".." && dir != ""; dir = path.Dir(dir) {
		at := len(list)
		for at > 0 && (depth(list[at-1]) > depth(dir) || depth(list[at-1]) == depth(dir) && list[at-1] > dir) {
			at--
		}
		if list[at-1] != dir { // the root is always there
			list = slices.Insert(list, at, dir)
		}
	}
	return list
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// imported is one line "@path".
type imported struct {
	line int // from 1
	path string
}

// imports finds the lines that are nothing but "@" and a path; a path has a slash or a dot in it, so
// that a person's handle is none. What stands in a fence of code is an example.
func imports(text string) (list []imported) {
	n, fence := 0, ""
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if mark := line[:min(len(line), 3)]; mark == "```" || mark == "~~~" {
			switch fence {
			case "":
				fence = mark
			case mark:
				fence = ""
			}
		}
		name, ok := strings.CutPrefix(line, "@")
		if ok && fence == "" && strings.ContainsAny(name, "/.") && !strings.ContainsAny(name, " \t") {
			list = append(list, imported{n, name})
		}
	}
	return list
}

// Render writes the files in at most about room bytes of text, one JSON object a line. Where they need
// more, the longest are cut first.
func (s Set) Render(room int) string {
	var b []byte
	for i, limit := range shares(s.Files, room) {
		f := s.Files[i]
		b = append(b, `{"file":`...)
		b = protocol.AppendString(b, transcript.Middle(f.Name, maxName))
		b = append(b, `,"of":"`...)
		b = append(b, f.Owner...)
		b = append(b, `","text":`...)
		b = transcript.AppendWithin(b, strings.TrimSpace(f.Text), limit)
		b = append(b, "}\n"...)
	}
	return string(b)
}

// shares divides room: whoever needs less than an equal part leaves the rest to the others. What counts is what a text takes
// when it is written as JSON, or one of control characters would take the room of the work under review.
func shares(files []File, room int) []int {
	needs := make([]int, len(files))
	order := make([]int, 0, len(files)) // the shortest first
	for i, f := range files {
		needs[i] = len(protocol.AppendString(nil, strings.TrimSpace(f.Text)))
		at := len(order)
		for at > 0 && needs[order[at-1]] > needs[i] {
			at--
		}
		order = slices.Insert(order, at, i)
	}
	limits := make([]int, len(files))
	for n, i := range order {
		limits[i] = min(needs[i], room/(len(order)-n))
		room -= limits[i]
	}
	return limits
}
