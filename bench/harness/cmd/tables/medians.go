package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// groups are the groups of benchmarks in the order in which they are printed.
// One that is not named here comes last.
var groups = []string{
	"One", "Batch16", "Batch128", "Export100", "Assemble1050", "Attach20", "Lookup1000", "FiveCommands", "Search", "ReadHuge", "Print1GiB", "Store1GiB", "Results10000",
	"Hooks", "MCP", "MCP200", "Servers8", "Agent", "Agents1000", "Messages", "Tasks", "Code", "Code100", "Find10000", "Settings200", "Web",
}

// writeMedians writes a row for each benchmark, the fastest of a group first.
func writeMedians(w io.Writer, r results) {
	names := slices.Clone(r.names)
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(median(r.times(a)), median(r.times(b))))
	})
	const row = "%-40s %12s %12s %12s %10s %9s %8s %5s\n"
	p := printer{w}
	p.printf(row, "benchmark", "median ns", "min ns", "max ns", "B/op", "allocs/op", "other", "runs")
	for _, name := range names {
		ns := r.times(name)
		p.printf(row, name, short(median(ns)), short(slices.Min(ns)), short(slices.Max(ns)),
			short(r.middle(name, "B/op")), short(r.middle(name, "allocs/op")), other(r, name), fmt.Sprint(len(ns)))
	}
}

func rank(name string) int {
	group, _, _ := strings.Cut(name, "/")
	if i := slices.Index(groups, group); i >= 0 {
		return i
	}
	return len(groups)
}

// other is the metric of a group's own: how many tools ran at once, or how many
// bytes were encoded, or how much the heap grew, or the processor time of child processes.
func other(r results, name string) string {
	switch par, size, heap, cpu := r.middle(name, "maxpar"), r.middle(name, "encodedB"), r.middle(name, "heapMiB"), r.middle(name, "childrenCPU-ms"); {
	case cpu > 0:
		return fmt.Sprintf("cpu=%.0fms", cpu)
	case par > 0:
		return fmt.Sprintf("par=%.0f", par)
	case heap > 0:
		return short(heap) + "MiB"
	case size > 0:
		return fmt.Sprintf("B=%.0f", size)
	}
	return ""
}

// short keeps a decimal only where it says something.
func short(v float64) string {
	if v > 0 && v < 100 && v != float64(int(v)) {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// printer writes to a buffered writer, whose Flush returns the first error.
type printer struct{ w io.Writer }

func (p printer) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }
