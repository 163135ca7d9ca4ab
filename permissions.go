package pegboard

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A Mode is the part of a decision that rules leave open.
type Mode string

// The modes. The zero value is ModeDefault.
const (
	// ModeDefault lets reads inside the working directories run and asks
	// about everything else.
	ModeDefault Mode = "default"
	// ModePlan lets nothing change: writes are denied, and what is neither a
	// write nor known to be read-only is asked about.
	ModePlan Mode = "plan"
	// ModeBypass allows whatever no deny or ask rule and no tool objects to.
	ModeBypass Mode = "bypassPermissions"
)

// laxity orders modes for Fork: a child may not be laxer than its parent.
func (m Mode) laxity() int {
	return slices.Index([]Mode{ModePlan, ModeDefault, ModeBypass}, m.orDefault())
}

func (m Mode) orDefault() Mode {
	if m == "" {
		return ModeDefault
	}
	return m
}

// A RuleSet is a source's rules as they are written in a settings file.
type RuleSet struct {
	Source           Source
	Allow, Ask, Deny []string
}

// Permissions are a mode and rules. The value is immutable; its zero value has
// no rule, so that only harmless reads run unasked.
type Permissions struct {
	mode  Mode
	rules []Rule // allow rules, ask rules and deny rules, in the order given
}

// NewPermissions returns permissions of the given mode and rules. An empty mode
// is ModeDefault, or in a fork its parent's. It refuses a mode it does not know
// and a rule it does not fully understand.
func NewPermissions(mode Mode, sets ...RuleSet) (Permissions, error) {
	p := Permissions{mode: mode}
	if mode.laxity() < 0 {
		return Permissions{}, fmt.Errorf("unknown permission mode %q; use default, plan or bypassPermissions", mode)
	}
	for _, set := range sets {
		for _, list := range []struct {
			behavior Behavior
			texts    []string
		}{{Deny, set.Deny}, {Ask, set.Ask}, {Allow, set.Allow}} {
			for _, text := range list.texts {
				r, err := ParseRule(list.behavior, text)
				if err != nil {
					return Permissions{}, err
				}
				r.Source = set.Source
				p.rules = append(p.rules, r)
			}
		}
	}
	strictestFirst(p.rules)
	return p, nil
}

func strictestFirst(rules []Rule) {
	slices.SortStableFunc(rules, func(a, b Rule) int { return int(b.Behavior - a.Behavior) })
}

// Mode returns the mode.
func (p Permissions) Mode() Mode { return p.mode.orDefault() }

// Rules returns the rules, deny rules first and allow rules last.
func (p Permissions) Rules() []Rule { return slices.Clone(p.rules) }

// WithMode returns p with another mode.
func (p Permissions) WithMode(m Mode) (Permissions, error) {
	q, err := NewPermissions(m)
	q.rules = p.rules
	return q, err
}

// WithRules returns p with further rules.
func (p Permissions) WithRules(sets ...RuleSet) (Permissions, error) {
	q, err := NewPermissions(p.mode, sets...)
	if err != nil {
		return Permissions{}, err
	}
	q.rules = slices.Concat(p.rules, q.rules)
	strictestFirst(q.rules)
	return q, nil
}

// admits returns an error if child could permit what p does not.
func (p Permissions) admits(child Permissions) error {
	if child.mode != "" && child.mode.laxity() > p.mode.laxity() {
		return fmt.Errorf("mode %s is laxer than the parent's mode %s", child.mode, p.Mode())
	}
	for _, r := range child.rules {
		if r.Behavior == Allow && !slices.ContainsFunc(p.rules, r.says) {
			return fmt.Errorf("a fork cannot add the allow rule %q; add it to the parent", r)
		}
	}
	return nil
}

// narrowed returns p cut by what a child adds: its deny and ask rules, and its
// mode if that is stricter.
func (p Permissions) narrowed(child Permissions) Permissions {
	if child.mode != "" && child.mode.laxity() < p.mode.laxity() {
		p.mode = child.mode
	}
	added := slices.DeleteFunc(slices.Clone(child.rules), func(r Rule) bool { return r.Behavior == Allow })
	if len(added) > 0 {
		p.rules = slices.Concat(added, p.rules)
		strictestFirst(p.rules)
	}
	return p
}

// anchored returns p with the anchors of its path rules fixed to bases. A rule
// that was fixed before, in a session or its parent, keeps meaning the same files.
func (p Permissions) anchored(bases []pattern.Base) Permissions {
	p.rules = slices.Clone(p.rules)
	for i := range p.rules {
		if p.rules[i].bases == nil {
			p.rules[i].anchor(bases)
		}
	}
	return p
}

// A Decision is a behavior and its grounds.
type Decision struct {
	Behavior Behavior
	// Reason is for the model when a call is denied, for the person when it is
	// asked about.
	Reason string
	// Input, if set, replaces the call's input, which is then decoded,
	// validated and decided anew. Hooks, tools and askers may set it.
	Input json.RawMessage
	// Rule is the rule that decided, if one did.
	Rule *Rule

	unruled bool // no rule, opinion or mode spoke of it: an allow rule might
}

