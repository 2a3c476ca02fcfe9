package mutants

// What must notice a broken rule. The nearest tests come first, because they are the quickest.
var (
	breakerTests  = Tests{Package: "pkg/breaker"}
	sessionTests  = Tests{Package: "pkg/session"}
	guardTests    = Tests{Package: "pkg/guard"}
	deliveryTests = Tests{Package: "pkg/delivery"}
	budgetTests   = Tests{Package: "pkg/budget"}
	configTests   = Tests{Package: "pkg/config"}
	spendTests    = Tests{Package: "pkg/engine", Run: "Bound|Share|Held|Day|Count|Gate|Judge|Told?|Tell|Estimated|UnderWay|Own"}
	quietTests    = Tests{Package: "pkg/transcript", Run: "WhatIsWorth"}
	recordTests   = Tests{Package: "internal/corpus", Run: "Recording"}
	unaskedTests  = Tests{Package: "internal/scenario", Run: "Unasked|Replay/^secrets"}
	engineTests   = Tests{Package: "pkg/engine"}
	reviewerTests = Tests{Package: "internal/scenario", Run: "^TestNative$/^(citation|fail|verify|review|person|storm)"}
	restartTests  = Tests{Package: "internal/scenario", Run: "^TestNativeReplaced$/^storm-comp"}
	rulesTests    = Tests{Package: "pkg/rules"}
	hostileTests  = Tests{Package: "internal/scenario", Run: "^TestNative$/^rules"}
	advisorTests  = Tests{Package: "internal/scenario", Run: "^TestNative$/^roster"}
	judgeTests    = Tests{Package: "pkg/judge", Run: "OrderOfDecision|Deadline|NotFit|Guessable|Redacted|Shadow|Worktree|ThePerson|Attempts|Child|LogLine|Breaker|Survives|AIApproval|Options|Verdict|Prompt"}
	floorTests    = Tests{Package: "pkg/judge", Run: "DeepNesting|Wrapper|Floor|Corpus"}
	askTests      = Tests{Package: "internal/scenario", Run: "^TestNative$/^judge"}
	askedTests    = Tests{Package: "pkg/engine", Run: "Ask|Judge|Person"}
	keptTests     = Tests{Package: "internal/scenario", Run: "^TestNativeReplaced$/^judge"}
	searchTests   = Tests{Package: "internal/search", Run: "^TestEverySequence"}
)

const (
	breakerFile  = "pkg/breaker/breaker.go"
	humanFile    = "pkg/session/human.go"
	stateFile    = "pkg/session/state.go"
	countsFile   = "pkg/session/counts.go"
	storeFile    = "pkg/session/store.go"
	wakeFile     = "pkg/session/wake.go"
	guardFile    = "pkg/guard/guard.go"
	reviewFile   = "pkg/guard/review.go"
	mutesFile    = "pkg/guard/mutes.go"
	keyFile      = "pkg/guard/key.go"
	deliveryFile = "pkg/delivery/delivery.go"
	deliverFile  = "pkg/engine/deliver.go"
	roundFile    = "pkg/engine/round.go"
	rosterFile   = "pkg/engine/roster.go"
	mergeFile    = "pkg/guard/merge.go"
	watchFile    = "pkg/engine/watch.go"
	forkFile     = "pkg/session/fork.go"
	engineFile   = "pkg/engine/engine.go"
	liveFile     = "pkg/engine/live.go"
	portFile     = "pkg/engine/port.go"
	verifyFile   = "pkg/engine/verify.go"
	wishesFile   = "pkg/engine/wishes.go"
	commandFile  = "pkg/engine/command.go"
	budgetFile   = "pkg/budget/budget.go"
	dayFile      = "pkg/budget/day.go"
	spendFile    = "pkg/engine/spend.go"
	pricesFile   = "pkg/config/prices.go"
	quietFile    = "pkg/transcript/quiet.go"
	decideFile   = "pkg/judge/decide.go"
	modelFile    = "pkg/judge/model.go"
	stateOfJudge = "pkg/judge/state.go"
	judgeFile    = "pkg/engine/judge.go"
	portOfJudge  = "pkg/engine/judgeport.go"
	recordFile   = "pkg/engine/record.go"
)

