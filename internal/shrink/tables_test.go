package shrink

import (
	"bytes"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/Kayphoon/opencode-advisor/internal/wasmfile"
)

func TestTheProbeNeedsNoLines(t *testing.T) {
	file, err := wasmfile.ThinFuncTable(probe(t)) // as the guest is
	if err != nil {
		t.Fatal(err)
	}
	thin, err := Tables(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes became %d", len(file), len(thin))
	if len(thin) > len(file)*88/100 {
		t.Errorf("%d bytes became %d, want at least 12 %% less", len(file), len(thin))
	}
	native, err := exec.Command("go", "run", "./testdata/probe").Output()
	if err != nil {
		t.Fatal(err)
	}
	// What asks for lines gets none. All else is as it was.
	want := regexp.MustCompile(`callers .*`).ReplaceAllString(string(native), "callers ")
	for _, exact := range []string{
		"nil receiver value method main.catcher.catch called using nil *catcher pointer",
		"who recovers caught x caught x not ignored, caught x",
	} {
		if !strings.Contains(want, exact) {
			t.Errorf("the probe does not print %q:\n%s", exact, want)
		}
	}
	if got, _, code := execute(t, thin); code != 0 || got != want {
		t.Errorf("ends with %d (-native +thin):\n%s", code, cmp.Diff(want, got))
	}

	// A traceback has the numbers of functions, by which they are found in a module with names.
	_, last, code := execute(t, thin, "die")
	if code == 0 {
		t.Error("it does not die")
	}
	number := regexp.MustCompile(`goroutine 1 \[running\]:(?s:.*)\n(\d+)\(\)\n\t\?:0 `).FindStringSubmatch(last)
	if number == nil {
		t.Fatalf("last words without a function's number:\n%s", last)
	}
	_, names, err := wasmfile.FuncSizes(namedProbe(t))
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := strconv.Atoi(number[1]); names[uint32(n)] != "main.main" {
		t.Errorf("function %d is %s, want main.main", n, names[uint32(n)])
	}
}

func TestTablesRefusesWhatItDoesNotKnow(t *testing.T) {
	file := probe(t)
	for name, edit := range map[string]func(image []byte) error{
		"no header": func(image []byte) error {
			image[bytes.Index(image, []byte(tableMagic))] = 0
			return nil
		},
		"another module's description": func(image []byte) error {
			at := bytes.Index(image, []byte(tableMagic))
			image[bytes.Index(image, little.AppendUint64(nil, uint64(at)))+8]++
			return nil
		},
		"another index": func(image []byte) error {
			table, err := findTables(image)
			if err == nil {
				table.funcs[4] ^= 0x40
			}
			return err
		},
		"more functions": func(image []byte) error {
			image[bytes.Index(image, []byte(tableMagic))+8]++
			return nil
		},
	} {
		other, err := wasmfile.RewriteData(file, edit)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Tables(other, nil); err == nil || !strings.Contains(err.Error(), "thin the tables for tracebacks: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := Tables([]byte("text"), nil); err == nil {
		t.Error("text: no error")
	}
}
