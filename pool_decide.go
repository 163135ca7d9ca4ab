package pegboard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Decide says how c would be decided now by its tool, the rules and the mode, without
// running it and without asking anyone. Hooks, the Guard, the classifier and the user may
// still deny the call, or answer what Decide returns Ask for. An input that cannot be read is
// denied, and so is a call whose decision the end of ctx has cut off.
func (p *Pool) Decide(ctx context.Context, c Call) policy.Decision {
	p.mustExist("Decide")
	mustHaveContext("Decide", ctx)
	return p.decide(ctx, c, nil)
}

// ExplainDecision is Decide with every step.
func (p *Pool) ExplainDecision(ctx context.Context, c Call) (x policy.Explanation) {
	p.mustExist("ExplainDecision")
	mustHaveContext("ExplainDecision", ctx)
	x.Decision = p.decide(ctx, c, &x)
	return x
}

func (p *Pool) decide(ctx context.Context, c Call, x *policy.Explanation) policy.Decision {
	forced := c.forced
	for range maxRewrites + 1 {
		if ctx.Err() != nil {
			return undecided(ctx)
		}
		if d, denied := p.deniedWhole(c.Name); denied {
			return d
		}
		tool, made, err := p.Rebuild(c)
		if err != nil {
			return policy.Decision{Behavior: policy.Deny, Reason: err.Error()}
		}
		if ctx.Err() != nil { // inspecting the call took long
			return undecided(ctx)
		}
		made.state.granted = nil // Rebuild assumes that the call was decided elsewhere
		var own policy.Decision
		if err := goroutine.Try(func() error {
			err := tool.Validate(ctx, made)
			if err == nil {
				own = tool.Permit(ctx, made)
			}
			return err
		}); err != nil {
			return policy.Decision{Behavior: policy.Deny, Reason: err.Error()}
		}
		if rewritten := made.replacement(own.Input); rewritten != nil && own.Behavior != policy.Deny {
			c.Input = rewritten
			continue
		}
		perms, r := made.request(made.state.targets)
		r.Said = policy.Opinions{Tool: own, Caller: forced.opinion(made, p.session.parent == nil)}
		var d policy.Decision
		if x == nil {
			d = perms.Decide(ctx, r)
		} else {
			*x = perms.Explain(ctx, r)
			d = x.Decision
		}
		if d.Behavior == policy.Deny && d.Open() {
			d.Reason = withRemedy(made, d.Reason, made.state.targets)
		}
		return d
	}
	return policy.Decision{Behavior: policy.Deny, Reason: "the tool does not agree with itself on its input"}
}

// deniedWhole returns the decision on all calls of a tool that a deny rule keeps out of the pool.
func (p *Pool) deniedWhole(name string) (d policy.Decision, denied bool) {
	if _, ok := p.byName[name]; ok {
		return d, false
	}
	x := p.exclusion(name)
	if x == nil || x.Rule == nil {
		return d, false
	}
	rule := *x.Rule
	return policy.Decision{Behavior: policy.Deny, By: policy.ByRule, Rule: &rule, Reason: x.Reason + " covers every call of it"}, true
}

// undecided is the answer where a context ended before the decision.
func undecided(ctx context.Context) policy.Decision {
	return policy.Decision{Behavior: policy.Deny, Reason: fmt.Sprintf("it was not decided in time: %v", context.Cause(ctx))}
}

// Conflict reports whether a and b, two calls of one message, must not run at the same time,
// and why, in a few words: "Bash runs alone", "both write src/a.go", "Read reads src/a.go,
// which Write writes". The executor acts on the same answer, see [EventWaiting]. A call that the
// executor would refuse, for example because its input is wrong, conflicts with none.
//
// The paths of both are resolved now. A call that runs before them may change where these
// lead.
func (p *Pool) Conflict(a, b Call) (why string, ok bool) {
	p.mustExist("Conflict")
	_, first, err := p.Rebuild(a)
	if err != nil {
		return "", false
	}
	_, second, err := p.Rebuild(b)
	if err != nil {
		return "", false
	}
	x, ok := claimOf(first.state.traits, first.state.targets).Conflict(claimOf(second.state.traits, second.state.targets))
	if !ok {
		return "", false
	}
	return describeConflict(first, second, x), true
}

// A RuleProblem is a rule that can match no call of a pool's tools, or not as it is meant.
// See [Pool.RuleProblems].
type RuleProblem struct {
	Rule   policy.Rule
	Reason string   // a sentence for the author of the rule
	Near   []string // names of tools, sources or parameters that may be meant, the nearest first
}

// String returns the rule, the reason and the near names.
func (p RuleProblem) String() string {
	s := p.Rule.Describe() + ": " + p.Reason
	if len(p.Near) > 0 {
		s += "; near names: " + strings.Join(p.Near, ", ")
	}
	return s
}

// RuleProblems checks the rules in force against the tools of p, and returns the rules that
// are probably not what their author means: those that name no tool, those with a parameter
// that the tool does not have or that the host sets (see [Bind]), allow rules with a
// parameter, and deny and ask rules on files and hosts that
// no call of an attached source is compared with: one such rule for each source whose tools have
// a path or an address in their input, and for each source of rules. A deny or ask rule that names
// such a tool or its source says that it was thought of. It is empty if all is well.
//
// It is for the host to show when all tools are there. A rule for a tool that is excluded
// from p, or for a server that was attached before, is no problem. Whatever it returns,
// calls are decided safely: a deny or ask rule that names a tool and cannot be compared
// with the targets of a call makes that call ask.
func (p *Pool) RuleProblems() []RuleProblem {
	var problems []RuleProblem
	rules := p.session.grants.inForce().Rules()
	for _, r := range rules {
		if reason, near := p.ruleProblem(&r); reason != "" {
			problems = append(problems, RuleProblem{Rule: r, Reason: reason, Near: near})
		}
	}
	return append(problems, p.unseenPlaces(rules)...)
}

