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

// A command is one run of a command line.
type command struct {
	*runner
	in            commandInput
	call          *pegboard.Call // until its Call returns
	session       *pegboard.Session
	tasks         *background.Tasks
	line          shellparse.Line
	dir           string // where it started
	dirFile       string // the shell writes there the directory in which it ends; empty if that is not recorded
	preludeFile   string // the shell may read it before the line; empty if it cannot be named
	outputFile    string // holds its output; empty if the file could not be named
	outputFileErr error  // why outputFile is empty
	timeout       time.Duration
	captured      *capture
	sandbox       *SandboxCommand // nil if it runs without a sandbox
	trusted       []string        // what other programs run or trust and what was there before it ran in the sandbox
	process       *proc.Process
	started       time.Time
}

// errTooLong is the cause that ends a command at its timeout.
var errTooLong = errors.New("the command took too long")

// waitForeground waits until the command has ended or has moved to the background.
func (k *command) waitForeground(ctx context.Context) (Output, error) {
	defer k.captured.reporter.stop() // no event may follow the return of the call
	wait := k.timeout
	if k.in.Background {
		wait = startWait
	}
	limit := time.NewTimer(wait)
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
			if ctx.Err() == nil { // the timer and the context may both have fired
				return k.handleTimeout(ctx)
			}
		case <-quiet.timer.C:
			quiet.report()
		}
	}
}

// handleTimeout is called when the time of the command in the foreground is over. It
// moves the command to the background or ends it.
func (k *command) handleTimeout(ctx context.Context) (Output, error) {
	if k.in.Background {
		out, err := k.moveToBackground(k.timeout)
		if err != nil {
			k.discard(err)
		}
		k.setValue(&out, "", out.Stderr)
		return out, err
	}
	reason := k.foregroundOnly()
	if reason == "" {
		out, err := k.moveToBackground(k.options.BackgroundTimeout)
		if err == nil {
			k.setFailure(&out, pegboard.KindTimeout, out.text()) // code expects the output of the whole command
			return out, nil
		}
		reason = "it could not be moved to the background: " + err.Error()
	}
	k.process.Stop(errTooLong)
	return k.finish(ctx, reason), nil
}

// finish waits for the end of a command that stayed in the foreground. reason says
// why it did not move to the background, if it took too long.
func (k *command) finish(ctx context.Context, reason string) Output {
	exit := k.process.Exit()
	out := k.output(ctx, exit, reason)
	if out.PersistedOutputPath != k.outputFile && out.RawOutputPath != k.outputFile && !out.keepFile {
		k.remove(k.outputFile)
	}
	k.remove(k.preludeFile)
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

// discard ends a command and removes its files.
func (k *command) discard(cause error) {
	k.process.Stop(cause)
	k.process.Exit()
	k.remove(k.outputFile)
	k.remove(k.dirFile)
	k.remove(k.preludeFile)
}

// remove removes a file that is no longer needed. If that fails, the file is removed
// with its directory.
func (k *command) remove(file string) {
	if file != "" {
		_ = os.Remove(file)
	}
}
