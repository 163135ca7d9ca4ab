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
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Process is a command that [Table.Start] started. Its methods may be called from any
// goroutine at any time, including after its end.
type Process struct {
	command Command
	sink    *sink
	stdin   *Input
	done    chan struct{}
	printed chan struct{} // closed when no more is read of the output
	exit    Exit          // final once done is closed

	mu            sync.Mutex
	group         *group   // nil before the start
	pipe          *os.File // this process's end of the output
	errors        *os.File // and of stderr, if it is apart; otherwise nil
	ending        bool     // the group was asked to end, or will be as soon as it exists
	cause         error    // the reason, if the child had not ended before
	exited        bool     // the child has ended; descendants may still run
	groupReleased bool     // the group's number may be reused by other processes
	killer        *time.Timer
}

func newProcess(c Command) *Process {
	return &Process{command: c, sink: newSink(c), stdin: &Input{}, done: make(chan struct{}), printed: make(chan struct{})}
}

// Done is closed when the command has come to its end: the child has ended, its output is
// closed or Command.Drain is over, the rest of its group was killed, and the file is
// closed.
func (p *Process) Done() <-chan struct{} { return p.done }

// OutputDone is closed when the child and its descendants have closed the output, or no more
// is read of it. Stderr does not count if it is apart. A child may run on without output.
func (p *Process) OutputDone() <-chan struct{} { return p.printed }

// Exit waits for Done and returns how the command ended.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Stop asks the group to end, and kills it after Command.Grace. It returns at once. cause
// becomes [Exit.Err] unless the child ended before; nil means [context.Canceled]. If the
// command is being ended already, Stop does nothing.
func (p *Process) Stop(cause error) {
	p.end(cmp.Or(cause, context.Canceled))
}

// Interrupt asks the child, or all processes of its group, to stop their work, as Ctrl-C in a
// terminal does. They decide how to react. On Windows, where a program without a console
// cannot be asked, the error is errors.ErrUnsupported.
func (p *Process) Interrupt(all bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil || p.exited || p.groupReleased {
		return os.ErrProcessDone
	}
	return p.group.interrupt(all)
}

// Output returns the captured output so far.
func (p *Process) Output() excerpt.Output { return p.sink.output() }

// Stored returns the number of bytes in Command.File so far, and the error that ended
// writing to it, as in [Exit.FileErr].
func (p *Process) Stored() (int64, error) { return p.sink.storedBytes() }

// LastOutput returns the time of the last output; before the first it is the time of the
// start.
func (p *Process) LastOutput() time.Time { return p.sink.lastOutput() }

// Stdin returns the child's input. If Command.Stdin is not set, nothing can be written to it.
func (p *Process) Stdin() *Input { return p.stdin }

// Pid returns the process id of the child. After Done it may be that of another process.
func (p *Process) Pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil {
		return 0
	}
	return p.group.leader.Pid
}

// String names the process without its arguments, which may contain secrets.
func (p *Process) String() string {
	return fmt.Sprintf("%s (pid %d)", filepath.Base(p.command.Args[0]), p.Pid())
}

