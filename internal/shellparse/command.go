package shellparse

import (
	"path"
	"slices"
	"strings"
)

// Class says what a command does to the world.
type Class int

// The classes. Larger is worse.
const (
	ReadOnly Class = iota // changes nothing and sends nothing
	Mutating              // changes something
	Unknown               // nobody knows
)

// A Command is one simple command of a line.
type Command struct {
	// Text is what an allow rule is held against: the words as they stand in
	// the line, one blank between them, without redirections, without the
	// wrappers and assignments that an allow rule sees past.
	Text string
	// Nested are further texts that only deny and ask rules are held against:
	// the words without their quotes, with the bare name of a program given by
	// its path, without all wrappers and assignments, and what the command runs
	// in its turn (under sudo, xargs, find -exec, sh -c).
	Nested []string

	Class  Class
	Reason string // why Class is not ReadOnly
	// EditsOnly says that the command does nothing but read and write its Paths.
	EditsOnly bool
	// NoWildcards says that no allow rule with a wildcard may cover it.
	NoWildcards bool
	// ReadsInput says that its standard input may be what the line or another command
	// or a file of the line says: Text does not tell all that the program is
	// given. A command fed by nothing but /dev/null is not.
	ReadsInput bool
	// AskReason says why a person must be asked whatever rules and modes allow,
	// such as the removal of the home directory. Empty if there is no reason.
	AskReason string
	// DenyReason says why nothing and nobody may let it run, in any mode. Caution
	// then is set, too. Empty if there is no reason.
	DenyReason string

	Paths []Path
	Hosts []string // as they stand in the line
	// Git is set for a git command that is ReadOnly provided that the
	// configuration of the repository starts no program.
	Git *Git
}

// Git is the use of git in a repository.
type Git struct {
	Dir string // the directory it starts in, absolute
}

// worsen raises the class of a command.
func (c *Command) worsen(class Class, reason string) {
	if class > c.Class {
		c.Class, c.Reason = class, reason
	}
}

// addReasons keeps the first reason for either.
func (c *Command) addReasons(reason, banned string) {
	if c.AskReason == "" {
		c.AskReason = reason
	}
	if c.DenyReason == "" {
		c.DenyReason = banned
	}
}

// markAddedArgs marks the text of a command to which xargs adds arguments, so that no
// rule for exactly that text allows it.
func (c *Command) markAddedArgs(s strippedCommand) {
	if s.addsArgs {
		c.Nested = append(c.Nested, c.Text)
		c.Text += " …"
	}
}

// removeDuplicates removes the inner texts and the paths that say nothing new.
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
		maybe := p.Guess
		p.Guess = false
		again := seen[p] && maybe
		seen[p] = true
		return again
	})
}

// addSpellings adds the texts by which rules that deny know a command. low is the name
// of its program.
func (c *Command) addSpellings(args []arg, low string) {
	name := args[0].value
	plain := !slices.ContainsFunc(args, func(a arg) bool { return a.value != a.source })
	global := low == "git" && len(args) > 1 && strings.HasPrefix(args[1].value, "-")
	sub, dashed := strings.CutPrefix(low, "git-")
	if plain && name == low && !global && !dashed {
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
	if name != low {
		c.Nested = append(c.Nested, path.Base(name)+rest, low+rest)
	}
	if dashed {
		c.Nested = append(c.Nested, "git "+sub+rest)
	}
	if more := joinArgs(args[1:], sourceText); more != "" {
		c.Nested = append(c.Nested, low+" "+more)
	}
	if global {
		c.Nested = append(c.Nested, "git "+joinValues(gitCommand(args[1:])))
	}
}

// addSuffixes adds the texts that begin at a later word.
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

// programName is the name of a program as rules know it.
func programName(name string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe")
}
