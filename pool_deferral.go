package pegboard

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/internal/searchquery"
	"github.com/seed49eaa51d/pegboard/internal/toolname"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Deferral says which definitions are deferred: the model sees only the tool's name,
// and loads the definition with a search. So thousands of tools take little of the
// context. With the zero Deferral, a pool that holds [ToolSearch] defers the external
// tools and the built-in tools of [DefaultDeferred]. Info.Loading overrides a Deferral. The
// tools that a model searches and answers with are never deferred.
//
// Which tools are deferred is decided for every pool, and again for every narrower pool
// made of it. For built-in tools it does not depend on the external ones, so that their
// part of the prompt stays the same when sources are attached.
type Deferral struct {
	Mode DeferMode
	// ProviderSearch says that the provider searches for tools itself: definitions are
	// deferred without ToolSearch, too.
	ProviderSearch bool
	// BuiltinTools are the built-in tools that are deferred unless their Info says
	// otherwise; nil means DefaultDeferred.
	BuiltinTools []string
	// AlwaysLoad are tools that are not deferred in this pool, such as the plan tools
	// while the user plans. Changing it changes the beginning of the prompt.
	AlwaysLoad []string
	// ContextWindow is the model's context window in tokens, for DeferAuto; 0 means
	// 200,000.
	ContextWindow int
	// MaxShare is the share of the context window that definitions may take before they
	// are deferred, for DeferAuto; 0 means 0.1. Both defaults are those of Claude Code.
	MaxShare float64
	// Tokens estimates the size of a definition; nil means one token for four bytes of
	// its name, description and schema. It may be called concurrently.
	Tokens func(Declaration) int
}

// A DeferMode says when definitions are deferred.
type DeferMode int

// The modes. In DeferAuto, built-in tools are deferred if the built-in tools that can be
// deferred exceed the share; external tools if all tools that can be deferred exceed it.
const (
	DeferOn   DeferMode = iota // all that can be deferred
	DeferAuto                  // if they exceed MaxShare of the context window
	DeferOff                   // none
)

// String returns the mode in lower case.
func (m DeferMode) String() string { return enum.Name(m, "on", "auto", "off") }

// DefaultDeferred returns the built-in tools that are deferred by default: those that few
// turns need.
func DefaultDeferred() []string {
	return []string{
		"NotebookEdit", "WebFetch", "WebSearch", "TodoWrite", "TaskCreate", "TaskGet", "TaskUpdate", "TaskList", "TaskOutput", "TaskStop",
		"ListMcpResources", "ReadMcpResource", "McpAuth", "EnterPlanMode", "ExitPlanMode", "VerifyPlanExecution", "AskUserQuestion", "CtxInspect", "Sleep",
		"CronCreate", "CronList", "CronDelete", "ScheduleWakeup", "Monitor", "RemoteTrigger", "PushNotification", "TerminalCapture", "SubscribePR",
	}
}

// neverDeferred are the tools that a model searches and answers with.
var neverDeferred = []string{searchToolName, "SendUserMessage", "SendMessage", "SendUserFile"}

// canDefer reports whether a tool can be deferred in a session of that mode.
func (d *Deferral) canDefer(i *Info, mode policy.Mode) bool {
	external := i.Origin.External()
	switch {
	case i.Loading == LoadAlways, len(d.AlwaysLoad) > 0 && listed(d.AlwaysLoad, i), !external && listed(neverDeferred, i):
		return false
	case external || i.Loading == LoadOnSearch:
		return true
	case mode == policy.ModePlan && i.Name == "ExitPlanMode": // the model must see how to leave plan mode
		return false
	}
	return listed(d.BuiltinTools, i)
}

func (d *Deferral) tokens(decl *Declaration) int {
	if d.Tokens != nil {
		return d.Tokens(*decl)
	}
	return (len(decl.Name) + len(decl.Description) + len(decl.InputSchema) + 3) / 4
}

// maxTokens returns how many tokens definitions may have before they are deferred.
func (d *Deferral) maxTokens() int {
	window, share := d.ContextWindow, d.MaxShare
	if window <= 0 {
		window = 200_000
	}
	if share <= 0 {
		share = 0.1
	}
	return int(float64(window) * share)
}

// Searchable reports whether deferred tools can be found: by ToolSearch, or by the
// provider.
func (p *Pool) Searchable() bool { return p.policy.ProviderSearch || p.hasToolSearch() }

func (p *Pool) hasToolSearch() bool {
	i, ok := p.byName[searchToolName]
	return ok && p.tools[i].info.Name == searchToolName
}

// Deferred returns the names of the tools whose definitions are deferred, loaded or not,
// in prompt order.
func (p *Pool) Deferred() []string {
	var names []string
	for _, i := range p.deferred {
		names = append(names, p.tools[i].info.Name)
	}
	return names
}

