package opencode

import (
	"context"

	"github.com/Kayphoon/opencode-advisor/pkg/opencode/sandbox"
)

// Task gives the task for an attempt, counted from 1: the first is the base task, byte for byte; every later
// one has NoOpAuthoringEscalation appended once.
func Task(base string, attempt int) string {
	if attempt <= 1 {
		return base
	}
	return base + NoOpAuthoringEscalation
}

// Author is Invoke, repeated with the escalated task while a run ends well and writes nothing: models
// announce a next step and stop. attempts bounds the runs; 0 or less means 2. The result is the last run's, with
// Attempts and Usage of all.
func (a *Adapter) Author(ctx context.Context, wt *sandbox.Worktree, apiKey, task string, attempts int) (Result, error) {
	var total Result
	for n := 1; n <= orDefault(attempts, 2); n++ {
		res, err := a.Invoke(ctx, wt, apiKey, Task(task, n))
		res.Attempts += total.Attempts
		res.Usage.add(total.Usage)
		total = res
		if err != nil || res.Verdict != NoOp && res.Verdict != Empty {
			return total, err
		}
	}
	return total, nil
}
