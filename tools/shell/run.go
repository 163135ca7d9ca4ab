package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// errTooLong is the cause that ends a command which took too long.
var errTooLong = errors.New("the command took too long")

// A runner is what one tool runs its commands with.
type runner struct {
	name      string // of the tool
	options   Options
	inspector inspector
	table     *proc.Table // each process in it ends with its call, or with its task
}

func newRunner(name string, o Options, i inspector) *runner {
	i.carries, i.parser = !o.FixedDir, new(shellparse.Parser)
	return &runner{name: name, options: o, inspector: i, table: &proc.Table{}}
}

// tool returns the tool. The model is told prompt.
func (r *runner) tool(prompt string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[input, Output]{
		Info:        pegboard.Info{Name: r.name, MaxResult: -1, CancelsSiblings: true}, // output has its own limits, and its own preview
		Description: prompt,
		Inspect:     r.inspector.inspect,
		Validate:    r.validate,
		Permit:      r.permit,
		Call:        r.call,
		Result: func(out Output) *pegboard.Result {
			res := pegboard.TextResult(out.text())
			res.IsError, res.Data, res.Parts[0].Ref = out.failed, out, out.ref
			return res
		},
	})
}

func (r *runner) validate(ctx context.Context, in input, c *pegboard.Call) error {
	if in.Background && r.options.NoBackground {
		return errors.New("nothing runs in the background here; send it without run_in_background, with a timeout that is long enough")
	}
	return validate(ctx, in, c)
}

// permit refuses what nobody may allow, and has a call decided anew that was
// inspected for another directory than it would run in by now.
func (r *runner) permit(_ context.Context, in input, c *pegboard.Call) pegboard.Decision {
	s := c.Session()
	if s == nil {
		return pegboard.Decision{}
	}
	if r.inspector.carries && placeOf(s).confirm(s) != decidedDir(c) {
		return pegboard.Decision{Input: respelt(c.Input)}
	}
	if r.inspector.shell != shellparse.PowerShell { // which alone has such commands
		return pegboard.Decision{}
	}
	line := r.inspector.parse(in, c)
	for i := range line.Commands {
		if why := line.Commands[i].DenyReason; why != "" {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: why}
		}
	}
	return pegboard.Decision{}
}

func (r *runner) call(ctx context.Context, in input, c *pegboard.Call) (Output, error) {
	if c.Session() == nil {
		return Output{}, fmt.Errorf("%w: %s runs in a session only; give the call to an Executor", pegboard.ErrDenied, r.name)
	}
	view := r.inspector.beginViewing(in, c)
	k, err := r.start(ctx, in, c)
	if err != nil {
		return Output{}, err
	}
	out, err := k.attend(ctx)
	view.note(c, out.printed)
	return out, err
}

// A command is one that runs, or ran.
type command struct {
	*runner
	in      input
	call    *pegboard.Call // until its Call returns
	session *pegboard.Session
	tasks   *background.Tasks
	line    shellparse.Line
	dir     string // where it started
	ended   string // the file that says where it ended; empty if that does not matter
	file    string // where its output goes; empty if there is no place for it
	fileErr error  // why there is none
	limit   time.Duration
	printed *lines
	process *proc.Process
	begun   time.Time
}

// start starts a command, which then outlives ctx.
func (r *runner) start(ctx context.Context, in input, c *pegboard.Call) (*command, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := c.Session()
	k := &command{
		runner: r, in: in, call: c, session: s, tasks: background.Of(s), line: r.inspector.parse(in, c),
		dir: r.inspector.dir(c), limit: r.options.limit(in), printed: &lines{emit: c.Emit}, begun: time.Now(),
	}
	k.file, k.fileErr = k.tasks.NewFile(r.name)
	if k.file != "" && r.records(s, in.Command, &k.line) {
		k.ended = k.file + ".dir"
	}
	var err error
	k.process, err = r.table.Start(context.WithoutCancel(ctx), proc.Command{
		Args:      r.args(in.Command, k.ended),
		Dir:       k.dir,
		Env:       environment(r.options, c),
		Keep:      DefaultOutput,
		Drain:     time.Second, // with the process's own grace less than the executor's
		File:      k.file,
		MaxFile:   MaxStored,
		MaxOutput: r.options.MaxOutput,
		Output:    k.printed.write,
	})
	if err != nil {
		return nil, fmt.Errorf("the shell could not be started: %w", err)
	}
	return k, nil
}

