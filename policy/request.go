package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/pattern"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
)

// A Request is a call that is to be decided. Tool, Targets and Place suffice; everything else
// that is not set makes the decision no laxer.
type Request struct {
	Tool    Tool
	Facts   Facts
	Targets []Target // as the tool wrote them, or resolved; none means one that is opaque, unless the call is read-only
	Place   *Place   // where the call works; nil means that it is denied
	Main    *Place   // where what is remembered will be read; nil means Place

	// Rules on parameters are compared with the input.
	Input    json.RawMessage                 // as the model wrote it
	Schema   Schema                          // of the input; nil means that no parameter is known
	Observed func() (json.RawMessage, error) // returns the input with what the tool derives from it; nil means that it derives nothing

	Said    Opinions // of others than rules and mode
	Holds   *Holds   // what goes on in the background; nil means nothing
	Running *Grant   // of a running call that checks further targets; nil means that the call does not run yet
}

// Tool are what a decision has to know of a tool. [Builtin] and [External] make one. One
// that is made otherwise counts as external: what it claims is not believed.
type Tool struct {
	Name         string // the one that rules and questions name
	Aliases      []string
	Source       string    // of an external tool, such as the name of an MCP server
	RequiresUser bool      // only a person may allow it
	Unguarded    bool      // the host wants to check each of its calls, and does not: they are denied
	Ambiguity    Ambiguity // which allow rules that name it do not count

	builtin bool
	server  string // mcp__source, of an external tool
	spelled string // mcp__source__tool, before characters were replaced or cut
}

// Builtin returns a tool of the program itself, whose claims are believed.
func Builtin(name string, aliases ...string) Tool {
	return Tool{Name: name, Aliases: aliases, builtin: true}
}

// External returns a tool of a source such as an MCP server. Its name is mcp__source__tool, in
// the letters that models accept.
func External(source, tool string) Tool {
	return Tool{
		Name: toolname.Exposed(source, tool), Source: source,
		server: toolname.Server(source), spelled: toolname.Prefix + source + "__" + tool,
	}
}

// External reports whether t is no tool of the program itself.
func (t *Tool) External() bool { return !t.builtin }

// answersTo reports whether name is the tool's name or an alias.
func (t *Tool) answersTo(name string) bool {
	return t.Name == name || slices.Contains(t.Aliases, name)
}

// allowsAnything reports whether an allow rule for the tool with this pattern, under any
// of its names, allows every input.
func (t *Tool) allowsAnything(text string) bool {
	return pattern.Broad(t.Name, text) || slices.ContainsFunc(t.Aliases, func(name string) bool { return pattern.Broad(name, text) })
}

// Ambiguity says which of the allow rules that name an external tool or its server could be
// meant for another one, or for what the tool was before. They do not count.
type Ambiguity int

// The ambiguities.
const (
	Unambiguous  Ambiguity = iota // none
	SharedName                    // all but those for the whole server: another server has a tool of that name
	ChangedTool                   // likewise: the source has changed the tool, and no user has allowed a call since
	FoldedName                    // all but one that names source and tool as they are spelled there
	SharedServer                  // all
)

// Facts are what a tool states of a call. The zero value is the cautious one.
type Facts struct {
	ReadOnly    bool // it changes nothing
	Destructive bool // it cannot be undone
	OpenWorld   bool // it reaches beyond this machine
	Own         bool // it changes nothing but what belongs to the conversation; believed of a built-in tool
	Sandboxed   bool // a sandbox keeps it to the working directories and its targets; believed of a built-in tool
}

// Schema are the properties that the input of a tool may have.
type Schema interface {
	Declares(name string) bool
	Defaults() map[string]json.RawMessage // of those that have one
	Hidden() []string                     // those that the host sets, and the model does not know
}

// Opinions are what others than rules and mode say of a call before it runs. A zero Decision says
// nothing.
type Opinions struct {
	Tool   Decision  // of the tool itself
	Hook   Decision  // of the hooks before the call
	Caller *Decision // see ForceDecision; nil says nothing
	Guard  *Decision // of a Guard, Ask or Deny; nil says nothing

	Answered bool   // the hooks have brought this very input and allowed it, as the user's answer
	Loop     string // why the loop breaker wants the user to be asked, or ""
}

