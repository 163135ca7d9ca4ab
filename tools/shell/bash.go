// Package shell holds the tools that run commands: [Bash], [PowerShell], and those
// for what runs in the background.
//
// A command line runs in a new process each time. The command leads a process
// group of its own: when its call is cancelled and when its session closes, the
// whole group is ended, and a descendant that keeps the output open cannot hang the
// call. One that takes too long goes on in the background, see [background.Tasks],
// if it can.
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
)

// The defaults, from the documentation of the harness whose Bash tool this one
// is compatible with.
const (
	DefaultTimeout = 2 * time.Minute
	MaxTimeout     = 10 * time.Minute

	// Of a command in the background. The public types of that harness name them,
	// its documentation does not.
	DefaultBackgroundTimeout = 30 * time.Minute
	MaxBackgroundTimeout     = 2 * time.Hour

	DefaultOutput  = 30_000        // bytes shown of a command that succeeded
	DefaultFailure = 10_000        // bytes shown of one that failed
	MaxStored      = 64 << 20      // bytes of output stored for reading on
	MaxPrinted     = 5_000_000_000 // bytes of output that end a command
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
	// it. 0 means the constant MaxTimeout.
	MaxTimeout time.Duration
	// BackgroundTimeout and MaxBackgroundTimeout are the same for commands in the
	// background; 0 means DefaultBackgroundTimeout and the constant
	// MaxBackgroundTimeout. A command that moves there has BackgroundTimeout from
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
	// MaxPrinted.
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
	fill(&o.Timeout, &o.MaxTimeout, DefaultTimeout, MaxTimeout)
	fill(&o.BackgroundTimeout, &o.MaxBackgroundTimeout, DefaultBackgroundTimeout, MaxBackgroundTimeout)
	if o.Silence == 0 {
		o.Silence = DefaultSilence
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = MaxPrinted
	}
	return o
}

type input struct {
	Command     string `json:"command" jsonschema_description:"The command line to run"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"minimum=1" jsonschema_description:"How long it may take, in milliseconds (default 120000, at most 600000; in the background 1800000 and 7200000)"`
	Description string `json:"description,omitempty" jsonschema_description:"What the command does, in five to ten words"`
	Background  bool   `json:"run_in_background,omitempty" jsonschema_description:"Start it and go on; its output goes to a file, and you are told when it ends"`
	NoSandbox   bool   `json:"dangerouslyDisableSandbox,omitempty" jsonschema_description:"Has no effect: this tool adds no sandbox"`
}

// Bash returns the tool that runs command lines in bash. Lines that only read and
// stay in their directory run beside each other, all others alone.
func Bash(o Options) pegboard.Tool {
	o = o.withDefaults("bash", "-c")
	return newRunner("Bash", o, newInspector(o.Shell)).tool(bashPrompt(o))
}

func bashPrompt(o Options) string {
	var b strings.Builder
	b.WriteString("Runs a command line in bash and returns what it prints, stdout and stderr together.\n" +
		"Use Read, Glob and Grep to look at files, and Edit and Write to change them, not cat, find, sed or echo.\n\n" +
		"- Each call is a new process without terminal and input: variables, functions and exports do not carry over. ")
	if o.FixedDir {
		b.WriteString("Each starts in the working directory.\n")
	} else {
		b.WriteString("The directory does, in the main conversation, while it is inside the working directories. Prefer absolute paths to cd.\n")
	}
	b.WriteString("- Quote paths that hold blanks. Join commands that need each other with &&; send those that do not as calls of one message.\n" +
		"- Output that is too long is stored in a file, whose path you get with its beginning. Print less where you can.\n")
	b.WriteString(backgroundAdvice(o))
	b.WriteString("- There is no sandbox around a command: what it does is done. Do not work around a denied command with another one.\n\n" +
		"git: commit, push or open a pull request only when the user asks. Before a commit look at git status, git diff and git log, add files by name, and leave out secrets. " +
		"Give the message with -m and a here-document. Never change the git configuration, skip hooks, force a push, or amend a commit that is not yours; no -i, there is nobody to answer. " +
		"For a pull request read all commits since the base branch, push with -u, then gh pr create with a summary and how it was tested; return its URL.")
	return b.String()
}

func backgroundAdvice(o Options) string {
	if o.NoBackground {
		return "- A command that takes longer than its timeout is ended, and whatever it leaves running with it.\n"
	}
	return "- For servers, watchers and long builds set run_in_background, not &: what a command leaves running is ended with it. You get a task id and an output file, and are told of the end; do not poll or sleep for it. " +
		"A command that takes longer than its timeout moves to the background where it can.\n"
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
