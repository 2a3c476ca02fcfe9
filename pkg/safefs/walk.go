package safefs

import (
	"sort"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	// MaxEntries is how many names one walk looks at: several times what a
	// large repository holds once the built folders are left out.
	MaxEntries = 200_000
	// MaxDepth is how deep it goes; deeper trees are made by mistake or malice.
	MaxDepth = 64
	// maxWork bounds the names looked at times the ignore rules tried on each: a
	// hostile .gitignore must not cost more than a very large repository.
	maxWork = 20_000_000
	// tick is after how much of that work interrupted is called.
	tick = 4096
	// maxNamed is how many folders that were passed over are told by name.
	maxNamed = 6
)

// Entry is one name that a walk has met.
type Entry struct {
	Rel  string // below the root
	Name string // its last element
	Kind protocol.Kind

	abs string // the absolute path; Walk gives it to what it has found to be no credential
}

// Walked tells what a walk has seen and what it has left out.
type Walked struct {
	Entries     int      // names looked at
	Built       []string // folders passed over because of their name, the first few
	BuiltCount  int
	Ignored     int // names hidden by .gitignore
	Credentials int // names not shown because they hold secrets
	Failed      int // folders that could not be listed
	// Stopped says why the walk ended early, "" when it did not.
	Stopped string
}

type walkFrame struct {
	prefix  string // the absolute path and a slash
	folded  string // the absolute path, as Credential compares it
	gcloud  bool   // in it every name is a credential
	entries []protocol.Entry
	at      int
	paths   string // the absolute paths of the next entries, one after the other
	rules   *ruleSet
}

// pathsAtOnce is how many paths are made in one piece of memory.
const pathsAtOnce = 32

// next gives the entry at at and its absolute path.
func (w *walkFrame) next() (e protocol.Entry, abs string) {
	if w.paths == "" {
		w.paths = joined(w.prefix, w.entries[w.at:min(w.at+pathsAtOnce, len(w.entries))])
	}
	e = w.entries[w.at]
	w.at++
	size := len(w.prefix) + len(e.Name)
	abs, w.paths = w.paths[:size], w.paths[size:]
	return e, abs
}

func joined(prefix string, entries []protocol.Entry) string {
	size := 0
	for _, e := range entries {
		size += len(prefix) + len(e.Name)
	}
	var all strings.Builder
	all.Grow(size)
	for _, e := range entries {
		all.WriteString(prefix)
		all.WriteString(e.Name)
	}
	return all.String()
}

// Walk calls visit for every file, folder and symlink below start, in order of
// their paths, folder by folder, until it returns false. Built folders, what
// .gitignore hides, version control and credentials are left out, whole folders at
// once; start itself is never left out. Symlinks are shown and not followed. Interrupted may be nil.
func (f *FS) Walk(start File, interrupted func(), visit func(Entry) bool) (Walked, error) {
	var seen Walked
	if !start.IsDir() {
		visit(Entry{Rel: start.Rel, Name: lastElem(start.Rel), Kind: start.Info.Kind, abs: start.Abs})
		seen.Entries = 1
		return seen, nil
	}
	entries, err := f.List(start)
	if err != nil {
		return seen, err
	}
	stack := []walkFrame{newFrame(start.Abs, foldPath(start.Abs), entries, f.rulesAt(start.Rel, entries))}
	relAt := len(stack[0].prefix)
	if start.Rel != "." {
		relAt -= len(start.Rel) + 1
	}
	work, nextTick := 0, tick
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.at == len(top.entries) {
			stack = stack[:len(stack)-1]
			continue
		}
		e, abs := top.next()
		seen.Entries++
		work += 1 + top.rules.price()
		if seen.Entries > f.maxEntries || work > f.maxWork {
			seen.Stopped = "the walk ended at its bound after " + strconv.Itoa(seen.Entries-1) + " names; name a folder to look in"
			return seen, nil
		}
		if interrupted != nil && work >= nextTick {
			nextTick = work + tick
			interrupted()
		}
		rel := abs[relAt:]
		if hidden(rel, e, top, &seen) {
			continue
		}
		if !visit(Entry{Rel: rel, Name: e.Name, Kind: e.Kind, abs: abs}) {
			return seen, nil
		}
		if e.Kind != protocol.KindDir {
			continue
		}
		if len(stack) >= MaxDepth {
			seen.Stopped = "folders more than " + strconv.Itoa(MaxDepth) + " deep were not looked into"
			continue
		}
		frame, ok := f.enter(rel, abs, top)
		if !ok {
			seen.Failed++
			continue
		}
		stack = append(stack, frame)
	}
	return seen, nil
}

