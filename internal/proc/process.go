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

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Process is a command that [Table.Start] started. Its methods may be called
// concurrently, at any time, also after its end.
type Process struct {
	command Command
	sink    *sink
	stdin   *input
	done    chan struct{}
	exit    Exit // final once done is closed

	mu     sync.Mutex
	group  *group   // nil before the start
	pipe   *os.File // the end of the output that is read
	ending bool     // the group was asked to end, or is to be as soon as it exists
	cause  error    // why, if the child did not end before
	exited bool     // the child has ended; its group may live on
	over   bool     // the group's number may belong to somebody else
	killer *time.Timer
}

func newProcess(c Command) *Process {
	return &Process{command: c, sink: newSink(c), stdin: &input{}, done: make(chan struct{})}
}

// Done is closed when the command has come to its end: the child has ended,
// its output is closed or was given up, what was left of its group was killed,
// and the file is closed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit waits for Done and returns how the command ended.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Stop asks the group to end, and has it killed after Command.Grace. It returns
// at once. The cause becomes [Exit.Err] unless the child ended before; nil means
// [context.Canceled]. Nothing happens if the command is being ended already.
func (p *Process) Stop(cause error) {
	p.end(cmp.Or(cause, context.Canceled))
}

// Output returns what was kept of the output so far.
func (p *Process) Output() excerpt.Output { return p.sink.output() }

// Stored returns how many bytes of output Command.File holds so far, and why it
// gets no more, as in [Exit.FileErr].
func (p *Process) Stored() (int64, error) { return p.sink.storedBytes() }

// LastOutput returns when output came last; before the first it is the time of
// the start.
func (p *Process) LastOutput() time.Time { return p.sink.lastOutput() }

// Stdin returns where the input of the child is written, if Command.Stdin is
// set. Write blocks while the child reads nothing, and returns an error, at once
// if need be, when the child has ended or nobody can read any more. Close
// ends the input; it may be called more than once.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Pid returns the number of the child. After Done it may be that of another
// process.
func (p *Process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil {
		return 0
	}
	return p.group.leader.Pid
}

// String names the process without its arguments, which may hold secrets.
func (p *Process) String() string {
	return fmt.Sprintf("%s (pid %d)", filepath.Base(p.command.Args[0]), p.Pid())
}

// live starts the child, reports that, and waits for its end. It is the only
// one that starts and waits, so that the thread stays the same.
func (p *Process) live(ctx context.Context, started chan<- error) {
	release := holdThread()
	defer release()
	begin := time.Now()
	child, err := p.start(ctx)
	started <- err
	if err != nil {
		return
	}
	copied := goroutine.Go(p.copyOutput)
	stop := context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	defer stop()

	// The number of the group stays ours until the child is reaped, so that
	// comes last. Where the system cannot wait without reaping, it comes first.
	var state *os.ProcessState
	waitErr := awaitExit(child)
	reaped := waitErr != nil
	if reaped {
		state, waitErr = child.Wait()
	}
	p.exit.Elapsed = time.Since(begin)
	p.noteExit()

	copyErr := p.drain(copied)
	p.finish()
	if !reaped {
		state, waitErr = child.Wait()
	}

	p.exit.Code = -1
	if state != nil {
		p.exit.Code, p.exit.Signal = state.ExitCode(), signalName(state)
	}
	p.exit.Err = cmp.Or(p.cause, copyErr, waitErr)
	p.exit.Output = p.sink.output()
	p.exit.Stored, p.exit.FileErr = p.sink.storedBytes()
}

// start makes the pipes and the file and starts the child.
func (p *Process) start(ctx context.Context) (*os.Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c := p.command
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, ownGroup()
	if cmd.Env == nil {
		cmd.Env = Quiet(cmd.Environ())
	}
	pipes, err := openPipes(c.Stdin)
	if err != nil {
		return nil, err
	}
	pipes.connect(cmd)
	err = cmd.Start()
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, startError(c.Dir, err)
	}
	p.sink.open()
	if pipes.input != nil {
		p.stdin = newInput(pipes.input)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group, p.pipe = newGroup(cmd.Process), pipes.output
	if p.ending { // the table was closed meanwhile
		p.group.kill()
	}
	return cmd.Process, nil
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

func (p *Process) copyOutput() {
	defer func() { _ = p.pipe.Close() }() // a child that prints on is told so
	switch err := p.sink.copy(p.pipe); {
	case errors.Is(err, ErrOutputLimit):
		p.overflow()
	case !errors.Is(err, io.EOF):
		p.exit.Lingering = true
	}
}

// drain waits until the output was copied, and after Command.Drain gives up.
func (p *Process) drain(copied <-chan error) error {
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

// noteExit closes the input because a descendant that holds the other end may
// never read it. Whoever is told so by a write finds that the child has ended.
func (p *Process) noteExit() {
	p.mu.Lock()
	p.exited = true
	p.mu.Unlock()
	_ = p.stdin.Close()
}

// finish kills what is left of the group. No signal is sent after it.
func (p *Process) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group.kill()
	p.group.release()
	p.over = true
	if p.killer != nil {
		p.killer.Stop()
	}
}

// end asks the group to end and has it killed after Command.Grace. Only the
// first call has an effect.
func (p *Process) end(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending || p.over {
		return
	}
	p.ending = true
	if !p.exited {
		p.cause = cause
	}
	if p.group == nil {
		return
	}
	p.group.end()
	p.killer = time.AfterFunc(p.command.Grace, p.kill)
}

// overflow kills the group of a command that printed too much.
func (p *Process) overflow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ending = true
	p.cause = cmp.Or(p.cause, ErrOutputLimit)
	p.group.kill() // it is not over: the end of the copying is waited for
}

func (p *Process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group != nil && !p.over {
		p.group.kill()
	}
}

// abandon kills the group and waits for its output no longer.
func (p *Process) abandon() {
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pipe != nil {
		_ = p.pipe.Close()
	}
}
