package guard

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/buger/jsonparser"
)

// stateVersion grows when an older Decode could misread a state, and when
// fingerprints of the same note change.
const stateVersion = 1

// Append writes the state as one JSON object, at most 240 bytes a matter.
func (g *Guard) Append(dst []byte) []byte {
	dst = append(dst, `{"v":`...)
	dst = strconv.AppendInt(dst, stateVersion, 10)
	for _, f := range g.numbers() {
		dst = append(dst, `,"`...)
		dst = append(dst, f.name...)
		dst = append(dst, `":`...)
		dst = strconv.AppendInt(dst, int64(*f.value), 10)
	}
	dst = append(dst, `,"dropped":{`...)
	for i, reason := range Reasons {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, reason...)
		dst = append(dst, `":`...)
		dst = strconv.AppendInt(dst, int64(g.counts.Dropped[i]), 10)
	}
	dst = append(dst, `},"told":[`...)
	comma := false
	for i, reason := range Reasons {
		if !g.told[i] {
			continue
		}
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(dst, '"')
		dst = append(dst, reason...)
		dst = append(dst, '"')
	}
	dst = append(dst, `],"ring":[`...)
	for i, e := range g.ring {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"id":"`...)
		dst = append(dst, e.id...)
		dst = append(dst, `","s":`...)
		dst = strconv.AppendInt(dst, int64(e.severity.Rank()*4+e.before.Rank()), 10)
		dst = append(dst, `,"r":`...)
		dst = strconv.AppendInt(dst, int64(e.review), 10)
		dst = append(dst, `,"m":`...)
		dst = strconv.AppendInt(dst, int64(e.message), 10)
		dst = append(dst, `,"f":"`...)
		dst = base64.RawStdEncoding.AppendEncode(dst, appendFingerprint(nil, e.fp))
		dst = append(dst, `"}`...)
	}
	return append(dst, `]}`...)
}

type number struct {
	name  string
	value *int
}

// numbers names the plain counters of the state, for both directions.
func (g *Guard) numbers() []number {
	return []number{
		{"review", &g.review}, {"message", &g.message}, {"inReview", &g.inReview}, {"inMessage", &g.inMessage}, {"blockers", &g.blockers},
		{"inSession", &g.inSession}, {"calm", &g.calm}, {"delivered", &g.counts.Delivered}, {"lowered", &g.counts.Lowered},
	}
}

// Decode reads what Append wrote. On an error the Guard is one that has said nothing. Numbers out
// of range and damaged entries count as absent; nothing panics.
func Decode(data []byte) (Guard, error) {
	version, ok := protocol.GetInt(data, "v")
	if !ok {
		return Guard{}, errors.New("read guard state: no version in it")
	}
	if version != stateVersion {
		return Guard{}, errors.New("read guard state: version " + strconv.FormatInt(version, 10) + ", and only " + strconv.Itoa(stateVersion) + " is known")
	}
	var g Guard
	for _, f := range g.numbers() {
		*f.value = decodeCount(data, f.name)
	}
	for i, reason := range Reasons {
		g.counts.Dropped[i] = decodeCount(data, "dropped", string(reason))
	}
	_, _ = jsonparser.ArrayEach(data, func(value []byte, _ jsonparser.ValueType, _ int, _ error) {
		if i := reasonIndex(Reason(value)); i >= 0 {
			g.told[i] = true
		}
	}, "told")
	_, err := jsonparser.ArrayEach(data, func(value []byte, _ jsonparser.ValueType, _ int, _ error) {
		if e, ok := decodeEntry(value); ok && len(g.ring) < maxRing {
			g.ring = append(g.ring, e)
		}
	}, "ring")
	if err != nil {
		return Guard{}, errors.New("read guard state: the ring is damaged")
	}
	return g, nil
}

// maxCount keeps a damaged counter from overflowing.
const maxCount = 1 << 30

func decodeCount(data []byte, keys ...string) int {
	n, ok := protocol.GetInt(data, keys...)
	if !ok || n < 0 {
		return 0
	}
	return int(min(n, maxCount))
}

var severities = [...]protocol.Severity{"", protocol.Nit, protocol.Concern, protocol.Blocker}

func decodeEntry(data []byte) (entry, bool) {
	id, ok := protocol.GetString(data, "id")
	if !ok || !validID(id) {
		return entry{}, false
	}
	packed, ok := protocol.GetString(data, "f")
	if !ok {
		return entry{}, false
	}
	raw, err := base64.RawStdEncoding.DecodeString(packed)
	if err != nil {
		return entry{}, false
	}
	fp, ok := decodeFingerprint(raw)
	s := decodeCount(data, "s")
	if !ok || s >= 16 {
		return entry{}, false
	}
	return entry{
		id: id, severity: severities[s/4], before: severities[s%4],
		review: decodeCount(data, "r"), message: decodeCount(data, "m"), fp: fp,
	}, true
}

func validID(id string) bool {
	if len(id) != 14 || id[:2] != "n_" {
		return false
	}
	for i := 2; i < len(id); i++ {
		if c := id[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// appendFingerprint writes a fingerprint in its fixed layout, little endian.
func appendFingerprint(dst []byte, f fingerprint) []byte {
	le := binary.LittleEndian
	for _, p := range f.places {
		dst = le.AppendUint64(dst, p.path)
		dst = le.AppendUint32(dst, p.line)
		dst = le.AppendUint64(dst, p.lines)
	}
	dst = le.AppendUint32(dst, f.category)
	dst = le.AppendUint64(dst, f.strict)
	dst = le.AppendUint64(dst, f.loose)
	dst = append(dst, f.words)
	dst = le.AppendUint64(dst, f.sim[0])
	dst = le.AppendUint64(dst, f.sim[1])
	for _, s := range f.symbols {
		dst = le.AppendUint32(dst, s)
	}
	return dst
}

// fingerprintSize is the length of what appendFingerprint writes.
const fingerprintSize = maxPlaces*20 + 4 + 8 + 8 + 1 + 16 + maxSymbols*4

func decodeFingerprint(data []byte) (f fingerprint, ok bool) {
	if len(data) != fingerprintSize {
		return f, false
	}
	le := binary.LittleEndian
	u64 := func() (n uint64) { n, data = le.Uint64(data), data[8:]; return n }
	u32 := func() (n uint32) { n, data = le.Uint32(data), data[4:]; return n }
	for i := range f.places {
		f.places[i] = spot{path: u64(), line: u32(), lines: u64()}
	}
	f.category, f.strict, f.loose = u32(), u64(), u64()
	f.words, data = data[0], data[1:]
	f.sim = [2]uint64{u64(), u64()}
	for i := range f.symbols {
		f.symbols[i] = u32()
	}
	return f, true
}
