package shell

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// Output is what a host gets as Result.Data. As JSON it has the documented names;
// exitCode is one of our own. The model reads Stderr, then Stdout.
type Output struct {
	Stdout string `json:"stdout"` // what the command printed to both streams, in the order of arrival, as far as it is shown
	Stderr string `json:"stderr"` // what the tool has to say about it, one or more lines

	ExitCode    int  `json:"exitCode"`    // -1 if a signal ended the command, or it runs still
	Interrupted bool `json:"interrupted"` // its call was cancelled

	// RawOutputPath is a file that holds the output as it was printed, and grows
	// while the command runs: of one in the background, and of output that is no
	// text.
	RawOutputPath string `json:"rawOutputPath,omitempty"`
	// BackgroundTaskID names the background task that the command became.
	BackgroundTaskID  string `json:"backgroundTaskId,omitempty"`
	BackgroundCwdHint string `json:"backgroundCwdHint,omitempty"`
	// TimedOutAfterMS is the time in milliseconds after which the command was ended
	// or moved to the background; 0 if it was neither.
	TimedOutAfterMS int64 `json:"timedOutAfterMs,omitempty"`
	// NoSandbox repeats the input. It has no effect.
	NoSandbox bool `json:"dangerouslyDisableSandbox,omitempty"`
	// ReturnCodeInterpretation says what an exit code means that is no failure.
	ReturnCodeInterpretation string `json:"returnCodeInterpretation,omitempty"`
	// NoOutputExpected says that such commands print nothing if all is well.
	NoOutputExpected bool `json:"noOutputExpected,omitempty"`
	// PersistedOutputPath is a file with the output of which Stdout is the
	// beginning, and PersistedOutputSize how many bytes it holds. It is there until
	// the main session is closed.
	PersistedOutputPath string `json:"persistedOutputPath,omitempty"`
	PersistedOutputSize int64  `json:"persistedOutputSize,omitempty"`

	Omitted int64         `json:"-"` // bytes of output that are not in Stdout
	Elapsed time.Duration `json:"-"`

	failed  bool
	ref     string // in the session's store, if it is there
	printed []byte // all of it, if it succeeded and nothing was cut
}

// note adds to what the tool has to say.
func (o *Output) note(text string) {
	switch {
	case text == "":
	case o.Stderr == "":
		o.Stderr = text
	default:
		o.Stderr += "\n" + text
	}
}

// text is what the model reads. What the tool has to say stands before the output,
// where it cannot be taken for a part of it.
func (o *Output) text() string {
	if o.Stderr == "" || o.Stdout == "" {
		return o.Stderr + o.Stdout
	}
	return o.Stderr + "\n" + o.Stdout
}

// output words the end of a command that was in the foreground. staying says why it
// was ended, if it took too long.
func (k *command) output(ctx context.Context, exit proc.Exit, staying string) Output {
	out := Output{ExitCode: exit.Code, Elapsed: exit.Elapsed, NoSandbox: k.in.NoSandbox, NoOutputExpected: printsNothing(&k.line)}
	meaning := k.meaning(exit)
	out.failed = true
	switch {
	case errors.Is(exit.Err, errTooLong):
		out.TimedOutAfterMS = k.limit.Milliseconds()
		out.note(fmt.Sprintf("The command was ended because it took longer than %v; %s. "+
			"Ask for more time with timeout, or do less at once.", k.limit, staying))
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
	if exit.Lingering {
		out.note("A process that the command left behind kept the output open; what it printed later is not shown.")
	}
	k.show(ctx, &out, exit)
	if out.Omitted == 0 && !out.failed {
		out.printed = slices.Concat(exit.Output.Head, exit.Output.Tail)
	}
	return out
}

// show puts into out what is shown of the output.
func (k *command) show(ctx context.Context, out *Output, exit proc.Exit) {
	total := exit.Output.Total
	most := DefaultOutput
	if out.failed {
		most = DefaultFailure
	}
	switch {
	case k.printed.isBinary():
		at := k.store(ctx, exit, "application/octet-stream")
		out.Omitted, out.RawOutputPath, out.ref = total, at.path, at.ref
		out.note(binaryNote(at, total))
	case total <= int64(most):
		out.Stdout = strings.TrimRight(exit.Output.Text(), "\n")
	case out.failed:
		out.showPart(k.ends(exit, most, advice), total)
	default:
		at := k.store(ctx, exit, "text/plain")
		switch {
		case errors.Is(at.err, pegboard.ErrAlreadyStored):
			out.showPart(k.ends(exit, most, "ask for less at once"), total)
		case at.err != nil:
			out.showPart(k.ends(exit, most, advice), total)
			out.note(fmt.Sprintf("The rest could not be stored: %v.", at.err))
		default:
			out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
			out.showPart(k.preview(exit, at), total)
		}
	}
}
