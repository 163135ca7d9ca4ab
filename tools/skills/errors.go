package skills

import (
	"errors"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

var (
	// ErrUnknown means that no skill has the name.
	ErrUnknown = errors.New("there is no skill of that name")
	// ErrRefused means that the skill cannot be started by the one who asked for it.
	ErrRefused = errors.New("the skill cannot be started in this way")
	// ErrCommand means that a command of the skill did not run, see [CommandError].
	ErrCommand = errors.New("a command of the skill did not run")
	// ErrNoAgents means that the skill runs in an agent, and that agents cannot be started.
	ErrNoAgents = errors.New("the skill runs in an agent, and no agent can be started here")
)

// A wordedError has its own words for one of the errors above.
type wordedError struct {
	text string
	err  error
}

// Error returns the words.
func (e *wordedError) Error() string { return e.text }

// Unwrap returns the error that is meant.
func (e *wordedError) Unwrap() error { return e.err }

// errArgument means that an argument cannot be put into a command.
var errArgument = errors.New("the argument does not fit into a command")

// A CommandError says which command of a skill did not run. It wraps ErrCommand and Err. Its
// text is for the model, which is told nothing of the command.
type CommandError struct {
	Skill   string
	Number  int    // of the command in the text, counted from 1
	Command string // as it would have run
	Tool    string // Bash or PowerShell
	// Decision is how the command was decided before it ran. It is zero if the command was
	// allowed then.
	Decision policy.Decision
	Err      error
}

// Error returns the skill and what kind of failure it is, without the command.
func (e *CommandError) Error() string {
	why, remedy := "failed", "call the skill once more if that may help"
	switch {
	case errors.Is(e.Err, pegboard.ErrUnknownTool):
		why, remedy = "needs the tool "+e.Tool+", which is not there", "tell the user"
	case errors.Is(e.Err, pegboard.ErrDenied):
		why, remedy = "is not allowed", "tell the user, who can allow it"
	}
	return fmt.Sprintf("the skill %s was not loaded: command %d in its text %s; %s, or go on without the skill", e.Skill, e.Number, why, remedy)
}

// Unwrap returns ErrCommand and e.Err.
func (e *CommandError) Unwrap() []error { return []error{ErrCommand, e.Err} }

// A FileError says why a file has no skill that can be used.
type FileError struct {
	Path string
	Err  error
}

// Error returns the path and the cause.
func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *FileError) Unwrap() error { return e.Err }
