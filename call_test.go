package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestCallWithoutAnExecutorMayTouchNothing: Check and Filter deny everything for a call
// that no executor admitted.
func TestCallWithoutAnExecutorMayTouchNothing(t *testing.T) {
	t.Parallel()
	c := call("1", "T", `{}`)
	require.ErrorIs(t, c.Check(t.Context()), pegboard.ErrDenied)
	require.ErrorIs(t, c.Check(t.Context(), policy.Target{Kind: policy.Path, Access: policy.Read, Value: "."}), pegboard.ErrDenied)
	require.False(t, c.Filter(policy.Target{Kind: policy.Path, Access: policy.Read, Value: "."}))
	require.Nil(t, c.Session())
	require.Nil(t, c.Targets())
	require.False(t, c.Facts().ReadOnly)
	c.Emit("into the void")
}

// The pool of a call is known in its first event and in the outcome of a call that
// failed early.
func TestCallKnowsItsPoolFromTheFirstEvent(t *testing.T) {
	t.Parallel()
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call.Pool() == nil {
			t.Errorf("no pool at %v", e.Kind)
		}
	}})
	out := ex.Run(t.Context(), registryOf(t, inert("A")).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "A", `{`))[0]
	require.NotNil(t, out.Call.Pool())
}

// TestCallToolName: everything that is told of a call names the tool as it is called in
// rules, whatever alias the model used. The alias stands beside it.
func TestCallToolName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, spelled, input, want string
		stage                      pegboard.Stage // "" if the call succeeds
	}{
		{name: "the name", spelled: "Agent", input: `{"mode":"ok"}`, want: "Agent"},
		{name: "an alias", spelled: "Task", input: `{"mode":"ok"}`, want: "Agent"},
		{name: "invalid input", spelled: "Task", input: `{`, want: "Agent", stage: pegboard.StageDecode},
		{name: "refused by Validate", spelled: "Task", input: `{"mode":"invalid"}`, want: "Agent", stage: pegboard.StageValidate},
		{name: "denied", spelled: "Task", input: `{"mode":"denied"}`, want: "Agent", stage: pegboard.StagePermission},
		{name: "failed", spelled: "Task", input: `{"mode":"fails"}`, want: "Agent", stage: pegboard.StageCall},
		{name: "panicked", spelled: "Task", input: `{"mode":"panics"}`, want: "Agent", stage: pegboard.StageCall},
		{name: "an alias of a tool that a rule excludes", spelled: "Shell", input: `{}`, want: "Bash", stage: pegboard.StageLookup},
		{name: "a name that no tool has", spelled: "task", input: `{}`, want: "task", stage: pegboard.StageLookup},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms := rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Bash"}})
			seen := func(_ ctx, h *pegboard.HookCall) error {
				require.Equal(t, tc.want, h.Call.ToolName())
				require.Equal(t, tc.spelled, h.Call.Name)
				return nil
			}
			s := session(t, pegboard.SessionConfig{Permissions: perms, Hooks: pegboard.Hooks{
				Pre: func(ctx ctx, h *pegboard.HookCall) (policy.Decision, error) {
					return policy.Decision{}, seen(ctx, h)
				},
				Post: seen, PostFailure: seen,
			}})
			var logged, crashes strings.Builder
			log := pegboard.LogEvents(slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
			ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&crashes, nil)), OnEvent: func(e pegboard.Event) {
				require.Equal(t, tc.want, e.Call.ToolName(), e.Kind)
				require.Equal(t, tc.spelled, e.Call.Name, e.Kind)
				log(e)
			}})
			pool := registryOf(t, moody("Agent", "Task"), inert("Bash", "Shell")).AssemblePool(s, pegboard.PoolConfig{})
			o := ex.Run(t.Context(), pool, call("1", tc.spelled, tc.input))[0]

			require.Equal(t, tc.want, o.Call.ToolName())
			if tc.stage != "" {
				var ce *pegboard.CallError
				require.ErrorAs(t, o.Err, &ce)
				require.Equal(t, tc.stage, ce.Stage)
				require.Equal(t, tc.want, ce.Tool)
				if tc.want != "Bash" {
					require.Contains(t, o.Result.Text(), tc.spelled+" ", "the model is told by the name that it used")
				}
			}
			for line := range strings.Lines(logged.String()) {
				require.Contains(t, line, " tool="+tc.want+" ")
				require.Equal(t, tc.want != tc.spelled, strings.Contains(line, " as="+tc.spelled+" "), line)
			}
			require.NotContains(t, crashes.String(), "tool=Task")
		})
	}
	unadmitted := call("1", "Task", `{"mode":"ok"}`)
	require.Equal(t, "Task", unadmitted.ToolName())
	_, rebuilt, err := registryOf(t, moody("Agent", "Task")).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}).Rebuild(unadmitted)
	require.NoError(t, err)
	require.Equal(t, "Agent", rebuilt.ToolName())
}

