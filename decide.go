package pegboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// decide settles targets of c, given what the hooks and the tool itself say.
func (c *Call) decide(ts []Target, hook, own Decision) Decision {
	var x subject
	x.hook, x.own = hook, own
	return c.put(&x, ts).decide(&x)
}

// decideLater settles targets that turned up after c itself was allowed.
func (c *Call) decideLater(ts []Target) Decision {
	var x subject
	return c.putLater(&x, ts).decide(&x)
}

// putLater is put for targets that turned up after c itself was allowed.
func (c *Call) putLater(x *subject, ts []Target) *Permissions {
	p := c.put(x, ts)
	if c.state.allowed {
		x.approved, x.under = c.state.targets, c.state.under
	}
	return p
}

// put makes x what is decided of targets of c, and returns the permissions in force.
func (c *Call) put(x *subject, ts []Target) *Permissions {
	st := c.state
	p := st.session.permissions()
	x.info, x.spec, x.traits, x.input = st.info, st.spec, &st.traits, c.Input
	x.targets, x.platform, x.dirs, x.lent = ts, st.session.platform, p.work, st.session.readableDirs()
	if x.info == nil { // before the tool is known
		x.info = &Info{}
	}
	return p
}

// subject is what a decision is about.
type subject struct {
	info     *Info
	traits   *Traits
	input    json.RawMessage // as the model wrote it
	spec     *inputSpec
	targets  []Target // resolved
	dirs     []workDir
	lent     []workDir // to be read only
	platform pattern.Platform
	own      Decision // what the tool says
	hook     Decision // what the hooks say

	deny, ask *Rule  // the first that is about it
	found     found  // the rules that may be about its targets
	doubt     string // why a command that only reads may not be believed to

	approved []Target     // what the call was allowed, if it runs already
	under    *Permissions // and what it was decided under

	trace *Explanation // nil unless somebody wants to know
}

func (x *subject) note(r *Rule, t *Target, b Behavior, reason string) {
	if x.trace == nil {
		return
	}
	s := ExplanationStep{Behavior: b, Reason: reason}
	if r != nil {
		copied := *r
		s.Rule, s.Reason = &copied, r.describe()+" "+reason
	}
	if t != nil {
		s.Target = t.String()
	}
	x.trace.Steps = append(x.trace.Steps, s)
}

// decide settles x: Allow, Ask or Deny. A session with parents is decided in the
// mode of each, and the strictest answer counts.
func (p *Permissions) decide(x *subject) Decision {
	if len(x.targets) == 0 && (!x.traits.ReadOnly || x.info.Origin.External()) {
		x.targets = []Target{{}}
	}
	if x.info.Origin.External() {
		x.targets = unvouched(x.targets)
	}
	x.deny, x.ask = p.touching(x)
	d := p.decideIn(p.Mode(), x)
	for _, m := range p.outer {
		d = stricter(d, p.decideIn(m, x))
	}
	return d
}

// unvouched returns targets without what only a tool of the host's own may say of
// them, since nobody checked the word of an attached one.
func unvouched(ts []Target) []Target {
	ts = slices.Clone(ts)
	for i := range ts {
		t := &ts[i]
		t.Filtered, t.Shell.ReadOnly, t.Shell.VerifyReadOnly, t.Shell.EditsOnly, t.Shell.Simple, t.Shell.FromCommand, t.Shell.Guess = false, false, nil, false, false, "", false
	}
	return ts
}

// decideIn takes the steps in the order in which they win.
func (p *Permissions) decideIn(mode Mode, x *subject) Decision {
	d := p.denied(mode, x)
	if d.Behavior == Undecided {
		d = p.asked(x)
	}
	if d.Behavior == Undecided {
		d = p.byMode(mode, x)
	}
	if d.Behavior == Undecided {
		d = p.cleared(mode, x)
	}
	if d.Behavior == Undecided {
		d = Decision{Behavior: Ask, Reason: x.whyNot(), unruled: true}
		x.note(nil, nil, Ask, d.Reason)
	}
	return p.unasked(mode, x, d)
}

// unasked makes a refusal of a question in the modes that ask nobody.
func (p *Permissions) unasked(mode Mode, x *subject, d Decision) Decision {
	if d.Behavior == Ask && mode.asksNobody() {
		d.Behavior, d.By, d.Reason = Deny, ByMode, fmt.Sprintf("%s, and mode %s asks nobody", d.Reason, mode)
		x.note(nil, nil, Deny, "mode "+string(mode)+" refuses what would be asked about")
	}
	return d
}

