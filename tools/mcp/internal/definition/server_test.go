package definition_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/definition"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestHints reads the hints of a server that is trusted and of one that is not.
func TestHints(t *testing.T) {
	t.Parallel()
	cautious := pegboard.Traits{Concurrency: pegboard.PerTarget, Destructive: true, OpenWorld: true}
	reading := pegboard.Traits{Concurrency: pegboard.Shared, Destructive: true, OpenWorld: true}
	tests := []struct {
		name      string
		hints     string
		reads     bool
		untrusted pegboard.Traits
		trusted   pegboard.Traits
	}{
		{name: "none", hints: `{}`, untrusted: cautious, trusted: cautious},
		{name: "no object", hints: `[true]`, untrusted: cautious, trusted: cautious},
		{name: "it reads", hints: `{"readOnlyHint":true}`, reads: true, untrusted: reading,
			trusted: pegboard.Traits{Concurrency: pegboard.Shared, ReadOnly: true, OpenWorld: true}},
		{name: "it reads on this machine", hints: `{"readOnlyHint":true,"openWorldHint":false,"idempotentHint":true}`, reads: true, untrusted: reading,
			trusted: pegboard.Traits{Concurrency: pegboard.Shared, ReadOnly: true, Idempotent: true}},
		{name: "it reads and destroys", hints: `{"readOnlyHint":true,"destructiveHint":true}`, untrusted: cautious, trusted: cautious},
		{name: "it destroys nothing", hints: `{"destructiveHint":false,"openWorldHint":false}`, untrusted: cautious,
			trusted: pegboard.Traits{Concurrency: pegboard.PerTarget}},
		{name: "it destroys", hints: `{"destructiveHint":true,"openWorldHint":true,"readOnlyHint":false}`, untrusted: cautious, trusted: cautious},
		{name: "values of other types", hints: `{"readOnlyHint":"true","destructiveHint":0,"openWorldHint":null,"idempotentHint":1}`, untrusted: cautious, trusted: cautious},
		{name: "keys in another case", hints: `{"ReadOnlyHint":true,"destructivehint":false}`, untrusted: cautious, trusted: cautious},
	}
	for _, tt := range tests {
		for _, trusted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, trusted %t", tt.name, trusted), func(t *testing.T) {
				t.Parallel()
				want := tt.untrusted
				if trusted {
					want = tt.trusted
				}
				target := policy.Target{Kind: policy.Resource, Value: "mcp:a server"}
				if tt.reads {
					target.Access = policy.Read
				}
				want.Targets = []policy.Target{target}
				tool, _, err := attached(t, definition.Server{Name: "a server", Trusted: trusted}, `{"name":"get","annotations":`+tt.hints+`,`+anyObject+`}`)
				require.NoError(t, err)
				require.Equal(t, want, tool.Traits(&pegboard.Call{Input: json.RawMessage(`{}`)}))
			})
		}
	}
}

// TestHintsLetNothingRun asks for a call in each mode, of a server whose hints are the most
// harmless ones.
func TestHintsLetNothingRun(t *testing.T) {
	t.Parallel()
	const harmless = `{"name":"get","annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false,"idempotentHint":true},` + anyObject + `}`
	tests := []struct {
		mode    policy.Mode
		trusted bool
		allow   []string
		want    policy.Behavior
	}{
		{mode: policy.ModeDefault, want: policy.Ask},
		{mode: policy.ModeDefault, trusted: true, want: policy.Ask},
		{mode: policy.ModeAcceptEdits, trusted: true, want: policy.Ask},
		{mode: policy.ModePlan, trusted: true, want: policy.Ask},
		{mode: policy.ModeAuto, trusted: true, want: policy.Ask},
		{mode: policy.ModeDeny, trusted: true, want: policy.Deny},
		{mode: policy.ModeDefault, allow: []string{"mcp__srv"}, want: policy.Allow},
		{mode: policy.ModePlan, allow: []string{"mcp__srv"}, want: policy.Ask},
		{mode: policy.ModePlan, trusted: true, allow: []string{"mcp__srv"}, want: policy.Allow},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s, trusted %t, rules %v", tt.mode, tt.trusted, tt.allow), func(t *testing.T) {
			t.Parallel()
			perms, err := policy.New(tt.mode, policy.RuleSet{Allow: tt.allow})
			require.NoError(t, err)
			session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms})
			require.NoError(t, err)
			defer func() { require.NoError(t, session.Close(context.Background())) }()
			var registry pegboard.Registry
			_, err = registry.Attach("srv", definition.Read(definition.Server{Name: "srv", Trusted: tt.trusted}, json.RawMessage(harmless), nothing).Tool)
			require.NoError(t, err)
			pool := registry.AssemblePool(session, pegboard.PoolConfig{})
			decision := pool.Decide(t.Context(), pegboard.Call{ID: "1", Name: "mcp__srv__get", Input: json.RawMessage(`{}`)})
			require.Equal(t, tt.want, decision.Behavior, decision.Reason)
		})
	}
}