// moody returns a tool whose calls end as their input says.
func moody(name string, aliases ...string) pegboard.Tool {
	type mood struct {
		Mode string `json:"mode"`
	}
	return pegboard.Build(pegboard.Definition[mood, string]{
		Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "Ends as it is told.",
		Validate: func(_ context.Context, in mood, _ *pegboard.Call) error {
			if in.Mode == "invalid" {
				return errors.New("the mode is invalid")
			}
			return nil
		},
		Permit: func(_ context.Context, in mood, _ *pegboard.Call) policy.Decision {
			if in.Mode == "denied" {
				return policy.Decision{Behavior: policy.Deny, Reason: "the tool does not want it"}
			}
			return policy.Decision{}
		},
		Call: func(_ context.Context, in mood, _ *pegboard.Call) (string, error) {
			switch in.Mode {
			case "fails":
				return "", errors.New("Task failed as it was told")
			case "panics":
				panic("as it was told")
			}
			return "ok", nil
		},
	})
}

func TestCallBehavior(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	tests := []struct {
		name, path string
		mode       policy.Mode
		set        policy.RuleSet
		want       policy.Behavior
	}{
		{name: "inside", path: filepath.Join(dir, "a"), want: policy.Allow},
		{name: "outside", path: filepath.Join(outside, "a"), want: policy.Ask},
		{name: "outside where nobody is asked", path: filepath.Join(outside, "a"), mode: policy.ModeDontAsk, want: policy.Deny},
		{name: "outside with an allow rule", path: filepath.Join(outside, "a"), set: policy.RuleSet{Allow: []string{"Read(/" + outside + "/**)"}}, want: policy.Allow},
		{name: "an ask rule", path: filepath.Join(dir, "a"), set: policy.RuleSet{Ask: []string{"Read(a)"}}, want: policy.Ask},
		{name: "a deny rule", path: filepath.Join(dir, "a"), set: policy.RuleSet{Deny: []string{"Read(a)"}}, want: policy.Deny},
		{name: "a deny rule outside", path: filepath.Join(outside, "a"), set: policy.RuleSet{Deny: []string{"Read(/" + outside + "/**)"}}, want: policy.Deny},
		{name: "no target", want: policy.Ask},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			target := policy.Target{Kind: policy.Path, Access: policy.Read, Value: tt.path}
			if tt.path == "" {
				target = policy.Target{}
			}
			var got policy.Behavior
			var filtered bool
			a := actor{name: "T", traits: readsData, call: func(_ ctx, c *pegboard.Call) error {
				got, filtered = c.Behavior(target), c.Filter(target)
				return nil
			}}
			var questions []*pegboard.Question
			pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Ask: answering(&questions, policy.Decision{}, nil)}))
			require.NoError(t, pool.Session().SetPermissions(rules(t, tt.mode, tt.set)))
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", ``))[0].Err)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.want == policy.Allow, filtered)
			require.Empty(t, questions)
		})
	}
	require.Equal(t, policy.Deny, new(pegboard.Call).Behavior(policy.Target{Kind: policy.Path, Value: "."}))
}