// limit is how long a command may take.
func (o Options) limit(in input) time.Duration {
	limit, most := o.Timeout, o.MaxTimeout
	if in.Background {
		limit, most = o.BackgroundTimeout, o.MaxBackgroundTimeout
	}
	if in.Timeout > 0 {
		limit = milliseconds(in.Timeout, most)
	}
	return limit
}

// attend waits until the command has ended or goes on in the background.
func (k *command) attend(ctx context.Context) (Output, error) {
	defer k.printed.stop() // nothing is emitted once the call has returned
	patience := k.limit
	if k.in.Background {
		patience = startWait
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	quiet := newSilence(k)
	defer quiet.timer.Stop()
	for {
		select {
		case <-k.process.Done():
			return k.finish(ctx, ""), nil
		case <-ctx.Done():
			k.process.Stop(context.Cause(ctx))
			return k.finish(ctx, ""), nil
		case <-limit.C:
			if ctx.Err() == nil { // both may have come
				return k.late(ctx)
			}
		case <-quiet.timer.C:
			quiet.tell()
		}
	}
}

// late is what becomes of a command whose time in the foreground is over.
func (k *command) late(ctx context.Context) (Output, error) {
	if k.in.Background {
		out, err := k.moveOn(k.limit)
		if err != nil {
			k.discard(err)
		}
		return out, err
	}
	reason := k.whyStaying()
	if reason == "" {
		out, err := k.moveOn(k.options.BackgroundTimeout)
		if err == nil {
			return out, nil
		}
		reason = "it could not be moved to the background: " + err.Error()
	}
	k.process.Stop(errTooLong)
	return k.finish(ctx, reason), nil
}

// discard ends a command of which nothing is shown.
func (k *command) discard(cause error) {
	k.process.Stop(cause)
	k.process.Exit()
	k.remove(k.file)
	k.remove(k.ended)
}

// remove removes a file that is of no more use. One that stays is removed with the
// directory that it is in.
func (k *command) remove(file string) {
	if file != "" {
		_ = os.Remove(file)
	}
}

// finish waits for the end of a command that was in the foreground until then.
func (k *command) finish(ctx context.Context, staying string) Output {
	exit := k.process.Exit()
	out := k.output(ctx, exit, staying)
	if out.PersistedOutputPath != k.file && out.RawOutputPath != k.file {
		k.remove(k.file)
	}
	if k.ended != "" {
		if exit.Err == nil {
			out.note(k.carryOn())
		}
		k.remove(k.ended)
	}
	if note := placeOf(k.session).lost(); note != "" && k.inspector.carries {
		out.note(note)
	}
	return out
}

// A silence notices that a command prints nothing.
type silence struct {
	command *command
	timer   *time.Timer
	told    time.Time // the last output before the silence that was told
}

func newSilence(k *command) *silence {
	q := &silence{command: k, timer: time.NewTimer(k.options.Silence)}
	if k.options.Silence < 0 {
		q.timer.Stop()
	}
	return q
}

// tell tells of a silence that is long enough, once.
func (q *silence) tell() {
	most, last := q.command.options.Silence, q.command.process.LastOutput()
	left := time.Until(last.Add(most))
	if left <= 0 && !last.Equal(q.told) {
		q.told = last
		q.command.call.Emit(fmt.Sprintf("No output for %v; the command still runs.", most))
	}
	if left <= 0 {
		left = most
	}
	q.timer.Reset(left)
}
