package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// errTooLong is the cause that ends a command which took too long.
var errTooLong = errors.New("the command took too long")

// run runs the command of one call and words its end.
func run(ctx context.Context, table *proc.Table, o Options, in input, c *pegboard.Call) (Output, error) {
	limit := o.Timeout
	if in.Timeout > 0 {
		limit = min(time.Duration(in.Timeout)*time.Millisecond, o.MaxTimeout)
	}
	timed, cancel := context.WithTimeoutCause(ctx, limit, errTooLong)
	defer cancel()
	exit, err := table.Run(timed, proc.Command{
		Args:   append(append([]string(nil), o.Shell...), operand(in.Command)),
		Dir:    c.Session().Dir(),
		Env:    environment(o, c),
		Keep:   DefaultOutput,
		Drain:  time.Second, // with the process's own grace less than the executor's
		Output: (&lines{emit: c.Emit}).write,
	})
	if err != nil {
		return Output{}, fmt.Errorf("the shell could not be started: %w", err)
	}
	out := Output{ExitCode: exit.Code, Elapsed: exit.Elapsed}
	var notes []string
	switch {
	case errors.Is(exit.Err, errTooLong):
		out.TimedOutAfter, out.failed = limit, true
		notes = append(notes, fmt.Sprintf("The command was ended because it took longer than %v. "+
			"Ask for more time with timeout, or do less at once.", limit))
	case exit.Err != nil:
		out.Interrupted, out.failed = true, true
		notes = append(notes, "The command was ended before it finished: the call was cancelled.")
	case exit.Signal != "":
		out.failed = true
		notes = append(notes, "The command was ended by a signal: "+exit.Signal+".")
	case exit.Code != 0:
		out.failed = true
		notes = append(notes, fmt.Sprintf("Exit code %d.", exit.Code))
	}
	if exit.Lingering {
		notes = append(notes, "A process that the command left behind kept the output open; what it printed later is not shown.")
	}
	kept := exit.Output
	if out.failed {
		kept = kept.Shrink(DefaultFailure)
	}
	if out.Omitted = kept.Omitted; !out.failed && out.Omitted == 0 {
		out.printed = slices.Concat(kept.Head, kept.Tail)
	}
	out.Stdout = strings.TrimRight(kept.Text(), "\n")
	out.text = strings.Join(append(notes, out.Stdout), "\n")
	return out, nil
}

// operand returns a line that the shell cannot take for one of its options.
func operand(line string) string {
	if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
		return " " + line
	}
	return line
}

// environment is what a command runs in: without CDPATH, which would lead cd
// elsewhere than the parser thinks. One that was decided as read-only gets what
// keeps git from writing, asking and connecting, and finds no program of the
// project in the place of a system's.
func environment(o Options, c *pegboard.Call) []string {
	env := o.Env
	if env == nil {
		env = proc.Quiet(os.Environ())
	}
	env = append(slices.Clip(env), "CDPATH=")
	if c.ReadOnly() {
		env = append(env, gitrepo.Neutral()...)
		env = append(env, "PATH="+trusted(lookup(env, "PATH"), c.Session().Dir()))
	}
	return env
}

func lookup(env []string, name string) (value string) {
	for _, pair := range env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v
		}
	}
	return value
}

// trusted returns path without what lies in the working directory, where a program
// could be called like one that only reads.
func trusted(path, dir string) string {
	var kept []string
	for _, entry := range filepath.SplitList(path) {
		if rel, err := filepath.Rel(dir, entry); filepath.IsAbs(entry) && (err != nil || !filepath.IsLocal(rel)) {
			kept = append(kept, entry)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
