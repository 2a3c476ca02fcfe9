package guard

// Reason says why a note was not delivered. It is a counter's name as well.
type Reason string

// The reasons, in the order of precedence.
const (
	Empty         Reason = "empty"
	ContentFree   Reason = "content_free"
	MutedAll      Reason = "muted_all"
	MutedNote     Reason = "muted_note"
	MutedPath     Reason = "muted_path"
	MutedCategory Reason = "muted_category"
	Duplicate     Reason = "duplicate"
	SessionQuota  Reason = "session_quota"
	BlockerQuota  Reason = "blocker_quota"
	MessageQuota  Reason = "message_quota"
	ReviewQuota   Reason = "review_quota"
)

// Reasons lists them all.
var Reasons = [...]Reason{
	Empty, ContentFree, MutedAll, MutedNote, MutedPath, MutedCategory, Duplicate,
	SessionQuota, BlockerQuota, MessageQuota, ReviewQuota,
}

// Counts counts notes by what became of them.
type Counts struct {
	Delivered int
	Lowered   int // by the cooldown
	Dropped   [len(Reasons)]int
}

// Of gives the count of one reason.
func (c Counts) Of(reason Reason) int {
	if i := reasonIndex(reason); i >= 0 {
		return c.Dropped[i]
	}
	return 0
}

func reasonIndex(reason Reason) int {
	for i, r := range Reasons {
		if r == reason {
			return i
		}
	}
	return -1
}
