package shell

import (
	"context"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A monitoring is a monitor that runs.
type monitoring struct {
	limit   time.Duration // 0 if it has none
	most    int64         // bytes of output
	log     *monitorLog
	events  *eventFeed
	process *proc.Process
	cancel  context.CancelFunc // of its time
}

// apart is a command line for the launcher: it becomes the shell that its further
// arguments name, with stderr going to the file that its name says. So the line
// itself is run as it was parsed.
const apart = `exec "$@" 2>>"$0"`

// start starts the command, which lives longer than the call.
func (m *monitoring) start(ctx context.Context, r *runner, in monitorInput, c *pegboard.Call) (err error) {
	if ctx = context.WithoutCancel(ctx); m.limit > 0 {
		ctx, m.cancel = context.WithTimeoutCause(ctx, m.limit, errMonitorTime)
	} else {
		ctx, m.cancel = context.WithCancel(ctx)
	}
	args := r.args(in.Command, "")
	if r.scripted() {
		args = slices.Concat(r.options.Shell, []string{apart, m.log.path}, args)
	}
	m.process, err = r.table.Start(ctx, proc.Command{
		Args:      args,
		Dir:       r.inspector.dir(c),
		Env:       environment(r.options, c),
		Keep:      1, // the file has it
		MaxOutput: r.options.MaxOutput,
		Output: func(p []byte) {
			m.log.write(p)
			m.events.write(p)
		},
	})
	if err != nil {
		m.cancel()
	}
	return err
}

// watch tells of the events, as those of what is watched, and of the end.
func (m *monitoring) watch(h *background.Handle, what string) {
	what = taskLabel(background.Task{Description: what})
	events := teller{feed: m.events, stop: m.process.Stop, tell: func(text string) {
		h.Tell(what + ": " + text)
	}}
	events.full = func() bool { return m.log.size() > m.most }
	goroutine.Go(func() {
		defer m.cancel()
		events.run(m.process.Done())
		h.Done(endedMonitor(m.process.Exit(), m.limit, m.log.close()))
	})
}

// A monitorLog is the output file of a monitor. Stdout is written to it here, stderr
// by the command itself.
type monitorLog struct {
	path string

	mu   sync.Mutex
	file *os.File
	err  error // the first
}

func newMonitorLog(tasks *background.Tasks) (*monitorLog, error) {
	path, err := tasks.NewFile("monitor")
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &monitorLog{path: path, file: f}, nil
}

// write appends p, until that fails once.
func (l *monitorLog) write(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		_, l.err = l.file.Write(p)
	}
}

// size is how large the file is by now, in bytes.
func (l *monitorLog) size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	fi, err := l.file.Stat()
	if err != nil {
		return 0
	}
	return fi.Size()
}

// close returns why the file lacks something, if it does.
func (l *monitorLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Close(); l.err == nil {
		l.err = err
	}
	return l.err
}

// discard closes and removes the file.
func (l *monitorLog) discard() {
	_ = l.close()
	_ = os.Remove(l.path)
}
