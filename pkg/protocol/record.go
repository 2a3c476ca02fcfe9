package protocol

// RecordFormat is the version of a recording's lines. A newer one is not replayed.
const RecordFormat = 1

// LevelRecord is the level of a Log whose text is a line of the recording.
const LevelRecord = "record"

// RecordedCall is one line of a recording. What comes in is written before it is worked on, so that it
// is there when the instance is lost over it.
type RecordedCall struct {
	Kind    string         `json:"kind"` // in, out; the loader's last line is end
	Format  int            `json:"format,omitempty"`
	Batch   JSON           `json:"batch,omitempty"`
	Outcome JSON           `json:"outcome,omitempty"`
	Files   []RecordedFile `json:"files,omitempty"`
	// Sends are HTTPSend effects, without the values of their headers, as text.
	Sends   []RecordedSend `json:"sends,omitempty"`
	Cancels []string       `json:"cancels,omitempty"`
	Why     string         `json:"why,omitempty"` // end
}

// RecordedFile is what one question to the disk was answered with.
type RecordedFile struct {
	Op      string          `json:"op"` // stat, real, list, read
	Path    string          `json:"path"`
	Errno   int             `json:"errno,omitempty"`
	Kind    int             `json:"kind,omitempty"`
	Size    int64           `json:"size,omitempty"`
	MTimeNS int64           `json:"mtimeNs,omitempty"`
	Dev     int64           `json:"dev,omitempty"`
	Ino     int64           `json:"ino,omitempty"`
	Text    string          `json:"text,omitempty"` // real: the path; read: all that was read of it in this call
	Entries []RecordedEntry `json:"entries,omitempty"`
}

// RecordedEntry is one name of a folder.
type RecordedEntry struct {
	Name string `json:"name"`
	Kind int    `json:"kind,omitempty"`
}

// RecordedSend is one request, and what the loader said to it.
type RecordedSend struct {
	Request string `json:"request"`
	Errno   int    `json:"errno,omitempty"`
}
