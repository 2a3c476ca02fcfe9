package redact

import "strings"

// privateKey matches a block from its BEGIN line to its END line. Without an END, which a cut takes
// away, it is hidden as far as the lines look like its inside.
func privateKey(s *scan, _ uint8, i int) int {
	head := keyMark(s.in, i, "-----BEGIN ")
	if head < 0 {
		return -1
	}
	body := keyBody(s.in, head)
	if body <= head { // the mark alone, as programs that look for it have it
		return -1
	}
	if head >= s.noEndFrom {
		return body
	}
	end := strings.Index(s.in[head:], "-----END ")
	if end < 0 {
		s.noEndFrom = head
		return body
	}
	end += head
	// The next BEGIN ends the search: an END behind it is not this block's.
	if end-head > maxKeyBlock || strings.Contains(s.in[head:end], "-----BEGIN ") {
		return body
	}
	if tail := keyMark(s.in, end, "-----END "); tail > 0 {
		return tail
	}
	return end
}

// keyMark gives the index behind a mark of a private key, or -1. The label is at most a few words.
func keyMark(in string, i int, begins string) int {
	start := i + len(begins)
	line := in[min(start, len(in)):min(len(in), start+60)]
	at := strings.Index(line, "-----")
	if at < 0 || !strings.HasPrefix(in[i:], begins) || !strings.Contains(line[:at], "PRIVATE KEY") {
		return -1
	}
	return start + at + 5
}

// keyTail matches an END mark whose BEGIN was cut away, from where the base64 in front of it begins.
func keyTail(s *scan, _ uint8, i int) int {
	end := keyMark(s.in, i, "-----END ")
	if end < 0 {
		return -1
	}
	from, coded := i, 0
	for j := i; j > s.floor && from-j < maxKeyGap && i-j < maxKeyBlock; {
		at := j
		for j > s.floor && classes[s.in[j-1]]&(isAlnum|isBase64) != 0 {
			j--
		}
		if keyLine(s.in[j:at]) {
			from, coded = j, coded+at-j
		} else if j == at {
			if c := s.in[j-1]; c > ' ' && strings.IndexByte(keyJunk, c) < 0 {
				break
			}
			j--
		}
	}
	if coded < 40 { // less than a line of base64 is prose
		return -1
	}
	s.from = from
	return end
}

// maxKeyBlock is how many bytes of a block may lie between its marks: RSA 16384 has 12 KB.
const maxKeyBlock = 64 << 10

// keyJunk is what stands between the lines of a key: escaped line ends, quotes of concatenated literals,
// headers, line numbers, diff marks, and the path that a search puts in front.
const keyJunk = "\\\"'+|:,-._@~"

// maxKeyGap is how many bytes of junk may stand between two lines of a key: a header, or a long path.
const maxKeyGap = 160

// keyLine reports whether v is base64 of a key rather than a word of a program.
func keyLine(v string) bool {
	return len(v) >= 40 || len(v) >= 24 && mixed(v) && hasBothCases(v)
}

// keyBody follows what looks like the inside of a key from in[i] on and gives the end of its last line.
func keyBody(in string, i int) int {
	end := i
	for i < len(in) && i-end < maxKeyGap {
		start := i
		i = run(in, i, isAlnum|isBase64, maxRun)
		switch {
		case keyLine(in[start:i]), i == len(in) && end > 0 && i > start && start-end <= 8:
			end = i
		case i > start:
		case in[i] <= ' ' || strings.IndexByte(keyJunk, in[i]) >= 0:
			if strings.HasPrefix(in[i:], "-----") {
				return end
			}
			i++
		default:
			return end
		}
	}
	return end
}

// puttyKey matches the private lines of a PuTTY file, which stand behind their count.
func puttyKey(s *scan, _ uint8, i int) int {
	s.from = i + len("Private-Lines:")
	if end := keyBody(s.in, s.from); end > s.from {
		return end
	}
	return -1
}
