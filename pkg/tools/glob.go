package tools

import (
	_ "embed"
	"errors"
	"path"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/pattern"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

//go:embed glob.md
var globDoc string

const globSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"Such as *.ts, src/**/*.go or **/test_*.py"},` +
	`"path":{"type":"string","description":"Folder to start from, relative to the workspace; default: all of it"}` +
	`},"required":["pattern"]}`

// maxNames is how many names glob shows.
const maxNames = 200

func runGlob(env *Env, raw []byte) Result {
	const op = "glob"
	a, err := parseArgs(raw)
	if err != nil {
		return refuse(op, err)
	}
	expr, _, err := a.text("pattern", "glob", "query", "globpattern", "filepattern", "name")
	if err != nil {
		return refuse(op, err)
	}
	folder, _, err := a.text("path", "dir", "directory", "folder", "cwd", "root")
	if err != nil {
		return refuse(op, err)
	}
	expr, folder = strings.TrimSpace(expr), strings.TrimSpace(folder)
	if expr == "" && strings.ContainsAny(folder, "*?[{") {
		expr, folder = folder, ""
	}
	if expr == "" {
		if folder == "" {
			return refuse(op, errors.New(`"pattern" is missing; give a pattern such as *.ts or src/**/*.go`))
		}
		expr = "*"
	}
	return listMatches(env, expr, folder)
}

// listMatches names what matches expr below folder.
func listMatches(env *Env, expr, folder string) Result {
	const op = "glob"
	if path.IsAbs(expr) {
		// A slash in front means the root of the workspace, unless the pattern
		// spells the workspace out or leads elsewhere on the disk.
		inside, ok := strings.CutPrefix(expr, env.Files.Root()+"/")
		if fixed := fixedPart(expr); !ok && fixed != "/" {
			if _, err := resolve(env, fixed); err != nil {
				return refuse(op, suggest(env, fixed, err))
			}
		}
		expr, folder = strings.TrimPrefix(inside, "/"), ""
	}
	if folder == "" {
		folder = "."
	}
	base, err := resolve(env, folder)
	if err != nil {
		return refuse(op, suggest(env, folder, err))
	}
	if !base.IsDir() {
		return refuse(op, errors.New(safefs.Quote(folder)+" is a file; use read to see it"))
	}
	if strings.Contains("/"+expr+"/", "/../") {
		whole := path.Join(base.Rel, expr)
		if whole == ".." || strings.HasPrefix(whole, "../") {
			return refuse(op, errors.New(safefs.Quote(expr)+" leads out of the workspace; give a pattern below it"))
		}
		expr, base.Rel = whole, "."
	}
	g, err := pattern.CompileGlob(expr)
	if err != nil {
		return refuse(op, err)
	}
	// Going straight to the folder that the pattern names saves the walk, and
	// opens it though it may be a built or ignored one.
	from := path.Join(base.Rel, g.Dir())
	start, err := env.Files.Resolve(from)
	if err != nil {
		return refuse(op, suggest(env, from, err))
	}
	if !start.IsDir() {
		return refuse(op, errors.New(safefs.Quote(from)+" is a file; use read to see it"))
	}
	out := globOutput{env: env, glob: g, start: start.Rel, prefix: g.Dir()}
	seen, err := env.Files.Walk(start, env.Interrupted, out.visit)
	if err != nil {
		return refuse(op, err)
	}
	return Result{Text: out.text(expr, base, seen)}
}

// fixedPart is a pattern up to its first wildcard's folder.
func fixedPart(expr string) string {
	i := strings.IndexAny(expr, "*?[{\\")
	if i < 0 {
		return expr
	}
	return expr[:strings.LastIndexByte(expr[:i], '/')+1]
}

type globOutput struct {
	env     *Env
	glob    *pattern.Glob
	start   string // the folder walked
	prefix  string // how the pattern names it, "" when it does not
	names   strings.Builder
	matches int
	shown   int
	outside int
}

func (o *globOutput) visit(e safefs.Entry) bool {
	rel := e.Rel
	if o.start != "." {
		rel = rel[len(o.start)+1:]
	}
	if o.prefix != "" {
		rel = o.prefix + "/" + rel
	}
	if !o.glob.Match(rel) {
		return true
	}
	if e.Kind == protocol.KindSymlink {
		if _, err := o.env.Files.Resolve(e.Rel); err != nil {
			o.outside++
			return true
		}
	}
	o.matches++
	if o.shown < maxNames && o.names.Len() < MaxAnswer-1500 {
		o.shown++
		o.names.WriteString(showName(e.Rel) + kindMark(e.Kind) + "\n")
	}
	return true
}

func (o *globOutput) text(expr string, start safefs.File, seen safefs.Walked) string {
	where := ""
	if start.Rel != "." {
		where = " in " + showName(start.Rel)
	}
	head := plural(o.matches, "name matches ", "names match ") + quoteShort(expr) + where + "\n"
	if o.matches == 0 {
		head = "no names match " + quoteShort(expr) + where + "\n"
	}
	tail := ""
	if o.shown < o.matches {
		tail = "[cut by this tool at " + plural(o.shown, "name", "names") + "; narrow the pattern or the path to see the rest]\n"
	}
	if o.outside > 0 {
		tail += "[" + plural(o.outside, "symbolic link", "symbolic links") + " that cannot be followed not shown]\n"
	}
	return head + o.names.String() + tail + leftOut(seen)
}
