package policy

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A Source names the origin of a rule, such as a settings file, the command line or the session.
// Explanations show it.
type Source string

// The usual sources of a host. Any other name is valid, too.
const (
	SourceManaged Source = "policySettings"
	SourceCLI     Source = "cliArg"
	SourceLocal   Source = "localSettings"
	SourceProject Source = "projectSettings"
	SourceUser    Source = "userSettings"
	SourceCommand Source = "command"
	SourceSession Source = "session"

	// SourceTurn is for rules that last until [Permissions.WithoutTurn], such as those for the
	// tools that a skill allows while it is followed. They are never saved. In a fork, allow rules
	// of a turn do not hold; deny and ask rules do, since a fork may do nothing that its parent
	// may not. Modes and directories do not end with a turn, so an update that gives them this
	// source is refused.
	SourceTurn Source = "turn"
)

// A Rule decides calls. Without a pattern it decides every call of a tool, or of all tools of a
// server. With a pattern it decides the targets that match: Edit(path) decides files that any tool
// writes, Read(path) files that any tool reads, and Bash(command line) commands. If the host
// itself defines the tool, the kind of each target determines how the pattern is read.
type Rule struct {
	Behavior Behavior
	Tool     string // name or alias of a tool, or mcp__server
	Pattern  string // empty for the whole tool
	Source   Source

	spec  pattern.Spec
	param *pattern.Param // Pattern as a parameter of the tool, of a deny or ask rule

	// Set by In:
	anchored  anchorage // where the rule was added
	anchorage           // where it holds
}

// An anchorage holds the directories that the anchors of a path rule refer to.
type anchorage struct {
	bases []pattern.Base // the directories
	led   []string       // the literal prefixes of the pattern after links, if links lead elsewhere
}

// anchor sets the directories that a path rule refers to at a place.
func (r *Rule) anchor(bases []pattern.Base) {
	r.anchorage = anchorage{}
	r.holdAlso(bases)
	r.anchored = r.anchorage
}

// holdAlso makes r hold as if it were also anchored on bases.
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

// holdWhereAdded undoes each holdAlso since r was added.
func (r *Rule) holdWhereAdded() {
	r.anchorage, r.spec = r.anchored, r.spec.WithLinkTargets(r.anchored.led...)
}

// Places returns the files and directories that a rule on files names, including everything in
// them. The rule must hold at a place, see [Permissions.In]. The paths are absolute and may lead
// through links. For a rule with a wildcard, the path is the part before it. A bare name means a
// file in any directory; its path is that name in the working directory. There are several paths
// if links lead elsewhere, and after [Permissions.Move]. Exact reports whether the rule is about
// everything at the first path, and about nothing that the other paths do not mean, too. For any
// other rule, the result is empty.
//
// It is meant for a sandbox that has to keep commands away from the files of deny rules.
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

