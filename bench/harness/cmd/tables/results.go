package main

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// results holds what was measured, by benchmark and unit, in the order of the
// passes. A benchmark's name has neither the Go function nor the number of
// processors in it, as in "One/pegboard".
type results struct {
	names  []string // in order of first appearance
	values map[string]map[string][]float64
}

// nanoseconds is the unit of time per operation.
const nanoseconds = "ns/op"

var (
	function   = regexp.MustCompile(`^Benchmark[^/]*/`)
	processors = regexp.MustCompile(`-\d+$`)
)

var errNothing = errors.New("no benchmark on standard input")

// readResults collects the benchmark lines of in and skips all others.
func readResults(in io.Reader) (results, error) {
	r := results{values: map[string]map[string][]float64{}}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !function.MatchString(fields[0]) {
			continue
		}
		name := processors.ReplaceAllString(function.ReplaceAllString(fields[0], ""), "")
		if r.values[name] == nil {
			r.values[name] = map[string][]float64{}
			r.names = append(r.names, name)
		}
		for pair := range slices.Chunk(fields[2:], 2) {
			if v, err := strconv.ParseFloat(pair[0], 64); err == nil && len(pair) == 2 {
				r.values[name][pair[1]] = append(r.values[name][pair[1]], v)
			}
		}
	}
	if err := lines.Err(); err != nil {
		return results{}, err
	}
	if len(r.names) == 0 {
		return results{}, errNothing
	}
	return r, nil
}

// times returns the nanoseconds of a benchmark, one for each pass.
func (r results) times(name string) []float64 { return r.values[name][nanoseconds] }

// middle returns the median of one metric; 0 means that it was not measured.
func (r results) middle(name, unit string) float64 {
	if v := r.values[name][unit]; len(v) > 0 {
		return median(v)
	}
	return 0
}

// median returns the median of v, which holds at least one value.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
