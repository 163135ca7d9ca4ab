package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestSelectHooksOnlyShrink: a tool stays if all hooks keep it, in the order of the
// pool.
func TestSelectHooksOnlyShrink(t *testing.T) {
	t.Parallel()
	keep := func(names ...string) pegboard.Hooks {
		return pegboard.Hooks{Select: func(*pegboard.Session, []string) []string { return names }}
	}
	tests := []struct {
		name  string
		hooks []pegboard.Hooks
		want  []string
		says  string
	}{
		{name: "none", want: []string{"A", "B", "C"}},
		{name: "one", hooks: []pegboard.Hooks{keep("C", "A")}, want: []string{"A", "C"}, says: "did not select"},
		{name: "two", hooks: []pegboard.Hooks{keep("A", "B"), keep("B", "C")}, want: []string{"B"}, says: "did not select"},
		{name: "by an alias", hooks: []pegboard.Hooks{keep("Alpha", "C")}, want: []string{"A", "C"}},
		{name: "adds nothing", hooks: []pegboard.Hooks{keep("A", "Z")}, want: []string{"A"}},
		{name: "nothing", hooks: []pegboard.Hooks{keep()}, want: []string{}},
		{name: "panics", hooks: []pegboard.Hooks{{Select: func(*pegboard.Session, []string) []string { panic("no") }}}, want: []string{}, says: "failed"},
		{name: "writes into the list", hooks: []pegboard.Hooks{
			{Select: func(_ *pegboard.Session, names []string) []string { names[0] = "Z"; return names }}, keep("A", "B"),
		}, want: []string{"B"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Hooks: pegboard.JoinHooks(tc.hooks...)})
			pool := registryOf(t, inert("A", "Alpha"), inert("B"), inert("C")).AssemblePool(s, pegboard.PoolConfig{})
			require.Equal(t, tc.want, names(pool))
			if !slices.Contains(tc.want, "B") {
				require.Contains(t, pool.Explain("B"), tc.says)
			}
			child, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Hooks: keep("A", "B", "C")})
			require.NoError(t, err)
			require.Equal(t, tc.want, names(registryOf(t, inert("A", "Alpha"), inert("B"), inert("C")).AssemblePool(child, pegboard.PoolConfig{})), "a fork's hooks add nothing")
		})
	}
}

// TestHooksJoin covers the merging of several hooks.
func TestHooksJoin(t *testing.T) {
	t.Parallel()
	say := func(b policy.Behavior, input string) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: b.String(), Input: json.RawMessage(input)}, nil
		}}
	}
	boom := errors.New("boom")
	fails := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return policy.Decision{}, boom }}
	tests := []struct {
		name  string
		hooks []pegboard.Hooks
		want  policy.Behavior
		input string
		err   error
	}{
		{name: "none"},
		{name: "allow and nothing", hooks: []pegboard.Hooks{say(policy.Allow, ""), say(policy.Undecided, "")}, want: policy.Allow},
		{name: "strictest first", hooks: []pegboard.Hooks{say(policy.Deny, ""), say(policy.Allow, "")}, want: policy.Deny},
		{name: "strictest last", hooks: []pegboard.Hooks{say(policy.Allow, ""), say(policy.Ask, ""), say(policy.Deny, "")}, want: policy.Deny},
		{name: "an input stays", hooks: []pegboard.Hooks{say(policy.Undecided, `{"a":1}`), say(policy.Ask, "")}, want: policy.Ask, input: `{"a":1}`},
		{name: "the last input wins", hooks: []pegboard.Hooks{say(policy.Undecided, `{"a":1}`), say(policy.Undecided, `{"a":2}`)}, input: `{"a":2}`},
		{name: "no change is no input", hooks: []pegboard.Hooks{say(policy.Undecided, `{"a":1}`), say(policy.Undecided, `{}`)}, input: `{"a":1}`},
		{name: "an error ends it", hooks: []pegboard.Hooks{say(policy.Allow, ""), fails, say(policy.Deny, "")}, err: boom},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := pegboard.JoinHooks(tc.hooks...)
			if len(tc.hooks) == 0 {
				require.Nil(t, h.Pre)
				return
			}
			d, err := h.Pre(t.Context(), &pegboard.HookCall{Call: &pegboard.Call{Input: json.RawMessage(`{}`)}})
			require.ErrorIs(t, err, tc.err)
			if err == nil {
				require.Equal(t, tc.want, d.Behavior)
				require.Equal(t, tc.input, string(d.Input))
			}
		})
	}
}

