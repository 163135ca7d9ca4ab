package pegboard_test

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// listing is the input of a tool that takes paths from /work.
type listing struct {
	Path  string `json:"path,omitempty"`
	Depth int    `json:"depth,omitempty" jsonschema:"default=3"`
	Sort  string `json:"sort,omitempty"`
}

// lister returns a tool whose paths are absolute where they are observed, and that adds
// the name of the last folder. Asked counts how often it was asked.
func lister(asked *atomic.Int32, change func(*pegboard.Definition[listing, string])) pegboard.Tool {
	d := pegboard.Definition[listing, string]{
		Info: pegboard.Info{Name: "ListFolder"}, Description: "Lists a folder.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "disk"}}},
		Observe: func(in listing, _ *pegboard.Call) map[string]any {
			asked.Add(1)
			abs := in.Path
			if !path.IsAbs(abs) {
				abs = path.Join("/work", abs)
			}
			return map[string]any{"path": abs, "name": path.Base(abs)}
		},
		Call: func(_ ctx, _ listing, c *pegboard.Call) (string, error) { return string(c.Input), nil },
	}
	if change != nil {
		change(&d)
	}
	return pegboard.Build(d)
}

func TestObserved(t *testing.T) {
	t.Parallel()
	raw := served(t, `{"type":"object","properties":{"a":{"type":"string","default":"<x>"},"b":{"type":"integer"}}}`)
	var asked atomic.Int32
	tests := []struct {
		name        string
		tool        pegboard.Tool
		input, want string
	}{
		{name: "a path and a default", tool: lister(&asked, nil), input: `{ "path" : "src" }`, want: `{"path":"/work/src","depth":3,"name":"src"}`},
		{name: "nothing given", tool: lister(&asked, nil), input: ``, want: `{"depth":3,"name":"work","path":"/work"}`},
		{name: "everything given", tool: lister(&asked, nil), input: `{"depth":1,"path":"/etc","sort":"\u0061"}`, want: `{"depth":1,"path":"/etc","sort":"\u0061","name":"etc"}`},
		{
			name: "nothing to add", input: `{ "path":"/etc", "depth":3 }`, want: `{ "path":"/etc", "depth":3 }`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(in listing, _ *pegboard.Call) map[string]any { return map[string]any{"path": in.Path} }
			}),
		},
		{name: "a raw tool", tool: raw, input: `{"b":1}`, want: `{"b":1,"a":"<x>"}`},
		{name: "a raw tool that was given everything", tool: raw, input: `{"b":1, "a":null}`, want: ``},
		{name: "another raw tool", tool: raw, input: ` {"a":"y"} `, want: ` {"a":"y"} `},
		{
			name: "values of all kinds", input: `{}`, want: `{"depth":3,"a":"<&>","b":[1,null],"c":{"d":true}}`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(listing, *pegboard.Call) map[string]any {
					return map[string]any{"a": "<&>", "b": []any{1, nil}, "c": map[string]bool{"d": true}}
				}
			}),
		},
		{
			name: "a panic", input: `{"path":"src"}`, want: `{"path":"src","depth":3}`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(listing, *pegboard.Call) map[string]any { panic("oh") }
			}),
		},
		{
			name: "no JSON", input: `{"path":"src"}`, want: `{"path":"src","depth":3}`,
			tool: lister(&asked, func(d *pegboard.Definition[listing, string]) {
				d.Observe = func(listing, *pegboard.Call) map[string]any { return map[string]any{"path": "x", "f": func() {}} }
			}),
		},
		{
			name: "bound properties stay hidden", input: `{"sort":"up"}`, want: `{"sort":"up","name":"secret"}`,
			tool: bind(t, lister(&asked, nil), map[string]pegboard.Binding{"depth": constantly(7), "path": constantly("secret")}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, c, err := registryOf(t, tt.tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}).Rebuild(call("1", tt.tool.Info().Name, tt.input))
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, string(c.Observed()))
			require.Equal(t, tt.want, string(c.Observed()))
			require.Equal(t, tt.input, string(c.Input))
			c.Observed()[0] = 'x'
			require.Equal(t, tt.want, string(c.Observed()), "it is a copy")
		})
	}
	loose := call("1", "ListFolder", `{"path":"src"}`)
	require.Equal(t, `{"path":"src"}`, string(loose.Observed()), "nobody knows its tool")
}

