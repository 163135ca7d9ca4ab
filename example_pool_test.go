package pegboard_test

import (
	"fmt"
	"log"

	"github.com/seed49eaa51d/pegboard"
)

// toolset returns a registry with a tool of each name that does nothing.
func toolset(names ...string) *pegboard.Registry {
	var reg pegboard.Registry
	if err := reg.Add(inerts(names...)...); err != nil {
		log.Fatal(err)
	}
	return &reg
}

// begin returns a new session.
func begin(cfg pegboard.SessionConfig) *pegboard.Session {
	s, err := pegboard.NewSession(cfg)
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// Built-in tools come first, so that a server that comes or goes leaves the
// beginning of the prompt as it was.
func ExampleRegistry_AssemblePool() {
	reg := toolset("Write", "Read", "Bash")
	if _, err := reg.Attach("db", inert("query")); err != nil {
		log.Fatal(err)
	}
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{
		Source: pegboard.SourceUser,
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

func ExamplePool_Explain() {
	reg := toolset("Read", "LSP", "TaskStop", "Deploy")
	s := begin(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	pool := reg.AssemblePool(s, pegboard.PoolConfig{Restrictions: []pegboard.Restriction{{Reason: "not on Fridays", Without: []string{"Deploy"}}}})
	for _, name := range []string{"Read", "LSP", "TaskStop", "Deploy", "Write"} {
		fmt.Println(pool.Explain(name))
	}
	// Output:
	// Read is available: a built-in tool
	// LSP is not available here: the feature lsp is off (Gates.Features)
	// TaskStop is not available here: not for agents (sub-agent)
	// Deploy is not available here: not on Fridays
	// Write is not a registered tool
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
	fmt.Println("may start:", res.AgentTypes)
	fmt.Println("unknown:", res.Unknown)

	_, err = pool.Resolve([]string{"Grepp"}, nil)
	fmt.Println(err)
	// Output:
	// Agent
	// Read
	// mcp__db__query
	// may start: [explorer planner]
	// unknown: [Grepp]
	// no tool is left for the agent: tools ["Grepp"], disallowedTools []
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

// A host registers all it has; the gates say what of it exists now.
func ExampleGates() {
	reg := toolset(pegboard.BuiltinNames()...)
	s := begin(pegboard.SessionConfig{})
	usual := reg.AssemblePool(s, pegboard.PoolConfig{})
	gates := pegboard.Gates{EmbeddedSearch: true, Features: []pegboard.Feature{pegboard.FeatureLSP}}
	gated := reg.AssemblePool(s, pegboard.PoolConfig{Gates: gates})
	for _, name := range []string{"Grep", "LSP"} {
		fmt.Println(usual.Explain(name))
		fmt.Println(gated.Explain(name))
	}
	// Output:
	// Grep is available: a built-in tool
	// Grep is not available here: the shell searches (Gates.EmbeddedSearch)
	// LSP is not available here: the feature lsp is off (Gates.Features)
	// LSP is available: a built-in tool
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

// What a source offers now replaces what it offered before.
func ExampleRegistry_Attach() {
	var reg pegboard.Registry
	_, err := reg.Attach("git.hub", inert("list"), inert("read"))
	if err != nil {
		log.Fatal(err)
	}
	report, err := reg.Attach("git.hub", inert("read"), inert("create"),
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
