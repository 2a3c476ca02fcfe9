package redact

import "strings"

// awsID matches an access key id, and remembers it: the secret that belongs to it often stands near.
func awsID(s *scan, _ uint8, i int) int {
	if !s.boundary(i) {
		return -1
	}
	const prefix, least = 4, 16
	end := run(s.in, i+prefix, isUpper|isDigit, maxRun)
	n := end - i - prefix
	if n < least && !(end == len(s.in) && n >= cutLeast) || n > least+12 || end < len(s.in) && classes[s.in[end]]&isLower != 0 {
		return -1
	}
	s.awsUntil = end + awsNear
	return end
}

// awsNear is how far behind an id its secret is looked for: a line of a CSV file, or the next line.
const awsNear = 120

// awsSecret matches 40 characters of mixed base64 that stand alone.
func (s *scan) awsSecret(i int) int {
	if i > s.floor && (alnum(s.in[i-1]) || strings.IndexByte("+/-_", s.in[i-1]) >= 0) {
		return -1
	}
	end := run(s.in, i, isAlnum|isBase64, 64)
	v := s.in[i:end]
	cut := end == len(s.in) && len(v) >= 16 && len(v) < 40 && random(v)
	if len(v) != 40 && !cut || strings.Contains(v, "=") || !mixed(v) || !hasBothCases(v) {
		return -1
	}
	return end
}

func hasBothCases(v string) bool {
	up, low := 0, 0
	for i := range len(v) {
		if c := classes[v[i]]; c&isUpper != 0 {
			up++
		} else if c&isLower != 0 {
			low++
		}
	}
	return up >= 3 && low >= 3
}

// slack matches xoxb-, xoxp-, xoxe.xoxp-1- and their like.
func slack(s *scan, _ uint8, i int) int {
	if !s.boundary(i) || i+5 > len(s.in) || classes[s.in[i+3]]&isLower == 0 || s.in[i+4] != '-' && s.in[i+4] != '.' {
		return -1
	}
	end := run(s.in, i+5, isToken|isDot, maxRun)
	if n := end - i - 5; n < 10 && !(end == len(s.in) && n >= cutLeast) || !hasDigit(s.in[i:end]) {
		return -1
	}
	return end
}

func hasDigit(v string) bool {
	for i := range len(v) {
		if classes[v[i]]&isDigit != 0 {
			return true
		}
	}
	return false
}

// jwt matches two or three parts of base64url, of which the first is a JSON object.
func jwt(s *scan, n uint8, i int) int {
	if !s.boundary(i) {
		return -1
	}
	head := run(s.in, i, isToken, maxRun)
	if head-i < 12 {
		s.failed[n] = head
		return -1
	}
	if head == len(s.in) && head-i >= 20 {
		return head
	}
	end := head
	for parts := 0; parts < 4 && end < len(s.in) && s.in[end] == '.'; parts++ {
		next := run(s.in, end+1, isToken|isBase64, maxRun)
		if next == end+1 && parts > 0 {
			break
		}
		end = next
	}
	if end-head < 8 && end != len(s.in) {
		s.failed[n] = head
		return -1
	}
	return end
}
