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

// A Request is a call to decide. Tool, Targets and Place suffice. Any other field that is not set
// makes the decision no laxer.
type Request struct {
	Tool  Tool
	Facts Facts
	// Targets are the things that the call acts on, as the tool wrote them or resolved. An empty
	// list counts as one opaque target, unless a built-in tool says that the call is read-only and
	// no deny or ask rule could match it.
	Targets []Target
	Place   *Place // where the call works; a call without a place is denied
	Main    *Place // where remembered rules will be read; nil means Place

	// Input is compared with rules on parameters.
	Input    json.RawMessage                 // as the model wrote it
	Schema   Schema                          // of Input; nil means that no parameter is known
	Observed func() (json.RawMessage, error) // returns Input with the values that the tool derives from it; nil means that it derives none

	Said    Opinions // opinions other than rules and mode
	Holds   *Holds   // background work of earlier calls; nil means that nothing runs
	Running *Grant   // set if a running call checks further targets; nil means that the call does not run yet
}

// A Tool describes a tool for a decision. [Builtin] and [External] make one. A Tool that is made
// in another way counts as external, so its claims are not believed.
type Tool struct {
	Name         string // the name that rules and questions use
	Aliases      []string
	Source       string    // of an external tool, such as the name of an MCP server
	RequiresUser bool      // only a person may allow it
	Unguarded    bool      // the host has to check each call, but has no check: all calls are denied
	Ambiguity    Ambiguity // the allow rules on its name that do not count

	builtin bool
	server  string // mcp__source, of an external tool
	spelled string // mcp__source__tool, before characters were replaced or cut
}

// Builtin returns a tool of the program itself. Its claims are believed.
func Builtin(name string, aliases ...string) Tool {
	return Tool{Name: name, Aliases: aliases, builtin: true}
}

// External returns a tool of a source such as an MCP server. Its name is mcp__source__tool, in the
// letters that models accept.
func External(source, tool string) Tool {
	return Tool{
		Name: toolname.Exposed(source, tool), Source: source,
		server: toolname.Server(source), spelled: toolname.Prefix + source + "__" + tool,
	}
}

// External reports whether t is not a tool of the program itself.
func (t *Tool) External() bool { return !t.builtin }

// answersTo reports whether name is the tool's name or an alias.
func (t *Tool) answersTo(name string) bool {
	return t.Name == name || slices.Contains(t.Aliases, name)
}

// allowsAnything reports whether an allow rule with this pattern, on any name of the tool, allows
// every input.
func (t *Tool) allowsAnything(text string) bool {
	return pattern.Broad(t.Name, text) || slices.ContainsFunc(t.Aliases, func(name string) bool { return pattern.Broad(name, text) })
}

// Ambiguity says which allow rules on the name of an external tool or its server do not count.
// Such a rule may be meant for another tool, or for an earlier definition of this one.
type Ambiguity int

// The ambiguities.
const (
	Unambiguous Ambiguity = iota // every rule counts
	ChangedTool                  // only rules for the whole server count: it has changed the tool, and no user has allowed a call since
	SharedName                   // no rule counts: the name of the tool or of its server could be that of another one
)

// Facts are the claims of a tool about a call. The zero value is the cautious one.
type Facts struct {
	ReadOnly    bool // the call changes nothing
	Destructive bool // the call cannot be undone
	OpenWorld   bool // the call reaches beyond this machine
	Own         bool // the call changes only the state of the conversation; believed of built-in tools only
	Sandboxed   bool // a sandbox keeps the call to the working directories and its targets; believed of built-in tools only
}

// words returns the names of the facts that are true.
func (f Facts) words() (words []string) {
	for _, x := range []struct {
		is   bool
		word string
	}{{f.ReadOnly, "read-only"}, {f.Destructive, "destructive"}, {f.OpenWorld, "open-world"}, {f.Own, "own"}, {f.Sandboxed, "sandboxed"}} {
		if x.is {
			words = append(words, x.word)
		}
	}
	return words
}

// Schema describes the properties of a tool's input.
type Schema interface {
	Declares(name string) bool
	Defaults() map[string]json.RawMessage // of the properties that have one
	Hidden() []string                     // the properties that the host sets and the model does not know
}

