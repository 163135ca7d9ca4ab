package pegboard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/schema"
)

// A Tool is one capability offered to a model. Each method is one stage of a
// call. No stage calls another, so a wrapper embeds a Tool and overrides the
// stage it is about, and the executor still takes every call through all the
// others.
//
// Only [Build], [TryBuild] and [BuildRaw] make Tools. Methods may be called
// concurrently.
type Tool interface {
	// Info returns what is true of the tool whoever asks.
	Info() Info
	// Declare returns what the model is shown in s. False means that the tool
	// is not offered there.
	Declare(s *Session) (Declaration, bool)
	// Traits says what c will do. It is pure: no I/O, the same answer for the
	// same input.
	Traits(c *Call) Traits
	// Validate returns what is wrong with the input beyond its schema, worded
	// for the model.
	Validate(ctx context.Context, c *Call) error
	// Permit gives the tool's own opinion of c. The zero Decision has none.
	Permit(ctx context.Context, c *Call) Decision
	// Call does the work. Its error becomes an error result; a result beside
	// it is what was done until then.
	Call(ctx context.Context, c *Call) (*Result, error)

	// input seals the interface and hands the executor the one decoder of the
	// tool's input.
	input() *inputSpec
}

// Info is the part of a tool that never changes. [Registry.Add] takes a copy.
type Info struct {
	// Name is what rules, hooks, logs and calls use. Required; any text
	// without control characters.
	Name string
	// Aliases are former names. They resolve wherever Name does.
	Aliases []string
	// Origin is zero for a built-in; [Registry.Attach] sets it.
	Origin Origin
	// RequiresUser means that only a person may allow a call: no rule, hook
	// or mode does.
	RequiresUser bool
	// Interrupt is what a new message of the user does to a call that runs.
	Interrupt Interrupt
	// Timeout is how long a call may take; 0 means as long as it likes.
	Timeout time.Duration
	// CancelsSiblings stops the calls beside one that fails, if the executor
	// allows it, as for a shell whose commands build on each other.
	CancelsSiblings bool
	// Polls says that equal calls in a row are no sign of a loop.
	Polls bool
	// Strict asks the provider to hold the model to the input schema, where it can.
	// What a provider's strict form cannot say is left to the check of the input here.
	Strict bool
	// Loading says when the model sees the definition; zero leaves that to [Deferral].
	Loading Loading
	// Hint is what a search for tools should know beside name and description: 3 to 10
	// words without a period, best ones that are not in the name. The model does not see it.
	Hint string
	// MaxResult is how many characters of text a result may have before it is stored
	// and a preview takes its place; 0 means [DefaultMaxResult], a negative number that
	// it is never stored, as of a tool that reads stored results.
	MaxResult int

	server    string // mcp__source, if the tool is attached
	spelled   string // the exposed name before anything in it was folded or cut
	contested bool   // a rule on its name could be meant for another source
}

// Loading says when the model sees the definition of a tool.
type Loading int

// The ways of loading.
const (
	LoadByPolicy Loading = iota // external tools and those that Deferral lists wait for a search
	LoadAlways                  // it is there from the start
	LoadOnSearch                // it waits for a search
)

// String returns the way of loading in lower case.
func (l Loading) String() string { return nameOf(int(l), "by policy", "always", "on search") }

// WithMeta returns i with what the member _meta of an external tool's definition says,
// as MCP servers send it: "anthropic/alwaysLoad", "anthropic/maxResultSizeChars" up to
// [MaxExternalResult], "anthropic/requiresUserInteraction", and "anthropic/searchHint",
// which is not documented. What is not of the expected type is passed over, as is all
// of a text that is no JSON object.
func (i Info) WithMeta(meta json.RawMessage) Info {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(meta, &members) // without members nothing is said
	read := func(name string, into any) bool {
		value, ok := members["anthropic/"+name]
		return ok && json.Unmarshal(value, into) == nil
	}
	var yes bool
	if read("alwaysLoad", &yes) && yes {
		i.Loading = LoadAlways
	} else if i.Loading == LoadAlways && string(members["anthropic/alwaysLoad"]) == "false" { // what its server has for all
		i.Loading = LoadByPolicy
	}
	yes = false
	if read("requiresUserInteraction", &yes); yes {
		i.RequiresUser = true
	}
	var size float64
	if read("maxResultSizeChars", &size) && size >= 1 {
		i.MaxResult = int(min(size, MaxExternalResult))
	}
	var hint string
	if read("searchHint", &hint) && validText(hint) {
		i.Hint = hint
	}
	return i
}

