package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

func ExamplePool_Explain() {
	reg := toolset("Read", "LSP", "TaskStop", "Deploy")
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{
		Gates:        pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}},
		Restrictions: []pegboard.Restriction{{Reason: "not on Fridays", Without: []string{"Deploy"}}},
	})
	for _, name := range []string{"Read", "LSP", "TaskStop", "Deploy", "Write"} {
		fmt.Println(pool.Explain(name))
	}
	// Output:
	// Read is available: a built-in tool
	// LSP is not available here: the feature lsp is off
	// TaskStop is not available here: not for agents (sub-agent)
	// Deploy is not available here: not on Fridays
	// Write is not a registered tool
}

// A list for the user has every registered tool, those that cannot be used now with the reason.
func ExamplePool_Excluded() {
	reg := toolset("Read", "LSP")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Deny: []string{"mcp__db__drop"}})
	if err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}})
	for tool := range pool.All() {
		fmt.Println(tool.Info().Name, "external:", tool.Info().Origin.External())
	}
	for _, x := range pool.Excluded() {
		fmt.Println(x.Name, "external:", x.Origin.External(), "-", x.Reason)
	}
	// Output:
	// Read external: false
	// mcp__db__query external: true
	// LSP external: false - the feature lsp is off
	// mcp__db__drop external: true - deny rule "mcp__db__drop"
}

// While its fingerprint stays the same, a provider's prompt cache holds a partition. Tools
// of a server change that of the external tools alone.
func ExamplePool_Fingerprint() {
	reg, session := toolset("Read"), begin(pegboard.SessionConfig{})
	before := reg.AssemblePool(session, pegboard.PoolConfig{})
	if _, err := reg.Attach("db", inert("query")); err != nil {
		log.Fatal(err)
	}
	after := reg.AssemblePool(session, pegboard.PoolConfig{})
	same := func(part pegboard.Partition) bool { return before.Fingerprint(part) == after.Fingerprint(part) }
	fmt.Println("built-in tools are cached:", same(pegboard.Builtin))
	fmt.Println("external tools are cached:", same(pegboard.External))
	// Output:
	// built-in tools are cached: true
	// external tools are cached: false
}

// The size of all definitions does not change with the rules, which hide some tools.
func ExamplePool_Unfiltered() {
	reg := toolset("Read")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Deny: []string{"mcp__db"}})
	if err != nil {
		log.Fatal(err)
	}
	pool, size := reg.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{}), 0
	for tool := range pool.Unfiltered() {
		if d, ok := tool.Declare(pegboard.Scope{Session: pool.Session()}); ok {
			size += len(d.Name) + len(d.Description) + len(d.InputSchema)
		}
	}
	fmt.Println(pool.Len(), "tool can be used; all take", size, "bytes")
	// Output:
	// 1 tool can be used; all take 284 bytes
}

// Built-in tools come first, so that a server that comes or goes leaves the
// beginning of the prompt as it was.
func ExampleRegistry_AssemblePool() {
	reg := toolset("Write", "Read", "Bash")
	if _, err := reg.Attach("db", inert("query")); err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{
		Source: policy.SourceUser,
		Deny:   []string{"Bash", "Edit(//etc/passwd)"}, // a whole tool goes, a pattern leaves it
	})
	if err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	for tool := range pool.All() {
		fmt.Println(tool.Info().Name)
	}
	// Output:
	// Read
	// Write
	// mcp__db__query
}

// A tool whose schema belongs to one answer is in one pool, and the registry need not know it.
func ExamplePoolConfig() {
	verdict, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object","properties":{"verdict":{"type":"string"}}}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info:        pegboard.Info{Name: "StructuredOutput"},
		Description: "Gives the answer.",
		Call: func(_ context.Context, answer json.RawMessage, _ *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("taken: " + string(answer)), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	reg, session := toolset("Read"), begin(pegboard.SessionConfig{})
	pool := reg.AssemblePool(session, pegboard.PoolConfig{With: []pegboard.Tool{verdict}})
	for tool := range pool.All() {
		fmt.Println(tool.Info().Name)
	}
	_, ok := reg.AssemblePool(session, pegboard.PoolConfig{}).Lookup("StructuredOutput")
	fmt.Println(ok)
	// Output:
	// Read
	// StructuredOutput
	// false
}

// The text of a tool names another one only where the model has it.
func ExampleScope() {
	count := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "Count"},
		Description: "Counts lines.", // for people
		Prompt: func(s pegboard.Scope) string {
			text := "Counts the lines of a file."
			if s.Has("Grep") {
				text += " To count matches use Grep."
			}
			return text
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "0", nil },
	})
	all := pool(pegboard.SessionConfig{}, count, inert("Grep"))
	for _, p := range []*pegboard.Pool{all, all.Restrict(pegboard.Restriction{Without: []string{"Grep"}})} {
		for d := range p.Declarations(pegboard.Builtin) {
			if d.Name == "Count" {
				fmt.Printf("%s - %s\n", d.About, d.Description)
			}
		}
	}
	// Output:
	// Counts lines. - Counts the lines of a file. To count matches use Grep.
	// Counts lines. - Counts the lines of a file.
}

