package guard

import (
	"strings"
	"unicode"
)

// A text is without content when nothing is left of it but phrases that say
// nothing, and words that carry such phrases. One word outside both lists
// makes it a finding: "LGTM" goes, "LGTM, but refund() subtracts twice" stays.

// phrases say nothing by themselves. Words that would be content elsewhere
// ("issues", "changes") are only here inside a phrase, so that "no tests" and
// "not done" stay.
var phrases = splitPhrases(`
lgtm|looks good|look good|looks good to me|looks great|looks fine|looks ok|looks okay|looks correct|looks right|looks clean|looks solid|looks reasonable|looks safe
look great|look fine|look ok|look okay|look correct|look right|look clean|look solid|look reasonable
good|good job|good work|good stuff|great|great job|great work|nice|nice work|nice job|well done|perfect|excellent|awesome|fine|clean|correct|solid|cool|sweet|neat|wow|bravo
ok|okay|k|yes|yep|yeah|sure|right|agreed|ack|acknowledged|approved|approve|accepted|confirmed|understood|noted|roger|got it|will do|sounds good|makes sense|fair enough
done|all done|finished|complete|completed|ready|ready to merge|ship it|merge it|pass|passed|passes|success|successful|resolved|working as intended|works as intended|works as expected|as expected|works
continue|please continue|carry on|go on|go ahead|keep going|keep it up|proceed|please proceed|you can proceed|can proceed|safe to proceed|ok to proceed|good to go|move on|next|next step|keep up the good work
stop|halt|wait|hold on|pause|abort
nothing from my side|nothing from my end|nothing from me|nothing at all|nothing here|nothing yet
no issue|no issues|no problem|no problems|no concern|no concerns|no blocker|no blockers|no nit|no nits|no bug|no bugs|no error|no errors|no finding|no findings|no note|no notes|no comment|no comments|no feedback|no remark|no remarks|no advice|no suggestion|no suggestions|no objection|no objections|no complaint|no complaints|no worries|no defects|no risk|no risks|no regressions|no red flags|no observations
no further issues|no further comments|no further notes|no further action|no further concerns|no further findings|no other issues|no new issues|no new findings|no new notes|no more issues|no major issues|no critical issues|no significant issues|no material issues|no serious issues|no obvious issues|no real issues|no actionable issues|no actionable findings|no blocking issues|no major problems|no obvious problems|no major concerns|no serious concerns|no additional comments|no additional notes|no additional issues|no action|no action needed|no action required|no action is needed|no action is required|no change needed|no changes needed|no changes required|no change required|no changes necessary|no fix needed|no response needed|no review needed
no issues found|no issue found|no problems found|no bugs found|no errors found|no concerns found|no issues detected|no problems detected|no issues identified|no problems identified|no issues spotted|no issues seen|no issues noted|no issues observed|no issues remain|no findings to report|no issues to report|no issues to flag|no problems to report|nothing found|nothing to report|nothing to add|nothing to say|nothing to flag|nothing to note|nothing to do|nothing to see|nothing to review|nothing to fix|nothing to raise|nothing to mention|nothing to comment|nothing to worry about|nothing wrong|nothing is wrong|nothing new|nothing else|nothing more|nothing further|nothing stands out|nothing jumps out|nothing of note|nothing notable|nothing significant|nothing material|nothing actionable|nothing blocking|nothing critical|nothing concerning|nothing needed
did not find any issues|didn t find any issues|did not find any problems|didn t find any problems|could not find any issues|couldn t find any issues|did not find anything|didn t find anything|found no issues|found no problems|found nothing|found nothing wrong|see no issues|see no issue|see no problems|see no problem|saw no issues|have no issues|have no concerns|have no comments|have no notes|have nothing to add|have nothing to report|there are no issues|there are no problems|there is nothing to report|there is nothing to add|there is no issue|there is no problem|does not have any issues|don t see any issues|do not see any issues|don t see any problems|do not see any problems|can t find any issues|not an issue|not a problem|without issues|without problems|issue free
all good|all clear|all fine|all ok|all okay|all set|all correct|all right|alright|all is well|all is good|everything is fine|everything is good|everything is ok|everything is okay|everything looks good|everything looks fine|everything looks ok|everything looks correct|everything is in order|everything checks out|everything works|checks out|in order|on track|on the right track|is on track|as planned|so far so good|keep it as is|leave as is|leave it as is|up to date
thanks|thank you|thx|cheers|hello|hi|bye|you re welcome|happy to help|hope this helps|let me know|please let me know|let me know if you need anything|let me know if you have questions|feel free to ask
be careful|take care|double check|please double check|please check|please review|review this|review the code|please review the code|check this|be sure|make sure|pay attention|fyi|heads up|important|attention|warning|urgent|just a note|just checking|see above|see below|as above|as mentioned|as noted|as discussed|same as before|same as above
i am done|i m done|review complete|review completed|review done|review finished|reviewed|verified|checked|inspected|analysis complete|verification complete|task complete|task completed|task done|step complete|step completed|work complete|verdict confirmed|verdict refuted
lorem ipsum|your note here|note text|insert note here
没问题|没有问题|无问题|没啥问题|没什么问题|没有任何问题|没毛病|无异常|没有异常|未见异常|未发现异常|未发现问题|未发现任何问题|没有发现问题|没有发现任何问题|没发现问题|没发现任何问题|未发现明显问题|没有明显问题|没有发现明显问题|未发现重大问题|没有发现新的问题|没有新问题|没有新的问题|无新问题|未见问题|暂无问题|暂时没有问题|暂无意见|没意见|没有意见|无意见|没有建议|无建议|暂无建议|没有评论|无评论|无备注|没有补充|无补充|没有其他问题|没有其它问题|无其他问题|没有更多问题|没有可报告的问题|没有需要报告的问题|没有需要指出的问题|没有什么可说的|没什么可说的|没有什么要报告的|没什么要报告的|无需报告|无需修改|无需更改|无需改动|无需处理|无需操作|不需要修改|不需要更改|不用修改|不用改|无需进一步操作|无需行动|没有阻塞问题|无阻塞|没有错误|无错误|未发现错误|没有发现错误|没有风险|无风险|没有疑问
继续|请继续|继续吧|继续进行|继续执行|继续保持|可以继续|接着做|接着来|下一步|往下走|进行下一步
看起来不错|看起来很好|看上去不错|看上去很好|看着不错|看起来正常|看起来没问题|看起来正确|看起来可以|不错|很好|非常好|挺好|挺好的|很棒|太棒了|棒|好|好的|好了|可以|可以的|行|行了|对|是|是的|嗯|嗯嗯|哦|赞|点赞|优秀|完美|干得好|干得漂亮|做得好|做得不错|做的不错|正确|正常|一切正常|一切顺利|一切良好|一切都好|都很好|都正常|都没问题|良好|顺利|符合预期|如预期|通过|已通过|审查通过|检查通过|验证通过|测试通过|同意|批准|认可|已确认|确认|收到|明白|了解|知道了|懂了|已阅|已读|已审查|已检查|已核实|审查完成|审查完毕|检查完毕|检查完成|完成|已完成|完成了|做完了|搞定|搞定了|结束|结束了|完毕|任务完成|任务已完成|已解决|解决了
停|停止|停下|停一下|暂停|等等|等一下|稍等|且慢|住手
无内容|谢谢|感谢|多谢|辛苦了|你好|您好|再见|注意|请注意|小心|当心|请检查|请审查|请确认|仅供参考|同上|如上|加油
`)

