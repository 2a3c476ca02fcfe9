package engine

import (
	"errors"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

// Replayed is what came of a recording.
type Replayed struct {
	Calls     int // that were played
	Guests    int // instances: one more for each time that the guest was replaced
	Version   string
	Different string // the first difference, in words; empty when every decision is the same
	Ended     string // why the recording ends before the session did; empty when it does not say
}

// String tells it to people.
func (r Replayed) String() string {
	guests := " guest"
	if r.Guests != 1 {
		guests += "s"
	}
	s := "recorded by " + r.Version + ": " + strconv.Itoa(r.Calls) + " calls, " + strconv.Itoa(r.Guests) + guests + "\n"
	if r.Ended != "" {
		s += "it ends early: " + r.Ended + "\n"
	}
	if r.Different != "" {
		return s + "the first decision that differs is in " + r.Different + "\nWhere it was recorded by another version, the difference may be that version's."
	}
	return s + "every decision is the same"
}

// Replay runs a recording through a fresh core and compares what it decides, byte by byte. The error says
// that the text is no recording that can be run here.
//
// The core records itself again while it runs, so what is compared is one recording with another.
func Replay(recording string) (Replayed, error) {
	var done Replayed
	var e *Engine
	var disk *played
	var before *protocol.RecordedCall // what came in, and is not run yet
	number := 0
	run := func(out *protocol.RecordedCall, line string) error {
		in := before
		before = nil
		first := strings.Contains(string(in.Batch), `{"type":"init",`)
		if first {
			batch, _ := protocol.DecodeBatch([]byte(in.Batch))
			for _, ev := range batch.Events {
				if init, ok := ev.(*protocol.Init); ok {
					done.Version = init.Version
					if init.ABI != protocol.ABIVersion {
						return errors.New("the recording is of version " + strconv.Itoa(init.ABI) + " of the wire, this is version " + strconv.Itoa(protocol.ABIVersion) +
							": replay it with opencode-superadvisor " + init.Version)
					}
				}
			}
			done.Guests++
			disk = newPlayed()
			e = New(disk)
		}
		if e == nil {
			return errors.New("line " + strconv.Itoa(number-1) + ": the recording does not begin with a start of the guest")
		}
		if out != nil {
			disk.load(out)
		}
		done.Calls++
		e.Call([]byte(in.Batch))
		if out == nil {
			done.Ended = "the guest was lost over its last call"
			return nil
		}
		disk.wanted = append(disk.wanted, line)
		for len(disk.wanted) > 0 && len(disk.told) > 0 && done.Different == "" {
			if disk.wanted[0] != disk.told[0] {
				done.Different = "call " + strconv.Itoa(done.Calls) + " (line " + strconv.Itoa(number) + "): " + difference(disk.wanted[0], disk.told[0])
			}
			disk.wanted, disk.told = disk.wanted[1:], disk.told[1:]
		}
		return nil
	}
	for line := range strings.Lines(recording) {
		number++
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		c, err := protocol.DecodeRecordedCall([]byte(line))
		if err != nil {
			if before != nil && !strings.HasSuffix(recording, "\n") && strings.HasSuffix(recording, line) {
				break // the last line was cut
			}
			return done, errors.New("line " + strconv.Itoa(number) + " is no line of a recording: " + err.Error())
		}
		switch c.Kind {
		case "in":
			if c.Format > protocol.RecordFormat {
				return done, errors.New("the recording has format " + strconv.Itoa(c.Format) + ", and this version reads up to format " + strconv.Itoa(protocol.RecordFormat) + ": use a newer opencode-superadvisor")
			}
			if before != nil {
				if err := run(nil, ""); err != nil {
					return done, err
				}
			}
			before = &c
		case "out":
			if before == nil {
				return done, errors.New("line " + strconv.Itoa(number) + ": something went out and nothing had come in")
			}
			if err := run(&c, line); err != nil {
				return done, err
			}
		case "end":
			done.Ended = c.Why
		default:
			return done, errors.New("line " + strconv.Itoa(number) + ": lines of kind " + strconv.Quote(c.Kind) + " are not known here")
		}
		if done.Different != "" {
			return done, nil
		}
	}
	if before != nil && done.Ended == "" {
		if err := run(nil, ""); err != nil {
			return done, err
		}
	}
	if done.Calls == 0 {
		return done, errors.New("there is nothing in it that could be replayed")
	}
	if disk != nil && len(disk.wanted) > 0 {
		done.Different = "from call " + strconv.Itoa(done.Calls-len(disk.wanted)+1) + " on nothing is recorded by the replay: the setting record is not part of the recording"
	}
	return done, nil
}

// played is the outside as a recording has it.
type played struct {
	stats  map[string]protocol.RecordedFile
	reals  map[string]protocol.RecordedFile
	lists  map[string]protocol.RecordedFile
	texts  map[string]protocol.RecordedFile
	errnos []protocol.Errno // of the call's requests
	told   []string         // lines of what went out, by the core that is run
	wanted []string         // and in the recording
}

func newPlayed() *played {
	empty := func() map[string]protocol.RecordedFile { return map[string]protocol.RecordedFile{} }
	return &played{stats: empty(), reals: empty(), lists: empty(), texts: empty()}
}

// load takes the answers of the call that comes.
func (p *played) load(c *protocol.RecordedCall) {
	for _, f := range c.Files {
		switch f.Op {
		case "stat":
			p.stats[f.Path] = f
		case "real":
			p.reals[f.Path] = f
		case "list":
			p.lists[f.Path] = f
		case "read":
			p.texts[f.Path] = f
		}
	}
	p.errnos = p.errnos[:0]
	for _, s := range c.Sends {
		p.errnos = append(p.errnos, protocol.Errno(s.Errno))
	}
}

func (p *played) Stat(path string) (protocol.Info, protocol.Errno) {
	f, ok := p.stats[path]
	if !ok {
		return protocol.Info{}, protocol.ErrnoIO
	}
	return protocol.Info{Kind: protocol.Kind(f.Kind), Size: f.Size, MTimeNS: f.MTimeNS, Dev: uint64(f.Dev), Ino: uint64(f.Ino)}, protocol.Errno(f.Errno)
}

func (p *played) Real(path string) (string, protocol.Errno) {
	f, ok := p.reals[path]
	if !ok {
		return "", protocol.ErrnoIO
	}
	return f.Text, protocol.Errno(f.Errno)
}

func (p *played) Read(path string, _ protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	f, ok := p.texts[path]
	if !ok {
		return 0, protocol.ErrnoIO
	}
	if f.Errno != 0 {
		return 0, protocol.Errno(f.Errno)
	}
	return copy(buf, f.Text[min(offset, int64(len(f.Text))):]), protocol.OK
}

func (p *played) List(path string, _ protocol.Info) ([]protocol.Entry, protocol.Errno) {
	f, ok := p.lists[path]
	if !ok {
		return nil, protocol.ErrnoIO
	}
	var list []protocol.Entry
	for _, e := range f.Entries {
		list = append(list, protocol.Entry{Name: e.Name, Kind: protocol.Kind(e.Kind)})
	}
	return list, protocol.Errno(f.Errno)
}

func (p *played) Send(protocol.HTTPSend) protocol.Errno {
	if len(p.errnos) == 0 {
		return protocol.OK
	}
	errno := p.errnos[0]
	p.errnos = p.errnos[1:]
	return errno
}

func (p *played) Cancel(string) {}
func (p *played) Interrupted()  {}

// Emit keeps the lines of what went out; what came in is what was given.
func (p *played) Emit(l protocol.Log) {
	if l.Level == protocol.LevelRecord && strings.HasPrefix(l.Text, `{"kind":"out"`) {
		p.told = append(p.told, l.Text)
	}
}

// difference names the first place at which two lines differ: the field, and what stands there in each.
func difference(recorded, now string) string {
	at := 0
	for at < len(recorded) && at < len(now) && recorded[at] == now[at] {
		at++
	}
	around := func(s string) string {
		from, to := max(0, at-20), min(len(s), at+60)
		return strconv.Quote(s[min(from, len(s)):to])
	}
	return field(recorded[:at]) + ": recorded " + around(recorded) + ", now " + around(now)
}

// field gives the path of the value in which a JSON text breaks off: outcome.effects[2].text.
func field(text string) string {
	type frame struct {
		list  bool
		key   string
		index int
	}
	var open []frame
	key := "" // the last string that could be one
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			open = append(open, frame{list: c == '['})
		case '}', ']':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case ',':
			if len(open) > 0 {
				open[len(open)-1].index++
			}
		case ':':
			if len(open) > 0 {
				open[len(open)-1].key = key
			}
		case '"':
			from := i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			key = text[min(from, len(text)):min(i, len(text))]
		}
	}
	path := ""
	for _, f := range open {
		switch {
		case f.list:
			path += "[" + strconv.Itoa(f.index) + "]"
		case path == "":
			path = f.key
		default:
			path += "." + f.key
		}
	}
	return path
}
