package shell

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// REPLOutput is the Result.Data of [REPL].
type REPLOutput struct {
	Language      string        `json:"language"`
	Output        string        `json:"output"` // both streams in the order of arrival, as the model sees them
	Failed        bool          `json:"failed"` // by an exception, or the process ended with an error
	Ended         bool          `json:"ended"`  // the process has ended and its state is lost
	Interrupted   bool          `json:"interrupted"`
	TimedOutAfter time.Duration `json:"-"` // zero if the code did not time out
	Omitted       int64         `json:"-"` // bytes of output that are not in Output
	Elapsed       time.Duration `json:"-"`

	text string // for the model
}

// line says for a person how the code ended.
func (out *REPLOutput) line() string {
	printed := "no output"
	if n := lineCount(strings.TrimRight(out.Output, "\n")); n > 0 {
		printed = plural(n, "line") + " of output"
	}
	switch {
	case out.Interrupted:
		return "Stopped, " + printed
	case out.TimedOutAfter > 0 && !out.Ended:
		return fmt.Sprintf("Interrupted after %v, %s", out.TimedOutAfter, printed)
	case out.TimedOutAfter > 0:
		return fmt.Sprintf("Ended after %v, %s", out.TimedOutAfter, printed)
	case out.Failed && out.Ended:
		return "The interpreter ended, " + printed
	case out.Failed:
		return "Ended by an error, " + printed
	}
	return "Ran, " + printed
}

// noteInterrupt records that the code was interrupted and has ended then, and returns a
// sentence about it for the model.
func (out *REPLOutput) noteInterrupt(limit time.Duration) string {
	out.TimedOutAfter = limit
	note := fmt.Sprintf("The code was interrupted because it took longer than %v. Variables and imports are kept. Ask for more time with timeout, or do less at once.", limit)
	if out.Language == JavaScript {
		note += " What it waits for may go on; restart ends that."
	}
	return note
}

// noteEnd records that the process has ended while the code ran, perhaps because its time
// was over, and returns a sentence about it for the model.
func (out *REPLOutput) noteEnd(exit proc.Exit, late bool, limit time.Duration) string {
	out.Ended, out.Failed = true, true
	var note string
	switch {
	case errors.Is(exit.Err, errCodeTime), late && exit.Err == nil && exit.Signal != "":
		out.TimedOutAfter = limit
		note = fmt.Sprintf("The code was ended because it took longer than %v, and could not be interrupted. Ask for more time with timeout, or do less at once.", limit)
	case errors.Is(exit.Err, proc.ErrOutputLimit), errors.Is(exit.Err, errBadReply), errors.Is(exit.Err, errTooManyCalls):
		note = fmt.Sprintf("The code was ended: %v. Do less at once, and write large data to a file.", exit.Err)
	case exit.Err != nil:
		out.Interrupted = true
		note = "The code was ended before it finished: the call was cancelled."
	case exit.Signal != "":
		note = fmt.Sprintf("The interpreter was ended by a signal: %s.", exit.Signal)
	default:
		out.Failed = exit.Code != 0
		note = fmt.Sprintf("The code ended the interpreter, with exit code %d.", exit.Code)
	}
	return note + " Its variables and imports are gone; the next call begins with a new interpreter."
}

// exitText returns a phrase for the way in which a process has ended.
func exitText(e proc.Exit) string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != "":
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
