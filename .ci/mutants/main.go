// Command mutants reports how many small faults in the code of decisions and of order the
// tests find.
//
// It makes all faults, the mutants, in one build of each test program, by an overlay: the
// checkout is not written to. An environment variable turns one of them on. A mutant is
// killed when a test fails with it, ends it or does not end; one that no test reaches
// counts as alive. Tools that compile the package for each mutant take hours here.
//
//	go run ./.ci/mutants                  a sample of 60
//	go run ./.ci/mutants -n 0             all of them
//	go run ./.ci/mutants -n 0 -of lane    those of one subject
//	go run ./.ci/mutants -one 1234        one, with what the tests print
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o options
	flag.IntVar(&o.number, "n", 60, "how many mutants to try; 0 means all")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the sample")
	flag.StringVar(&o.of, "of", "", "the one subject to try: "+subjectNames())
	flag.IntVar(&o.one, "one", 0, "the number of the one mutant to try")
	flag.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "how many test programs run at once")
	flag.Float64Var(&o.atLeast, "atleast", 85, "the percentage that must be killed")
	flag.Parse()
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	b, err := newBuild(ctx, folder, o.of)
	if err != nil {
		return err
	}
	report, err := o.try(ctx, b)
	if err != nil {
		return err
	}
	return report.print(os.Stdout, o.atLeast)
}
