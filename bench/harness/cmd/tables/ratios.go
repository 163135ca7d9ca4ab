package main

import (
	"fmt"
	"io"
	"slices"
)

// A comparison is the budget for the cost of one of our cases.
type comparison struct {
	ours   string
	floor  string  // empty: the budget is in nanoseconds
	budget float64 // a multiple of the floor, or nanoseconds
	added  bool    // the budget is in nanoseconds more than the floor
	hoped  bool    // the budget is a goal beyond the one that must be met
	set    string  // comparisons whose middle one has a budget of its own, see sets
}

const literals = "queries with a literal"

// sets are the budgets of the median of several comparisons.
var sets = map[string]float64{literals: 1.3}

var comparisons = []comparison{
	{ours: "One/pegboard", floor: "One/floor-v5-full", budget: 1.3},
	{ours: "One/pegboard", floor: "One/eino-toolsnode", budget: 1, hoped: true},
	{ours: "Batch128/pegboard-limit10", floor: "Batch128/floor-limit10", budget: 1.05},
	{ours: "Batch128/pegboard-limit128", floor: "Batch128/floor-goroutines", budget: 1.4},
	{ours: "Export100/pegboard", floor: "Export100/floor-cached-bytes", budget: 1.5},
	{ours: "Lookup1000/pegboard-name", floor: "Lookup1000/floor-map", budget: 2},
	{ours: "Lookup1000/pegboard-alias", floor: "Lookup1000/floor-map", budget: 2},
	{ours: "FiveCommands/pegboard-1000rules", floor: "FiveCommands/floor-parse", budget: 4},
	{ours: "FiveCommands/pegboard-100rules", floor: "FiveCommands/floor-parse", budget: 4},
	{ours: "FiveCommands/pegboard-10rules", floor: "FiveCommands/floor-parse", budget: 4},
	{ours: "Search/pegboard-literal", floor: "Search/floor-rg-literal", budget: 1.6, set: literals},
	{ours: "Search/pegboard-literal-in-regex", floor: "Search/floor-rg-literal-in-regex", budget: 1.6, set: literals},
	{ours: "Search/pegboard-literal-any-case", floor: "Search/floor-rg-literal-any-case", budget: 1.6, set: literals},
	{ours: "Search/pegboard-literal-files", floor: "Search/floor-rg-literal-files", budget: 1.6, set: literals},
	{ours: "Search/pegboard-literal-counts", floor: "Search/floor-rg-literal-counts", budget: 1.6, set: literals},
	{ours: "Search/pegboard-literal-nowhere", floor: "Search/floor-rg-literal-nowhere", budget: 1.6, set: literals},
	{ours: "Search/pegboard-no-literal", floor: "Search/floor-rg-no-literal", budget: 2.5},
	{ours: "Search/pegboard-multiline", floor: "Search/floor-rg-multiline", budget: 0.4},
	{ours: "Search/pegboard-names", floor: "Search/floor-rg-names", budget: 0.8},
	{ours: "ReadHuge/pegboard", floor: "ReadHuge/floor-head", budget: 5},
	{ours: "Print1GiB/pegboard", floor: "Print1GiB/floor-file", budget: 1 / 0.7},
	{ours: "Store1GiB/pegboard-all", floor: "Store1GiB/floor-all", budget: 1 / 0.7},
	{ours: "Store1GiB/pegboard-64MiB", floor: "Store1GiB/floor-64MiB", budget: 1 / 0.7},
	{ours: "Hooks/command/pegboard", floor: "Hooks/command/floor-process", budget: 0.5e6, added: true},
	{ours: "Hooks/none/pegboard", floor: "Hooks/none/floor-nohooks", budget: 5e3, added: true},
	{ours: "Hooks/if/pegboard-one", floor: "Hooks/if/floor-nohooks", budget: 8e3, added: true}, // for parsing the line
	{ours: "Agent/pegboard", floor: "Agent/floor-fork", budget: 1.5},
	{ours: "Tasks/pegboard", floor: "Tasks/floor-replace", budget: 2},
	{ours: "MCP/pegboard", floor: "MCP/floor-gosdk", budget: 60e3, added: true},
	{ours: "MCP200/pegboard", floor: "MCP200/floor-gosdk", budget: 1.5},
	{ours: "MCP200/pegboard-in-order", floor: "MCP200/floor-gosdk-in-order", budget: 1.5},
	{ours: "Servers8/pegboard", floor: "Servers8/floor-gosdk", budget: 1.3},
	{ours: "Servers8/pegboard", floor: "Servers8/floor-slowest", budget: 1.3, hoped: true},
	{ours: "Code/pegboard", floor: "Code/floor-exchange", budget: 1.2},
	{ours: "Code100/pegboard", floor: "Code100/floor-exchange", budget: 1.2},
	{ours: "Find10000/pegboard-build", budget: 400e6},
	{ours: "Find10000/pegboard-build", budget: 250e6, hoped: true},
	{ours: "Find10000/pegboard-sentence", budget: 0.5e6},
	{ours: "Find10000/pegboard-sentence", budget: 0.15e6, hoped: true},
	{ours: "Find10000/pegboard-sentence-p99", budget: 3e6},
	{ours: "Find10000/pegboard-sentence-p99", budget: 1e6, hoped: true},
	{ours: "Find10000/pegboard-words-p99", budget: 0.5e6},
	{ours: "Assemble1050/pegboard-cold", budget: 2e6},
	{ours: "Assemble1050/pegboard-changed", budget: 0.2e6},
	{ours: "Settings200/pegboard-load", budget: 50e6},
	{ours: "Settings200/pegboard-reload", budget: 1e6},
	{ours: "Web/pegboard", floor: "Web/floor-conversion", budget: 1.3},
	{ours: "Web/pegboard-cached", budget: 1e6},
}