// hidden decides whether a walk passes over an entry, and counts why.
func hidden(rel string, e protocol.Entry, in *walkFrame, seen *Walked) bool {
	dir := e.Kind == protocol.KindDir
	if e.Kind == protocol.KindOther || e.Name[0] == '.' && metaFolders[e.Name] {
		return true
	}
	if credentialIn(in.folded, in.gcloud, foldName(e.Name), true) != "" {
		seen.Credentials++
		return true
	}
	verdict := in.rules.judge(rel, e.Name, dir)
	if dir && verdict != kept && builtFolders[e.Name] {
		if seen.BuiltCount++; len(seen.Built) < maxNamed {
			seen.Built = append(seen.Built, rel)
		}
		return true
	}
	if verdict == ignored {
		seen.Ignored++
		return true
	}
	return false
}

func newFrame(abs, folded string, entries []protocol.Entry, rules *ruleSet) walkFrame {
	prefix := abs + "/"
	if abs == "/" {
		prefix = abs
	}
	return walkFrame{prefix: prefix, folded: folded, gcloud: hasFolder(folded, gcloud), entries: entries, rules: rules}
}

// enter lists a folder and reads its own rules.
func (f *FS) enter(rel, abs string, outer *walkFrame) (walkFrame, bool) {
	dir, err := f.stat(rel, rel, abs)
	if err != nil || !dir.IsDir() {
		return walkFrame{}, false
	}
	entries, err := f.List(dir)
	if err != nil {
		return walkFrame{}, false
	}
	rules := outer.rules
	if has(entries, ".gitignore", protocol.KindFile) {
		rules = f.loadIgnore(rel+"/.gitignore", rel+"/", rules)
	}
	folded := outer.folded
	if name := foldName(lastElem(rel)); folded == "" {
		folded = name
	} else if name != "" {
		folded += "/" + name
	}
	return newFrame(abs, folded, entries, rules), true
}

// has looks for a name among the entries of a folder, which are sorted.
func has(entries []protocol.Entry, name string, kind protocol.Kind) bool {
	i := sort.Search(len(entries), func(i int) bool { return entries[i].Name >= name })
	return i < len(entries) && entries[i].Name == name && entries[i].Kind == kind
}

// rulesAt gathers the rules of the root and of every folder down to rel, whose entries are given. Who
// names a hidden folder wants to see into it, so there the rules from above end.
func (f *FS) rulesAt(rel string, entries []protocol.Entry) *ruleSet {
	var rules *ruleSet
	if rel != "." || has(entries, ".git", protocol.KindDir) || has(entries, ".git", protocol.KindSymlink) {
		rules = f.loadIgnore(".git/info/exclude", "", nil)
	}
	if rel == "." {
		if has(entries, ".gitignore", protocol.KindFile) {
			rules = f.loadIgnore(".gitignore", "", rules)
		}
		return rules
	}
	rules = f.loadIgnore(".gitignore", "", rules)
	dir := ""
	for elem := range strings.SplitSeq(rel, "/") {
		hides := rules.judge(dir+elem, elem, true) == ignored
		dir += elem + "/"
		// dist/* hides what is in the folder, and not the folder.
		if hides || rules.judge(dir+anyName, anyName, false) == ignored {
			rules = nil
		}
		if len(dir) <= len(rel) || has(entries, ".gitignore", protocol.KindFile) { // of the folder itself it is known whether it has one
			rules = f.loadIgnore(dir+".gitignore", dir, rules)
		}
	}
	return rules
}

// anyName stands for a file that no rule means in particular.
const anyName = "\x01any"

func lastElem(rel string) string { return rel[strings.LastIndexByte(rel, '/')+1:] }
