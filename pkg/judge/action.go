package judge

import "github.com/Kayphoon/opencode-advisor/pkg/protocol"

// Decision is what the floor or the whole judge says about an action.
type Decision string

const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	Ask   Decision = "ask"
	// None of the floor: no row speaks, the model decides. Of the whole judge:
	// the host's own ask is left as it is.
	None Decision = "none"
)

// Severity orders decisions from the mildest, 0, to the harshest, 3. None is
// harsher than Allow, since the model may still deny or ask.
func (d Decision) Severity() int {
	switch d {
	case Deny:
		return 3
	case Ask:
		return 2
	case None:
		return 1
	}
	return 0
}

// Action is one request for permission, as the host describes it.
type Action struct {
	// Kind is the host's name for the permission: bash (or shell), edit, write,
	// multiedit, patch, apply_patch, read, glob, grep, list, webfetch,
	// external_directory, or any other tool's.
	Kind string
	// Resources are the host's patterns: commands, paths or URLs.
	Resources []string
	// Command is the whole text of a shell command. Without it the floor looks
	// for denials in the resources, and asks.
	Command string
	// Shell names the program that will run Command. Empty means one that reads
	// POSIX syntax; anything but sh, bash, zsh, dash, ksh, ash is asked.
	Shell string
	// Path is the file of a read, edit or write; relative to the first root.
	Path string
	// Content is the new text of an edit: a whole file, the replacing part, or
	// a unified diff. Before is the old text, when it is known.
	Content, Before string
	// Include is the glob that limits a search by a tool to some files.
	Include string
	// Input is the tool's whole input, where the fields above are not all of it: of everything but commands, reads and fetches.
	Input string
	// Cut: some of these texts were shortened on their way here. What is not
	// seen whole is asked.
	Cut bool
	// Access says what an external_directory request wants: read, write, or
	// empty when the host does not tell.
	Access string
	Place  Place
}

// Place is the part of the disk that the session may change. Paths are absolute.
type Place struct {
	Roots     []string // workspace folders; the first is the session's own
	Worktrees []string // the project's other git worktrees
	// WorktreesUnknown: the list could not be read, so a path outside Roots may
	// be inside a worktree. Such a path is asked, not denied.
	WorktreesUnknown bool
	Cwd              string // where commands start; empty means Roots[0]
	Home             string // the person's home folder; empty means unknown
	// Real resolves symlinks of an absolute path, of which the last elements
	// need not exist. False: it could not. Nil: paths are judged as written.
	Real func(path string) (string, bool)
	// Files is the disk below Roots, for looking which names a pattern or a search meets. Nil: what would need it is left
	// to the model.
	Files protocol.Files
}

// Verdict is what the floor says: the decision, the row that spoke, and its
// reason, in words for the agent and the person. Row is empty for None.
type Verdict struct {
	Decision Decision
	Row      string
	Reason   string
}