// A Deferral says which definitions wait until a search has found them, so that
// thousands of tools cost a context no more than their names. It is a [PoolOption];
// a pool without one has the zero Deferral: if it holds [ToolSearch], the external
// tools wait and the built-in ones of [DefaultDeferred]. Info.Loading comes first, and
// the tools that a model searches and answers with never wait.
//
// What waits is decided anew for every pool, and for every narrower pool that is made
// of it. What the built-in tools do does not depend on the external ones, so that
// their part of the prompt stays the same whatever is attached.
type Deferral struct {
	Mode DeferMode
	// Hosted says that the provider itself searches: definitions wait without
	// ToolSearch, too.
	Hosted bool
	// Builtin are the built-in tools that wait unless their Info says otherwise; nil
	// means DefaultDeferred.
	Builtin []string
	// Show are tools that do not wait in this pool, such as the plan tools when the
	// talk is of planning. A change of it changes the beginning of the prompt.
	Show []string
	// Window is the model's context window in tokens, for DeferAuto; 0 means 200,000.
	Window int
	// Share is the share of the window that definitions may have before they wait; 0
	// means 0.1. Both defaults are those of the best-known harness.
	Share float64
	// Tokens estimates what a definition costs the model; nil means a token for four
	// bytes of its name, description and schema. It may be called concurrently.
	Tokens func(Declaration) int
}

func (d Deferral) apply(a *assembly) { a.pool.deferral = d }

// DeferMode says whether definitions wait.
type DeferMode int

// The modes. In DeferAuto the built-in tools wait if those that could wait are more
// than the share on their own, the external ones if all that could wait are.
const (
	DeferOn   DeferMode = iota // all wait that can
	DeferAuto                  // they wait if they exceed a share of the context window
	DeferOff                   // none waits
)

// String returns the mode in lower case.
func (m DeferMode) String() string { return nameOf(int(m), "on", "auto", "off") }

// DefaultDeferred returns the built-in tools that wait by default: those that few
// turns need.
func DefaultDeferred() []string {
	return []string{
		"NotebookEdit", "WebFetch", "WebSearch", "TodoWrite", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList", "TaskOutput", "TaskStop",
		"ListMcpResources", "ReadMcpResource", "EnterPlanMode", "ExitPlanMode", "AskUserQuestion", "Sleep",
		"CronCreate", "CronList", "CronDelete", "Monitor", "RemoteTrigger",
	}
}

// neverDeferred are the tools that a model searches and answers with.
var neverDeferred = []string{searchToolName, "SendUserMessage", "SendMessage", "SendUserFile"}

// defers reports whether a tool can wait in a session of that mode.
func (d *Deferral) defers(i *Info, mode Mode) bool {
	external := i.Origin.External()
	switch {
	case i.Loading == LoadAlways, len(d.Show) > 0 && listed(d.Show, *i), !external && listed(neverDeferred, *i):
		return false
	case external || i.Loading == LoadOnSearch:
		return true
	case mode == ModePlan && i.Name == "ExitPlanMode": // the way out must be in sight
		return false
	}
	return listed(d.Builtin, *i)
}

func (d *Deferral) tokens(decl *Declaration) int {
	if d.Tokens != nil {
		return d.Tokens(*decl)
	}
	return (len(decl.Name) + len(decl.Description) + len(decl.InputSchema) + 3) / 4
}

// limit returns the tokens that definitions may have before they wait.
func (d *Deferral) limit() int {
	window, share := d.Window, d.Share
	if window <= 0 {
		window = 200_000
	}
	if share <= 0 {
		share = 0.1
	}
	return int(float64(window) * share)
}

// deferTools says of each tool whether its definition waits.
func (p *Pool) deferTools() {
	p.waiting, p.loaded = nil, nil
	policy, can := p.deferral, make([]bool, len(p.tools))
	if policy.Builtin == nil {
		policy.Builtin = DefaultDeferred()
	}
	var builtins, all int // tokens of those that can wait
	if mode := p.session.permissions().mode; p.Searchable() && policy.Mode != DeferOff {
		for i := range p.tools {
			t := &p.tools[i]
			if can[i] = policy.defers(&t.info, mode); can[i] && policy.Mode == DeferAuto {
				all += policy.tokens(t.decl)
			}
			if i < p.builtins {
				builtins = all
			}
		}
	}
	on := func(tokens int) bool { return policy.Mode == DeferOn || tokens > policy.limit() }
	onBuiltins, onExternal := on(builtins), on(all)
	for i := range p.tools {
		t := &p.tools[i]
		waits := can[i] && (i < p.builtins && onBuiltins || i >= p.builtins && onExternal)
		if t.decl = t.waiting(t.decl, waits); waits {
			p.waiting = append(p.waiting, i)
		}
	}
	for _, name := range p.session.Loaded() {
		if i, ok := p.index[name]; ok && p.tools[i].decl.Deferred && !slices.Contains(p.loaded, i) { // two may be names of one
			p.loaded = append(p.loaded, i)
		}
	}
}

