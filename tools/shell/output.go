package shell

import (
	"time"

	"github.com/seed49eaa51d/pegboard/internal/excerpt"
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

	failed   bool
	ref      string // in the session's store, if it is there
	complete []byte // all of it, if it succeeded and nothing was cut
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

// setExcerpt puts into out what is shown of an output of that many bytes.
func (o *Output) setExcerpt(x excerpt.Excerpt, total int64) {
	o.Stdout, o.Omitted = x.Text, total-x.Shown
	o.note(x.Note)
}
