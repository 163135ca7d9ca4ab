package pegboard

import (
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// A RuleSet is a source's rules as they are written in a settings file.
type RuleSet struct {
	Source           RuleSource
	Allow, Ask, Deny []string
	// Untrusted leaves the allow rules out: those of a project count only once
	// the user trusts it. What it denies and asks about always counts.
	Untrusted bool
}

// Permissions are a mode and rules. The value is immutable; its zero value has
// no rule, so that only harmless reads run unasked.
type Permissions struct {
	mode   Mode
	outer  []Mode // of the parents, where they differ
	before Mode   // what plan mode was entered from
	set    *ruleset
	dirs   []AddedDirectory
	bypass bool      // ModeBypass may be entered by an update
	own    []workDir // of a session
	added  []workDir // dirs, as a session resolved them
	work   []workDir // of a session: its own working directories and those added
}

// NewPermissions returns permissions of the given mode and rules. An empty mode
// is ModeDefault, or in a fork its parent's. It refuses a mode it does not know
// and a rule it does not fully understand.
func NewPermissions(mode Mode, sets ...RuleSet) (Permissions, error) {
	p := Permissions{mode: mode, bypass: mode == ModeBypass}
	if mode.laxity() < 0 {
		return Permissions{}, fmt.Errorf("unknown permission mode %q", mode)
	}
	return p.WithRules(sets...)
}

// Mode returns the mode.
func (p Permissions) Mode() Mode { return p.mode.orDefault() }

// Rules returns the rules, deny rules first and allow rules last.
func (p Permissions) Rules() []Rule { return slices.Clone(p.set.all()) }

// WithMode returns p with another mode. Plan mode remembers the mode before it.
func (p Permissions) WithMode(m Mode) (Permissions, error) {
	if m.laxity() < 0 {
		return Permissions{}, fmt.Errorf("unknown permission mode %q", m)
	}
	if m == ModePlan && p.mode != ModePlan {
		p.before = p.Mode()
	}
	p.mode, p.bypass = m, p.bypass || m == ModeBypass
	return p, nil
}

// AfterPlan returns p in the mode that plan mode was entered from. In any other
// mode it is p.
func (p Permissions) AfterPlan() Permissions {
	if p.mode == ModePlan {
		p.mode, p.before = p.before.orDefault(), ""
	}
	return p
}

// WithRules returns p with further rules.
func (p Permissions) WithRules(sets ...RuleSet) (Permissions, error) {
	rules := p.Rules()
	for _, set := range sets {
		more, err := set.parse()
		if err != nil {
			return Permissions{}, err
		}
		rules = append(rules, more...)
	}
	p.set = newRuleset(rules)
	return p, nil
}

// parse returns the rules of a set. The allow rules of a source that is not
// trusted are checked and left out.
func (set RuleSet) parse() ([]Rule, error) {
	var rules []Rule
	for _, list := range []struct {
		behavior Behavior
		texts    []string
	}{{Deny, set.Deny}, {Ask, set.Ask}, {Allow, set.Allow}} {
		for _, text := range list.texts {
			r, err := ParseRule(list.behavior, text)
			if err != nil {
				return nil, err
			}
			r.Source = set.Source
			if list.behavior != Allow || !set.Untrusted {
				rules = append(rules, r)
			}
		}
	}
	return rules, nil
}

// admits returns an error if child could permit what p does not.
func (p Permissions) admits(child Permissions) error {
	if child.mode != "" && child.mode.laxity() > p.mode.laxity() {
		return fmt.Errorf("mode %s is laxer than the parent's mode %s", child.mode, p.Mode())
	}
	for _, d := range child.dirs {
		if !slices.Contains(p.dirs, d) {
			return fmt.Errorf("a fork cannot add the directory %s; add it to the parent", d.Path)
		}
	}
	for _, r := range child.set.all() {
		if r.Behavior == Allow && !slices.ContainsFunc(p.set.all(), r.says) {
			return fmt.Errorf("a fork cannot add the allow rule %q; add it to the parent", r)
		}
	}
	return nil
}

// narrowed returns p cut by what a child adds: its deny and ask rules, and its
// mode.
func (p Permissions) narrowed(child Permissions) Permissions {
	var dirs []AddedDirectory
	var added []workDir // as the parent resolved them
	for i, d := range p.dirs {
		if slices.Contains(child.dirs, d) {
			dirs, added = append(dirs, d), append(added, p.added[i])
		}
	}
	p.dirs, p.added, p.own, p.work, p.before = dirs, added, child.own, slices.Concat(child.own, added), child.before
	if child.mode != "" && child.Mode() != p.Mode() {
		p.outer = append(slices.Clone(p.outer), p.Mode())
		p.mode = child.mode
	}
	more := slices.DeleteFunc(child.Rules(), func(r Rule) bool { return r.Behavior == Allow })
	if len(more) > 0 {
		p.set = newRuleset(append(more, p.Rules()...))
	}
	return p
}

// in returns p as it holds in a session: the anchors of path rules are fixed, and
// the directories resolved. A rule that was fixed before, in a session or its
// parent, keeps meaning the same files.
func (p Permissions) in(s *Session) *Permissions {
	p = p.anchored(s.bases())
	p.added = nil
	for _, d := range p.dirs {
		abs, real := s.locate(d.Path)
		p.added = append(p.added, workDir{spelled: abs, real: real})
	}
	p.own = s.work
	p.work = slices.Concat(p.own, p.added)
	return &p
}

func (p Permissions) anchored(bases []pattern.Base) Permissions {
	rules := p.Rules()
	for i := range rules {
		if rules[i].bases == nil {
			rules[i].anchor(bases)
		}
	}
	p.set = newRuleset(rules)
	return p
}

// Directories returns the directories that were added.
func (p Permissions) Directories() []AddedDirectory { return slices.Clone(p.dirs) }