// subject is what a decision is about.
type subject struct {
	info    Info
	traits  Traits
	targets []Target // resolved
	dirs    []workDir
	rootDir workDir
	own     Decision // what the tool says
	hook    Decision // what the hooks say

	approved []Target    // what the call was allowed, if it runs already
	under    Permissions // and what it was decided under
}

// decide settles x: Allow, Ask or Deny. The steps stand in the order in which
// they win.
func (p Permissions) decide(x subject) Decision {
	if len(x.targets) == 0 && (!x.traits.ReadOnly || x.info.Origin.External()) {
		x.targets = []Target{{}}
	}
	if r := p.touching(Deny, x); r != nil {
		return ruled(*r)
	}
	opinion := stricter(x.hook, x.own)
	if opinion.Behavior == Deny {
		return Decision{Behavior: Deny, Reason: opinion.Reason}
	}
	if p.mode == ModePlan && x.writes() {
		return Decision{Behavior: Deny, Reason: "in plan mode nothing is written; describe the change in the plan instead"}
	}
	if r := p.touching(Ask, x); r != nil {
		if len(x.approved) == 0 || !x.all(x.belowApproved) || x.under.touching(Ask, x.before()) == nil {
			return ruled(*r)
		} // else it was asked about when the call was
	}
	answered := len(x.approved) > 0 && x.all(x.belowApproved)
	switch {
	case answered:
	case x.info.RequiresUser:
		return Decision{Behavior: Ask, Reason: "only a person may allow " + x.info.Name}
	case opinion.Behavior == Ask:
		return Decision{Behavior: Ask, Reason: opinion.Reason}
	case p.mode == ModeBypass:
		return Decision{Behavior: Allow, Reason: "mode bypassPermissions"}
	case p.mode == ModePlan && !x.traits.ReadOnly:
		return Decision{Behavior: Ask, Reason: "in plan mode only reading runs unasked"}
	}
	if d := p.allowing(x); d.Behavior == Allow {
		return d
	}
	if x.hook.Behavior == Allow && !x.all(func(t Target) bool { return !p.restrictsUnseen(x.info, t) }) {
		x.hook = Decision{}
	}
	if d, ok := x.granted(); ok {
		return d
	}
	return Decision{Behavior: Ask, Reason: x.whyNot(), unruled: true}
}

// ruled is the decision of a rule. It holds a copy: whoever is shown it may write
// to it.
func ruled(r Rule) Decision {
	return Decision{Behavior: r.Behavior, Rule: &r, Reason: r.describe() + " covers it"}
}

// stricter returns the stricter of two opinions, the first if they are equal.
func stricter(a, b Decision) Decision {
	for _, d := range []*Decision{&a, &b} {
		if d.Behavior < Undecided || d.Behavior > Deny {
			d.Behavior, d.Reason = Deny, "an opinion that is none: "+d.Reason
		}
	}
	if b.Behavior > a.Behavior {
		return b
	}
	return a
}

// touching returns the first deny or ask rule that is about any target.
func (p Permissions) touching(b Behavior, x subject) *Rule {
	for i := range p.rules {
		r := &p.rules[i]
		if r.Behavior != b {
			continue
		}
		if r.Pattern == "" && r.names(x.info) {
			return r
		}
		for _, t := range x.targets {
			if r.touches(x.info, t) {
				return r
			}
		}
	}
	return nil
}

// allowing returns Allow if every target is covered by an allow rule. What is
// opaque is covered by a rule for the whole tool only. Such a rule does not
// cover what cannot be seen into while a deny or ask pattern could be about it;
// a rule that spells out a command does, since whoever wrote it knew the command.
func (p Permissions) allowing(x subject) Decision {
	var last *Rule
	for _, t := range x.targets {
		r := p.covering(x, t)
		if r == nil && x.inside(t) && t.Access == Read {
			continue // whoever may run the rest may read here
		}
		if r == nil || (r.Pattern == "" && p.restrictsUnseen(x.info, t)) {
			return Decision{}
		}
		last = r
	}
	if last == nil { // a read-only call that acts on nothing
		return Decision{}
	}
	return ruled(*last)
}

// covering returns the allow rule that covers t. Each of its names may have a rule
// of its own; the last is returned then.
func (p Permissions) covering(x subject, t Target) (last *Rule) {
	for _, name := range t.names() {
		one := t
		one.Value, one.Also, one.real = name, nil, ""
		i := slices.IndexFunc(p.rules, func(r Rule) bool { return r.Behavior == Allow && r.covers(x.info, one) })
		if i < 0 {
			return nil
		}
		last = &p.rules[i]
	}
	return last
}

// restrictsUnseen reports whether a deny or ask pattern could be about something
// that t does without saying so: anything, if t is opaque, and what is read,
// written or reached, if it is a command.
func (p Permissions) restrictsUnseen(i Info, t Target) bool {
	if t.Kind != Opaque && t.Kind != Command {
		return false
	}
	return slices.ContainsFunc(p.rules, func(r Rule) bool {
		return r.Behavior != Allow && r.mayConcern(i) && (t.Kind == Opaque || pattern.Family(r.Tool))
	})
}

