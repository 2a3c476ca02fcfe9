package guard

import (
	"strings"
	"testing"

	"github.com/Kayphoon/opencode-advisor/pkg/protocol"
)

func TestContentFree(t *testing.T) {
	for _, text := range strings.Split(strings.TrimSpace(`
LGTM
lgtm!!
LGTM 👍
✅ LGTM — looks good to me.
**LGTM**
Ｌｇｔｍ
done
Done.
Stop.
STOP!
No issues, continue.
Looks good!
Looks good to me, nothing to report.
No issues found.
No issues found in this step.
No problems found so far, please continue.
Nothing to report
Nothing to report.
nothing to add here
Everything looks fine at this point.
All good 🎉🎉
I have no further comments on this change.
I see no issues with the current implementation.
There are no issues in this diff.
I did not find any issues in the code.
I didn't find any problems with this step.
The changes look good to me.
The code looks correct, no action needed.
Overall: looks good.
Nit: none
Issues: none.
Concerns: N/A
None
n/a
N/A.
null
undefined
ok
OK, got it.
Okay, continue.
Continue
Please continue.
Keep going!
Ship it 🚀
Approved ✔️
+1
👍
👍👍👍
...
…
---
?!
10/10
"LGTM"
> LGTM
1. LGTM
- Done
Verdict: confirmed. Looks good.
No blockers, no concerns, no nits.
No changes needed.
No action is required.
Review complete.
Review complete: no issues found.
Task complete, all done!
Works as expected.
Good job!
Great work, keep it up.
Thanks!
Thank you, that is all good now.
Be careful.
Please double check.
Make sure it works.
Just a note.
string
placeholder
test
So far so good.
no
Nothing from my side.
I think this is fine.
没问题
没问题。
没有问题，继续。
没有问题，请继续！
继续
请继续
看起来不错
看起来没问题，可以继续。
代码看起来很好。
目前没有发现问题。
到目前为止，未发现任何问题。
本步骤没有发现问题
这一步没问题，继续吧
暂无问题
无
没有
完成
已完成。
好的
好的，收到！
通过
审查通过，没有其他问题。
一切正常
很好，继续保持！
停止
停！
问题：无
建议：无
无需修改
同意👍
收到，谢谢`), "\n") {
		if !contentFree(Clean(text, MaxText)) {
			t.Errorf("%q counts as a finding", text)
		}
	}
}

func TestFindingsWithTheSameWordsPass(t *testing.T) {
	for _, text := range strings.Split(strings.TrimSpace(`
LGTM, but refund() subtracts twice when retried.
Looks good except for the missing await in fetchUser.
No issues found, but src/pay.js line 6 is never covered.
Not done: the migration is missing.
The task is not done.
No tests.
No tests for refund.
No error handling.
No implementation.
Empty implementation.
Nothing is validated here.
Nothing calls refund().
Stop: the migration deletes production data.
Stop using eval().
Continue is used instead of break in the loop.
Missing await.
Fix the typo in the heading.
Typo
The null check is gone.
Null dereference.
undefined is not a function
Issues found.
Add a test.
The test passes for the wrong reason.
Done flag is never reset.
OK is returned on failure.
"OK" is returned although the write failed
The loop does not continue after an error.
Race condition.
SQL injection
Off by one.
Good catch needed around parse().
No review of the token is done before it expires.
TODO left in pay.js
Wrong file.
没有测试
没有检查
没有实现
没有处理错误
代码没有完成
测试没通过
未完成迁移
退款函数没有检查幂等键
继续使用旧的接口会出错
没问题的分支被删除了
空指针
返回空
通过率下降
不正确
没有完成
无法编译
问题：余额会重复扣减
看起来不错，但是退款会重复扣减
完成前没有保存`), "\n") {
		if contentFree(Clean(text, MaxText)) {
			t.Errorf("%q counts as chatter", text)
		}
		var g Guard
		if out := g.Review([]protocol.Note{{Severity: "nit", Text: text}}, ctx); len(out.Notes) != 1 {
			t.Errorf("%q is dropped", text)
		}
	}
}

// What is too long to be chatter passes, however it is made.
func TestLongChatterPasses(t *testing.T) {
	if !contentFree(strings.Repeat("looks good ", 150)) {
		t.Error("300 words of chatter count as a finding")
	}
	if contentFree(strings.Repeat("looks good ", 250)) {
		t.Error("500 words count as chatter")
	}
}

// An entry longer than the window could never match.
func TestEveryEntryFits(t *testing.T) {
	for _, list := range []map[string]bool{phrases, fillers, placeholders, labelsOnly} {
		for entry := range list {
			if units := unitsOf(entry); len(units) > longestPhrase || join(units) != entry {
				t.Errorf("%q is cut into %q", entry, units)
			}
		}
	}
}