// TestInfo reads the settings of a server, and the _meta of a tool, which goes before them.
func TestInfo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		server  definition.Server
		meta    string
		loading pegboard.Loading
		max     int
		user    bool
		hint    string
	}{
		{name: "defaults", server: definition.Server{Name: "srv"}, meta: `null`, max: 100_000},
		{name: "an eager server", server: definition.Server{Name: "srv", AlwaysLoad: true}, meta: `{}`, loading: pegboard.LoadAlways, max: 100_000},
		{name: "a lazy tool of it", server: definition.Server{Name: "srv", AlwaysLoad: true}, meta: `{"anthropic/alwaysLoad":false}`, max: 100_000},
		{name: "an eager tool", server: definition.Server{Name: "srv"}, meta: `{"anthropic/alwaysLoad":true}`, loading: pegboard.LoadAlways, max: 100_000},
		{name: "a long result", server: definition.Server{Name: "srv"}, meta: `{"anthropic/maxResultSizeChars":300000}`, max: 300_000},
		{name: "too long a result", server: definition.Server{Name: "srv"}, meta: `{"anthropic/maxResultSizeChars":9e9}`, max: 500_000},
		{name: "a short result", server: definition.Server{Name: "srv"}, meta: `{"anthropic/maxResultSizeChars":10}`, max: 10},
		{name: "only a person", server: definition.Server{Name: "srv"}, meta: `{"anthropic/requiresUserInteraction":true,"anthropic/searchHint":"finds things"}`, max: 100_000, user: true, hint: "finds things"},
		{name: "no object", server: definition.Server{Name: "srv"}, meta: `["anthropic/alwaysLoad"]`, max: 100_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.server.Timeout = time.Minute
			tool, _, err := attached(t, tt.server, `{"name":"get","_meta":`+tt.meta+`,`+anyObject+`}`)
			require.NoError(t, err)
			info := tool.Info()
			require.Equal(t, tt.loading, info.Loading)
			require.Equal(t, tt.max, info.MaxResult)
			require.Equal(t, tt.user, info.RequiresUser)
			require.Equal(t, tt.hint, info.Hint)
			require.Equal(t, time.Minute, info.Timeout)
		})
	}
}

// TestCaller looks at what a caller is given, and at what becomes of its answers.
func TestCaller(t *testing.T) {
	t.Parallel()
	const raw = `{"name":"get it","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["n"]}}`
	tests := []struct {
		name   string
		answer *pegboard.Result
		err    error
		text   string
		failed bool
		refuse bool // the data do not fit the schema
	}{
		{name: "fits", answer: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Data: json.RawMessage(`{"n":9007199254740993}`)}, text: "a"},
		{name: "does not fit", answer: &pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Data: json.RawMessage(`{"m":1}`)}, text: "a", refuse: true},
		{name: "no data", answer: pegboard.TextResult("a"), text: "a", refuse: true},
		{name: "a failure need not fit", answer: &pegboard.Result{Parts: []pegboard.Part{{Text: "no"}}, IsError: true}, text: "no", failed: true},
		{name: "nothing", text: "(mcp__srv__get_it ran and returned nothing)", refuse: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tool, input string
			out := run(t, definition.Server{Name: "srv"}, raw, `{"n": 9007199254740993}`, func(_ context.Context, c *pegboard.Call, name string, in json.RawMessage) (*pegboard.Result, error) {
				tool, input = name, string(in)
				require.Equal(t, "1", c.ID)
				return tt.answer, tt.err
			})
			require.NoError(t, out.Err)
			require.Equal(t, "get it", tool)
			require.Equal(t, `{"n": 9007199254740993}`, input)
			require.Equal(t, tt.text, out.Result.Text())
			require.Equal(t, tt.failed, out.Result.IsError)
			if tt.refuse {
				require.ErrorIs(t, out.OutputErr, pegboard.ErrInvalidOutput)
			} else {
				require.NoError(t, out.OutputErr)
			}
		})
	}
	d := definition.Read(definition.Server{Name: "srv"}, json.RawMessage(`{"name":"get",`+anyObject+`}`), nil)
	var registry pegboard.Registry
	report, err := registry.Attach("srv", d.Tool)
	require.NoError(t, err)
	require.ErrorContains(t, report.Quarantined["get"], "Call")
}

