package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

const readSize = 64 << 10 // what a pipe holds on Linux

// process is one call of Run. Only the goroutine of that call starts the child
// and waits for it; what ends it may be called from anywhere at any time.
type process struct {
	command Command
	gone    chan struct{} // closed when the table forgets the process
	kept    Capture
	sawEnd  bool // the output was read to its end

	mu     sync.Mutex
	child  *os.Process // nil before the start
	pipe   *os.File    // the end that is read
	ending bool        // the group was asked to end, or is to be as soon as it exists
	cause  error       // why, if the child did not end before
	exited bool        // the child has ended; its group may live on
	over   bool        // the group's number may belong to somebody else
	killer *time.Timer
}

func newProcess(c Command) *process {
	return &process{command: c, gone: make(chan struct{}), kept: Capture{Keep: c.Keep}}
}

func (p *process) run(ctx context.Context) (Exit, error) {
	release := holdThread()
	defer release()
	begin := time.Now()
	if err := p.start(ctx); err != nil {
		return Exit{}, err
	}
	copied := lane.Go(p.copyOutput)
	stop := context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	defer stop()

	// The number of the group stays ours until the child is reaped, so that
	// comes last. Where the system cannot wait without reaping, it comes first.
	var state *os.ProcessState
	waitErr := awaitExit(p.child)
	reaped := waitErr != nil
	if reaped {
		state, waitErr = p.child.Wait()
	}
	elapsed := time.Since(begin)
	p.noteExit()

	copyErr := p.drain(copied)
	p.finish()
	if !reaped {
		state, waitErr = p.child.Wait()
	}

	exit := Exit{
		Code:      -1,
		Err:       cmp.Or(p.cause, copyErr, waitErr),
		Output:    p.kept.Output(),
		Elapsed:   elapsed,
		Lingering: copyErr == nil && !p.sawEnd,
	}
	if state != nil {
		exit.Code, exit.Signal = state.ExitCode(), signalName(state)
	}
	return exit, nil
}

// start makes the pipe and starts the child.
func (p *process) start(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c := p.command
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, ownGroup()
	if cmd.Env == nil {
		cmd.Env = Quiet(cmd.Environ())
	}
	pipe, write, err := os.Pipe()
	if err != nil {
		return err
	}
	// Files, not writers: os/exec then has nothing to copy and to wait for.
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	_ = write.Close()
	if err != nil {
		_ = pipe.Close()
		return startError(c.Dir, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.child, p.pipe = cmd.Process, pipe
	if p.ending { // the table was closed meanwhile
		killGroup(p.child)
	}
	return nil
}

// startError prefers the directory as the reason: what the system says is the
// same as for a program that is missing.
func startError(dir string, err error) error {
	info, statErr := os.Stat(dir)
	if statErr != nil {
		return fmt.Errorf("working directory: %w", statErr)
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %q is not a directory", dir)
	}
	return err
}

// copyOutput reads the output to its end, whatever the size, so that the child
// never waits for a reader.
func (p *process) copyOutput() {
	defer func() { _ = p.pipe.Close() }() // a child that prints on is told so
	buf := make([]byte, readSize)
	for {
		n, err := p.pipe.Read(buf)
		if n > 0 {
			_, _ = p.kept.Write(buf[:n])
			if p.command.Output != nil {
				p.command.Output(buf[:n])
			}
		}
		if err != nil {
			p.sawEnd = errors.Is(err, io.EOF)
			return
		}
	}
}

// drain waits until the output was copied, and after Command.Drain gives up.
func (p *process) drain(copied <-chan error) error {
	patience := time.NewTimer(p.command.Drain)
	defer patience.Stop()
	select {
	case err := <-copied:
		return err
	case <-patience.C:
		_ = p.pipe.Close()
		return <-copied
	}
}

func (p *process) noteExit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exited = true
}

// finish kills what is left of the group. No signal is sent after it.
func (p *process) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	killGroup(p.child)
	p.over = true
	if p.killer != nil {
		p.killer.Stop()
	}
}

// end asks the group to end and has it killed after Command.Grace. Only the
// first call has an effect.
func (p *process) end(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending || p.over {
		return
	}
	p.ending = true
	if !p.exited {
		p.cause = cause
	}
	if p.child == nil {
		return
	}
	endGroup(p.child)
	p.killer = time.AfterFunc(p.command.Grace, p.kill)
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child != nil && !p.over {
		killGroup(p.child)
	}
}

// abandon kills the group and waits for its output no longer.
func (p *process) abandon() {
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pipe != nil {
		_ = p.pipe.Close()
	}
}

// pid returns 0 before the start.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child == nil {
		return 0
	}
	return p.child.Pid
}

// String names the process without its arguments, which may hold secrets.
func (p *process) String() string {
	return fmt.Sprintf("%s (pid %d)", filepath.Base(p.command.Args[0]), p.pid())
}
