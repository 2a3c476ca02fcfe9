// Command stacks names the functions that it stands in, which takes the runtime
// through its table of functions, and does so again after its stack has grown and moved.
package main

import "runtime"

func main() {
	outer(0)
	println(deep(5000))
	func() {
		defer func() {
			recover()
			outer(1)
		}()
		var none *int
		*none = 1
	}()
}

//go:noinline
func outer(n int) { inner(n) }

//go:noinline
func inner(n int) {
	runtime.GC()
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		println(n, f.Function, f.Line)
	}
}

//go:noinline
func deep(n int) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + pad[n%64] - n + 1
}