// spread sums up the ratios, or the times, of all passes.
type spread struct {
	median, lowest, highest float64
	best                    float64 // of the two fastest passes
}

// measure compares pass by pass, so that noise that lasts falls on both sides.
// It is false if one of the two was not measured in every pass.
func (c comparison) measure(r results) (spread, bool) {
	ours, floor := r.times(c.ours), r.times(c.floor)
	if c.floor == "" {
		floor = slices.Repeat([]float64{1}, len(ours))
	}
	if len(ours) == 0 || len(ours) != len(floor) {
		return spread{}, false
	}
	best := c.cost(slices.Min(ours), slices.Min(floor))
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = c.cost(ours[i], floor[i])
	}
	return spread{median(ratios), slices.Min(ratios), slices.Max(ratios), best}, true
}

// cost returns the cost of ours beside the floor.
func (c comparison) cost(ours, floor float64) float64 {
	if c.added {
		return ours - floor
	}
	return ours / floor
}

// verdict says how the median stands to the budget.
func (c comparison) verdict(median float64) string {
	switch {
	case median <= c.budget:
		return "met"
	case c.hoped:
		return "not yet"
	}
	return "missed"
}

// show prints a ratio, or milliseconds.
func (c comparison) show(v float64) string {
	if c.floor == "" || c.added {
		return fmt.Sprintf("%.3f ms", v/1e6)
	}
	return fmt.Sprintf("%.2f", v)
}

// writeRatios writes a row for each comparison that was measured.
func writeRatios(w io.Writer, r results, all []comparison) {
	const row = "%-30s %-28s %9s %9s %9s %9s %9s  %s\n"
	p := printer{w}
	p.printf("\n"+row, "ours", "floor", "median", "lowest", "highest", "min/min", "budget", "")
	together := map[string][]float64{}
	for _, c := range all {
		s, ok := c.measure(r)
		if !ok {
			continue
		}
		if c.set != "" {
			together[c.set] = append(together[c.set], s.median)
		}
		p.printf(row, c.ours, c.floor, c.show(s.median), c.show(s.lowest), c.show(s.highest), c.show(s.best), c.show(c.budget), c.verdict(s.median))
	}
	for set, medians := range together {
		c := comparison{ours: set, floor: "their median", budget: sets[set]}
		m := median(medians)
		p.printf(row, c.ours, c.floor, c.show(m), c.show(slices.Min(medians)), c.show(slices.Max(medians)), "", c.show(c.budget), c.verdict(m))
	}
}