// TestObservedByThoseWhoWatch shows hooks, listeners and the user the same, and the tool and
// the outcome what the model wrote.
func TestObservedByThoseWhoWatch(t *testing.T) {
	t.Parallel()
	const written, seen = `{"path": "src"}`, `{"path":"/work/src","depth":3,"name":"src"}`
	var asked atomic.Int32
	var mu sync.Mutex
	saw := map[string]string{}
	see := func(who string, c *pegboard.Call) {
		mu.Lock()
		defer mu.Unlock()
		saw[who] = string(c.Observed())
		if string(c.Input) != written {
			saw[who] = "the input is " + string(c.Input)
		}
	}
	cfg := pegboard.SessionConfig{
		Permissions: rules(t, "", pegboard.RuleSet{Ask: []string{"ListFolder"}}),
		Hooks: pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				see("Pre", h.Call)
				return pegboard.Decision{}, nil
			},
			Permission: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
				see("Permission", q.Call)
				return pegboard.Decision{}, nil
			},
			Post:  func(_ ctx, h *pegboard.HookCall) error { see("Post", h.Call); return nil },
			Batch: func(_ ctx, outs []pegboard.Outcome) error { see("Batch", outs[0].Call); return nil },
		},
		Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			see("Ask", q.Call)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		},
	}
	pool := registryOf(t, lister(&asked, nil)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { see(e.Kind.String(), e.Call) }})
	out := ex.Run(t.Context(), pool, call("1", "ListFolder", written))[0]
	require.NoError(t, out.Err)
	require.Equal(t, written, out.Result.Text(), "the tool's input")
	see("Outcome", out.Call)
	require.Equal(t, written, saw["admitted"], "it was not decoded yet")
	delete(saw, "admitted")
	for who, what := range saw {
		require.Equal(t, seen, what, who)
	}
	require.Subset(t, slices.Collect(maps.Keys(saw)), []string{"Pre", "Permission", "Post", "Batch", "Ask", "Outcome", "asked", "settled", "decided", "started", "finished"})
	require.Equal(t, int32(1), asked.Load(), "it is made once")
}

// TestObservedIsMadeWhenItIsAskedFor: a call that nobody observes costs nothing.
func TestObservedIsMadeWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"Other(path:/work)", "Edit(/x)"}, Ask: []string{"Bash"}})})
	pool := registryOf(t, lister(&asked, nil)).AssemblePool(s, pegboard.PoolConfig{})
	out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", `{}`))[0]
	require.NoError(t, out.Err)
	require.Zero(t, asked.Load())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { require.JSONEq(t, `{"path":"/work","depth":3,"name":"work"}`, string(out.Call.Observed())) })
	}
	group.Wait()
}

