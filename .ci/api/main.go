// Command api prints the exported API of this module, one line for each symbol, in the
// form of the files in the api folder of Go itself, but type and value of a constant
// stand in one line. Comments, the order of declarations
// and the names of parameters are no part of it, and neither is the system that it runs
// on: it always describes linux/amd64.
//
//	go run ./.ci/api > api.txt
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
}

func run() error {
	packages, err := load()
	if err != nil {
		return err
	}
	var all []string
	for _, p := range packages {
		all = append(all, lines(p)...)
	}
	slices.Sort(all)
	_, err = os.Stdout.WriteString(strings.Join(slices.Compact(all), "\n") + "\n")
	return err
}
