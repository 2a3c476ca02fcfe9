package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := Generate("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Errorf("%v\nrun: go generate ./pkg/protocol", err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the Go types say (-generated +file):\n%.2000s\nrun: go generate ./pkg/protocol", name, diff)
		}
	}
}

// readSource runs the reader over one file's text.
func readSource(text string) (*wire, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "wire.go", "package protocol\n"+text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return read(fset, []*ast.File{f})
}

func TestWhatCannotBeMappedIsAnError(t *testing.T) {
	event := func(fields string) string { return "// X.\n//\n// wire:event x\ntype X struct {\n" + fields + "\n}\n" }
	for _, c := range []struct{ name, in, want string }{
		{"map", event("M map[string]string `json:\"m\"`"), "wire.go:6:1: X: field M: type map[string]string cannot be mapped to the wire"},
		{"pointer", event("P *int `json:\"p\"`"), "wire.go:6:1: X: field P: type *int cannot be mapped to the wire"},
		{"any", event("A any `json:\"a\"`"), "wire.go:6:1: X: field A: type any cannot be mapped to the wire"},
		{"float", event("F float64 `json:\"f\"`"), "wire.go:6:1: X: field F: type float64 cannot be mapped to the wire"},
		{"other package", event("T time.Time `json:\"t\"`"), "wire.go:6:1: X: field T: type time.Time cannot be mapped to the wire"},
		{"list of lists", event("L [][]string `json:\"l\"`"), "wire.go:6:1: X: field L: type [][]string cannot be mapped to the wire"},
		{"array", event("L [2]string `json:\"l\"`"), "wire.go:6:1: X: field L: type [2]string cannot be mapped to the wire"},
		{"list of numbers", event("L []int `json:\"l\"`"), "X.L: a list of these is not supported"},
		{"type from nowhere", event("O Other `json:\"o\"`"), "X.O: type Other is not on the wire"},
		{"event inside", event("E X `json:\"e\"`"), "X.E: type X is an event, effect or envelope and cannot be a part"},
		{"single event", event("E Event `json:\"e\"`"), "X.E: a single event or effect is not supported"},
		{"no tag", event("A string"), "wire.go:5:6: X.A has no json tag"},
		{"embedded", event("Other"), "wire.go:6:1: X: embedded field Other: the wire has none"},
		{"tag option", event("A int `json:\"a,string\"`"), `wire.go:6:1: X: field A: json option "string" is not supported`},
		{"key twice", event("A, B int `json:\"a\"`"), `X.B: key "a" is taken`},
		{"key type", event("A int `json:\"type\"`"), `X.A: key "type" is taken`},
		{"omitempty of a struct", event("P P `json:\"p,omitempty\"`") + "type P struct { A int `json:\"a\"` }", "X.P: omitempty never omits a struct; use omitzero"},
		{"omitzero of what has lists", event("P P `json:\"p,omitzero\"`") + "type P struct { A []string `json:\"a\"` }", "X.P: omitzero needs a type that can be compared"},
		{"omitzero of a number", event("A int `json:\"a,omitzero\"`"), "X.A: omitzero is for structs; use omitempty"},
		{"name twice", event("") + "// wire:effect x\ntype Y struct{}\n", `X and Y are both called "x" on the wire`},
		{"bad directive", "// wire:evnt x\ntype X struct{}\n", "wire.go:3:6: X: want wire:event NAME or wire:effect NAME, got wire:evnt x"},
		{"strings without values", "type Color string\n", "type Color has no constants"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readSource(c.in)
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

func TestTypeScript(t *testing.T) {
	w, err := readSource(`
// Version of it.
const Version = 3

// Kind says what. */ alert()
type Kind uint8

const (
	KindOther Kind = iota // the rest
	KindFile
)

// Color is a colour.
type Color string

const (
	Red  Color = "red"
	Blue Color = "blue"
)

// P is a part.
type P struct {
	N int ` + "`json:\"n\"`" + `
}

// X happened.
//
// It has parts.
//
// wire:event x
type X struct {
	// ID is opaque.
	ID    string ` + "`json:\"id\"`" + ` // and short
	Color Color  ` + "`json:\"color,omitempty\"`" + `
	Raw   JSON   ` + "`json:\"raw\"`" + `
	Parts []P    ` + "`json:\"parts,omitempty\"`" + `
	Inner []Event ` + "`json:\"inner\"`" + `
	OK    bool   ` + "`json:\"ok\"`" + `
}

// wire:effect y
type Y struct{}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `
/** Version of it. */
export const version = 3;

/** Kind says what. * / alert() */
export const Kind = {
  /** the rest */
  other: 0,
  file: 1,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** Color is a colour. */
export type Color = "red" | "blue";

/** P is a part. */
export interface P {
  n: number;
}

/**
 * X happened.
 *
 * It has parts.
 */
export interface X {
  type: "x";
  /**
   * ID is opaque.
   * and short
   */
  id: string;
  color?: Color;
  raw: unknown;
  parts?: P[];
  inner: Event[];
  ok: boolean;
}

export interface Y {
  type: "y";
}

/** Something that happened outside the guest. */
export type Event =
  | X;

/** The name of every event, in the order of the Go source. */
export const eventTypes = [
  "x",
] as const satisfies readonly Event["type"][];

/** Something that the guest wants done outside. */
export type Effect =
  | Y;

/** The name of every effect, in the order of the Go source. */
export const effectTypes = [
  "y",
] as const satisfies readonly Effect["type"][];
`
	_, got, _ := strings.Cut(string(writeTypeScript(w)), "only source.\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLowerFirst(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "ID": "id", "Call": "call", "CallID": "callID", "HTTPSend": "httpSend", "ABIVersion": "abiVersion", "X": "x",
	} {
		if got := lowerFirst(in); got != want {
			t.Errorf("lowerFirst(%q) = %q, want %q", in, got, want)
		}
	}
}