// Loaded yields the declarations of deferred tools that were loaded, in the order of
// [Session.Loaded] when the pool was assembled. In a request to a provider without
// references to tools, they follow all others, so that the beginning of the prompt stays
// the same.
func (p *Pool) Loaded() iter.Seq[Declaration] {
	return func(yield func(Declaration) bool) {
		for _, i := range p.loaded {
			if !yield(*p.tools[i].decl) {
				return
			}
		}
	}
}

// Announce returns a text that tells the model the names of deferred tools, and the list
// of these names. Told is the list of the last call: the text names only the tools that
// were added or removed since, and is empty if no tool was. After a compaction, and in
// a conversation that does not contain the earlier texts, told is nil. The text belongs
// into a message of the user.
func (p *Pool) Announce(told []string) (text string, now []string) {
	if !p.hasToolSearch() { // the provider searches, and needs no names
		return "", told
	}
	now = slices.Sorted(slices.Values(p.Deferred()))
	told = slices.DeleteFunc(slices.Clone(told), func(name string) bool { // its definition is shown now
		i, ok := p.byName[name]
		return ok && !p.tools[i].decl.Deferred
	})
	return searchquery.Announce(now, told, p.sourceOf), now
}

// sourceOf returns the source of a tool, which may have been removed.
func (p *Pool) sourceOf(name string) searchquery.Source {
	server := toolname.ServerIn(name)
	if i, ok := p.byName[name]; ok {
		server = p.tools[i].info.server
	}
	return searchquery.Source{Prefix: server, About: p.from.describe(server)}
}

// deferralOf reports whether the definition of a tool in the pool is deferred, and
// whether the model has not seen it.
func (p *Pool) deferralOf(name string) (deferred, unseen bool) {
	if len(p.deferred) == 0 {
		return false, false
	}
	i, ok := p.byName[name]
	deferred = ok && p.tools[i].decl.Deferred
	return deferred, deferred && !p.session.discovery.hasSeen(&p.tools[i].info)
}

// howToLoad tells a model that has called a tool without its definition how to load it.
func (p *Pool) howToLoad(name string) string {
	if p.hasToolSearch() {
		return fmt.Sprintf("Load it by calling %s with {\"query\": \"select:%s\"}, then call it again.", searchToolName, name)
	}
	return "Search for it first, then call it again."
}

// deferTools decides which tools are deferred.
func (p *Pool) deferTools() {
	p.deferred, p.loaded = nil, nil
	deferral, can := p.policy, make([]bool, len(p.tools))
	if deferral.BuiltinTools == nil {
		deferral.BuiltinTools = DefaultDeferred()
	}
	var builtins, all int // tokens of the definitions that can be deferred
	if mode := p.session.grants.inForce().Mode(); p.Searchable() && deferral.Mode != DeferOff {
		for i := range p.tools {
			t := &p.tools[i]
			if can[i] = deferral.canDefer(&t.info, mode); can[i] && deferral.Mode == DeferAuto {
				all += deferral.tokens(t.decl)
			}
			if i < p.builtins {
				builtins = all
			}
		}
	}
	exceeds := func(tokens int) bool { return deferral.Mode == DeferOn || tokens > deferral.maxTokens() }
	deferBuiltins, deferExternal := exceeds(builtins), exceeds(all)
	for i := range p.tools {
		t := &p.tools[i]
		deferred := can[i] && (i < p.builtins && deferBuiltins || i >= p.builtins && deferExternal)
		if t.decl = t.withDeferred(t.decl, deferred); deferred {
			p.deferred = append(p.deferred, i)
		}
	}
	for _, name := range p.session.Loaded() {
		if i, ok := p.byName[name]; ok && p.tools[i].decl.Deferred && !slices.Contains(p.loaded, i) { // a tool may be recorded under two names
			p.loaded = append(p.loaded, i)
		}
	}
}

// discovery records which tools a conversation has mentioned, and of which of them the
// model has seen the definition. The zero value is empty.
type discovery struct {
	mu        lock.Mutex
	mentioned []string // each once, in the order of first mention
	seen      []string // tools whose definition the model has seen
}

// tools returns the mentioned tools.
func (d *discovery) tools() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.mentioned)
}

// reset replaces everything recorded by tools, whose definitions the model has seen.
func (d *discovery) reset(tools []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mentioned, d.seen = nil, slices.Clone(tools)
	for _, name := range tools {
		d.mentioned = appendOnce(d.mentioned, name)
	}
}

// record records that a tool was mentioned, and whether the model has seen its
// definition by now.
func (d *discovery) record(name string, seen bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.mentioned = appendOnce(d.mentioned, name); seen {
		d.seen = appendOnce(d.seen, name)
	}
}

// hasSeen reports whether the model has seen the definition of a tool, under its name
// or an alias.
func (d *discovery) hasSeen(i *Info) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.seen, i.Matches)
}

func appendOnce(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
