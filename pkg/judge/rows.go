package judge

// Row is one rule of the floor.
type Row struct {
	ID       string
	Decision Decision
	Reason   string
}

// Limits of the floor. Past each of them the row too-big asks. They keep one
// decision under 50 ms and the guest's stack, about 9,000 frames, far away.
const (
	maxCommand = 32 << 10 // bytes of one script
	maxScripts = 96 << 10 // bytes of all scripts that one command unfolds to
	maxDepth   = 80       // nested nodes and scripts
	maxSteps   = 6000     // statements, words and calls looked at
	maxAlts    = 8        // values that one variable or folder may have
	maxArgvs   = 16       // ways that one command's words may expand
	maxBraces  = 64       // words that one brace expansion may give
	maxValue   = 4 << 10  // bytes of one value that is followed
	maxContent = 512 << 10
)

// rows is the whole floor. Deny: whoever asks, the answer is no. Ask: a person
// must look. Allow: obviously safe. The order is that of the documentation;
// the harshest row that an action meets decides, whatever its place.
var rows = []Row{
	// Deletion.
	{"delete-outside", Deny, "deletes outside the workspace and its worktrees"},
	{"delete-root", Deny, "deletes the workspace itself, or everything in it"},
	{"delete-git", Deny, "deletes the repository's own data (.git)"},

	// Writing.
	{"write-outside", Deny, "writes outside the workspace and its worktrees"},
	{"write-device", Deny, "writes to a device or to the kernel's files"},
	{"write-git", Deny, "writes into .git, where hooks and configuration run code"},
	{"write-lifecycle", Deny, "adds a package script that runs by itself on install or publish"},
	{"write-hook", Ask, "changes a hook that runs on other people's machines too"},
	{"write-ci", Ask, "changes a build pipeline, which runs with its own credentials"},
	{"write-startup", Ask, "changes a file that a shell or interpreter runs when it starts"},
	{"write-scripts", Ask, "changes package.json where its scripts are, or may be"},
	{"write-host-config", Ask, "changes the configuration of the coding host or of this judge"},
	{"write-tool-config", Ask, "changes a setting that makes build tools or editors run other programs"},
	{"write-script", Ask, "writes a script which, if it were run, would be denied"},
	{"write-secret", Ask, "writes a file that holds credentials"},
	{"link-outside", Ask, "links to a place outside the workspace, through which later writes would leave it"},

	// Rights.
	{"escalate", Deny, "runs as another user, or gains rights"},
	{"escalate-container", Deny, "gives a container or namespace rights over this machine"},
	{"permission-mask", Deny, "opens files to everyone, sets setuid, changes owners or the umask"},

	// The machine.
	{"disk", Deny, "changes disks, partitions, file systems or mounts"},
	{"system", Deny, "changes the machine: power, kernel, firewall, users"},
	{"persistence", Deny, "installs something that runs later by itself"},
	{"kill-all", Deny, "signals every process, or the first one"},
	{"fork-bomb", Deny, "a function that starts itself again and again"},

	// The network.
	{"secret-to-network", Deny, "reads credentials and talks to the network in one command"},
	{"host-literal", Deny, "contacts a literal IP address"},
	{"host-private", Deny, "contacts this machine or a private network"},
	{"remote-shell", Deny, "connects a shell or a raw socket to another machine"},
	{"net-to-shell", Deny, "runs code straight from the network"},
	{"host-unresolved", Ask, "contacts a host that cannot be told from the command"},
	{"url-odd", Ask, "the URL is not plain http(s), or carries a name and password"},
	{"net-upload", Ask, "sends local files or another command's output to the network"},

	// Packages.
	{"pkg-lifecycle", Deny, "makes a package manager run scripts that it would not run by itself"},
	{"pkg-source", Deny, "installs from an address or registry that the project does not name"},
	{"pkg-global", Deny, "installs outside the workspace"},
	{"pkg-system", Deny, "changes the system's packages"},
	{"pkg-phase", Ask, "runs a package's install or publish phase by hand"},
	{"pkg-publish", Ask, "publishes, or changes a registry account"},

	// Git.
	{"git-force", Deny, "rewrites or deletes branches that are already pushed"},
	{"git-history", Deny, "rewrites history, or destroys what could restore it"},
	{"git-discard", Ask, "throws away work that is not committed"},
	{"git-exec", Ask, "makes git run another program"},

	// Elsewhere.
	{"destroy-service", Ask, "destroys or changes data that is not in this workspace"},
	{"secret-read", Ask, "shows credentials to the model"},

	// What cannot be resolved.
	{"too-big", Ask, "too long or too deeply nested to be read with certainty"},
	{"unparsed", Ask, "not readable as shell syntax"},
	{"odd-text", Ask, "holds characters that hide what it does"},
	{"shell-unknown", Ask, "will be run by a shell whose syntax is not read here"},
	{"nothing-to-judge", Ask, "the host did not say, or not in full, what would be done"},
	{"command-unresolved", Ask, "which program runs is only known when it runs"},
	{"target-unresolved", Ask, "what is deleted, written or changed is only known when it runs"},
	{"script-unresolved", Ask, "runs text that is only known when it runs"},
	{"inline-code", Ask, "carries a program in another language, which is not read here"},
	{"code-in-text", Ask, "text with a substitution in it reaches a place where it would run"},
	{"rewire", Ask, "changes what later words of the command mean"},
	{"env-hijack", Ask, "sets a variable that makes other programs run code"},
	{"odd-glob", Ask, "an extended glob, which some shells run as code"},
	{"runs-denied", Ask, "hands on a command that would be denied by itself"},
	{"worktrees-unknown", Ask, "outside the workspace, and the list of worktrees could not be read"},
	{"external-unknown", Ask, "wants a folder outside the workspace, and does not say for what"},
	{"loop", Ask, "the host saw the agent repeat itself"},

	// Obviously safe: no redirection to a file, no substitution, known options.
	{"safe-read", Allow, "reads inside the workspace"},
	{"safe-list", Allow, "lists, or asks about a program or the machine"},
	{"safe-search", Allow, "searches inside the workspace"},
	{"safe-git", Allow, "asks git, and changes nothing"},
	{"safe-build", Allow, "builds the project"},
	{"safe-test", Allow, "tests the project"},
	{"safe-lint", Allow, "checks the project's style and types"},
	{"safe-shell", Allow, "changes nothing outside the shell itself"},
}

var rowByID = func() map[string]Row {
	m := make(map[string]Row, len(rows))
	for _, r := range rows {
		m[r.ID] = r
	}
	return m
}()

// Rows returns a copy of the floor's table.
func Rows() []Row { return append([]Row(nil), rows...) }
