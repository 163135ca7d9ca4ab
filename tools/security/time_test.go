package security_test

import (
	"fmt"
	"testing"
	"time"
)

// timeRow is the part of a row of time.jsonl that the engine sees, and the time in which it
// has to decide.
type timeRow struct {
	shellRow
	MaxMS int64 `json:"max_ms"`
}

// tries is how often a line is decided until it was in time once: a busy machine stops each
// of them for long less often than one.
const tries = 5

// TestTime decides lines whose decision took seconds. How much is done for a line is counted
// in internal/shellparse.
func TestTime(t *testing.T) {
	run(t, "time", func(t *testing.T, src source) func(*testing.T, timeRow, answer) outcome {
		t.Helper()
		b := newBase(t, src)
		return func(t *testing.T, r timeRow, a answer) (o outcome) {
			t.Helper()
			limit, took := time.Duration(r.MaxMS)*time.Millisecond, time.Duration(0)
			for range tries {
				began := time.Now()
				o = r.decide(t, b, a)
				if took = time.Since(began); took <= limit {
					return o
				}
			}
			o.wrong = append(o.wrong, fmt.Sprintf("decided in %v, want %v", took, limit))
			return o
		}
	})
}
