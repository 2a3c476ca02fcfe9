package pattern

import ()

func newBacktracker(root *node, groups int) (*backtracker, error) {
	b := &backtracker{slots: 2 * (groups + 1), memo: true}
	b.parts = 1
	if err := b.compile(root); err != nil {
		return nil, err
	}
	b.emit(btInst{op: opMatch})
	b.caps = make([]int, b.slots)
	b.marks = make([]uint32, b.parts)
	return b, nil
}

func (b *backtracker) emit(in btInst) int {
	b.prog = append(b.prog, in)
	return len(b.prog) - 1
}

func (b *backtracker) split() int {
	b.splits++
	return b.emit(btInst{op: opSplit, branch: b.splits - 1})
}

func (b *backtracker) compile(n *node) error {
	if len(b.prog) > maxInst {
		return errTooLong
	}
	switch n.op {
	case nodeSet:
		b.emit(btInst{op: opSet, set: n.set})
	case nodeAssert:
		b.emit(btInst{op: opAssert, cond: n.cond})
	case nodeBack:
		b.memo = false
		b.emit(btInst{op: opBack, n: n.n, fold: n.fold})
	case nodeGroup:
		b.emit(btInst{op: opSave, n: 2 * n.n})
		if err := b.compile(n.subs[0]); err != nil {
			return err
		}
		b.emit(btInst{op: opSave, n: 2*n.n + 1})
	case nodeCat:
		for _, sub := range n.subs {
			if err := b.compile(sub); err != nil {
				return err
			}
		}
	case nodeAlt:
		return b.compileAlt(n)
	case nodeRepeat:
		return b.compileRepeat(n)
	case nodeLook, nodeAtomic:
		op := opLook
		if n.op == nodeAtomic {
			op = opAtomic
		}
		lo, hi := width(n.subs[0])
		at := b.emit(btInst{op: op, negate: n.negate, behind: n.behind, lo: lo, hi: hi, branch: b.parts})
		b.parts++
		b.prog[at].x = len(b.prog)
		if err := b.compile(n.subs[0]); err != nil {
			return err
		}
		b.emit(btInst{op: opEnd})
		b.prog[at].y = len(b.prog)
	}
	return nil
}

func (b *backtracker) compileAlt(n *node) error {
	var ends []int
	for i, sub := range n.subs {
		if i == len(n.subs)-1 {
			if err := b.compile(sub); err != nil {
				return err
			}
			break
		}
		at := b.split()
		b.prog[at].x = at + 1
		if err := b.compile(sub); err != nil {
			return err
		}
		ends = append(ends, b.emit(btInst{op: opJump}))
		b.prog[at].y = len(b.prog)
	}
	for _, at := range ends {
		b.prog[at].x = len(b.prog)
	}
	return nil
}

func (b *backtracker) compileRepeat(n *node) error {
	body := n.subs[0]
	for range n.min {
		before := len(b.prog)
		if err := b.compile(body); err != nil {
			return err
		}
		if len(b.prog) == before {
			break // an empty body: once is as good as a thousand times
		}
	}
	if n.max < 0 {
		return b.compileLoop(n)
	}
	var splits []int
	for range n.max - n.min {
		splits = append(splits, b.split())
		if err := b.compile(body); err != nil {
			return err
		}
	}
	for _, at := range splits {
		b.link(at, at+1, len(b.prog), n.lazy)
	}
	return nil
}

// compileLoop writes body*. A body that can match nothing must not go round
// without moving.
func (b *backtracker) compileLoop(n *node) error {
	at := b.split()
	lo, _ := width(n.subs[0])
	slot := b.slots
	if lo == 0 {
		b.slots++
		b.emit(btInst{op: opSave, n: slot})
	}
	if err := b.compile(n.subs[0]); err != nil {
		return err
	}
	if lo == 0 {
		b.emit(btInst{op: opCheck, n: slot})
	}
	b.emit(btInst{op: opJump, x: at})
	b.link(at, at+1, len(b.prog), n.lazy)
	return nil
}

func (b *backtracker) link(at, body, out int, lazy bool) {
	if lazy {
		body, out = out, body
	}
	b.prog[at].x, b.prog[at].y = body, out
}

// width is how many runes a node matches at least and at most, -1 for no bound.
func width(n *node) (lo, hi int) {
	switch n.op {
	case nodeSet:
		return 1, 1
	case nodeGroup, nodeAtomic:
		return width(n.subs[0])
	case nodeBack:
		return 0, -1
	case nodeRepeat:
		lo, hi = width(n.subs[0])
		if hi >= 0 && n.max >= 0 {
			hi = min(hi*n.max, maxLine+1)
		} else if hi != 0 {
			hi = -1
		}
		return min(lo*n.min, maxLine+1), hi
	case nodeCat:
		for _, sub := range n.subs {
			l, h := width(sub)
			lo = min(lo+l, maxLine+1)
			if hi >= 0 {
				if hi += h; h < 0 {
					hi = -1
				}
			}
		}
	case nodeAlt:
		lo = maxLine + 1
		for _, sub := range n.subs {
			l, h := width(sub)
			lo = min(lo, l)
			if hi >= 0 {
				if hi = max(hi, h); h < 0 {
					hi = -1
				}
			}
		}
	}
	return lo, hi
}
