package session

import (
	"errors"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/breaker"
	"github.com/Kayphoon/opencode-advisor/pkg/guard"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// ErrNewer says that a later version of the advisor has written the state.
var ErrNewer = errors.New("restore session: it is of a newer version of the advisor")

func wrap(why string) error { return errors.New("restore session: " + why) }

// Append appends what must survive a restart, as one JSON object. What has room in b is not allocated anew.
func (s *State) Append(b []byte) []byte {
	// The parts are written in front of the whole, which then takes their place: so nothing is taken from the heap but room.
	parts := s.Guard.Append(b)
	ofGuard := len(parts)
	parts = s.Log.AppendState(parts)
	st := protocol.StoredSession{
		Version: protocol.StateVersion, Session: s.ID, Directory: s.Directory, Host: s.Host,
		Human: s.Breaker.Human, At: s.Breaker.At, Past: s.Breaker.Past, Spent: s.Breaker.Spent, Sealed: s.Sealed, Born: s.Born,
		Humans: s.Humans, Turns: s.Turns, Steps: s.Steps, Eligible: s.Eligible, WakeAt: s.WakeAt, Owed: s.Owed,
		Known: s.Known, Busy: s.Busy, Compacting: s.Compacting, Unfit: s.Unfit, Agent: s.Agent,
		Notes: s.Notes, Counts: s.Counts.Sorted(), Told: s.Told, Failing: s.Failing, Consults: s.Consults,
		Guard:  protocol.JSON(protocol.TextOf(parts[len(b):ofGuard])),
		Log:    protocol.JSON(protocol.TextOf(parts[ofGuard:])),
		Models: s.Models, Judge: s.Judge,
		Muted: s.Mutes.All, MutedNotes: s.Mutes.Notes, MutedPaths: s.Mutes.Paths, MutedCategories: s.Mutes.Categories, Heard: s.Heard,
	}
	for _, at := range s.Breaker.Wakes {
		st.Wakes = append(st.Wakes, protocol.Moment{At: at})
	}
	for _, d := range s.Deliveries {
		st.Deliveries = append(st.Deliveries, protocol.StoredDelivery(d))
	}
	whole := protocol.AppendStoredSession(parts, st)
	n := copy(whole[len(b):], whole[len(parts):])
	return whole[:len(b)+n]
}

// Restore reads what Append wrote into a new state. An error means that nothing was taken: the state
// is damaged, of another session, or of a newer version.
func (s *State) Restore(data []byte, o transcript.Options) error {
	st, err := protocol.DecodeStoredSession(data)
	if err != nil {
		return wrap(err.Error())
	}
	if st.Version > protocol.StateVersion {
		return ErrNewer
	}
	if st.Version != protocol.StateVersion {
		return wrap("version " + strconv.Itoa(st.Version) + ", this is version " + strconv.Itoa(protocol.StateVersion))
	}
	if st.Session != s.ID {
		return wrap("the state is of session " + strconv.Quote(st.Session))
	}
	log, err := transcript.Restore([]byte(st.Log), o)
	if err != nil {
		return wrap(err.Error())
	}
	g, err := guard.Decode([]byte(st.Guard))
	if err != nil {
		return wrap(err.Error())
	}
	fresh := State{
		ID: s.ID, Directory: st.Directory, Host: st.Host, Log: log, Guard: &g,
		Breaker: breaker.State{Human: st.Human, At: st.At, Past: st.Past, Spent: st.Spent},
		Mutes:   guard.Mutes{All: st.Muted, Notes: st.MutedNotes, Paths: st.MutedPaths, Categories: st.MutedCategories}, Heard: st.Heard,
		Sealed: st.Sealed, Born: st.Born, Humans: st.Humans, Turns: st.Turns, Steps: st.Steps, Eligible: st.Eligible, WakeAt: st.WakeAt, Owed: st.Owed,
		Known: st.Known, Busy: st.Busy, Compacting: st.Compacting, Unfit: st.Unfit, Agent: st.Agent,
		Notes: st.Notes, Told: st.Told, Failing: st.Failing, Consults: st.Consults, Counts: Counts{}, Models: st.Models, Judge: st.Judge,
	}
	for _, w := range st.Wakes {
		fresh.Breaker.Wakes = append(fresh.Breaker.Wakes, w.At)
	}
	for _, c := range st.Counts {
		fresh.Counts[c.Name] = c.N
	}
	for _, d := range st.Deliveries {
		fresh.Deliveries = append(fresh.Deliveries, Delivery(d))
		fresh.remember(d.ID)
	}
	*s = fresh
	return nil
}