// TestHooksKnowHowLongTheToolTook: without the question, the hooks and the pauses between
// attempts. The outcome has the whole time.
func TestHooksKnowHowLongTheToolTook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		call   func(ctx ctx, c *pegboard.Call) error
		retry  pegboard.RetryPolicy
		took   time.Duration
		whole  time.Duration
		failed bool
		silent bool // neither hook runs
	}{
		{name: "at once", call: func(ctx, *pegboard.Call) error { return nil }, whole: 4 * time.Second},
		{name: "a while", call: func(ctx, *pegboard.Call) error { time.Sleep(time.Minute); return nil }, took: time.Minute, whole: 64 * time.Second},
		{name: "a failure", call: func(ctx, *pegboard.Call) error { time.Sleep(time.Minute); return errPlanned }, took: time.Minute, whole: 64 * time.Second, failed: true},
		{name: "a panic", call: func(ctx, *pegboard.Call) error { time.Sleep(time.Minute); panic("oh") }, took: time.Minute, whole: 64 * time.Second, failed: true},
		{
			name: "three attempts", took: 3 * time.Minute, whole: 3*time.Minute + 2*time.Hour + 4*time.Second, failed: true,
			call: func(ctx, *pegboard.Call) error {
				time.Sleep(time.Minute)
				return pegboard.Transient(errPlanned, time.Hour)
			},
			retry: pegboard.RetryPolicy{Attempts: 3, MaxDelay: 2 * time.Hour},
		},
		{name: "it does not return", call: func(ctx ctx, _ *pegboard.Call) error { time.Sleep(time.Hour); return nil }, took: 32 * time.Second, whole: 36 * time.Second, failed: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				info := pegboard.Info{Name: "T", Retry: tc.retry}
				if tc.name == "it does not return" {
					info.Timeout = 30 * time.Second
				}
				tool := pegboard.Build(pegboard.Definition[struct{}, string]{
					Info: info, Description: "Takes its time.",
					Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return pegboard.Traits{Idempotent: true} },
					Call:    func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) { return "", tc.call(ctx, c) },
				})
				var took []time.Duration
				failed := false
				wait := func() { time.Sleep(time.Second) }
				cfg := pegboard.SessionConfig{PromptDelay: -1}
				cfg.Ask = func(ctx, *pegboard.Question) (policy.Decision, error) {
					wait()
					return policy.Decision{Behavior: policy.Allow}, nil
				}
				after := func(fails bool) func(ctx, *pegboard.HookCall) error {
					return func(_ ctx, h *pegboard.HookCall) error {
						wait()
						took, failed = append(took, h.Outcome.Elapsed), fails
						h.Outcome.Elapsed = 0
						wait()
						return nil
					}
				}
				cfg.Hooks = pegboard.Hooks{
					Pre:  func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) { wait(); return policy.Decision{}, nil },
					Post: after(false), PostFailure: after(true),
				}
				s := session(t, cfg)
				ex := executor(pegboard.Executor{})
				out := ex.Run(t.Context(), registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", ``))[0]
				require.Equal(t, []time.Duration{tc.took}, took)
				require.Equal(t, tc.failed, failed)
				require.Equal(t, tc.whole, out.Elapsed)
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestABatchHookEndsTheTurn, in each way, also when a stream has yielded the outcomes before.
func TestABatchHookEndsTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		stop func(outs []pegboard.Outcome)
		want []bool // by outcome, of a Run
	}{
		{name: "not at all", stop: func([]pegboard.Outcome) {}, want: []bool{false, false}},
		{name: "by the first outcome", stop: func(outs []pegboard.Outcome) { outs[0].StopTurn = true }, want: []bool{true, false}},
		{name: "by the last outcome", stop: func(outs []pegboard.Outcome) { outs[1].StopTurn = true }, want: []bool{false, true}},
		{name: "by another result", stop: func(outs []pegboard.Outcome) { outs[1].Result = &pegboard.Result{StopTurn: true} }, want: []bool{false, true}},
		{name: "in the result", stop: func(outs []pegboard.Outcome) { outs[1].Result.StopTurn = true }, want: []bool{false, true}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks.Batch = func(_ ctx, outs []pegboard.Outcome) error { tc.stop(outs); return nil }
			reading := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "R"}, Description: "Reads.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
				},
				Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "ok", nil },
			})
			pool := registryOf(t, reading).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{})
			calls := []pegboard.Call{call("1", "R", `{}`), call("2", "R", `{}`)}
			stops := slices.Contains(tc.want, true)

			for i, o := range ex.Run(t.Context(), pool, calls...) {
				require.Equal(t, tc.want[i], o.StopTurn)
			}
			for yielded := range 3 { // before Finish
				stream := ex.Stream(t.Context(), pool)
				for _, c := range calls {
					stream.Submit(c)
				}
				var early, late []pegboard.Outcome
				for len(early) < yielded {
					for o := range stream.Ready() {
						if early = append(early, o); len(early) == yielded {
							break
						}
					}
				}
				require.False(t, stream.StopTurn())
				stream.Finish(pegboard.FinishToolCalls)
				late = slices.Collect(stream.Outcomes())
				require.Len(t, late, 2-yielded)
				require.Equal(t, stops, stream.StopTurn())
				if yielded < 2 {
					require.Equal(t, stops, slices.ContainsFunc(late, func(o pegboard.Outcome) bool { return o.StopTurn }), "in what is yielded late")
				}
				for i := range early {
					require.False(t, early[i].StopTurn, "what was yielded stays")
				}
			}
		})
	}
}

// TestStopTurnOfAStream is heard of any outcome, without a Batch hook.
func TestStopTurnOfAStream(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error { h.Outcome.StopTurn = h.Call.ID == "1"; return nil }
	pool := registryOf(t, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	for _, id := range []string{"1", "2"} {
		stream := ex.Stream(t.Context(), pool)
		outs := collect(stream, []pegboard.Call{call(id, "A", ``), call("3", "A", ``)})
		require.Equal(t, id == "1", outs[0].StopTurn)
		require.Equal(t, id == "1", stream.StopTurn())
	}
}

// TestACallInsideACallEndsTheTurn of the outer call: by a hook after it, its result, or since it
// is answered later.
func TestACallInsideACallEndsTheTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		hooks pegboard.Hooks
		want  bool
	}{
		{name: "not at all"},
		{name: "by a hook after it", want: true, hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome.StopTurn = h.Call.Name == "A"; return nil }}},
		{name: "by its result", want: true, hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
			if h.Call.Name == "A" {
				h.Outcome.Result = &pegboard.Result{StopTurn: true}
			}
			return nil
		}}},
		{name: "it was put off", want: true, hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.Name == "A" {
				return policy.Decision{}, pegboard.ErrDeferred
			}
			return policy.Decision{}, nil
		}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Hooks = tc.hooks
			inner, _ := script("Inner", call("3", "A", ``))
			outer, made := script("Outer", call("2", "Inner", ``))
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), registryOf(t, outer, inner, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Outer", ``))[0]
			require.NoError(t, out.Err)
			require.Equal(t, "done", out.Result.Text())
			require.Equal(t, tc.want, (*made)[0].StopTurn)
			require.Equal(t, tc.want, out.StopTurn)
		})
	}
}