// A tool that runs scripts tells the model which tools its scripts can call.
func ExampleScope_CanRun() {
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "REPL"},
		Description: "Runs a script.",
		Prompt: func(s pegboard.Scope) string {
			text := "Runs a script, which may call:"
			for _, name := range []string{"Bash", "Read", "REPL"} {
				if s.CanRun(name) {
					text += " " + name
				}
			}
			return text
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	reg := toolset("Read")
	if err := reg.Add(script); err != nil {
		fmt.Println(err)
		return
	}
	s := begin(pegboard.SessionConfig{})
	gates := pegboard.Gates{REPL: true} // hides Read behind REPL
	for d := range reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates}).Declarations(pegboard.Builtin) {
		fmt.Println(d.Name, "-", d.Description)
	}
	// Output:
	// REPL - Runs a script, which may call: Read
}

func ExampleRestriction() {
	reg := toolset("Read", "Grep", "Bash")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})
	review := pool.Restrict(pegboard.Restriction{
		Reason: "a review only reads",
		Only:   []string{"Read", "Grep", "mcp__*__query"},
	})
	for tool := range review.All() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println(review.Explain("mcp__db__drop"))
	// Output:
	// Grep
	// Read
	// mcp__db__query
	// mcp__db__drop is not available here: a review only reads
}

// A host registers all its tools. The gates say which of them exist now.
func ExampleGates() {
	reg := toolset(pegboard.BuiltinNames()...)
	s := begin(pegboard.SessionConfig{})
	usual := reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}})
	gates := pegboard.Gates{EmbeddedSearch: true, Features: []pegboard.Feature{pegboard.FeatureLSP}}
	gated := reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates})
	for _, name := range []string{"Grep", "LSP"} {
		fmt.Println(usual.Explain(name))
		fmt.Println(gated.Explain(name))
	}
	// Output:
	// Grep is available: a built-in tool
	// Grep is not available here: the shell searches
	// LSP is not available here: the feature lsp is off
	// LSP is available: a built-in tool
}

// An editor of agent definitions offers the tools that exist here, whatever rules say.
func ExampleGates_Preset() {
	reg := toolset("Read", "Grep", "TodoWrite", "TaskCreate")
	s := begin(pegboard.SessionConfig{})
	fmt.Println(pegboard.Gates{}.Preset(reg, s))
	fmt.Println(pegboard.Gates{TodoList: true, EmbeddedSearch: true}.Preset(reg, s))
	// Output:
	// [Grep Read TaskCreate]
	// [Read TodoWrite]
}

// The tables are data. Here agents may start agents of their own.
func ExampleRoleTables() {
	reg := toolset("Read", "Agent", "AskUserQuestion")
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})

	tables := pegboard.DefaultRoleTables()
	tables.Agents = []string{"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TaskOutput", "TaskStop"}
	for tool := range reg.AssemblePool(s, pegboard.PoolConfig{Roles: &tables}).All() {
		fmt.Println(tool.Info().Name)
	}
	// Output:
	// Agent
	// Read
}

// A host that follows Claude Code takes its tables: there an agent may start agents.
func ExampleClaudeCodeRoleTables() {
	reg, documented := toolset("Read", "Agent"), pegboard.ClaudeCodeRoleTables()
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	for _, tables := range []*pegboard.RoleTables{nil, &documented} {
		fmt.Println(reg.AssemblePool(s, pegboard.PoolConfig{Roles: tables}).Explain("Agent"))
	}
	// Output:
	// Agent is not available here: not for agents (sub-agent)
	// Agent is available: a built-in tool
}

