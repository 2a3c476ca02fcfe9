package guard

// Limits bounds what is said. A zero field takes its default; a negative one means
// none at all.
type Limits struct {
	PerReview          int // notes of one review, maxNotesPerUpdate
	PerMessage         int // notes since the last human message
	BlockersPerMessage int // blockers since the last human message
	PerSession         int // notes in a session's life
	ImmuneTurns        int // human messages that a wake calms concerns for
	Ring               int // matters that are remembered
}

// DefaultLimits are the limits of a person who set none. Sixty notes are more
// than anyone reads in a session; a ring of 256 remembers all of them, and
// four times as many that were only mentioned.
var DefaultLimits = Limits{
	PerReview:          3,
	PerMessage:         6,
	BlockersPerMessage: 2,
	PerSession:         60,
	ImmuneTurns:        3,
	Ring:               256,
}

// maxRing bounds a ring that a config or a damaged state asks for.
const maxRing = 4096

// orDefault fills zero fields in, and makes negative ones zero.
func (l Limits) orDefault() Limits {
	for _, f := range [...]struct {
		value    *int
		standard int
	}{
		{&l.PerReview, DefaultLimits.PerReview},
		{&l.PerMessage, DefaultLimits.PerMessage},
		{&l.BlockersPerMessage, DefaultLimits.BlockersPerMessage},
		{&l.PerSession, DefaultLimits.PerSession},
		{&l.ImmuneTurns, DefaultLimits.ImmuneTurns},
		{&l.Ring, DefaultLimits.Ring},
	} {
		if *f.value == 0 {
			*f.value = f.standard
		}
		*f.value = max(*f.value, 0)
	}
	l.Ring = min(max(l.Ring, 1), maxRing)
	return l
}