// TestCallRun: the calls that a call makes are decided and ordered like any other, know
// their parent, and reach the tools of the pool and those that REPL mode hides.
func TestCallRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		tool  string // that makes the calls
		pool  pegboard.PoolConfig
		deny  []string
		inner pegboard.Call
		want  string // what the inner call returns
		err   error
	}{
		{name: "a tool of the pool", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Own"}, want: "own"},
		{name: "itself", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Script"}, err: pegboard.ErrUnknownTool},
		{name: "unknown", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Nothing"}, err: pegboard.ErrUnknownTool},
		{name: "bad input", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Own", Input: []byte(`{"a":1}`)}, err: pegboard.ErrInvalidInput},
		{name: "denied", tool: "Script", deny: []string{"Own(x:1)", "Read"}, inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrDenied},
		{name: "not allowed", tool: "Script", inner: pegboard.Call{ID: "in", Name: "Unruled"}, err: pegboard.ErrDenied},
		{name: "hidden in REPL mode", tool: "REPL", pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}, inner: pegboard.Call{ID: "in", Name: "Read"}, want: "read"},
		{name: "hidden, for another tool", tool: "Script", pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}, inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrUnknownTool},
		{name: "REPL in REPL", tool: "REPL", pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}}, inner: pegboard.Call{ID: "in", Name: "REPL"}, err: pegboard.ErrUnknownTool},
		{
			name: "kept out by the host", tool: "REPL", inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrUnknownTool,
			pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}, Restrictions: []pegboard.Restriction{{Without: []string{"Read"}}}},
		},
		{
			name: "denied by name in REPL mode", tool: "REPL", deny: []string{"Read"}, inner: pegboard.Call{ID: "in", Name: "Read"}, err: pegboard.ErrDenied,
			pool: pegboard.PoolConfig{Gates: pegboard.Gates{REPL: true}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			perms, err := policy.New(policy.ModeDefault, policy.RuleSet{
				Allow: []string{"Script", "REPL", "Own", "Read"}, Deny: tt.deny,
			})
			require.NoError(t, err)
			s := session(t, pegboard.SessionConfig{Permissions: perms})
			tool, outcomes := script(tt.tool, tt.inner)
			var reg pegboard.Registry
			require.NoError(t, reg.Add(tool, plain("Own", says("own")), plain("Read", says("read")), plain("Unruled", says("unruled"))))
			if tt.tool != "REPL" {
				require.NoError(t, reg.Add(plain("REPL", says("repl"))))
			}
			pool := reg.AssemblePool(s, tt.pool)
			parents := map[string]string{}
			e := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if p := e.Call.Parent(); p != nil {
					parents[e.Call.ID] = p.ID
				}
			}})
			outer := e.Run(t.Context(), pool, pegboard.Call{ID: "out", Name: tt.tool})
			require.NoError(t, outer[0].Err)
			require.Len(t, *outcomes, 1)
			inner := (*outcomes)[0]
			require.Equal(t, map[string]string{"in": "out"}, parents)
			require.Nil(t, outer[0].Call.Parent())
			if tt.err != nil {
				require.ErrorIs(t, inner.Err, tt.err)
				return
			}
			require.NoError(t, inner.Err)
			require.Equal(t, tt.want, inner.Result.Text())
		})
	}
}

// TestCallRunNeedsARunningCall: it answers with a denial before the call is admitted,
// and after it has ended.
func TestCallRunNeedsARunningCall(t *testing.T) {
	t.Parallel()
	ran := false
	var kept *pegboard.Call
	keep := plain("Keep", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		kept = c
		return "", nil
	})
	own := plain("Own", func(context.Context, struct{}, *pegboard.Call) (string, error) {
		ran = true
		return "", nil
	})
	perms, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Keep", "Own"}})
	require.NoError(t, err)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(keep, own))
	pool := reg.AssemblePool(session(t, pegboard.SessionConfig{Permissions: perms}), pegboard.PoolConfig{})
	e := executor(pegboard.Executor{})
	require.NoError(t, e.Run(t.Context(), pool, pegboard.Call{ID: "1", Name: "Keep"})[0].Err)
	for _, c := range []*pegboard.Call{kept, {Name: "Keep"}} {
		out := c.Run(t.Context(), pegboard.Call{ID: "2", Name: "Own"}, pegboard.Call{ID: "3", Name: "Own"})
		require.Len(t, out, 2)
		for _, o := range out {
			require.ErrorIs(t, o.Err, pegboard.ErrDenied)
			require.True(t, o.Result.IsError)
		}
	}
	require.False(t, ran)
}