// run starts the child, sends the result to started, and waits for its end. The same
// goroutine does both, so that the thread stays the same.
func (p *Process) run(ctx context.Context, started chan<- error) {
	release := lockThread()
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

	// The number of the group is not reused until the child is reaped, so that comes
	// last. Where the system cannot wait without reaping, it comes first.
	var state *os.ProcessState
	waitErr := waitForExit(child)
	reaped := waitErr != nil
	if reaped {
		state, waitErr = child.Wait()
	}
	p.exit.Elapsed = time.Since(begin)
	p.markExited()

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

// start creates the pipes and the file and starts the child.
func (p *Process) start(ctx context.Context) (*os.Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c := p.command
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.Env, groupAttributes()
	if cmd.Env == nil {
		cmd.Env = Quiet(cmd.Environ())
	}
	pipes, err := openPipes(c.Stdin, c.Errors != nil)
	if err != nil {
		return nil, err
	}
	pipes.connect(cmd)
	if runtime.GOOS != "windows" { // os/exec refuses them there
		cmd.ExtraFiles = c.Hold
	}
	err = cmd.Start()
	pipes.closeChildEnds()
	if err != nil {
		pipes.closeOurEnds()
		return nil, startError(c.Dir, err)
	}
	p.sink.open()
	if pipes.input != nil {
		p.stdin = newInput(pipes.input)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group, p.pipe, p.errors = newGroup(cmd.Process), pipes.output, pipes.errors
	if p.ending { // the table was closed meanwhile
		p.group.kill()
	}
	return cmd.Process, nil
}

// startError checks the directory first: for a missing directory the system returns the
// same error as for a missing program.
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

// copyOutput reads all that the command prints. It panics as Command.Output and
// Command.Errors do.
func (p *Process) copyOutput() {
	if p.errors == nil {
		defer close(p.printed)
		p.exit.Lingering = p.copy(p.pipe, p.sink.copy)
		return
	}
	var lingering bool
	copied := goroutine.Go(func() { lingering = p.copy(p.errors, p.sink.copyErrors) })
	defer func() {
		if err := <-copied; err != nil {
			panic(err)
		}
		p.exit.Lingering = p.exit.Lingering || lingering
	}()
	defer close(p.printed)
	p.exit.Lingering = p.copy(p.pipe, p.sink.copy)
}

// copy reads a pipe and reports whether it ended without the child's doing.
func (p *Process) copy(pipe *os.File, read func(*os.File) error) (lingering bool) {
	defer func() { _ = pipe.Close() }() // so that a child that still prints gets an error
	switch err := read(pipe); {
	case errors.Is(err, ErrOutputLimit):
		p.overflow()
	case !errors.Is(err, io.EOF):
		return true
	}
	return false
}

// drain waits until the output was copied. After Command.Drain it kills the rest of the group
// and waits again, as long as killLeftovers says, and then for what the pipes already hold: this
// process may be slow to read. Then it closes the output.
func (p *Process) drain(copied <-chan error) error {
	patience := time.NewTimer(p.command.Drain)
	defer patience.Stop()
	select {
	case err := <-copied:
		return err
	case <-patience.C:
	}
	more := p.killLeftovers()
	held := func() int64 { return unread(p.pipe) + unread(p.errors) }
	printed := held() + p.sink.total() + 2*readSize // two pieces may be between a pipe and the sink
	for {
		patience.Reset(more)
		select {
		case err := <-copied:
			return err
		case <-patience.C:
		}
		if p.isEnding() || held() == 0 || p.sink.total() >= printed {
			closeAll(p.pipe, p.errors)
			return <-copied
		}
	}
}

// killLeftovers kills the rest of the group and returns how long its output may take to come
// to its end. There is little time for a command that is being ended.
func (p *Process) killLeftovers() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLeftovers()
	if p.ending {
		return p.command.Drain / 4
	}
	return p.command.Drain
}

// isEnding reports whether the command is being ended before its time.
func (p *Process) isEnding() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ending
}

// endLeftovers lists and kills the rest of the group. The caller holds the lock.
func (p *Process) endLeftovers() {
	if !p.command.Unlisted && !p.ending && p.exit.Ended == nil { // a killed process may be listed for a moment
		p.exit.Ended = p.leftovers()
	}
	p.group.kill()
}

// markExited records that the child has ended and closes its input, because a descendant
// that holds the other end may never read it. A Write that fails because of that finds
// that the child has ended.
func (p *Process) markExited() {
	p.mu.Lock()
	p.exited = true
	p.mu.Unlock()
	_ = p.stdin.Close()
}

// finish lists and kills the rest of the group. No signal is sent after it.
func (p *Process) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLeftovers()
	p.group.release()
	p.groupReleased = true
	if p.killer != nil {
		p.killer.Stop()
	}
}

// leftovers returns the processes that the child has left in its group.
func (p *Process) leftovers() []Leftover {
	left, own := p.group.leftovers(), strings.TrimSpace(strings.Join(p.command.Args, " "))
	for i := range left {
		if left[i].Command == own {
			left[i].Command = ""
		}
	}
	return left
}

