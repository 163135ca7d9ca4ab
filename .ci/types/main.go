// Command types type-checks all packages of the module in the current folder, tests
// included, for other systems, from their sources: a go vet for one of them compiles the
// standard library and everything else that is imported first.
//
//	go run ./.ci/types windows/amd64 linux/386
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	failed := false
	for _, target := range os.Args[1:] {
		system, architecture, ok := strings.Cut(target, "/")
		if !ok {
			fmt.Fprintf(os.Stderr, "types: %q is not of the form linux/386\n", target)
			os.Exit(2)
		}
		problems, checked, err := check(".", system, architecture)
		if err != nil {
			fmt.Fprintln(os.Stderr, "types:", err)
			os.Exit(1)
		}
		for _, p := range problems {
			fmt.Fprintf(os.Stderr, "%s: %v\n", target, p)
		}
		fmt.Printf("%s: %d packages of the module, %d problems\n", target, checked, len(problems))
		failed = failed || len(problems) > 0
	}
	if failed {
		os.Exit(1)
	}
}