// TestNotRunHearsWhoDenied: each refusal is told with its decider, in time for a stream, and
// the hook changes the text and not the refusal.
func TestNotRunHearsWhoDenied(t *testing.T) {
	t.Parallel()
	type decision = policy.Decision
	deny := decision{Behavior: policy.Deny, Reason: "no"}
	asker := func(d decision) pegboard.Asker {
		return func(ctx, *pegboard.Question) (decision, error) { return d, nil }
	}
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
		mode policy.Mode
		set  policy.RuleSet
		call pegboard.Call
		by   policy.Decider
	}{
		{name: "a rule", set: policy.RuleSet{Deny: []string{"T(mode:ok)"}}, by: policy.ByRule},
		{name: "the mode", mode: policy.ModeDontAsk, by: policy.ByMode},
		{name: "the tool", call: call("1", "T", `{"mode":"denied"}`), by: policy.ByTool},
		{name: "a hook before the call", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (decision, error) { return deny, nil }}}, by: policy.ByHook},
		{name: "a hook that answers", cfg: pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: asker(deny)}}, by: policy.ByHook},
		{name: "an approver", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{asker(deny)}}, by: policy.ByApprover},
		{name: "the classifier", cfg: pegboard.SessionConfig{Classifier: pegboard.Classifier(asker(deny))}, mode: policy.ModeAuto, by: policy.ByClassifier},
		{name: "the user", cfg: pegboard.SessionConfig{Ask: asker(deny)}, by: policy.ByPerson},
		{name: "nobody", by: policy.ByNobody},
		{name: "the caller", call: pegboard.ForceDecision(call("1", "T", `{"mode":"ok"}`), policy.Deny, "no"), by: policy.ByCaller},
		{name: "the guard", cfg: pegboard.SessionConfig{Guard: pegboard.Guard(asker(deny))}, by: policy.ByGuard},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var told []decision
			cfg := tc.cfg
			cfg.Permissions = rules(t, tc.mode, tc.set)
			cfg.Hooks = pegboard.JoinHooks(cfg.Hooks, pegboard.Hooks{NotRun: func(_ ctx, h *pegboard.HookCall) error {
				told = append(told, h.Outcome.Decision)
				h.Outcome.Err, h.Outcome.Decision = nil, decision{Behavior: policy.Allow}
				h.Outcome.Result = pegboard.TextResult("You may try again.")
				return nil
			}})
			c := tc.call
			if c.Name == "" {
				c = call("1", "T", `{"mode":"ok"}`)
			}
			ex := executor(pegboard.Executor{})
			stream := ex.Stream(t.Context(), registryOf(t, describing{moody("T")}).AssemblePool(session(t, cfg), pegboard.PoolConfig{}))
			stream.Submit(c)
			stream.Finish(pegboard.FinishToolCalls)
			outs := slices.Collect(stream.Outcomes())
			require.Len(t, told, 1)
			require.Equal(t, tc.by, told[0].By)
			require.Equal(t, policy.Deny, told[0].Behavior)
			require.ErrorIs(t, outs[0].Err, pegboard.ErrDenied)
			require.Equal(t, tc.by, outs[0].Decision.By)
			require.True(t, outs[0].Result.IsError)
			require.Equal(t, "You may try again.", outs[0].Result.Text())
		})
	}
}

// describing is a tool that tells a classifier what it would do.
type describing struct{ pegboard.Tool }

func (describing) ClassifierInput(*pegboard.Call) string { return "something" }

// TestConcerns holds one rule against a call.
func TestConcerns(t *testing.T) {
	t.Parallel()
	command := func(line string, facts policy.ShellFacts) policy.Target {
		return policy.Target{Kind: policy.Command, Value: line, Shell: facts}
	}
	simple := policy.ShellFacts{Simple: true}
	reads := func(path string) policy.Target {
		return policy.Target{Kind: policy.Path, Access: policy.Read, Value: path}
	}
	tree := reads("src")
	tree.Tree = true
	filtered := tree
	filtered.Filtered = true
	tests := []struct {
		name    string
		tool    string // or Bash
		targets []policy.Target
		input   string
		rule    string
		want    policy.Concern
	}{
		{name: "the tool", rule: "Bash", targets: []policy.Target{command("ls", simple)}, want: policy.ConcernYes},
		{name: "an alias of the tool", rule: "Sh", targets: []policy.Target{command("ls", simple)}, want: policy.ConcernYes},
		{name: "all tools", rule: "*", targets: []policy.Target{command("ls", simple)}, want: policy.ConcernYes},
		{name: "another tool", rule: "Read", targets: []policy.Target{command("ls", simple)}, want: policy.ConcernNo},
		{name: "another tool, of what cannot be seen", rule: "Read", targets: []policy.Target{{}}, want: policy.ConcernNo},
		{name: "a command", rule: "Bash(curl *)", targets: []policy.Target{command("ls", simple), command("curl x", simple)}, want: policy.ConcernYes},
		{name: "another command", rule: "Bash(curl *)", targets: []policy.Target{command("ls", simple)}, want: policy.ConcernNo},
		{name: "a command inside", rule: "Bash(curl *)", targets: []policy.Target{command("sudo curl x", policy.ShellFacts{Simple: true, Nested: []string{"curl x"}})}, want: policy.ConcernYes},
		{name: "a command that cannot be seen", rule: "Bash(curl *)", targets: []policy.Target{command(`eval "$x"`, policy.ShellFacts{RunsUnseen: true})}, want: policy.ConcernMaybe},
		{name: "files that cannot be seen", rule: "Read(./.env)", targets: []policy.Target{command("xargs cat", policy.ShellFacts{Simple: true, ReadsUnseen: true})}, want: policy.ConcernMaybe},
		{name: "files of a line that is not simple", rule: "Edit(./src/**)", targets: []policy.Target{command("make", policy.ShellFacts{NoWildcards: true})}, want: policy.ConcernMaybe},
		{name: "a tool that says nothing", rule: "Bash(curl *)", targets: nil, want: policy.ConcernMaybe},
		{name: "a file", tool: "Look", rule: "Read(./src/**)", targets: []policy.Target{reads("src/a.go")}, want: policy.ConcernYes},
		{name: "another file", tool: "Look", rule: "Read(./src/**)", targets: []policy.Target{reads("a.go")}, want: policy.ConcernNo},
		{name: "reading is no editing", tool: "Look", rule: "Edit(./src/**)", targets: []policy.Target{reads("src/a.go")}, want: policy.ConcernNo},
		{name: "a directory above", tool: "Look", rule: "Read(./src/.env)", targets: []policy.Target{tree}, want: policy.ConcernYes},
		{name: "a directory above, of a tool that filters", tool: "Look", rule: "Read(./src/.env)", targets: []policy.Target{filtered}, want: policy.ConcernMaybe},
		{name: "another directory, of a tool that filters", tool: "Look", rule: "Read(./docs/.env)", targets: []policy.Target{filtered}, want: policy.ConcernNo},
		{name: "a host", tool: "Look", rule: "WebFetch(domain:*.example.com)", targets: []policy.Target{{Kind: policy.Host, Value: "https://a.example.com/x"}}, want: policy.ConcernYes},
		{name: "a parameter", tool: "Look", rule: "Look(model:opus)", input: `{"model":"opus"}`, targets: []policy.Target{reads("a")}, want: policy.ConcernYes},
		{name: "another parameter", tool: "Look", rule: "Look(model:opus)", input: `{"model":"haiku"}`, targets: []policy.Target{reads("a")}, want: policy.ConcernNo},
		{name: "a pattern that means nothing here", tool: "Look", rule: "Look(x y)", targets: []policy.Target{{Kind: policy.Opaque, Value: "something"}}, want: policy.ConcernMaybe},
	}
	for _, tc := range tests {
		for _, behavior := range []policy.Behavior{policy.Allow, policy.Ask, policy.Deny} {
			t.Run(tc.name+", "+behavior.String(), func(t *testing.T) {
				t.Parallel()
				rule, err := policy.ParseRule(behavior, tc.rule)
				if err != nil && behavior == policy.Allow {
					return // it cannot be written as such
				}
				require.NoError(t, err)
				name := tc.tool
				if name == "" {
					name = "Bash"
				}
				type input struct {
					Model string `json:"model,omitempty"`
				}
				inspected := 0
				tool := pegboard.Build(pegboard.Definition[input, string]{
					Info: pegboard.Info{Name: name, Aliases: []string{map[string]string{"Bash": "Sh", "Look": "Peek"}[name]}}, Description: "For a test.",
					Inspect: func(input, *pegboard.Call) pegboard.Traits {
						inspected++
						return pegboard.Traits{Targets: tc.targets}
					},
					Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
				})
				var got []policy.Concern
				see := func(h *pegboard.HookCall) {
					before := inspected
					h.Call.Input = json.RawMessage(`{"model":"changed by the hook"}`)
					got = append(got, h.Concerns(rule), h.Concerns(policy.Rule{Tool: rule.Tool, Pattern: rule.Pattern}))
					require.Equal(t, before, inspected, "the tool is not asked again")
				}
				cfg := pegboard.SessionConfig{}
				cfg.Hooks = pegboard.Hooks{
					Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
						see(h)
						return policy.Decision{Behavior: policy.Ask}, nil
					},
					Permission: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
						got = append(got, q.Concerns(rule))
						return policy.Decision{Behavior: policy.Allow}, nil
					},
					Post: func(_ ctx, h *pegboard.HookCall) error { see(h); return nil },
				}
				c := call("1", name, tc.input)
				out := run(t, registryOf(t, tool), session(t, cfg), c)
				require.NoError(t, out.Err)
				require.Equal(t, []policy.Concern{tc.want, tc.want, tc.want, tc.want, tc.want}, got)

				pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{tc.rule}})}), pegboard.PoolConfig{})
				if _, known := pool.Lookup(name); known {
					d := pool.Decide(t.Context(), c)
					require.Equal(t, tc.want == policy.ConcernYes, d.Behavior == policy.Deny, d.Reason)
					if tc.want == policy.ConcernNo {
						require.Equal(t, policy.Allow, d.Behavior, d.Reason)
					}
				} else {
					require.Equal(t, policy.ConcernYes, tc.want)
				}
			})
		}
	}
}

