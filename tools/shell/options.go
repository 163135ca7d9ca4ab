package shell

import (
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// The limits that Claude Code documents for its Bash tool.
const (
	DefaultTimeout    = 2 * time.Minute
	DefaultMaxTimeout = 10 * time.Minute

	// For commands in the background. The public types of Claude Code name these two,
	// its documentation does not.
	DefaultBackgroundTimeout    = 30 * time.Minute
	DefaultMaxBackgroundTimeout = 2 * time.Hour

	DefaultMaxShown  = 30_000        // bytes of output that the model sees of a command that succeeded
	MaxShownFailed   = 10_000        // bytes of output that the model sees of a command that failed
	MaxStored        = 64 << 20      // bytes of output that are stored
	DefaultMaxOutput = 5_000_000_000 // bytes of output; a command that prints more is ended
)

// Limits with another source.
const (
	PreviewSize    = 2_000                  // bytes shown of a stored output, as in public transcripts of Claude Code
	DefaultSilence = 5 * time.Minute        // time without output until a progress event reports it; Gemini CLI's documented limit
	startWait      = 200 * time.Millisecond // time in which a background command may fail before its call returns, as in Gemini CLI
)

// Options change [Bash] and [PowerShell]. The zero value works.
type Options struct {
	// Shell is the program and the flag that precedes a command line. Nil means
	// {"bash", "-c"}, and for PowerShell {"pwsh", "-NoProfile", "-NonInteractive",
	// "-Command"}. On Windows nil means the bash in PATH, unless it is that of the
	// Windows Subsystem for Linux, or else that of Git for Windows; and PowerShell 7, or
	// else the PowerShell of the system. A shell that first reads a file of the user may interpret a line
	// in another way than it was parsed: use {"zsh", "-f", "-c"} for zsh.
	Shell []string
	// Env is the environment, with settings that keep editors, pagers and git from
	// waiting for a person where Env has no such variables. Nil means the environment
	// of this process without the variables in Withheld, and with these settings.
	// Variables that make a shell read another file first or that replace commands are
	// removed in both cases.
	Env []string
	// Vars are set in the environment beside Env or the inherited variables, Withheld or not, as
	// the key env of settings files says. A command is not free to show their values, see Public.
	Vars map[string]string
	// Withheld are the names of variables of this process that commands do not get, since their
	// values would reach the model. A * stands for any characters, and letter case does not count.
	// Of the names that match a variable the last counts. A name with a ! before it lets the
	// variable pass, as in
	//	append(shell.DefaultWithheld(), "!GH_TOKEN")
	// Nil means [DefaultWithheld]; an empty list withholds nothing. It has no effect
	// on Env.
	Withheld []string
	// Public are the names of variables that hold no secret, besides those that never do,
	// such as HOME, PATH and LANG: a line that shows the value of any other variable that
	// it did not set itself, as echo $NAME does, is not read-only. The names are written
	// as in Withheld. Nil means no more.
	Public []string
	// Timeout is how long a command may run if its call does not say; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// MaxTimeout is the longest timeout of a call; a longer one is reduced to it. 0
	// means DefaultMaxTimeout.
	MaxTimeout time.Duration
	// BackgroundTimeout and MaxBackgroundTimeout are the same limits for commands in
	// the background; 0 means DefaultBackgroundTimeout and
	// DefaultMaxBackgroundTimeout. A command that moves to the background may run for
	// another BackgroundTimeout.
	BackgroundTimeout, MaxBackgroundTimeout time.Duration
	// NoBackground disables the background: run_in_background is refused, and a
	// command that takes too long is ended.
	NoBackground bool
	// FixedDir keeps the working directory where it is. Otherwise, in a main session,
	// the directory in which a command ends is the [pegboard.Session.Cwd] from then on, also
	// of the file tools, if it is inside the working directories.
	FixedDir bool
	// Snapshot is a file that bash or zsh reads before each command, for the user's
	// aliases, functions and settings. The default is no file, because permission is
	// decided from the words of the line, to which an alias can give another meaning. A
	// host that sets Snapshot must trust the file. A command that was decided as
	// read-only does not read it.
	Snapshot string
	// EnvFile returns the file to which a session writes settings of the environment for
	// its commands, such as the lines "export NAME=value" of a hook. It is asked before each
	// command, and bash or zsh reads the file as Snapshot, but after that and after Startup,
	// so that its settings win. A relative path is in the session's directory. If the path is
	// empty or no regular file is there, nothing is read. Nil means no file. As with Snapshot, the
	// host must trust the file: whatever it holds runs with each command that is allowed, so
	// it belongs where no tool may write, outside of the working directories. EnvFile may be
	// called concurrently. It has no effect in PowerShell.
	EnvFile func(*pegboard.Session) string
	// Startup gives commands the state of the user's own shell after its start-up: its PATH and
	// other exported variables without those in Withheld, and its functions and aliases if it is
	// the shell that runs commands. That shell, $SHELL if it is bash or zsh, is started once for a
	// conversation, in the home directory, by the first command that was not decided as read-only.
	// Read-only commands get its PATH alone, once it is known. As with Snapshot, a host that sets
	// Startup must trust the user's files. It has no effect on Windows and in PowerShell.
	Startup bool
	// StartupTimeout is how long the user's shell may take to start; after it commands
	// run without its start-up, and the first says so. 0 means DefaultStartupTimeout.
	StartupTimeout time.Duration
	// Sandbox limits commands, while they run, to the access that was decided. Nil means no limit.
	// A command in the sandbox needs no permission if it names no host and no file outside of the
	// working directories, unless a deny or ask rule is about it or about files that cannot be
	// known, see [policy.Rule.Places]; an ask rule for the whole tool is not about it, except in
	// plan mode. A refusal by the sandbox is asked about, and if it is allowed, the command runs
	// again without it. A call may ask for that with dangerouslyDisableSandbox, and then needs
	// permission as without a sandbox. Neither happens where a deny rule is about files. The
	// defaults of these options are those that Claude Code documents.
	Sandbox Sandbox
	// SandboxOnly lets no command run without the sandbox, but for SandboxExcluded.
	SandboxOnly bool
	// SandboxAsks makes a command in the sandbox need the same permission as one without.
	SandboxAsks bool
	// SandboxExcluded are commands for which a line runs without the sandbox, such as
	// "docker *", in the form of the text of a Bash rule. Such a line needs permission as
	// without a sandbox. A text that no rule can have is ignored.
	SandboxExcluded []string
	// Silence is how long a command may print nothing until a progress event reports
	// it, once for each silence. 0 means DefaultSilence; a negative value disables
	// the event.
	Silence time.Duration
	// MaxShown is how many bytes of its output the model sees of a command that succeeded; 0 means
	// DefaultMaxShown. Of one that failed these are at most MaxShownFailed.
	MaxShown int
	// MaxOutput is how many bytes a command may print; a command that prints more is
	// ended. 0 means DefaultMaxOutput.
	MaxOutput int64

	findShell bool // Shell was nil
}

// withDefaults returns o with the default for each option that is not set.
func (o Options) withDefaults(shell ...string) Options {
	if o.Shell == nil {
		o.Shell, o.findShell = shell, true
	}
	if o.Withheld == nil {
		o.Withheld = DefaultWithheld()
	}
	fill := func(limit, maxLimit *time.Duration, defaultLimit, defaultMax time.Duration) {
		if *maxLimit <= 0 {
			*maxLimit = defaultMax
		}
		if *limit <= 0 {
			*limit = min(defaultLimit, *maxLimit)
		}
	}
	fill(&o.Timeout, &o.MaxTimeout, DefaultTimeout, DefaultMaxTimeout)
	fill(&o.BackgroundTimeout, &o.MaxBackgroundTimeout, DefaultBackgroundTimeout, DefaultMaxBackgroundTimeout)
	if o.Silence == 0 {
		o.Silence = DefaultSilence
	}
	if o.StartupTimeout <= 0 {
		o.StartupTimeout = DefaultStartupTimeout
	}
	if o.MaxShown <= 0 {
		o.MaxShown = DefaultMaxShown
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = DefaultMaxOutput
	}
	return o
}

// timeoutFor returns how long a command may run.
func (o Options) timeoutFor(in commandInput) time.Duration {
	limit, maxLimit := o.Timeout, o.MaxTimeout
	if in.Background {
		limit, maxLimit = o.BackgroundTimeout, o.MaxBackgroundTimeout
	}
	if in.Timeout > 0 {
		limit = milliseconds(in.Timeout, maxLimit)
	}
	return limit
}
