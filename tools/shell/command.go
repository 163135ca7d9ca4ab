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
	in      input
	call    *pegboard.Call // until its Call returns
	session *pegboard.Session
	tasks   *background.Tasks
	line    shellparse.Line
	dir     string // where it started
	ended   string // the file that says where it ended; empty if that does not matter
	file    string // where its output goes; empty if there is no place for it
	fileErr error  // why there is none
	limit   time.Duration
	printed *lines
	process *proc.Process
	begun   time.Time
}

// errTooLong is the cause that ends a command which took too long.
var errTooLong = errors.New("the command took too long")

// attend waits until the command has ended or goes on in the background.
func (k *command) attend(ctx context.Context) (Output, error) {
	defer k.printed.stop() // nothing is emitted once the call has returned
	patience := k.limit
	if k.in.Background {
		patience = startWait
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	quiet := newSilence(k)
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
				return k.late(ctx)
			}
		case <-quiet.timer.C:
			quiet.tell()
		}
	}
}

// late is what becomes of a command whose time in the foreground is over.
func (k *command) late(ctx context.Context) (Output, error) {
	if k.in.Background {
		out, err := k.moveOn(k.limit)
		if err != nil {
			k.discard(err)
		}
		return out, err
	}
	reason := k.whyStaying()
	if reason == "" {
		out, err := k.moveOn(k.options.BackgroundTimeout)
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
	if out.PersistedOutputPath != k.file && out.RawOutputPath != k.file {
		k.remove(k.file)
	}
	if k.ended != "" {
		if exit.Err == nil {
			out.note(k.carryOn())
		}
		k.remove(k.ended)
	}
	if note := placeOf(k.session).lost(); note != "" && k.inspector.carries {
		out.note(note)
	}
	return out
}

// discard ends a command of which nothing is shown.
func (k *command) discard(cause error) {
	k.process.Stop(cause)
	k.process.Exit()
	k.remove(k.file)
	k.remove(k.ended)
}

// remove removes a file that is of no more use. One that stays is removed with the
// directory that it is in.
func (k *command) remove(file string) {
	if file != "" {
		_ = os.Remove(file)
	}
}