// TestConcernsOfWhatIsNotKnown: the cautious answer is that a rule may be about the call.
func TestConcernsOfWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	bash, err := policy.ParseRule(policy.Deny, "Bash(curl *)")
	require.NoError(t, err)
	var zero policy.Concern
	require.Equal(t, policy.ConcernMaybe, zero)
	require.Equal(t, []string{"maybe", "no", "yes", "invalid"}, []string{zero.String(), policy.ConcernNo.String(), policy.ConcernYes.String(), policy.Concern(7).String()})
	require.Equal(t, policy.ConcernMaybe, new(pegboard.HookCall).Concerns(bash))
	require.Equal(t, policy.ConcernMaybe, new(pegboard.Question).Concerns(bash))

	seen := map[string]policy.Concern{}
	cfg := pegboard.SessionConfig{}
	cfg.Hooks.NotRun = func(_ ctx, h *pegboard.HookCall) error { seen[h.Call.ID] = h.Concerns(bash); return nil }
	var noRule []policy.Concern
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		for _, r := range []policy.Rule{{}, {Tool: "Bash("}, {Tool: "Bash", Pattern: " "}, {Tool: "Write", Pattern: "x"}} {
			noRule = append(noRule, h.Concerns(r))
		}
		return policy.Decision{}, nil
	}
	ex := executor(pegboard.Executor{})
	pool := registryOf(t, moody("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	for _, c := range []pegboard.Call{call("unknown", "Nothing", `{}`), call("wrong", "T", `{`), call("denied", "T", `{"mode":"denied"}`)} {
		ex.Run(t.Context(), pool, c)
	}
	require.Equal(t, map[string]policy.Concern{"unknown": policy.ConcernMaybe, "wrong": policy.ConcernMaybe, "denied": policy.ConcernMaybe}, seen)
	require.Equal(t, make([]policy.Concern, 4), noRule)
}

