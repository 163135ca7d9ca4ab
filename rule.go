package pegboard

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A RuleSource names the source of a rule: a settings file, the command line, the
// session. It is shown in explanations.
type RuleSource string

// The sources a host usually has. Any other name is as good.
const (
	SourcePolicy  RuleSource = "policySettings"
	SourceCLI     RuleSource = "cliArg"
	SourceLocal   RuleSource = "localSettings"
	SourceProject RuleSource = "projectSettings"
	SourceUser    RuleSource = "userSettings"
	SourceCommand RuleSource = "command"
	SourceSession RuleSource = "session"

	// SourceTurn is for rules that last until [Session.NewTurn] of the session that has them,
	// such as the tools that a skill allows while it is followed. OnRemember of
	// [SessionConfig] is never given them. Allow rules of a turn do not hold in forks; deny
	// and ask rules do, since a fork may do nothing that its parent may not. Modes and
	// directories do not end with a turn, so an update that gives them this source is refused.
	SourceTurn RuleSource = "turn"
)

// A Rule decides calls. Without a pattern it decides every call of a tool, or
// of all tools of a server. With a pattern it decides the targets that match:
// Edit(path) files that any tool writes, Read(path) files that any tool reads, and
// Bash(command line) commands. On a tool of the host's own, the kind of each target says how
// the pattern is read.
type Rule struct {
	Behavior Behavior
	Tool     string // name, alias, or mcp__server
	Pattern  string // empty: the whole tool
	Source   RuleSource

	spec  pattern.Spec
	param *pattern.Param // of a deny or ask rule: Pattern, read as a parameter of the tool

	// Set in a session:
	anchored  anchorage // where the rule was added
	anchorage           // where it holds
}

// An anchorage is what the anchors of a path rule refer to.
type anchorage struct {
	bases []pattern.Base // the directories
	led   []string       // where the literal prefix of the pattern led from there, if elsewhere
}

// anchor fixes the directories that a path rule refers to in a session.
func (r *Rule) anchor(bases []pattern.Base) {
	r.anchorage = anchorage{}
	r.holdAlso(bases)
	r.anchored = r.anchorage
}

// holdAlso makes r hold as if it were anchored on bases, too.
func (r *Rule) holdAlso(bases []pattern.Base) {
	a := anchorage{slices.Clip(r.bases), slices.Clip(r.led)}
	for _, b := range bases {
		if slices.Contains(a.bases, b) {
			continue
		}
		a.bases = append(a.bases, b)
		if p, ok := r.spec.LiteralPrefix(b); ok {
			if real := realpath.Resolve(p); real != p && !slices.Contains(a.led, real) {
				a.led = append(a.led, real)
			}
		}
	}
	r.anchorage, r.spec = a, r.spec.WithLinkTargets(a.led...)
}

// holdWhereAdded undoes what holdAlso has done since r was added.
func (r *Rule) holdWhereAdded() {
	r.anchorage, r.spec = r.anchored, r.spec.WithLinkTargets(r.anchored.led...)
}

// Place returns the file or directory that a rule on files names in a session, with all that
// is in it, as an absolute path that may lead through links. If the rule has a wildcard, it
// is the part before it; a bare name, which means a file in any directory, is that in the
// working directory. Exact reports whether there is neither, so that the rule is about
// nothing but the place. The place of all other rules is empty. After [Session.SetDir] a rule
// may have more than one, see [Rule.Places].
func (r Rule) Place() (path string, exact bool) {
	if r.Pattern == "" || r.Tool != "Read" && r.Tool != "Edit" {
		return "", false
	}
	for _, b := range r.bases {
		if path, exact = r.spec.Place(b); path != "" {
			break
		}
	}
	return path, exact
}

// Places returns the places of a rule on files in a session, as [Rule.Place] describes them: the
// one where it was added, and those as which it holds since [Session.SetDir]. One may be there
// twice, with and without links. The result of all other rules is empty.
//
// It is meant for a sandbox, which has to keep commands from the files of deny rules.
func (r Rule) Places() (paths []string, exact bool) {
	if r.Pattern == "" || r.Tool != "Read" && r.Tool != "Edit" {
		return nil, false
	}
	for _, b := range r.bases {
		path, only := r.spec.Place(b)
		if path == "" || slices.Contains(paths, path) {
			continue
		}
		exact = only && (exact || len(paths) == 0)
		paths = append(paths, path)
	}
	return paths, exact
}

// sameText reports whether r and o are written alike.
func (r Rule) sameText(o Rule) bool {
	return r.Behavior == o.Behavior && r.Tool == o.Tool && r.Pattern == o.Pattern && r.Source == o.Source
}

// ParseRule parses "Bash" or "Bash(git status)". "Bash(*)" is the same as
// "Bash". The error says what is wrong; a rule is never partly understood.
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
			if err := r.specify(text); err != nil {
				return wrong(err)
			}
		}
	}
	if err := checkName(r.Tool); err != nil {
		return wrong(fmt.Errorf("the tool's name: %w", err))
	}
	if name, ok := strings.CutSuffix(r.Tool, "__*"); ok {
		if server, ok := strings.CutPrefix(name, toolname.Prefix); ok && server != "" && !strings.Contains(server, "__") {
			r.Tool = name
		}
	}
	if err := pattern.CheckTool(r.Tool, b == Allow); err != nil {
		return wrong(err)
	}
	if strings.Contains(r.Tool, ")") || strings.TrimSpace(r.Tool) != r.Tool {
		return wrong(errors.New("a tool's name ends in no blank and holds no parenthesis; write Tool or Tool(what)"))
	}
	return r, nil
}

// specify sets the pattern of a rule.
func (r *Rule) specify(text string) error {
	if p, ok := pattern.Parameter(r.Tool, text); ok && r.Behavior != Allow {
		if err := p.Check(r.Tool); err != nil {
			return err
		}
		r.param = &p
	}
	spec, err := pattern.Parse(r.Tool, text)
	if err != nil && r.param == nil {
		return err
	}
	r.Pattern, r.spec = text, spec
	return nil
}

// toolRule returns a rule that names tools as text does, for limits that are no
// permissions. It is a deny rule, which names no fewer tools than any other.
func toolRule(text string) (Rule, error) {
	r, err := ParseRule(Deny, text)
	if err == nil && r.Pattern != "" {
		err = fmt.Errorf("%q says more than the name of a tool or a source", text)
	}
	return r, err
}

// String returns the rule as it is written, without its behavior.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
}

// Redacted returns [Rule.String] with "…" for the pattern of a rule of [SourceSession]: for logs
// that must not contain parts of an input. Such a rule usually comes from the user's answer to
// allow a call permanently.
func (r Rule) Redacted() string {
	if r.Source == SourceSession && r.Pattern != "" {
		r.Pattern = "…"
	}
	return r.String()
}

// describe returns the rule for an explanation.
func (r Rule) describe() string {
	return string(r.appendDescription(nil))
}

func (r *Rule) appendDescription(text []byte) []byte {
	text = append(append(text, r.Behavior.String()...), " rule "...)
	text = strconv.AppendQuote(text, r.String())
	if r.Source != "" {
		text = append(append(text, " from "...), r.Source...)
	}
	return text
}