// fillers carry a phrase and say nothing alone.
var fillers = splitPhrases(`
a|an|the|this|that|these|those|it|its|i|i m|i am|i ve|i have|we|you|my|your|me|to|of|for|in|on|at|with|from|by|as|so|far|and|or|also|but|is|are|was|were|be|been|has|had|have|do|does|all|any|everything|here|there|now|just|very|really|quite|pretty|overall|currently|at this point|at this time|at the moment|for now|so far|yet|still|again|today|then|too|only|well|please|hey|ah|oh|um|my friend
step|steps|turn|update|delta|diff|review|reviewer|advisor|code|change|changes|changeset|patch|commit|work|task|session|file|files|implementation|part|point|moment|time|one|it all|far|above|below|current|latest|recent|last|previous|next|new
nit|blocker|concern|severity|verdict|note|notes|finding|findings|summary|result|status|report|comment|conclusion|info|response|answer
found|detected|identified|seen|noted|spotted|observed|to report|to flag|to add|at all|whatsoever|needed|required|necessary
seems|seem|appears|appear|looks like|i think|i believe|from my side|from my end|from me|in my opinion|imo
这|那|此|本|该|这个|那个|这一|这里|这次|本次|此次|这步|本步|此步|这一步|这一步骤|此步骤|本步骤|步骤|本轮|这轮|这一轮|轮|次|目前|目前为止|到目前为止|当前|暂时|现在|我|我们|你|您|的|了|吧|呢|啊|呀|哦|哈|哈哈|啦|嘛|请|都|也|就|还|很|看|看来|看起来|整体|整体上|总体|总体上|总的来说|代码|改动|修改|变更|更改|更新|实现|工作|任务|审查|检查|评审|结果|结论|建议|意见|备注|说明|状态|全部|所有|一切|中|里|上|下|在|对|已|已经|并|且|和|与|以及|认为|觉得|我认为|我觉得|发现|任何
`)

