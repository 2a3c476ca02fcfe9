// Command probe does what a compiler can get wrong in a function's control, stack and
// calls, and prints what came out. Its output is the same on every platform.
package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"sort"
	"strings"
)

func main() {
	fmt.Println("branches", branches(40))
	fmt.Println("switch", words("zero one two three many"))
	fmt.Println("loops", loops(300))
	fmt.Println("deep", deep(20_000)) // grows and moves the stack many times
	x, y, s, p, err := frames(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	fmt.Println("frames", x, y, s, p, err)
	fmt.Println("recover", recovered(0), recovered(1), recovered(2), recovered(3))
	fmt.Println("defers", deferred())
	fmt.Println("nil receiver", nilReceiver())
	fmt.Println("who recovers", caught(0), caught(1), caught(2))
	fmt.Println("coroutine", coroutine())
	fmt.Println("goroutines", goroutines())
	fmt.Println("maps", maps())
	fmt.Println("garbage", garbage())
	fmt.Println("panics over garbage", overGarbage())
	fmt.Println("callers", strings.Join(callers(), " "))
	if len(os.Args) > 1 {
		var nowhere *point
		nowhere.x++ // dies with a trace
	}
}

type point struct{ x, y int }

// branches takes every way through nested conditions, forwards and backwards.
func branches(n int) (sum uint64) {
	for i := range n {
	again:
		switch {
		case i%7 == 3 && i > 10:
			sum = sum*31 + 7
			if sum%5 == 0 {
				i++
				goto again
			}
		case i%2 == 0:
			for j := i; j > 0; j /= 2 {
				if j%3 == 0 {
					continue
				}
				if j%11 == 10 {
					break
				}
				sum += uint64(j)
			}
			fallthrough
		default:
			if i > 20 || sum&1 == 0 {
				sum ^= uint64(i) << 3
			} else if i < 5 {
				sum -= 1
			} else {
				sum |= 64
			}
		}
	}
	return sum
}

func words(text string) (n []int) {
	for w := range strings.FieldsSeq(text) {
		switch w {
		case "zero":
			n = append(n, 0)
		case "one":
			n = append(n, 1)
		case "two", "three":
			n = append(n, len(w))
		default:
			n = append(n, -1)
		}
	}
	return n
}

func loops(n int) (count int) {
outer:
	for i := 2; i < n; i++ {
		for j := 2; j*j <= i; j++ {
			if i%j == 0 {
				continue outer
			}
		}
		count++
		if count == 50 {
			break outer
		}
	}
	return count
}

func deep(n int) int {
	var pad [16]int
	pad[n%16] = n
	if n == 0 {
		return pad[0]
	}
	return deep(n-1) + pad[n%16]%3
}

// frames has many arguments and results on the stack.
//
//go:noinline
func frames(a, b, c, d, e, f, g, h, i, j int) (x, y int, s string, p point, err error) {
	x, y = a*b+c*d, e*f-g*h
	s, p, err = fmt.Sprint(i, j), point{x, y}, errors.New("one")
	if x > y {
		return frames2(x, y, s, p, err)
	}
	return
}

//go:noinline
func frames2(x, y int, s string, p point, err error) (int, int, string, point, error) {
	return y, x, s + "!", point{p.y, p.x}, fmt.Errorf("two: %w", err)
}

func recovered(way int) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprint("caught ", r)
		}
	}()
	var p *point
	list := []int{1, 2, 3}
	zero := len(os.Args) - len(os.Args)
	switch way {
	case 0:
		return fmt.Sprint(p.y)
	case 1:
		return fmt.Sprint(list[zero+3])
	case 2:
		return fmt.Sprint(1 / zero)
	}
	return "nothing"
}

func deferred() (out []int) {
	func() {
		for i := range 4 {
			defer func() { out = append(out, i) }()
		}
		defer func() { recover() }()
		panic("x")
	}()
	return out
}

type catcher struct{ out *string }

// opaque hides from the compiler which method will be called: it has to call the wrapper.
//
//go:noinline
func opaque(c *catcher) interface {
	catch()
	pass()
} {
	return c
}

func (c catcher) catch() {
	if r := recover(); r != nil {
		*c.out += fmt.Sprint("caught ", r)
	}
}

