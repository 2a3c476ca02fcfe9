package cli

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/session"
	"github.com/Kayphoon/opencode-advisor/pkg/transcript"
)

// maxState bounds what is read of a stored session; the loader stores no larger one.
const maxState = 8 << 20

// slot is the place of a stored session.
type slot struct {
	path string
	ns   int64 // when it was used last, nanoseconds since 1970
}

func (s slot) used() int64 { return s.ns / 1e6 }

// stored is a session as it lies on the disk.
type stored struct {
	slot
	raw   []byte
	id    string
	where string // the folder that the host was opened in; empty for one that was stored before this was known
	// absent: it is none at all, for this folder has none yet.
	absent bool
}

// slots lists the stored sessions, the one used last first.
func (c *call) slots() (list []slot, failure string) {
	dir := c.in.State + "/sessions"
	info, e := c.Stat(dir)
	if e == protocol.ErrnoNotFound {
		return nil, ""
	}
	names, e2 := c.List(dir, info)
	if e = max(e, e2); e != protocol.OK {
		return nil, "read " + dir + ": " + e.Error()
	}
	for _, n := range names {
		if !strings.HasSuffix(n.Name, ".json") {
			continue
		}
		path := dir + "/" + n.Name
		if info, e := c.Stat(path); e == protocol.OK && info.Kind == protocol.KindFile {
			list = append(list, slot{path, info.MTimeNS})
			// There are some 200 at most: a sort of package slices would take 8 KB of the module.
			for i := len(list) - 1; i > 0 && list[i-1].ns < list[i].ns; i-- {
				list[i-1], list[i] = list[i], list[i-1]
			}
		}
	}
	return list, ""
}

// open reads a stored session. One that cannot be read is told of, and left out.
func (c *call) open(at slot) (s stored, ok bool) {
	raw, why := readFile(c, at.path, maxState)
	if why == "" {
		s = stored{slot: at, raw: raw}
		if s.id, ok = protocol.GetString(raw, "session"); !ok || s.id == "" {
			why = "it is not a session's state"
		}
	}
	if why != "" {
		c.Complain(program + ": " + at.path + " is left out: " + why + "\n")
		return s, false
	}
	s.where, _ = protocol.GetString(raw, "directory")
	c.heed(&s)
	return s, true
}

// maxWishes bounds what is read of the wishes for a session; the loader lets a file grow to a quarter of it.
const maxWishes = 1 << 20

// heed makes of a stored session what the wishes that were left since make of it, as the plugin will.
func (c *call) heed(s *stored) {
	name := s.path[strings.LastIndexByte(s.path, '/')+1:]
	path := c.in.State + "/wishes/" + strings.TrimSuffix(name, ".json") + ".jsonl"
	info, e := c.Stat(path)
	if e == protocol.ErrnoNotFound {
		return
	}
	if e == protocol.OK && info.Kind != protocol.KindFile {
		e = protocol.ErrnoNotRegular // the loader follows no link there
	}
	if e != protocol.OK {
		c.Complain(program + ": " + path + ": " + e.Error() + "\n")
		return
	}
	text, why := readFile(c, path, maxWishes)
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	from, _ := jsonparser.GetInt(s.raw, "heard")
	if from < 0 || from > int64(len(text)) {
		from = 0
	}
	if st, unread := s.restore(); why == "" && unread == "" && from < int64(len(text)) {
		if _, odd := here.Heed(st, string(text[from:]), int64(len(text))); odd > 0 {
			why = strconv.Itoa(odd) + " lines are no wishes and are left out"
		}
		s.raw = st.Append(nil)
	}
	if why != "" {
		c.Complain(program + ": " + path + ": " + why + "\n")
	}
}

// find gives the session that is meant: the one of --session, or the latest of this folder.
func (c *call) find() (s stored, failure string) {
	list, failure := c.slots()
	if failure != "" {
		return s, failure
	}
	want, named := c.values["session"]
	var found []stored
	for _, at := range list {
		one, ok := c.open(at)
		switch {
		case !ok:
		case !named && within(c.init.Directory, one.where), named && one.id == want:
			return one, ""
		case named && want != "" && strings.HasPrefix(one.id, want):
			found = append(found, one)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], ""
	case len(found) > 1:
		return s, strconv.Itoa(len(found)) + " sessions begin with " + strconv.Quote(want) + "; write more of it"
	case named:
		return s, "there is no session " + strconv.Quote(want) + " in " + c.in.State + "; " + program + " status --all lists those that are"
	case len(list) > 0:
		return stored{absent: true}, "the advisor has watched no session in " + c.init.Directory + "; " + program + " status --all lists those elsewhere, for --session"
	}
	return stored{absent: true}, "the advisor has watched no session yet (" + c.in.State + " holds none); work in the host, and if none appears, see " + program + " doctor"
}

// within tells whether a folder is the one that a session was opened in, or below it.
func within(folder, opened string) bool {
	opened = strings.TrimSuffix(opened, "/")
	return opened != "" && (folder == opened || strings.HasPrefix(folder, opened+"/"))
}

// restore makes the state of what is stored.
func (s stored) restore() (*session.State, string) {
	return restore(s.id, s.raw)
}

func restore(id string, raw []byte) (*session.State, string) {
	st := session.New(id, transcript.New(transcript.Options{}))
	if err := st.Restore(raw, transcript.Options{}); err != nil {
		return nil, err.Error()
	}
	return st, ""
}

// private are the members of a stored session that are the advisor's own memory.
var private = []string{"guard", "heard", "log", "models", "past", "told"}

// json is what a script is given of a session.
func (s stored) json(b []byte) []byte {
	b = append(b, '{')
	_ = jsonparser.ObjectEach(s.raw, func(key, raw []byte, kind jsonparser.ValueType, _ int) error {
		if slices.Contains(private, string(key)) {
			return nil
		}
		b = append(append(append(b, '"'), key...), `":`...)
		if kind == jsonparser.String {
			b = append(append(append(b, '"'), raw...), '"')
		} else {
			b = append(b, raw...)
		}
		b = append(b, ',')
		return nil
	})
	return append(strconv.AppendInt(append(b, `"used":`...), s.used(), 10), '}')
}

// readFile reads a file that a person's own program may read; symbolic links are followed.
func readFile(files protocol.Files, path string, most int64) (text []byte, failure string) {
	real, e := files.Real(path)
	var info protocol.Info
	if e == protocol.OK {
		info, e = files.Stat(real)
	}
	switch {
	case e == protocol.OK && info.Kind == protocol.KindDir:
		e = protocol.ErrnoIsDir
	case e == protocol.OK && info.Kind != protocol.KindFile:
		e = protocol.ErrnoNotRegular
	case e == protocol.OK && info.Size > most:
		return nil, "larger than " + strconv.FormatInt(most>>20, 10) + " MB"
	}
	if e != protocol.OK {
		return nil, e.Error()
	}
	buf := make([]byte, info.Size)
	n, e := files.Read(real, info, 0, buf)
	if e != protocol.OK {
		return nil, e.Error()
	}
	return buf[:n], ""
}
