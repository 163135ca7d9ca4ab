// Package shell holds the tool that runs commands.
//
// [Bash] runs one command line in a new process each time, in the session's
// directory. The command leads a process group of its own: when it takes too
// long, when its call is cancelled and when its session closes, the whole group
// is ended, and a descendant that keeps the output open cannot hang the call.
//
// A line is parsed before it runs: its targets are the simple commands in it, the
// files these read and write, and the files that redirections open. Commands that
// only read run unasked inside the working directories. What cannot be understood
// has an opaque target beside the others, which only a rule for the whole tool
// allows, and not even that while a deny or ask rule could be about it.
//
// A line that shows one file and nothing else, as cat, head, tail, nl, bat, grep,
// rg and sed -n 'X,Yp' do, counts as a read of that file for the tools that edit.
package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// The defaults, from the documentation of the harness whose Bash tool this one
// is compatible with.
const (
	DefaultTimeout = 2 * time.Minute
	MaxTimeout     = 10 * time.Minute
	DefaultOutput  = 30_000 // bytes shown of a command that succeeded
	DefaultFailure = 10_000 // bytes shown of one that failed
)

// Options change [Bash]. The zero value works.
type Options struct {
	// Shell is the program, and its flag for a command line; nil means
	// {"bash", "-c"}.
	Shell []string
	// Env is the environment; nil means that of this process, with settings
	// that keep git and pagers from waiting for a person.
	Env []string
	// Timeout is how long a command may take if its call does not say; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest time a call may ask for; a longer one is cut to
	// it. 0 means the constant MaxTimeout.
	MaxTimeout time.Duration
}

type input struct {
	Command     string `json:"command" jsonschema_description:"The command line to run"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=1" jsonschema_description:"How long it may take, in milliseconds (default 120000, at most 600000)"`
	Description string `json:"description,omitempty" jsonschema_description:"What the command does, in five to ten words"`
}

// Output is what a host gets as Result.Data.
type Output struct {
	Stdout        string        `json:"stdout"` // both streams, in the order of arrival, as the model sees them
	ExitCode      int           `json:"exitCode"`
	Interrupted   bool          `json:"interrupted"`
	TimedOutAfter time.Duration `json:"-"` // zero if it was not
	Omitted       int64         `json:"-"` // bytes of output that are not in Stdout
	Elapsed       time.Duration `json:"-"`

	text    string // for the model
	failed  bool
	printed []byte // all of it, if it succeeded and nothing was cut
}

// Bash returns the tool.
func Bash(o Options) pegboard.Tool {
	if o.Shell == nil {
		o.Shell = []string{"bash", "-c"}
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = MaxTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = min(DefaultTimeout, o.MaxTimeout)
	}
	tables := pegboard.NewKey[*proc.Table]("shell processes")
	inspector := newInspector(o.Shell)
	return pegboard.Build(pegboard.Definition[input, Output]{
		Info: pegboard.Info{Name: "Bash"},
		Description: "Runs a command line in bash and returns what it prints. Each call is a new process in the working " +
			"directory; nothing carries over but files. It has no terminal and no input, and whatever it leaves running is ended with it. Use Read, Glob and Grep to look at files, Edit and Write to change them.",
		Inspect:  inspector.inspect,
		Validate: validate,
		Call: func(ctx context.Context, in input, c *pegboard.Call) (Output, error) {
			s := c.Session()
			if s == nil {
				return Output{}, fmt.Errorf("%w: Bash runs in a session only; give the call to an Executor", pegboard.ErrDenied)
			}
			table := tables.Once(s, func() *proc.Table {
				t := &proc.Table{}
				s.OnClose("shell processes", t.Close)
				return t
			})
			view := inspector.beginViewing(in, c)
			out, err := run(ctx, table, o, in, c)
			view.note(c, out.printed)
			return out, err
		},
		Result: func(out Output) *pegboard.Result {
			r := pegboard.Text(out.text)
			r.IsError, r.Data = out.failed, out
			return r
		},
	})
}

func validate(_ context.Context, in input, _ *pegboard.Call) error {
	if strings.ContainsRune(in.Command, 0) {
		return fmt.Errorf("the command holds a NUL character; no command line can")
	}
	if strings.TrimSpace(in.Command) == "" {
		return fmt.Errorf("the command is blank; send the command line to run")
	}
	return nil
}
