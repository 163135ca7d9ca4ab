package pegboard

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// matching returns the first deny rule and the first ask rule that match the call or any
// of its targets.
func (e *evaluation) matching() (deny, ask *Rule) {
	set := e.perms.set
	if set == nil {
		return nil, nil
	}
	first := [...]int{Deny: -1, Ask: -1}
	about := [...]*Target{Deny: nil, Ask: nil}
	matchAs := func(i int32, t *Target, twin string) {
		r := &set.rules[i]
		if r.Behavior == Ask && r.isBare() && e.inSandbox() {
			e.record(r, nil, Undecided, "is about it in plan mode only, since it runs in a sandbox")
			if e.askSandbox == nil {
				e.askSandbox = r
			}
			return
		}
		e.record(r, t, r.Behavior, "is about it")
		if at := &first[r.Behavior]; *at < 0 || int(i) < *at {
			*at, about[r.Behavior], e.twins[r.Behavior] = int(i), t, twin
		}
	}
	match := func(i int32, t *Target) { matchAs(i, t, "") }
	for _, i := range set.callRules {
		switch r := &set.rules[i]; {
		case r.Behavior == Allow:
		case e.matchesCall(r):
			match(i, nil)
		case e.explanation != nil:
			e.record(r, nil, Undecided, "is about something else")
		}
	}
	e.candidates.targets = 0
	for k := range e.targets {
		t := &e.targets[k]
		for _, i := range e.candidates.store(k, e.candidateRules(t, t.names(), e.candidates.free())) {
			switch r := &set.rules[i]; {
			case r.Behavior == Allow || r.Pattern == "" || r.param != nil && e.hasParameter(r.param.Name):
			case r.touches(e.info, t):
				if e.concerns(r, t) {
					match(i, t)
				}
			case e.explanation != nil:
				e.record(r, t, Undecided, "is about something else")
			}
		}
		e.matchLinks(t, matchAs)
	}
	if e.explanation != nil { // so far, every step is a rule
		slices.SortStableFunc(e.explanation.Steps, func(a, b ExplanationStep) int { return int(b.Rule.Behavior - a.Rule.Behavior) })
	}
	e.denied, e.asked = about[Deny], about[Ask]
	if first[Deny] >= 0 {
		deny = &set.rules[first[Deny]]
	}
	if first[Ask] >= 0 {
		ask = &set.rules[first[Ask]]
	}
	return deny, ask
}

// misunderstood returns the first deny or ask rule on the tool whose pattern has no meaning
// for any target of the call, or nil. It could be meant for the call. If something of the
// call cannot be seen, every such rule could be meant for that.
func (e *evaluation) misunderstood() *Rule {
	set := e.perms.set
	if set == nil {
		return nil
	}
	if r := e.ruleOnHidden(); r != nil {
		return r
	}
	for _, i := range set.ownRules {
		r := &set.rules[i]
		if !r.namesTool(e.info) || r.param != nil && e.hasParameter(r.param.Name) {
			continue
		}
		understands := func(t Target) bool { return r.understands(e.info, &t) }
		opaque := !e.all(func(t *Target) bool { return t.Kind != TargetOpaque })
		if opaque || !slices.ContainsFunc(e.targets, understands) && !slices.ContainsFunc(e.approved, understands) {
			return r
		}
	}
	return nil
}

// ruleOnHidden returns the first deny or ask rule on a property that the host binds, or nil.
func (e *evaluation) ruleOnHidden() *Rule {
	if e.schema == nil || len(e.schema.Hidden()) == 0 {
		return nil
	}
	for _, i := range e.perms.set.callRules {
		r := &e.perms.set.rules[i]
		if r.param != nil && slices.Contains(e.schema.Hidden(), r.param.Name) && r.namesTool(e.info) {
			return r
		}
	}
	return nil
}

// matchesCall reports whether r names the tool, or matches a parameter of the input: as the
// model wrote it or as it is observed.
func (e *evaluation) matchesCall(r *Rule) bool {
	switch {
	case !r.namesTool(e.info):
		return false
	case r.Pattern == "", e.declares(r.param.Name) && r.param.Matches(e.parameters()):
		return true
	case e.observer == nil:
		return false
	}
	fields, err := e.observed()
	return err != nil || r.param.Matches(fields)
}

// observed returns the properties of the input as it is observed.
func (e *evaluation) observed() (fields map[string]json.RawMessage, err error) {
	input, err := e.observer.observed()
	_ = json.Unmarshal(input, &fields) // as in parameters
	return fields, err
}