// writes reports whether the call writes a file, whatever it says of itself.
func (x subject) writes() bool {
	return slices.ContainsFunc(x.targets, func(t Target) bool { return t.Kind == Path && t.Access == Write })
}

// granted is what lets a call run although no rule speaks of it: a hook's allow,
// the tool's own, or that it only reads what anybody in the session may read.
func (x subject) granted() (Decision, bool) {
	switch {
	case x.hook.Behavior == Allow:
		return Decision{Behavior: Allow, Reason: "a hook allows it: " + x.hook.Reason}, true
	case x.own.Behavior == Allow && !x.info.Origin.External() && x.all(func(t Target) bool {
		return t.Kind != Path || x.inside(t)
	}):
		return Decision{Behavior: Allow, Reason: x.own.Reason}, true
	case len(x.approved) > 0 && x.all(x.belowApproved):
		return Decision{Behavior: Allow, Reason: "it lies below what the call was allowed"}, true
	case x.traits.ReadOnly && !x.traits.OpenWorld && x.all(func(t Target) bool {
		return (x.inside(t) && t.Access == Read) || (t.Kind == Command && t.Free && !x.info.Origin.External())
	}):
		return Decision{Behavior: Allow, Reason: "it only reads, inside the working directories"}, true
	}
	return Decision{}, false
}

// before is what was decided when the call itself was.
func (x subject) before() subject {
	x.targets, x.approved = x.approved, nil
	return x
}

// belowApproved reports whether t lies, under all its names, in a tree that the
// running call was allowed to touch in the same way.
func (x subject) belowApproved(t Target) bool {
	return slices.ContainsFunc(x.approved, func(a Target) bool {
		tree := []workDir{{spelled: a.Value, real: a.real}}
		return a.Tree && a.Kind == Path && t.Kind == Path && a.Access == t.Access &&
			!slices.ContainsFunc(t.names(), func(n string) bool { return !within(tree, n) })
	})
}

// all reports whether every target is ok.
func (x subject) all(ok func(Target) bool) bool {
	return !slices.ContainsFunc(x.targets, func(t Target) bool { return !ok(t) })
}

// inside reports whether t is a path that, under all its names, lies in the
// working directories.
func (x subject) inside(t Target) bool {
	return t.Kind == Path && !slices.ContainsFunc(t.names(), func(n string) bool { return !within(x.dirs, n) })
}

// whyNot says why a call needs approval, and what would give it.
func (x subject) whyNot() string {
	what := "wants to " + describeTargets(x.targets)
	switch {
	case x.traits.Destructive:
		what += " and cannot be undone"
	case x.traits.OpenWorld:
		what += ", beyond this machine"
	case !x.all(func(t Target) bool { return t.Kind != Path || x.inside(t) }):
		what += ", outside the working directories"
	}
	return fmt.Sprintf("no rule allows it: %s %s", x.info.Name, what)
}

// remedy names the narrowest rules that would have allowed a call, or nothing if
// no rule would.
func (s *Session) remedy(x subject) string {
	root := s
	for root.parent != nil {
		root = root.parent
	}
	x.rootDir = root.work[0]
	p := s.Permissions()
	if p.decide(x).Behavior == Allow { // it was asked about for another reason than rules
		return ""
	}
	for _, texts := range [][]string{x.exactRules(), {x.info.Name}} {
		with, err := p.WithRules(RuleSet{Allow: texts})
		if len(texts) > 0 && err == nil && with.anchored(root.bases()).decide(x).Behavior == Allow {
			return strings.Join(texts, ", ")
		}
	}
	return ""
}

// exactRules are the rules that spell out what the call acts on, under each of
// its names. There is none for what is opaque, and nobody adds more than three.
func (x subject) exactRules() (rules []string) {
	for _, t := range x.targets {
		for _, name := range t.names() {
			text := x.info.Name + "(" + name + ")"
			switch t.Kind {
			case Opaque:
				return nil
			case Path:
				family := "Edit"
				if t.Access == Read {
					family = "Read"
				}
				text = family + "(/" + x.fromRoot(name) + ")"
			case Host:
				text = "WebFetch(domain:" + name + ")"
			}
			if !slices.Contains(rules, text) {
				rules = append(rules, text)
			}
		}
	}
	if len(rules) > 3 {
		return nil
	}
	return rules
}

// fromRoot spells a path as a rule does: from the working directory if it lies
// below that, else from the root of the file system.
func (x subject) fromRoot(path string) string {
	if x.rootDir.spelled != "" {
		if rel, err := filepath.Rel(x.rootDir.spelled, path); err == nil && rel != "." && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// within reports whether path lies in one of the working directories.
func within(dirs []workDir, path string) bool {
	return slices.ContainsFunc(dirs, func(d workDir) bool {
		return realpath.Contains(d.spelled, path) || realpath.Contains(d.real, path)
	})
}
