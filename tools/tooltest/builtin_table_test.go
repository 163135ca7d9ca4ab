package tooltest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestBuiltinTable compares the table of docs/builtin.md with the tools. Run with
// PEGBOARD_UPDATE=1 to write it anew.
func TestBuiltinTable(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- table of the tools -->\n", "<!-- end of the table -->\n"
	path := filepath.Join("..", "..", "docs", "builtin.md")
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(document), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := before + begin + builtinTable(t) + end + after
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644)) //nolint:gosec // a document
		return
	}
	require.Equal(t, want, string(document), "%s tells other facts than the tools; run PEGBOARD_UPDATE=1 go test -run BuiltinTable ./tools/tooltest", path)
}

func builtinTable(t *testing.T) string {
	t.Helper()
	dir := builtinDir(t)
	all := builtins(t, dir)
	registry := new(pegboard.Registry)
	for _, b := range all {
		require.NoError(t, registry.Add(b.tool))
	}
	bare := registry.AssemblePool(sessionOf(t, dir, pegboard.RoleMain, policy.ModeDefault), pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{}}})
	table := "| tool | package | only if | deferred | agents | an ordinary call | without rules | a new message |\n|---|---|---|---|---|---|---|---|\n"
	for _, b := range all {
		info := b.tool.Info()
		name := "`" + b.name + "`"
		for _, alias := range info.Aliases {
			name += ", `" + alias + "`"
		}
		pools := b.pools(t, dir)
		main := pools[0]
		deferred := ""
		if slices.Contains(main.Deferred(), b.name) {
			deferred = "yes"
		}
		table += "| " + strings.Join([]string{name, strings.Replace("`"+b.folder+"`", "`.`", "the root", 1), b.gate(bare), deferred, b.agents(pools), b.effect(t, main), b.withoutRules(t, main), b.newMessage()}, " | ") + " |\n"
	}
	return table
}

// pools returns a pool for each role that has the tool if that role may have it.
func (b builtin) pools(t *testing.T, dir string) (pools []*pegboard.Pool) {
	t.Helper()
	registry := new(pegboard.Registry)
	require.NoError(t, registry.Add(tooltest.StandIn(b.tool)))
	if b.name != "ToolSearch" {
		require.NoError(t, registry.Add(pegboard.ToolSearch(pegboard.SearchOptions{})))
	}
	mode := policy.ModeDefault
	if b.name == "ExitPlanMode" { // its calls are refused in other modes
		mode = policy.ModePlan
	}
	open := pegboard.PoolConfig{Gates: pegboard.Gates{Resources: true, StructuredOutput: true, PowerShell: true}}
	for _, role := range roles {
		pools = append(pools, registry.AssemblePool(sessionOf(t, dir, role, mode), open))
	}
	return pools
}

// gate returns what a host must set so that the tool is offered; empty for nothing. The pool
// is one of all tools without features.
func (b builtin) gate(bare *pegboard.Pool) string {
	if _, ok := bare.Lookup(b.name); ok {
		return ""
	}
	excluded := bare.Excluded()
	x := excluded[slices.IndexFunc(excluded, func(x pegboard.Exclusion) bool { return x.Name == b.name })]
	if feature := regexp.MustCompile(`the feature (\w+) is off`).FindStringSubmatch(x.Reason); feature != nil {
		return "feature `" + feature[1] + "`"
	}
	return "`Gates." + x.Gate + "`"
}

// agents returns the letters of the roles that have the tool: main, sub-agent, async agent,
// teammate, coordinator.
func (b builtin) agents(pools []*pegboard.Pool) (letters string) {
	for i, pool := range pools {
		if _, ok := pool.Lookup(b.name); ok {
			letters += string("MSATC"[i])
		}
	}
	return letters
}

func (b builtin) call() pegboard.Call {
	return pegboard.Call{ID: "1", Name: b.name, Input: json.RawMessage(b.input)}
}

// effect returns what the call does, as its traits say.
func (b builtin) effect(t *testing.T, pool *pegboard.Pool) string {
	t.Helper()
	tool, call, err := pool.Rebuild(b.call())
	require.NoError(t, err, b.name)
	traits := tool.Traits(call)
	does := []string{"writes"}
	switch {
	case traits.ReadOnly:
		does[0] = "reads"
	case traits.Own:
		does[0] = "writes its own"
	}
	if traits.Destructive {
		does = append(does, "destructive")
	}
	if traits.OpenWorld {
		does = append(does, "open world")
	}
	class := traits.Concurrency
	if class == pegboard.ByReadOnly {
		class = map[bool]pegboard.Concurrency{true: pegboard.Shared, false: pegboard.Exclusive}[traits.ReadOnly]
	}
	return strings.Join(append(does, class.String()), ", ")
}

// withoutRules returns whether the call needs the user's yes in default mode.
func (b builtin) withoutRules(t *testing.T, pool *pegboard.Pool) string {
	t.Helper()
	switch d := pool.Decide(t.Context(), b.call()); d.Behavior {
	case policy.Allow:
		return "runs"
	case policy.Ask:
		if b.tool.Info().RequiresUser {
			return "asks, and only the user can allow it"
		}
		return "asks"
	default:
		return "denied: " + d.Reason
	}
}

// newMessage returns what becomes of a running call when the user writes.
func (b builtin) newMessage() string {
	if b.tool.Info().Interrupt == pegboard.InterruptCancel {
		return "cancels it"
	}
	return "waits"
}
