// Package shell determines the effects of a command line, as targets of package policy: the
// commands, the files that they read and write, and the hosts. It runs nothing.
//
//	line := shell.Read("git status && cat .env | tee out.txt", shell.Env{Dir: here.Dir(), Home: here.Home()})
//	d := perms.Decide(ctx, policy.Request{Tool: policy.Builtin("Bash"), Targets: line.Targets, Facts: line.Facts, Place: here})
//
// It knows the grammar of bash and zsh, and the arguments of about two hundred programs. Of
// PowerShell it understands one plain command. Anything that it does not understand becomes an opaque
// target with the reason, which no pattern covers.
package shell

import (
	"path/filepath"

	"github.com/seed49eaa51d/pegboard/internal/gitrepo"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Shell is the program that runs a line.
type Shell int

// The shells.
const (
	Bash Shell = iota
	Zsh
	PowerShell // only a line of one plain command is understood
)

// parsed returns the shell as the parser knows it.
func (s Shell) parsed() shellparse.Shell {
	switch s {
	case Zsh:
		return shellparse.Zsh
	case PowerShell:
		return shellparse.PowerShell
	}
	return shellparse.Bash
}

// Env is the environment in which a line runs. The zero value knows nothing, and is the cautious
// one.
type Env struct {
	Shell Shell
	Dir   string // the working directory, absolute; relative paths start here
	Home  string // the directory of ~ and $HOME; empty means unknown
	// IsPublic reports whether an environment variable holds no secret. Nil means that only
	// variables that never do, such as HOME and LANG, hold none.
	IsPublic func(name string) bool
	// IsExported reports whether the programs of the line find a variable in their environment,
	// whatever the line does. Nil means that any variable may be there.
	IsExported func(name string) bool
	// Program returns the check of the program of one command of line, given by its index, or nil.
	// The check becomes [policy.ShellFacts].VerifyProgram. Program is called for each command
	// whose program is known. If it is nil, there is no check of the program that has the name.
	Program func(line *Line, command int) (check func() error)
}

// A Line holds the effects of a command line.
type Line struct {
	// Commands are the simple commands in the order of the text, including those in
	// substitutions, loops and functions.
	Commands []Command
	// Targets are the things that the line touches: each command with its files and hosts, hosts
	// that are only mentioned, and the files of redirections. If the line is empty or not
	// understood, the last target is opaque, with the reason. No target is resolved.
	Targets []policy.Target
	Facts   policy.Facts // ReadOnly and OpenWorld
	// Unknown is why the line is not fully understood, or "". The other fields hold everything
	// that was found in either case.
	Unknown    string
	Background bool // the line starts something with &
}

// A Command is one simple command of a line.
type Command struct {
	// Text is compared with allow rules: the words as written, separated by one blank, without
	// redirections, wrappers and assignments that allow rules ignore.
	Text string
	// Nested are further texts that are compared with deny and ask rules, such as the command
	// after sudo.
	Nested []string
	// Starts are the commands that this one starts with names of files that it finds.
	Starts []string

	Known       bool   // the program and these arguments are known
	ReadOnly    bool   // it changes nothing, as far as the text tells
	EditsOnly   bool   // it only reads and writes its files
	ReadsInput  bool   // the line gives it an input that Text does not show
	NoWildcards bool   // no allow rule with a wildcard covers it
	Exceeds     string // the argument because of which NoWildcards is set, or "" if none can be named
	DenyReason  string // why the command must not run whatever anyone allows, or ""

	Targets []policy.Target // of the command, its files and its hosts; part of the Targets of the line
}

// Read reads a line. It never fails, and does not depend on earlier lines. The only files that it
// reads are the settings of git, for an unknown subcommand, which may be an alias.
func Read(line string, env Env) Line { return new(Reader).Read(line, env) }

// A Reader is [Read] for many lines, and saves memory between them. The zero value is ready to
// use. It may be used concurrently.
type Reader struct{ parser shellparse.Parser }

// Read is [Read].
func (r *Reader) Read(line string, env Env) Line {
	in := shellparse.Env{Shell: env.Shell.parsed(), Dir: env.Dir, Home: env.Home, IsPublic: env.IsPublic, IsExported: env.IsExported}
	if filepath.IsAbs(env.Dir) { // otherwise it is not known which repository git would use
		in.GitAliases = gitrepo.Aliases
	}
	parsed := r.parser.Parse(line, in)
	l := &Line{Unknown: parsed.Unknown, Background: parsed.Background}
	l.addCommands(&parsed, env.Program)
	l.addMentioned(&parsed)
	for _, p := range parsed.Paths {
		l.Facts.ReadOnly = l.Facts.ReadOnly && !p.Write
		l.Targets = append(l.Targets, pathTarget(p, ""))
	}
	if l.Unknown != "" || len(l.Targets) == 0 {
		l.Targets = append(l.Targets, policy.Target{Kind: policy.Opaque, Value: l.Unknown})
	}
	return *l
}

// addCommands adds the commands of a line, with their targets.
func (l *Line) addCommands(parsed *shellparse.Line, program func(*Line, int) func() error) {
	l.Facts.ReadOnly = parsed.Unknown == ""
	l.Commands, l.Targets = make([]Command, len(parsed.Commands)), make([]policy.Target, 0, targetCount(parsed))
	for i := range parsed.Commands {
		c := &parsed.Commands[i]
		l.Facts.ReadOnly = l.Facts.ReadOnly && c.Class == shellparse.ReadOnly
		l.Facts.OpenWorld = l.Facts.OpenWorld || len(c.Hosts) > 0
		l.Commands[i] = Command{
			Text: c.Text, Nested: c.Nested, Starts: c.Starts, Known: c.Class != shellparse.Unknown, ReadOnly: c.Class == shellparse.ReadOnly,
			EditsOnly: c.EditsOnly, ReadsInput: c.ReadsInput, NoWildcards: c.NoWildcards, Exceeds: c.Exceeds, DenyReason: c.DenyReason,
		}
	}
	repositories := &repositoryCheck{}
	for i := range parsed.Commands {
		c, first := &parsed.Commands[i], len(l.Targets)
		t := commandTarget(c, repositories)
		if program != nil && (c.Class != shellparse.Unknown || shellparse.KnowsProgram(shellparse.ProgramOf(c.Text))) {
			t.Shell.VerifyProgram, t.Shell.BringsProgram = program(l, i), isBrought(c)
		}
		l.Targets = append(l.Targets, t)
		for k := range c.Paths {
			t := pathTarget(c.Paths[k], c.Text)
			t.Shell.MovesNames = movesNames(c, &c.Paths[k])
			l.Targets = append(l.Targets, t)
		}
		for _, host := range c.Hosts {
			l.Targets = append(l.Targets, policy.Target{Kind: policy.Host, Access: policy.Run, Value: host, Shell: policy.ShellFacts{Guess: true}})
		}
		l.Commands[i].Targets = l.Targets[first:len(l.Targets):len(l.Targets)]
	}
}

// targetCount returns the number of targets of a line, without the hosts that it mentions.
func targetCount(line *shellparse.Line) int {
	n := len(line.Commands) + len(line.Paths)
	for i := range line.Commands {
		n += len(line.Commands[i].Paths) + len(line.Commands[i].Hosts)
	}
	if line.Unknown != "" || n == 0 {
		n++
	}
	return n
}

// SelfContained reports whether all commands of the line are known, and start no other program for
// their work, as git starts its hooks.
func (l *Line) SelfContained() bool {
	for i := range l.Commands {
		c := &l.Commands[i]
		name := shellparse.ProgramOf(c.Text)
		if !c.Known || !c.ReadOnly && !c.EditsOnly && !stillPrograms[name] && name != "ln" {
			return false
		}
	}
	return l.Unknown == ""
}
