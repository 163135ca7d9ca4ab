// Command pegboard answers questions about the settings files of a coding agent, and runs the
// tools of this library under them: from a shell, a script or a program in another language.
//
//	pegboard explain TOOL INPUT…   how a call would be decided, and by which line of which file
//	pegboard check                 rules and hooks that do not do what their author means
//	pegboard tools                 the tools there are, and why the others are absent
//	pegboard serve                 the tools as an MCP server on standard input and output
//	pegboard run                   calls that stand on standard input as lines of JSON
//
// The files are those that Claude Code documents: settings.json, hooks, skills and agents below
// .claude in the project and in the home directory, .mcp.json, and the files of the administrator.
//
// Explain, check and tools run nothing, and show what holds once the user trusts the project.
// Serve and run believe a project's allow rules and hooks only with -trust.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/builtin"
	"github.com/seed49eaa51d/pegboard/settings"
	"github.com/seed49eaa51d/pegboard/settings/hooks"
)

func main() {
	p := program{
		in: os.Stdin, out: os.Stdout, errs: os.Stderr, colours: isTerminal(os.Stdout),
		locate: func(dir string) settings.Files { return settings.Locate(dir, "") },
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// The exit statuses.
const (
	statusOK     = 0
	statusFailed = 1 // it could not be done, or was asked for in the wrong way
	statusFound  = 2 // check has found something
)

// errFound is the error of a check that has found something and said so.
var errFound = errors.New("there are problems")

// A program is one run of the command, with what it has of the world.
type program struct {
	in        io.Reader
	out, errs io.Writer
	colours   bool
	locate    func(dir string) settings.Files
}

// A command is one of the things that the program does.
type command struct {
	name, arguments, does string
	help                  string
	make                  func(*program, *flag.FlagSet) func(ctx context.Context, args []string) error
}

func commands() []command {
	return []command{
		{"explain", "TOOL INPUT…", "says how a call would be decided, and by which line of which file", explainHelp, newExplain},
		{"check", "", "finds rules and hooks that do not do what their author means", checkHelp, newCheck},
		{"tools", "", "lists the tools, and why others are absent", toolsHelp, newTools},
		{"serve", "", "is an MCP server with the tools, on standard input and output", serveHelp, newServe},
		{"run", "", "runs calls that stand on standard input, a line of JSON each", runHelp, newRun},
	}
}

// run does what the arguments say, and returns the exit status.
func (p *program) run(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" || args[0] == "help" {
		p.usage()
		if len(args) == 0 {
			return statusFailed
		}
		return statusOK
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return p.do(ctx, c, args[1:])
		}
	}
	p.tell("pegboard: there is no command %q\n\n", args[0])
	p.usage()
	return statusFailed
}

func (p *program) usage() {
	p.tell("pegboard asks and runs the tools of an agent under the settings files that it has.\n\n")
	for _, c := range commands() {
		p.tell("  pegboard %-22s %s\n", c.name+" "+c.arguments, c.does)
	}
	p.tell("\nWith -h, a command tells more. Exit status: 0, or 1 if it could not be done, or 2 if check finds something.\n")
}

// tell writes to standard error.
func (p *program) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(p.errs, format, args...) // there is nowhere else to tell it
}

// do runs one command.
func (p *program) do(ctx context.Context, c command, args []string) int {
	flags := flag.NewFlagSet("pegboard "+c.name, flag.ContinueOnError)
	flags.SetOutput(p.errs)
	flags.Usage = func() {
		p.tell("pegboard %s [flags] %s\n\n%s\nFlags:\n", c.name, c.arguments, c.help)
		flags.PrintDefaults()
	}
	do := c.make(p, flags)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return statusOK
	case err != nil:
		return statusFailed
	}
	switch err := do(ctx, flags.Args()); {
	case errors.Is(err, errFound):
		return statusFound
	case err != nil:
		p.tell("pegboard %s: %v\n", c.name, err)
		return statusFailed
	}
	return statusOK
}

// A place says which files are read, and what is believed of them.
type place struct {
	dir, mode, settings string
	trust               bool
}

// addFlags adds the flags of a place. Trust is the default of -trust.
func (at *place) addFlags(flags *flag.FlagSet, trust bool) {
	flags.StringVar(&at.dir, "dir", ".", "the working directory")
	flags.StringVar(&at.mode, "mode", "", "the permission mode, such as default, plan, acceptEdits or dontAsk; empty means that of the files")
	flags.StringVar(&at.settings, "settings", "", "one more settings `file`, or its text as JSON")
	flags.BoolVar(&at.trust, "trust", trust, "count what the project's own files allow and run, as after the user has trusted it")
}

// load reads the files. Those that cannot be read are in the error, beside all others.
func (p *program) load(ctx context.Context, at place) (settings.Files, *settings.Loaded, error) {
	f := p.locate(at.dir)
	f.Trusted, f.Flags = at.trust, settings.Flags{Settings: at.settings, Mode: at.mode}
	loaded, err := f.Load(ctx)
	return f, loaded, err
}

// asleep returns settings of which nothing is started: no hook and no MCP server.
func asleep(l *settings.Loaded) *settings.Loaded {
	quiet := *l
	quiet.Hooks, quiet.Servers = hooks.Set{}, nil
	return &quiet
}

// An opened session has tools.
type opened struct {
	set     *builtin.Set
	session *pegboard.Session
}

// open makes the tools and a session. The caller closes the session.
func open(o builtin.Options, cfg pegboard.SessionConfig) (opened, error) {
	set, err := builtin.Tools(o)
	if err != nil {
		return opened{}, err
	}
	session, err := set.NewSession(cfg)
	return opened{set, session}, err
}

func (o opened) pool(ctx context.Context) *pegboard.Pool { return o.set.Pool(ctx, o.session) }
