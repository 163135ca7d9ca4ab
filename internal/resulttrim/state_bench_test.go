package resulttrim_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/resulttrim"
)

// longHistory has 10,000 results in 2,000 turns, of which each rule replaces many.
// The ids are new strings each time, as they are when a request is built anew.
func longHistory() ([]resulttrim.Result, resulttrim.Limits) {
	results := make([]resulttrim.Result, 10_000)
	for i := range results {
		results[i] = resulttrim.Result{
			ID:   fmt.Sprintf("toolu_01A09q90qw90lq91%08d", i),
			Turn: i / 5,
			Size: i * 7919 % 60_000,
		}
	}
	return results, resulttrim.Limits{PerMessage: 150_000, KeepRecent: 200_000, MaskStep: 120_000, MinSize: 2_000}
}

func BenchmarkDecideFresh(b *testing.B) {
	results, limits := longHistory()
	b.ReportAllocs()
	for b.Loop() {
		var s resulttrim.State
		s.Decide(results, limits)
	}
}

func BenchmarkDecideAgain(b *testing.B) {
	results, limits := longHistory()
	var s resulttrim.State
	for _, d := range s.Decide(results, limits) {
		s.SetText(d.Key, fmt.Sprintf("%02500d", 0))
	}
	results, _ = longHistory()
	b.ReportAllocs()
	for b.Loop() {
		s.Decide(results, limits)
	}
}

func BenchmarkClone(b *testing.B) {
	results, limits := longHistory()
	var s resulttrim.State
	s.Decide(results, limits)
	b.ReportAllocs()
	for b.Loop() {
		s.Clone()
	}
}

func BenchmarkMarshal(b *testing.B) {
	results, limits := longHistory()
	var s resulttrim.State
	s.Decide(results, limits)
	b.ReportAllocs()
	for b.Loop() {
		data, err := json.Marshal(&s)
		require.NoError(b, err)
		b.SetBytes(int64(len(data)))
	}
}