// TestRulesSeeWhatIsObserved compares deny and ask rules on parameters with both forms.
func TestRulesSeeWhatIsObserved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		rule  string
		allow bool
		input string
		want  bool // it matches
	}{
		{name: "the literal input", rule: "ListFolder(path:src)", input: `{"path":"src"}`, want: true},
		{name: "the observed input", rule: "ListFolder(path:/work/*)", input: `{"path":"src"}`, want: true},
		{name: "neither", rule: "ListFolder(path:/etc/*)", input: `{"path":"src"}`},
		{name: "what the model left out", rule: "ListFolder(path:/work)", input: `{}`, want: true},
		{name: "a default", rule: "ListFolder(depth:3)", input: `{}`, want: true},
		{name: "a default that was not used", rule: "ListFolder(depth:3)", input: `{"depth":2}`},
		{name: "a property that is only observed", rule: "ListFolder(name:src)", input: `{"path":"src"}`, want: true},
		{name: "another value of it", rule: "ListFolder(name:dst)", input: `{"path":"src"}`},
		{name: "an allow rule compares nothing", rule: "ListFolder(path:/work/*)", allow: true, input: `{"path":"src"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			tool := lister(&asked, func(d *pegboard.Definition[listing, string]) { d.Traits.OpenWorld = true })
			decide := func(mode pegboard.Mode, set pegboard.RuleSet) pegboard.Behavior {
				s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, set)})
				return registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}).Decide(t.Context(), call("1", "ListFolder", tt.input)).Behavior
			}
			if tt.allow {
				require.Equal(t, pegboard.Ask, decide("", pegboard.RuleSet{Allow: []string{tt.rule}}))
				return
			}
			deny, ask := pegboard.Allow, pegboard.Allow
			if tt.want {
				deny, ask = pegboard.Deny, pegboard.Ask
			}
			require.Equal(t, deny, decide(pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{tt.rule}}))
			require.Equal(t, ask, decide(pegboard.ModeBypass, pegboard.RuleSet{Ask: []string{tt.rule}}))
		})
	}
}

// TestRulesWhenNobodyKnowsWhatIsObserved: such a call is never allowed past a rule on a
// parameter.
func TestRulesWhenNobodyKnowsWhatIsObserved(t *testing.T) {
	t.Parallel()
	tool := lister(new(atomic.Int32), func(d *pegboard.Definition[listing, string]) {
		d.Observe = func(listing, *pegboard.Call) map[string]any { panic("oh") }
	})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"ListFolder(path:/etc/*)"}})})
	pool := registryOf(t, tool, inert("Other")).AssemblePool(s, pegboard.PoolConfig{})
	outs := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", `{"path":"src"}`), call("2", "Other", `{}`))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
	require.NoError(t, outs[1].Err)
}

// TestHooksReturnWhatTheyObserved replaces the input of calls by what hooks and the user make
// of the observed one.
func TestHooksReturnWhatTheyObserved(t *testing.T) {
	t.Parallel()
	const written = `{"path": "src"}`
	tests := []struct {
		name   string
		change func(observed string) string
		want   string // the input that runs
		times  int    // how often a hook saw the call
	}{
		{name: "unchanged", change: func(o string) string { return o }, want: written, times: 1},
		{name: "nothing", change: func(string) string { return "" }, want: written, times: 1},
		{name: "the model's bytes", change: func(string) string { return written }, want: written, times: 1},
		{
			name:   "one property changed", // what was only observed is not part of the input
			change: func(o string) string { return with(o, "depth", 1) }, want: `{"depth":1,"path":"/work/src"}`, times: 2,
		},
		{
			name:   "what is only observed was changed", // the schema does not have it
			change: func(o string) string { return with(o, "name", "dst") }, times: 1,
		},
	}
	for _, tt := range tests {
		for _, who := range []string{"Pre", "joined", "Permission", "Ask", "Permit"} {
			t.Run(tt.name+" by "+who, func(t *testing.T) {
				t.Parallel()
				var times int
				say := func(b pegboard.Behavior) func(c *pegboard.Call) (pegboard.Decision, error) {
					return func(c *pegboard.Call) (pegboard.Decision, error) {
						times++
						d := pegboard.Decision{Behavior: b}
						if times == 1 {
							d.Input = json.RawMessage(tt.change(string(c.Observed())))
						}
						return d, nil
					}
				}
				pre := func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) { return say(0)(h.Call) }
				answer := func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) { return say(pegboard.Allow)(q.Call) }
				cfg := pegboard.SessionConfig{Permissions: rules(t, "", pegboard.RuleSet{Ask: []string{"ListFolder"}})}
				want := tt.times
				tool := lister(new(atomic.Int32), func(d *pegboard.Definition[listing, string]) {
					if who == "Permit" {
						d.Permit = func(_ ctx, _ listing, c *pegboard.Call) pegboard.Decision { d, _ := say(0)(c); return d }
					}
				})
				switch who {
				case "Pre":
					cfg = bypass(t)
					cfg.Hooks.Pre = pre
				case "joined":
					cfg = bypass(t)
					idle := pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
						return pegboard.Decision{Input: h.Call.Observed()}, nil // has not changed it either
					}}
					cfg.Hooks = pegboard.JoinHooks(pegboard.Hooks{Pre: pre}, idle)
				case "Permission":
					cfg.Hooks.Permission, want = answer, 1
				case "Ask":
					cfg.Ask, want = answer, 1
				case "Permit":
					cfg = bypass(t)
				}
				pool := registryOf(t, tool).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
				out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", written))[0]
				if tt.want == "" {
					require.Error(t, out.Err)
					require.Equal(t, 1, times)
					return
				}
				require.NoError(t, out.Err)
				require.Equal(t, tt.want, string(out.Call.Input))
				require.Equal(t, tt.want, out.Result.Text())
				require.Equal(t, want, times)
			})
		}
	}
}

// TestAHooksCopyIsNotObserved: a hook that writes into the bytes that it was given changes
// what it sees itself, and no rule.
func TestAHooksCopyIsNotObserved(t *testing.T) {
	t.Parallel()
	cfg := pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{Deny: []string{"ListFolder(path:/work/src)"}})}
	var saw string
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		copy(h.Call.Input, `{"path":"dst"}`)
		saw = string(h.Call.Observed())
		return pegboard.Decision{}, nil
	}
	pool := registryOf(t, lister(new(atomic.Int32), nil)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	out := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "ListFolder", `{"path":"src"}`))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.JSONEq(t, `{"path":"/work/dst","depth":3,"name":"dst"}`, saw)
}

// with returns a JSON object with another value of a property.
func with(object, name string, value any) string {
	var members map[string]any
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		panic(err)
	}
	members[name] = value
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(text)
}
