package protocol

import (
	"strconv"

	"github.com/buger/jsonparser"
)

// GetString gives a string of a JSON object by its path. It and GetInt stand in for
// jsonparser's, whose errors link fmt and reflection into the guest.
func GetString(data []byte, path ...string) (string, bool) {
	raw, kind, _, err := jsonparser.Get(data, path...)
	if err != nil || kind != jsonparser.String {
		return "", false
	}
	s, err := jsonparser.ParseString(raw)
	return s, err == nil
}

// GetInt gives a whole number of a JSON object by its path.
func GetInt(data []byte, path ...string) (int64, bool) {
	raw, kind, _, err := jsonparser.Get(data, path...)
	if err != nil || kind != jsonparser.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
