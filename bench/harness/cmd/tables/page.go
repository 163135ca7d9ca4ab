package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A section of the page is one table, or the reason why it was not measured.
type section struct {
	title string
	group string // the first element of the names of its cases
	about string
	ours  string // the case that the others are compared with; empty: each case has a floor of its own
	needs string // the programs and variables without which it is not measured
}

// sections are the tables of the page, in its order.
var sections = []section{
	{title: "One", group: "One", ours: "One/pegboard", about: "One call of a tool that does nothing, with a typed input of three fields: from JSON bytes to the result as the caller gets it."},
	{title: "Batch", group: "Batch128", ours: "Batch128/pegboard-limit128", about: "One turn of 128 calls of a tool that sleeps 1 ms."},
	{title: "Export", group: "Export100", ours: "Export100/pegboard", about: "100 definitions to the JSON of a request."},
	{title: "Assemble", group: "Assemble1050", about: "The pool of 50 built-in tools and 50 servers of 20 tools, under 100 rules."},
	{title: "Decide", group: "FiveCommands", about: "The decision on a command line of five commands, from the bytes of the call to allow or ask."},
	{title: "Search", group: "Find10000", needs: "PEGBOARD_CORPUS", about: "The search among 10,000 tools. The times of queries are the 50th and the 99th percentile."},
	{title: "Grep", group: "Search", needs: "rg and PEGBOARD_SEARCH_TREE", about: "Grep and Glob over a tree of some hundred megabytes with nested ignore files, through the executor, beside ripgrep and the start of its process."},
	{title: "Store", group: "Store1GiB", about: "What a command prints, 1 GiB, into the store of results, beside what a shell does with the same."},
	{title: "Agent", group: "Agent", about: "One call of the Agent tool whose loop returns at once, over 1,050 tools."},
}

// writePage writes the facts about the run and a table for each section. It fails if a
// case has no note.
func writePage(w io.Writer, r results) error {
	if missing := withoutNote(r); len(missing) > 0 {
		return fmt.Errorf("no note says what these cases check, add it to notes.go: %s", strings.Join(missing, ", "))
	}
	p := printer{w}
	p.printf("# Benchmarks\n\n")
	p.printf("Written by `bench/run -table`; do not edit. Only ratios say something about another machine: each is taken within one pass, and the table has the median of all passes.\n")
	p.printf("The load average says how quiet the machine was: above the half of the cores, times are too long and some ratios, too. The cases do not do the same work. What a case checks and what it lacks stands in its row; [bench/README.md](../bench/README.md) says what one operation is.\n\n")
	writeFacts(p, r)
	for _, s := range sections {
		p.printf("\n## %s\n\n%s\n\n", s.title, s.about)
		names := s.names(r)
		switch {
		case len(names) == 0:
			p.printf("Not measured: the run had no %s.\n", cmp.Or(s.needs, "case of this group"))
		case s.ours == "":
			writeOwn(p, r, names)
		default:
			writePeers(p, r, names, s)
		}
	}
	return nil
}

// facts are the lines about the run, by the key that they have in the output.
var facts = []struct{ key, title string }{
	{"cpu", "processor"},
	{"cores", "cores"},
	{"goos", "system"},
	{"go", "Go"},
	{"date", "date"},
	{"commit", "commit"},
	{"passes", "passes, and time for each case in a pass"},
	{"load", "load average before and after (1 min)"},
	{"module", "peers and libraries of floors"},
}

func writeFacts(p printer, r results) {
	p.printf("| | |\n|---|---|\n")
	for _, f := range facts {
		if values := r.facts[f.key]; len(values) > 0 {
			p.printf("| %s | %s |\n", f.title, cell(strings.Join(values, ", ")))
		}
	}
}

// names returns the cases of a section, the fastest first where they are set beside each
// other.
func (s section) names(r results) []string {
	var names []string
	for _, name := range r.names {
		if group, _, _ := strings.Cut(name, "/"); group == s.group {
			names = append(names, name)
		}
	}
	if s.ours != "" {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(median(r.times(a)), median(r.times(b))) })
	}
	return names
}

// writePeers writes a row for each case, beside ours. The columns for checks and lacks are left
// out if our case has its note in notes.
func writePeers(p printer, r results, names []string, s section) {
	_, encodes := notes[s.ours]
	p.printf("| case | median | beside %s | B/op | allocs/op |", bare(s.ours))
	if encodes {
		p.printf(" what is measured |\n|---|--:|--:|--:|--:|---|\n")
	} else {
		p.printf(" checks before the tool runs | lacks | on its path |\n|---|--:|--:|--:|--:|---|---|---|\n")
	}
	for _, name := range names {
		n := noteOf(r, name)
		c := comparison{ours: name, floor: s.ours}
		p.printf("| %s | %s | %s | %s | %s |", name, duration(median(r.times(name))), c.middle(r), short(r.middle(name, "B/op")), short(r.middle(name, "allocs/op")))
		if !encodes {
			p.printf(" %s | %s |", cell(n.validates), cell(n.lacks))
		}
		p.printf(" %s |\n", cell(n.path))
	}
}

// writeOwn writes a row for each of our cases, beside its floor and its budget.
func writeOwn(p printer, r results, names []string) {
	p.printf("| case | median | floor | its median | ratio | budget | what is measured and checked |\n|---|--:|---|--:|--:|--:|---|\n")
	for _, name := range names {
		if strings.Contains(name, "/floor-") {
			continue
		}
		floor, beside, ratio, budget := "–", "–", "–", "–"
		if i := slices.IndexFunc(comparisons, func(c comparison) bool { return c.ours == name && !c.hoped }); i >= 0 {
			c := comparisons[i]
			budget = c.show(c.budget)
			if c.floor != "" {
				floor, beside, ratio = bare(c.floor), duration(median(r.times(c.floor))), c.middle(r)
			}
		}
		p.printf("| %s | %s | %s | %s | %s | %s | %s |\n", name, duration(median(r.times(name))), floor, beside, ratio, budget, cell(noteOf(r, name).path))
	}
}

// middle prints the median of the ratios of all passes.
func (c comparison) middle(r results) string {
	s, ok := c.measure(r)
	if !ok {
		return "–"
	}
	return c.show(s.median)
}

// noteOf returns the note of a case: the one in notes, or else the one that the case printed.
func noteOf(r results, name string) note {
	if path, ok := notes[name]; ok {
		return note{validates: "-", lacks: "-", path: path}
	}
	n := r.notes[bare(name)]
	if strings.HasPrefix(bare(name), "floor-") {
		n.lacks = "everything else"
	}
	return n
}

// withoutNote returns the cases of the page that need a note and lack it.
func withoutNote(r results) []string {
	var missing []string
	for _, s := range sections {
		for _, name := range s.names(r) {
			own := s.ours == "" && strings.Contains(name, "/floor-") // stands in the row of ours
			if !own && noteOf(r, name).path == "" {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

func bare(name string) string { return name[strings.IndexByte(name, '/')+1:] }

// cell returns text that does not end the cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// duration prints nanoseconds in the unit that a person would use, with three digits.
func duration(ns float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.size {
			return fmt.Sprintf("%.3g %s", ns/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f ns", ns)
}
