// Package pattern matches the specifier of a permission rule, the text in the
// parentheses of "Edit(/src/main.go)", against what a call acts on. It is the
// one place where anything is matched; nothing here does I/O.
//
// An allow rule is read as narrowly as its words permit, a deny or ask rule as
// widely. [Spec.Covers] is the one test, [Spec.Touches] the other.
package pattern

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the kind of thing a specifier speaks of.
type Kind int

// The kinds.
const (
	Text Kind = iota // the text itself
	Path
	Host
	Command
)

// Spec is a compiled specifier. The zero Spec matches nothing. A Spec is
// immutable and may be used by several goroutines.
type Spec struct {
	kind  Kind
	write bool // Edit: written paths; otherwise read ones
	names *words
	line  *lineRule
	host  *hostRule
	path  *pathRule
	led   []string // where an anchored path leads, if elsewhere
}

// Subject is one thing a call acts on, with all its names.
type Subject struct {
	Kind  Kind
	Write bool     // a path is written, not read
	Tree  bool     // a path stands for everything below it
	Exact bool     // only a specifier without wildcards covers it
	Names []string // absolute and clean for paths, and mapped to ASCII for hosts
	Inner []string // seen by Touches only
}

// ErrWildcard refuses a star where no rule has one, since a deny rule that
// silently matches less than it says is worse than none.
var ErrWildcard = errors.New("no wildcard is understood here; write the name exactly")

// Parse compiles the specifier text of a rule on tool. Which family of things
// it speaks of follows from the tool's name: Edit and Read speak of paths
// whoever touches them, WebFetch of hosts, Bash, PowerShell and Monitor of
// command lines, any other tool of the names its targets have.
//
// What [Parameter] reads as a parameter that the tool has is not for Parse.
func Parse(tool, text string) (Spec, error) {
	if strings.TrimSpace(text) == "" {
		return Spec{}, errors.New("the parentheses are empty; leave them out to mean the whole tool")
	}
	switch tool {
	case "Edit", "Read":
		path, err := parsePath(text)
		if err != nil {
			return Spec{}, err
		}
		return Spec{kind: Path, write: tool == "Edit", path: path}, nil
	case "WebFetch":
		host, err := parseHost(text)
		if err != nil {
			return Spec{}, err
		}
		return Spec{kind: Host, host: host}, nil
	case "Write", "NotebookEdit", "MultiEdit":
		return Spec{}, fmt.Errorf("no rule on %s is consulted for a path; write Edit(%s), which covers every tool that writes", tool, text)
	case "Glob", "Grep":
		return Spec{}, fmt.Errorf("no rule on %s is consulted for a path; write Read(%s), which covers every tool that reads", tool, text)
	case "Bash", "PowerShell", "Monitor":
		return Spec{kind: Command, line: parseLine(text, tool == "PowerShell")}, nil
	}
	return parseNames(tool, text)
}

// parseNames reads the name of an agent, a skill or a thing of any other tool. A
// skill's may end in " *" for what is said after it.
func parseNames(tool, text string) (Spec, error) {
	names := words{text: text}
	if first, ok := strings.CutSuffix(text, " *"); ok && tool == "Skill" {
		first = strings.TrimRight(first, " ")
		names = words{text: first, more: first + " *"}
	}
	if names.text == "" || strings.ContainsAny(names.text, "*?") {
		return Spec{}, ErrWildcard
	}
	return Spec{names: &names}, nil
}

func shell(tool string) bool { return tool == "Bash" || tool == "PowerShell" || tool == "Monitor" }

// Family reports whether a rule on tool speaks of a kind of target, whichever
// tool has it, and so may concern any call.
func Family(tool string) bool { return tool == "Edit" || tool == "Read" || tool == "WebFetch" }

// wild reports whether s holds a wildcard.
func (s Spec) wild() bool {
	switch {
	case s.names != nil:
		return s.names.wild()
	case s.line != nil:
		return s.line.covers.wild()
	case s.host != nil:
		return s.host.wild()
	}
	return len(s.path.posix.covers.rest) > 0
}

// Covers reports whether everything that x stands for, under every name, is
// what the specifier says: the test of an allow rule.
//
// Who may write a path may read it.
//
// Several bases are spellings of one place, on one platform: a name matches under
// any of them.
func (s Spec) Covers(x Subject, bs ...Base) bool {
	if !s.speaksOf(x) || len(x.Names) == 0 || (s.kind == Path && x.Write && !s.write) || (x.Exact && s.wild()) {
		return false
	}
	for _, n := range x.Names {
		if !s.coversName(&x, n, bs) {
			return false
		}
	}
	return true
}

func (s Spec) coversName(x *Subject, name string, bs []Base) bool {
	switch {
	case s.names != nil:
		return s.names.matches(name)
	case s.line != nil:
		return s.line.covered(name)
	case s.host != nil:
		return s.host.matches(name)
	}
	for _, b := range bs {
		if s.path.covered(name, x, b) {
			return true
		}
	}
	return false
}

// Touches reports whether anything that x stands for is what the specifier
// says: the test of a deny or ask rule. Who may not read a path may not write it,
// a notebook's neither: the model of these rules excepts NotebookEdit, which would
// be a way around.
func (s Spec) Touches(x Subject, bs ...Base) bool {
	if !s.speaksOf(x) || (s.kind == Path && s.write && !x.Write) {
		return false
	}
	for _, n := range x.Names {
		if s.touchesName(&x, n, bs) {
			return true
		}
	}
	for _, n := range x.Inner {
		if s.touchesName(&x, n, bs) {
			return true
		}
	}
	return false
}

func (s Spec) touchesName(x *Subject, name string, bs []Base) bool {
	switch {
	case s.names != nil:
		return s.names.matches(name)
	case s.line != nil:
		return s.line.touched(name)
	case s.host != nil:
		return s.host.matches(name)
	}
	platform := Linux
	for _, b := range bs {
		platform = b.Platform
		if s.path.touched(name, x.Tree, b) {
			return true
		}
	}
	for _, place := range s.led {
		if s.path.led(name, x.Tree, place, platform) {
			return true
		}
	}
	return false
}

func (s Spec) speaksOf(x Subject) bool {
	switch {
	case s.names != nil:
		return true // the rule's tool was matched already
	case s.line == nil && s.host == nil && s.path == nil:
		return false
	}
	return s.kind == x.Kind
}

// Place returns the absolute path of what an anchored path specifier begins with,
// up to the first wildcard. A link there leads elsewhere. On Windows it is
// spelled so that the system takes it.
func (s Spec) Place(b Base) (string, bool) {
	if s.path == nil {
		return "", false
	}
	return s.path.on(b.Platform).covers.place(b)
}

// Led returns s for a session in which [Spec.Place] leads to other places too,
// which Touches then looks at as well.
func (s Spec) Led(places ...string) Spec {
	s.led = places
	return s
}