// unseenPlaces returns the problems of rules on files and hosts that calls of attached tools are
// not compared with.
func (p *Pool) unseenPlaces(rules []policy.Rule) (problems []RuleProblem) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r policy.Rule) bool { return r.Behavior == policy.Allow })
	type pair struct {
		rules  policy.Source
		server string
	}
	told := map[pair]bool{}
	for _, t := range p.tools {
		property := hiddenPlace(t.entry)
		if property == "" || slices.ContainsFunc(rules, func(r policy.Rule) bool { return !pattern.IsTargetFamily(r.Tool) && r.Names(&t.facts) }) {
			continue
		}
		for _, r := range rules {
			if at := (pair{r.Source, t.info.server}); r.Pattern != "" && pattern.IsTargetFamily(r.Tool) && !told[at] {
				told[at] = true
				problems = append(problems, RuleProblem{Rule: r, Reason: fmt.Sprintf("neither it nor another rule on files and hosts is compared with what calls of %s name, such as the %s of %s; "+
					"deny or ask about %[1]s, or keep the server itself from such files", t.info.server, property, t.info.Name)})
			}
		}
	}
	return problems
}

// hiddenPlace returns a property of an attached tool that holds a path or an address which is no
// target of its calls, or "".
func hiddenPlace(e *entry) string {
	if !e.info.Origin.External() {
		return ""
	}
	var traits Traits
	if goroutine.Try(func() error { traits = e.tool.Traits(&Call{Name: e.info.Name}); return nil }) != nil {
		return "" // it looks at the input, and may make it a target
	}
	if len(traits.Targets) == 0 || slices.ContainsFunc(traits.Targets, func(t policy.Target) bool { return t.Kind != policy.Resource }) {
		return "" // a call that names nothing is asked about
	}
	return e.tool.input().schema.PlaceProperty()
}

func (p *Pool) ruleProblem(r *policy.Rule) (reason string, near []string) {
	param, isParam := pattern.Parameter(r.Tool, r.Pattern)
	if pattern.IsShared(r.Tool) && r.Pattern != "" && (!isParam || r.Behavior == policy.Allow) {
		return "", nil // about targets of any tool
	}
	named := p.toolsNamed(r)
	if len(named) == 0 {
		if p.knewTool(r) {
			return "", nil
		}
		return fmt.Sprintf("there is no tool %s", r.Tool), p.suggest(r.Tool)
	}
	if !isParam {
		return "", nil
	}
	declared := func(e *entry) bool { return e.tool.input().schema.Declares(param.Name) }
	hidden := func(e *entry) bool { return slices.Contains(e.tool.input().schema.Hidden(), param.Name) }
	if i := slices.IndexFunc(named, hidden); i >= 0 {
		reason = fmt.Sprintf("%s of %s is set by the program, so no rule is compared with it", param.Name, named[i].info.Name)
		if r.Behavior != policy.Allow {
			reason += "; every call of the tool is asked about"
		}
		return reason, nil
	}
	switch some := slices.ContainsFunc(named, declared); {
	case some && r.Behavior == policy.Allow:
		return fmt.Sprintf("a rule on the parameter %s can deny or ask, but not allow", param.Name), nil
	case some || pattern.IsShared(r.Tool):
		return "", nil
	case strings.HasSuffix(r.Pattern, ":*"):
		return "", nil // the beginning of a command
	case param.Name == "domain":
		return fmt.Sprintf("on %s it is only about calls that say which host they reach; WebFetch(%s) is about the hosts of every tool", r.Tool, r.Pattern), nil
	}
	e := named[0]
	reason = fmt.Sprintf("%s has no parameter %s, so the text is compared with the names of what its calls act on", e.info.Name, param.Name)
	if r.Behavior != policy.Allow {
		reason += "; calls that act on nothing of the kind are asked about"
	}
	return reason, nearest.Names(param.Name, e.tool.input().schema.Properties(), 3)
}

// toolsNamed returns the tools of p that a rule names. As in a deny rule, a star stands for
// any characters.
func (p *Pool) toolsNamed(r *policy.Rule) (named []*entry) {
	anyBehavior := policy.Rule{Behavior: policy.Deny, Tool: r.Tool}
	for _, t := range p.tools {
		if anyBehavior.Names(&t.facts) {
			named = append(named, t.entry)
		}
	}
	return named
}

// knewTool reports whether a rule names a tool that is excluded from p or was removed.
func (p *Pool) knewTool(r *policy.Rule) bool {
	matches := func(name string) bool {
		return pattern.NameMatches(r.Tool, name, "", false) || strings.HasPrefix(name, r.Tool+"__")
	}
	if slices.ContainsFunc(p.excluded, func(x Exclusion) bool { return matches(x.Name) || slices.ContainsFunc(x.aliases, matches) }) {
		return true
	}
	for name := range p.from.removed {
		if matches(name) {
			return true
		}
	}
	return false
}