// A Grant is what a running call was allowed. Its copies must not be used.
type Grant struct {
	Targets []Target     // resolved
	Under   *Permissions // that allowed them

	linked atomic.Pointer[linkedFiles] // found for what the call checks
}

// Decide decides r by the rules and the mode: it returns Allow, Ask or Deny. It asks nobody. It looks
// at files where a rule makes that necessary, and denies if ctx has ended meanwhile.
func (p Permissions) Decide(ctx context.Context, r Request) Decision {
	return p.decide(ctx, &r, nil)
}

// Explain is Decide with every step.
func (p Permissions) Explain(ctx context.Context, r Request) (x Explanation) {
	x.Decision = p.decide(ctx, &r, &x)
	return x
}

// decide implements Decide, and Explain if x is not nil.
func (p *Permissions) decide(ctx context.Context, r *Request, x *Explanation) Decision {
	if r.Place == nil {
		return placeless()
	}
	p = p.prepare(r)
	e := evaluation{perms: p, Request: r, findings: new(findings), explanation: x}
	if x != nil {
		x.Targets = Clone(r.Targets)
	}
	d := e.decide()
	if ctx.Err() != nil {
		return Decision{Behavior: Deny, Reason: fmt.Sprintf("it was not decided in time: %v", context.Cause(ctx))}
	}
	return d
}

// placeless is the decision on a call of which nobody knows where it works.
func placeless() Decision {
	return Decision{Behavior: Deny, Reason: "nobody knows where it would work (Request.Place)"}
}

// prepare completes r, and returns the permissions as they hold at its place.
func (p *Permissions) prepare(r *Request) *Permissions {
	if p.place != r.Place || p.changed {
		here := p.In(r.Place)
		p = &here
	}
	r.Main = cmp.Or(r.Main, r.Place)
	if slices.ContainsFunc(r.Targets, func(t Target) bool { return t.at == nil }) {
		r.Targets = p.Resolve(r.Targets)
	}
	return p
}

// DeniesForGood returns the denial of r that no answer of anybody could change, or the zero
// Decision.
func (p Permissions) DeniesForGood(r Request) Decision {
	if r.Place == nil {
		return placeless()
	}
	e := evaluation{perms: p.prepare(&r), Request: &r, findings: new(findings)}
	return e.denyForGood()
}

// Concerns reports whether a deny rule that is written as rule would be about r.
func (p Permissions) Concerns(r Request, rule Rule) Concern {
	if rule.Behavior != Deny && rule.Behavior != Ask || rule.Tool == "" || rule.Pattern != "" && rule.param == nil && rule.spec.IsZero() {
		parsed, err := ParseRule(Deny, rule.String()) // an allow rule is read in another way
		if err != nil {
			return ConcernMaybe
		}
		rule = parsed
	}
	if r.Place == nil {
		return ConcernMaybe
	}
	rule.Behavior = Deny
	only := *p.prepare(&r)
	if rule.bases == nil && rule.spec.IsAbout(pattern.Path) {
		rule.anchor(r.Place.anchors)
	}
	only.set, only.facts = newRuleset([]Rule{rule}), nil
	e := evaluation{perms: &only, Request: &r, findings: new(findings)}
	return e.concern()
}

// Suggest returns alternatives of updates for the destination to that would allow r, the narrowest
// first. Each was proven by deciding r under the permissions that after returns for it, which are
// those that would be in force; nil means [Permissions.Apply].
func (p Permissions) Suggest(r Request, to Source, after func(...Update) (Permissions, error)) [][]Update {
	if r.Place == nil {
		return nil
	}
	if r.Tool.Ambiguity == ChangedTool { // until the answer that remembers one of them
		r.Tool.Ambiguity = Unambiguous
	}
	s := p.suggester(&r, after)
	return s.alternatives(to)
}

// Remedy returns the narrowest rules, at most three, that would have allowed r, or "" if no rule
// would. After is as for Suggest.
func (p Permissions) Remedy(r Request, after func(...Update) (Permissions, error)) string {
	if r.Place == nil {
		return ""
	}
	s := p.suggester(&r, after)
	return s.remedy()
}
