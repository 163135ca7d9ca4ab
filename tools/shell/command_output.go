package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// output returns the output of a command that ended in the foreground. reason says
// why it was ended at its timeout.
func (k *command) output(ctx context.Context, exit proc.Exit, reason string) Output {
	out := Output{ExitCode: exit.Code, Elapsed: exit.Elapsed, NoSandbox: k.options.Sandbox != nil && k.sandbox == nil, NoOutputExpected: printsNothing(&k.line)}
	meaning := k.exitMeaning(exit)
	out.failed = true
	switch {
	case errors.Is(exit.Err, errTooLong):
		out.TimedOutAfterMS = k.timeout.Milliseconds()
		out.note(fmt.Sprintf("The command was ended because it took longer than %v; %s. "+
			"Ask for more time with timeout, or do less at once.", k.timeout, reason))
	case errors.Is(exit.Err, proc.ErrOutputLimit):
		out.note(fmt.Sprintf("The command was ended because it printed more than %d bytes. "+
			"Print less, or send the output to a file or through head.", k.options.MaxOutput))
	case exit.Err != nil:
		out.Interrupted = true
		out.note("The command was ended before it finished: the call was cancelled.")
	case exit.Signal != "":
		out.note("The command was ended by a signal: " + exit.Signal + ".")
	case meaning != "":
		out.failed, out.ReturnCodeInterpretation = false, meaning
		out.note(fmt.Sprintf("Exit code %d: %s.", exit.Code, meaning))
	case exit.Code != 0:
		out.note(fmt.Sprintf("Exit code %d.", exit.Code))
	default:
		out.failed = false
	}
	aboutExit := len(out.Stderr)
	if k.in.Background && !out.Interrupted {
		out.note("The command ended at once, so that there is no background task.")
	}
	out.note(leftoversNote(exit, k.options, k.in.Background))
	out.note(k.sandboxNote(exit))
	if k.options.Env == nil {
		out.note(withheldNote(k.in.Command, k.options.Withheld, os.Environ()))
	}
	out.note(k.startupOf(k.session).takeNote())
	if k.forCode() {
		k.fillValue(&out, exit, strings.TrimPrefix(out.Stderr[aboutExit:], "\n"))
		return out
	}
	k.fillStdout(ctx, &out, exit)
	if out.Omitted == 0 && !out.failed {
		out.complete = slices.Concat(exit.Output.Head, exit.Output.Tail)
	}
	return out
}

// fillStdout sets out.Stdout to the part of the output that the model sees, and
// stores the output if that part is not all of it.
func (k *command) fillStdout(ctx context.Context, out *Output, exit proc.Exit) {
	total, shown := exit.Output.Total, k.captured.output()
	limit := MaxShown
	if out.failed {
		limit = MaxShownFailed
	}
	switch {
	case k.captured.isBinary():
		at := k.store(ctx, exit, "application/octet-stream")
		out.Omitted, out.RawOutputPath, out.ref = total, at.path, at.ref
		out.note(at.binaryNote(total))
	case shown.Total > int64(limit):
		k.fillExcerpt(ctx, out, exit, limit)
	default:
		out.Stdout = strings.TrimRight(shown.Text(), "\n")
		if n := k.captured.replaced(); n > 0 && !out.Interrupted {
			at := k.store(ctx, exit, "text/plain")
			out.Omitted, out.RawOutputPath, out.ref = n, at.path, at.ref
			out.note(at.replacedNote(total))
		}
	}
}

// fillExcerpt stores an output that is too long to be shown, and sets out.Stdout to a part of
// it: to the beginning if the command succeeded, and to both ends if it did not.
func (k *command) fillExcerpt(ctx context.Context, out *Output, exit proc.Exit, limit int) {
	s := k.excerptSource(exit)
	at := storedOutput{err: errNotStored}
	if !out.Interrupted { // nobody waits for its result
		at = k.store(ctx, exit, "text/plain")
	}
	s.Path, s.Stored, s.Hint = at.path, at.size, k.session.ReadMoreHint()
	switch {
	case errors.Is(at.err, pegboard.ErrAlreadyStored):
		s.Hint = "ask for less at once"
	case errors.Is(at.err, errNotStored):
		s.Hint = advice
	case at.err != nil:
		s.Hint = fmt.Sprintf("it could not be stored (%v); %s", at.err, advice)
	case out.failed:
		out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
	default:
		out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
		s.Output = s.Shrink(2 * PreviewSize) // half of it is the beginning
		out.setExcerpt(excerpt.Beginning(s, PreviewSize), s.Total)
		return
	}
	s.Output = s.Shrink(limit)
	out.setExcerpt(excerpt.Ends(s, limit), s.Total)
}

// errNotStored says that an output was not to be stored.
var errNotStored = errors.New("not stored")

// advice tells the model how to see an output that was not stored.
const advice = "to see it, run the command with its output going to a file, or through head, tail or grep"

// excerptSource returns the output for an excerpt. Its size is that of the output as it was
// printed, and so of the file that holds it.
func (k *command) excerptSource(exit proc.Exit) excerpt.Source {
	shown := k.captured.output()
	s := excerpt.Source{Name: "Output", Output: shown, Lines: k.captured.lines(shown)}
	s.Total = exit.Output.Total
	return s
}
