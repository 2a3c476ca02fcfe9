package judge

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// braces expands {a,b} and {1..3}. Too many words become one that is unknown.
func (f *floor) braces(w *syntax.Word) []*syntax.Word {
	c := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(c) {
		return []*syntax.Word{w}
	}
	out := f.spreadBraces(c.Parts, 0)
	if len(out) > maxBraces {
		f.over()
		return out[:1]
	}
	return out
}

func (f *floor) spreadBraces(parts []syntax.WordPart, depth int) []*syntax.Word {
	out := []*syntax.Word{{}}
	for _, part := range parts {
		var ways []*syntax.Word
		b, ok := part.(*syntax.BraceExp)
		switch {
		case !ok:
			ways = []*syntax.Word{{Parts: []syntax.WordPart{part}}}
		case depth > 8:
			f.over()
			return out
		case b.Sequence:
			ways = f.sequence(b)
		default:
			for _, el := range b.Elems {
				ways = append(ways, f.spreadBraces(el.Parts, depth+1)...)
			}
		}
		if len(out)*len(ways) > maxBraces {
			f.over()
			return out[:1]
		}
		var next []*syntax.Word
		for _, have := range out {
			for _, way := range ways {
				next = append(next, &syntax.Word{Parts: append(slices.Clip(have.Parts), way.Parts...)})
			}
		}
		out = next
	}
	return out
}

// sequence expands {1..9} and {a..e}, with or without a step.
func (f *floor) sequence(b *syntax.BraceExp) []*syntax.Word {
	var nums []int
	letters := false
	for i, el := range b.Elems {
		s := el.Lit()
		n, err := strconv.Atoi(s)
		if err != nil {
			if len(s) != 1 || i == 2 {
				f.over()
				return []*syntax.Word{{}}
			}
			n, letters = int(s[0]), true
		}
		nums = append(nums, n)
	}
	step := 1
	if len(nums) > 2 && nums[2] != 0 {
		step = max(nums[2], -nums[2])
	}
	if len(nums) < 2 || max(nums[0]-nums[1], nums[1]-nums[0])/step >= maxBraces {
		f.over()
		return []*syntax.Word{{}}
	}
	if nums[1] < nums[0] {
		step = -step
	}
	var out []*syntax.Word
	for n := nums[0]; step > 0 && n <= nums[1] || step < 0 && n >= nums[1]; n += step {
		s := strconv.Itoa(n)
		if letters {
			s = string(rune(n))
		}
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}})
	}
	return out
}
