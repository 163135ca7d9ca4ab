// Tables reads the output of go test -bench, several passes of it, on standard
// input and prints two tables: the median of every metric of every benchmark,
// and what pegboard's cases cost beside their floors.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	r, err := readResults(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := bufio.NewWriter(os.Stdout)
	writeMedians(out, r)
	writeRatios(out, r, comparisons)
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