// ParseRule parses "Bash" or "Bash(git status)". "Bash(*)" is the same as "Bash". The error
// explains the mistake. ParseRule never accepts a rule that it understands only in part.
func ParseRule(b Behavior, s string) (Rule, error) {
	r := Rule{Behavior: b, Tool: strings.Trim(s, " \t")}
	wrong := func(err error) (Rule, error) { return Rule{}, fmt.Errorf("rule %q: %w", s, err) }
	if b < Allow || b > Deny {
		return wrong(fmt.Errorf("the behavior is %v; a rule allows, asks or denies", b))
	}
	if !plain.IsText(r.Tool) {
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
	if err := plain.CheckName(r.Tool); err != nil {
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

// ParseToolRule returns a rule that names tools as text does, for limits other than permissions.
// It is a deny rule, since no other rule names more tools.
func ParseToolRule(text string) (Rule, error) {
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

// Redacted returns [Rule.String] for logs that must not contain parts of an input. It shows "…"
// for the pattern of a rule of [SourceSession]. Such a rule usually comes from an answer of the
// user that allows a call permanently.
func (r Rule) Redacted() string {
	if r.Source == SourceSession && r.Pattern != "" {
		r.Pattern = "…"
	}
	return r.String()
}

// Describe returns the rule for an explanation.
func (r Rule) Describe() string {
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

// Names reports whether r names the tool or its server.
func (r *Rule) Names(tool *Tool) bool {
	if r.Behavior == Allow && tool.Ambiguity != Unambiguous {
		return tool.Ambiguity == ChangedTool && (r.Tool == tool.server || r.Tool == tool.server+"__*")
	}
	if !strings.Contains(r.Tool, "*") {
		return tool.answersTo(r.Tool) || tool.server != "" && (r.Tool == tool.server || r.Tool == tool.spelled)
	}
	matches := func(name string) bool { return pattern.NameMatches(r.Tool, name, tool.server, r.Behavior == Allow) }
	return matches(tool.Name) || slices.ContainsFunc(tool.Aliases, matches)
}

// isBare reports whether r names one tool and nothing else.
func (r *Rule) isBare() bool { return r.Pattern == "" && !strings.Contains(r.Tool, "*") }

// covers is the test of an allow rule: r covers t under all of names.
func (r *Rule) covers(tool *Tool, t *Target, names []string) bool {
	if t.doubt() != "" {
		return false
	}
	if r.Pattern == "" {
		return r.Names(tool)
	}
	if t.Kind == Path && t.Access != Read && t.Access != Write {
		return false // patterns are about reading and writing files, not about running them
	}
	return r.appliesTo(tool, t) && r.spec.Covers(patternSubject(tool, t, names), r.bases...)
}

// touches is the test of a deny or ask rule: r matches some part of t.
func (r *Rule) touches(tool *Tool, t *Target) bool {
	return r.appliesTo(tool, t) && r.spec.Touches(patternSubject(tool, t, t.Names()), r.bases...)
}

// appliesTo reports whether a pattern rule may be about targets of this kind of this tool.
func (r *Rule) appliesTo(tool *Tool, t *Target) bool {
	switch {
	case t.Kind == Opaque:
		return false
	case pattern.IsTargetFamily(r.Tool) || r.Names(tool):
		return true
	}
	// A command that is denied to Bash is denied to every tool. A command that is
	// allowed to Bash is allowed to Monitor, too. The pattern matches nothing but commands.
	return r.Tool == "Bash" && (r.Behavior != Allow || tool.answersTo("Monitor"))
}

// mayMatchUnseen reports whether a pattern rule could match something that a call of the tool does
// without declaring it.
func (r *Rule) mayMatchUnseen(tool *Tool) bool {
	return r.Pattern != "" && (pattern.IsTargetFamily(r.Tool) || r.Names(tool) || r.appliesTo(tool, &Target{Kind: Command}))
}

// understands reports whether a pattern rule on a tool has a meaning for t, so that it either
// matches t or is about something else.
func (r *Rule) understands(tool *Tool, t *Target) bool {
	return t.Kind != Opaque && r.spec.Understands(patternSubject(tool, t, t.Names()))
}

// patternSubject returns t in the form in which patterns match it.
func patternSubject(tool *Tool, t *Target, names []string) pattern.Subject {
	tree := t.Tree && (!t.Filtered || tool.External())
	unparsed := t.Kind == Command && !t.Shell.parsed()
	return pattern.Subject{Unparsed: unparsed, Doubtful: t.doubt() != "", Kind: t.Kind.pattern(), Write: t.Access != Read, Tree: tree, NoWildcards: t.Shell.NoWildcards, Names: names, Nested: t.Shell.Nested}
}

// A ruleset holds the rules of Permissions: deny rules, ask rules, allow rules, each in
// the order given. It never changes. A nil ruleset has no rules.
type ruleset struct {
	rules     []Rule
	callRules []int32        // indices of the rules on a whole tool or on a parameter
	ownRules  []int32        // indices of the deny and ask rules whose pattern is read according to the kinds of the targets
	fileRules []int32        // indices of the deny and ask rules whose pattern may be about files
	index     *pattern.Index // of the patterns of all rules
}

func newRuleset(rules []Rule) *ruleset {
	slices.SortStableFunc(rules, func(a, b Rule) int { return int(b.Behavior - a.Behavior) })
	s := &ruleset{rules: rules}
	for i := range rules {
		if rules[i].Pattern == "" || rules[i].param != nil {
			s.callRules = append(s.callRules, int32(i))
		}
		if r := &rules[i]; r.Pattern != "" && r.Behavior != Allow && !pattern.IsShared(r.Tool) {
			s.ownRules = append(s.ownRules, int32(i))
		}
		if r := &rules[i]; r.Behavior != Allow && r.spec.IsAbout(pattern.Path) {
			s.fileRules = append(s.fileRules, int32(i))
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

// restrictsFiles reports whether a deny or ask rule has a pattern that may be about files.
func (s *ruleset) restrictsFiles() bool { return s != nil && len(s.fileRules) > 0 }

// placesOfFiles returns the files that deny and ask rules name, and the directories that their
// patterns begin with. It adds the working directories, in which a pattern may be about any name.
// It leaves out the root of the file system.
func (s *ruleset) placesOfFiles() (places []string) {
	seen := map[string]bool{}
	add := func(place string) {
		if seen[place] {
			return
		}
		seen[place] = true
		if real := realpath.Resolve(place); real != filepath.Dir(real) {
			places = append(places, real)
		}
	}
	for _, i := range s.fileRules {
		r := &s.rules[i]
		for _, b := range r.bases {
			if place, ok := r.spec.LiteralPrefix(b); ok {
				add(place)
			}
			add(b.Dir)
		}
	}
	return places
}

// A candidateCache holds the rules that may match the first targets of a call, so that they are
// looked up only once. Its fixed size needs no allocation. It does not hold later targets, of a
// long command line.
type candidateCache struct {
	rules   [40]int32 // indices into the ruleset
	ends    [12]int   // the ends of the rules of each target
	targets int       // the number of cached targets
}

// free returns the unused part of the cache, empty, for the rules of the next target.
func (c *candidateCache) free() []int32 {
	start := c.start(c.targets)
	return c.rules[start:start]
}

func (c *candidateCache) start(k int) int {
	if k == 0 {
		return 0
	}
	return c.ends[k-1]
}

// store caches the rules of target k if they fit, and returns them.
func (c *candidateCache) store(k int, rules []int32) []int32 {
	start := c.start(c.targets)
	if k == c.targets && k < len(c.ends) && start+len(rules) <= len(c.rules) {
		c.ends[k] = start + copy(c.rules[start:], rules)
		c.targets++
	}
	return rules
}

// of returns the rules of target k, or nil if they are not cached.
func (c *candidateCache) of(k int) []int32 {
	if k >= c.targets {
		return nil
	}
	return c.rules[c.start(k):c.ends[k]]
}
