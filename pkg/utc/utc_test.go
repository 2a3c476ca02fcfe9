package utc

import (
	"net/http"
	"testing"
	"time"
)

const layout = "2006-01-02T15:04:05.000Z"

func TestFormatAgreesWithTime(t *testing.T) {
	first, last := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
	// The step goes through all months, hours, minutes and seconds.
	for ms := first.UnixMilli(); ms <= last.UnixMilli(); ms += 31*dayMS + 3_661_001 {
		if got, want := Format(ms), time.UnixMilli(ms).UTC().Format(layout); got != want {
			t.Fatalf("Format(%d) = %s, want %s", ms, got, want)
		}
	}
	for _, at := range []time.Time{first, last, time.UnixMilli(0), time.UnixMilli(-1)} {
		if got, want := Format(at.UnixMilli()), at.UTC().Format(layout); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEveryDayOfACycle(t *testing.T) {
	day := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	for range cycle {
		at := day.Unix() / 86_400
		if day.Unix() < 0 {
			at = (day.Unix() - 86_399) / 86_400
		}
		y, m, d := date(at)
		if y != int64(day.Year()) || m != int64(day.Month()) || d != int64(day.Day()) || days(y, m, d) != at {
			t.Fatalf("day %d is %d-%d-%d and back %d, want %s", at, y, m, d, days(y, m, d), day.Format(time.DateOnly))
		}
		day = day.AddDate(0, 0, 1)
	}
}

func TestParseHTTPAgreesWithNetHTTP(t *testing.T) {
	for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2060; at = at.Add(23*24*time.Hour + 3661*time.Second) {
		for _, form := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
			s := at.Format(form)
			want, err := http.ParseTime(s)
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := ParseHTTP(s); !ok || got != want.UnixMilli() {
				t.Fatalf("%s: got %d (%v), want %d", s, got, ok, want.UnixMilli())
			}
		}
	}
}

func TestParseHTTP(t *testing.T) {
	for _, c := range []struct {
		in string
		ms int64
	}{
		{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777000},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 784111777000},
		{"Sun Nov  6 08:49:37 1994", 784111777000},
		{"sun, 06 nov 1994 08:49:37 gmt", 784111777000},
		{"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800000},
		{"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800000}, // a leap second
	} {
		if got, ok := ParseHTTP(c.in); !ok || got != c.ms {
			t.Errorf("%s: got %d (%v), want %d", c.in, got, ok, c.ms)
		}
	}
	for _, in := range []string{
		"", "7", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49 GMT",
		"Sun, 31 Apr 2024 00:00:00 GMT", "Wed, 29 Feb 2023 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
		"Sun, 06 ovd 1994 08:49:37 GMT", "Sun, 06 anf 1994 08:49:37 GMT", "Sun, 06 11 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
		"Sun, 06 Nov x 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT", "2026-10-21T07:28:00Z",
	} {
		if got, ok := ParseHTTP(in); ok {
			t.Errorf("%q is taken for %d", in, got)
		}
	}
}
