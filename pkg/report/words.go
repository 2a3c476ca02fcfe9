package report

// What the advisor's names mean, for people.

var reviews = map[string]string{
	"notes":        "it had something to say",
	"silent":       "it had nothing to say",
	"prose":        "it talked instead of writing a note; nothing was made of it",
	"empty":        "the model gave an empty answer",
	"unparsed":     "the model's answer could not be read",
	"timeout":      "no answer in time",
	"rate_limited": "the provider asked to slow down",
	"refused":      "the provider refused the request, the key or the model",
	"failed":       "the provider or the network failed",
	"cancelled":    "it was called off",
	"superseded":   "you wrote meanwhile, so it was given up and its work joined the next",
	"budget":       "a bound of the budget was reached",
	"answered":     "answered",
}

var fates = map[string]string{
	"empty":          "it said nothing",
	"content_free":   "it held no observation: praise, or that all is well",
	"muted_all":      "you asked for quiet",
	"muted_note":     "you muted this note",
	"muted_path":     "you muted this path",
	"muted_category": "you muted this kind of note",
	"duplicate":      "it had been said already",
	"session_quota":  "the session's notes were used up",
	"blocker_quota":  "the blockers for this message of yours were used up",
	"message_quota":  "the notes for this message of yours were used up",
	"review_quota":   "one review may say only so much",
	"contradicted":   "a citation was wrong: the file does not say that there",
	"missing":        "a citation was of a file or line that does not exist",
	"refuted":        "the reviewer itself found it refuted",
	"stale":          "the cited lines had changed by the time it would have been said",
	"off":            "notes of this severity are switched off",
	"second_look":    "a second request refuted it",
	"superseded":     "you wrote before it was said; its work joined the next review",
}

var wakes = map[string]string{
	"no_human":   "no person has spoken yet",
	"superseded": "you wrote meanwhile",
	"spent":      "your last message had its wake already",
	"hourly_max": "the hour's wakes were used up",
	"not_now":    "the session could not be woken just then",
	"no_claim":   "the claim was not granted",
}

var decisions = map[string]string{
	"allow": "allow",
	"deny":  "deny",
	"ask":   "left to you",
}

// sentence explains a name, or is the name where nothing is known of it.
func sentence(words map[string]string, name string) string {
	if s := words[name]; s != "" {
		return s
	}
	return name
}
