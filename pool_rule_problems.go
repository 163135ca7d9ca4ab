package pegboard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/pattern"
)

// A RuleProblem is a rule that can match no call of a pool's tools, or not as it is meant.
// See [Pool.RuleProblems].
type RuleProblem struct {
	Rule     Rule      // zero for a rule on facts
	FactRule *FactRule // nil for any other rule
	Reason   string    // a sentence for the author of the rule
	Near     []string  // names of tools, sources or parameters that may be meant, the nearest first
}

// String returns the rule, the reason and the near names.
func (p RuleProblem) String() string {
	s := p.Rule.describe()
	if p.FactRule != nil {
		s = p.FactRule.describe()
	}
	s += ": " + p.Reason
	if len(p.Near) > 0 {
		s += "; near names: " + strings.Join(p.Near, ", ")
	}
	return s
}

// RuleProblems checks the rules in force against the tools of p, and returns the rules that
// are probably not what their author means: those that name no tool, those with a parameter
// that the tool does not have or that the host sets (see [Bind]), allow rules with a
// parameter, and rules on facts that name no source. It is empty if all is well.
//
// It is for the host to show when all tools are there. A rule for a tool that is excluded
// from p, or for a server that was attached before, is no problem. Whatever it returns,
// calls are decided safely: a deny or ask rule that names a tool and cannot be compared
// with the targets of a call makes that call ask.
func (p *Pool) RuleProblems() []RuleProblem {
	var problems []RuleProblem
	for _, r := range p.session.grants.inForce().set.all() {
		if reason, near := p.ruleProblem(&r); reason != "" {
			problems = append(problems, RuleProblem{Rule: r, Reason: reason, Near: near})
		}
	}
	for _, r := range p.session.grants.inForce().FactRules() {
		if r.ToolSource != "" && !p.knewSource(r.ToolSource) {
			problems = append(problems, RuleProblem{FactRule: &r, Reason: "there is no source " + r.ToolSource, Near: nearest.Names(r.ToolSource, p.sourceNames(), 3)})
		}
	}
	return problems
}

// sourceNames returns the names of the sources that tools are attached from.
func (p *Pool) sourceNames() (names []string) {
	for _, s := range p.from.sources {
		names = append(names, s.name)
	}
	return names
}

// knewSource reports whether tools are or were attached from a source.
func (p *Pool) knewSource(name string) bool {
	if p.from.source(name) != nil {
		return true
	}
	for _, source := range p.from.removed {
		if source == name {
			return true
		}
	}
	return false
}

func (p *Pool) ruleProblem(r *Rule) (reason string, near []string) {
	if pattern.IsShared(r.Tool) && r.Pattern != "" && r.param == nil {
		return "", nil // about targets of any tool
	}
	named := p.toolsNamed(r)
	if len(named) == 0 {
		if p.knewTool(r) {
			return "", nil
		}
		return fmt.Sprintf("there is no tool %s", r.Tool), p.suggest(r.Tool)
	}
	param, ok := pattern.Parameter(r.Tool, r.Pattern)
	if !ok || pattern.IsShared(r.Tool) && r.Behavior == Allow {
		return "", nil
	}
	declared := func(e *entry) bool { return e.tool.input().schema.Declares(param.Name) }
	hidden := func(e *entry) bool { return slices.Contains(e.tool.input().schema.Hidden(), param.Name) }
	if i := slices.IndexFunc(named, hidden); i >= 0 {
		reason = fmt.Sprintf("%s of %s is set by the program, so no rule is compared with it", param.Name, named[i].info.Name)
		if r.Behavior != Allow {
			reason += "; every call of the tool is asked about"
		}
		return reason, nil
	}
	switch some := slices.ContainsFunc(named, declared); {
	case some && r.Behavior == Allow:
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
	if r.Behavior != Allow {
		reason += "; calls that act on nothing of the kind are asked about"
	}
	return reason, nearest.Names(param.Name, e.tool.input().schema.Properties(), 3)
}

// toolsNamed returns the tools of p that a rule names. As in a deny rule, a star stands for
// any characters.
func (p *Pool) toolsNamed(r *Rule) (named []*entry) {
	anyBehavior := Rule{Behavior: Deny, Tool: r.Tool}
	for _, t := range p.tools {
		if anyBehavior.namesTool(&t.info) {
			named = append(named, t.entry)
		}
	}
	return named
}

// knewTool reports whether a rule names a tool that is excluded from p or was removed.
func (p *Pool) knewTool(r *Rule) bool {
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