// parameters returns the properties of the input as the model wrote them, and the defaults
// of those that it left out.
func (e *evaluation) parameters() (fields map[string]json.RawMessage) {
	_ = json.Unmarshal(e.input, &fields) // the input was decoded before; a call without input has no parameters
	for name, value := range e.schema.Defaults() {
		if fields == nil {
			fields = map[string]json.RawMessage{}
		}
		if _, given := fields[name]; !given {
			fields[name] = value
		}
	}
	return fields
}

// hasParameter reports whether the tool's input has a property of that name, or is observed
// to have one.
func (e *evaluation) hasParameter(name string) bool {
	if e.declares(name) || e.observer == nil {
		return e.declares(name)
	}
	fields, _ := e.observed()
	return fields[name] != nil
}

func (e *evaluation) declares(name string) bool { return e.schema != nil && e.schema.Declares(name) }

// coversTarget returns the allow rule that covers target k, or nil. Each name of the
// target may be covered by another rule; the last one is returned. A rule for a command
// also allows the paths of that command, see [ShellFacts].FromCommand.
func (e *evaluation) coversTarget(mode Mode, k int) *Rule {
	t := &e.targets[k]
	r := e.covers(mode, t, t.names(), e.candidates.of(k))
	if r == nil {
		r = e.coversStarted(mode, t)
	}
	if r == nil && t.Shell.FromCommand != "" && (t.Access == AccessRead || e.isInside(t)) {
		for i := range e.targets {
			if c := &e.targets[i]; c.Kind == TargetCommand && c.Value == t.Shell.FromCommand {
				return e.coversTarget(mode, i)
			}
		}
	}
	return r
}

// coversStarted returns the last of the allow rules that cover all commands which a command
// starts with files that it finds, or nil. Besides that, the command only reads.
func (e *evaluation) coversStarted(mode Mode, t *Target) (last *Rule) {
	for _, text := range t.Shell.Starts {
		started := *t
		started.Value, started.Shell.Starts, started.Shell.NoWildcards = text, nil, false
		if last = e.covers(mode, &started, []string{text}, nil); last == nil {
			return nil
		}
	}
	return last
}

// covers returns the last of the allow rules that together cover t under all of names,
// or nil. Candidates are the rules that may match t; nil means they are looked up.
func (e *evaluation) covers(mode Mode, t *Target, names []string, candidates []int32) (last *Rule) {
	set := e.perms.set
	if set == nil {
		return nil
	}
	var buf [16]int32
	if candidates == nil {
		candidates = e.candidateRules(t, names, buf[:0])
	}
	callRules := set.callRules
	if e.explanation != nil { // the candidates are all rules
		callRules = nil
	}
	for k := range names {
		name := names[k : k+1]
		first := -1
		for _, list := range [...][]int32{callRules, candidates} {
			for _, i := range list {
				r := &set.rules[i]
				switch {
				case r.Behavior != Allow || first >= 0 && int(i) >= first:
				case e.allows(mode, r, t, name):
					first = int(i)
				case e.explanation != nil:
					e.record(r, t, Undecided, "does not cover it")
				}
			}
		}
		if first < 0 {
			return nil
		}
		last = &set.rules[first]
	}
	return last
}

// allows reports whether an allow rule covers one name of a target. A rule for a whole
// tool does not cover a target that cannot be seen into while a deny or ask pattern could
// match there (see unseenRule), nor a file that a command writes outside the working directories.
func (e *evaluation) allows(mode Mode, r *Rule, t *Target, name []string) bool {
	switch {
	case !r.covers(e.info, t, name), mode == ModeAuto && e.info.allowsAnything(r.Pattern):
		return false
	case r.Pattern != "" && t.Kind == TargetCommand && t.Shell.ReadsUnseen && e.unseenRule(t) != nil:
		return false
	case r.Pattern != "":
		return (mode != ModeAuto || t.Kind != TargetCommand || !pattern.Broad("Bash", r.Pattern)) && e.meansProgram(r, t, name)
	}
	unseen, ok := e.allowsWhole(t)
	if unseen != nil {
		e.doubt = r.describe() + " does not count while " + unseen.describe() + " could be about what cannot be seen"
	}
	return ok
}

