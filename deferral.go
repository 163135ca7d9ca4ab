package pegboard

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
func (m DeferMode) String() string { return nameOf(int(m), "on", "auto", "off") }

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
func (d *Deferral) canDefer(i *Info, mode Mode) bool {
	external := i.Origin.External()
	switch {
	case i.Loading == LoadAlways, len(d.AlwaysLoad) > 0 && listed(d.AlwaysLoad, i), !external && listed(neverDeferred, i):
		return false
	case external || i.Loading == LoadOnSearch:
		return true
	case mode == ModePlan && i.Name == "ExitPlanMode": // the model must see how to leave plan mode
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
