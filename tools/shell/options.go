package shell

import (
	"time"
)

// The defaults, from the documentation of the harness whose Bash tool this one
// is compatible with.
const (
	DefaultTimeout    = 2 * time.Minute
	DefaultMaxTimeout = 10 * time.Minute

	// Of a command in the background. The public types of that harness name them,
	// its documentation does not.
	DefaultBackgroundTimeout    = 30 * time.Minute
	DefaultMaxBackgroundTimeout = 2 * time.Hour

	MaxShown         = 30_000        // bytes shown of a command that succeeded
	MaxShownFailed   = 10_000        // bytes shown of one that failed
	MaxStored        = 64 << 20      // bytes of output stored for reading on
	DefaultMaxOutput = 5_000_000_000 // bytes of output that end a command
)

// The numbers that are not from there.
const (
	PreviewSize    = 2_000                  // bytes shown of an output that was stored, as seen in public transcripts
	DefaultSilence = 5 * time.Minute        // without output before an event says so; another harness's documented patience
	startWait      = 200 * time.Millisecond // for a command in the background to fail at once; likewise
)

// Options change [Bash] and [PowerShell]. The zero value works.
type Options struct {
	// Shell is the program, and its flag for a command line; nil means
	// {"bash", "-c"}, and for PowerShell {"pwsh", "-NoProfile",
	// "-NonInteractive", "-Command"}. A shell that reads a file of the user's
	// first may mean something else by a line: zsh wants {"zsh", "-f", "-c"}.
	Shell []string
	// Env is the environment; nil means that of this process, with settings
	// that keep git and pagers from waiting for a person. What would make a shell
	// read another file first, or replace commands, is left out of either.
	Env []string
	// Timeout is how long a command may take if its call does not say; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest time a call may ask for; a longer one is cut to
	// it. 0 means DefaultMaxTimeout.
	MaxTimeout time.Duration
	// BackgroundTimeout and MaxBackgroundTimeout are the same for commands in the
	// background; 0 means DefaultBackgroundTimeout and
	// DefaultMaxBackgroundTimeout. A command that moves there has BackgroundTimeout from
	// then on.
	BackgroundTimeout, MaxBackgroundTimeout time.Duration
	// NoBackground turns the background off: run_in_background is refused, and a
	// command that takes too long is ended.
	NoBackground bool
	// FixedDir makes every command start in the session's directory. Otherwise, in
	// a main session, it starts where the one before it ended, as long as that is
	// inside the working directories.
	FixedDir bool
	// Snapshot is a file that bash or zsh reads before each command, for aliases,
	// functions and settings of the user's. It is off by default, since a line is
	// judged by what its words mean without such a file: an alias can make ls
	// remove files, unasked. Whoever sets it vouches for what is in it.
	Snapshot string
	// Silence is how long a command may print nothing before an event says so,
	// once until it prints again. 0 means DefaultSilence, less means never.
	Silence time.Duration
	// MaxOutput is how many bytes a command may print before it is ended; 0 means
	// DefaultMaxOutput.
	MaxOutput int64
}

// withDefaults returns o with the numbers filled in.
func (o Options) withDefaults(shell ...string) Options {
	if o.Shell == nil {
		o.Shell = shell
	}
	fill := func(limit, most *time.Duration, standard, highest time.Duration) {
		if *most <= 0 {
			*most = highest
		}
		if *limit <= 0 {
			*limit = min(standard, *most)
		}
	}
	fill(&o.Timeout, &o.MaxTimeout, DefaultTimeout, DefaultMaxTimeout)
	fill(&o.BackgroundTimeout, &o.MaxBackgroundTimeout, DefaultBackgroundTimeout, DefaultMaxBackgroundTimeout)
	if o.Silence == 0 {
		o.Silence = DefaultSilence
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = DefaultMaxOutput
	}
	return o
}

// timeoutFor is how long a command may take.
func (o Options) timeoutFor(in commandInput) time.Duration {
	limit, most := o.Timeout, o.MaxTimeout
	if in.Background {
		limit, most = o.BackgroundTimeout, o.MaxBackgroundTimeout
	}
	if in.Timeout > 0 {
		limit = milliseconds(in.Timeout, most)
	}
	return limit
}