// TestAHookPutsACallOff: nothing runs, nobody is asked, and the turn ends; unless something
// denies the call for good.
func TestAHookPutsACallOff(t *testing.T) {
	t.Parallel()
	type decision = policy.Decision
	pre := func(d decision, err error) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (decision, error) { return d, err }}
	}
	permission := func(d decision, err error) pegboard.Hooks {
		return pegboard.Hooks{Permission: func(ctx, *pegboard.Question) (decision, error) { return d, err }}
	}
	failing := func(mode pegboard.FailMode, timeout time.Duration, h pegboard.Hooks) pegboard.Hooks {
		h.OnFailure, h.Timeout = mode, timeout
		return h
	}
	later := fmt.Errorf("the night shift decides: %w", pegboard.ErrDeferred)
	ok, deny, allow, ask := decision{}, decision{Behavior: policy.Deny, Reason: "no"}, decision{Behavior: policy.Allow}, decision{Behavior: policy.Ask}
	strange := decision{Behavior: policy.Deny + 1}
	tests := []struct {
		name   string
		hooks  pegboard.Hooks
		mode   policy.Mode
		rules  policy.RuleSet
		input  string
		denied policy.Decider // who denies it, if somebody does
		stage  pegboard.Stage
	}{
		{name: "before the call", hooks: pre(ok, later), stage: pegboard.StageHook},
		{name: "before the call, although it is allowed", hooks: pre(allow, later), rules: policy.RuleSet{Allow: []string{"T"}}, stage: pegboard.StageHook},
		{name: "before the call, although a rule asks", hooks: pre(ok, later), rules: policy.RuleSet{Ask: []string{"T"}}, stage: pegboard.StageHook},
		{name: "in bypass mode", hooks: pre(ok, later), mode: policy.ModeBypass, stage: pegboard.StageHook},
		{name: "in a mode that asks nobody", hooks: pre(ok, later), mode: policy.ModeDontAsk, stage: pegboard.StageHook},
		{name: "a failure is passed over", hooks: failing(pegboard.FailContinue, 0, pre(ok, later)), stage: pegboard.StageHook},
		{name: "a failure blocks", hooks: failing(pegboard.FailBlock, time.Minute, pre(ok, later)), stage: pegboard.StageHook},
		{name: "beside a hook that allows", hooks: pegboard.JoinHooks(pre(allow, nil), pre(ok, later)), stage: pegboard.StageHook},
		{name: "beside a hook that asks", hooks: pegboard.JoinHooks(pre(ok, later), pre(ask, nil)), stage: pegboard.StageHook},
		{name: "beside another", hooks: pegboard.JoinHooks(pre(ok, later), pre(ok, pegboard.ErrDeferred)), stage: pegboard.StageHook},
		{name: "beside a hook that changes the input", hooks: pegboard.JoinHooks(pre(decision{Input: []byte(`{"mode":"x"}`)}, nil), pre(ok, later)), stage: pegboard.StageHook},
		{name: "before a hook that denies", hooks: pegboard.JoinHooks(pre(ok, later), pre(deny, nil)), denied: policy.ByHook, stage: pegboard.StagePermission},
		{name: "after a hook that denies", hooks: pegboard.JoinHooks(pre(deny, nil), pre(ok, later)), denied: policy.ByHook, stage: pegboard.StagePermission},
		{name: "before a hook with an opinion that is none", hooks: pegboard.JoinHooks(pre(ok, later), pre(strange, nil)), denied: policy.ByHook, stage: pegboard.StagePermission},
		{name: "before a hook that fails", hooks: pegboard.JoinHooks(pre(ok, later), pre(ok, errPlanned)), denied: policy.ByHook, stage: pegboard.StageHook},
		{name: "after a hook that fails", hooks: pegboard.JoinHooks(pre(ok, errPlanned), pre(ok, later)), denied: policy.ByHook, stage: pegboard.StageHook},
		{name: "a deny rule", hooks: pre(ok, later), rules: policy.RuleSet{Deny: []string{"T(mode:ok)"}}, denied: policy.ByRule, stage: pegboard.StagePermission},
		{name: "the tool denies", hooks: pre(ok, later), input: `{"mode":"denied"}`, denied: policy.ByTool, stage: pegboard.StagePermission},

		{name: "in the user's place", hooks: permission(ok, later), stage: pegboard.StagePermission},
		{name: "in the user's place, with an answer", hooks: permission(allow, later), stage: pegboard.StagePermission},
		{name: "in the user's place, and a failure is passed over", hooks: failing(pegboard.FailContinue, time.Minute, permission(ok, later)), stage: pegboard.StagePermission},
		{name: "in the user's place, beside one that allows", hooks: pegboard.JoinHooks(permission(allow, nil), permission(ok, later)), stage: pegboard.StagePermission},
		{name: "in the user's place, beside one that denies", hooks: pegboard.JoinHooks(permission(ok, later), permission(deny, nil)), denied: policy.ByHook, stage: pegboard.StagePermission},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			var told []*pegboard.HookCall
			watching := pegboard.Hooks{
				NotRun: func(_ ctx, h *pegboard.HookCall) error { told = append(told, h); return nil },
				Post:   func(ctx, *pegboard.HookCall) error { t.Error("it ran"); return nil },
			}
			cfg := pegboard.SessionConfig{Permissions: rules(t, tc.mode, tc.rules), Hooks: pegboard.JoinHooks(tc.hooks, watching)}
			cfg.Ask = func(ctx ctx, _ *pegboard.Question) (decision, error) { <-ctx.Done(); return ok, context.Cause(ctx) }
			ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			input := tc.input
			if input == "" {
				input = `{"mode":"ok"}`
			}
			out := ex.Run(t.Context(), registryOf(t, moody("T")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "T", input))[0]

			var ce *pegboard.CallError
			require.ErrorAs(t, out.Err, &ce)
			require.Equal(t, tc.stage, ce.Stage)
			require.True(t, out.Result.IsError)
			require.Zero(t, out.Attempts)
			require.Len(t, told, 1, "NotRun is told")
			if tc.denied != policy.ByDefault {
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				require.NotErrorIs(t, out.Err, pegboard.ErrDeferred)
				require.Equal(t, tc.denied, out.Decision.By)
				return
			}
			require.ErrorIs(t, out.Err, pegboard.ErrDeferred)
			require.NotErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Equal(t, pegboard.ErrDeferred, ce.Sentinel())
			require.True(t, out.StopTurn)
			require.Zero(t, out.Decision)
			require.Equal(t, "T was not run yet. The answer comes later.", out.Result.Text())
			require.Empty(t, log.String(), "it is no failure")
			require.ErrorIs(t, told[0].Outcome.Err, pegboard.ErrDeferred)
		})
	}
}

// TestACallThatWasPutOffIsAnsweredLater by running it again, as the host does on another day.
func TestACallThatWasPutOffIsAnsweredLater(t *testing.T) {
	t.Parallel()
	night := true
	cfg := bypass(t)
	cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
		if night {
			return policy.Decision{}, pegboard.ErrDeferred
		}
		return policy.Decision{}, nil
	}
	pool := registryOf(t, inert("A"), inert("B")).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), pool, call("1", "A", ``), call("2", "B", ``))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrDeferred)
	require.ErrorIs(t, outs[1].Err, pegboard.ErrDeferred)
	night = false
	again := ex.Run(t.Context(), pool, *outs[0].Call)[0]
	require.NoError(t, again.Err)
	require.Equal(t, "A", again.Result.Text())
}

// TestAQuestionThatIsPutOffIsWithdrawn while the user looks at it.
func TestAQuestionThatIsPutOffIsWithdrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var withdrawn error
		cfg := pegboard.SessionConfig{PromptDelay: time.Second}
		cfg.Hooks.Permission = func(ctx, *pegboard.Question) (policy.Decision, error) {
			time.Sleep(time.Minute)
			return policy.Decision{}, pegboard.ErrDeferred
		}
		cfg.Ask = func(ctx ctx, _ *pegboard.Question) (policy.Decision, error) {
			<-ctx.Done()
			withdrawn = context.Cause(ctx)
			return policy.Decision{}, withdrawn
		}
		s := session(t, cfg)
		out := run(t, registryOf(t, inert("A")), s, call("1", "A", ``))
		require.ErrorIs(t, out.Err, pegboard.ErrDeferred)
		require.True(t, out.StopTurn)
		synctest.Wait()
		require.Error(t, withdrawn)
		require.Empty(t, s.Questions())
	})
}