// nilReceiver calls a method with a value receiver through a nil pointer: the runtime takes the
// method's name from its table of functions.
func nilReceiver() (out string) {
	defer func() { out = fmt.Sprint(recover()) }()
	opaque(nil).catch()
	return "nothing"
}

// pass is small enough to be inlined into its wrapper, and is the one that is deferred.
func (c catcher) pass() { swallow() }

//go:noinline
func swallow() { recover() }

// ignored is not inlined either, as long as the compiler inlines no recover.
func ignored() { recover() }

// caught panics where the recover is in a deferred method behind a wrapper, which recovers, or in a
// function that the deferred one calls, which does not, inlined or not.
func caught(way int) (out string) {
	defer catcher{&out}.catch()
	func() {
		switch way {
		case 0:
			defer opaque(&catcher{&out}).catch()
		case 1:
			defer opaque(&catcher{&out}).pass()
		case 2:
			defer func() {
				ignored()
				out += "not ignored, "
			}()
		}
		panic("x")
	}()
	return out
}

func coroutine() (out []int) {
	seq := iter.Seq[int](func(yield func(int) bool) {
		for i := range 100 {
			if !yield(i * i) {
				return
			}
		}
	})
	next, stop := iter.Pull(seq)
	defer stop()
	for v, ok := next(); ok && v < 200; v, ok = next() {
		out = append(out, v)
	}
	return out
}

func goroutines() (sum int) {
	in, out := make(chan int), make(chan int, 3)
	for range 5 {
		go func() {
			for v := range in {
				out <- v * v
			}
			out <- -1
		}()
	}
	go func() {
		for i := range 100 {
			in <- i
		}
		close(in)
	}()
	for done := 0; done < 5; {
		select {
		case v := <-out:
			if v < 0 {
				done++
			} else {
				sum += v
			}
		}
	}
	return sum
}

func maps() (out []string) {
	m := map[string][]float64{}
	for i := range 1000 {
		k := fmt.Sprintf("k%d", i%37)
		m[k] = append(m[k], float64(i)/8)
	}
	for k := range m {
		if len(m[k])%2 == 0 {
			delete(m, k)
		}
	}
	for k, v := range m {
		out = append(out, fmt.Sprintf("%s=%.3g", k, v[len(v)-1]))
	}
	sort.Strings(out)
	return out
}

func garbage() int {
	type node struct {
		left, right *node
		pad         [3]int
	}
	var build func(int) *node
	build = func(depth int) *node {
		if depth == 0 {
			return &node{}
		}
		return &node{left: build(depth - 1), right: build(depth - 1)}
	}
	count := 0
	for range 8 {
		kept := build(12)
		runtime.GC()
		var walk func(*node)
		walk = func(n *node) {
			if n != nil {
				count++
				walk(n.left)
				walk(n.right)
			}
		}
		walk(kept)
	}
	return count
}

// overGarbage panics at several places of one frame, each with other pointers in it. Before it recovers,
// the stack moves and garbage is collected under the frames that panicked.
func overGarbage() (out string) {
	for way := range 6 {
		func() {
			kept := strings.Repeat("k", way)
			defer func() {
				out += fmt.Sprint(deep(2000))
				runtime.GC()
				out += fmt.Sprint(kept, recover(), " ")
			}()
			out += fragile(way)
		}()
	}
	return out
}

//go:noinline
func fragile(way int) string {
	list := strings.Fields("a b c d")
	if way == 0 {
		return list[way+4]
	}
	first := &point{x: way}
	numbers := map[string]*point{list[0]: first, list[1]: {y: len(list)}}
	if way == 1 {
		return list[:way+9][0]
	}
	var nowhere *point
	if way == 2 {
		nowhere.y++
	}
	text := strings.Join(list, fmt.Sprint(numbers["a"].x))
	if way == 3 {
		var any any = numbers
		return any.(string)
	}
	if way == 4 {
		panic(errors.New(text))
	}
	return text + list[first.x+numbers["b"].y]
}

// callers reads the runtime's tables of functions and lines.
//
//go:noinline
func callers() (out []string) {
	var pcs [16]uintptr
	found := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for {
		f, more := found.Next()
		if strings.HasPrefix(f.Function, "main.") {
			out = append(out, fmt.Sprintf("%s:%d", f.Function, f.Line))
		}
		if !more {
			return out
		}
	}
}
