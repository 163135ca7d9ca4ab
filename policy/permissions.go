package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// A RuleSet holds the rules of one source as a settings file spells them. Package encoding/json
// can decode the permissions of such a file into it.
type RuleSet struct {
	Source Source   `json:"-"`
	Allow  []string `json:"allow,omitempty"`
	Ask    []string `json:"ask,omitempty"`
	Deny   []string `json:"deny,omitempty"`
	// Untrusted leaves out the allow rules: the allow rules of a project count only once the user
	// trusts it. Its deny and ask rules always count.
	Untrusted bool `json:"-"`
}

// ErrModeUnavailable is the error for a mode that the permissions do not offer, see
// [Permissions.Offers].
var ErrModeUnavailable = errors.New("permission mode not available")

// A Directory is a working directory that was added at run time.
type Directory struct {
	Path   string
	Source Source
}

// An addedDir is a directory that was added to Permissions, and its location.
type addedDir struct {
	Directory
	at workDir // zero until it is resolved
}

// Permissions are a mode and rules. The value is immutable. The zero value has no rules, so only
// harmless reads run without a question.
type Permissions struct {
	mode   Mode
	outer  []Mode // modes of the parents, where they differ
	before Mode   // the mode before plan mode; in a fork, empty means its parent's
	parent Mode   // for a fork in a session: its parent's mode, which replaces an empty mode
	set    *ruleset
	dirs   []addedDir // never written to

	available modes // of ModeAuto and ModeBypass, those that may be entered
	withheld  modes // those that may not be entered, see Without

	// Set by In:
	place   *Place    // nil before In
	changed bool      // rules or directories were added since In
	addedAt *Place    // the place that new rules and directories refer to; nil means place
	own     []workDir // the working directories of place; in a fork, those of them inside its parent's
	work    []workDir // own and dirs
}

// New returns permissions of the given mode and rules. An empty mode means ModeDefault, or in a
// fork the mode of its parent. The mode is offered from now on, see [Permissions.Offers]. It is an
// error if the mode is unknown or a rule is not fully understood.
func New(mode Mode, sets ...RuleSet) (Permissions, error) {
	p := Permissions{mode: mode, available: modesOf(mode)}
	if mode.laxity() < 0 {
		return Permissions{}, fmt.Errorf("unknown permission mode %q", mode)
	}
	return p.WithRules(sets...)
}

// Mode returns the mode.
func (p Permissions) Mode() Mode { return cmp.Or(p.mode, p.parent).orDefault() }

// Modes returns the mode of p, followed by the modes of the permissions that p was narrowed from
// where they differ. A call is decided in each mode, and the strictest decision counts.
func (p Permissions) Modes() []Mode { return append([]Mode{p.Mode()}, p.outer...) }

// Rules returns the rules, deny rules first and allow rules last.
func (p Permissions) Rules() []Rule { return slices.Clone(p.set.all()) }

// AllRules yields the rules in the order of Rules, without a copy of the list.
func (p Permissions) AllRules() iter.Seq[Rule] { return slices.Values(p.set.all()) }

// Directories returns the directories that were added.
func (p Permissions) Directories() (all []Directory) {
	for _, d := range p.dirs {
		all = append(all, d.Directory)
	}
	return all
}

// WithDirectories returns p with further directories of any source, including those of a policy,
// which no update can add. It does not add a directory again that p already has.
func (p Permissions) WithDirectories(dirs ...Directory) Permissions {
	p.dirs = slices.Clone(p.dirs)
	known := make(map[Directory]bool, len(p.dirs)+len(dirs))
	for _, d := range p.dirs {
		known[d.Directory] = true
	}
	for _, d := range dirs {
		if !known[d] {
			known[d], p.dirs, p.changed = true, append(p.dirs, addedDir{Directory: d}), true
		}
	}
	return p
}

