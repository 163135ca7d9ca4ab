package shell

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// A command is one that runs, or ran.
type command struct {
	*runner
	in            commandInput
	call          *pegboard.Call // until its Call returns
	session       *pegboard.Session
	tasks         *background.Tasks
	line          shellparse.Line
	dir           string // where it started
	dirFile       string // the file that says where it ended; empty if that does not matter
	outputFile    string // where its output goes; empty if there is no place for it
	outputFileErr error  // why there is none
	timeout       time.Duration
	reporter      *lineReporter
	process       *proc.Process
	started       time.Time
}

// errTooLong is the cause that ends a command which took too long.
var errTooLong = errors.New("the command took too long")

// waitForeground waits until the command has ended or goes on in the background.
func (k *command) waitForeground(ctx context.Context) (Output, error) {
	defer k.reporter.stop() // nothing is emitted once the call has returned
	patience := k.timeout
	if k.in.Background {
		patience = startWait
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	quiet := newSilenceTimer(k)
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
				return k.handleTimeout(ctx)
			}
		case <-quiet.timer.C:
			quiet.report()
		}
	}
}

// handleTimeout is what becomes of a command whose time in the foreground is over.
func (k *command) handleTimeout(ctx context.Context) (Output, error) {
	if k.in.Background {
		out, err := k.moveToBackground(k.timeout)
		if err != nil {
			k.discard(err)
		}
		return out, err
	}
	reason := k.foregroundOnly()
	if reason == "" {
		out, err := k.moveToBackground(k.options.BackgroundTimeout)
		if err == nil {
			return out, nil
		}
		reason = "it could not be moved to the background: " + err.Error()
	}
	k.process.Stop(errTooLong)
	return k.finish(ctx, reason), nil
}

// finish waits for the end of a command that was in the foreground until then.
func (k *command) finish(ctx context.Context, staying string) Output {
	exit := k.process.Exit()
	out := k.output(ctx, exit, staying)
	if out.PersistedOutputPath != k.outputFile && out.RawOutputPath != k.outputFile {
		k.remove(k.outputFile)
	}
	if k.dirFile != "" {
		if exit.Err == nil {
			out.note(k.updateStartDir())
		}
		k.remove(k.dirFile)
	}
	if note := startDirOf(k.session).takeLostNote(); note != "" && k.inspector.carriesDir {
		out.note(note)
	}
	return out
}

// discard ends a command of which nothing is shown.
func (k *command) discard(cause error) {
	k.process.Stop(cause)
	k.process.Exit()
	k.remove(k.outputFile)
	k.remove(k.dirFile)
}

// remove removes a file that is of no more use. One that stays is removed with the
// directory that it is in.
func (k *command) remove(file string) {
	if file != "" {
		_ = os.Remove(file)
	}
}
