package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestCtxInspectKeepsTheContract(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(session.CtxInspect(), `{}`, `{"what":"tools"}`, `{"what":"agents"}`))
	for _, input := range []string{`{"what":"all"}`, `{"what":["tools"]}`, `{"which":"tools"}`} {
		require.ErrorIs(t, tooltest.Run(t.Context(), session.CtxInspect(), nil, input).Err, pegboard.ErrInvalidInput)
	}
}

// described returns a tool with a description of that many bytes.
func described(name string, bytes int, loading pegboard.Loading) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name, Loading: loading}, Description: strings.Repeat("x", bytes), Traits: pegboard.Traits{ReadOnly: true},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
}

// TestCtxInspectWeighsDefinitions against the declarations of the pool.
func TestCtxInspectWeighsDefinitions(t *testing.T) {
	t.Parallel()
	var registry pegboard.Registry
	require.NoError(t, registry.Add(session.CtxInspect(), pegboard.ToolSearch(pegboard.SearchOptions{}), described("Heavy", 8_000, 0),
		described("Waiting", 4_000, pegboard.LoadOnSearch), described("Found", 2_000, pegboard.LoadOnSearch)))
	external, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "list|all"}, Description: strings.Repeat("y", 1_000),
		Call: func(context.Context, json.RawMessage, *pegboard.Call) (*pegboard.Result, error) {
			return &pegboard.Result{}, nil
		},
	})
	require.NoError(t, err)
	_, err = registry.Attach("far", external)
	require.NoError(t, err)
	s := inMode(t, policy.ModeDeny, policy.RuleSet{})
	pool := registry.AssemblePool(s, pegboard.PoolConfig{Deferral: pegboard.Deferral{BuiltinTools: []string{"Sleep"}}})
	var executor pegboard.Executor
	outs := executor.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "ToolSearch", Input: []byte(`{"query":"select:Found"}`)})
	require.NoError(t, outs[0].Err)
	s.SetLoaded("Found")
	out := executor.Run(t.Context(), pool, pegboard.Call{ID: "2", Name: "CtxInspect", Input: []byte(`{"what":"tools"}`)})[0]
	require.NoError(t, out.Err)
	text := out.Result.Text()
	data, ok := out.Result.Data.(session.CtxResult)
	require.True(t, ok)
	sent, loaded, waiting, total := 0, 0, 0, 0
	for _, part := range []pegboard.Partition{pegboard.Builtin, pegboard.External} {
		for decl := range pool.Declarations(part) {
			n := (len(decl.Name) + len(decl.Description) + len(decl.InputSchema) + 3) / 4
			total++
			switch {
			case !decl.Deferred:
				sent += n
			case decl.Name == "Found":
				loaded += n
			default:
				waiting += n
			}
		}
	}
	require.Len(t, data.Tools, total)
	require.Equal(t, "Heavy", data.Tools[0].Name)
	require.Contains(t, text, fmt.Sprintf("| always sent | 3 | %d |", sent))
	require.Contains(t, text, fmt.Sprintf("| loaded since | 1 | %d |", loaded))
	require.Contains(t, text, fmt.Sprintf("| wait, only named | 2 | %d |", waiting))
	require.Regexp(t, `(?m)^\| of these all, of servers \| 1 \| \d+ \|$`, text)
	require.Regexp(t, `(?m)^\| Found \| \d+ \| loaded \|$`, text)
	require.Regexp(t, `(?m)^\| mcp__far__list_all \| \d+ \| waits \|$`, text)
	requireTable(t, text)
}

// requireTable requires that every line of a table has as many cells as its head.
func requireTable(t *testing.T, text string) {
	t.Helper()
	cells := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := len(regexp.MustCompile(`[^\\]\|`).FindAllString(line, -1))
		if cells == 0 {
			cells = n
		}
		require.Equal(t, cells, n, line)
	}
}

func TestCtxInspectListsTasks(t *testing.T) {
	t.Parallel()
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	out := tooltest.Run(t.Context(), session.CtxInspect(), s, `{"what":"agents"}`)
	require.NoError(t, out.Err)
	require.Contains(t, out.Result.Text(), "No agent and no other task")
	add := func(w background.Work) *background.Handle {
		var h *background.Handle
		w.Stop = func(error) { h.Done(background.Killed, nil, nil) }
		h, err = background.Of(s).Add(s, w)
		require.NoError(t, err)
		return h
	}
	add(background.Work{Kind: "shell", Command: "make | tee log"}).Done(background.Completed, nil, nil)
	handles := []*background.Handle{add(background.Work{Kind: "agent", Description: "look around\n| pr_1 | <system-reminder>"})}
	for range 30 {
		handles = append(handles, add(background.Work{Kind: "monitor", Description: strings.Repeat("ä", 1_000)}))
	}
	out = tooltest.Run(t.Context(), session.CtxInspect(), s, `{"what":"agents"}`)
	require.NoError(t, out.Err)
	text := out.Result.Text()
	require.Contains(t, text, "32 background tasks, of which 31 run. Agents among them: 1.")
	require.Contains(t, text, "and 12 more")
	require.Contains(t, text, `| running | look around ⏎ \| pr_1 \| \<system-reminder> |`)
	requireTable(t, text)
	require.Less(t, len(text), 10_000)
	for _, h := range handles {
		h.Done(background.Completed, nil, nil)
	}
	require.NoError(t, s.Close(context.Background()))
}

// A model looks at its context.
func ExampleCtxInspect() {
	fmt.Println(tooltest.Run(context.Background(), session.CtxInspect(), nil, `{"what":"agents"}`).Result.Text())
	// Output: No agent and no other task runs in the background, or has run there.
}

// TestPlanning is about sentences that people write. The hint may be wrong; these it gets right.
func TestPlanning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Make a plan first, then we talk about it.":  true,
		"please plan this before you touch anything": true,
		"Enter plan mode": true,
		"How would you approach moving the store to SQLite?":              true,
		"Propose an approach for the migration.":                          true,
		"Don't change anything yet, just look around.":                    true,
		"think it through before coding":                                  true,
		"I'd like to see a short plan":                                    true,
		"What is your plan?":                                              true,
		"Outline the steps without editing files":                         true,
		"Give me a road map for the rewrite":                              true,
		"":                                                                false,
		"Fix the typo in README.md":                                       false,
		"Why is the query plan of this SELECT so slow?":                   false,
		"run terraform plan and show the output":                          false,
		"Rename the field Plane to Aircraft":                              false,
		"The subscription plans are in billing.go; add a field":           false,
		"explain what this function does":                                 false,
		"run the tests":                                                   false,
		"add the pricing plan to the invoice":                             false,
		"what does EXPLAIN say about the execution plan of this command?": false,
	} {
		require.Equal(t, want, session.Planning(text), text)
	}
}
