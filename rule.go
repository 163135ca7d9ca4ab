package pegboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// MarshalText returns what String does.
func (b Behavior) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText reads allow, ask or deny.
func (b *Behavior) UnmarshalText(text []byte) error {
	for _, known := range []Behavior{Allow, Ask, Deny} {
		if string(text) == known.String() {
			*b = known
			return nil
		}
	}
	return fmt.Errorf("unknown behavior %q; use allow, ask or deny", text)
}

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

// Platform says whose spelling of paths holds.
type Platform int

// The platforms. The zero value is the one that the program runs on.
const (
	ThisPlatform Platform = iota
	Linux
	Darwin
	Windows
)

// String returns the platform in lower case.
func (p Platform) String() string { return nameOf(int(p), "this", "linux", "darwin", "windows") }

// pattern returns the platform as rules know it.
func (p Platform) pattern() pattern.Platform {
	switch p {
	case Linux:
		return pattern.Linux
	case Darwin:
		return pattern.Darwin
	case Windows:
		return pattern.Windows
	}
	return thisPlatform()
}

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
	param *pattern.Param // of a deny or ask rule: what Pattern says if the tool has that parameter
	bases []pattern.Base // what the anchors of a path stand on, once in a session
}

// anchor fixes what a path rule means to a session.
func (r *Rule) anchor(bases []pattern.Base) {
	r.bases = bases
	var led []string
	for _, b := range bases {
		if p, ok := r.spec.Place(b); ok {
			if real := realpath.Resolve(p); real != p && !slices.Contains(led, real) {
				led = append(led, real)
			}
		}
	}
	r.spec = r.spec.Led(led...)
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

// String returns the rule as it is written, without its behavior.
func (r Rule) String() string {
	if r.Pattern == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Pattern + ")"
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

// names reports whether r is about the tool as such.
func (r *Rule) names(i *Info) bool {
	if i.contested && r.Behavior == Allow {
		return false // the name could be meant for another source
	}
	if !strings.Contains(r.Tool, "*") {
		return i.answersTo(r.Tool) || (i.server != "" && (r.Tool == i.server || r.Behavior != Allow && r.Tool == i.spelled))
	}
	is := func(name string) bool { return pattern.NameMatches(r.Tool, name, i.server, r.Behavior == Allow) }
	return is(i.Name) || slices.ContainsFunc(i.Aliases, is)
}

// covers is the test of an allow rule: t, under all of names, is what r names.
func (r *Rule) covers(i *Info, t *Target, names []string) bool {
	if r.Pattern == "" {
		return r.names(i)
	}
	if t.Kind == Path && t.Access != Read && t.Access != Write {
		return false // no pattern speaks of running a file
	}
	return r.speaksOf(i, t) && r.spec.Covers(patternSubject(i, t, names), r.bases...)
}

// touches is the test of a deny or ask rule: some part of t is what r names.
func (r *Rule) touches(i *Info, t *Target) bool {
	return r.speaksOf(i, t) && r.spec.Touches(patternSubject(i, t, t.names()), r.bases...)
}

// speaksOf reports whether a pattern rule is about this kind of target of this
// tool at all.
func (r *Rule) speaksOf(i *Info, t *Target) bool {
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
func (r *Rule) mayConcern(i *Info) bool {
	return r.Pattern != "" && (pattern.Family(r.Tool) || r.names(i) || r.speaksOf(i, &Target{Kind: Command}))
}

func patternSubject(i *Info, t *Target, names []string) pattern.Subject {
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
	return pattern.Subject{Kind: kind, Write: t.Access != Read, Tree: whole, Exact: t.Exact, Names: names, Inner: t.Inner}
}

// touching returns the first deny rule and the first ask rule that are about the
// call or any of its targets.
func (p *Permissions) touching(x *subject) (deny, ask *Rule) {
	if p.set == nil {
		return nil, nil
	}
	first := [...]int{Deny: -1, Ask: -1}
	note := func(i int32, t *Target) {
		r := &p.set.rules[i]
		x.note(r, t, r.Behavior, "is about it")
		if at := &first[r.Behavior]; *at < 0 || int(i) < *at {
			*at = int(i)
		}
	}
	for _, i := range p.set.calls {
		switch r := &p.set.rules[i]; {
		case r.Behavior == Allow:
		case r.isAbout(x):
			note(i, nil)
		case x.trace != nil:
			x.note(r, nil, Undecided, "is about something else")
		}
	}
	x.found.n = 0
	for k := range x.targets {
		t := &x.targets[k]
		for _, i := range x.found.keep(k, p.set.candidates(x, t, t.names(), x.found.room())) {
			switch r := &p.set.rules[i]; {
			case r.Behavior == Allow || r.Pattern == "" || r.param != nil && x.declares(r.param.Name):
			case r.touches(x.info, t):
				note(i, t)
			case x.trace != nil:
				x.note(r, t, Undecided, "is about something else")
			}
		}
	}
	if x.trace != nil { // every step so far is a rule
		slices.SortStableFunc(x.trace.Steps, func(a, b Step) int { return int(b.Rule.Behavior - a.Rule.Behavior) })
	}
	if first[Deny] >= 0 {
		deny = &p.set.rules[first[Deny]]
	}
	if first[Ask] >= 0 {
		ask = &p.set.rules[first[Ask]]
	}
	return deny, ask
}

// isAbout reports whether r is about the call as such: its tool, or a parameter
// as the model wrote it.
func (r *Rule) isAbout(x *subject) bool {
	return r.names(x.info) && (r.Pattern == "" || x.declares(r.param.Name) && r.param.Matches(x.fields()))
}

// fields returns the input's properties as the model wrote them.
func (x *subject) fields() (fields map[string]json.RawMessage) {
	_ = json.Unmarshal(x.input, &fields) // it was decoded before; a call without input has none
	return fields
}

// declares reports whether the tool's input has a property of that name.
func (x *subject) declares(name string) bool { return x.spec != nil && x.spec.schema.Declares(name) }

// covering returns the allow rule that covers t. Each of its names may have a
// rule of its own; the last is returned then. A rule for the whole tool does not
// cover what cannot be seen into while a deny or ask pattern could be about it,
// nor what a command writes outside the working directories; a rule that spells a
// command out lets it read and write as [Target].Via says.
func (p *Permissions) covering(mode Mode, x *subject, k int) (last *Rule) {
	t := &x.targets[k]
	whole := p.covered(mode, x, t, t.names(), x.found.about(k))
	if whole == nil && t.Via != "" && (t.Access == Read || x.inside(t)) {
		for i := range x.targets {
			if c := &x.targets[i]; c.Kind == Command && c.Value == t.Via {
				whole = p.covered(mode, x, c, c.names(), x.found.about(i))
				break
			}
		}
	}
	return whole
}

// covered is covering for one target alone. The rules that may be about it are
// looked up if nil is given for them.
func (p *Permissions) covered(mode Mode, x *subject, t *Target, names []string, about []int32) (last *Rule) {
	if p.set == nil {
		return nil
	}
	var room [16]int32
	if about == nil {
		about = p.set.candidates(x, t, names, room[:0])
	}
	calls := p.set.calls
	if x.trace != nil { // all are candidates
		calls = nil
	}
	for k := range names {
		one := names[k : k+1]
		found := -1
		for _, list := range [...][]int32{calls, about} {
			for _, i := range list {
				r := &p.set.rules[i]
				switch {
				case r.Behavior != Allow || found >= 0 && int(i) >= found:
				case p.lets(mode, x, r, t, one):
					found = int(i)
				case x.trace != nil:
					x.note(r, t, Undecided, "does not cover it")
				}
			}
		}
		if found < 0 {
			return nil
		}
		last = &p.set.rules[found]
	}
	return last
}

// lets reports whether an allow rule covers one name of a target.
func (p *Permissions) lets(mode Mode, x *subject, r *Rule, t *Target, name []string) bool {
	switch {
	case !r.covers(x.info, t, name), mode == ModeAuto && x.info.broad(r.Pattern):
		return false
	case r.Pattern != "":
		return true
	}
	return !p.restrictsUnseen(x, t) && (!x.fromShell(t) || x.inside(t))
}

// fromShell reports whether t is a file that a command line writes.
func (x *subject) fromShell(t *Target) bool {
	return t.Kind == Path && t.Access == Write && slices.ContainsFunc(x.targets, func(c Target) bool { return c.Kind == Command })
}

// restrictsUnseen reports whether a deny or ask pattern could be about something
// that t does without saying so: anything, if t is opaque, and what is read,
// written or reached, if it is a command that nobody looked into.
func (p *Permissions) restrictsUnseen(x *subject, t *Target) bool {
	if t.Kind != Opaque && (t.Kind != Command || t.Parsed) {
		return false
	}
	return slices.ContainsFunc(p.set.all(), func(r Rule) bool {
		return r.Behavior != Allow && (r.param == nil || !x.declares(r.param.Name)) && r.mayConcern(x.info) && (t.Kind == Opaque || pattern.Family(r.Tool))
	})
}

// A ruleset is the rules of a value of Permissions: deny rules, ask rules, allow
// rules, each in the order given. It never changes. Nil has no rules.
type ruleset struct {
	rules []Rule
	calls []int32        // rules about a tool as such, or its parameters
	index *pattern.Index // of the others
}

func newRuleset(rules []Rule) *ruleset {
	slices.SortStableFunc(rules, func(a, b Rule) int { return int(b.Behavior - a.Behavior) })
	s := &ruleset{rules: rules}
	for i := range rules {
		if rules[i].Pattern == "" || rules[i].param != nil {
			s.calls = append(s.calls, int32(i))
		}
	}
	s.index = pattern.NewIndex(len(rules), func(i int) pattern.Spec { return rules[i].spec })
	return s
}

func (s *ruleset) all() []Rule {
	if s == nil {
		return nil
	}
	return s.rules
}

// candidates appends the numbers of the rules whose patterns may be about t, or of
// all rules if somebody wants to know what was tried.
func (s *ruleset) candidates(x *subject, t *Target, names []string, dst []int32) []int32 {
	switch {
	case s == nil:
	case x.trace != nil:
		for i := range s.rules {
			dst = append(dst, int32(i))
		}
	default:
		dst = s.index.Candidates(patternSubject(x.info, t, names), dst)
	}
	return dst
}
