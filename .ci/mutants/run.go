package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// options are those of the command line.
type options struct {
	number  int
	seed    uint64
	of      string
	one     int
	jobs    int
	atLeast float64
}

// A report is the outcome for each mutant that was tried.
type report struct {
	all, alive []mutant
}

// try runs the tests with each of the chosen mutants.
func (o options) try(ctx context.Context, b *build) (*report, error) {
	chosen := o.choose(b.mutants)
	if len(chosen) == 0 {
		return nil, errors.New("no such mutant")
	}
	runners := map[string]*runner{}
	for _, m := range chosen {
		if runners[m.subject] != nil {
			continue
		}
		r, err := newRunner(ctx, b, m.subject)
		if err != nil {
			return nil, err
		}
		runners[m.subject] = r
	}
	if o.one != 0 {
		runners[chosen[0].subject].output = os.Stdout
	}
	alive, err := each(o.jobs, chosen, func(m mutant) (bool, error) { return runners[m.subject].survives(ctx, m) })
	return &report{all: chosen, alive: alive}, err
}

// choose returns the mutants to try, in their order.
func (o options) choose(all []mutant) []mutant {
	all = slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return o.of != "" && m.subject != o.of || o.one != 0 && m.number != o.one
	})
	if o.number == 0 || o.number >= len(all) {
		return all
	}
	random := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // the sample is to be the same in each run
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:o.number]
	slices.SortFunc(all, func(a, b mutant) int { return a.number - b.number })
	return all
}

// each calls f for all mutants, jobs of them at once, and returns those for which it is true.
func each(jobs int, all []mutant, f func(mutant) (bool, error)) ([]mutant, error) {
	var group sync.WaitGroup
	next, results, errs := make(chan int), make([]bool, len(all)), make([]error, len(all))
	for range max(jobs, 1) {
		group.Go(func() {
			for i := range next {
				results[i], errs[i] = f(all[i])
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	group.Wait()
	var found []mutant
	for i, m := range all {
		if results[i] {
			found = append(found, m)
		}
	}
	return found, errors.Join(errs...)
}

// A runner runs the tests of one subject.
type runner struct {
	build   *build
	stages  []stage
	limits  []time.Duration // of the stages
	reached map[int]bool
	output  io.Writer // of the tests; nil if it is not wanted
}

// newRunner runs the tests without a mutant, which tells how long they take and what they
// reach.
func newRunner(ctx context.Context, b *build, name string) (*runner, error) {
	r := &runner{build: b, reached: map[int]bool{}}
	for _, s := range subjects {
		if s.name == name {
			r.stages = s.stages
		}
	}
	log := filepath.Join(b.folder, "reached-"+name)
	for _, s := range r.stages {
		var output bytes.Buffer
		begun := time.Now()
		if err := r.test(ctx, s, 10*time.Minute, &output, chosen+"=0"); err != nil {
			return nil, fmt.Errorf("without a mutant the tests of %s fail: %w\n%s", s.folder, err, output.Bytes())
		}
		const patience, more = 10, 10 * time.Second
		r.limits = append(r.limits, patience*time.Since(begun)+more)
		// Writing the log allocates, which some tests notice: such a run goes on when one fails.
		_ = r.test(ctx, s, 10*time.Minute, nil, chosen+"=0", reach+"="+log)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		number, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		r.reached[number] = true
	}
	return r, nil
}

// test runs the tests of a stage. It returns an [exec.ExitError] if they fail.
func (r *runner) test(ctx context.Context, s stage, limit time.Duration, output io.Writer, variables ...string) error {
	const grace = 5 * time.Second // in which a test program prints where it hangs
	ctx, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	// A mutant may make a loop endless that takes memory.
	const kibibytes = "8000000"
	run, err := s.run()
	if err != nil {
		return err
	}
	logs := slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, reach+"=") })
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v `+kibibytes+`; exec "$0" "$@"`, r.build.programs[s.folder],
		"-test.run="+run, "-test.skip="+s.skip, "-test.failfast="+strconv.FormatBool(!logs), "-test.timeout="+limit.String())
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.folder, output, output
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), append([]string{fmt.Sprintf("PEGBOARD_EFFORT=%d", max(s.effort, 1))}, variables...)...)
	return cmd.Run()
}

// survives reports whether all tests pass with the mutant.
func (r *runner) survives(ctx context.Context, m mutant) (bool, error) {
	if !r.reached[m.number] {
		return true, ctx.Err()
	}
	for i, s := range r.stages {
		if r.test(ctx, s, r.limits[i], r.output, chosen+"="+strconv.Itoa(m.number)) != nil {
			return false, ctx.Err()
		}
	}
	return true, ctx.Err()
}

// print writes what was found, and returns an error if too few were killed.
func (r *report) print(w io.Writer, atLeast float64) error {
	count := func(list []mutant, subject string) int {
		n := 0
		for _, m := range list {
			if m.subject == subject {
				n++
			}
		}
		return n
	}
	for _, m := range r.alive {
		_, _ = fmt.Fprintf(w, "alive: %s: %s (-one %d)\n", m.at, m.change, m.number)
	}
	for _, s := range subjects {
		if n := count(r.all, s.name); n > 0 {
			_, _ = fmt.Fprintf(w, "%s: %d of %d mutants killed\n", s.name, n-count(r.alive, s.name), n)
		}
	}
	killed := len(r.all) - len(r.alive)
	percent := 100 * float64(killed) / float64(len(r.all))
	_, _ = fmt.Fprintf(w, "together: %d of %d mutants killed, %.1f %%\n", killed, len(r.all), percent)
	if percent < atLeast {
		return fmt.Errorf("fewer than %g %% are killed", atLeast)
	}
	return nil
}