// hides reports whether the definition of a tool of the pool waits, and whether the
// model has not seen it.
func (p *Pool) hides(name string) (waits, unseen bool) {
	if len(p.waiting) == 0 {
		return false, false
	}
	i, ok := p.index[name]
	waits = ok && p.tools[i].decl.Deferred
	return waits, waits && !p.session.hasSeen(p.tools[i].info)
}

// howToLoad tells a model that has called such a tool what to do first.
func (p *Pool) howToLoad(name string) string {
	if p.hasFinder() {
		return fmt.Sprintf("Load it by calling %s with {\"query\": \"select:%s\"}, then call it again.", searchToolName, name)
	}
	return "Search for it first, then call it again."
}

// exact reports whether the exposed name is the raw pair, letter by letter. Of
// several tools that would have one name, an exact one has it.
func (i Info) exact() bool { return i.Name == i.spelled }

// answersTo reports whether name is the tool's name or an alias. It is the only
// comparison of a tool with a name.
func (i Info) answersTo(name string) bool {
	if i.Name == name {
		return true
	}
	for _, a := range i.Aliases {
		if a == name {
			return true
		}
	}
	return false
}

// Origin is the identity of an external tool: the source it is attached from,
// and the name that source knows it by.
type Origin struct{ Source, Tool string }

// External reports whether the tool comes from a source, such as an MCP server.
func (o Origin) External() bool { return o.Source != "" }

// constant reports whether the tool declares itself alike in every session. A
// wrapper does not have this method: what it declares is asked in each.
func (t *defined[In, Out]) constant() bool { return t.def.Enabled == nil && t.def.Prompt == nil }

// entry is a tool with the copy of its fixed facts that decisions use. It is
// never written to once it is registered.
type entry struct {
	tool Tool
	info Info
	decl *Declaration // what the tool declares in every session, or nil if it must be asked in each
	late *Declaration // decl, deferred
}

// fix remembers the declaration of a tool that has one for all sessions. t is
// the tool as it was handed over.
func (e *entry) fix(t Tool) {
	if c, ok := t.(interface{ constant() bool }); ok && c.constant() {
		if e.decl, _ = e.declare(nil); e.decl != nil {
			late := *e.decl
			late.Deferred = true
			e.late = &late
		}
	}
}

// waiting returns d, which is a declaration of the tool, as it is while it waits for
// a search, or while it does not.
func (e *entry) waiting(d *Declaration, waits bool) *Declaration {
	switch {
	case d.Deferred == waits:
		return d
	case d == e.decl:
		return e.late
	case d == e.late:
		return e.decl
	}
	other := *d
	other.Deferred = waits
	return &other
}

func (e *entry) excluded(reason string) Exclusion {
	return Exclusion{Name: e.info.Name, Origin: e.info.Origin, Reason: reason, aliases: e.info.Aliases}
}

// declare returns what the model is told of the tool in s, or why it is told
// nothing.
func (e *entry) declare(s *Session) (d *Declaration, why string) {
	d, on := new(Declaration), false
	if err := lane.Try(func() error { *d, on = e.tool.Declare(s); return nil }); err != nil {
		return nil, "declaring it: " + err.Error()
	}
	if !on {
		return nil, "disabled in this session"
	}
	d.Name, d.Deferred = e.info.Name, false // a call by what the model was told must find the tool
	return d, ""
}

// Traits describe one call. The zero value is the cautious one: alone, writing,
// on something unknown.
type Traits struct {
	Targets     []Target    // none means one Opaque target
	Concurrency Concurrency // zero: Exclusive
	ReadOnly    bool        // changes nothing
	Destructive bool        // cannot be undone
	OpenWorld   bool        // reaches beyond this machine

	Timeout time.Duration // how long this call may take; 0 means Info.Timeout
}

// inputSpec decodes the input of one tool. It is made once, by Build.
type inputSpec struct {
	schema *schema.Schema
	typed  func(raw json.RawMessage, accepted bool) (any, error) // accepted: schema.Accepts is true of raw
}
