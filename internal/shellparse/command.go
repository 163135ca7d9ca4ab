package shellparse

import (
	"path"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/shelltable"
)

// Class says whether a command changes anything.
type Class int

// The classes, in order of increasing risk.
const (
	ReadOnly Class = iota // changes nothing and sends nothing
	Mutating              // changes something
	Unknown               // effect is not known
)

// A Command is one simple command of a line.
type Command struct {
	// Text is matched against allow rules. It holds the words as written, separated by
	// one blank, without redirections, wrappers and assignments that allow rules
	// ignore.
	Text string
	// Nested are additional texts that only deny and ask rules are matched against: the
	// words without quotes, the command under the base name of a program that is given
	// by its path, the command without any wrappers and assignments, and the commands
	// that it runs (under sudo, xargs, find -exec, sh -c).
	Nested []string

	// Starts are the commands that the command starts with names of files that it finds, if
	// it does nothing else but read. An allow rule with a wildcard for each of them covers the
	// command: their arguments are harmless whatever the files are called.
	Starts []string

	Class  Class
	Reason string // why Class is not ReadOnly
	// EditsOnly is set if the command only reads and writes its Paths.
	EditsOnly bool
	// NoWildcards is set if no allow rule with a wildcard may cover the command.
	NoWildcards bool
	// Exceeds is the argument because of which NoWildcards is set, as the line spells it, or ""
	// if it is none that can be named.
	Exceeds string
	// ReadsInput is set if the line, another command or a file of the line may supply
	// the command's standard input, so that Text does not tell everything the program
	// is given. Input from /dev/null does not count.
	ReadsInput bool
	// RunsUnseen is set if the command may run another that neither Text nor Nested
	// shows: one in a variable or an option whose value is not known, or one that a
	// program in another language puts together.
	RunsUnseen bool
	// ReadsUnseen is set if the command reads files whose names stand in another file or
	// come from its input, or is given names that a pattern stands for which is not known.
	ReadsUnseen bool
	// AskReason is the reason why a person must be asked whatever rules and modes
	// allow, such as the removal of the home directory. It is empty if no reason
	// exists.
	AskReason string
	// DenyReason is the reason why the command must not run in any mode, whatever
	// anyone allows. AskReason is then set, too. It is empty if no reason exists.
	DenyReason string

	Paths []Path
	Hosts []string // as written in the line
	// Mentioned are further hosts that the command may reach: those that its arguments and
	// variables mention. The use that a program makes of them is not known.
	Mentioned []string
	// SplitNames are trees whose names are split at blanks, quotes and backslashes: the
	// command is ReadOnly only if no name has any, and none begins with a dash. If OnFound is
	// set, an allow rule with a wildcard covers it only then.
	SplitNames []Path
	// OnFound is set if the command gets names of files that are found when it runs, and may
	// do more than read them.
	OnFound bool
	// Git is set for a git command that is ReadOnly only if the repository's
	// configuration starts no program.
	Git *Git
}

// Git describes the use of git in a repository.
type Git struct {
	Dir string // directory in which git starts, absolute
}

// worsen raises the class of a command.
func (c *Command) worsen(class Class, reason string) {
	if class > c.Class {
		c.Class, c.Reason = class, reason
	}
}

// addReasons sets AskReason and DenyReason unless they are set already.
func (c *Command) addReasons(reason, banned string) {
	if c.AskReason == "" {
		c.AskReason = reason
	}
	if c.DenyReason == "" {
		c.DenyReason = banned
	}
}

// addLine adds the texts, paths and reasons of a line that the command runs. The paths
// become guesses.
func (c *Command) addLine(line Line) {
	paths := line.Paths
	for _, inner := range line.Commands {
		c.Nested = append(append(c.Nested, inner.Text), inner.Nested...)
		c.addReasons(inner.AskReason, inner.DenyReason)
		c.RunsUnseen = c.RunsUnseen || inner.RunsUnseen
		c.ReadsUnseen = c.ReadsUnseen || inner.ReadsUnseen
		paths = append(paths, inner.Paths...)
	}
	for _, p := range paths {
		if !p.Guess {
			p.Guess, p.MayWrite = true, p.Write
		}
		c.Paths = append(c.Paths, p)
	}
}

