package pegboard

import (
	"fmt"
	"slices"
)

// A Deferral says which definitions wait until a search has found them, so that
// thousands of tools cost a context no more than their names. The zero
// Deferral: if a pool holds [ToolSearch], the external
// tools wait and the built-in ones of [DefaultDeferred]. Info.Loading comes first, and
// the tools that a model searches and answers with never wait.
//
// What waits is decided anew for every pool, and for every narrower pool that is made
// of it. What the built-in tools do does not depend on the external ones, so that
// their part of the prompt stays the same whatever is attached.
type Deferral struct {
	Mode DeferMode
	// ProviderSearch says that the provider itself searches: definitions wait without
	// ToolSearch, too.
	ProviderSearch bool
	// BuiltinTools are the built-in tools that wait unless their Info says otherwise; nil
	// means DefaultDeferred.
	BuiltinTools []string
	// AlwaysLoad are tools that do not wait in this pool, such as the plan tools when the
	// talk is of planning. A change of it changes the beginning of the prompt.
	AlwaysLoad []string
	// ContextWindow is the model's context window in tokens, for DeferAuto; 0 means 200,000.
	ContextWindow int
	// MaxShare is the share of the window that definitions may have before they wait; 0
	// means 0.1. Both defaults are those of the best-known harness.
	MaxShare float64
	// Tokens estimates what a definition costs the model; nil means a token for four
	// bytes of its name, description and schema. It may be called concurrently.
	Tokens func(Declaration) int
}

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
	case i.Loading == LoadAlways, len(d.AlwaysLoad) > 0 && listed(d.AlwaysLoad, *i), !external && listed(neverDeferred, *i):
		return false
	case external || i.Loading == LoadOnSearch:
		return true
	case mode == ModePlan && i.Name == "ExitPlanMode": // the way out must be in sight
		return false
	}
	return listed(d.BuiltinTools, *i)
}

func (d *Deferral) tokens(decl *Declaration) int {
	if d.Tokens != nil {
		return d.Tokens(*decl)
	}
	return (len(decl.Name) + len(decl.Description) + len(decl.InputSchema) + 3) / 4
}

// limit returns the tokens that definitions may have before they wait.
func (d *Deferral) limit() int {
	window, share := d.ContextWindow, d.MaxShare
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
	if policy.BuiltinTools == nil {
		policy.BuiltinTools = DefaultDeferred()
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
