package transcript

import (
	"strings"
	"unicode"
)

// Quiet tells that nothing waits that is worth a review: no edit, no command, no failure, and
// no claim of the primary to have done something. In doubt it is not quiet: a tool that is not known to read
// only, a text too long to be a remark, a word that may be a claim.
func (l *Log) Quiet() bool {
	for i := range l.entries {
		if e := &l.entries[i]; e.pending() && !e.quiet() {
			return false
		}
	}
	return true
}

func (e *entry) quiet() bool {
	if e.failed || len(e.files) > 0 || len(e.diags) > 0 || e.hasExit {
		return false
	}
	switch e.kind {
	case kindHuman, kindOther, kindOurs, kindStep, kindEvent:
		return true
	case kindTool:
		return e.class == classRead || e.class == classAdvisor
	case kindText:
		return e.cut == 0 && len(e.text) <= maxRemark && !claims(e.text)
	}
	return false
}

// maxRemark is longer than what an agent says between two reads.
const maxRemark = 1_500

// claims tells whether a text may say that something is done, works or is proved.
func claims(text string) bool {
	text = strings.ToLower(text)
	for _, word := range hanClaims {
		if strings.Contains(text, word) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		if _, ok := wordClaims[strings.TrimSuffix(word, "'s")]; ok {
			return true
		}
	}
	return strings.ContainsAny(text, "✅✓✔☑🎉")
}

// Words and not phrases: "all tests are now passing", "that should be fixed", "fixed!" have nothing else in common.
var wordClaims = set("done finished complete completed completes fixed fixes fix resolved resolves solved solves implemented implements " +
	"added updated changed created removed deleted renamed refactored migrated moved replaced rewrote rewritten wrote written corrected adjusted " +
	"improved cleaned merged committed pushed deployed installed configured patched applied " +
	"pass passes passed passing green succeed succeeds succeeded success successful successfully works worked working " +
	"verified verifies confirmed confirms tested tests checked ready correct correctly ensured ensures safe safely secure handled handles " +
	"guaranteed proven proved clean compiles compiled builds built ran ")

// In Chinese words are not set apart, so their shortest forms are looked for.
var hanClaims = []string{"完成", "完毕", "做好", "做完", "修复", "修好", "修正", "改好", "改完", "搞定", "解决", "实现了", "通过", "成功", "没问题", "没有问题", "正常", "可以了", "好了", "已"}

func set(words string) map[string]struct{} {
	all := map[string]struct{}{}
	for word := range strings.FieldsSeq(words) {
		all[word] = struct{}{}
	}
	return all
}
