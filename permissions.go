package pegboard

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A RuleSet holds one source's rules as they are written in a settings file.
type RuleSet struct {
	Source           RuleSource
	Allow, Ask, Deny []string
	// Untrusted leaves out the allow rules: those of a project count only once the user
	// trusts it. Its deny and ask rules always count.
	Untrusted bool
}

// An AddedDirectory is a working directory that was added at run time.
type AddedDirectory struct {
	Path   string
	Source RuleSource
}

// Permissions are a mode and rules. The value is immutable. The zero value has no rule,
// so that only harmless reads run without a question.
type Permissions struct {
	mode    Mode
	outer   []Mode // modes of the parents, where they differ
	before  Mode   // the mode before plan mode; in a fork, empty means its parent's
	parent  Mode   // of a fork in a session: its parent's mode, which an empty mode means
	set     *ruleset
	trusted []string   // sources of tools, sorted; never written to
	facts   []FactRule // deny rules first, allow rules last; never written to
	dirs    []AddedDirectory

	available modes // of ModeAuto and ModeBypass, those that may be entered
	withheld  modes // those that may not be entered, see Without

	// Set in a session:
	place *place
	own   []workDir // the session's own working directories
	added []workDir // dirs, resolved
	work  []workDir // own and added
}

// NewPermissions returns permissions of the given mode and rules. An empty mode means
// ModeDefault, or in a fork its parent's. The mode is available from now on, see
// [Permissions.Offers]. It is an error if the mode is unknown, or a rule is not fully
// understood.
func NewPermissions(mode Mode, sets ...RuleSet) (Permissions, error) {
	p := Permissions{mode: mode, available: modesOf(mode)}
	if mode.laxity() < 0 {
		return Permissions{}, fmt.Errorf("unknown permission mode %q", mode)
	}
	return p.WithRules(sets...)
}

// Mode returns the mode.
func (p Permissions) Mode() Mode { return cmp.Or(p.mode, p.parent).orDefault() }

// Rules returns the rules, deny rules first and allow rules last.
func (p Permissions) Rules() []Rule { return slices.Clone(p.set.all()) }

// AllRules yields the rules in the order of Rules, without a copy of the list.
func (p Permissions) AllRules() iter.Seq[Rule] { return slices.Values(p.set.all()) }

// Directories returns the directories that were added.
func (p Permissions) Directories() []AddedDirectory { return slices.Clone(p.dirs) }