// end asks the group to end, and kills it after Command.Grace. Only the first call has an
// effect.
func (p *Process) end(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending || p.groupReleased {
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
	p.group.kill() // the group is not released yet: run still waits for the output
}

func (p *Process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group != nil && !p.groupReleased {
		p.group.kill()
	}
}

// killAndClose kills the group and closes its output without draining it.
func (p *Process) killAndClose() {
	p.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	closeAll(p.pipe, p.errors)
}

// A Leftover is a process that a command left running and that was ended with it.
type Leftover struct {
	Pid int
	// Command is its program and arguments with blanks between them, or only the name of
	// the program where the system does not tell more. It may contain secrets. It is empty
	// for a copy of the child, such as the subshell of a shell.
	Command string
}

// An Exit describes how a command ended.
type Exit struct {
	Code   int    // exit code of the child; -1 if a signal ended it
	Signal string // the system's name of that signal, such as "killed", or ""
	// Err is nil if the child ended by itself. If this process ended it, Err is the reason:
	// the cause of the context or of [Process.Stop], or ErrClosed. It is ErrOutputLimit
	// whenever there was too much output, even if the child had ended by then. It may
	// also be a panic of Command.Output or Command.Errors, which ends the reading of the output.
	Err error
	// Output is stdout and stderr in the order of arrival, or stdout if Command.Errors is
	// set.
	Output excerpt.Output
	// Stored is the number of bytes in Command.File: the beginning of the output.
	Stored int64
	// FileErr is the reason why Command.File could not be created, or lacks output that
	// Command.MaxFile permits, such as a full disk. Nothing is written to the file after
	// it. Code, Err and Output are the same as without the file.
	FileErr error
	Elapsed time.Duration // from the start to the end of the child
	// Lingering says that a descendant that had left the group kept the output open for
	// longer than Command.Drain. Output and the file may lack its later output.
	Lingering bool
	// Ended are the processes that the child left behind in its group. They were killed
	// when its output was over. It is empty if this process ended the command, and on
	// systems that do not list the processes of a group.
	Ended []Leftover
}

// An Input is the end of the child's standard input that is written, if it is a pipe. It
// is closed once the child has ended, so that no writer waits for it. Its methods may be
// called concurrently.
type Input struct {
	pipe  *os.File // nil if the child reads the null device
	close func() error
}

func newInput(pipe *os.File) *Input {
	return &Input{pipe: pipe, close: sync.OnceValue(pipe.Close)}
}

// Write blocks while the child does not read. It returns an error when the child has ended
// or no process can read any more, even if it was blocked.
func (i *Input) Write(p []byte) (int, error) {
	if i.pipe == nil {
		return 0, errNoInput
	}
	n, err := i.pipe.Write(p)
	return n, inputError(err)
}

// WriteNow writes as much of p as the pipe has room for, and returns how much that was. It
// never blocks while the child does not read. On Windows it writes nothing.
func (i *Input) WriteNow(p []byte) (int, error) {
	if i.pipe == nil {
		return 0, errNoInput
	}
	n, err := writeNow(i.pipe, p)
	return n, inputError(err)
}

// Close ends the input. It may be called more than once.
func (i *Input) Close() error {
	if i.pipe == nil {
		return nil
	}
	return i.close()
}

var errNoInput = errors.New("the command reads the null device")

func inputError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the command reads no more: %w", err)
}

// pipes are the ends of the pipes of a child.
type pipes struct {
	// output, errors and input are those of this process. input is nil for the null device,
	// and errors if output is stderr, too.
	output, errors, input                *os.File
	childOutput, childErrors, childInput *os.File
}

func openPipes(input, errors bool) (p pipes, err error) {
	defer func() {
		if err != nil {
			p.closeChildEnds()
			p.closeOurEnds()
		}
	}()
	if p.output, p.childOutput, err = os.Pipe(); err != nil {
		return pipes{}, err
	}
	if errors {
		if p.errors, p.childErrors, err = os.Pipe(); err != nil {
			return p, err
		}
	}
	if input {
		p.childInput, p.input, err = os.Pipe()
	}
	return p, err
}

// connect passes files to os/exec, not readers and writers, so that it starts no
// goroutines that copy.
func (p pipes) connect(cmd *exec.Cmd) {
	cmd.Stdout, cmd.Stderr = p.childOutput, p.childOutput
	if p.childErrors != nil {
		cmd.Stderr = p.childErrors
	}
	if p.childInput != nil {
		cmd.Stdin = p.childInput
	}
}

func (p pipes) closeChildEnds() { closeAll(p.childOutput, p.childErrors, p.childInput) }

func (p pipes) closeOurEnds() { closeAll(p.output, p.errors, p.input) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // an error for nil
	}
}