// The lists are those of an agent's definition.
func ExamplePool_Resolve() {
	reg := toolset("Read", "Edit", "Bash", "Agent")
	if _, err := reg.Attach("db", inert("query"), inert("drop")); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})

	tools := []string{"Read", "Agent(explorer, planner)", "mcp__db", "Grepp"}
	res, err := pool.Resolve(tools, []string{"mcp__db__drop"})
	if err != nil {
		log.Fatal(err)
	}
	for tool := range res.Pool.All() {
		fmt.Println(tool.Info().Name)
	}
	fmt.Println("unknown:", res.Unknown)

	_, err = pool.Resolve([]string{"Grepp"}, nil)
	fmt.Println(err)
	// Output:
	// Agent
	// Read
	// mcp__db__query
	// unknown: [Grepp]
	// no tool is left for the agent: tools ["Grepp"], disallowedTools []
}

// A second server of one name is refused: rules for the first would cover its tools.
func ExampleRegistry_Attach() {
	var reg pegboard.Registry
	for _, server := range [][]pegboard.Tool{{inert("read")}, {inert("wipe")}} { // in the order of the configuration
		_, err := reg.Attach("github", server...)
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// source: duplicate: "github" is attached; rules for it would cover the tools of both
}

// The tools that a source offers now replace those that it offered before.
func ExampleRegistry_Replace() {
	var reg pegboard.Registry
	_, err := reg.Attach("git.hub", inert("list"), inert("read"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := reg.Replace("git.hub", inert("read"), inert("create"),
		pegboard.InvalidTool("search", fmt.Errorf("its schema is no object")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("added:", report.Added)
	fmt.Println("removed:", report.Removed)
	fmt.Println("quarantined:", report.Quarantined)
	// Output:
	// added: [mcp__git_hub__create]
	// removed: [mcp__git_hub__list]
	// quarantined: map[search:its schema is no object]
}

func ExampleRegistry_SetDescription() {
	reg := shelf()
	reg.SetDescription("github", "Repositories, issues and pull requests.")
	fmt.Println(len(reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{}).Search("pull requests", 5)), "tools have to do with that")
	// Output: 2 tools have to do with that
}

// A server changes what a tool does after it was allowed. The rule counts again once a user
// has allowed the tool as it is now; a host keeps the fingerprints with its rules.
func ExampleRegistry_Fingerprints() {
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__notes__get"}})
	if err != nil {
		log.Fatal(err)
	}
	s := begin(pegboard.SessionConfig{Permissions: perms, Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		fmt.Println(q.Reason)
		return policy.Decision{Behavior: policy.Allow}, nil
	}})
	var reg pegboard.Registry
	if _, err := reg.Attach("notes", fromServer("get", "Returns a note.", "id", "")); err != nil {
		log.Fatal(err)
	}
	saved := reg.Fingerprints()
	if _, err := reg.Replace("notes", fromServer("get", "Returns a note and mails it.", "id", "")); err != nil {
		log.Fatal(err)
	}
	var ex pegboard.Executor
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	for _, id := range []string{"1", "2"} {
		fmt.Println(ex.Run(context.Background(), pool, pegboard.Call{ID: id, Name: "mcp__notes__get", Input: []byte(`{}`)})[0].Decision.By)
	}
	fmt.Println("saved again:", saved["notes"]["get"] != reg.Fingerprints()["notes"]["get"])
	// Output:
	// no rule allows it: mcp__notes__get wants to do something unknown: allow rule "mcp__notes__get" does not count: the source has changed the definition of the tool, and no user has allowed it since
	// person
	// rule
	// saved again: true
}

// What a process before this one knew holds for the tools that are attached next.
func ExampleRegistry_Expect() {
	var before, now pegboard.Registry
	if _, err := before.Attach("notes", fromServer("get", "Returns a note.", "id", "")); err != nil {
		log.Fatal(err)
	}
	now.Expect(before.Fingerprints())
	if _, err := now.Attach("notes", fromServer("get", "Returns a note and mails it.", "id", "")); err != nil {
		log.Fatal(err)
	}
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"mcp__notes__get"}})
	if err != nil {
		log.Fatal(err)
	}
	pool := now.AssemblePool(begin(pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	fmt.Println(pool.Decide(context.Background(), pegboard.Call{Name: "mcp__notes__get", Input: []byte(`{}`)}).Behavior)
	// Output: ask
}

// One call waits for another, and the events say why.
func ExamplePool_Conflict() {
	save := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Save"}, Description: "Saves a file.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
		},
		Permit: func(context.Context, touch, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		},
		Call: func(context.Context, touch, *pegboard.Call) (string, error) { return "saved", nil },
	})
	pool := pool(pegboard.SessionConfig{}, save)
	first := pegboard.Call{ID: "1", Name: "Save", Input: json.RawMessage(`{"path":"src/a.go"}`)}
	second := pegboard.Call{ID: "2", Name: "Save", Input: json.RawMessage(`{"path":"src/b.go"}`)}
	_, conflict := pool.Conflict(first, second)
	fmt.Println(conflict)
	second.Input = first.Input
	fmt.Println(pool.Conflict(first, second))
	// Output:
	// false
	// both write src/a.go true
}