// WithDirectories returns p with further directories of any source, such as those of a policy,
// which no update can add. One that p has already is not added again.
func (p Permissions) WithDirectories(dirs ...AddedDirectory) Permissions {
	p.dirs = slices.Clone(p.dirs)
	known := make(map[AddedDirectory]bool, len(p.dirs)+len(dirs))
	for _, d := range p.dirs {
		known[d] = true
	}
	for _, d := range dirs {
		if !known[d] {
			known[d], p.dirs = true, append(p.dirs, d)
		}
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

// Apply returns p after the updates, in their order. If one is wrong, it returns an
// error and none is applied.
func (p Permissions) Apply(updates ...PermissionUpdate) (Permissions, error) {
	q := p
	for _, u := range updates {
		var err error
		if q, err = u.apply(q); err != nil {
			return Permissions{}, fmt.Errorf("update %s: %w", u.Type, err)
		}
	}
	return q, nil
}

// parse returns the rules of a set. The allow rules of an untrusted source are checked,
// but not returned.
func (set RuleSet) parse() ([]Rule, error) {
	rules := make([]Rule, 0, len(set.Deny)+len(set.Ask)+len(set.Allow))
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

// checkFork returns an error if the permissions of a fork could allow more than p.
func (p Permissions) checkFork(fork Permissions) error {
	if fork.mode != "" && fork.mode.laxity() > p.mode.laxity() {
		return fmt.Errorf("mode %s is laxer than the parent's mode %s", fork.mode, p.Mode())
	}
	if fork.mode != "" && p.withholds(fork.mode) {
		return fmt.Errorf("%w: the parent's permissions withhold mode %s", ErrModeUnavailable, fork.mode)
	}
	for _, d := range fork.dirs {
		if !slices.Contains(p.dirs, d) {
			return fmt.Errorf("a fork cannot add the directory %s; add it to the parent", d.Path)
		}
	}
	for _, r := range fork.set.all() {
		if r.Behavior == Allow && !slices.ContainsFunc(p.set.all(), r.sameText) {
			return fmt.Errorf("a fork cannot add the allow rule %q; add it to the parent", r)
		}
	}
	return p.checkForkFacts(fork)
}

// narrowed returns p narrowed by a fork's permissions: its deny and ask rules, its mode
// and those that it withholds, its directories. Allow rules of the turn stay behind.
func (p Permissions) narrowed(fork Permissions) Permissions {
	p = p.withoutTurn(Allow)
	p.parent = p.Mode()
	var dirs []AddedDirectory
	var added []workDir // as the parent resolved them
	for i, d := range p.dirs {
		if slices.Contains(fork.dirs, d) {
			dirs, added = append(dirs, d), append(added, p.added[i])
		}
	}
	within := slices.Concat(p.work, p.place.left)
	own := slices.DeleteFunc(slices.Clone(fork.own), func(d workDir) bool { return !d.isWithin(within) }) // the parent may have lost one
	p.place, p.dirs, p.added, p.own, p.work, p.before = fork.place, dirs, added, own, slices.Concat(own, added), fork.before
	mode := p.inFork(fork)
	p.withheld |= fork.withheld
	if mode != p.Mode() {
		p.outer = append(slices.Clone(p.outer), p.Mode())
		p.mode, p.available = mode, p.available|modesOf(mode)
	}
	more := slices.DeleteFunc(fork.Rules(), func(r Rule) bool { return r.Behavior == Allow })
	if len(more) > 0 || p.place.also != nil {
		p.set = newRuleset(append(more, p.rulesAlsoAt(p.place)...))
	}
	return p.narrowedFacts(fork)
}

// rulesAlsoAt returns the rules of p as they hold in a fork. After it has moved, deny and ask
// rules of its parents are about its place, too.
func (p *Permissions) rulesAlsoAt(at *place) []Rule {
	rules := p.Rules()
	for i := range rules {
		if rules[i].Behavior != Allow {
			rules[i].holdAlso(at.also)
		}
	}
	return rules
}

// in returns p as it holds in a session at a place: the anchors of path rules are fixed, and
// the directories resolved. A rule whose anchor was fixed before, in a session or its parent,
// keeps matching the same files, and a directory that before has, too, keeps its place. New ones
// refer to where they were added.
func (p Permissions) in(at, added *place, before *Permissions) *Permissions {
	p = p.anchoredIn(at, added)
	p.place, p.parent, p.added = at, "", nil
	for _, d := range p.dirs {
		p.added = append(p.added, before.resolved(d, added))
	}
	p.own = at.own
	p.work = slices.Concat(p.own, p.added)
	return &p
}

// resolved returns an added directory as p has it. A new one refers to where it is added. Links
// on its way are followed anew.
func (p *Permissions) resolved(d AddedDirectory, added *place) workDir {
	abs, real := added.locate(d.Path)
	if p != nil && !filepath.IsAbs(d.Path) {
		if i := slices.Index(p.dirs, d); i >= 0 && i < len(p.added) {
			abs = p.added[i].spelled
			real = realpath.Resolve(abs)
		}
	}
	return workDir{spelled: abs, real: real}
}

// anchoredIn returns p with the anchors of its rules at a place. New rules are anchored where
// they were added.
func (p Permissions) anchoredIn(at, added *place) Permissions {
	rules := p.Rules()
	for i := range rules {
		r := &rules[i]
		if r.bases == nil {
			r.anchor(added.anchors)
		} else if at.also != nil {
			r.holdWhereAdded()
		}
		if r.Behavior != Allow {
			r.holdAlso(at.also)
		}
	}
	p.set = newRuleset(rules)
	return p
}

// whereAdded returns p with rules that hold where they were added, and nowhere else.
func (p Permissions) whereAdded() Permissions {
	if !slices.ContainsFunc(p.set.all(), func(r Rule) bool { return len(r.bases) != len(r.anchored.bases) }) {
		return p
	}
	rules := p.Rules()
	for i := range rules {
		if rules[i].bases != nil {
			rules[i].holdWhereAdded()
		}
	}
	p.set = newRuleset(rules)
	return p
}