// denied is the part that nothing clears: deny rules, the objections of hooks
// and of the tool, and in plan mode whatever writes a file. That stands before
// ask rules, so that a fork's ask rule is not laxer than its parent's mode.
func (p *Permissions) denied(mode Mode, x *subject) Decision {
	if x.deny != nil {
		return ruled(*x.deny)
	}
	if opinion := x.opinion(); opinion.Behavior == Deny {
		x.note(nil, nil, Deny, "a hook or the tool itself: "+opinion.Reason)
		return Decision{Behavior: Deny, By: opinion.By, Reason: opinion.Reason}
	}
	if mode == ModePlan && x.writes() {
		reason := "in plan mode nothing is written; describe the change in the plan instead"
		x.note(nil, nil, Deny, reason)
		return Decision{Behavior: Deny, By: ByMode, Reason: reason}
	}
	return Decision{}
}

// asked is the part that only a person clears: ask rules, tools that require the
// user, the doubts of hooks and of the tool, and what must not happen unseen.
func (p *Permissions) asked(x *subject) Decision {
	below := len(x.approved) > 0 && x.all(x.belowApproved)
	if x.ask != nil {
		before := x.ask
		if below { // it may have been asked about when the call was
			_, before = x.under.touching(x.before())
		}
		if !below || before == nil {
			return ruled(*x.ask)
		}
	}
	if below {
		return Decision{}
	}
	reason, cautious := x.caution(), true
	opinion, by := x.opinion(), ByDefault
	switch {
	case x.info.RequiresUser:
		reason = "only a person may allow " + x.info.Name
	case reason != "":
	case opinion.Behavior == Ask:
		reason, cautious, by = cmp.Or(opinion.Reason, "a hook or the tool itself wants it asked about"), false, opinion.By
	default:
		return Decision{}
	}
	x.note(nil, nil, Ask, reason)
	return Decision{Behavior: Ask, By: by, Reason: reason, cautious: cautious}
}

// byMode is what a mode says before allow rules are heard.
func (p *Permissions) byMode(mode Mode, x *subject) Decision {
	var d Decision
	switch {
	case len(x.approved) > 0 && x.all(x.belowApproved):
		return d
	case mode == ModeBypass && !x.all(func(t *Target) bool { return t.Kind != TargetOpaque || t.Value == "" || !p.restrictsUnseen(x, t) }):
		d = Decision{Behavior: Ask, Reason: "nobody can see whether a deny or ask rule is about it: " + describeTargets(x.targets)}
	case mode == ModeBypass:
		d = Decision{Behavior: Allow, By: ByMode, Reason: "mode bypassPermissions"}
	case mode == ModeAsk:
		d = Decision{Behavior: Ask, By: ByMode, Reason: "mode ask asks about every call"}
	case mode == ModePlan && !x.traits.ReadOnly:
		d = Decision{Behavior: Ask, By: ByMode, Reason: "in plan mode only reading runs unasked"}
	default:
		return d
	}
	x.note(nil, nil, d.Behavior, d.Reason)
	return d
}

// cleared is Allow if there is a reason to let every target pass.
func (p *Permissions) cleared(mode Mode, x *subject) Decision {
	if d := p.allowing(mode, x); d.Behavior == Allow {
		return d
	}
	if d := p.granted(mode, x); d.Behavior == Allow {
		x.note(nil, nil, Allow, d.Reason)
		return d
	}
	return Decision{}
}

// allowing returns Allow if every target is covered by an allow rule, or does no
// harm, or is an edit that the mode permits. Only rules and edits permit a call
// that is not read-only.
func (p *Permissions) allowing(mode Mode, x *subject) Decision {
	last, edits := (*Rule)(nil), false
	if len(x.targets) == 0 { // a read-only call that acts on nothing
		last = p.covered(mode, x, &Target{}, []string{""}, nil)
	}
	for i := range x.targets {
		t := &x.targets[i]
		if t.Shell.Guess {
			continue
		}
		switch r := p.covering(mode, x, i); {
		case r != nil:
			x.note(r, t, Allow, "covers it")
			last = r
		case mode != ModeDeny && x.harmless(t):
			x.note(nil, t, Allow, "it only reads, inside the working directories")
		case mode.edits() && x.editable(t):
			x.note(nil, t, Allow, "mode "+string(mode)+" permits edits inside the working directories")
			edits = true
		default:
			x.note(nil, t, Undecided, cmp.Or(x.doubt, "nothing allows it"))
			return Decision{}
		}
	}
	switch {
	case last != nil:
		return ruled(*last)
	case edits && !x.traits.OpenWorld:
		return Decision{Behavior: Allow, By: ByMode, Reason: "mode " + string(mode) + " permits edits inside the working directories"}
	}
	return Decision{}
}

