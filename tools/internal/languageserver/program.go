package languageserver

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// maxStderr limits the bytes of stderr that are kept.
const maxStderr = 2000

// A program is the running process of a server.
type program interface {
	// Input is the standard input. A write to it ends when the program does.
	Input() io.WriteCloser
	// Done is closed when the program has ended and has delivered its output.
	Done() <-chan struct{}
	// Stop ends the program and its child processes, and does not wait.
	Stop()
	// Fault returns how the program ended.
	Fault() error
}

// A launcher starts the program of a server. It delivers its output to the two functions.
type launcher func(ctx context.Context, c Config, root string, output, errors func(p []byte)) (program, error)

// process is a program of the system.
type process struct{ *proc.Process }

// launchIn returns the launcher that starts processes of table.
func launchIn(table *proc.Table) launcher {
	return func(ctx context.Context, c Config, root string, output, errs func(p []byte)) (program, error) {
		if len(c.Command) == 0 {
			return nil, errors.New("it has no command")
		}
		started, err := table.Start(ctx, proc.Command{
			Args: c.Command, Dir: root, Env: c.Env, Stdin: true, Unlisted: true,
			Keep: 1, MaxOutput: -1, Output: output, Errors: errs,
		})
		if err != nil {
			return nil, err
		}
		return process{Process: started}, nil
	}
}

func (p process) Input() io.WriteCloser { return p.Stdin() }

func (p process) Stop() { p.Process.Stop(nil) }

func (p process) Fault() error {
	exit := p.Exit()
	switch {
	case exit.Signal != "":
		return fmt.Errorf("%w by the signal %s", errEnded, exit.Signal)
	case exit.Err != nil:
		return exit.Err
	}
	return fmt.Errorf("%w with exit code %d", errEnded, exit.Code)
}

// lastStderr returns the end of a server's stderr.
func lastStderr(kept []byte, whole bool) string {
	text, _ := excerpt.Last(kept, maxStderr, whole)
	return text
}
