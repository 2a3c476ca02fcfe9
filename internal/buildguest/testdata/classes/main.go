// Command classes prints what each \p{...} of its arguments stands for.
package main

import (
	"fmt"
	"os"
	"regexp/syntax"
)

func main() {
	for _, name := range os.Args[1:] {
		fmt.Println(class(name))
	}
}

// class gives a class as its letters, with and without regard to case.
func class(name string) string {
	text := name
	for _, flags := range []syntax.Flags{syntax.Perl, syntax.Perl | syntax.FoldCase} {
		re, err := syntax.Parse(`\p{`+name+`}`, flags)
		if err != nil {
			return name + " " + err.Error()
		}
		text += " " + re.String()
	}
	return text
}