// granted is what lets a call run although no rule speaks of it: a hook's allow,
// the tool's own, or that it only reads what anybody in the session may read.
func (p *Permissions) granted(mode Mode, x *subject) Decision {
	hooked := x.hook.Behavior == Allow && x.all(func(t *Target) bool { return !p.restrictsUnseen(x, t) })
	switch {
	case hooked:
		return Decision{Behavior: Allow, By: ByHook, Reason: "a hook allows it: " + x.hook.Reason}
	case x.own.Behavior == Allow && !x.info.Origin.External() && x.all(func(t *Target) bool { return t.Kind != TargetPath || t.Shell.Guess || x.inside(t) }):
		return Decision{Behavior: Allow, By: ByTool, Reason: x.own.Reason}
	case len(x.approved) > 0 && x.all(x.belowApproved):
		return Decision{Behavior: Allow, Reason: "it lies below what the call was allowed"}
	case mode != ModeDeny && x.traits.ReadOnly && !x.traits.OpenWorld && x.all(x.harmless):
		return Decision{Behavior: Allow, Reason: "it only reads, inside the working directories"}
	}
	return Decision{}
}

// ruled is the decision of a rule. It holds a copy: whoever is shown it may write
// to it.
func ruled(r Rule) Decision {
	var room [128]byte
	reason := append(r.appendDescription(room[:0]), " covers it"...)
	return Decision{Behavior: r.Behavior, By: ByRule, Rule: &r, Reason: string(reason)}
}

// opinion is what hooks and the tool say, the stricter of the two.
func (x *subject) opinion() Decision {
	x.hook.By, x.own.By = ByHook, ByTool
	return stricter(x.hook, x.own)
}

// writes reports whether the call writes a file, whatever it says of itself.
func (x *subject) writes() bool {
	return slices.ContainsFunc(x.targets, func(t Target) bool { return t.Kind == TargetPath && t.Access == AccessWrite && !t.Shell.Guess })
}

// caution says why a person must see the call, or nothing.
func (x *subject) caution() string {
	for i := range x.targets {
		t := &x.targets[i]
		if t.AskReason != "" {
			return t.AskReason
		}
		if t.Kind != TargetPath || t.Access == AccessRead || t.Shell.Guess {
			continue
		}
		for _, name := range t.names() {
			if what, ok := pattern.Protected(x.platform, name); ok {
				return fmt.Sprintf("it would write %s, and other programs run or trust what is in %s", visible(name), what)
			}
		}
	}
	return ""
}

// harmless reports whether t may be touched by any read-only call: a path inside
// the working directories that is read, or a command that only reads.
func (x *subject) harmless(t *Target) bool {
	switch {
	case t.Shell.Guess:
		return true
	case t.Kind == TargetPath:
		return t.Access == AccessRead && (x.inside(t) || below(t, x.lent))
	case t.Kind == TargetCommand:
		return t.Shell.ReadOnly && x.vetted(t)
	}
	return false
}

// vetted reports whether the tool stands by what it said of a command, and keeps
// the reason if it does not.
func (x *subject) vetted(t *Target) bool {
	if t.Shell.VerifyReadOnly == nil {
		return true
	}
	err := goroutine.Try(t.Shell.VerifyReadOnly)
	if err != nil {
		x.doubt = err.Error()
	}
	return err == nil
}

// editable reports whether t is an edit inside the working directories. That it
// is not protected was made sure before.
func (x *subject) editable(t *Target) bool {
	switch {
	case x.info.Origin.External():
		return false
	case t.Kind == TargetPath:
		return t.Access != AccessRun && x.inside(t)
	}
	return t.Kind == TargetCommand && t.Shell.EditsOnly
}

// before is what was decided when the call itself was. It is rare, and not inlined
// so that who calls it needs no room on the stack for it.
//
//go:noinline
func (x *subject) before() *subject {
	y := *x
	y.targets, y.approved, y.trace = x.approved, nil, nil
	return &y
}

// belowApproved reports whether t lies, under all its names, in a tree that the
// running call was allowed to touch in the same way.
func (x *subject) belowApproved(t *Target) bool {
	return slices.ContainsFunc(x.approved, func(a Target) bool {
		tree := []workDir{{spelled: a.Value, real: a.Real()}}
		return a.Tree && a.Kind == TargetPath && t.Kind == TargetPath && a.Access == t.Access &&
			!slices.ContainsFunc(t.names(), func(n string) bool { return !within(tree, n) })
	})
}

// all reports whether every target is ok.
func (x *subject) all(ok func(*Target) bool) bool {
	for i := range x.targets {
		if !ok(&x.targets[i]) {
			return false
		}
	}
	return true
}

func all[T any](ts []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(ts, func(t T) bool { return !ok(t) })
}

// whyNot says why a call needs approval, and what would give it.
func (x *subject) whyNot() string {
	what := "wants to " + describeTargets(x.targets)
	switch {
	case x.traits.Destructive:
		what += " and cannot be undone"
	case x.traits.OpenWorld:
		what += ", beyond this machine"
	case !x.all(func(t *Target) bool { return t.Kind != TargetPath || x.inside(t) }):
		what += ", outside the working directories"
	}
	if x.doubt != "" {
		what += ": " + x.doubt
	}
	return fmt.Sprintf("no rule allows it: %s %s", x.info.Name, what)
}