// Opinions are the decisions of the tool, the hooks, the caller and the host on a call that does
// not run yet. A zero Decision is no opinion.
type Opinions struct {
	Tool   Decision  // of the tool itself
	Hook   Decision  // of the hooks before the call
	Caller *Decision // of the caller, see ForceDecision; nil is no opinion
	Guard  *Decision // of the host's Guard, Ask or Deny; nil is no opinion

	Answered bool   // the hooks have returned exactly this input and allowed it, as the user's answer
	Loop     string // why the loop breaker wants the user to be asked, or ""
}

// A Grant holds the access that a running call was allowed. It must not be copied.
type Grant struct {
	Targets []Target     // resolved
	Under   *Permissions // the permissions that allowed them

	linked atomic.Pointer[linkedFiles] // the result of one search for all checks of the call
}

// Decide decides r by the rules, the mode and the opinions in r. It returns Allow, Ask or Deny,
// and asks no question itself. It looks at files if a path or a rule requires it. It returns Deny
// if ctx ends before the decision.
func (p Permissions) Decide(ctx context.Context, r Request) Decision {
	return p.decide(ctx, &r, nil)
}

// Explain is like Decide, and also returns each step.
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
		x.Facts, x.Targets = r.Facts, Clone(r.Targets)
	}
	d := e.decide()
	if ctx.Err() != nil {
		return Decision{Behavior: Deny, Reason: fmt.Sprintf("it was not decided in time: %v", context.Cause(ctx))}
	}
	return d
}

// placeless returns the decision on a call without a place.
func placeless() Decision {
	return Decision{Behavior: Deny, Reason: "nobody knows where it would work (Request.Place)"}
}

// prepare completes r and returns the permissions as they hold at its place.
func (p *Permissions) prepare(r *Request) *Permissions {
	if p.place != r.Place || p.changed {
		here := p.In(r.Place)
		if p.place == r.Place { // narrowed permissions stay narrow
			here.parent, here.own = p.parent, p.own
			here.work = workDirs(here.own, here.dirs)
		}
		p = &here
	}
	r.Main = cmp.Or(r.Main, r.Place)
	if slices.ContainsFunc(r.Targets, func(t Target) bool { return t.at == nil }) {
		r.Targets = p.Resolve(r.Targets)
	}
	return p
}

// DeniesForGood returns the denial of r that no answer to a question could change, or the zero
// Decision.
func (p Permissions) DeniesForGood(r Request) Decision {
	if r.Place == nil {
		return placeless()
	}
	e := evaluation{perms: p.prepare(&r), Request: &r, findings: new(findings)}
	return e.denyForGood()
}

// Concerns reports whether a deny rule with the text of rule would be about r.
func (p Permissions) Concerns(r Request, rule Rule) Concern {
	if rule.Behavior != Deny && rule.Behavior != Ask || rule.Tool == "" || rule.Pattern != "" && rule.param == nil && rule.spec.IsZero() {
		parsed, err := ParseRule(Deny, rule.String()) // an allow rule is parsed in another way
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
	only.set = newRuleset([]Rule{rule})
	e := evaluation{perms: &only, Request: &r, findings: new(findings)}
	return e.concern()
}

// Suggest returns alternative lists of updates that would allow r, the narrowest first. Their
// rules have the destination to. Suggest proves each alternative: it decides r under the
// permissions that after returns, which are those in force after the updates. A nil after means
// [Permissions.Apply].
func (p Permissions) Suggest(r Request, to Source, after func(...Update) (Permissions, error)) [][]Update {
	if r.Place == nil {
		return nil
	}
	if r.Tool.Ambiguity == ChangedTool { // the user's answer ends the ambiguity
		r.Tool.Ambiguity = Unambiguous
	}
	s := p.suggester(&r, after)
	return s.alternatives(to)
}

// Remedy returns the first rules that [Permissions.Suggest] offers for r, joined by commas, or "" if
// it offers none. After is as for Suggest.
func (p Permissions) Remedy(r Request, after func(...Update) (Permissions, error)) string {
	if r.Place == nil {
		return ""
	}
	s := p.suggester(&r, after)
	return s.remedy()
}