// TestACheckCannotBePutOff: a running call needs its answer now.
func TestACheckCannotBePutOff(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	checks := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Checks"}, Description: "Checks a host while it runs.",
		Inspect: func(struct{}, *pegboard.Call) pegboard.Traits { return readsData },
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			return "went on", c.Check(ctx, policy.Target{Kind: policy.Host, Value: "example.com"})
		},
	})
	cfg := pegboard.SessionConfig{Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Checks"}, Ask: []string{"WebFetch(domain:example.com)"}})}
	cfg.Hooks.Permission = func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{}, pegboard.ErrDeferred
	}
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	out := ex.Run(t.Context(), registryOf(t, checks).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Checks", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.NotErrorIs(t, out.Err, pegboard.ErrDeferred)
	require.Contains(t, log.String(), "answered later", "the hook has failed")
}

// TestHooksThatAreLate: a hook that exceeds its time-out has failed, and Hooks.OnFailure
// says whether that blocks the call.
func TestHooksThatAreLate(t *testing.T) {
	t.Parallel()
	late := func(h *pegboard.HookCall) {
		if h.Call.Name == "A" {
			time.Sleep(time.Hour) // heeds no context
		}
	}
	pre := func(mode pegboard.FailMode) pegboard.Hooks {
		return pegboard.Hooks{Timeout: time.Second, OnFailure: mode, Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			late(h)
			return policy.Decision{}, nil
		}}
	}
	post := func(mode pegboard.FailMode) pegboard.Hooks {
		return pegboard.Hooks{Timeout: time.Second, OnFailure: mode, Post: func(_ ctx, h *pegboard.HookCall) error { late(h); return nil }}
	}
	tests := []struct {
		name  string
		hooks pegboard.Hooks
		is    error
		text  string
	}{
		{name: "pre", hooks: pre(pegboard.FailDefault), is: pegboard.ErrTimeout, text: "a hook that guards it failed"},
		{name: "pre, continue", hooks: pre(pegboard.FailContinue), text: "A"},
		{name: "post", hooks: post(pegboard.FailDefault), text: "A"},
		{name: "post, block", hooks: post(pegboard.FailBlock), is: pegboard.ErrTimeout, text: "withheld"},
		{name: "one of two", hooks: pegboard.JoinHooks(pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			time.Sleep(time.Minute) // has no time-out of its own
			return policy.Decision{}, nil
		}}, pre(pegboard.FailContinue)), text: "A"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := bypass(t)
				cfg.Hooks = tc.hooks
				out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
				require.ErrorIs(t, out.Err, tc.is)
				require.Contains(t, out.Result.Text(), tc.text)
				time.Sleep(2 * time.Hour) // the late hooks end
			})
		})
	}
}

// A hook that exceeded its time-out may still emit progress. It does not race with the
// call, and nothing follows the call's last event.
func TestProgressOfALateHookComesBeforeTheLastEvent(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{Timeout: time.Millisecond, OnFailure: pegboard.FailContinue, Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		defer group.Done()
		for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; {
			h.Emit("late")
			time.Sleep(50 * time.Microsecond)
		}
		return policy.Decision{}, nil
	}}
	var kinds []pegboard.EventKind
	pool := registryOf(t, slow(pegboard.Info{Name: "T"}, false), slow(pegboard.Info{Name: "U"}, false)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Call.ID == "1" {
			kinds = append(kinds, e.Kind)
		}
	}})
	for range effort.Of(t, 30) {
		kinds = nil
		group.Add(2) // here: a late hook may begin when its call has ended
		ex.Run(t.Context(), pool, call("1", "T", `{"ms":2}`), call("2", "U", `{"ms":20}`))
		group.Wait()
		require.Equal(t, pegboard.EventFinished, kinds[len(kinds)-1])
	}
}

// A hook that exceeded its time-out emits progress without a pause while its call goes
// on and ends.
func TestLateHookDoesNotRaceWithItsCall(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{Timeout: time.Millisecond, OnFailure: pegboard.FailContinue, Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		defer group.Done()
		for begin := time.Now(); time.Since(begin) < 10*time.Millisecond; {
			h.Emit("late")
		}
		return policy.Decision{}, nil
	}}
	pool := registryOf(t, slow(pegboard.Info{Name: "T"}, false)).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{OnEvent: func(pegboard.Event) {}})
	for range effort.Of(t, 30) {
		group.Add(1)
		ex.Run(t.Context(), pool, call("1", "T", `{"ms":5}`))
		group.Wait()
	}
}

// A hook that exceeded its time-out writes to a copy. The outcome holds what the hook
// gave in time, or the result before it.
func TestLateHookChangesNoResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks.Timeout = time.Second
		cfg.Hooks.Post = func(_ ctx, h *pegboard.HookCall) error {
			time.Sleep(time.Second)
			h.Outcome.Result = pegboard.TextResult("late")
			return nil
		}
		cfg.Hooks.Batch = func(_ ctx, outcomes []pegboard.Outcome) error {
			time.Sleep(time.Second)
			outcomes[0].Result = pegboard.TextResult("later")
			return nil
		}
		for range 50 {
			out := run(t, registryOf(t, inert("T")), session(t, cfg), call("1", "T", ``))
			require.Contains(t, []string{"T", "late", "later"}, out.Result.Text(), "one of the two came first")
		}
		time.Sleep(time.Hour)
	})
}

// A hook that withholds a result leaves the decision and the call of the outcome as they
// are.
func TestWithheldResultKeepsTheRestOfTheOutcome(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(ctx, *pegboard.HookCall) error { return errPlanned }}
	out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
	require.ErrorIs(t, out.Err, errPlanned)
	require.Equal(t, policy.Allow, out.Decision.Behavior)
	require.NotNil(t, out.Call)
}

// A hook that withholds a result does not hide that the call goes on in the background.
func TestWithheldResultDoesNotHideADetachedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks = pegboard.Hooks{OnFailure: pegboard.FailBlock, PostFailure: func(ctx, *pegboard.HookCall) error { return errPlanned }}
		s := session(t, cfg)
		out := run(t, registryOf(t, slow(pegboard.Info{Name: "Deaf", Timeout: time.Second}, true)), s, call("1", "Deaf", `{"ms":60000}`))
		require.NotEmpty(t, s.Detached(), "it goes on")
		defer time.Sleep(time.Hour)
		require.ErrorIs(t, out.Err, pegboard.ErrDetached)
	})
}

// partsOf returns a part for each text.
func partsOf(texts ...string) (parts []pegboard.Part) {
	for _, text := range texts {
		parts = append(parts, pegboard.Part{Text: text})
	}
	return parts
}

