package shell

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// REPLOutput is what a host gets from [REPL] as Result.Data.
type REPLOutput struct {
	Language      string        `json:"language"`
	Output        string        `json:"output"` // both streams, in the order of arrival, as the model sees them
	Failed        bool          `json:"failed"` // by an exception, or the process did not end well
	Ended         bool          `json:"ended"`  // the process ended and its state is lost
	Interrupted   bool          `json:"interrupted"`
	TimedOutAfter time.Duration `json:"-"` // zero if it was not
	Omitted       int64         `json:"-"` // bytes of output that are not in Output
	Elapsed       time.Duration `json:"-"`

	text string // for the model
}

// noteEnd takes down that the process ended in mid-code, and words it.
func (out *REPLOutput) noteEnd(exit proc.Exit, limit time.Duration) string {
	out.Ended, out.Failed = true, true
	var what string
	switch {
	case errors.Is(exit.Err, errCodeTime):
		out.TimedOutAfter = limit
		what = fmt.Sprintf("The code was ended because it took longer than %v. Ask for more time with timeout, or do less at once.", limit)
	case errors.Is(exit.Err, proc.ErrOutputLimit), errors.Is(exit.Err, errBadReply), errors.Is(exit.Err, errTooManyCalls):
		what = fmt.Sprintf("The code was ended: %v. Do less at once, and write large data to a file.", exit.Err)
	case exit.Err != nil:
		out.Interrupted = true
		what = "The code was ended before it finished: the call was cancelled."
	case exit.Signal != "":
		what = fmt.Sprintf("The interpreter was ended by a signal: %s.", exit.Signal)
	default:
		out.Failed = exit.Code != 0
		what = fmt.Sprintf("The code ended the interpreter, with exit code %d.", exit.Code)
	}
	return what + " Its variables and imports are gone; the next call begins with a new interpreter."
}

// exitText says in a few words how a process ended, if there is anything to say.
func exitText(e proc.Exit) string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != "":
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