// All are the mutants.
var All = []Mutant{
	{"no wake before a person spoke", breakerFile, "case s.Human == \"\":", "case false:", breakerTests},
	{"an outdated review does not wake", breakerFile, "case a.Human != s.Human:", "case false:", breakerTests},
	{"one wake for a message", breakerFile, "case s.Spent, woken(s):", "case false:", breakerTests},
	{"a wake of ours behind a message that was heard late counts", breakerFile, "case s.Spent, woken(s):", "case s.Spent:", breakerTests},
	{"a claim of another process behind the message counts", breakerFile, "return other == 0 || s.At == 0 || other+Grace < s.At", "return true || other+Grace < s.At", breakerTests},
	{"a claim may arrive a moment later", breakerFile, "other+Grace < s.At", "other < s.At", breakerTests},
	{"what others claimed is asked for", wakeFile, "if !granted || !breaker.Free(s.Breaker, other) {", "if !granted {", sessionTests},
	{"a wake that was on its way when the person spoke", stateFile, "if d.Woke && d.State == \"sent\"", "if false && d.State == \"sent\"", sessionTests},
	{"a claim that is answered late", portFile, "p.e.now-asked > claimMS {", "asked < 0 {", engineTests},
	{"wakes of an hour are bounded", breakerFile, "case recent(s.Wakes, a.Now) >= a.MaxPerHour:", "case false:", breakerTests},
	{"no wake when the host is unfit", breakerFile, "case a.Unfit:", "case false:", breakerTests},
	{"a message told again opens nothing", breakerFile, "if id == \"\" || id == s.Human || slices.Contains(s.Past, id) {\n\t\treturn s, false\n\t}\n\tif at != 0", "if id == \"\" || slices.Contains(s.Past, id) {\n\t\treturn s, false\n\t}\n\tif at != 0", breakerTests},
	{"an earlier message told again opens nothing", breakerFile, "if id == \"\" || id == s.Human || slices.Contains(s.Past, id) {\n\t\treturn s, false\n\t}\n\tif at != 0", "if id == \"\" || id == s.Human {\n\t\treturn s, false\n\t}\n\tif at != 0", breakerTests},
	{"an older message that was missed opens nothing", breakerFile, "if at != 0 && at < s.At {", "if false {", breakerTests},
	{"earlier messages are remembered", breakerFile, "s.Past = past[max(0, len(past)-MaxPast):]\n\t}\n\ts.Human, s.Spent = id, false", "_ = past\n\t}\n\ts.Human, s.Spent = id, false", breakerTests},
	{"a claim that was asked for is spent", breakerFile, "s.Spent = true\n\treturn s\n}\n\n// Woke", "return s\n}\n\n// Woke", breakerTests},
	{"the last message comes back spent", breakerFile, "s.Human, s.Spent = id, true", "s.Human, s.Spent = id, false", breakerTests},
	{"a wake counts for the hour", breakerFile, "s.Wakes = append(kept, now)", "s.Wakes = kept", breakerTests},
	{"a clock that was set back opens nothing", breakerFile, "return now-t < Hour }", "return now-t < Hour && now >= t }", breakerTests},
	{"a claim belongs to one message", breakerFile, "digest.Hex(32, \"wake\", session, human)", "digest.Hex(32, \"wake\", session)", breakerTests},
	{"a claim belongs to one session", breakerFile, "digest.Hex(32, \"wake\", session, human)", "digest.Hex(32, \"wake\", human)", breakerTests},

	{"what nobody typed is not human", humanFile, "return u.Typed &&", "return true &&", sessionTests},
	{"what has no id is not human", humanFile, "u.ID != \"\" &&", "true &&", sessionTests},
	{"ours is not human", humanFile, "!u.Advisor &&", "true &&", sessionTests},
	{"synthetic is not human", humanFile, "!u.Synthetic &&", "true &&", sessionTests},
	{"another plugin's is not human", humanFile, "!u.Foreign &&", "true &&", sessionTests},
	{"a continuation is not human", humanFile, "!u.Continuation &&", "true &&", sessionTests},
	{"a custom message is not human", humanFile, "!u.Custom &&", "true &&", sessionTests},
	{"a child's prompt is not human", humanFile, "!s.Child\n", "true\n", sessionTests},
	{"an order to be quiet is not code", humanFile, "if fenced || ", "if ", sessionTests},
	{"an order to be quiet is about us", humanFile, "if strings.HasPrefix(word, f) {", "if word != \"\" && f != \"\" {", sessionTests},

	{"a sealed session wakes nobody", wakeFile, "s.Sealed || s.Behind", "s.Behind", sessionTests},
	{"a session that missed something wakes nobody", wakeFile, "s.Sealed || s.Behind", "s.Sealed", sessionTests},
	{"a wake is spent before the claim is known", wakeFile, "s.Breaker = breaker.Spend(s.Breaker)", "", sessionTests},
	{"a refused claim does not wake", wakeFile, "if !granted || !breaker.Free(s.Breaker, other) {", "if !breaker.Free(s.Breaker, other) {", searchTests},
	{"a granted wake counts for the hour", wakeFile, "s.Breaker = breaker.Woke(s.Breaker, now)", "", sessionTests},
	{"compaction and failure are unfit", wakeFile, "Unfit: s.Compacting || s.Unfit,", "Unfit: false,", sessionTests},

	{"our echo is ours", stateFile, "if s.IsOurs(e.ID) || e.Advisor {", "if false {", sessionTests},
	{"our echo is known by its id", stateFile, "if s.IsOurs(e.ID) || e.Advisor {", "if e.Advisor {", sessionTests},
	{"what we delivered is ours", stateFile, "s.remember(d.ID)\n\ts.Log.Ours", "s.Log.Ours", sessionTests},
	{"a message told again is not counted", stateFile, "if !fresh {\n\t\treturn Step{}\n\t}", "_ = fresh", sessionTests},
	{"a person outranks a running review", stateFile, "step := Step{Supersede: true, Changed: true, Resync: s.Behind}", "step := Step{Changed: true, Resync: s.Behind}", engineTests},
	{"a revert outdates a running review", stateFile, "return Step{Supersede: true, Changed: true}", "return Step{Changed: true}", sessionTests},
	{"a history opens nothing older than the present", stateFile, "if i < present || lost && u.Created == 0 || s.copied(u) {", "if i < 0 && lost || s.copied(u) {", sessionTests},
	{"a session that was missed asks for its history", stateFile, "return Step{Resync: true, Changed: true}", "return Step{Changed: true}", sessionTests},
	{"a missed part keeps the breaker closed", stateFile, "s.Behind = true", "", sessionTests},
	{"a compaction that begins is stored", stateFile, "s.Compacting = true\n\t\treturn Step{Changed: true}", "s.Compacting = true\n\t\treturn Step{}", restartTests},
	{"a turn that failed is unfit", stateFile, "s.Unfit = e.Outcome != \"ok\"", "", sessionTests},
	{"a turn that resumes has not ended", stateFile, "if e.Resumes {", "if false {", sessionTests},
	{"a delivery that is never seen is given up", stateFile, "s.Turns-d.Turn >= ConfirmTurns", "false", sessionTests},
	{"a late admission does not take back that it was seen", stateFile, "d.State != \"seen\" {", "true {", sessionTests},
	{"a notice is given once", stateFile, "if slices.Contains(s.Told, key) {", "if false {", sessionTests},
	{"a child session is not watched", stateFile, "case e.Parent != \"\":", "case false:", sessionTests},
	{"another location is not ours", stateFile, "case e.Directory != \"\" && o.Directory != \"\" && e.Directory != o.Directory:", "case false:", sessionTests},
	{"quiet is lifted by the person's word", stateFile, "s.Mutes.All = false", "", sessionTests},
	{"quiet by the person's word", stateFile, "s.Mutes.All = true", "", sessionTests},
	{"the review interval", stateFile, "s.Eligible >= max(1, o.Interval)", "true", sessionTests},
	{"deliveries are bounded", stateFile, "s.Deliveries = s.Deliveries[max(0, len(s.Deliveries)-MaxDeliveries):]", "", sessionTests},
	{"one notice when reviews fail in a row", countsFile, "return s.Failing == Degraded, false", "return s.Failing >= Degraded, false", sessionTests},
	{"a usable review ends the trouble", countsFile, "\t\ts.Failing = 0\n", "", sessionTests},
	{"notes that are kept are bounded", countsFile, "s.Notes = s.Notes[max(0, len(s.Notes)-maxNotes):]", "", sessionTests},

	{"a copied message opens nothing", stateFile, "if s.copied(e) {", "if false {", sessionTests},
	{"a copied message in the history opens nothing", stateFile, "|| s.copied(u) {", "{", sessionTests},
	{"a session's birth is stored", storeFile, "Sealed: s.Sealed, Born: s.Born,", "Sealed: s.Sealed,", sessionTests},
	{"a fork knows what was said", forkFile, "s.Guard, s.Mutes, s.Counts, s.Notes, s.Told = from.Guard, from.Mutes, from.Counts, from.Notes, from.Told", "s.Mutes, s.Counts, s.Notes, s.Told = from.Mutes, from.Counts, from.Notes, from.Told", sessionTests},
	{"a fork keeps what the person muted", forkFile, "s.Guard, s.Mutes, s.Counts, s.Notes, s.Told = from.Guard, from.Mutes, from.Counts, from.Notes, from.Told", "s.Guard, s.Counts, s.Notes, s.Told = from.Guard, from.Counts, from.Notes, from.Told", sessionTests},
	{"a fork keeps the counts", forkFile, "s.Guard, s.Mutes, s.Counts, s.Notes, s.Told = from.Guard, from.Mutes, from.Counts, from.Notes, from.Told", "s.Guard, s.Mutes, s.Notes, s.Told = from.Guard, from.Mutes, from.Notes, from.Told", sessionTests},
	{"a fork keeps the wakes of the hour", forkFile, "Wakes: slices.Clone(from.Breaker.Wakes)}", "Wakes: nil}", sessionTests},
	{"a fork knows our messages", forkFile, "s.remember(d.ID)", "", sessionTests},
	{"a fork waits for nothing that its origin waits for", forkFile, "if d.State == \"seen\" {", "if true {", sessionTests},
	{"a fork goes on from its origin", liveFile, "e.inherit(l, string(ev.Inherited))", "", engineTests},
	{"a fork goes on from what this process holds of its origin", liveFile, "if from := e.sessions[l.origin]; from != nil && from.stores() {", "if from := e.sessions[l.origin]; false && from != nil {", engineTests},
	{"what there was no room for is counted", engineFile, "e.lost[sessionOf(ev)]++", "", engineTests},
	{"what there was no room for while a state was loaded is counted", liveFile, "\t\t\tl.lost++\n", "", engineTests},
	{"a child is known however much comes", engineFile, "if len(e.early) >= maxEarly && passing(ev) {", "if len(e.early) >= maxEarly {", engineTests},
	{"a session of which something was lost is behind", liveFile, "early = append(early, &protocol.Session{Session: ev.Session})\n", "", engineTests},
	{"a spent wake is stored", storeFile, "Spent: s.Breaker.Spent", "Spent: false", sessionTests},
	{"the present message is stored", storeFile, "Human: s.Breaker.Human, At: s.Breaker.At", "At: s.Breaker.At", sessionTests},
	{"earlier messages are stored", storeFile, "Past: s.Breaker.Past", "Past: nil", sessionTests},
	{"wakes of the hour are stored", storeFile, "st.Wakes = append(st.Wakes, protocol.Moment{At: at})", "_ = at", sessionTests},
	{"a seal is stored", storeFile, "Sealed: s.Sealed", "Sealed: false", sessionTests},
	{"a mute is stored", storeFile, "Muted: s.Mutes.All", "Muted: false", sessionTests},
	{"what was delivered is ours after a restart", storeFile, "fresh.remember(d.ID)", "", sessionTests},
	{"a newer state is not read", storeFile, "if st.Version > protocol.StateVersion {", "if false {", sessionTests},
	{"an older state is not read", storeFile, "if st.Version != protocol.StateVersion {", "if false {", sessionTests},
	{"another session's state is not read", storeFile, "if st.Session != s.ID {", "if false {", sessionTests},

	{"a rise in severity passes once", guardFile, "if known >= 0 && note.Severity.Rank() <= loudest {", "if known >= 0 && note.Severity.Rank() < loudest {", guardTests},
	{"what was said is not said again", guardFile, "if known >= 0 && note.Severity.Rank() <= loudest {", "if known >= 0 && loudest < 0 {", guardTests},
	{"chatter is dropped", guardFile, "if contentFree(note.Text) {", "if false {", guardTests},
	{"mutes are kept", guardFile, "if reason := g.muted(note, fp, names, ctx.Mutes); reason != \"\" {", "if reason := g.muted(note, fp, names, Mutes{}); reason != \"\" {", guardTests},
	{"a muted place is quiet under any name", guardFile, " || e.fp.overlaps(fp))", ")", guardTests},
	{"texts without a common word are not related", keyFile, "h = mix(h + uint64(half+1)*0x9e3779b97f4a7c15)", "_ = mix", guardTests},
	{"a wake calms concerns", guardFile, "if g.calm > 0 && note.Severity == protocol.Concern {", "if false {", guardTests},
	{"notes of a session are bounded", guardFile, "case g.inSession >= limits.PerSession:", "case false:", guardTests},
	{"blockers are bounded too", guardFile, "g.blockers >= limits.BlockersPerMessage:", "false:", guardTests},
	{"notes of a message are bounded", guardFile, "case g.inMessage >= limits.PerMessage:", "case false:", guardTests},
	{"notes of a review are bounded", guardFile, "case g.inReview >= limits.PerReview:", "case false:", guardTests},
	{"a bound is told once", guardFile, "d.Tell = !g.told[i]", "d.Tell = true", guardTests},
	{"a matter that is muted is forgotten last", guardFile, "!slices.Contains(mutes.Notes, e.id) })", "true })", guardTests},
	{"the ring is bounded", guardFile, "for len(g.ring) > limits.Ring {", "for false {", guardTests},
	{"the loudest come first", reviewFile, "return groups[i].note.Severity.Rank() > groups[j].note.Severity.Rank()", "return false", guardTests},
	{"a digest is bounded", reviewFile, "if len(titles) >= maxDigest {", "if false {", guardTests},
	{"a muted category is dropped", mutesFile, "return MutedCategory", "return \"\"", guardTests},
	{"a muted path is dropped", mutesFile, "return MutedPath", "return \"\"", guardTests},
	{"everything muted is dropped", mutesFile, "case m.All:", "case false:", guardTests},
	{"the same text is the same matter", keyFile, "if f.strict == g.strict {", "if false {", guardTests},
	{"near texts are the same matter", keyFile, "distance <= simNear", "false", guardTests},

	{"a concern never wakes", deliveryFile, "c == config.ChannelWaking && s != protocol.Blocker || c == \"\"", "c == \"\"", deliveryTests},
	{"an unknown severity is silent", deliveryFile, "|| c == \"\" {", "{", deliveryTests},
	{"the same delivery has the same id", deliveryFile, "session, note, human)\n", "session, human, human)\n", deliveryTests},
	{"only what was matched is shown as proof", deliveryFile, "if c.Status != protocol.CiteVerified && c.Status != protocol.CiteMoved {", "if false {", deliveryTests},
	{"a patch cannot close its fence", deliveryFile, "max(3, longest+1)", "3", deliveryTests},

	{"what changed is not said", deliverFile, "\tnote, fresh := e.fresh(note, v)\n\tif !fresh {", "\tnote, fresh := e.fresh(note, v)\n\tif false && !fresh {", reviewerTests},
	{"what changed while the claim was on its way is not said", deliverFile, "if note, fresh = e.fresh(note, v); !fresh {", "if note, fresh = e.fresh(note, v); false {", engineTests},
	{"what changed while the host held it back is not said", deliverFile, "if reason == \"\" && fresh {", "if reason == \"\" && (fresh || true) {", engineTests},
	{"what was muted while the host held it back is not said", deliverFile, "if reason == \"\" && fresh {", "if fresh {", engineTests},
	{"what is dropped late does not count as delivered", deliverFile, "s.Counts.Add(session.CountDelivered, -1)", "", engineTests},
	{"what was held back is sent when the turn has ended", stateFile, "if s.ripe(*d) {\n\t\t\tstep.Again = append", "if false {\n\t\t\tstep.Again = append", engineTests},
	{"what is held back is tried once a turn", stateFile, "&& s.Turns > d.Turn }", "}", engineTests},
	{"a severity that is off is not said", deliverFile, "if channel == config.ChannelOff {", "if false {", engineTests},
	{"what is refuted is not said", deliverFile, "case refuted:", "case refuted && false:", reviewerTests},
	{"the person spoke while the claim was on its way", deliverFile, "case p.t.dead: // the person spoke", "case p.t.dead && false: // the person spoke", engineTests},
	{"a wake is saved with its claim", deliverFile, "l.dirty = true // saved with the claim, though an earlier wait of this review saved before", "", engineTests},
	{"a wake calms the guard", deliverFile, "s.Guard.Woke(ctx.Limits)", "", engineTests},
	{"what is said is saved before it is said", deliverFile, "\tif len(all) > 0 {\n\t\te.saveFirst(l)\n\t}", "", engineTests},
	{"secrets do not reach the session", deliverFile, "n.Text = e.redact.Text(n.Text)", "", engineTests},
	{"secrets that are searched for do not reach the session", deliverFile, "c.Pattern = e.redact.Text(guard.Printable(c.Pattern))", "", engineTests},
	{"what was not said may be said later", deliverFile, "\tl.state.Guard.Retract(note.ID)\n", "", engineTests},
	{"a bound is told to the person", deliverFile, "e.notice(s.ID, \"bound_\"+string(bound), \"info\", guard.Bound(bound, ctx.Limits))", "_ = bound", reviewerTests},

	{"a quiet advisor reviews nothing", watchFile, "if was || l.state.Mutes.All {\n", "if was && false {\n", reviewerTests},
	{"a quiet advisor hears that it may speak", watchFile, "\tcase muted:\n\t\te.beginReview(l, 0)\n\t\treturn\n", "", engineTests},
	{"what is lifted beside the host is lifted for the update that hears of it", watchFile, "l.again = true // nothing", "_ = 0 // nothing", engineTests},
	{"a mute left beside the host holds for the next review", watchFile, "if p.heed(l); t.dead {", "if t.dead {", engineTests},
	{"a mute left during a review holds for its notes", roundFile, "return len(a.out.Notes) > 0 }) {", "return false }) {", engineTests},
	{"a mute left during the second look holds", verifyFile, "p.heed(l) // it took a while", "", engineTests},
	{"a mute said during the second look holds", deliverFile, "if muted := s.Guard.Muted(note, s.Mutes); muted != \"\" { // since", "if muted := s.Guard.Muted(note, s.Mutes); muted != \"\" && false { // since", engineTests},
	{"a mute left beside the host holds for what was held back", deliverFile, "\t\tport{e, t}.heed(l)\n\t\tfor _, id", "\t\tfor _, id", engineTests},
	{"wishes are taken up once", wishesFile, "case l.state.Heard == from:", "case true:", engineTests},
	{"how far wishes were taken up is stored", storeFile, "Heard: s.Heard,", "", engineTests},
	{"what was typed after a wish has the last word", wishesFile, "if l.state.Mutes.All != all {", "if false {", engineTests},
	{"a wish of a process that looks on is left for the one that reviews", commandFile, "if !failed && (!l.stores() || e.sessions[l.state.ID] != l) {", "if false {", engineTests},
	{"the person is told of wishes", wishesFile, "if len(said) == 0 || !tell {", "if true {", engineTests},
	{"another process reviews", watchFile, "case l.observer:", "case false:", engineTests},
	{"a paused endpoint is left alone", watchFile, "case e.pauseOf(c).Active(e.now, ep.Fingerprint()):", "case false && ep.Model == \"\":", reviewerTests},
	{"reviews of a session are bounded", watchFile, "if most := e.config.ReviewsPerSession; most > 0 && l.state.Counts[session.CountStarted] >= int64(most) {", "if most := e.config.ReviewsPerSession; most < 0 {", engineTests},
	{"a bound of the session is told once", watchFile, "if l.state.Tell(\"reviewsPerSession\") {", "if true {", engineTests},
	{"reviews under way are bounded", watchFile, "if n := e.reviewing(); n > 0 && n+len(seats) > maxReviews {", "if false {", engineTests},
	{"a review that waited for room begins", watchFile, "e.safely(\"review of \"+l.state.ID, func() { e.startReview(l) })", "", engineTests},
	{"what failed is reviewed again", roundFile, "covers := r.open == 0 && r.usable", "covers := r.open == 0", engineTests},
	{"what the person outran is part of the next review", roundFile, "e.deliver(p, r, batch) && covers", "e.deliver(p, r, batch) || covers", engineTests},
	{"what the person outran is not said", deliverFile, "e.unsaid(l, batch, note, fateSuperseded, \"\")", "_ = note", engineTests},
	{"second looks come before the first check", deliverFile, "note, refuted := e.secondLook(p, l, note)", "note, refuted := note, false", reviewerTests},
	{"what was reviewed is not reviewed again", roundFile, "l.state.Log.Commit(r.delta.Cursor)", "", engineTests},
	{"a review that is given up says nothing", watchFile, "\t\tif t.dead {\n\t\t\treturn // the person spoke, or the session is gone\n\t\t}", "", engineTests},
	{"one trouble, one notice", watchFile, "if sick && !told {", "if sick {", engineTests},
	{"the reviewer hears what the person decided", watchFile, "\tfor _, c := range s.Mutes.Categories {", "\tfor range 0 {\n\t\tc := \"\"", engineTests},

	{"notes of one place are merged", mergeFile, "if at < 0 {", "if at < 0 || true {", guardTests},
	{"one advisor's own notes are not merged", mergeFile, "return p.Author == note.Author }) &&", "return false }) &&", guardTests},
	{"a merged note is as loud as its loudest", mergeFile, "loudest = i", "_ = i", guardTests},
	{"all authors are shown", mergeFile, "strings.Join(authors, \", \")", "strings.Join(authors[:1], \", \")", guardTests},
	{"a muted matter does not come in with another", reviewFile, "return reason != \"\"\n", "return false\n", guardTests},
	{"what went into a note is not said again alone", reviewFile, "g.parts(group.parts, d.Note, ctx)", "", guardTests},
	{"what was taken back was said by none of its advisors", guardFile, "part := e.id == id && e.review == review && i != at;", "part := review < 0;", guardTests},
	{"what another advisor said before is not said again", guardFile, " && e.batch == g.batch)", ")", guardTests},
	{"bounds hold over all advisors", deliverFile, "if !r.begun {", "if true {", engineTests},
	{"a ceiling is kept", roundFile, "if s.Ceiling != \"\" {", "if false {", advisorTests},
	{"answers do not wait for a slow advisor", roundFile, "until != 0 && e.now >= until)", "false)", engineTests},
	{"a review that panics is over", watchFile, "l.review == t && !t.dead {", "false {", engineTests},
	{"an advisor that panics takes nobody along", roundFile, "r.open--", "", engineTests},
	{"an advisor that panics at once takes nobody along", roundFile, "e.safely(\"review by \"+s.author, func() {", "func(_ string, f func()) { f() }(\"\", func() {", engineTests},
	{"a person's message ends all advisors", roundFile, "e.cancel(own)", "_ = own", engineTests},
	{"an advisor that is refused is left alone", rosterFile, "!e.pauses[ep.Fingerprint()].Active(e.now, ep.Fingerprint())", "ep.Model != \"\"", engineTests},
	{"an advisor waits for its triggers", watchFile, "return !s.calls(delta)", "return false", advisorTests},
	{"a project adds no more advisors than it may", rosterFile, "len(seats)-own >= e.config.ProjectAdvisors:", "false:", advisorTests},
	{"a project signs with its name", rosterFile, "s.author += \" (project)\"", "", advisorTests},
	{"a project names no model and no tools", "pkg/config/advisors.go", "if !person && (m.key", "if false && (m.key", configTests},
	{"a project's options raise no bound of advisors", "pkg/config/load.go", "min(r.ProjectAdvisors, person.ProjectAdvisors)", "r.ProjectAdvisors + 0*person.ProjectAdvisors", advisorTests},
	{"a secret in a project's roster does not reach the reviewer", rosterFile, "e.redact.Text(a.Instructions)", "a.Instructions", advisorTests},

	{"rules lift no proof", "pkg/evidence/resolve.go", "if c := &note.Citations[i]; r.Rules != nil &&", "if c := &note.Citations[i]; false &&", hostileTests},
	{"rules of code prove nothing and take no proof away", "pkg/rules/rules.go", "if path.Ext(i.path) != \".md\" {", "if false {", rulesTests},
	{"the person's rules stay in their folder", "pkg/rules/rules.go", "if path.IsAbs(name) || name == \"..\" ||", "if name == \"..\" &&", rulesTests},
	{"imports end", "pkg/rules/rules.go", "if depth >= maxDepth {", "if false {", rulesTests},
	{"a file of rules is read once", "pkg/rules/rules.go", "if id == \"\" || c.seen[id] {", "if id == \"\" {", rulesTests},
	{"files of rules are bounded", "pkg/rules/rules.go", "if c.files++; c.files > maxFiles {", "if c.files++; false {", rulesTests},
	{"a changed file of rules is read again", "pkg/rules/rules.go", "ok && old.info == file.Info {", "ok {", rulesTests},
	{"imports that lead nowhere are bounded", "pkg/rules/rules.go", "c.looked > maxLooked {", "false {", rulesTests},
	{"rules share the request", "pkg/rules/rules.go", "min(needs[i], room/(len(order)-n))", "needs[i]+0*n", rulesTests},
	{"a quote in the delta is of its file", "pkg/review/box.go", " && b.names(entry, path)", "", reviewerTests},
	{"a shorter delta is what was read", "pkg/review/review.go", "b.shown = half.Suffix(in.Nonce)", "", Tests{Package: "pkg/review"}},
	{"a pattern that reaches credentials is not allowed", "pkg/judge/secrets.go", "if !fd.glob {", "if true {", floorTests},
	{"what was cut off an answer was not read", "pkg/dialog/dialog.go", "whole = strings.Count(short, \"\\n\")", "whole = strings.Count(text, \"\\n\")", reviewerTests},
	{"secrets do not reach the reviewer in rules", "pkg/rules/rules.go", "text = c.r.Redact(string(data))", "text = string(data)", rulesTests},
	{"the fence of rules is nobody's to write", "pkg/engine/rules.go", "digest.Hex(16, \"rules\", e.secret, text)", "digest.Hex(16, \"rules\", e.secret)", engineTests},
	{"notices about rules are bounded", "pkg/engine/rules.go", "if e.ruleNotices >= maxRuleNotices {", "if false {", engineTests},

	{"a person's message ends the review under way", liveFile, "if step.Supersede && l.review != nil {", "if false {", engineTests},
	{"a superseded review is cancelled", liveFile, "\te.cancel(t)\n", "\t_ = t\n", engineTests},
	{"an unreadable state seals the session", liveFile, "l.state.Sealed = true", "", engineTests},
	{"an observer stores nothing", liveFile, "return !l.loading && !l.observer && !l.foreign }", "return !l.loading && !l.foreign }", engineTests},
	{"a newer state is not written over", liveFile, "return !l.loading && !l.observer && !l.foreign }", "return !l.loading && !l.observer }", engineTests},
	{"an observer takes over", watchFile, "e.askAgain(l)", "", engineTests},
	{"who takes over knows that it missed something", liveFile, "again.used, again.behind = l.used, true", "again.used = l.used", engineTests},
	{"sessions in memory are bounded", liveFile, "for len(e.sessions) >= maxLive {", "for false {", engineTests},
	{"a session whose review waits stays in memory", liveFile, "!l.armed && !l.waiting && ", "", engineTests},
	{"an unconfirmed delivery is told", liveFile, "if n := len(step.Unconfirmed); n > 0 {", "if n := 0; n > 0 {", engineTests},
	{"a review that was due is still due after a restart", liveFile, "if l.state.Owed {", "if false {", engineTests},

	{"a day's bound stops requests", budgetFile, "case b.DayCost > 0 && s.Day >= b.DayCost:", "case false:", budgetTests},
	{"a session's bound stops requests", budgetFile, "case b.SessionTokens > 0 && s.Session.Tokens() >= b.SessionTokens:", "case false:", budgetTests},
	{"a review's bound stops requests", budgetFile, "case b.ReviewTokens > 0 && s.Review >= b.ReviewTokens:", "case false:", budgetTests},
	{"a share of the agent's pauses", budgetFile, "known && b.Share > 0 && share >= b.Share", "false && known && b.Share > share", budgetTests},
	{"what is under way counts for the day", budgetFile, "s.Day+s.HeldCost >= b.DayCost", "s.Day >= b.DayCost", budgetTests},
	{"what is under way counts for the session", budgetFile, "s.Session.Tokens()+s.HeldTokens >= b.SessionTokens", "s.Session.Tokens() >= b.SessionTokens", budgetTests},
	{"a guess is not compared with what is known", budgetFile, "if primary.Cost > 0 && own.Estimated == 0 {", "if primary.Cost > 0 {", budgetTests},
	{"an unknown price is not free", budgetFile, "p = Guess\n", "_ = Guess\n", budgetTests},
	{"what is cached is priced apart", budgetFile, "{read, p.CacheRead}", "{read, p.In}", budgetTests},
	{"a line of others is counted", dayFile, "default:\n\t\t\tl.count(u)", "default:", budgetTests},
	{"a line of ours is counted once", dayFile, "l.unread = l.unread[1:]\n\t\tdefault:", "l.unread = l.unread[1:]\n\t\t\tl.count(u)\n\t\tdefault:", budgetTests},
	{"a line cannot lower what is counted", dayFile, "err != nil || n < 0 || ", "err != nil || ", budgetTests},
	{"an answer that comes twice is read once", dayFile, "if next <= l.From {", "if false {", budgetTests},
	{"a lift of others holds here", dayFile, "l.Since = Use{}\n\t\t\t\tfor", "for", budgetTests},
	{"each request is asked about", spendFile, "if why := e.afford(m.l, review); why != budget.None {", "if why := e.afford(m.l, review); false {", spendTests},
	{"what was held is given back", spendFile, "m.l.held -= m.held.Tokens()", "", spendTests},
	{"what the vendor does not tell is estimated", spendFile, "if !counted && worked {", "if false {", spendTests},
	{"the day is read before a request", spendFile, "if e.config.Budget.CostPerDay > 0 {", "if false {", spendTests},
	{"a request is written to the day's ledger", spendFile, "e.emit(&protocol.Tally{Name: day.Name, Line: line})", "", spendTests},
	{"what was written is read back before it is forgotten", spendFile, "if day.Behind() {", "if false {", spendTests},
	{"nobody waits for the ledger between two requests", spendFile, "if day.Behind() {", "if true {", spendTests},
	{"the status tells what other processes spent", "pkg/engine/command.go", "e.waitFor(t, e.tally(\"\"), tallyMS, nil)", "", spendTests},
	{"options never widen a bound", "pkg/config/merge.go", "return have > 0 && (bound(a) == 0 || bound(a) > have)", "return have < 0", configTests},
	{"no bound is wider than any", "pkg/config/merge.go", "bound(a) == 0 || ", "", configTests},
	{"a project's prices are nobody's", pricesFile, "if all || k.priced[e.Provider] {", "if all {", configTests},
	{"a failure is worth a review", quietFile, "if e.failed || ", "if ", quietTests},
	{"an unknown tool is worth a review", quietFile, "return e.class == classRead || e.class == classAdvisor", "return e.class != classEdit && e.class != classCommand", quietTests},
	{"a claim is worth a review", quietFile, " && !claims(e.text)", "", quietTests},
	{"what comes in is redacted before it is kept", recordFile, "batch, _ = secrets.JSON(c.batch)", "batch = c.batch", recordTests},
	{"what is read is redacted before it is kept", recordFile, "f.Text = hidden", "_ = hidden", recordTests},
	{"keys of requests are left out", recordFile, "s.Headers = nil", "", unaskedTests},
	{"nothing is recorded unasked", "pkg/engine/configure.go", "if e.rec.on = resolved.Record; !e.rec.on {", "if e.rec.on = true; !e.rec.on {", unaskedTests},

	{"a judge that is switched off passes", decideFile, "!j.Switch.On() || ", "", judgeTests},
	{"without settings of the person there is no judge", decideFile, "!j.Options.Configured || ", "", judgeTests},
	{"what the host decided is not judged", decideFile, "r.Effect != \"\" && r.Effect != \"ask\" || ", "", judgeTests},
	{"what is excluded passes", decideFile, "|| j.Options.excluded(&a) {", "|| false && j.Options.excluded(&a) {", judgeTests},
	{"a paused judge asks", decideFile, "paused != \"\" && !shadow {", "paused != \"\" && !shadow && false {", judgeTests},
	{"a breaker is nothing to shadow mode", decideFile, "paused != \"\" && !shadow {", "paused != \"\" && (true || shadow) {", judgeTests},
	{"a paused judge says what the floor thinks", decideFile, "\t\tif floor.Decision == Deny {\n\t\t\tmessage +=", "\t\tif false {\n\t\t\tmessage +=", judgeTests},
	{"the floor denies before the model is asked", decideFile, "case floor.Decision == Deny:", "case false:", judgeTests},
	{"a deny rule denies", decideFile, "case anyRule(c.Options.Deny, a):", "case false:", judgeTests},
	{"what was approved by hand is allowed", decideFile, "case c.s.Approved(*a):", "case false:", judgeTests},
	{"no approval lifts the floor", decideFile, "\tswitch {\n\tcase floor.Decision == Deny:\n\t\treturn", "\tswitch {\n\tcase floor.Decision == Deny && !c.s.Approved(*a):\n\t\treturn", judgeTests},
	{"no approval lifts a deny rule", decideFile, "case anyRule(c.Options.Deny, a):", "case anyRule(c.Options.Deny, a) && !c.s.Approved(*a):", judgeTests},
	{"the floor asks before the model is asked", decideFile, "case floor.Decision == Ask:", "case false:", judgeTests},
	{"a project that wants to be asked is asked", decideFile, "case c.Options.AskAll:", "case false:", judgeTests},
	{"an ask rule asks", decideFile, "case anyRule(c.Options.Ask, a):", "case false:", judgeTests},
	{"an ask rule comes before what is safe", decideFile, "case anyRule(c.Options.Ask, a):", "case floor.Decision != Allow && anyRule(c.Options.Ask, a):", judgeTests},
	{"what is safe needs no model", decideFile, "case floor.Decision == Allow:", "case false:", judgeTests},
	{"what no rule is about passes", decideFile, "case !c.Options.inScope(a):", "case false:", judgeTests},
	{"shadow mode changes nothing", decideFile, "\tif c.entry.Shadow {\n\t\treturn Outcome{Effect: None, Entry: c.entry}", "\tif false {\n\t\treturn Outcome{Effect: None, Entry: c.entry}", judgeTests},
	{"shadow mode moves no breaker", decideFile, "\tif !c.entry.Shadow {\n\t\tc.s.note(d)", "\tif true {\n\t\tc.s.note(d)", judgeTests},
	{"the decisions of rules count for the breaker", decideFile, "\tif !c.entry.Shadow {\n\t\tc.s.note(d)\n\t}\n", "", judgeTests},
	{"each judged ask has an entry for the log", decideFile, "return Outcome{Effect: d, Message: message, Entry: c.entry}", "return Outcome{Effect: d, Message: message}", judgeTests},
	{"secrets stay out of the judge's log and prompt", decideFile, "a.Command, a.Path, a.Content = take(a.Command), take(a.Path), take(a.Content)", "_ = take(a.Command)", judgeTests},
	{"worktrees that are not known are not taken as none", decideFile, "pl.WorktreesUnknown = pl.WorktreesUnknown || !known", "_ = known", judgeTests},
	{"without a model the person is asked", modelFile, "if c.Options.Model == \"\" {", "if false {", judgeTests},
	{"a command of which redaction hid a part is asked", modelFile, "if report.Command || shrunk(c.r.Action.Command, a.Command) {", "if false {", judgeTests},
	{"a request that is not shown whole is asked", modelFile, "if !prompt.Whole {", "if false {", judgeTests},
	{"a guessable fence is none", modelFile, "if len(nonce) < leastNonce {", "if false {", judgeTests},
	{"a failure of the model is asked", modelFile, "\tif failure != \"\" {\n\t\tc.failed()\n\t\treturn c.end(Ask,", "\tif failure != \"\" {\n\t\tc.failed()\n\t\treturn c.end(Allow,", judgeTests},
	{"a failure of the model counts", modelFile, "\tif failure != \"\" {\n\t\tc.failed()\n", "\tif failure != \"\" {\n", judgeTests},
	{"a reply without a verdict is asked", modelFile, "return c.end(Ask, \"the reply has no clear verdict\"", "return c.end(Allow, \"the reply has no clear verdict\"", judgeTests},
	{"a reply without a verdict counts as a failure", modelFile, "\tc.failed()\n\treturn c.end(Ask, \"the reply has no", "\treturn c.end(Ask, \"the reply has no", judgeTests},
	{"a reply behind the deadline is none", modelFile, "case c.p.Now() > c.deadline:", "case false:", judgeTests},
	{"the model is asked twice at most", modelFile, "for c.entry.Attempts < maxAttempts {", "for c.entry.Attempts < 2*maxAttempts {", judgeTests},
	{"where no time is left nobody waits", modelFile, "if c.deadline-c.p.Now() < leastTime {", "if false {", judgeTests},
	{"denials in a row open the breaker", stateOfJudge, "case s.denials >= denialsInRow:", "case false:", judgeTests},
	{"denials among many open the breaker", stateOfJudge, "case among >= denialsWindow:", "case false:", judgeTests},
	{"failures in a row open the breaker", stateOfJudge, "if s.failures++; s.failures >= failuresInRow {", "if s.failures++; false {", judgeTests},
	{"an allowed ask ends a row of denials", stateOfJudge, "\tcase Allow:\n\t\ts.denials = 0\n", "", judgeTests},
	{"an answer ends a row of failures", stateOfJudge, "\t\ts.failures = 0\n", "", judgeTests},
	{"the breaker closes at the person's word", stateOfJudge, "s.denials, s.failures, s.last, s.open = 0, 0, nil, \"\"", "s.denials, s.failures, s.last = 0, 0, nil", judgeTests},
	{"an open breaker is stored", stateOfJudge, "s.open = oneLine(open, 120)", "_ = open", judgeTests},
	{"approvals are bounded", stateOfJudge, "\tif len(s.approved) > maxApproved {\n\t\ts.approved = s.approved[1:]\n\t}\n", "", judgeTests},
	{"an approval is of one text", stateOfJudge, "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", "[]string{a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", judgeTests},
	{"an approval is of one content", stateOfJudge, "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", "[]string{a.Command, a.Path, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", judgeTests},
	{"an approval is of one input", stateOfJudge, "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Include}", judgeTests},
	{"an approval is of one folder", stateOfJudge, "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", "[]string{a.Command, a.Path, a.Content, a.Access, a.Before, a.Shell, a.Input, a.Include}", judgeTests},
	{"an approval is of what is searched", stateOfJudge, "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input, a.Include}", "[]string{a.Command, a.Path, a.Content, a.Access, a.Place.Cwd, a.Before, a.Shell, a.Input}", judgeTests},
	{"an ask that is judged already is not judged again", judgeFile, "if j == nil || j.asks[ev.Call] != nil {", "if j == nil {", askedTests},
	{"what the host cut cannot be approved for good", judgeFile, "if action.Cut = action.Cut || ev.Cut; !action.Cut {", "if action.Cut = action.Cut || ev.Cut; true {", askedTests},
	{"what the host cut is judged as cut", judgeFile, "if action.Cut = action.Cut || ev.Cut; !action.Cut {", "if !action.Cut && !ev.Cut {", askTests},
	{"an ask that came late has less time", judgeFile, "started := ev.Started\n", "started := int64(0)\n", askedTests},
	{"a start in the future is now", judgeFile, "if started <= 0 || started > e.now {", "if started <= 0 {", askedTests},
	{"a judge that panics leaves it to the person", judgeFile, "\t\t\te.tell(a, judge.Ask, \"\") // a panic: the person is asked\n", "", askedTests},
	{"at the deadline the person is asked", judgeFile, "if task.next != nil && !a.told {", "if task.next != nil && !a.told && false {", askTests},
	{"at the deadline nothing is allowed", judgeFile, "e.tell(a, judge.Ask, j.Options.TimedOut())", "e.tell(a, judge.Allow, j.Options.TimedOut())", askTests},
	{"an answer needs some time to the host", judgeFile, "started+j.Options.TimeoutMS-judgeReserveMS-e.now+1", "started+j.Options.TimeoutMS-e.now+1", askTests},
	{"a decision ends the deadline's timer", judgeFile, "\t\te.drop(\"judge_\" + a.call)\n\t\te.noted(a, l, out)", "\t\te.noted(a, l, out)", askedTests},
	{"the host is answered once", judgeFile, "\tif a.told {\n\t\treturn\n\t}\n\ta.told = true", "\ta.told = true", askTests},
	{"secrets do not reach the host in a decision", modelFile, "oneLine(c.Secrets.Text(reason), maxReason)", "oneLine(reason, maxReason)", judgeTests},
	{"each judged ask is logged", judgeFile, "\te.appendLog(a.entry.AppendLine(nil))\n", "", askTests},
	{"each judged ask is in the journal", judgeFile, "\te.journal(l, protocol.JournalLine{Kind: \"judge\", Outcome: string(a.entry.Decision)})\n", "", askedTests},
	{"what was left to the person is kept for later guests", judgeFile, "\tdefault:\n\t\te.keep()\n", "\tdefault:\n", keptTests},
	{"what the person says while it is judged is logged", judgeFile, "case a.person != \"\": //", "case false: //", askTests},
	{"a person who is faster ends the judging", judgeFile, "\t\te.cancel(a.task)\n", "", askTests},
	{"a person who is faster is not asked again", judgeFile, "\t} else if !a.told {\n\t\te.tell(a, judge.Ask, \"\")\n", "\t} else if !a.told {\n", askedTests},
	{"an approval by hand is remembered", judgeFile, "\t\t\tl.judge.ApproveKey(a.key)\n", "", askTests},
	{"an approval by hand is stored", judgeFile, "\t\t\tl.judge.ApproveKey(a.key)\n\t\t\tl.dirty = true", "\t\t\tl.judge.ApproveKey(a.key)", askTests},
	{"a denial by hand approves nothing", judgeFile, "\tif ev.Allowed {\n\t\ta.person", "\tif true {\n\t\ta.person", askTests},
	{"shadow mode remembers no approval", judgeFile, "a.key != \"\" && e.judging.Options.Mode != judge.ModeShadow", "a.key != \"\"", askTests},
	{"the person answers once", judgeFile, "if a == nil || a.person != \"\" {", "if a == nil {", askedTests},
	{"an ask that the host took back is told nothing", judgeFile, "e.judging.asks[call].told = true", "_ = call", askedTests},
	{"asks that wait are bounded", judgeFile, "for len(j.order) > maxAsks {", "for false {", askedTests},
	{"the switch outlives a guest", judgeFile, "\t\tj.Switch.Set(on)\n", "\t\t_ = on\n", keptTests},
	{"the switch is kept when it is used", judgeFile, "\tl.dirty = true\n\te.keep()\n\te.reply", "\tl.dirty = true\n\te.reply", keptTests},
	{"asks that wait outlive a guest", judgeFile, "\t\tif len(f) == 5 {", "\t\tif false {", keptTests},
	{"pi has no judge unasked", judgeFile, "e.init.Host == config.HostPi && !o.Pi {", "false {", askedTests},
	{"a switched off advisor judges nothing", judgeFile, "!o.Configured || !e.config.Enabled || ", "!o.Configured || ", askedTests},
	{"a judge's log in no folder of the person's is not used", judgeFile, "return folder + path, folder != \"\"", "return folder + path, true", askTests},
	{"what cannot be looked at is not inside", judgeFile, "if errno != protocol.ErrnoNotFound || at <= 0 {", "if at <= 0 {", askedTests},
	{"a link that leads nowhere is outside", judgeFile, "errno == protocol.OK && info.Kind == protocol.KindSymlink {", "errno == protocol.OK && false && info.Kind == protocol.KindSymlink {", askTests},
	{"worktrees are asked for once a minute", portOfJudge, "\tif list, ok := j.worktrees.Get(p.e.init.Root, p.e.now); ok {\n\t\treturn list, true\n\t}\n", "", askedTests},
	{"a host that knows no worktrees is not believed to have none", portOfJudge, "\tif !ok {\n\t\tlist, ok = p.e.gitWorktrees()\n\t}\n", "\tok = true\n", askTests},
	{"facts are asked for a third of the time at most", portOfJudge, "max(0, min(ms, (deadline-p.e.now)/3))", "max(0, ms)", askedTests},
	{"without an endpoint the reason is told", portOfJudge, "\tif ep.Transport == config.TransportNone {\n\t\treturn \"\", 0, judge.AskError{Text: ep.Why}\n\t}\n", "", askedTests},
	{"a linked worktree does not know the others", portOfJudge, "\t\treturn list, false\n\t}\n\tdir, err", "\t\treturn list, true\n\t}\n\tdir, err", askedTests},
	{"the floor's steps are bounded", "pkg/judge/floor.go", "if f.steps > maxSteps || f.depth > maxDepth {", "if f.steps > 4*maxSteps || f.depth > maxDepth {", floorTests},
	{"the floor's depth is bounded", "pkg/judge/floor.go", "if f.steps > maxSteps || f.depth > maxDepth {", "if f.steps > maxSteps {", floorTests},
}
