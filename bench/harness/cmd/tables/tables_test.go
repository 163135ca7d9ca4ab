package main

import (
	"errors"
	"strings"
	"testing"
)

const passes = `goos: linux
BenchmarkPeers/One/pegboard-2     100   130 ns/op   64 B/op   3 allocs/op
BenchmarkPeers/One/floor-v5-full-2   100   100 ns/op   48 B/op   2 allocs/op
BenchmarkPeers/Batch128/pegboard-limit10-2   100   1500 ns/op   10.00 maxpar   48 B/op   2 allocs/op
BenchmarkPool/Assemble1050/pegboard-cold-2   100   2500000 ns/op   48 B/op   2 allocs/op
PASS
BenchmarkPeers/One/pegboard-2     100   300 ns/op   64 B/op   3 allocs/op
BenchmarkPeers/One/floor-v5-full-2   100   250 ns/op   48 B/op   2 allocs/op
BenchmarkPeers/One/pegboard-2     100   100 ns/op   64 B/op   3 allocs/op
BenchmarkPeers/One/floor-v5-full-2   100   50 ns/op   48 B/op   2 allocs/op
`

func TestTables(t *testing.T) {
	t.Parallel()
	r, err := readResults(strings.NewReader(passes))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	writeMedians(&out, r)
	writeRatios(&out, r, comparisons)

	want := []string{
		"benchmark median ns min ns max ns B/op allocs/op other runs",
		"One/floor-v5-full 100 50 250 48 2 3",
		"One/pegboard 130 100 300 64 3 3",
		"Batch128/pegboard-limit10 1500 1500 1500 48 2 par=10 1",
		"Assemble1050/pegboard-cold 2500000 2500000 2500000 48 2 1",
		"",
		"ours floor median lowest highest min/min budget",
		"One/pegboard One/floor-v5-full 1.30 1.20 2.00 2.00 1.30 met",
		"Assemble1050/pegboard-cold 2.500 ms 2.500 ms 2.500 ms 2.500 ms 2.000 ms missed",
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(got), len(want), out.String())
	}
	for i := range want {
		if line := strings.Join(strings.Fields(got[i]), " "); line != want[i] {
			t.Errorf("line %d: got %q, want %q", i+1, line, want[i])
		}
	}
}

// pageFacts are the lines around the passes that only the page reads.
const pageFacts = `cpu: a processor
    harness.go:263: pegboard           validates: full schema        lacks: -          path: Executor.Run
    harness.go:263: peer               validates: JSON types | only  lacks: hooks      path: its runner
    harness.go:263: pegboard-limit10   validates: full schema        lacks: -          path: Executor.Run
    harness.go:263: floor-v5-full      validates: v5                 lacks: -          path: no library
load: before 0.1
load: after 0.2
BenchmarkPeers/One/peer-2     100   260 ns/op   64 B/op   3 allocs/op
BenchmarkPeers/One/peer-2     100   900 ns/op   64 B/op   3 allocs/op
BenchmarkPeers/One/peer-2     100   200 ns/op   64 B/op   3 allocs/op
`

func TestPageSaysWhatACaseChecksAndLacks(t *testing.T) {
	t.Parallel()
	r, err := readResults(strings.NewReader(passes + pageFacts))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := writePage(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| processor | a processor |\n",
		"| load average before and after (1 min) | before 0.1, after 0.2 |\n",
		"| One/floor-v5-full | 100 ns | 0.77 | 48 | 2 | v5 | everything else | no library |\n| One/pegboard | 130 ns | 1.00 |",
		"| One/peer | 260 ns | 2.00 | 64 | 3 | JSON types \\| only | hooks | its runner |\n",
		"| Assemble1050/pegboard-cold | 2.5 ms | – | – | – | 2.000 ms | the first pool",
		"## Grep\n\nGrep and Glob",
		"Not measured: the run had no rg and PEGBOARD_SEARCH_TREE.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, out.String())
		}
	}
}

func TestPageNeedsANoteForEachCase(t *testing.T) {
	t.Parallel()
	r, err := readResults(strings.NewReader(passes))
	if err != nil {
		t.Fatal(err)
	}
	if err := writePage(&strings.Builder{}, r); err == nil || !strings.Contains(err.Error(), "One/pegboard") {
		t.Fatalf("got %v, want an error that names One/pegboard", err)
	}
}

func TestNoBenchmark(t *testing.T) {
	t.Parallel()
	if _, err := readResults(strings.NewReader("PASS\n")); !errors.Is(err, errNothing) {
		t.Fatalf("got %v, want %v", err, errNothing)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	tests := []struct {
		values []float64
		want   float64
	}{
		{values: []float64{7}, want: 7},
		{values: []float64{9, 1, 5}, want: 5},
		{values: []float64{4, 1, 2, 9}, want: 3},
	}
	for _, tt := range tests {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median of %v: got %v, want %v", tt.values, got, tt.want)
		}
	}
}
