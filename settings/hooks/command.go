package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

const (
	maxStdout = 16 << 20 // of an answer
	maxStderr = 1 << 20
	// maxAsyncLine is how long the first line may be that says that a command is asynchronous.
	maxAsyncLine = 1 << 10
)

// runCommand runs a command with the payload on its stdin, and waits for it. A command that
// says that it is asynchronous goes on without being waited for.
func (o *occasion) runCommand(ctx context.Context, h *Handler) output {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	c := &command{occasion: o, handler: h, async: make(chan struct{})}
	p, err := c.start(run)
	if err != nil {
		cancel(nil)
		return output{failure: startFailure(err)}
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		cancel(context.Cause(ctx))
		<-p.Done()
	case <-c.async:
	}
	select {
	case <-c.async: // also if it has ended: its answer decides nothing
		o.state.follow(c, p, cancel)
		return output{background: true}
	default:
	}
	cancel(nil)
	return c.output(p.Exit())
}

// A command is the command of one hook that runs.
type command struct {
	occasion *occasion
	handler  *Handler
	async    chan struct{} // closed when it has said that it is asynchronous
	process  *proc.Process

	mu             sync.Mutex
	stdout, stderr []byte
	cut            bool
	settled        bool // whether it is asynchronous
}

// start starts the command. When ctx ends, its process group is ended.
func (c *command) start(ctx context.Context) (*proc.Process, error) {
	args, err := c.args()
	if err != nil {
		return nil, err
	}
	o := c.occasion
	p, err := o.state.table.Start(ctx, proc.Command{
		Args: args, Dir: o.dir(), Env: o.environment(), Stdin: true, Keep: 1, MaxOutput: -1, Unlisted: true,
		Output: c.addStdout, Errors: c.addStderr,
	})
	if err != nil {
		return nil, err
	}
	c.process = p
	goroutine.Go(func() { // an error means that the command does not read all of it
		_, _ = io.Copy(p.Stdin(), bytes.NewReader(o.payload))
		_ = p.Stdin().Close()
	})
	return p, nil
}

// args returns the program to run and its arguments.
func (c *command) args() ([]string, error) {
	h := c.handler
	if h.Args != nil {
		args := append([]string{h.Command}, h.Args...)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "${CLAUDE_PROJECT_DIR}", c.occasion.project())
		}
		return args, nil
	}
	switch {
	case h.Shell == "powershell":
		return powershell(h.Command)
	case h.Shell == "bash":
		shell := "bash"
		if runtime.GOOS == "windows" {
			shell = gitBash()
		}
		return []string{shell, "-c", h.Command}, nil
	case runtime.GOOS != "windows":
		return []string{"sh", "-c", h.Command}, nil
	}
	if shell := gitBash(); shell != "" {
		return []string{shell, "-c", h.Command}, nil
	}
	return powershell(h.Command)
}

// powershell returns the arguments that run a line in PowerShell, whose variables are not
// those of the environment.
func powershell(line string) ([]string, error) {
	line = strings.ReplaceAll(line, "${CLAUDE_PROJECT_DIR}", "${env:CLAUDE_PROJECT_DIR}")
	program := "pwsh"
	if runtime.GOOS == "windows" {
		program = "powershell"
	}
	return []string{program, "-NoProfile", "-NonInteractive", "-Command", line}, nil
}