// markAddedArgs changes Text if xargs adds arguments to the command, so that an exact
// allow rule for the text does not match.
func (c *Command) markAddedArgs(s strippedCommand) {
	if s.addsArgs {
		c.Nested = append(c.Nested, c.Text)
		c.Text += shelltable.AddedArgsMark
	}
}

// removeDuplicates removes nested texts, hosts and guessed paths that are listed
// already.
func (c *Command) removeDuplicates() {
	kept := c.Nested[:0]
	for _, text := range c.Nested {
		if text != "" && text != c.Text && !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	c.Nested = kept
	var hosts []string
	for _, host := range c.Hosts {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	c.Hosts = hosts
	if len(c.Paths) < 2 || !slices.ContainsFunc(c.Paths, func(p Path) bool { return p.Guess }) {
		return
	}
	seen := map[Path]bool{}
	c.Paths = slices.DeleteFunc(c.Paths, func(p Path) bool {
		sure := p
		sure.Guess, sure.MayWrite = false, false
		again := p.Guess && (seen[p] || seen[sure])
		seen[p] = true
		return again
	})
}

// addSpellings adds the texts under which deny rules look for a command. low is the
// name of its program as programName returns it.
func (c *Command) addSpellings(args []arg, program string) {
	name := args[0].value
	plain := !slices.ContainsFunc(args, func(a arg) bool { return a.value != a.source })
	global := program == "git" && len(args) > 1 && strings.HasPrefix(args[1].value, "-")
	sub, dashed := strings.CutPrefix(program, "git-")
	if plain && name == program && !global && !dashed {
		return
	}
	values := joinValues(args)
	c.Nested = append(c.Nested, values)
	if slices.ContainsFunc(args, func(a arg) bool { return a.fromBraces }) {
		c.Nested = append(c.Nested, joinArgs(args, unquotedText))
	}
	if name == "" {
		return
	}
	rest := strings.TrimPrefix(values, name)
	if name != program {
		c.Nested = append(c.Nested, path.Base(name)+rest, program+rest)
	}
	if dashed {
		c.Nested = append(c.Nested, "git "+sub+rest)
	}
	if more := joinArgs(args[1:], sourceText); more != "" {
		c.Nested = append(c.Nested, program+" "+more)
	}
	if global {
		c.Nested = append(c.Nested, "git "+joinValues(gitCommand(args[1:])))
	}
}

// addSuffixes adds the texts that begin at a later word of the command.
func (c *Command) addSuffixes(args []arg) {
	for i := 1; i < min(len(args), maxCommandWords); i++ {
		a := args[i]
		if !a.isLiteral() || a.value == "" || strings.HasPrefix(a.value, "-") {
			continue
		}
		c.Nested = append(c.Nested, joinSources(c.Text, args[i:]))
		c.addSpellings(args[i:], programName(a.value))
	}
}

// programName returns the name of a program as deny rules spell it: without directory,
// in lower case, without .exe.
func programName(name string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe")
}

// cutDelimited cuts text at the first delimiter that no backslash precedes. It reports
// false if the line ends before a delimiter.
func cutDelimited(text string, delimiter byte) (body, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return "", "", false
		case delimiter:
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// bracketsClosed reports whether every bracket expression of a regular expression is
// closed, whether or not a program treats a backslash in it as an escape. A delimiter
// inside an open one would end the expression only for some programs.
func bracketsClosed(expression string) bool {
	return bracketsClosedAs(expression, true) && bracketsClosedAs(expression, false)
}

func bracketsClosedAs(expression string, escapes bool) bool {
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[':
			n := bracketLen(expression[i:], escapes)
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// bracketLen returns the length of the bracket expression at the start of text, or 0 if
// it does not end.
func bracketLen(text string, escapes bool) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") {
		i++
	}
	for i < len(text) {
		switch {
		case text[i] == ']':
			return i + 1
		case text[i] == '\\' && escapes:
			i += 2
		case text[i] == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			n := strings.Index(text[i+2:], text[i+1:i+2]+"]")
			if n < 0 {
				return 0
			}
			i += n + 4
		default:
			i++
		}
	}
	return 0
}
