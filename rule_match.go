package pegboard

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// found are the rules that may be about the targets of a call. They are looked up
// once, for the first targets: the rest, of a long command line, has no room.
type found struct {
	rules [40]int32 // by number
	ends  [12]int   // in rules, of those about each target
	n     int       // targets
}

// room is where to look up the rules for the next target.
func (f *found) room() []int32 {
	start := f.start(f.n)
	return f.rules[start:start]
}

// start is where the rules about target k begin.
func (f *found) start(k int) int {
	if k == 0 {
		return 0
	}
	return f.ends[k-1]
}

// keep notes the rules about target k if there is room, and returns them.
func (f *found) keep(k int, rules []int32) []int32 {
	start := f.start(f.n)
	if k == f.n && k < len(f.ends) && start+len(rules) <= len(f.rules) {
		f.ends[k] = start + copy(f.rules[start:], rules)
		f.n++
	}
	return rules
}

// about returns the rules about target k, or nil if they were not kept.
func (f *found) about(k int) []int32 {
	if k >= f.n {
		return nil
	}
	return f.rules[f.start(k):f.ends[k]]
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
	if t.Kind == TargetPath && t.Access != AccessRead && t.Access != AccessWrite {
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
	case t.Kind == TargetOpaque:
		return false
	case pattern.IsTargetFamily(r.Tool) || r.names(i):
		return true
	}
	// What Bash may not run, no other tool may. What it may, Monitor may too.
	return r.Tool == "Bash" && t.Kind == TargetCommand && (r.Behavior != Allow || i.answersTo("Monitor"))
}

// mayConcern reports whether a pattern rule could be about something that a
// call of the tool does without saying so.
func (r *Rule) mayConcern(i *Info) bool {
	return r.Pattern != "" && (pattern.IsTargetFamily(r.Tool) || r.names(i) || r.speaksOf(i, &Target{Kind: TargetCommand}))
}

func patternSubject(i *Info, t *Target, names []string) pattern.Subject {
	kind := pattern.Text
	switch t.Kind {
	case TargetPath:
		kind = pattern.Path
	case TargetHost:
		kind = pattern.Host
	case TargetCommand:
		kind = pattern.Command
	}
	whole := t.Tree && (!t.Filtered || i.Origin.External())
	return pattern.Subject{Kind: kind, Write: t.Access != AccessRead, Tree: whole, NoWildcards: t.Shell.NoWildcards, Names: names, Nested: t.Shell.Nested}
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
		slices.SortStableFunc(x.trace.Steps, func(a, b ExplanationStep) int { return int(b.Rule.Behavior - a.Rule.Behavior) })
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
	if whole == nil && t.Shell.FromCommand != "" && (t.Access == AccessRead || x.inside(t)) {
		for i := range x.targets {
			if c := &x.targets[i]; c.Kind == TargetCommand && c.Value == t.Shell.FromCommand {
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
	return t.Kind == TargetPath && t.Access == AccessWrite && slices.ContainsFunc(x.targets, func(c Target) bool { return c.Kind == TargetCommand })
}

// restrictsUnseen reports whether a deny or ask pattern could be about something
// that t does without saying so: anything, if t is opaque, and what is read,
// written or reached, if it is a command that nobody looked into.
func (p *Permissions) restrictsUnseen(x *subject, t *Target) bool {
	if t.Kind != TargetOpaque && (t.Kind != TargetCommand || t.Shell.Simple) {
		return false
	}
	return slices.ContainsFunc(p.set.all(), func(r Rule) bool {
		return r.Behavior != Allow && (r.param == nil || !x.declares(r.param.Name)) && r.mayConcern(x.info) && (t.Kind == TargetOpaque || pattern.IsTargetFamily(r.Tool))
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