// meansProgram reports whether an allow rule that covers one name of a command is about the
// program that would run. A rule with a wildcard for a program that everybody knows is about
// that program, whatever the files are called that it gets; one that spells the command was
// written, or remembered, for what this command runs here.
func (e *evaluation) meansProgram(r *Rule, t *Target, name []string) bool {
	shell := &t.Shell
	if (shell.BringsProgram || e.verify(shell.VerifyProgram)) && e.verify(shell.VerifyNames) {
		return true
	}
	exact := *t
	exact.Shell.NoWildcards = true
	return r.covers(e.info, &exact, name)
}

// ruleOnOtherDefinition returns an allow rule that names the tool and could only mean it as it
// was before its source changed its definition, or nil.
func (e *evaluation) ruleOnOtherDefinition() *Rule {
	if e.info.contested != contestedDefinition || e.perms.set == nil {
		return nil
	}
	before := *e.info
	before.contested = uncontested
	for i := range e.perms.set.rules {
		if r := &e.perms.set.rules[i]; r.Behavior == Allow && r.Pattern == "" && r.namesTool(&before) {
			return r
		}
	}
	return nil
}

// allowsWhole reports whether an allow rule for whole calls covers t. If a deny or ask
// pattern keeps it from that, it returns that rule.
func (e *evaluation) allowsWhole(t *Target) (unseen *Rule, ok bool) {
	if unseen = e.unseenRule(t); unseen != nil {
		return unseen, false
	}
	return nil, !e.isWrittenByCommand(t) || e.isInside(t)
}

// isWrittenByCommand reports whether t is a file that a command line writes.
func (e *evaluation) isWrittenByCommand(t *Target) bool {
	return t.Kind == TargetPath && t.Access == AccessWrite && slices.ContainsFunc(e.targets, func(c Target) bool { return c.Kind == TargetCommand })
}

// restrictsUnseen reports whether a deny or ask pattern could match something that t does
// without saying so.
func (e *evaluation) restrictsUnseen(t *Target) bool { return e.unseenRule(t) != nil }

// unseenRule returns the first deny or ask rule with a pattern that could match something
// that t does without saying so, or nil. If t is opaque, these are all rules that could be
// about the tool; if t is a command that is not Simple, those about files and hosts; if it
// RunsUnseen, those about commands; if it ReadsUnseen, those about reading files.
func (e *evaluation) unseenRule(t *Target) *Rule {
	if e.perms.set == nil || t.Kind != TargetOpaque && (t.Kind != TargetCommand || t.Shell.Simple && !t.saysUnseen()) {
		return nil
	}
	for i := range e.perms.set.rules {
		r := &e.perms.set.rules[i]
		switch {
		case r.Behavior == Allow:
			return nil // allow rules come last
		case !r.mayMatchUnseen(e.info) || r.param != nil && e.hasParameter(r.param.Name):
		case t.Kind == TargetOpaque && e.couldBeAbout(r), t.Kind != TargetOpaque && couldBeIn(t, r):
			return r
		}
	}
	return nil
}

// couldBeIn reports whether what a command does without saying so may be what a deny or ask
// rule is about.
func couldBeIn(t *Target, r *Rule) bool {
	switch {
	case r.Tool == "Read" && t.Shell.ReadsUnseen:
		return true
	case pattern.IsTargetFamily(r.Tool):
		return !t.Shell.Simple
	}
	return t.Shell.RunsUnseen
}

// couldBeAbout reports whether a rule that may match unseen is about this kind of tool. What
// a built-in tool does not say may be anything. A tool of a source works elsewhere; only if
// its call has a target of the kind that the rule is about, the unseen may be, too.
func (e *evaluation) couldBeAbout(r *Rule) bool {
	if !e.info.Origin.External() || r.namesTool(e.info) {
		return true
	}
	kind := TargetCommand
	switch r.Tool {
	case "Edit", "Read":
		kind = TargetPath
	case "WebFetch":
		kind = TargetHost
	}
	return !e.all(func(t *Target) bool { return t.Kind != kind })
}

// candidateRules appends to dst the indices of the rules whose patterns may match t. If
// the decision is explained, these are all rules.
func (e *evaluation) candidateRules(t *Target, names []string, dst []int32) []int32 {
	set := e.perms.set
	switch {
	case set == nil:
	case e.explanation != nil:
		for i := range set.rules {
			dst = append(dst, int32(i))
		}
	default:
		dst = set.index.Candidates(patternSubject(e.info, t, names), dst)
	}
	return dst
}