// TestWrongOutputSchema reads tools whose schema of the output cannot be used.
func TestWrongOutputSchema(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"type":"nothing"}`, `{"$ref":"http://127.0.0.1:1/x"}`, `"x"`, `{"type":"object","type":"string"}`} {
		raw := `{"name":"get","outputSchema":` + schema + `,` + anyObject + `}`
		d := definition.Read(definition.Server{Name: "srv"}, json.RawMessage(raw), nothing)
		require.Len(t, d.Warnings, 1)
		require.Contains(t, d.Warnings[0], "its outputSchema is ignored: ")
		_, declared, err := attached(t, definition.Server{Name: "srv"}, raw)
		require.NoError(t, err)
		require.Empty(t, declared.OutputSchema)
		require.NoError(t, run(t, definition.Server{Name: "srv"}, raw, `{}`, nothing).OutputErr)
	}
	_, declared, err := attached(t, definition.Server{Name: "srv"}, `{"name":"get","outputSchema":{"type":"array"},`+anyObject+`}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"array"}`, string(declared.OutputSchema))
	require.False(t, declared.OutputShown, "the text may be other than the data")
}

// TestLines asks for the headlines of calls.
func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct{ definition, input, before, while string }{
		{`{"name":"get","title":"Get it",` + anyObject + `}`, `{}`, "srv: Get it", "Running srv: Get it"},
		{`{"name":"get",` + anyObject + `}`, `{"path":"a\nb"}`, `srv: get {"path":"a\nb"}`, `Running srv: get {"path":"a\nb"}`},
	}
	for _, tt := range tests {
		out := run(t, definition.Server{Name: "srv"}, tt.definition, tt.input, nothing)
		view := out.View()
		require.Equal(t, tt.before, view.Before)
		require.Equal(t, tt.while, view.While)
	}
}

// TestContract holds a tool against the contract of tools.
func TestContract(t *testing.T) {
	t.Parallel()
	const raw = `{"name":"get","title":"Get it","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}},"annotations":{"readOnlyHint":true}}`
	for _, trusted := range []bool{false, true} {
		d := definition.Read(definition.Server{Name: "srv", Trusted: trusted}, json.RawMessage(raw), nothing)
		require.NoError(t, tooltest.Check(d.Tool, `{}`, `{"n":9007199254740993}`))
	}
}

// TestFileRuleDoesNotBindAServer: a person whose rule on files is not compared with the paths that a
// server is given is told so, whatever the server says of its tools.
func TestFileRuleDoesNotBindAServer(t *testing.T) {
	t.Parallel()
	permissions, err := policy.Permissions{}.WithRules(policy.RuleSet{Source: policy.SourceUser, Deny: []string{"Read(*.env)"}})
	require.NoError(t, err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close(context.Background())) })
	for _, trusted := range []bool{false, true} {
		var registry pegboard.Registry
		_, err = registry.Attach("files", definition.Read(definition.Server{Name: "files", Trusted: trusted}, json.RawMessage(
			`{"name":"read_multiple_files","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"head":{"type":"integer"},"paths":{"type":"array","items":{"type":"string"}}}}}`), nothing).Tool)
		require.NoError(t, err)
		problems := registry.AssemblePool(session, pegboard.PoolConfig{}).RuleProblems()
		require.Len(t, problems, 1)
		require.Contains(t, problems[0].String(), "such as the paths of mcp__files__read_multiple_files")
	}
}

// TestOverlap makes the calls of one message, each of which takes a second.
func TestOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		calls []string
		want  time.Duration
	}{
		{name: "writes of one server", calls: []string{"mcp__a__put", "mcp__a__put", "mcp__a__set"}, want: 3 * time.Second},
		{name: "writes of two servers", calls: []string{"mcp__a__put", "mcp__b__put", "mcp__a__put", "mcp__b__put"}, want: 2 * time.Second},
		{name: "reads of one server", calls: []string{"mcp__a__get", "mcp__a__get", "mcp__a__get"}, want: 1 * time.Second},
		{name: "a write between reads", calls: []string{"mcp__a__get", "mcp__a__put", "mcp__a__get"}, want: 3 * time.Second},
		{name: "a write beside reads of another", calls: []string{"mcp__a__get", "mcp__b__put", "mcp__a__get"}, want: 1 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				allowed, err := policy.New(policy.ModeBypass)
				require.NoError(t, err)
				session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: allowed})
				require.NoError(t, err)
				defer func() { require.NoError(t, session.Close(context.Background())) }()
				pool := twoServers(t).AssemblePool(session, pegboard.PoolConfig{})
				var calls []pegboard.Call
				for i, name := range tt.calls {
					calls = append(calls, pegboard.Call{ID: fmt.Sprint(i), Name: name, Input: json.RawMessage(`{}`)})
				}
				begun := time.Now()
				var executor pegboard.Executor
				for _, out := range executor.Run(t.Context(), pool, calls...) {
					require.NoError(t, out.Err)
				}
				require.Equal(t, tt.want, time.Since(begun))
			})
		})
	}
}

// twoServers attaches two servers with a tool that reads and two that do not say so.
func twoServers(t *testing.T) *pegboard.Registry {
	t.Helper()
	second := func(context.Context, *pegboard.Call, string, json.RawMessage) (*pegboard.Result, error) {
		time.Sleep(time.Second)
		return pegboard.TextResult("done"), nil
	}
	var registry pegboard.Registry
	for _, server := range []string{"a", "b"} {
		var tools []pegboard.Tool
		for _, raw := range []string{
			`{"name":"get","annotations":{"readOnlyHint":true},` + anyObject + `}`, `{"name":"put",` + anyObject + `}`, `{"name":"set","annotations":{"readOnlyHint":false},` + anyObject + `}`,
		} {
			tools = append(tools, definition.Read(definition.Server{Name: server}, json.RawMessage(raw), second).Tool)
		}
		_, err := registry.Attach(server, tools...)
		require.NoError(t, err)
	}
	return &registry
}
