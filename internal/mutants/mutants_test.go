package mutants

import "testing"

const root = "../.."

func TestNoMutantIsStale(t *testing.T) {
	names := map[string]bool{}
	files := map[string]int{}
	for _, m := range All {
		if _, err := m.Source(root); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
		if names[m.File+m.Name] {
			t.Errorf("%s: two mutants have this name", m.Name)
		}
		names[m.File+m.Name] = true
		files[m.File]++
	}
	if len(All) < 25 {
		t.Errorf("%d mutants, want 25 at least", len(All))
	}
	for _, f := range []string{"pkg/breaker/breaker.go", "pkg/guard/guard.go", "pkg/session/state.go", "pkg/delivery/delivery.go", "pkg/engine/deliver.go", "pkg/engine/watch.go", "pkg/engine/live.go", "pkg/engine/judge.go", "pkg/judge/decide.go", "pkg/judge/state.go"} {
		if files[f] == 0 {
			t.Errorf("no mutant breaks %s", f)
		}
	}
}
