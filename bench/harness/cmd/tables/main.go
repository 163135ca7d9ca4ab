// Tables reads the output of go test -bench, several passes of it, on standard
// input and prints two tables: the median of every metric of every benchmark,
// and the costs of pegboard's cases beside those of their floors.
//
// With -page it prints docs/benchmarks.md instead. It then wants the notes of the cases,
// as go test -v -run TestDescribe prints them, and the facts about the run, a line
// such as "date: 2026-11-24" for each.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

func main() {
	page := flag.Bool("page", false, "print docs/benchmarks.md")
	flag.Parse()
	if err := run(*page); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(page bool) error {
	r, err := readResults(os.Stdin)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	if page {
		if err := writePage(out, r); err != nil {
			return err
		}
	} else {
		writeMedians(out, r)
		writeRatios(out, r, comparisons)
	}
	return out.Flush()
}