// placeholders say nothing when they are the whole text, or all that follows a label:
// "none", "Issues: none". Inside a sentence they are content: "empty
// implementation", "没有检查".
var (
	placeholders = splitPhrases(`no|none|nothing|nil|null|undefined|n a|na|empty|silence|silent|void|tbd|todo|string|note|text|advice|placeholder|test|example|x|foo|无|没有|暂无|空|没|没啥|没什么`)
	labelsOnly   = splitPhrases(`nit|nits|blocker|blockers|concern|concerns|severity|note|notes|finding|findings|issue|issues|problem|problems|summary|comment|comments|feedback|advice|问题|建议|意见|备注|发现|阻塞|评论`)
)

// maxContentFree is the length in characters past which a text is not taken for
// chatter: whoever writes more says something, if only by accident.
const maxContentFree = 400

func splitPhrases(list string) map[string]bool {
	set := make(map[string]bool)
	for _, line := range strings.Split(list, "\n") {
		for _, phrase := range strings.Split(line, "|") {
			if phrase != "" {
				set[phrase] = true
			}
		}
	}
	return set
}

// longestPhrase is the number of units (words, or Chinese characters) of the longest entry.
const longestPhrase = 12

// contentFree tells whether a text says nothing.
func contentFree(text string) bool {
	units := unitsOf(text)
	if len(units) == 0 {
		return true // signs and emoji alone
	}
	if len(units) > maxContentFree {
		return false
	}
	if placeholder(units) {
		return true
	}
	// covered[i]: the units before i are made of entries.
	covered := make([]bool, len(units)+1)
	covered[0] = true
	for i := range units {
		for n := 1; covered[i] && n <= longestPhrase && i+n <= len(units); n++ {
			if entry := join(units[i : i+n]); phrases[entry] || fillers[entry] {
				covered[i+n] = true
			}
		}
	}
	return covered[len(units)]
}

// placeholder tells whether units are labels, if any, and then one placeholder.
func placeholder(units []string) bool {
	for n := 1; n <= 3 && n <= len(units); n++ {
		at := len(units) - n
		if placeholders[join(units[at:])] && (at == 0 || labelsOnly[join(units[:at])]) {
			return true
		}
	}
	return false
}

// unitsOf cuts a text into words, and Chinese into single characters. Signs,
// digits alone and emoji are dropped: "✅ LGTM!!! 10/10" is "lgtm".
func unitsOf(text string) []string {
	var units []string
	word := make([]rune, 0, 16)
	flush := func() {
		if len(word) > 0 {
			units = append(units, string(word))
			word = word[:0]
		}
	}
	for _, r := range fold(text) {
		switch {
		case cjk(r):
			flush()
			units = append(units, string(r))
		case unicode.IsLetter(r), unicode.IsMark(r) && len(word) > 0:
			word = append(word, r)
		case unicode.IsDigit(r) && len(word) > 0:
			word = append(word, r)
		default:
			flush()
		}
	}
	flush()
	return units
}

// join puts units together as the lists spell them: words with spaces, Chinese without.
func join(units []string) string {
	var out strings.Builder
	for i, u := range units {
		if i > 0 && (u[0] < 0x80 || units[i-1][0] < 0x80) {
			out.WriteByte(' ')
		}
		out.WriteString(u)
	}
	return out.String()
}