// WithRules returns p with further rules.
func (p Permissions) WithRules(sets ...RuleSet) (Permissions, error) {
	rules, errs := p.Rules(), []error(nil)
	for _, set := range sets {
		more, err := set.parse()
		rules, errs = append(rules, more...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return Permissions{}, err
	}
	p.set, p.changed = newRuleset(rules), true
	return p, nil
}

// Apply returns p after the updates, in their order. If one is wrong, it returns an
// error and none is applied.
func (p Permissions) Apply(updates ...Update) (Permissions, error) {
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
	var errs []error
	rules := make([]Rule, 0, len(set.Deny)+len(set.Ask)+len(set.Allow))
	for _, list := range []struct {
		behavior Behavior
		texts    []string
	}{{Deny, set.Deny}, {Ask, set.Ask}, {Allow, set.Allow}} {
		for _, text := range list.texts {
			r, err := ParseRule(list.behavior, text)
			if err != nil {
				errs = append(errs, err)
			}
			r.Source = set.Source
			if list.behavior != Allow || !set.Untrusted {
				rules = append(rules, r)
			}
		}
	}
	return rules, errors.Join(errs...)
}

// CheckChild returns an error if the permissions of a child could allow more than p.
func (p Permissions) CheckChild(fork Permissions) error {
	if fork.mode != "" && fork.mode.laxity() > p.mode.laxity() {
		return fmt.Errorf("mode %s is laxer than the parent's mode %s", fork.mode, p.Mode())
	}
	if fork.mode != "" && p.withholds(fork.mode) {
		return fmt.Errorf("%w: the parent's permissions withhold mode %s", ErrModeUnavailable, fork.mode)
	}
	for _, d := range fork.dirs {
		if !p.hasDir(d) {
			return fmt.Errorf("a fork cannot add the directory %s; add it to the parent", d.Path)
		}
	}
	for _, r := range fork.set.all() {
		if r.Behavior == Allow && !slices.ContainsFunc(p.set.all(), r.sameText) {
			return fmt.Errorf("a fork cannot add the allow rule %q; add it to the parent", r)
		}
	}
	return nil
}

// Narrow returns p narrowed by the permissions of a child: by its deny and ask rules, its mode,
// the modes that it withholds, and its directories. Allow rules of the turn stay behind. Both p
// and fork must hold at a place, see [Permissions.In].
func (p Permissions) Narrow(fork Permissions) Permissions {
	p, _ = p.WithoutTurn(Allow)
	p.parent = p.Mode()
	var dirs []addedDir // as the parent resolved them
	for _, d := range p.dirs {
		if fork.hasDir(d) {
			dirs = append(dirs, d)
		}
	}
	within := p.work
	if p.place != nil {
		within = slices.Concat(p.work, p.place.left)
	}
	own := slices.DeleteFunc(slices.Clone(fork.own), func(d workDir) bool { return !d.isWithin(within) }) // the parent may have lost one
	p.place, p.dirs, p.own, p.work, p.before = fork.place, dirs, own, workDirs(own, dirs), fork.before
	mode := p.inFork(fork)
	p.withheld |= fork.withheld
	if mode != p.Mode() {
		p.outer = append(slices.Clone(p.outer), p.Mode())
		p.mode, p.available = mode, p.available|modesOf(mode)
	}
	more := slices.DeleteFunc(fork.Rules(), func(r Rule) bool { return r.Behavior == Allow })
	if len(more) > 0 || p.place != nil && p.place.also != nil {
		p.set = newRuleset(append(more, p.rulesAlsoAt(p.place)...))
	}
	return p
}

// rulesAlsoAt returns the rules of p as they hold in a fork. After the fork has moved, deny and
// ask rules of its parents are about its new place, too.
func (p *Permissions) rulesAlsoAt(at *Place) []Rule {
	rules := p.Rules()
	for i := range rules {
		if at != nil && rules[i].Behavior != Allow {
			rules[i].holdAlso(at.also)
		}
	}
	return rules
}

// hasDir reports whether a directory was added to p.
func (p *Permissions) hasDir(d addedDir) bool {
	return slices.ContainsFunc(p.dirs, func(o addedDir) bool { return o.Directory == d.Directory })
}

// In returns p as it holds at a place: with the anchors of path rules fixed and the directories
// resolved. Anchors and directories that were fixed before stay, so that a rule keeps matching the
// same files; links on the way to a directory are followed again. Call In once to decide many
// calls, which saves time.
func (p Permissions) In(at *Place) Permissions {
	if at == nil {
		return p
	}
	added := cmp.Or(p.addedAt, at)
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
	dirs := slices.Clone(p.dirs)
	for i := range dirs {
		d := &dirs[i]
		if d.at.spelled == "" || filepath.IsAbs(d.Path) {
			d.at.spelled = realpath.Abs(added.Dir(), added.home, d.Path)
		}
		d.at.real = realpath.Resolve(d.at.spelled)
	}
	p.place, p.changed, p.addedAt, p.parent, p.dirs, p.own = at, false, nil, "", dirs, at.own
	p.work = workDirs(p.own, dirs)
	return p
}

// OnlyIn is like In, but forgets where else [Permissions.Move] has made rules hold. They hold only
// where they were added and at the place.
func (p Permissions) OnlyIn(at *Place) Permissions {
	if slices.ContainsFunc(p.set.all(), func(r Rule) bool { return len(r.bases) != len(r.anchored.bases) }) {
		rules := p.Rules()
		for i := range rules {
			if rules[i].bases != nil {
				rules[i].holdWhereAdded()
			}
		}
		p.set = newRuleset(rules)
	}
	return p.In(at)
}

// AddedAt returns p whose new rules and directories refer to the place added, whichever place In
// is given. A directory is not new if before has it, too.
func (p Permissions) AddedAt(added *Place, before Permissions) Permissions {
	p.addedAt, p.dirs = added, slices.Clone(p.dirs)
	for i, d := range p.dirs {
		if k := slices.IndexFunc(before.dirs, func(o addedDir) bool { return o.Directory == d.Directory }); k >= 0 {
			p.dirs[i] = before.dirs[k]
		}
	}
	return p
}

// Place returns where p holds, or nil before In.
func (p Permissions) Place() *Place { return p.place }

// WorkDirs returns the working directories where p holds, the added ones last.
func (p Permissions) WorkDirs() (names []string) {
	for _, d := range p.work {
		names = append(names, d.spelled)
	}
	return names
}

// workDirs returns own directories and added ones.
func workDirs(own []workDir, added []addedDir) []workDir {
	all := slices.Clip(own)
	for _, d := range added {
		all = append(all, d.at)
	}
	return all
}

// Resolve returns a copy of targets in the form in which they are decided where p holds: paths are
// absolute and have their [Target.Real], and hosts are canonical. Resolve a target that is decided
// later only once, so that the tool opens the file that was decided. Before In, nothing is
// resolved.
func (p Permissions) Resolve(targets []Target) []Target {
	if p.place == nil {
		return Clone(targets)
	}
	return p.place.resolve(targets, p.set.restrictsFiles())
}

// Offers reports whether m may be entered: by WithMode, by an update, or by an answer that
// remembers one. ModeAuto and ModeBypass are offered only if the permissions were made in them, or
// by WithAvailable; the other modes always are. Modes that Without names and unknown modes are not
// offered.
//
// In a fork, the parent's mode is a further limit: a laxer one is refused.
func (p Permissions) Offers(m Mode) bool {
	optional := m == ModeAuto || m == ModeBypass
	return m.laxity() >= 0 && !p.withheld.has(m) && (!optional || p.available.has(m))
}

// WithAvailable returns p that offers these modes, unless Without names them before or after. The
// mode of p stays. An unknown mode changes nothing.
func (p Permissions) WithAvailable(modes ...Mode) Permissions {
	p.available |= modesOf(modes...)
	return p
}

// Without returns p in which these modes can never be entered, for example because a policy
// forbids them. A fork cannot enter them either, except for a mode that is stricter than
// ModeDefault and than the mode of its parent, since a fork can always be narrower. If the mode of
// p is among them, p gets the next stricter mode that is not withheld, and none laxer than
// ModeDefault. ModeDeny cannot be withheld. An unknown mode changes nothing.
func (p Permissions) Without(modes ...Mode) Permissions {
	named := modesOf(modes...) &^ modesOf(ModeDeny)
	p.withheld |= named
	if named.has(p.mode) {
		p.mode = p.orStricter(p.mode)
	}
	return p
}

// WithMode returns p with another mode. Plan mode remembers the mode before it. It is an error if
// the mode is unknown. The error is [ErrModeUnavailable] if p does not offer the mode.
func (p Permissions) WithMode(m Mode) (Permissions, error) {
	switch {
	case m.laxity() < 0:
		return Permissions{}, fmt.Errorf("unknown permission mode %q", m)
	case p.withheld.has(m):
		return Permissions{}, fmt.Errorf("%w: the permissions withhold %s", ErrModeUnavailable, m.orDefault())
	case !p.Offers(m):
		return Permissions{}, fmt.Errorf("%w: %s is entered only where the permissions were made in it, or with WithAvailable", ErrModeUnavailable, m)
	}
	if m == ModePlan && p.mode != ModePlan {
		if p.before = p.mode; p.parent == "" {
			p.before = p.Mode()
		}
	}
	p.mode = m
	return p, nil
}

// AfterPlan returns p in the mode before plan mode, or in a stricter one if that mode is withheld
// by now. A fork gets the mode of its parent if it began in plan mode, had its parent's mode
// before, or had a laxer one. Outside plan mode, AfterPlan returns p.
func (p Permissions) AfterPlan() Permissions {
	if p.mode != ModePlan {
		return p
	}
	before := p.before
	p.before = ""
	switch {
	case p.parent == "":
		p.mode = p.orStricter(before.orDefault())
	case before == "" || before.Laxer(p.parent):
		p.mode = ""
	default:
		p.mode = p.orStricter(before)
	}
	return p
}

// orStricter returns m if it is not withheld. Otherwise it returns the laxest mode that is not
// withheld and is laxer neither than m nor than ModeDefault.
func (p Permissions) orStricter(m Mode) Mode {
	if !p.withheld.has(m) {
		return m
	}
	for i := min(m.laxity(), ModeDefault.laxity()); i > 0; i-- {
		if !p.withheld.has(modesByLaxity[i]) {
			return modesByLaxity[i]
		}
	}
	return ModeDeny
}

// withholds reports whether a fork cannot have a mode because p withholds it.
func (p Permissions) withholds(m Mode) bool {
	narrows := ModeDefault.Laxer(m) && p.Mode().Laxer(m)
	return p.withheld.has(m) && !narrows
}

// inFork returns the mode of a fork of p. A fork without a mode has the mode of p.
func (p Permissions) inFork(fork Permissions) Mode {
	if fork.mode == "" && p.withheld.has(p.mode) {
		return p.Mode() // p is a fork itself, and stricter than its parent
	}
	p.withheld |= fork.withheld
	if fork.mode != "" && !p.withholds(fork.mode) {
		return fork.mode.orDefault()
	}
	return p.orStricter(cmp.Or(fork.mode, p.mode)).orDefault()
}

// Inherit returns the permissions p of a child for code that changes them: with the mode of parent
// if they have none, and with the modes that parent offers and withholds.
func (p Permissions) Inherit(parent Permissions) Permissions {
	p.available |= parent.available
	p.withheld |= parent.withheld
	p.parent = parent.Mode()
	return p
}

// hasTurn reports whether p has a rule that ends with the turn.
func (p *Permissions) hasTurn() bool {
	return slices.ContainsFunc(p.set.all(), func(r Rule) bool { return r.Source == SourceTurn })
}

// WithoutTurn returns p without those rules that end with the turn and have one of these
// behaviors. Ended reports whether p has any rule that ends with the turn.
func (p Permissions) WithoutTurn(behaviors ...Behavior) (_ Permissions, ended bool) {
	if !p.hasTurn() {
		return p, false
	}
	ends := func(b Behavior) bool { return slices.Contains(behaviors, b) }
	p.set = newRuleset(slices.DeleteFunc(p.Rules(), func(r Rule) bool { return r.Source == SourceTurn && ends(r.Behavior) }))
	return p, true
}

// An Update is one change of permissions, in the form that Claude Code documents
// for hook scripts and approval dialogs.
type Update struct {
	Type        UpdateType   `json:"type"`
	Rules       []UpdateRule `json:"rules,omitempty"`
	Behavior    Behavior     `json:"behavior,omitempty"` // the behavior of Rules
	Mode        Mode         `json:"mode,omitempty"`
	Directories []string     `json:"directories,omitempty"`
	Destination Source       `json:"destination"` // the source whose rules and directories change
}

// UpdateType names the change that an [Update] makes.
type UpdateType string

// The types of update.
const (
	AddRules          UpdateType = "addRules"
	ReplaceRules      UpdateType = "replaceRules" // all rules of the behavior and the destination
	RemoveRules       UpdateType = "removeRules"
	SetMode           UpdateType = "setMode" // ModeBypass has no effect where it is not offered; any other mode is then an error
	AddDirectories    UpdateType = "addDirectories"
	RemoveDirectories UpdateType = "removeDirectories"
)

// An UpdateRule is a rule in the form of an [Update].
type UpdateRule struct {
	Tool    string `json:"toolName"`
	Pattern string `json:"ruleContent,omitempty"`
}

// String returns the rule as it is written in settings.
func (r UpdateRule) String() string {
	return Rule{Tool: r.Tool, Pattern: r.Pattern}.String()
}

// String returns the update for a person.
func (u Update) String() string {
	var rules []string
	for _, r := range u.Rules {
		rules = append(rules, r.String())
	}
	switch u.Type {
	case SetMode:
		return fmt.Sprintf("mode %s", u.Mode)
	case AddDirectories, RemoveDirectories:
		return fmt.Sprintf("%s %s in %s", u.Type, strings.Join(u.Directories, ", "), u.Destination)
	case AddRules:
		return fmt.Sprintf("%s %s in %s", u.Behavior, strings.Join(rules, ", "), u.Destination)
	}
	return fmt.Sprintf("%s %s %s in %s", u.Type, u.Behavior, strings.Join(rules, ", "), u.Destination)
}

// apply returns p after the update.
func (u Update) apply(p Permissions) (Permissions, error) {
	if u.Destination == SourceManaged {
		return p, errors.New("what the policy says cannot be changed here")
	}
	if u.Destination == SourceTurn && (u.Type == SetMode || u.Type == AddDirectories) {
		return p, fmt.Errorf("only rules end with a turn; use the destination %s for a mode or directories", SourceSession)
	}
	switch u.Type {
	case SetMode:
		if u.Mode == "" {
			return p, errors.New("the mode is missing")
		}
		if u.Mode == ModeBypass && !p.Offers(ModeBypass) {
			return p, nil // as Claude Code documents it
		}
		return p.WithMode(u.Mode)
	case AddDirectories, RemoveDirectories:
		p.dirs = slices.Clone(p.dirs)
		for _, path := range u.Directories {
			d := addedDir{Directory: Directory{Path: path, Source: u.Destination}}
			if i := slices.IndexFunc(p.dirs, func(o addedDir) bool { return o.Directory == d.Directory }); i >= 0 {
				d = p.dirs[i] // it stays where it is
				p.dirs = slices.Delete(p.dirs, i, i+1)
			}
			if u.Type == AddDirectories {
				p.dirs = append(p.dirs, d)
			}
		}
		p.changed = true
		return p, nil
	case AddRules, ReplaceRules, RemoveRules:
		return u.applyRules(p)
	}
	return p, errors.New("unknown type of update")
}

func (u Update) applyRules(p Permissions) (Permissions, error) {
	var given []Rule
	for _, text := range u.Rules {
		if strings.Contains(text.Tool, "(") {
			return p, fmt.Errorf("toolName %q holds a parenthesis; what stands in one is ruleContent", text.Tool)
		}
		r, err := ParseRule(u.Behavior, text.String())
		if err != nil {
			return p, err
		}
		r.Source = u.Destination
		if !slices.ContainsFunc(given, r.sameText) {
			given = append(given, r)
		}
	}
	rules := slices.DeleteFunc(p.Rules(), func(r Rule) bool {
		if u.Type == AddRules && r.bases != nil && !slices.Equal(r.anchored.bases, p.place.anchors) {
			return false // it is about other files, see Move
		}
		return slices.ContainsFunc(given, r.sameText) || (u.Type == ReplaceRules && r.Behavior == u.Behavior && r.Source == u.Destination)
	})
	if u.Type != RemoveRules {
		rules = append(rules, given...)
	}
	p.set, p.changed = newRuleset(rules), true
	return p, nil
}

// Digest identifies p by 64 hexadecimal digits. Permissions with the same modes, rules and
// directories have the same digest.
func (p Permissions) Digest() string {
	parts := []string{string(p.Mode())}
	for _, m := range p.outer {
		parts = append(parts, "outer "+string(m))
	}
	for r := range p.AllRules() {
		parts = append(parts, "rule", r.Behavior.String(), r.String(), string(r.Source))
	}
	for _, d := range p.work {
		parts = append(parts, "dir", d.spelled)
	}
	text, _ := json.Marshal(parts) // strings have no error
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
