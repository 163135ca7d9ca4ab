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
	// Inner are further texts that only deny and ask rules are held against:
	// the words without their quotes, with the bare name of a program given by
	// its path, without all wrappers and assignments, and what the command runs
	// in its turn (under sudo, xargs, find -exec, sh -c).
	Inner []string

	Class Class
	Why   string // why Class is not ReadOnly
	// Edits says that the command does nothing but read and write its Paths.
	Edits bool
	// Exact says that no allow rule with a wildcard may cover it.
	Exact bool
	// Fed says that its standard input may be what the line or another command
	// or a file of the line says: Text does not tell all that the program is
	// given. A command fed by nothing but /dev/null is not.
	Fed bool
	// Caution says why a person must be asked whatever rules and modes allow,
	// such as the removal of the home directory. Empty if there is no reason.
	Caution string
	// Banned says why nothing and nobody may let it run, in any mode. Caution
	// then is set, too. Empty if there is no reason.
	Banned string

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
func (c *Command) worsen(class Class, why string) {
	if class > c.Class {
		c.Class, c.Why = class, why
	}
}

// caution keeps the first reason for either.
func (c *Command) caution(why, banned string) {
	if c.Caution == "" {
		c.Caution = why
	}
	if c.Banned == "" {
		c.Banned = banned
	}
}

// feed marks the text of a command to which xargs adds arguments, so that no
// rule for exactly that text allows it.
func (c *Command) feed(s stripped) {
	if s.fed {
		c.Inner = append(c.Inner, c.Text)
		c.Text += " …"
	}
}

// tidy removes the inner texts and the paths that say nothing new.
func (c *Command) tidy() {
	kept := c.Inner[:0]
	for _, text := range c.Inner {
		if text != "" && text != c.Text && !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	c.Inner = kept
	var hosts []string
	for _, host := range c.Hosts {
		if !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	c.Hosts = hosts
	if len(c.Paths) < 2 || !slices.ContainsFunc(c.Paths, func(p Path) bool { return p.Maybe }) {
		return
	}
	seen := map[Path]bool{}
	c.Paths = slices.DeleteFunc(c.Paths, func(p Path) bool {
		maybe := p.Maybe
		p.Maybe = false
		again := seen[p] && maybe
		seen[p] = true
		return again
	})
}

// spellings adds the texts by which rules that deny know a command. low is the name
// of its program.
func (c *Command) spellings(args []arg, low string) {
	name := args[0].value
	plain := !slices.ContainsFunc(args, func(a arg) bool { return a.value != a.source })
	global := low == "git" && len(args) > 1 && strings.HasPrefix(args[1].value, "-")
	sub, dashed := strings.CutPrefix(low, "git-")
	if plain && name == low && !global && !dashed {
		return
	}
	values := joinValues(args)
	c.Inner = append(c.Inner, values)
	if slices.ContainsFunc(args, func(a arg) bool { return a.cont }) {
		c.Inner = append(c.Inner, join(args, unquoted))
	}
	if name == "" {
		return
	}
	rest := strings.TrimPrefix(values, name)
	if name != low {
		c.Inner = append(c.Inner, path.Base(name)+rest, low+rest)
	}
	if dashed {
		c.Inner = append(c.Inner, "git "+sub+rest)
	}
	if more := join(args[1:], source); more != "" {
		c.Inner = append(c.Inner, low+" "+more)
	}
	if global {
		c.Inner = append(c.Inner, "git "+joinValues(gitCommand(args[1:])))
	}
}

// suffixes adds the texts that begin at a later word.
func (c *Command) suffixes(args []arg) {
	for i := 1; i < min(len(args), maxWords); i++ {
		a := args[i]
		if !a.exact() || a.value == "" || strings.HasPrefix(a.value, "-") {
			continue
		}
		c.Inner = append(c.Inner, endOf(c.Text, args[i:]))
		c.spellings(args[i:], program(a.value))
	}
}

// program is the name of a program as rules know it.
func program(name string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(name)), ".exe")
}
