package pegboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// Behavior answers whether a call may run.
type Behavior int

// The behaviors. Larger is stricter; Undecided is no answer.
const (
	Undecided Behavior = iota
	Allow
	Ask
	Deny
)

// String returns the behavior in lower case.
func (b Behavior) String() string { return nameOf(int(b), "undecided", "allow", "ask", "deny") }

// A Source is where a rule comes from: a settings file, the command line, the
// session. It is shown in explanations.
type Source string

// The sources a host usually has. Any other name is as good.
const (
	SourcePolicy  Source = "policySettings"
	SourceCLI     Source = "cliArg"
	SourceLocal   Source = "localSettings"
	SourceProject Source = "projectSettings"
	SourceUser    Source = "userSettings"
	SourceCommand Source = "command"
	SourceSession Source = "session"
)

// A Rule decides calls. Without a pattern it decides every call of a tool, or
// of all tools of a server. With one it decides the targets that the pattern
// names: Edit(path) what is written and Read(path) what is read, by whichever
// tool, and Bash(command line) a command.
type Rule struct {
	Behavior Behavior
	Tool     string // name, alias, or mcp__server
	Pattern  string // empty: the whole tool
	Source   Source

	spec  pattern.Spec
	bases []pattern.Base // what the anchors of a path stand on, once in a session
	real  []string       // where an anchored path leads, if elsewhere
}

// anchor fixes what a path rule means to a session.
func (r *Rule) anchor(bases []pattern.Base) {
	r.bases = bases
	for _, b := range bases {
		if p, ok := r.spec.Place(b); ok {
			if real := realpath.Resolve(p); real != p && !slices.Contains(r.real, real) {
				r.real = append(r.real, real)
			}
		}
	}
}

// says reports whether r and o are written alike.
func (r Rule) says(o Rule) bool {
	return r.Behavior == o.Behavior && r.Tool == o.Tool && r.Pattern == o.Pattern && r.Source == o.Source
}

// ParseRule parses "Bash" or "Bash(git status)". "Bash(*)" is the same as
// "Bash". An error names what is wrong; a rule is never half understood.
func ParseRule(b Behavior, s string) (Rule, error) {
	r := Rule{Behavior: b, Tool: strings.Trim(s, " \t")}
	wrong := func(err error) (Rule, error) { return Rule{}, fmt.Errorf("rule %q: %w", s, err) }
	if b < Allow || b > Deny {
		return wrong(fmt.Errorf("the behavior is %v; a rule allows, asks or denies", b))
	}
	if !validText(r.Tool) {
		return wrong(errors.New("it holds a control character or is not UTF-8"))
	}
	if tool, rest, ok := strings.Cut(r.Tool, "("); ok {
		text, ok := strings.CutSuffix(rest, ")")
		if !ok {
			return wrong(errors.New("the closing parenthesis is missing"))
		}
		r.Tool = tool
		if text != "*" {
			spec, err := pattern.Parse(tool, text)
			if err != nil {
				return wrong(err)
			}
			r.Pattern, r.spec = text, spec
		}
	}
	if err := checkName(r.Tool); err != nil {
		return wrong(fmt.Errorf("the tool's name: %w", err))
	}
	if name, ok := strings.CutSuffix(r.Tool, "__*"); ok && strings.HasPrefix(name, toolname.Prefix) {
		r.Tool = name
	}
	if strings.ContainsAny(r.Tool, "*?") {
		return wrong(pattern.ErrWildcard)
	}
	if strings.Contains(r.Tool, ")") || strings.TrimSpace(r.Tool) != r.Tool {
		return wrong(errors.New("a tool's name ends in no blank and holds no parenthesis; write Tool or Tool(what)"))
	}
	return r, nil
}

// String returns the rule as it is written, without its behavior.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// describe returns the rule for an explanation.
func (r Rule) describe() string {
	s := fmt.Sprintf("%v rule %q", r.Behavior, r.String())
	if r.Source != "" {
		s += " from " + string(r.Source)
	}
	return s
}

// names reports whether r is about the tool as such.
func (r Rule) names(i Info) bool {
	if i.contested && r.Behavior == Allow {
		return false // the name could be meant for another source
	}
	return i.answersTo(r.Tool) || (i.server != "" && r.Tool == i.server)
}

// covers is the test of an allow rule: t, under all its names, is what r names.
func (r Rule) covers(i Info, t Target) bool {
	if r.Pattern == "" {
		return r.names(i)
	}
	if t.Kind == Path && t.Access != Read && t.Access != Write {
		return false // no pattern speaks of running a file
	}
	return r.speaksOf(i, t) && r.spec.Covers(patternSubject(i, t), r.bases...)
}

// touches is the test of a deny or ask rule: some part of t is what r names.
func (r Rule) touches(i Info, t Target) bool {
	if r.Pattern == "" {
		return r.names(i)
	}
	return r.speaksOf(i, t) && r.spec.Touches(patternSubject(i, t), r.real, r.bases...)
}

// speaksOf reports whether a pattern rule is about this kind of target of this
// tool at all.
func (r Rule) speaksOf(i Info, t Target) bool {
	switch {
	case t.Kind == Opaque:
		return false
	case pattern.Family(r.Tool) || r.names(i):
		return true
	}
	// What Bash may not run, no other tool may. What it may, Monitor may too.
	return r.Tool == "Bash" && t.Kind == Command && (r.Behavior != Allow || i.answersTo("Monitor"))
}

// mayConcern reports whether a pattern rule could be about something that a
// call of the tool does without saying so.
func (r Rule) mayConcern(i Info) bool {
	return r.Pattern != "" && (pattern.Family(r.Tool) || r.names(i) || r.speaksOf(i, Target{Kind: Command}))
}

func patternSubject(i Info, t Target) pattern.Subject {
	kind := pattern.Text
	switch t.Kind {
	case Path:
		kind = pattern.Path
	case Host:
		kind = pattern.Host
	case Command:
		kind = pattern.Command
	}
	whole := t.Tree && (!t.Filtered || i.Origin.External())
	return pattern.Subject{Kind: kind, Write: t.Access != Read, Tree: whole, Names: t.names(), Inner: t.Inner}
}
