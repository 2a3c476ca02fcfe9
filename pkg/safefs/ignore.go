package safefs

import (
	"bytes"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

const (
	// maxIgnoreFile and maxIgnoreRules bound what one .gitignore may cost; the
	// longest lists in common use have some 800 rules. What is past them hides nothing.
	maxIgnoreFile  = 256 << 10
	maxIgnoreRules = 2000
	// maxIgnoreLine is how long one of its patterns may be.
	maxIgnoreLine = 512
)

// builtFolders are passed over at any depth, unless .gitignore takes one back
// in with a ! rule: what is in them is installed or generated.
var builtFolders = map[string]bool{
	"node_modules": true, "bower_components": true, "jspm_packages": true, "vendor": true, "Pods": true,
	"dist": true, "build": true, "out": true, "target": true, "_build": true, "coverage": true,
	".next": true, ".nuxt": true, ".svelte-kit": true, ".output": true, ".turbo": true, ".parcel-cache": true, ".cache": true,
	"__pycache__": true, ".venv": true, "venv": true, ".tox": true, ".nox": true, ".mypy_cache": true, ".pytest_cache": true,
	".ruff_cache": true, ".eggs": true, ".gradle": true, ".terraform": true, "DerivedData": true, ".dart_tool": true,
	".zig-cache": true, "zig-cache": true, "zig-out": true,
}

// metaFolders hold the version control's own files, and are never walked into.
var metaFolders = map[string]bool{".git": true, ".hg": true, ".svn": true, ".jj": true}

// ruleSet is one .gitignore, and the one above it.
type ruleSet struct {
	dir   string // whose patterns these are: "" for the root, else with its final slash
	rules []rule
	outer *ruleSet
	cost  int // of judging one path by all of these, and by those of outer
}

// price is what judging one path may cost, in rules.
func (s *ruleSet) price() int {
	if s == nil {
		return 0
	}
	return s.cost
}

type rule struct {
	glob    *pattern.Glob
	base    bool // matched against the last element alone
	dirOnly bool
	negate  bool
}

type verdict uint8

const (
	undecided verdict = iota
	ignored
	kept // a ! rule
)

// judge says what the rules think of a path. The innermost file that has a
// matching rule decides, and in it the last one: git's order.
func (s *ruleSet) judge(rel, name string, dir bool) verdict {
	for ; s != nil; s = s.outer {
		for i := len(s.rules) - 1; i >= 0; i-- {
			r := &s.rules[i]
			if r.dirOnly && !dir {
				continue
			}
			subject := name
			if !r.base {
				subject = rel[len(s.dir):]
			}
			if r.glob.Match(subject) {
				if r.negate {
					return kept
				}
				return ignored
			}
		}
	}
	return undecided
}

// parseIgnore reads the text of the .gitignore in dir. A pattern that git would never
// match is left out.
func parseIgnore(text []byte, dir string, outer *ruleSet) *ruleSet {
	return parseRules(text).within(dir, outer)
}

// ignoreFile is what one .gitignore says.
type ignoreFile struct {
	rules []rule
	cost  int
}

// within gives the rules of the file in dir and those of outer.
func (i ignoreFile) within(dir string, outer *ruleSet) *ruleSet {
	if len(i.rules) == 0 {
		return outer
	}
	return &ruleSet{dir: dir, rules: i.rules, outer: outer, cost: outer.price() + i.cost}
}

func parseRules(text []byte) (set ignoreFile) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(text), "\n") {
		if len(set.rules) >= maxIgnoreRules {
			break
		}
		line = trimBlanks(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		var r rule
		if line[0] == '!' {
			r.negate, line = true, line[1:]
		}
		line, r.dirOnly = strings.CutSuffix(line, "/")
		r.base = strings.IndexByte(line, '/') < 0
		glob, err := pattern.CompilePath(strings.TrimPrefix(line, "/"))
		if err != nil || line == "" || len(line) > maxIgnoreLine {
			continue
		}
		set.cost++
		if glob.Searches() {
			set.cost += len(line) / 4
		}
		r.glob = glob
		set.rules = append(set.rules, r)
	}
	return set
}

// Ignores are the rules of the .gitignore files down to a folder, for walks that are not this package's own. The zero value
// hides nothing.
type Ignores struct{ rules *ruleSet }

// With adds the text of the .gitignore in dir: its path below the root with a final slash, or "" for the root itself.
func (i Ignores) With(text, dir string) Ignores {
	return Ignores{parseIgnore([]byte(text), dir, i.rules)}
}

// Judge says what the rules think of a path below the root, whose last element is name: hidden, or kept by a ! rule.
func (i Ignores) Judge(rel, name string, dir bool) (hidden, shown bool) {
	v := i.rules.judge(rel, name, dir)
	return v == ignored, v == kept
}

// trimBlanks takes off the spaces at the end that no backslash quotes.
func trimBlanks(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	slashes := 0
	for i := end; i > 0 && line[i-1] == '\\'; i-- {
		slashes++
	}
	if slashes%2 == 1 && end < len(line) {
		end++
	}
	return line[:end]
}

// loadIgnore adds the rules of the file at rel, if it is a readable one.
func (f *FS) loadIgnore(rel, dir string, outer *ruleSet) *ruleSet {
	file, err := f.stat(rel, rel, f.abs(rel))
	if err != nil || file.Info.Kind != protocol.KindFile || file.Info.Size > maxIgnoreFile {
		return outer
	}
	if known, ok := f.ignores[rel]; ok && known.info == file.Info {
		return known.within(dir, outer)
	}
	text, err := f.Read(file, maxIgnoreFile)
	if err != nil {
		return outer
	}
	return f.remember(rel, file.Info, parseRules(text)).within(dir, outer)
}

// knownIgnore is a .gitignore that was read, and what it was then. Ten calls of a reviewer are ten walks that begin
// with the same files.
type knownIgnore struct {
	info protocol.Info
	ignoreFile
}

// maxIgnores bounds the files whose rules are remembered, and maxKeptRules the rules of one of them.
const (
	maxIgnores   = 64
	maxKeptRules = 200
)

func (f *FS) remember(rel string, info protocol.Info, file ignoreFile) ignoreFile {
	if len(file.rules) > maxKeptRules {
		delete(f.ignores, rel)
		return file
	}
	if f.ignores == nil || len(f.ignores) >= maxIgnores {
		f.ignores = map[string]knownIgnore{}
	}
	f.ignores[rel] = knownIgnore{info, file}
	return file
}
