package safefs

import (
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

	passed bool // Walk has found it to be no credential
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
	rel     string
	folded  string // the absolute path, as Credential compares it
	entries []protocol.Entry
	at      int
	rules   *ruleSet
}

// Walk calls visit for every file, folder and symlink below start, in order of
// their paths, folder by folder, until it returns false. Built folders, what
// .gitignore hides, version control and credentials are left out, whole folders at
// once; start itself is never left out. Symlinks are shown and not followed. Interrupted may be nil.
func (f *FS) Walk(start File, interrupted func(), visit func(Entry) bool) (Walked, error) {
	var seen Walked
	if !start.IsDir() {
		visit(Entry{Rel: start.Rel, Name: lastElem(start.Rel), Kind: start.Info.Kind, passed: true})
		seen.Entries = 1
		return seen, nil
	}
	entries, err := f.List(start)
	if err != nil {
		return seen, err
	}
	stack := []walkFrame{{rel: start.Rel, folded: foldPath(start.Abs), entries: entries, rules: f.rulesAt(start.Rel)}}
	work, nextTick := 0, tick
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.at == len(top.entries) {
			stack = stack[:len(stack)-1]
			continue
		}
		e := top.entries[top.at]
		top.at++
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
		rel := e.Name
		if top.rel != "." {
			rel = top.rel + "/" + e.Name
		}
		if hidden(rel, e, top, &seen) {
			continue
		}
		if !visit(Entry{Rel: rel, Name: e.Name, Kind: e.Kind, passed: true}) {
			return seen, nil
		}
		if e.Kind != protocol.KindDir {
			continue
		}
		if len(stack) >= MaxDepth {
			seen.Stopped = "folders more than " + strconv.Itoa(MaxDepth) + " deep were not looked into"
			continue
		}
		frame, ok := f.enter(rel, top)
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
	if credentialName(in.folded, foldName(e.Name), true) != "" {
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

// enter lists a folder and reads its own rules.
func (f *FS) enter(rel string, outer *walkFrame) (walkFrame, bool) {
	dir, err := f.stat(rel, rel)
	if err != nil || !dir.IsDir() {
		return walkFrame{}, false
	}
	entries, err := f.List(dir)
	if err != nil {
		return walkFrame{}, false
	}
	rules := outer.rules
	for _, e := range entries {
		if e.Name == ".gitignore" && e.Kind == protocol.KindFile {
			rules = f.loadIgnore(rel+"/.gitignore", rel+"/", rules)
			break
		}
	}
	folded := outer.folded
	if name := foldName(lastElem(rel)); folded == "" {
		folded = name
	} else if name != "" {
		folded += "/" + name
	}
	return walkFrame{rel: rel, folded: folded, entries: entries, rules: rules}, true
}

// rulesAt gathers the rules of the root and of every folder down to rel. Who
// names a hidden folder wants to see into it, so there the rules from above end.
func (f *FS) rulesAt(rel string) *ruleSet {
	rules := f.loadIgnore(".git/info/exclude", "", nil)
	rules = f.loadIgnore(".gitignore", "", rules)
	if rel == "." {
		return rules
	}
	dir := ""
	for elem := range strings.SplitSeq(rel, "/") {
		hides := rules.judge(dir+elem, elem, true) == ignored
		dir += elem + "/"
		// dist/* hides what is in the folder, and not the folder.
		if hides || rules.judge(dir+anyName, anyName, false) == ignored {
			rules = nil
		}
		rules = f.loadIgnore(dir+".gitignore", dir, rules)
	}
	return rules
}

// anyName stands for a file that no rule means in particular.
const anyName = "\x01any"

func lastElem(rel string) string { return rel[strings.LastIndexByte(rel, '/')+1:] }
