package session

import (
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestOnlyATypedMessageIsHuman(t *testing.T) {
	typed := protocol.User{ID: "m1", Text: "hello", Typed: true}
	with := func(f func(*protocol.User)) protocol.User { u := typed; f(&u); return u }
	tests := []struct {
		name  string
		user  protocol.User
		child bool
		want  bool
	}{
		{"typed by a person", typed, false, true},
		{"nobody says it was typed", with(func(u *protocol.User) { u.Typed = false }), false, false},
		{"no id to name a claim with", with(func(u *protocol.User) { u.ID = "" }), false, false},
		{"ours", with(func(u *protocol.User) { u.Advisor = true }), false, false},
		{"synthetic", with(func(u *protocol.User) { u.Synthetic = true }), false, false},
		{"another plugin's", with(func(u *protocol.User) { u.Foreign = true }), false, false},
		{"goes on after a compaction", with(func(u *protocol.User) { u.Continuation = true }), false, false},
		{"a custom message", with(func(u *protocol.User) { u.Custom = true }), false, false},
		{"a subagent's prompt", typed, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &State{Child: tt.child}
			if got := s.IsHuman(&tt.user); got != tt.want {
				t.Errorf("IsHuman(%+v) = %v, want %v", tt.user, got, tt.want)
			}
		})
	}
}

func TestWishIsRecognisedNarrowly(t *testing.T) {
	tests := []struct {
		text string
		want wishKind
	}{
		{"Ignore the advisor.", wishMute},
		{"I decided: refund() stays as it is. Ignore the advisor about it.", wishMute},
		{"please ignore the advisor from now on", wishMute},
		{"Ok, just ignore the advisor here and go on", wishMute},
		{"don’t listen to the advisor!", wishMute},
		{"mute the advisor", wishMute},
		{"请忽略顾问", wishMute},
		{"忽略顾问的意见，继续。", wishMute},
		{"别理顾问。", wishMute},
		{"listen to the advisor again", wishUnmute},
		{"stop ignoring the advisor", wishUnmute},
		{"恢复顾问", wishUnmute},
		{"Ignore the advisor. No, wait: listen to the advisor.", wishUnmute},

		{"the advisor table should ignore nulls", wishNone},
		{"ignore the advisor table in the migration", wishNone},
		{"ignore the advisor's salary column", wishNone},
		{"write a test that we never ignore the advisor", wishNone},
		{"Why does the code ignore the advisor?", wishNone},
		{"the docs say: \"they ignore the advisor\"", wishNone},
		{"```\nignore the advisor\n```", wishNone},
		{"> ignore the advisor", wishNone},
		{"fix the bug", wishNone},
		{"", wishNone},
		{"顾问表里忽略空值", wishNone},
		{"忽略顾问表", wishNone},
	}
	for _, tt := range tests {
		if got := wish(tt.text); got != tt.want {
			t.Errorf("wish(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}
