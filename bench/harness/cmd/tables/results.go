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

// results holds the measured values, by benchmark and unit, in the order of the
// passes. A benchmark's name has neither the Go function nor the number of
// processors in it, as in "One/pegboard".
type results struct {
	names  []string // in order of first appearance
	values map[string]map[string][]float64
	facts  map[string][]string // of lines such as "cpu: …": each value once
	notes  map[string]note     // by the name of a case, without its group
}

// A note describes a case, see harness.Case.
type note struct{ validates, lacks, path string }

// nanoseconds is the unit of time per operation.
const nanoseconds = "ns/op"

var (
	function   = regexp.MustCompile(`^Benchmark[^/]*/`)
	processors = regexp.MustCompile(`-\d+$`)
	fact       = regexp.MustCompile(`^([a-z-]+): (.+)$`)
	described  = regexp.MustCompile(`^\s*harness\.go:\d+: (\S+)\s+validates: (.*?)\s+lacks: (.*?)\s+path: (.*)$`)
)

var errNothing = errors.New("no benchmark on standard input")

// readResults collects the benchmarks of in, the facts about the run and the notes of
// the cases, and skips all other lines.
func readResults(in io.Reader) (results, error) {
	r := results{values: map[string]map[string][]float64{}, facts: map[string][]string{}, notes: map[string]note{}}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := lines.Text()
		if m := described.FindStringSubmatch(line); m != nil {
			r.notes[m[1]] = note{validates: m[2], lacks: m[3], path: m[4]}
		} else if m := fact.FindStringSubmatch(line); m != nil {
			if !slices.Contains(r.facts[m[1]], m[2]) {
				r.facts[m[1]] = append(r.facts[m[1]], m[2])
			}
		} else if fields := strings.Fields(line); len(fields) >= 4 && function.MatchString(fields[0]) {
			r.add(processors.ReplaceAllString(function.ReplaceAllString(fields[0], ""), ""), fields[2:])
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

// add adds the values of one pass, each before its unit.
func (r *results) add(name string, pairs []string) {
	if r.values[name] == nil {
		r.values[name] = map[string][]float64{}
		r.names = append(r.names, name)
	}
	for pair := range slices.Chunk(pairs, 2) {
		if v, err := strconv.ParseFloat(pair[0], 64); err == nil && len(pair) == 2 {
			r.values[name][pair[1]] = append(r.values[name][pair[1]], v)
		}
	}
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
