package shell

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// Output is the Result.Data of a command. Its JSON names are those of Claude Code,
// except exitCode, which is added here. The model reads Stderr, then Stdout.
type Output struct {
	Stdout string `json:"stdout"` // the shown part of both streams of the command, in the order of arrival
	Stderr string `json:"stderr"` // the tool's own notes, one or more lines

	ExitCode    int  `json:"exitCode"`    // -1 if a signal ended the command or it is still running
	Interrupted bool `json:"interrupted"` // its call was cancelled

	// RawOutputPath is a file that holds the output as it was printed: of a command in the
	// background, where the file grows while the command runs, of binary output, and of output
	// that is shown without the parts that the command has overwritten.
	RawOutputPath string `json:"rawOutputPath,omitempty"`
	// BackgroundTaskID is the id of the background task that the command became.
	BackgroundTaskID  string `json:"backgroundTaskId,omitempty"`
	BackgroundCwdHint string `json:"backgroundCwdHint,omitempty"`
	// TimedOutAfterMS is the time in milliseconds after which the command was ended
	// or moved to the background; 0 if neither happened.
	TimedOutAfterMS int64 `json:"timedOutAfterMs,omitempty"`
	// NoSandbox says that the command ran without the sandbox that the host has set.
	NoSandbox bool `json:"dangerouslyDisableSandbox,omitempty"`
	// SandboxRefusal describes the refusal by the sandbox, if there was one.
	SandboxRefusal string `json:"sandboxRefusal,omitempty"`
	// SandboxElapsed is how long the command ran in the sandbox, if it then ran again
	// without it, for Elapsed.
	SandboxElapsed time.Duration `json:"-"`
	// ReturnCodeInterpretation is the meaning of an exit code that is not a failure.
	ReturnCodeInterpretation string `json:"returnCodeInterpretation,omitempty"`
	// NoOutputExpected reports whether such commands print nothing if they succeed.
	NoOutputExpected bool `json:"noOutputExpected,omitempty"`
	// PersistedOutputPath is a file with the output of which Stdout is the beginning, or
	// both ends if the command failed, and PersistedOutputSize the number of bytes in it,
	// which are as they were printed. The file exists until the
	// main session is closed.
	PersistedOutputPath string `json:"persistedOutputPath,omitempty"`
	PersistedOutputSize int64  `json:"persistedOutputSize,omitempty"`

	Omitted int64         `json:"-"` // bytes of output that are not in Stdout
	Elapsed time.Duration `json:"-"`

	keepFile bool // the value names the file of the command's output
	value    any  // for code, see Result.Value; nil if the model made the call
	failed   bool
	ref      string // in the session's store; empty if the output is not stored there
	complete []byte // the whole output, if the command succeeded and all of it is shown
}

// note appends a line to the tool's own notes.
func (o *Output) note(text string) {
	switch {
	case text == "":
	case o.Stderr == "":
		o.Stderr = text
	default:
		o.Stderr += "\n" + text
	}
}

// noteFirst inserts a line before the tool's own notes.
func (o *Output) noteFirst(text string) {
	rest := o.Stderr
	o.Stderr = text
	o.note(rest)
}

// text returns the text for the model. The tool's own notes stand before the output,
// so that the output cannot imitate them.
func (o *Output) text() string {
	if o.Stderr == "" || o.Stdout == "" {
		return o.Stderr + o.Stdout
	}
	return o.Stderr + "\n" + o.Stdout
}

// line says for a person how the command ended.
func (o *Output) line() string {
	printed := "no output"
	if n := lineCount(o.Stdout); n > 0 && o.Omitted == 0 {
		printed = plural(n, "line") + " of output"
	} else if o.Omitted > 0 {
		printed = fmt.Sprintf("%d bytes of output", int64(len(o.Stdout))+o.Omitted)
	}
	switch {
	case o.BackgroundTaskID != "":
		return "Runs in the background as " + o.BackgroundTaskID
	case o.Interrupted:
		return "Stopped, " + printed
	case o.TimedOutAfterMS > 0:
		return fmt.Sprintf("Ended after %v, %s", time.Duration(o.TimedOutAfterMS)*time.Millisecond, printed)
	case o.ReturnCodeInterpretation != "":
		return fmt.Sprintf("Exit code %d: %s, %s", o.ExitCode, o.ReturnCodeInterpretation, printed)
	case o.failed && o.ExitCode < 0:
		return "Ended by force, " + printed
	case o.ExitCode != 0:
		return fmt.Sprintf("Exit code %d, %s", o.ExitCode, printed)
	case printed == "no output":
		return "Done, no output"
	}
	return "Printed " + strings.TrimSuffix(printed, " of output")
}

// lineCount returns the number of lines of a text that does not end in a line break.
func lineCount(text string) int {
	if text == "" {
		return 0
	}
	return strings.Count(text, "\n") + 1
}

// plural returns a number with its noun.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// setExcerpt sets Stdout to an excerpt of an output of total bytes.
func (o *Output) setExcerpt(x excerpt.Excerpt, total int64) {
	o.Stdout, o.Omitted = x.Text, total-x.Shown
	o.note(x.Note)
}

// An outputEnd is the last part of an output.
type outputEnd struct {
	text string // valid UTF-8
	from int64  // offset of text in the whole output, in bytes
	size int64  // bytes of the whole output
	file string // holds the whole output; empty if no file does
}

// readOutputEnd returns the last bytes of a file, at most limit of them. It reads
// hardly more than that, and follows no link.
func readOutputEnd(path string, limit int) (outputEnd, error) {
	window := int64(limit) + 1 // one byte more, to see whether the text begins with a whole line
	b, from, err := output.ReadEnd(path, window)
	if err != nil {
		return outputEnd{}, err
	}
	end := newOutputEnd(b, from, limit)
	end.file = path
	return end, nil
}

// newOutputEnd returns the last limit bytes of an output. b is its part that begins
// at from.
func newOutputEnd(b []byte, from int64, limit int) outputEnd {
	text, start := excerpt.Last(b, limit, from == 0)
	return outputEnd{text: text, from: from + int64(start), size: from + int64(len(b))}
}

// A storedOutput says where an output was stored.
type storedOutput struct {
	path string // of a file, or another reference
	size int64  // stored bytes
	ref  string // in the session's store; empty if it is in a file only
	err  error  // why it was not stored
}

// binaryNote tells the model that the output is binary, and where it is.
func (o storedOutput) binaryNote(total int64) string {
	switch {
	case errors.Is(o.err, pegboard.ErrAlreadyStored):
		return fmt.Sprintf("[Output is binary: %d bytes, not shown.]", total)
	case o.err != nil:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown, and it could not be stored: %v.]", total, o.err)
	case o.size < total:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown. Its first %d bytes are in %s.]", total, o.size, o.path)
	}
	return fmt.Sprintf("[Output is binary: %d bytes, not shown. It is in %s.]", total, o.path)
}

// replacedNote tells the model that the output is not shown as it was printed, all total
// bytes of it, and where that is.
func (o storedOutput) replacedNote(total int64) string {
	const note = "[Text that the command has overwritten in its line, as progress bars do, is left out."
	switch {
	case errors.Is(o.err, pegboard.ErrAlreadyStored):
		return note + "]"
	case o.err != nil:
		return fmt.Sprintf("%s What it printed, %d bytes, could not be stored: %v.]", note, total, o.err)
	case o.size < total:
		return fmt.Sprintf("%s The first %d of the %d bytes that it printed are in %s.]", note, o.size, total, o.path)
	}
	return fmt.Sprintf("%s All %d bytes that it printed are in %s.]", note, total, o.path)
}
