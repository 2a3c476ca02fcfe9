package judge

import (
	"strings"
)

// read and its like fill variables from the input.
func (f *floor) read(c *call) flow {
	f.unsafe()
	if c.name == "mapfile" || c.name == "readarray" {
		f.does(c, parseOptions(c.args, "C: c: d: n: O: s: t u:"), "run: C")
	}
	f.runnables(c.args)
	for _, fd := range append([]field{lit("REPLY"), lit("MAPFILE")}, c.args...) {
		c.e.poisoned = c.e.poisoned || fd.unknown
		c.e.set(fd.text, value{unknown: true, net: c.in.net})
	}
	// A later test may evaluate what was read.
	c.e.code = c.e.code || c.in.known && runnable(c.in.text)
	return flow{}
}

// declareWords is export and its like when they come by way of command or a
// variable, as plain words.
func (f *floor) declareWords(c *call) flow {
	f.unsafe()
	if len(c.args) == 0 || c.args[0].is("-p") {
		f.sawSecret()
	}
	f.runnables(c.args)
	for i := range c.args {
		fd := &c.args[i]
		if fd.unknown || strings.HasPrefix(fd.text, "-") && strings.ContainsAny(fd.text, "niul") {
			c.e.poisoned = true
		}
		name, val, ok := strings.Cut(fd.text, "=")
		if ok {
			v := value{alts: []string{val}, unknown: fd.unknown, exported: c.name == "export"}
			f.watchVariable(name, v)
			c.e.set(name, v)
		}
	}
	return flow{}
}

func (f *floor) rewire(c *call) flow {
	if len(c.args) == 0 {
		f.unsafe()
		return flow{open: true}
	}
	f.hit("rewire")
	for _, fd := range c.args {
		if _, val, ok := strings.Cut(fd.text, "="); ok {
			f.probe(val, newEnv(f.place))
		}
	}
	return flow{}
}
