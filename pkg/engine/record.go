package engine

import (
	"slices"
	"strconv"

	"github.com/Kayphoon/opencode-advisor/pkg/digest"
	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
	"github.com/Kayphoon/opencode-advisor/pkg/redact"
)

// recorder stands between the engine and the outside and keeps what crosses, for a recording that
// Replay can run again. Everything is redacted before it is written; RATIONALE says why the core decides the same.
//
// Whether a recording is wanted is known only when the config has been read, and the beginning is part of
// it: until then calls are held, and dropped when none is wanted.
type recorder struct {
	Host
	on    bool
	held  []*crossing
	bytes int
	now   *crossing
	// grown is what redaction added to a file, by path, time and true size: a later look at the same file must
	// tell the same size.
	grown map[string]int64
}

// crossing is all that crosses in one call.
type crossing struct {
	batch   []byte
	told    bool // the batch is written
	files   []protocol.RecordedFile
	sends   []protocol.RecordedSend
	cancels []string
	outcome []byte
}

// maxHeld bounds what is held before the config is known; a start is some kilobytes.
const maxHeld = 4 << 20

// begin takes what comes in.
func (r *recorder) begin(batch []byte, secrets *redact.Redactor) {
	r.now = &crossing{batch: append([]byte(nil), batch...)}
	if r.on {
		r.tell(r.now, secrets)
	}
}

// end takes what goes out. Of a stored state the digest is enough to compare, and a recording
// is mostly states otherwise.
func (r *recorder) end(effects []protocol.Effect, secrets *redact.Redactor) {
	short := slices.Clone(effects)
	for i, ef := range short {
		if save, ok := ef.(*protocol.Save); ok {
			digested := *save
			digested.State = protocol.JSON(`"` + digest.Hex(32, string(save.State)) + `"`)
			short[i] = &digested
		}
	}
	r.now.outcome = protocol.AppendOutcome(nil, protocol.Outcome{Effects: short})
	r.held = append(r.held, r.now)
	r.bytes += len(r.now.batch) + len(r.now.outcome)
	switch {
	case r.on:
		for _, c := range r.held {
			r.tell(c, secrets)
			r.close(c, secrets)
		}
		r.held = nil
	case r.bytes > maxHeld:
		r.held = r.held[:0]
	}
}

func (r *recorder) write(c protocol.RecordedCall) {
	r.Emit(protocol.Log{Level: protocol.LevelRecord, Text: string(protocol.AppendRecordedCall(nil, c))})
}

func (r *recorder) tell(c *crossing, secrets *redact.Redactor) {
	if !c.told {
		c.told = true
		batch := []byte(`{"now":0,"events":[]}`) // of a batch that is no JSON nothing is taken
		if protocol.Valid(c.batch) {
			batch, _ = secrets.JSON(c.batch)
		}
		r.write(protocol.RecordedCall{Kind: "in", Format: protocol.RecordFormat, Batch: protocol.JSON(batch)})
	}
}

func (r *recorder) close(c *crossing, secrets *redact.Redactor) {
	key := func(path string, mtime, size int64) string {
		return path + "\x00" + strconv.FormatInt(mtime, 36) + "\x00" + strconv.FormatInt(size, 36)
	}
	stats := map[string]*protocol.RecordedFile{}
	for i := range c.files {
		f := &c.files[i]
		switch f.Op {
		case "stat":
			stats[f.Path] = f
		case "read":
			hidden := secrets.Text(f.Text)
			if s := stats[f.Path]; s != nil && len(hidden) != len(f.Text) {
				r.grown[key(s.Path, s.MTimeNS, s.Size)] = int64(len(hidden) - len(f.Text))
			}
			f.Text = hidden
		}
	}
	for i := range c.files {
		if f := &c.files[i]; f.Op == "stat" {
			f.Size += r.grown[key(f.Path, f.MTimeNS, f.Size)]
		}
	}
	for i := range c.sends {
		c.sends[i].Request = secrets.Text(c.sends[i].Request)
	}
	outcome, _ := secrets.JSON(c.outcome)
	r.write(protocol.RecordedCall{Kind: "out", Files: c.files, Sends: c.sends, Cancels: c.cancels, Outcome: protocol.JSON(outcome)})
}

func (r *recorder) file(f protocol.RecordedFile) {
	if r.now != nil {
		r.now.files = append(r.now.files, f)
	}
}

// Stat implements protocol.Files.
func (r *recorder) Stat(path string) (protocol.Info, protocol.Errno) {
	i, errno := r.Host.Stat(path)
	r.file(protocol.RecordedFile{Op: "stat", Path: path, Errno: int(errno), Kind: int(i.Kind), Size: i.Size, MTimeNS: i.MTimeNS, Dev: int64(i.Dev), Ino: int64(i.Ino)})
	return i, errno
}

// Real implements protocol.Files.
func (r *recorder) Real(path string) (string, protocol.Errno) {
	real, errno := r.Host.Real(path)
	r.file(protocol.RecordedFile{Op: "real", Path: path, Errno: int(errno), Text: real})
	return real, errno
}

// Read implements protocol.Files. What is read of a file in one call is kept as one text, so that a secret
// which two reads share is known as one.
func (r *recorder) Read(path string, want protocol.Info, offset int64, buf []byte) (int, protocol.Errno) {
	n, errno := r.Host.Read(path, want, offset, buf)
	if r.now == nil {
		return n, errno
	}
	for i := range r.now.files {
		f := &r.now.files[i]
		if f.Op != "read" || f.Path != path {
			continue
		}
		if end := int64(len(f.Text)); errno == protocol.OK && offset <= end && offset+int64(n) > end {
			f.Text += string(buf[end-offset : min(n, len(buf))])
		}
		return n, errno
	}
	f := protocol.RecordedFile{Op: "read", Path: path, Errno: int(errno)}
	if errno == protocol.OK && offset == 0 {
		f.Text = string(buf[:min(n, len(buf))])
	}
	r.file(f)
	return n, errno
}

// List implements protocol.Files.
func (r *recorder) List(path string, want protocol.Info) ([]protocol.Entry, protocol.Errno) {
	list, errno := r.Host.List(path, want)
	f := protocol.RecordedFile{Op: "list", Path: path, Errno: int(errno)}
	for _, e := range list {
		f.Entries = append(f.Entries, protocol.RecordedEntry{Name: e.Name, Kind: int(e.Kind)})
	}
	r.file(f)
	return list, errno
}

// Send implements Host. The values of headers are left out: they are the keys.
func (r *recorder) Send(s protocol.HTTPSend) protocol.Errno {
	errno := r.Host.Send(s)
	if r.now != nil {
		s.Headers = nil
		r.now.sends = append(r.now.sends, protocol.RecordedSend{Request: string(protocol.AppendHTTPSend(nil, &s)), Errno: int(errno)})
	}
	return errno
}

// Cancel implements Host.
func (r *recorder) Cancel(id string) {
	r.Host.Cancel(id)
	if r.now != nil {
		r.now.cancels = append(r.now.cancels, id)
	}
}
