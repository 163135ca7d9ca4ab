package shell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A monitorRun is one run of a monitor.
type monitorRun struct {
	timeLimit time.Duration // 0 means no limit
	log       *monitorLog
	events    *monitorEvents
	process   *proc.Process
	held      []pegboard.Target  // that must stay what they were decided to be
	cancel    context.CancelFunc // ends the context with the time limit
}

// The causes that end a monitor. The model sees their texts.
var (
	errMonitorTime  = errors.New("its time is over")
	errMonitorFlood = errors.New("it printed more events than can be told; start it again with a command that prints only what matters, such as one with grep --line-buffered")
	errMonitorFile  = errors.New("its output file has become too large")
)

// startMonitor starts the command and adds it to the background tasks.
func startMonitor(ctx context.Context, r *runner, in monitorInput, c *pegboard.Call) (MonitorResult, error) {
	s, err := sessionOf(c, "Monitor")
	if err != nil {
		return MonitorResult{}, err
	}
	if err := context.Cause(ctx); err != nil {
		return MonitorResult{}, err
	}
	tasks := background.Of(s)
	log, err := newMonitorLog(tasks, min(MaxStored, r.options.MaxOutput))
	if err != nil {
		return MonitorResult{}, fmt.Errorf("the output file: %w", err)
	}
	m := &monitorRun{log: log, events: newMonitorEvents(), timeLimit: in.timeLimit()}
	if err := m.start(ctx, r, in, c); err != nil {
		log.discard()
		return MonitorResult{}, fmt.Errorf("the shell could not be started: %w", err)
	}
	handle, err := tasks.Add(s, background.Work{
		Kind: "monitor", Description: in.Description, Command: in.Command, OutputFile: log.path, Stop: m.process.Stop,
	})
	if err != nil {
		m.process.Stop(err)
		m.process.Exit()
		m.cancel()
		log.discard()
		return MonitorResult{}, err
	}
	out := MonitorResult{TaskID: handle.ID(), TimeoutMS: m.timeLimit.Milliseconds(), Persistent: in.Persistent, file: log.path}
	if endsWithAnswer(s) {
		out.endAdvice = " This conversation ends with your answer, and the monitor with it: if you need what it sees, wait with TaskOutput before you answer."
	}
	m.watch(handle, in.Description, c.Hold(holdText(handle.ID(), in.Command), m.held...))
	return out, nil
}

// start starts the command, which does not end with the call.
func (m *monitorRun) start(ctx context.Context, r *runner, in monitorInput, c *pegboard.Call) (err error) {
	parsed := r.inspector.parse(in.bashInput(), c)
	prelude := r.prelude(ctx, &parsed, c, m.log.prelude())
	line, err := r.args(in.Command, "", prelude)
	if err == nil {
		line[0], err = trustedShell(line[0], c.Dirs())
	}
	if err != nil {
		return err
	}
	m.held = heldTargets(&parsed, c)
	k := command{runner: r, in: in.bashInput(), call: c, session: c.Session(), line: parsed, dir: r.inspector.dir(c)}
	args, err := k.wrap(line, prelude)
	if err != nil {
		return err
	}
	if ctx = context.WithoutCancel(ctx); m.timeLimit > 0 {
		ctx, m.cancel = context.WithTimeoutCause(ctx, m.timeLimit, errMonitorTime)
	} else {
		ctx, m.cancel = context.WithCancel(ctx)
	}
	m.process, err = r.table.Start(ctx, proc.Command{
		Args:      args,
		Dir:       r.inspector.dir(c),
		Env:       r.environment(in.Command, &parsed, c),
		Keep:      1, // the output file has the rest
		MaxOutput: r.options.MaxOutput,
		Output: func(p []byte) {
			m.log.write(p)
			m.events.write(p)
		},
		Errors: m.log.write,
	})
	if err != nil {
		m.cancel()
	}
	return err
}

// watch sends the events, labelled with the description of the monitor, and reports
// the end.
func (m *monitorRun) watch(h *background.Handle, description string, release func()) {
	label := taskLabel(background.Task{Description: description})
	events := monitorSender{events: m.events, full: m.log.full, stop: m.process.Stop, send: func(text string) {
		h.Tell(label + ": " + text)
	}}
	goroutine.Go(func() {
		defer m.cancel()
		events.run(m.process.Done())
		exit := m.process.Exit()
		release()
		if note := leftoversNote(exit, Options{}, true); note != "" {
			h.Tell(note)
		}
		h.Done(monitorEnd(exit, m.timeLimit, m.log.close()))
	})
}

// monitorEnd returns how the command of a monitor ended.
func monitorEnd(exit proc.Exit, limit time.Duration, fileErr error) (state background.State, code *int, err error) {
	if fileErr != nil {
		fileErr = fmt.Errorf("its output file lacks something: %w", fileErr)
	}
	switch {
	case errors.Is(exit.Err, proc.ErrOutputLimit):
		return background.Killed, nil, errMonitorFile
	case errors.Is(exit.Err, errMonitorTime):
		return background.Killed, nil, fmt.Errorf("its time of %v is over; start it again if it is still needed", limit)
	case exit.Err != nil:
		return background.Killed, nil, exit.Err
	case exit.Signal != "":
		return background.Failed, nil, errors.New("ended by a signal: " + exit.Signal)
	case exit.Code != 0:
		return background.Failed, &exit.Code, fileErr
	}
	return background.Completed, &exit.Code, fileErr
}