func TestPathTargetFindsWhatWasDecided(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "real.txt"), []byte("x"), 0o600))
	require.NoError(t, os.Symlink("real.txt", filepath.Join(dir, "link.txt")))
	path := func(a policy.Access, value string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: a, Value: value}
	}
	tests := []struct {
		name   string
		access policy.Access
		path   string
		want   string // the location
		says   string // of the error
	}{
		{name: "as the tool wrote it", access: policy.Write, path: "out.txt", want: "out.txt"},
		{name: "in other words", access: policy.Write, path: "./a/../out.txt", want: "out.txt"},
		{name: "absolute", access: policy.Write, path: filepath.Join(dir, "out.txt"), want: "out.txt"},
		{name: "the second of two", access: policy.Read, path: "link.txt", want: "real.txt"},
		{name: "another access of a target", access: policy.Write, path: "link.txt", says: "no rule allows it"},
		{name: "no target, but allowed", access: policy.Read, path: "real.txt", want: "real.txt"},
		{name: "no target and denied", access: policy.Read, path: "secret.txt", says: "deny rule"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Dir: dir, Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Edit(/out.txt)", "Read(/*)"}, Deny: []string{"Read(secret.txt)"}})})
			var found policy.Target
			var failed error
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T"}, Description: "d",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Targets: []policy.Target{path(policy.Write, "out.txt"), path(policy.Read, "link.txt")}}
				},
				Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
					found, failed = c.PathTarget(ctx, tc.access, tc.path)
					return "", nil
				},
			})
			var reg pegboard.Registry
			require.NoError(t, reg.Add(tool))
			require.NoError(t, run(t, &reg, s, pegboard.Call{Name: "T"}).Err)
			if tc.says != "" {
				require.ErrorIs(t, failed, pegboard.ErrDenied)
				require.ErrorContains(t, failed, tc.says)
				require.Zero(t, found)
				return
			}
			require.NoError(t, failed)
			real, err := filepath.EvalSymlinks(dir)
			require.NoError(t, err)
			require.Equal(t, filepath.Join(real, tc.want), found.Real())
		})
	}
}

func TestPathTargetWithoutAnExecutor(t *testing.T) {
	t.Parallel()
	_, err := (&pegboard.Call{}).PathTarget(t.Context(), policy.Read, "a")
	require.ErrorIs(t, err, pegboard.ErrDenied)
}

// TestIdentityTellsCallsApart whose ids are equal or missing, whose tool is unknown, that
// wait for each other, and that another call makes.
func TestIdentityTellsCallsApart(t *testing.T) {
	t.Parallel()
	hooked := map[any]int{}
	cfg := bypass(t)
	cfg.Hooks.Pre = func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		if h.Call.Identity() != h.Identity() {
			return policy.Decision{Behavior: policy.Deny}, nil
		}
		hooked[h.Identity()]++
		return policy.Decision{}, nil
	}
	waiting := make(chan struct{})
	var parent, child any
	tool := func(name string, f func(ctx context.Context, c *pegboard.Call)) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "For a test.",
			Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
				f(ctx, c)
				return "", nil
			},
		})
	}
	pool := registryOf(t,
		tool("Outer", func(ctx context.Context, c *pegboard.Call) {
			<-waiting
			c.Run(ctx, call("", "Inner", `{}`))
		}),
		tool("Inner", func(_ context.Context, c *pegboard.Call) {
			if c.Parent() != nil {
				parent, child = c.Parent().Identity(), c.Identity()
			}
		}),
	).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	events := map[any][]pegboard.EventKind{}
	var order, held []any
	var mu sync.Mutex // batches do not wait for each other
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		mu.Lock()
		defer mu.Unlock()
		id := e.Call.Identity()
		switch e.Kind {
		case pegboard.EventAdmitted:
			order = append(order, id)
		case pegboard.EventWaiting:
			if held = append(held, e.WaitsFor.Identity()); len(held) == 1 {
				close(waiting)
			}
		}
		events[id] = append(events[id], e.Kind)
	}})
	outs := ex.Run(t.Context(), pool, call("1", "Outer", `{}`), call("1", "Outer", `{}`), call("", "Inner", `{}`), call("", "Nothing", `{}`))
	require.NoError(t, outs[0].Err)
	require.Len(t, events, 5)
	require.NotContains(t, events, any(nil))
	for _, kinds := range events {
		require.Equal(t, pegboard.EventAdmitted, kinds[0])
		require.Equal(t, pegboard.EventFinished, kinds[len(kinds)-1])
		require.NotContains(t, kinds[1:len(kinds)-1], pegboard.EventFinished)
	}
	require.Same(t, order[0], parent, "the call that makes another one")
	require.Same(t, order[4], child, "the call that it makes")
	require.Same(t, order[0], held[0], "the call that another one waits for")
	require.Len(t, hooked, 3)

	var none pegboard.Call
	require.Nil(t, none.Identity())
	_, rebuilt, err := pool.Rebuild(call("1", "Inner", `{}`))
	require.NoError(t, err)
	require.Nil(t, rebuilt.Identity())
}

// TestNamesTool knows names and aliases of tools, also of those that are left out.
func TestNamesTool(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	perms, err := cfg.Permissions.WithRules(policy.RuleSet{Deny: []string{"Hidden"}})
	require.NoError(t, err)
	cfg.Permissions = perms
	tool := func(name string, aliases ...string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name, Aliases: aliases}, Description: "For a test.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil },
		})
	}
	pool := registryOf(t, tool("Shown", "S"), tool("Hidden", "H")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	want := map[string]bool{"Shown": true, "S": true, "Hidden": true, "H": true, "shown": false, "secret words": false}
	got := map[string]bool{}
	ex := executor(pegboard.Executor{})
	for name := range want {
		got[name] = ex.Run(t.Context(), pool, call("1", name, `{}`))[0].Call.NamesTool()
	}
	require.Equal(t, want, got)
	c := call("1", "Anything", `{}`)
	require.True(t, c.NamesTool(), "a call of the host")
}

// observed is a tool that notes what f reads of its call in each stage.
func observed(name string, f func(c *pegboard.Call) any, notes map[string]any) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: name}, Description: "For a test.",
		Inspect: func(_ struct{}, c *pegboard.Call) pegboard.Traits {
			notes[name+" Inspect"] = f(c)
			return pegboard.Traits{}
		},
		Validate: func(_ context.Context, _ struct{}, c *pegboard.Call) error {
			notes[name+" Validate"] = f(c)
			return nil
		},
		Permit: func(_ context.Context, _ struct{}, c *pegboard.Call) policy.Decision {
			notes[name+" Permit"] = f(c)
			return policy.Decision{}
		},
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			notes[name+" Call"] = f(c)
			if name == "Outer" {
				c.Run(ctx, call("inner", "Inner", `{}`))
			}
			return "", nil
		},
	})
}

// TestCallKnowsTheMessageThatAsked in all stages, also a call that another one makes.
func TestCallKnowsTheMessageThatAsked(t *testing.T) {
	t.Parallel()
	type message struct{ id string }
	notes := map[string]any{}
	f := func(c *pegboard.Call) any { return c.Message() }
	pool := registryOf(t, observed("Outer", f, notes), observed("Inner", f, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	want := map[string]any{}
	m := &message{"msg_1"}
	for _, tool := range []string{"Outer", "Inner"} {
		for _, stage := range []string{"Inspect", "Validate", "Permit", "Call"} {
			want[tool+" "+stage] = m
		}
	}
	ex := executor(pegboard.Executor{})
	outs := ex.Run(pegboard.WithMessage(t.Context(), m), pool, call("1", "Outer", `{}`))
	require.NoError(t, outs[0].Err)
	require.Equal(t, want, notes)
	require.Same(t, m, outs[0].Call.Message())

	clear(notes)
	st := ex.Stream(pegboard.WithMessage(t.Context(), m), pool)
	st.Submit(call("1", "Outer", `{}`))
	st.Finish(pegboard.FinishToolCalls)
	for o := range st.Outcomes() {
		require.NoError(t, o.Err)
	}
	require.Equal(t, want, notes)
}

// TestCallWithoutAMessage has none: the host gave none, no executor admitted it, or it was
// made again elsewhere.
func TestCallWithoutAMessage(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	pool := registryOf(t, observed("T", func(c *pegboard.Call) any { return c.Message() }, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err)
	require.Equal(t, map[string]any{"T Inspect": nil, "T Validate": nil, "T Permit": nil, "T Call": nil}, notes)

	bare := call("1", "T", `{}`)
	require.Nil(t, bare.Message())
	_, again, err := pool.Rebuild(bare)
	require.NoError(t, err)
	require.Nil(t, again.Message())
	require.Nil(t, again.Parent())
}

// TestAgentInsideACallHasMessagesOfItsOwn: the message of the outer agent is not that of the
// calls of an agent that a tool runs.
func TestAgentInsideACallHasMessagesOfItsOwn(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	ex := executor(pegboard.Executor{})
	inner := registryOf(t, observed("T", func(c *pegboard.Call) any { return c.Message() }, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	agent := plain("Agent", func(ctx context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
		ex.Run(ctx, inner, call("1", "T", `{}`))
		return "", nil
	})
	outer := registryOf(t, agent).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	require.NoError(t, ex.Run(pegboard.WithMessage(t.Context(), "outer"), outer, call("1", "Agent", `{}`))[0].Err)
	require.Contains(t, notes, "T Call")
	require.Nil(t, notes["T Call"])
}

// TestOuterCallIsKnownInEachStage of a call that another one makes.
func TestOuterCallIsKnownInEachStage(t *testing.T) {
	t.Parallel()
	notes := map[string]any{}
	f := func(c *pegboard.Call) any {
		if c.Parent() == nil {
			return nil
		}
		return c.Parent().ID
	}
	pool := registryOf(t, observed("Outer", f, notes), observed("Inner", f, notes)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	require.NoError(t, executor(pegboard.Executor{}).Run(t.Context(), pool, call("out", "Outer", `{}`))[0].Err)
	require.Equal(t, map[string]any{
		"Outer Inspect": nil, "Outer Validate": nil, "Outer Permit": nil, "Outer Call": nil,
		"Inner Inspect": "out", "Inner Validate": "out", "Inner Permit": "out", "Inner Call": "out",
	}, notes)
}

// TestTurnOfACall is that of the message, in a session that suspends and in any other. A call
// inside another one has none.
func TestTurnOfACall(t *testing.T) {
	t.Parallel()
	turns := func(cfg pegboard.SessionConfig, ctx context.Context) (of map[string]any) {
		of = map[string]any{}
		inner := observed("Inner", func(c *pegboard.Call) any { return c.Turn() }, of)
		outer := plain("Outer", func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			of["Outer"] = c.Turn()
			return "", c.Run(ctx, call("1", "Inner", `{}`))[0].Err
		})
		cfg.Permissions = bypass(t).Permissions
		ex := executor(pegboard.Executor{})
		require.NoError(t, ex.Run(ctx, registryOf(t, inner, outer).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Outer", `{}`))[0].Err)
		require.Empty(t, of["Inner Call"])
		return of
	}
	named := pegboard.WithTurn(t.Context(), "m7")
	require.Empty(t, turns(pegboard.SessionConfig{}, t.Context())["Outer"])
	require.Equal(t, "m7", turns(pegboard.SessionConfig{}, named)["Outer"])
	journal, err := pegboard.NewFileJournal(t.TempDir())
	require.NoError(t, err)
	suspends := func() pegboard.SessionConfig {
		return pegboard.SessionConfig{ID: "s", Suspend: &pegboard.Suspending{Key: bytes.Repeat([]byte("k"), 32), Journal: journal}}
	}
	require.Equal(t, "m7", turns(suspends(), named)["Outer"])
	require.NotEmpty(t, turns(suspends(), t.Context())["Outer"], "the name that was made")
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.Turn())
}

// TestStableIDOfACall is the same in another process with the same ids, and another one for
// anything that differs. The bytes are those of records that exist.
func TestStableIDOfACall(t *testing.T) {
	t.Parallel()
	var inside string
	id := func(ctx context.Context, cfg pegboard.SessionConfig, c pegboard.Call) (got string) {
		cfg.Permissions = bypass(t).Permissions
		inner := plain("Inner", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			inside += c.StableID()
			return "", nil
		})
		outer := plain("Outer", func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			got = c.StableID()
			return "", c.Run(ctx, call("1", "Inner", `{}`))[0].Err
		})
		require.NoError(t, executor(pegboard.Executor{}).Run(ctx, registryOf(t, outer, inner).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), c)[0].Err)
		return got
	}
	named := pegboard.WithTurn(t.Context(), "m7")
	of := pegboard.SessionConfig{ID: "conversation"}
	require.Equal(t, "017286b410352965544a0276e470d29e1cbec9f8", id(named, of, call("1", "Outer", `{}`)))
	others := map[string]bool{
		id(named, of, call("1", "Outer", `{}`)):                                  true,
		id(named, of, call("2", "Outer", `{}`)):                                  true,
		id(t.Context(), of, call("1", "Outer", `{}`)):                            true,
		id(named, pegboard.SessionConfig{ID: "other"}, call("1", "Outer", `{}`)): true,
	}
	require.Len(t, others, 4)
	require.Empty(t, id(named, of, call("", "Outer", `{}`)))
	require.Empty(t, id(named, pegboard.SessionConfig{}, call("1", "Outer", `{}`)))
	require.Empty(t, inside, "of calls inside another one")
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.StableID())
}

// TestProgressOfARebuiltCall goes to the func that its maker has set. That of a call of an
// executor goes to its listener, whatever a tool does.
func TestProgressOfARebuiltCall(t *testing.T) {
	t.Parallel()
	reports := func(got *[]any) func(string, any) {
		return func(text string, data any) { *got = append(*got, text, data) }
	}
	var stolen []any
	tool := plain("T", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		c.OnProgress(reports(&stolen))
		c.Emit("half")
		c.EmitData("all", 2)
		return "done", nil
	})
	pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})

	var events []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			events = append(events, e.Text)
		}
	}})
	require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err)
	require.Equal(t, []string{"half", "all"}, events)
	require.Empty(t, stolen)

	quiet := plain("T", func(_ context.Context, _ struct{}, c *pegboard.Call) (string, error) {
		c.Emit("half")
		c.EmitData("all", 2)
		return "done", nil
	})
	pool = registryOf(t, quiet).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	made, c, err := pool.Rebuild(call("1", "T", `{}`))
	require.NoError(t, err)
	_, err = made.Call(t.Context(), c)
	require.NoError(t, err, "no one listens")
	var got []any
	c.OnProgress(reports(&got))
	_, err = made.Call(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []any{"half", nil, "all", 2}, got)

	bare := call("1", "T", `{}`)
	bare.OnProgress(reports(&got))
	bare.Emit("unheard")
	require.Len(t, got, 4)
}

// TestToolDigest is equal where the same inputs are accepted.
func TestToolDigest(t *testing.T) {
	t.Parallel()
	digest := func(name string, tools ...pegboard.Tool) string {
		_, c, err := registryOf(t, tools...).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}).Rebuild(call("1", name, `{}`))
		require.NoError(t, err)
		return c.ToolDigest()
	}
	type one struct {
		A string `json:"a,omitempty"`
	}
	type other struct {
		A string `json:"a,omitempty" jsonschema:"maxLength=3"`
	}
	first := accepting("T", func(context.Context, one, *pegboard.Call) (string, error) { return "", nil })
	require.Len(t, digest("T", first), 64)
	require.Equal(t, digest("T", first), digest("T", accepting("T", func(context.Context, one, *pegboard.Call) (string, error) { return "other code", nil })))
	require.NotEqual(t, digest("T", first), digest("T", accepting("T", func(context.Context, other, *pegboard.Call) (string, error) { return "", nil })))
	require.NotEqual(t, digest("T", first), digest("U", accepting("U", func(context.Context, one, *pegboard.Call) (string, error) { return "", nil })))
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.ToolDigest())

	var seen string
	ex := executor(pegboard.Executor{Invoke: func(_ context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		seen = c.ToolDigest()
		return pegboard.TextResult("done"), nil
	}})
	require.NoError(t, ex.Run(t.Context(), registryOf(t, first).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("1", "T", `{}`))[0].Err)
	require.Equal(t, digest("T", first), seen)
}

// TestInfoOfACall has what the registry knows of an attached tool.
func TestInfoOfACall(t *testing.T) {
	t.Parallel()
	registry := registryOf(t, accepting("T", func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil }))
	_, err := registry.Attach("graphics", accepting("draw it", func(context.Context, struct{}, *pegboard.Call) (string, error) { return "", nil }))
	require.NoError(t, err)
	pool := registry.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	_, own, err := pool.Rebuild(call("1", "T", `{}`))
	require.NoError(t, err)
	require.Equal(t, "T", own.Info().Name)
	require.False(t, own.Info().Origin.External())
	_, theirs, err := pool.Rebuild(call("1", "mcp__graphics__draw_it", `{}`))
	require.NoError(t, err)
	require.Equal(t, "mcp__graphics__draw_it", theirs.Info().Name)
	require.Equal(t, pegboard.Origin{Source: "graphics", Tool: "draw it"}, theirs.Info().Origin)
	bare := call("1", "T", `{}`)
	require.Empty(t, bare.Info().Name)
}

// accepting returns a tool with the input In.
func accepting[In any](name string, call func(context.Context, In, *pegboard.Call) (string, error)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[In, string]{Info: pegboard.Info{Name: name}, Description: "For a test.", Call: call})
}

type sentInput struct {
	Text string `json:"text"`
	N    int    `json:"n,omitempty"`
}

// TestSent is about each of those that can replace an input, alone and after another.
func TestSent(t *testing.T) {
	t.Parallel()
	const wrote, changed, again = `{"text": "the model's"}`, `{"text":"other"}`, `{"text":"another"}`
	hook := func(input string) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if string(h.Call.Input) == wrote {
				return policy.Decision{Input: json.RawMessage(input)}, nil
			}
			copy(h.Call.Input, "scribble") // its own copy
			return policy.Decision{}, nil
		}}
	}
	person := func(input string) pegboard.Asker {
		return alwaysSays(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(input)})
	}
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		repair pegboard.Repair
		wrote  string
		own    string // what the tool's Permit makes of the model's input
		input  string
		sent   string
	}{
		{name: "nobody", cfg: pegboard.SessionConfig{Ask: person("")}, wrote: wrote, input: wrote, sent: wrote},
		{name: "a person", cfg: pegboard.SessionConfig{Ask: person(changed)}, wrote: wrote, input: changed, sent: wrote},
		{name: "a hook", cfg: pegboard.SessionConfig{Ask: person(""), Hooks: hook(changed)}, wrote: wrote, input: changed, sent: wrote},
		{name: "a hook, then a person", cfg: pegboard.SessionConfig{Ask: person(again), Hooks: hook(changed)}, wrote: wrote, input: again, sent: wrote},
		{name: "a hook, and a person changes it back", cfg: pegboard.SessionConfig{Ask: person(wrote), Hooks: pegboard.Hooks{Pre: firstOnly(changed)}}, wrote: wrote, input: wrote, sent: wrote},
		{name: "the tool", cfg: pegboard.SessionConfig{Ask: person("")}, wrote: wrote, own: changed, input: changed, sent: wrote},
		{name: "a guard", cfg: pegboard.SessionConfig{Ask: person(""), Guard: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Input: json.RawMessage(changed)}, nil
		}}, wrote: wrote, input: changed, sent: wrote},
		{name: "a repair is the model's", cfg: pegboard.SessionConfig{Ask: person("")}, wrote: `{"text":"a","n":"3"}`, input: `{"text":"a","n":3}`, sent: `{"text":"a","n":3}`},
		{name: "a repair, then a person", cfg: pegboard.SessionConfig{Ask: person(changed)}, wrote: `{"text":"a","n":"3"}`, input: changed, sent: `{"text":"a","n":3}`},
		{name: "the answer is repaired", cfg: pegboard.SessionConfig{Ask: person(changed), Hooks: hook(`{"text":"b","n":"4"}`)}, wrote: wrote, input: changed, sent: wrote},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var input, sent, before string
			tool := pegboard.Build(pegboard.Definition[sentInput, string]{
				Info: pegboard.Info{Name: "T"}, Description: "For a test.",
				Permit: func(_ ctx, _ sentInput, c *pegboard.Call) policy.Decision {
					before = string(c.Sent())
					if tc.own != "" && string(c.Input) == wrote {
						return policy.Decision{Input: json.RawMessage(tc.own)}
					}
					return policy.Decision{}
				},
				Call: func(_ ctx, _ sentInput, c *pegboard.Call) (string, error) {
					input, sent = string(c.Input), string(c.Sent())
					copy(c.Sent(), "scribble")
					require.Equal(t, sent, string(c.Sent()))
					return "done", nil
				},
			})
			ex := executor(pegboard.Executor{Repair: tc.repair})
			pool := registryOf(t, tool).AssemblePool(session(t, tc.cfg), pegboard.PoolConfig{})
			out := ex.Run(t.Context(), pool, call("1", "T", tc.wrote))[0]
			require.NoError(t, out.Err)
			require.JSONEq(t, tc.input, input)
			require.Equal(t, tc.sent, sent)
			require.Equal(t, tc.sent, before)
			require.Equal(t, tc.sent, string(out.Call.Sent()))
		})
	}
}

// firstOnly returns a hook that replaces the first input it sees.
func firstOnly(input string) func(ctx, *pegboard.HookCall) (policy.Decision, error) {
	first := true
	return func(ctx, *pegboard.HookCall) (d policy.Decision, err error) {
		if first {
			d.Input = json.RawMessage(input)
		}
		first = false
		return d, nil
	}
}

// TestSentOfACallOutside: a call that no executor has admitted, one that was never decoded, and
// one that was made again, have one input only.
func TestSentOfACallOutside(t *testing.T) {
	t.Parallel()
	bare := call("1", "T", `{"a":1}`)
	require.JSONEq(t, `{"a":1}`, string(bare.Sent()))
	require.Nil(t, (&pegboard.Call{}).Sent())

	pool := registryOf(t, inert("T")).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	_, made, err := pool.Rebuild(call("1", "T", `{}`))
	require.NoError(t, err)
	require.Equal(t, "{}", string(made.Sent()))

	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, call("1", "Unknown", `{"x`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrUnknownTool)
	require.Equal(t, `{"x`, string(out.Call.Sent()))
}