// gitBash returns the path of Git Bash on Windows, or "".
func gitBash() string {
	for _, root := range []string{os.Getenv("ProgramFiles"), os.Getenv("ProgramW6432"), os.Getenv("LocalAppData") + `\Programs`} {
		if path := filepath.Join(root, "Git", "bin", "bash.exe"); root != "" && isFile(path) {
			return path
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// addStdout keeps the first maxStdout bytes that the command prints. It checks whether their
// first line says that the command is asynchronous.
func (c *command) addStdout(piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := max(maxStdout-len(c.stdout), 0)
	c.cut = c.cut || len(piece) > room
	c.stdout = append(c.stdout, piece[:min(room, len(piece))]...)
	if !c.settled {
		c.settle()
	}
}

// settle decides whether the command is asynchronous, by the first line that it prints. The
// caller holds mu.
func (c *command) settle() {
	line, rest, ended := strings.Cut((&output{stdout: c.stdout}).text(), "\n")
	m, err := readMembers([]byte(line))
	c.settled = ended || err == nil || len(c.stdout) > maxAsyncLine
	if err == nil && m.flag("async", false) {
		c.stdout = []byte(rest)
		close(c.async)
	}
}

func (c *command) addStderr(piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stderr = append(c.stderr, piece[:min(max(maxStderr-len(c.stderr), 0), len(piece))]...)
}

// output returns the output of the command, which has ended with exit.
func (c *command) output(exit proc.Exit) output {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := output{stdout: c.stdout, stderr: string(c.stderr), code: exit.Code, cut: c.cut}
	switch {
	case errors.Is(exit.Err, proc.ErrClosed):
		out.failure = errClosed
	case exit.Err != nil: // the cause of the context
		out.failure = exit.Err
	case exit.Signal != "":
		out.stderr = strings.TrimSpace("ended by a signal: " + exit.Signal + "\n" + out.stderr)
	}
	if out.failure != nil {
		out.code = 0
	}
	return out
}

// startFailure returns why a command could not be started.
func startFailure(err error) error {
	if errors.Is(err, proc.ErrClosed) {
		return errClosed
	}
	return fmt.Errorf("%w: %w", errNoStart, err)
}

// dir returns the directory that commands run in: that of the session. If it has vanished,
// another that is there, so that a hook which guards calls still runs.
func (o *occasion) dir() string {
	for _, dir := range []string{o.cwd, o.project(), o.session.Home(), os.TempDir()} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	return o.cwd
}

// project returns the value of CLAUDE_PROJECT_DIR.
func (o *occasion) project() string {
	if dir := o.runner.options.Project; dir != "" {
		return dir
	}
	return o.session.Dir()
}

// environment returns the variables of a command.
func (o *occasion) environment() []string {
	options := &o.runner.options
	var env []string
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(strings.ToUpper(setting), "OTEL_") {
			env = append(env, setting)
		}
	}
	for name, value := range options.Env {
		if !strings.HasPrefix(strings.ToUpper(name), "OTEL_") && !strings.ContainsAny(name, "=\x00") && name != "" && !strings.Contains(value, "\x00") {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, "CLAUDE_PROJECT_DIR="+o.project())
	if o.control.env {
		if file := options.ask("EnvFile", options.EnvFile, o.session); file != "" {
			env = append(env, "CLAUDE_ENV_FILE="+file)
		}
	}
	return env
}

// startAsync starts a command that is not waited for.
func (o *occasion) startAsync(h *Handler) {
	ctx, cancel := context.WithCancelCause(context.Background())
	c := &command{occasion: o, handler: h, async: make(chan struct{}), settled: true}
	p, err := c.start(ctx)
	if err != nil {
		cancel(nil)
		o.runner.options.problem(h, startFailure(err))
		return
	}
	o.state.follow(c, p, cancel)
}

// deliver passes on the output of an asynchronous command. Its context becomes news of the
// session, and its message goes to the person. A decision in it has no effect. If an asyncRewake
// command has ended with code 2, deliver only wakes the model.
func (c *command) deliver(out output) {
	o, ctx := *c.occasion, context.Background()
	o.emit, o.control.strict = nil, false // the call has ended, and the turn has gone on
	if errors.Is(out.failure, errClosed) {
		return
	}
	if c.handler.AsyncRewake && out.code == 2 && out.failure == nil {
		text := strings.TrimSpace(out.stderr)
		if text == "" {
			text = out.text()
		}
		o.runner.options.wake(o.session, o.words(c.handler, o.short(ctx, text)))
		return
	}
	r := o.read(c.handler, out)
	if r.Block || r.Stop || r.allow || r.ask || r.deferred || r.input != nil {
		o.runner.options.problem(c.handler, errors.New("it is asynchronous, so its decision has no effect"))
	}
	o.shorten(ctx, r)
	o.tell(r.message)
	o.sendToTerminal(r)
	for _, text := range r.Context {
		o.session.Notify(pegboard.Part{Text: text})
	}
}
