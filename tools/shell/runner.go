package shell

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/internal/writes"
)

// A runner runs the commands of one tool.
type runner struct {
	name      string // of the tool
	options   Options
	inspector inspector
	table     *proc.Table // a process in it ends with its call or its background task
	lastPath  atomic.Pointer[searchPath]
}

func newRunner(name string, o Options, i inspector) *runner {
	i.carriesDir, i.parser = !o.FixedDir, new(shellparse.Parser)
	r := &runner{name: name, options: o, inspector: i, table: &proc.Table{}}
	r.inspector.searchPath, r.inspector.isExported = r.searchPath, r.isExported
	return r
}

// tool returns the tool. about is its description for people, prompt the one for the
// model.
func (r *runner) tool(about string, prompt func(pegboard.Scope) string) pegboard.Tool {
	if r.options.Sandbox != nil && !r.options.SandboxOnly {
		return buildCommandTool(r, about, prompt, sandboxedInput.command)
	}
	return buildCommandTool(r, about, prompt, func(in commandInput) commandInput { return in })
}

// buildCommandTool returns the tool for an input that holds a commandInput.
func buildCommandTool[In any](r *runner, about string, prompt func(pegboard.Scope) string, command func(In) commandInput) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[In, Output]{
		Info:        pegboard.Info{Name: r.name, Title: r.name, MaxResult: -1, CancelsSiblings: true}, // the tool limits its output and makes the preview itself
		Description: about,
		Prompt:      prompt,
		Inspect:     func(in In, c *pegboard.Call) pegboard.Traits { return r.inspect(command(in), c) },
		Lines:       func(in In, c *pegboard.Call) pegboard.Lines { return command(in).lines(c) },
		Validate: func(ctx context.Context, in In, c *pegboard.Call) error {
			return r.validate(ctx, command(in), c)
		},
		Permit: func(ctx context.Context, in In, c *pegboard.Call) pegboard.Decision {
			return r.permit(ctx, command(in), c)
		},
		ClassifierInput: func(in In, _ *pegboard.Call) string { return command(in).Command },
		Call: func(ctx context.Context, in In, c *pegboard.Call) (Output, error) {
			return r.call(ctx, command(in), c)
		},
		Result: func(out Output) *pegboard.Result {
			res := pegboard.TextResult(out.text())
			res.IsError, res.Data, res.Parts[0].Ref, res.Line = out.failed, out, out.ref, out.line()
			res.Value = out.value
			return res
		},
	})
}

func (r *runner) validate(ctx context.Context, in commandInput, c *pegboard.Call) error {
	if in.Background && r.options.NoBackground {
		return errors.New("nothing runs in the background here; send it without run_in_background, with a timeout that is long enough")
	}
	if n, limit := len(in.Command), r.maxLine(runtime.GOOS); n > limit {
		return fmt.Errorf("the command has %d bytes, and no more than %d can be started here; write it to a script in a file and run that", n, limit)
	}
	if s := c.Session(); s != nil && in.outside {
		if why := r.whyNotOutside(s); why != "" {
			return fmt.Errorf("it cannot leave the sandbox: %s", why)
		}
	}
	if err := validateInput(ctx, in, c); err != nil || c.Session() == nil || !mayOpenEditor(in.Command) {
		return err
	}
	line := r.inspector.parse(in, c)
	return checkEditors(&line)
}

// permit denies the commands that no rule and no user may allow. If the start
// directory has changed since the call was inspected, it makes the executor inspect
// the call again.
func (r *runner) permit(_ context.Context, in commandInput, c *pegboard.Call) pegboard.Decision {
	s := c.Session()
	if s == nil {
		return pegboard.Decision{}
	}
	if r.inspector.carriesDir && startDirOf(s).verify(c) != inspectedDir(c) {
		return pegboard.Decision{Input: respelled(c.Input)}
	}
	if r.inspector.shell != shellparse.PowerShell { // only PowerShell has such commands
		return pegboard.Decision{}
	}
	line := r.inspector.parse(in, c)
	for i := range line.Commands {
		if reason := line.Commands[i].DenyReason; reason != "" {
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: reason}
		}
	}
	return pegboard.Decision{}
}

func (r *runner) call(ctx context.Context, in commandInput, c *pegboard.Call) (Output, error) {
	if _, err := sessionOf(c, r.name); err != nil {
		return Output{}, err
	}
	line := r.inspector.parse(in, c)
	view := newFileView(&line, c)
	if !in.Background { // one that goes on after its call has no turn to end
		unlock, err := writes.Lock(ctx, c)
		if err != nil {
			return Output{}, err
		}
		defer unlock()
	}
	k, err := r.start(ctx, in, c)
	if err != nil {
		return Output{}, err
	}
	out, err := k.waitForeground(ctx)
	if err == nil && out.BackgroundTaskID == "" && ctx.Err() == nil {
		if refusal := k.refusal(k.process.Exit()); refusal != "" {
			out, err = k.leaveSandbox(ctx, out, refusal)
		}
	}
	view.record(c, out.complete)
	return out, err
}

// start starts a command, which does not end with ctx.
func (r *runner) start(ctx context.Context, in commandInput, c *pegboard.Call) (*command, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := c.Session()
	k := &command{
		runner: r, in: in, call: c, session: s, tasks: background.Of(s), line: r.inspector.parse(in, c),
		dir: r.inspector.dir(c), timeout: r.options.timeoutFor(in), started: time.Now(),
	}
	k.captured = &capture{asPrinted: r.options.RawOutput, reporter: &lineReporter{emit: c.Emit}, kept: excerpt.Capture{Keep: MaxShown}}
	k.outputFile, k.outputFileErr = k.tasks.NewFile(r.name)
	if k.outputFile != "" && r.recordsDir(s, in.Command, &k.line) {
		k.dirFile = k.outputFile + ".dir"
	}
	if k.outputFile != "" {
		k.preludeFile = k.outputFile + preludeSuffix
	}
	prelude := r.prelude(ctx, &k.line, c, k.preludeFile)
	args, err := r.args(in.Command, k.dirFile, prelude)
	if err == nil {
		args[0], err = trustedShell(args[0], c.Dirs())
	}
	if err == nil {
		args, err = k.wrap(args, prelude)
	}
	if err != nil {
		k.remove(k.preludeFile)
		k.remove(k.dirFile)
		return nil, fmt.Errorf("the shell could not be started: %w", err)
	}
	k.process, err = r.table.Start(context.WithoutCancel(ctx), proc.Command{
		Args:      args,
		Dir:       k.dir,
		Env:       r.environment(in.Command, &k.line, c),
		Keep:      MaxShown,
		Drain:     time.Second, // less than the executor's grace, also with the grace of the process added
		File:      k.outputFile,
		MaxFile:   k.maxFile(),
		MaxOutput: r.options.MaxOutput,
		Output:    k.captured.write,
	})
	if err != nil {
		k.remove(k.preludeFile)
		k.remove(k.dirFile)
		return nil, fmt.Errorf("the shell could not be started: %w", err)
	}
	return k, nil
}

// recordsDir reports whether the directory in which the line ends must be recorded.
func (r *runner) recordsDir(s *pegboard.Session, command string, line *shellparse.Line) bool {
	mayCarry := s.Role() == pegboard.RoleMain || s.Role() == pegboard.RoleCoordinator
	// Git's bash names directories in a way of its own on Windows.
	return mayChangeDir(command, line) && mayCarry && r.inspector.carriesDir && r.takesScript() && runtime.GOOS != "windows"
}