// The tools of a server wait, and what few turns need, unless the host says otherwise.
func ExampleDeferral() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{}).Deferred())
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{AlwaysLoad: []string{"mcp__github__create_issue"}}}).Deferred())
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{Deferral: pegboard.Deferral{Mode: pegboard.DeferAuto}}).Deferred()) // they are few
	// Output:
	// [mcp__github__create_issue mcp__github__list_branches]
	// [mcp__github__list_branches]
	// []
}

// A host that defers more tools begins with those that are deferred by default.
func ExampleDefaultDeferred() {
	deferred := pegboard.DefaultDeferred()
	fmt.Println(slices.Contains(deferred, "Read"), slices.Contains(deferred, "NotebookEdit"))
	reg := toolset("Read", "NotebookEdit", "Deploy")
	if err := reg.Add(pegboard.ToolSearch(pegboard.SearchOptions{})); err != nil {
		log.Fatal(err)
	}
	pool := reg.AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{
		Deferral: pegboard.Deferral{BuiltinTools: append(deferred, "Deploy")},
	})
	fmt.Println(pool.Deferred())
	// Output:
	// false true
	// [Deploy NotebookEdit]
}

// Without a tool that finds deferred tools none is deferred, and a prompt that advises a
// search would be wrong.
func ExamplePool_Searchable() {
	reg, session := toolset("Read"), begin(pegboard.SessionConfig{})
	fmt.Println(reg.AssemblePool(session, pegboard.PoolConfig{}).Searchable())
	fmt.Println(shelf().AssemblePool(session, pegboard.PoolConfig{}).Searchable())
	// Output:
	// false
	// true
}

func ExamplePool_Announce() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	text, told := reg.AssemblePool(session, pegboard.PoolConfig{}).Announce(nil)
	fmt.Println(text)
	reg.Detach("github")
	text, _ = reg.AssemblePool(session, pegboard.PoolConfig{}).Announce(told)
	fmt.Println(text)
	// Output:
	// These tools can be loaded with ToolSearch. Only their names are known so far; do not call one before it is loaded:
	// mcp__github__create_issue
	// mcp__github__list_branches
	// These tools are not available any more:
	// mcp__github__create_issue
	// mcp__github__list_branches
}

// When a conversation is resumed, the tools that its history shows are loaded.
func ExampleSession_SetLoaded() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	session.SetLoaded("mcp__github__list_branches") // a wire's Loaded returns it
	for d := range reg.AssemblePool(session, pegboard.PoolConfig{}).Loaded() {
		fmt.Println(d.Name, d.Description)
	}
	// Output: mcp__github__list_branches Lists branches.
}

func ExamplePool_Search() {
	pool := shelf().AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})
	for _, query := range []string{"branch", "+issue", "select:create_issue,Read"} {
		for _, m := range pool.Search(query, 2) {
			fmt.Println(m.Name)
		}
	}
	// Output:
	// mcp__github__list_branches
	// mcp__github__create_issue
	// mcp__github__create_issue
	// Read
}

// A ranker of the host leaves the search by words to the LexicalRanker, here without the tools
// that write.
func ExampleLexicalRanker_Rank() {
	pool := shelf().AssemblePool(begin(pegboard.SessionConfig{}), pegboard.PoolConfig{})
	reads := func(name string) bool { return name != "mcp__github__create_issue" }
	for _, accept := range []func(string) bool{nil, reads} {
		found, err := pegboard.LexicalRanker{}.Rank(context.Background(), pool, "issue branch", 5, accept)
		for _, m := range found {
			fmt.Println(m.Name, m.Score > 0, err)
		}
		fmt.Println("--")
	}
	// Output:
	// mcp__github__create_issue true <nil>
	// mcp__github__list_branches true <nil>
	// --
	// mcp__github__list_branches true <nil>
	// --
}

func ExampleToolSearch() {
	reg, session := shelf(), begin(pegboard.SessionConfig{})
	var executor pegboard.Executor
	out := executor.Run(context.Background(), reg.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{
		ID: "1", Name: "ToolSearch", Input: json.RawMessage(`{"query":"open an issue","max_results":1}`),
	})
	fmt.Println(out[0].Result.Parts[0].Tool)
	fmt.Println(session.Loaded())
	// Output:
	// mcp__github__create_issue
	// [ToolSearch mcp__github__create_issue]
}
