package judge

import "strings"

// does judges what a command does with its options and operands. clauses are
// separated by ";", each "verb [row]: names": the names are options, or "rest"
// for the operands. With a row, each one given meets that row too. The verbs:
//
//	hit     nothing more
//	write   a file that is made or changed
//	out     the same, unless it is the standard output or no file at all
//	read    a file that is read
//	remove  a file that is deleted
//	pack    a folder that is taken whole
//	run     a script that is run
//	probe   text in which only what must be denied counts
//	mode    a file mode
//	target  a host or an address
func (f *floor) does(c *call, o *options, clauses string) {
	for clauses != "" {
		var clause string
		clause, clauses, _ = strings.Cut(clauses, ";")
		verb, names, _ := strings.Cut(strings.TrimSpace(clause), ": ")
		verb, row, _ := strings.Cut(verb, " ")
		list := o.rest
		if names != "rest" {
			list = o.values(names)
			if row != "" && o.has(names) {
				f.hit(row)
			}
		}
		for i := range list {
			f.effect(verb, &list[i], c)
		}
	}
}

func (f *floor) effect(verb string, fd *field, c *call) {
	switch verb {
	case "out":
		if !fd.is("-") && (fd.unknown || !harmlessDevice(fd.text)) {
			f.writeField(fd, c.e, nil)
		}
	case "write":
		f.writeField(fd, c.e, nil)
	case "read":
		f.readField(fd, c.e)
	case "remove":
		f.removeField(fd, c.e)
	case "pack":
		f.packs(fd, c.e)
	case "run":
		f.scriptField(fd, c.e.child(), flow{open: true})
	case "probe":
		f.probe(fd.text, c.e.child())
	case "mode":
		f.mode(fd)
	case "target":
		f.target(fd, false)
	}
}

// in reports whether s is one of several words.
func in(words, s string) bool {
	for words != "" {
		var w string
		w, words, _ = strings.Cut(words, " ")
		if w == s {
			return true
		}
	}
	return false
}

// oneOf reports whether a field is certainly one of several words.
func (fd *field) oneOf(words string) bool { return !fd.unknown && !fd.glob && in(words, fd.text) }

// anyIs reports whether one of the fields is one of several words.
func anyIs(fds []field, words string) bool {
	for i := range fds {
		if fds[i].oneOf(words) {
			return true
		}
	}
	return false
}

// anyStarts reports whether one of the fields begins like this.
func anyStarts(fds []field, head string) bool {
	for i := range fds {
		if strings.HasPrefix(fds[i].text, head) {
			return true
		}
	}
	return false
}

// word gives the text of the nth field, or "".
func word(fds []field, n int) string {
	if n >= 0 && n < len(fds) {
		return fds[n].text
	}
	return ""
}
