// Package utc reads and writes moments as servers and logs do, always in UTC.
//
// Package time would bring time zones, its settings and the process's environment into
// the guest, a quarter of a megabyte.
package utc

import (
	"strconv"
	"strings"
)

const (
	dayMS = 24 * 60 * 60 * 1000
	// epoch is 1970-01-01 in days since 0000-03-01. A year that begins in March has its leap day at
	// the end, and then months have a regular length: 153 days every five.
	epoch = 719_468
	// cycle is the days of 400 years, after which the calendar repeats.
	cycle = 146_097
)

// Format gives the moment, in milliseconds since 1970, as 2006-01-02T15:04:05.000Z.
// It is meant for the years 0 to 9999.
func Format(ms int64) string {
	days, rest := ms/dayMS, ms%dayMS
	if rest < 0 {
		days, rest = days-1, rest+dayMS
	}
	year, month, day := date(days)
	b := appendPadded(nil, year, 4)
	b = appendPadded(append(b, '-'), month, 2)
	b = appendPadded(append(b, '-'), day, 2)
	b = appendPadded(append(b, 'T'), rest/3_600_000, 2)
	b = appendPadded(append(b, ':'), rest/60_000%60, 2)
	b = appendPadded(append(b, ':'), rest/1000%60, 2)
	b = appendPadded(append(b, '.'), rest%1000, 3)
	return string(append(b, 'Z'))
}

func appendPadded(b []byte, n int64, digits int) []byte {
	s := strconv.FormatInt(n, 10)
	for range digits - len(s) {
		b = append(b, '0')
	}
	return append(b, s...)
}

// date gives the date that is so many days after 1970-01-01.
func date(days int64) (year, month, day int64) {
	days += epoch
	cycles := days / cycle
	if days %= cycle; days < 0 {
		cycles, days = cycles-1, days+cycle
	}
	// Leap days are taken out, so that years have 365 days.
	of := (days - days/1460 + days/36_524 - days/146_096) / 365
	days -= of*365 + of/4 - of/100
	m := (5*days + 2) / 153 // months since March
	day = days - (153*m+2)/5 + 1
	year, month = cycles*400+of, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// days is the other way: since 1970-01-01.
func days(year, month, day int64) int64 {
	if month -= 3; month < 0 {
		year, month = year-1, month+12
	}
	return year*365 + year/4 - year/100 + year/400 + (153*month+2)/5 + day - 1 - epoch
}

const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// ParseHTTP reads a date as HTTP has it, in milliseconds since 1970: Sun, 06 Nov 1994 08:49:37 GMT and
// the two older forms that a recipient must take too (RFC 9110, section 5.6.7).
// The day of the week is not looked at.
func ParseHTTP(s string) (ms int64, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == ',' || r == '-' })
	var day, month, year, clock string
	switch {
	case len(words) == 6 && words[5] == "gmt": // Sun, 06 Nov 1994 08:49:37 GMT, Sunday, 06-Nov-94 08:49:37 GMT
		day, month, year, clock = words[1], words[2], words[3], words[4]
	case len(words) == 5: // Sun Nov  6 08:49:37 1994
		month, day, clock, year = words[1], words[2], words[3], words[4]
	default:
		return 0, false
	}
	at := -1
	if len(month) == 3 {
		at = strings.Index(months, month)
	}
	y, m, d := number(year, 9999), int64(at/3+1), number(day, 31)
	if at < 0 || at%3 != 0 || y < 0 || d < 1 {
		return 0, false
	}
	if len(year) == 2 {
		if y += 1900; y < 1969 { // as Unix has it, for a year of two digits
			y += 100
		}
	}
	total := days(y, m, d)
	if _, back, _ := date(total); back != m { // 31 April
		return 0, false
	}
	parts := strings.Split(clock, ":")
	if len(parts) != 3 {
		return 0, false
	}
	hours, minutes, seconds := number(parts[0], 23), number(parts[1], 59), number(parts[2], 60) // a leap second
	if hours < 0 || minutes < 0 || seconds < 0 {
		return 0, false
	}
	return total*dayMS + ((hours*60+minutes)*60+seconds)*1000, true
}

// number reads digits, or gives -1.
func number(s string, most int64) int64 {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || int64(n) > most {
		return -1
	}
	return int64(n)
}
