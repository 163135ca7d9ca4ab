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
	out := Output{ExitCode: exit.Code, Elapsed: exit.Elapsed, NoOutputExpected: printsNothing(&k.line)}
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
	if k.in.Background && !out.Interrupted {
		out.note("The command ended at once, so that there is no background task.")
	}
	out.note(leftoversNote(exit, k.options, k.in.Background))
	if k.options.Env == nil {
		out.note(withheldNote(k.in.Command, k.options.Withheld, os.Environ()))
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
	total := exit.Output.Total
	limit := MaxShown
	if out.failed {
		limit = MaxShownFailed
	}
	switch {
	case k.reporter.isBinary():
		at := k.store(ctx, exit, "application/octet-stream")
		out.Omitted, out.RawOutputPath, out.ref = total, at.path, at.ref
		out.note(at.binaryNote(total))
	case total <= int64(limit):
		out.Stdout = strings.TrimRight(exit.Output.Text(), "\n")
	case out.failed:
		out.setExcerpt(k.bothEnds(exit, limit, advice), total)
	default:
		at := k.store(ctx, exit, "text/plain")
		switch {
		case errors.Is(at.err, pegboard.ErrAlreadyStored):
			out.setExcerpt(k.bothEnds(exit, limit, "ask for less at once"), total)
		case at.err != nil:
			out.setExcerpt(k.bothEnds(exit, limit, advice), total)
			out.note(fmt.Sprintf("The rest could not be stored: %v.", at.err))
		default:
			out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
			out.setExcerpt(k.preview(exit, at), total)
		}
	}
}

// advice tells the model how to see an output that was not stored.
const advice = "to see it, run the command with its output going to a file, or through head, tail or grep"

// preview returns the beginning of a stored output.
func (k *command) preview(exit proc.Exit, at storedOutput) excerpt.Excerpt {
	s := k.excerptSource(exit)
	s.Output = s.Shrink(2 * PreviewSize) // half of it is the beginning
	s.Path, s.Stored, s.Hint = at.path, at.size, k.session.ReadMoreHint()
	return excerpt.Beginning(s, PreviewSize)
}

// bothEnds returns the beginning and the end of an output that was not stored.
func (k *command) bothEnds(exit proc.Exit, limit int, how string) excerpt.Excerpt {
	s := k.excerptSource(exit)
	s.Output, s.Hint = s.Shrink(limit), how
	return excerpt.Ends(s, limit)
}

// excerptSource returns the output for an excerpt. The limits of excerpts are bytes,
// so the output is cut to them before its characters are counted.
func (k *command) excerptSource(exit proc.Exit) excerpt.Source {
	return excerpt.Source{Name: "Output", Output: exit.Output, Lines: exit.Output.Lines(k.reporter.lineCount())}
}
