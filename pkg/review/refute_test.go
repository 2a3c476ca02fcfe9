package review

import "testing"

func TestSecondReadsTheLastVerdictLine(t *testing.T) {
	tests := []struct {
		text string
		want Second
	}{
		{"REFUTED - the caller checks it", RefutedAfter},
		{"I looked.\n\n**HOLDS** - nothing catches it\n", Holds},
		{"- UNSURE: the file is generated", Unsure},
		{"HOLDS at first sight.\nREFUTED - a test covers it", RefutedAfter},
		{"REFUTEDLY so", Unsure},
		{"The note HOLDS", Unsure},
		{"holds", Unsure},
		{"", Unsure},
	}
	for _, tt := range tests {
		if got := second(tt.text); got != tt.want {
			t.Errorf("second(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}