// TestSay: what the hooks of a call say stands in its outcome, whatever becomes of it.
func TestSay(t *testing.T) {
	t.Parallel()
	deny := policy.Decision{Behavior: policy.Deny, Reason: "no"}
	tests := []struct {
		name  string
		call  pegboard.Call
		rules policy.RuleSet
		hooks pegboard.Hooks // behind those that say something
		mode  policy.Mode
		cut   bool
		want  []pegboard.Part
		is    error
	}{
		{name: "it ran", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "post")},
		{name: "it failed", call: call("1", "T", `{"mode":"fails"}`), want: partsOf("pre", "failure"), is: pegboard.ErrToolFailed},
		{name: "it panicked", call: call("1", "T", `{"mode":"panics"}`), want: partsOf("pre", "failure"), is: pegboard.ErrPanic},
		{name: "an unknown name", call: call("1", "U", `{}`), want: partsOf("not run"), is: pegboard.ErrUnknownTool},
		{name: "no JSON", call: call("1", "T", `{`), want: partsOf("not run"), is: pegboard.ErrInvalidInput},
		{name: "refused by Validate", call: call("1", "T", `{"mode":"invalid"}`), want: partsOf("not run"), is: pegboard.ErrInvalidInput},
		{name: "denied by the tool", call: call("1", "T", `{"mode":"denied"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDenied},
		{name: "nobody to ask", call: call("1", "T", `{"mode":"ok"}`), mode: policy.ModeDefault, want: partsOf("pre", "not run"), is: pegboard.ErrNoApprover},
		{name: "the message was cut", call: call("1", "T", `{"mode":"ok"}`), cut: true, want: partsOf("not run"), is: pegboard.ErrCancelled},
		{
			name: "denied by the next hook", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDenied,
			hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return deny, nil }},
		},
		{
			name: "the next hook fails", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDenied,
			hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { panic("oh") }},
		},
		{
			name: "put off", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "not run"), is: pegboard.ErrDeferred,
			hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return deny, pegboard.ErrDeferred }},
		},
		{
			name: "the input is replaced, and all hooks run again", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "changed", "post"),
			hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				if string(h.Call.Input) == `{"mode":"ok"}` {
					return policy.Decision{Input: []byte(`{"mode":"good"}`)}, nil
				}
				h.Say(partsOf("changed")...)
				return policy.Decision{}, nil
			}},
		},
		{
			name: "a hook takes the result", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "post"),
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Outcome = nil; return nil }},
		},
		{
			name: "a hook replaces the result, with words of its own", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("of the result", "pre", "post"),
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
				h.Outcome.Result = &pegboard.Result{Messages: partsOf("of the result")}
				return nil
			}},
		},
		{
			name: "a hook withholds the result", call: call("1", "T", `{"mode":"ok"}`), want: partsOf("pre", "post"), is: errPlanned,
			hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Post: func(ctx, *pegboard.HookCall) error { return errPlanned }},
		},
		{
			name: "nothing to see", call: call("1", "T", `{"mode":"ok"}`), want: []pegboard.Part{{Text: "pre"}, {Text: "post"}, {Tool: "U"}},
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error {
				h.Say()
				h.Say(pegboard.Part{}, pegboard.Part{Text: " \n"}, pegboard.Part{Title: "of nothing"}, pegboard.Part{Tool: "U"})
				return nil
			}},
		},
		{
			name: "too long", call: call("1", "T", `{"mode":"ok"}`), want: nil,
			hooks: pegboard.Hooks{Post: func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf(lines(100_000))...); return nil }},
		},
	}
	saying := pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			h.Say(partsOf("pre")...)
			return policy.Decision{}, nil
		},
		Post:        func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("post")...); return nil },
		PostFailure: func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("failure")...); return nil },
		NotRun:      func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("not run")...); return nil },
	}
	for _, tc := range tests {
		for _, timeout := range []time.Duration{0, time.Minute} {
			t.Run(fmt.Sprint(tc.name, ", ", timeout), func(t *testing.T) {
				t.Parallel()
				first := saying
				first.Timeout = timeout
				mode := tc.mode
				if mode == "" {
					mode = policy.ModeBypass
				}
				s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, tc.rules), Hooks: pegboard.JoinHooks(first, tc.hooks)})
				ex := executor(pegboard.Executor{})
				stream := ex.Stream(t.Context(), registryOf(t, moody("T")).AssemblePool(s, pegboard.PoolConfig{}))
				stream.Submit(tc.call)
				stream.Finish(map[bool]pegboard.FinishReason{false: pegboard.FinishToolCalls, true: pegboard.FinishLength}[tc.cut])
				outs := slices.Collect(stream.Outcomes())
				require.Len(t, outs, 1)
				require.ErrorIs(t, outs[0].Err, tc.is)
				if tc.want == nil {
					require.Len(t, outs[0].Result.Messages, 1, "one preview of all that was said")
					require.Less(t, len(outs[0].Result.Messages[0].Text), 10_000)
				} else {
					require.Equal(t, tc.want, outs[0].Result.Messages)
				}
				require.Empty(t, s.Notifications())
			})
		}
	}
}

// TestSayAtOnce says from many goroutines. No word is lost.
func TestSayAtOnce(t *testing.T) {
	t.Parallel()
	const n = 50
	cfg := bypass(t)
	cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { h.Say(partsOf(fmt.Sprint(i), "and")...) })
		}
		all.Wait()
		return policy.Decision{}, nil
	}
	out := run(t, registryOf(t, inert("A")), session(t, cfg), call("1", "A", ``))
	require.Len(t, out.Result.Messages, 2*n)
	seen := map[string]bool{}
	for said := range slices.Chunk(out.Result.Messages, 2) {
		require.Equal(t, "and", said[1].Text, "the parts of one Say stay together")
		seen[said[0].Text] = true
	}
	require.Len(t, seen, n)
}

// TestSayAfterTheEnd: the words of a hook that was abandoned, or has kept its HookCall, are
// news of the session, and those of an image, too.
func TestSayAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept *pegboard.HookCall
		cfg := bypass(t)
		cfg.Hooks = pegboard.Hooks{Timeout: time.Second, OnFailure: pegboard.FailContinue, Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			kept = h
			h.Say(partsOf("in time")...)
			time.Sleep(time.Hour)
			h.Say(partsOf("late")...)
			return policy.Decision{Behavior: policy.Deny}, nil
		}}
		s := session(t, cfg)
		out := run(t, registryOf(t, inert("A")), s, call("1", "A", ``))
		require.NoError(t, out.Err)
		require.Equal(t, partsOf("in time"), out.Result.Messages)
		time.Sleep(2 * time.Hour)
		image := pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")}
		kept.Say(image)
		require.Equal(t, partsOf("in time"), out.Result.Messages, "what was handed out stays")
		require.Equal(t, append(partsOf("late"), image), s.Notifications())
		require.Empty(t, s.Notifications())
	})
	new(pegboard.HookCall).Say(partsOf("to nobody")...)
}

// TestSayInsideACall: the model does not read the results of calls that a call makes, so their
// words join those of the outer call.
func TestSayInsideACall(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Hooks = pegboard.Hooks{
		Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			h.Say(partsOf("before " + h.Call.Name)...)
			return policy.Decision{}, nil
		},
		NotRun: func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("no " + h.Call.Name)...); return nil },
		Post:   func(_ ctx, h *pegboard.HookCall) error { h.Say(partsOf("after " + h.Call.Name)...); return nil },
	}
	inner, innerOutcomes := script("Inner", call("3", "A", ``), call("4", "Unknown", ``))
	outer, outerOutcomes := script("Outer", call("2", "Inner", ``))
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), registryOf(t, outer, inner, inert("A")).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), call("1", "Outer", ``))[0]
	texts := func(parts []pegboard.Part) (list []string) {
		for _, p := range parts {
			list = append(list, p.Text)
		}
		return list
	}
	got := texts(out.Result.Messages)
	require.ElementsMatch(t, []string{"before Outer", "before Inner", "before A", "after A", "no Unknown", "after Inner", "after Outer"}, got)
	require.Equal(t, []string{"before Outer", "before Inner"}, got[:2])
	require.Equal(t, []string{"after Inner", "after Outer"}, got[5:])
	for _, o := range slices.Concat(*innerOutcomes, *outerOutcomes) {
		require.Empty(t, o.Result.Messages)
	}
}

// TestSayInBatch: of a Run the words stand in the last outcome that the model is sent, and of a
// stream they are news.
func TestSayInBatch(t *testing.T) {
	t.Parallel()
	image := pegboard.Part{MIME: "image/png", Data: []byte("no image")}
	said := func(after func(outs []pegboard.Outcome) error) pegboard.Hooks {
		return pegboard.Hooks{Batch: func(ctx ctx, outs []pegboard.Outcome) error {
			if !pegboard.SayInBatch(ctx, partsOf("first", " ", "second")...) || !pegboard.SayInBatch(ctx) {
				return errors.New("no Batch hook")
			}
			return after(outs)
		}}
	}
	nothing := func([]pegboard.Outcome) error { return nil }
	tests := []struct {
		name  string
		calls []pegboard.Call
		hooks pegboard.Hooks
		want  [][]pegboard.Part // by call
		news  []pegboard.Part
	}{
		{name: "one call", calls: []pegboard.Call{call("1", "A", ``)}, hooks: said(nothing), want: [][]pegboard.Part{partsOf("first", "second")}},
		{name: "two calls", calls: []pegboard.Call{call("1", "A", ``), call("2", "U", ``)}, hooks: said(nothing), want: [][]pegboard.Part{nil, partsOf("first", "second")}},
		{name: "the last one is not sent", calls: []pegboard.Call{call("1", "A", ``), call("1", "A", ``)}, hooks: said(nothing), want: [][]pegboard.Part{partsOf("first", "second"), nil}},
		{name: "no call", hooks: said(nothing), want: [][]pegboard.Part{}, news: partsOf("first", "second")},
		{
			name: "results are replaced", calls: []pegboard.Call{call("1", "A", ``)}, want: [][]pegboard.Part{partsOf("of the result", "first", "second")},
			hooks: said(func(outs []pegboard.Outcome) error {
				outs[0].Result = &pegboard.Result{Messages: partsOf("of the result")}
				return nil
			}),
		},
		{
			name: "results are withheld", calls: []pegboard.Call{call("1", "A", ``)}, want: [][]pegboard.Part{partsOf("first", "second")},
			hooks: pegboard.Hooks{OnFailure: pegboard.FailBlock, Batch: said(func([]pegboard.Outcome) error { return errPlanned }).Batch},
		},
		{
			name: "two hooks, one of which goes on", calls: []pegboard.Call{call("1", "A", ``)}, want: [][]pegboard.Part{partsOf("first", "second", "third")},
			hooks: pegboard.JoinHooks(said(nothing), pegboard.Hooks{Timeout: time.Second, Batch: func(ctx ctx, _ []pegboard.Outcome) error {
				pegboard.SayInBatch(ctx, partsOf("third")...)
				time.Sleep(time.Minute)
				pegboard.SayInBatch(ctx, append(partsOf("late"), image)...)
				return nil
			}}),
			news: append(partsOf("late"), image),
		},
	}
	for _, tc := range tests {
		for _, streams := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stream %v", tc.name, streams), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					cfg := bypass(t)
					cfg.Hooks = tc.hooks
					s := session(t, cfg)
					pool := registryOf(t, inert("A")).AssemblePool(s, pegboard.PoolConfig{})
					want := tc.news
					var outs []pegboard.Outcome
					if !streams {
						ex := executor(pegboard.Executor{})
						outs = ex.Run(t.Context(), pool, tc.calls...)
						require.Len(t, outs, len(tc.want))
						for i, o := range outs {
							require.Equal(t, tc.want[i], o.Result.Messages)
						}
					} else {
						want = slices.Concat(lastOf(tc.want), tc.news)
						ex := executor(pegboard.Executor{})
						outs = collect(ex.Stream(t.Context(), pool), tc.calls)
						for _, o := range outs {
							for _, p := range o.Result.Messages {
								require.Equal(t, "of the result", p.Text)
							}
						}
						want = slices.DeleteFunc(want, func(p pegboard.Part) bool { return p.Text == "of the result" })
					}
					time.Sleep(time.Hour)
					require.Equal(t, want, s.Notifications())
				})
			})
		}
	}
	require.False(t, pegboard.SayInBatch(context.Background(), partsOf("to nobody")...))
}

// lastOf returns the last list that is not nil.
func lastOf(lists [][]pegboard.Part) (last []pegboard.Part) {
	for _, l := range lists {
		if l != nil {
			last = l
		}
	}
	return last
}

// collect submits calls and returns the outcomes.
func collect(s *pegboard.Stream, calls []pegboard.Call) []pegboard.Outcome {
	for _, c := range calls {
		s.Submit(c)
	}
	s.Finish(pegboard.FinishToolCalls)
	return slices.Collect(s.Outcomes())
}
