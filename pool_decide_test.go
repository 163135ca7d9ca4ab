package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
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

// TestDecideRefuses: Decide denies calls that an executor answers with an error before
// it decides, and says why.
func TestDecideRefuses(t *testing.T) {
	t.Parallel()
	type input struct {
		N int `json:"n"`
	}
	crash := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Crash"}, Description: "For a test.", Traits: pegboard.Traits{ReadOnly: true},
		Permit: func(ctx, input, *pegboard.Call) policy.Decision { panic("oh") },
		Call:   func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
	})
	pool := registryOf(t, crash).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	for _, tc := range []struct{ name, input, says string }{
		{name: "None", says: "unknown tool: None"},
		{name: "Crash", input: `{"n":"x"}`, says: "n"},
		{name: "Crash", input: `{"n":1,"n":1}`, says: "n"},
		{name: "Crash", input: `{"n":1}`, says: "panic: oh"},
	} {
		trace := pool.ExplainDecision(t.Context(), call("1", tc.name, tc.input))
		require.Equal(t, policy.Deny, trace.Decision.Behavior)
		require.Contains(t, trace.Decision.Reason, tc.says)
		ex := executor(pegboard.Executor{})
		require.Error(t, ex.Run(t.Context(), pool, call("1", tc.name, tc.input))[0].Err)
	}
}

// TestDecideRunsAndAsksNothing: no tool is called and no asker.
func TestDecideRunsAndAsksNothing(t *testing.T) {
	t.Parallel()
	never := func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{}, errors.New("somebody was asked")
	}
	asked := 0
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { asked++; return nil }}
	s := session(t, pegboard.SessionConfig{
		Ask:        func(c ctx, q *pegboard.Question) (policy.Decision, error) { asked++; return never(c, q) },
		Classifier: func(c ctx, q *pegboard.Question) (policy.Decision, error) { asked++; return never(c, q) },
		Hooks: pegboard.Hooks{
			Pre:        func(ctx, *pegboard.HookCall) (policy.Decision, error) { asked++; return policy.Decision{}, nil },
			Permission: func(c ctx, q *pegboard.Question) (policy.Decision, error) { asked++; return never(c, q) },
		},
	})
	pool := a.pool(t, s)
	for _, mode := range strictness() {
		require.NoError(t, s.SetPermissions(rules(t, mode, policy.RuleSet{})))
		require.NotEqual(t, policy.Undecided, pool.Decide(t.Context(), call("1", "T", ``)).Behavior)
	}
	require.Zero(t, asked)
}

// TestDecideIsTheExecutorsDecision for random policies and calls.
func TestDecideIsTheExecutorsDecision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seen := map[policy.Behavior]int{}
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 4)), []string{dir, dir, filepath.Dir(dir)}}
		a := d.actor()
		mode, _ := d.mode(laxest)
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided}))
		require.NoError(t, pool.Session().SetPermissions(rules(t, mode, policy.RuleSet{Allow: d.rules(3), Ask: d.rules(1), Deny: d.rules(1)})))
		trace, done := pool.ExplainDecision(t.Context(), call("1", names(pool)[0], ``)), judge(t, pool)
		require.Equal(t, done.behavior.String(), trace.Decision.Behavior.String(), "seed %d\n%s", seed, trace)
		require.Equal(t, done.reason, trace.Decision.Reason, "seed %d", seed)
		var by string
		if trace.Decision.Rule != nil {
			by = trace.Decision.Rule.String()
		}
		require.Equal(t, done.rule, by, "seed %d\n%s", seed, trace)
		seen[done.behavior]++
		last := policy.Deny + 1
		for _, s := range trace.Steps {
			if s.Rule == nil {
				continue
			}
			if s.Rule.Behavior == policy.Deny && s.Behavior == policy.Ask { // after the ask rules: it cannot be compared
				require.Equal(t, policy.Ask, trace.Decision.Behavior, "seed %d\n%s", seed, trace)
				require.Equal(t, trace.Decision.Rule, s.Rule)
				require.Contains(t, s.Reason, s.Rule.String())
				last = policy.Undecided // no rule is compared after it
				continue
			}
			require.LessOrEqual(t, s.Rule.Behavior, last, "deny, ask, allow\n%s", trace)
			last = s.Rule.Behavior
			require.Contains(t, s.Reason, s.Rule.String())
			require.Contains(t, []policy.Behavior{policy.Undecided, s.Rule.Behavior}, s.Behavior)
		}
		require.NotEmpty(t, trace.Steps)
		require.Contains(t, trace.String(), trace.Decision.Reason)
	}
	if effort.Full(t) {
		require.Greater(t, min(seen[policy.Allow], seen[policy.Ask], seen[policy.Deny]), 100, "all happen")
	}
}

func TestDecideTakesNoCallForAllowed(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: outside, Tree: true}}},
		Permit: func(_ ctx, _ struct{}, c *pegboard.Call) policy.Decision {
			if c.Filter(policy.Target{Kind: policy.Path, Access: policy.Read, Value: filepath.Join(outside, "f")}) {
				return policy.Decision{}
			}
			return policy.Decision{Behavior: policy.Deny, Reason: "not that"}
		},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
	require.Equal(t, judge(t, pool).behavior.String(), pool.Decide(t.Context(), call("1", "T", ``)).Behavior.String())
}

func TestDecideFollowsTheToolsInput(t *testing.T) {
	t.Parallel()
	type input struct {
		F string `json:"f"`
	}
	tool := pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: in.F}}}
		},
		Permit: func(ctx, input, *pegboard.Call) policy.Decision {
			return policy.Decision{Input: []byte(`{"f":"denied"}`)}
		},
		Call: func(ctx, input, *pegboard.Call) (string, error) { return "", nil },
	})
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Edit(denied)"}})})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, call("1", "T", `{"f":"a"}`))[0]
	require.Equal(t, out.Decision.Behavior.String(), pool.Decide(t.Context(), call("1", "T", `{"f":"a"}`)).Behavior.String())
}

func TestDecideSurvivesAVerifierThatPanics(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "git log", Shell: policy.ShellFacts{ReadOnly: true, VerifyReadOnly: func() error { panic("oh") }}}}}}
	pool := a.pool(t, session(t, pegboard.SessionConfig{}))
	require.NotPanics(t, func() { require.NotEqual(t, policy.Allow, pool.Decide(t.Context(), call("1", "T", ``)).Behavior) })
}

// TestDecideHeedsItsContext: whichever part of the decision the context ends in, the call is
// denied, although the mode allows it.
func TestDecideHeedsItsContext(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"before", "Inspect", "Permit", "Verify", ""} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			ended := errors.New("the host has ended it")
			c, end := context.WithCancelCause(t.Context())
			at := func(name string) {
				if name == part {
					end(ended)
				}
			}
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T"}, Description: "For a test.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					at("Inspect")
					return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "x", Shell: policy.ShellFacts{
						Simple: true, ReadOnly: true, VerifyReadOnly: func() error { at("Verify"); return nil },
					}}}}
				},
				Permit: func(ctx, struct{}, *pegboard.Call) policy.Decision { at("Permit"); return policy.Decision{} },
				Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
			})
			pool := registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{}), pegboard.PoolConfig{})
			at("before")
			d := pool.Decide(c, call("1", "T", `{}`))
			if part == "" {
				require.Equal(t, policy.Allow, d.Behavior, d.Reason)
				return
			}
			require.Equal(t, policy.Deny, d.Behavior)
			require.Contains(t, d.Reason, ended.Error())
		})
	}
}

func TestConflictSaysWhy(t *testing.T) {
	t.Parallel()
	tool := func(name string, class pegboard.Concurrency, targets ...policy.Target) pegboard.Tool {
		a := actor{name: name, traits: pegboard.Traits{Concurrency: class, Targets: targets}}
		return a.tool()
	}
	shared := pegboard.Shared
	pool := registryOf(t,
		tool("Alone", pegboard.Exclusive), tool("Vague", pegboard.PerTarget), tool("Free", shared),
		tool("ReadA", shared, pathTo(policy.Read, "src/a.go")), tool("WriteA", shared, pathTo(policy.Write, "src/a.go")),
		tool("ReadSrc", shared, policy.Target{Kind: policy.Path, Access: policy.Read, Value: "src", Tree: true}),
		tool("Host", shared, policy.Target{Kind: policy.Host, Value: "Example.com"}),
		tool("Odd", shared, policy.Target{Kind: policy.Resource, Value: "a\u202eb"}),
	).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	tests := []struct {
		a, b string
		why  string // empty if there is no conflict
	}{
		{a: "Alone", b: "Free", why: "Alone runs alone"},
		{a: "Free", b: "Alone", why: "Alone runs alone"},
		{a: "Alone", b: "Alone", why: "Alone runs alone"},
		{a: "Alone", b: "Vague", why: "Alone and Vague run alone"},
		{a: "ReadA", b: "ReadA"},
		{a: "Free", b: "WriteA"},
		{a: "WriteA", b: "WriteA", why: "both write src/a.go"},
		{a: "ReadA", b: "WriteA", why: "ReadA reads src/a.go, which WriteA writes"},
		{a: "WriteA", b: "ReadA", why: "WriteA writes src/a.go, which ReadA reads"},
		{a: "ReadSrc", b: "WriteA", why: "ReadSrc reads src, and WriteA writes src/a.go"},
		{a: "Host", b: "Host", why: "both write example.com"},
		{a: "Odd", b: "Odd", why: `both write "a\u202eb"`},
		{a: "Missing", b: "Alone"},
	}
	for _, tc := range tests {
		t.Run(tc.a+" "+tc.b, func(t *testing.T) {
			t.Parallel()
			why, ok := pool.Conflict(call("1", tc.a, `{}`), call("2", tc.b, `{}`))
			require.Equal(t, tc.why, why)
			require.Equal(t, tc.why != "", ok)
		})
	}
	_, ok := pool.Conflict(call("1", "Alone", `[`), call("2", "Alone", `{}`))
	require.False(t, ok, "an input that cannot be read")
}

func TestConflictOfANilPoolPanicsWithAReason(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "pegboard: Conflict with a nil or zero Pool; make one with Registry.AssemblePool", func() {
		(*pegboard.Pool)(nil).Conflict(pegboard.Call{}, pegboard.Call{})
	})
}

// TestWaitingEventsAgreeWithConflict runs random batches: a call says that it waits only for
// one that is in its way, and calls that run at the same time have no conflict.
func TestWaitingEventsAgreeWithConflict(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { checkRandomBatch(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

// randomJobs often touch the same things.
func randomJobs(random *rand.Rand) (jobs []job) {
	for range 1 + random.IntN(12) {
		jobs = append(jobs, job{
			Path:  []string{"", "a", "a/b", "a/c", "d"}[random.IntN(5)],
			Write: random.IntN(2) == 0,
			Class: []string{"shared", "shared", "target", "target", ""}[random.IntN(5)],
			Ms:    1 + random.IntN(9),
		})
	}
	return jobs
}

func working(t testing.TB, id string, j job) pegboard.Call {
	t.Helper()
	in, err := json.Marshal(j)
	require.NoError(t, err)
	return call(id, "Work", string(in))
}

func checkRandomBatch(t *testing.T, random *rand.Rand) {
	t.Helper()
	var mu sync.Mutex
	var running []job // as the tools see it: events of two calls may come later than they happened
	var pool *pegboard.Pool
	note := func(in job, begin bool) {
		mu.Lock()
		defer mu.Unlock()
		if !begin {
			running = slices.Delete(running, slices.Index(running, in), slices.Index(running, in)+1)
			return
		}
		for _, other := range running {
			why, ok := pool.Conflict(working(t, "", other), working(t, "", in))
			if ok {
				t.Errorf("%v runs beside %v: %s", in, other, why)
			}
		}
		running = append(running, in)
	}
	pool = registryOf(t, worker(note)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	finished, waits := map[string]bool{}, map[string]int{}
	ex := executor(pegboard.Executor{MaxParallel: 1 + random.IntN(12), OnEvent: func(e pegboard.Event) {
		switch e.Kind {
		case pegboard.EventWaiting:
			waits[e.Call.ID]++
			if why, ok := pool.Conflict(*e.Call, *e.WaitsFor); !ok || why != e.Text || finished[e.WaitsFor.ID] {
				t.Errorf("%s waits for %s: %q; the pool says %q", e.Call.ID, e.WaitsFor.ID, e.Text, why)
			}
		case pegboard.EventFinished:
			finished[e.Call.ID] = true
		}
	}})
	var calls []pegboard.Call
	for i, j := range randomJobs(random) {
		calls = append(calls, working(t, fmt.Sprint(i), j))
	}
	ex.Run(t.Context(), pool, calls...)
	for i, c := range calls {
		conflicts := slices.ContainsFunc(calls[:i], func(earlier pegboard.Call) bool {
			_, ok := pool.Conflict(earlier, c)
			return ok
		})
		require.Equal(t, conflicts, waits[c.ID] == 1, "call %s: the earlier calls were admitted at the same moment, and take time", c.ID)
		require.LessOrEqual(t, waits[c.ID], 1)
	}
}

func TestWaitingIsToldOnceThoughTheInputIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.ID != "3" {
				return policy.Decision{}, nil
			}
			return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"path":"b","class":"target","ms":5}`)}, nil
		}
		pool := registryOf(t, worker(func(job, bool) {})).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
		var told []string
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventWaiting {
				told = append(told, e.Call.ID+" for "+e.WaitsFor.ID+": "+e.Text)
			}
		}})
		begin := time.Now()
		ex.Run(t.Context(), pool,
			call("1", "Work", `{"path":"a","write":true,"class":"target","ms":5}`),
			call("2", "Work", `{"path":"b","write":true,"class":"target","ms":20}`),
			call("3", "Work", `{"path":"a","class":"target","ms":5}`))
		require.Equal(t, 25*time.Millisecond, time.Since(begin), "the third waits for the first, then for the second")
		require.Equal(t, []string{"3 for 1: Work reads a, which Work writes"}, told)
	})
}

func TestNothingIsToldOfACallThatDoesNotWait(t *testing.T) {
	t.Parallel()
	var kinds []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { kinds = append(kinds, e.Kind.String()) }})
	ex.Run(t.Context(), workers(t), call("1", "Work", `{"path":"a","write":true}`))
	require.Equal(t, []string{"admitted", "decided", "started", "finished"}, kinds)
}

type query struct {
	Table string `json:"table"`
	Limit int    `json:"limit,omitempty"`
}

// queryDB is a tool with a parameter, whose calls act on a resource.
func queryDB() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[query, string]{
		Info: pegboard.Info{Name: "QueryDB"}, Description: "For a test.",
		Inspect: func(in query, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Access: policy.Read, Value: "db:" + in.Table}}}
		},
		Call: func(ctx, query, *pegboard.Call) (string, error) { return "rows", nil },
	})
}

func queryPool(t testing.TB, set policy.RuleSet) *pegboard.Pool {
	t.Helper()
	return registryOf(t, queryDB(), inert("Term")).AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, "", set)}), pegboard.PoolConfig{})
}

func TestRuleProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		allow      bool   // an allow rule; otherwise a deny rule
		says       string // empty: no problem
		near       []string
	}{
		{name: "the tool", rule: "QueryDB"},
		{name: "the tool, allowed", rule: "QueryDB", allow: true},
		{name: "a tool that it takes out of the pool", rule: "Term"},
		{name: "the shared names", rule: "Read(.env)"},
		{name: "a host of any tool", rule: "WebFetch(domain:evil.com)"},
		{name: "a command of any tool", rule: "Bash(rm:*)"},
		{name: "a parameter", rule: "QueryDB(table:x)"},
		{name: "a resource", rule: "QueryDB(orders)", allow: true},
		{name: "a prefix of a command", rule: "Term(git:*)", allow: true},
		{name: "another letter case", rule: "querydb", says: "there is no tool querydb", near: []string{"QueryDB"}},
		{name: "no tool of that name", rule: "QeuryDB(x)", says: "there is no tool QeuryDB", near: []string{"QueryDB"}},
		{name: "no shell", rule: "Bash", says: "there is no tool Bash"},
		{name: "no server", rule: "mcp__github", allow: true, says: "there is no tool mcp__github"},
		{name: "a misspelt parameter", rule: "QueryDB(tabel:x)", says: "QueryDB has no parameter tabel", near: []string{"table"}},
		{name: "a parameter that is allowed", rule: "QueryDB(table:x)", allow: true, says: "can deny or ask, but not allow"},
		{name: "a host on another tool", rule: "QueryDB(domain:x.com)", says: "WebFetch(domain:x.com) is about the hosts of every tool"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			set := policy.RuleSet{Source: policy.SourceUser, Deny: []string{tc.rule}}
			if tc.allow {
				set = policy.RuleSet{Source: policy.SourceUser, Allow: []string{tc.rule}}
			}
			problems := queryPool(t, set).RuleProblems()
			if tc.says == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Equal(t, tc.rule, problems[0].Rule.String())
			require.Contains(t, problems[0].String(), tc.says)
			require.Contains(t, problems[0].String(), "from userSettings")
			require.Equal(t, tc.near, problems[0].Near)
		})
	}
}

// TestRuleThatCannotMatchAsks: with an allow rule for the tool beside it, a call ran under a
// deny rule that could match none of the tool's targets.
func TestRuleThatCannotMatchAsks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, rule string
		target     policy.Target
		want       string
	}{
		{name: "a path, exactly", rule: "T(reports/a.md)", target: pathTo(policy.Write, "reports/a.md"), want: "deny"},
		{name: "a path, read", rule: "T(reports/**)", target: pathTo(policy.Read, "reports/b/c.md"), want: "deny"},
		{name: "another path", rule: "T(reports/a.md)", target: pathTo(policy.Write, "b.md"), want: "allow"},
		{name: "a host of a tool without", rule: "T(domain:x.com)", target: pathTo(policy.Write, "b.md"), want: "ask"},
		{name: "a host", rule: "T(domain:x.com)", target: policy.Target{Kind: policy.Host, Value: "x.com"}, want: "deny"},
		{name: "a bare host", rule: "T(x.com)", target: policy.Target{Kind: policy.Host, Value: "https://X.com/"}, want: "deny"},
		{name: "another host", rule: "T(domain:x.com)", target: policy.Target{Kind: policy.Host, Value: "y.com"}, want: "allow"},
		{name: "a misspelt parameter", rule: "T(tabel:x)", target: policy.Target{Kind: policy.Resource, Value: "orders"}, want: "ask"},
		{name: "a misspelt parameter and a path", rule: "T(tabel:x)", target: pathTo(policy.Write, "b.md"), want: "ask"},
		{name: "a name with a colon", rule: "T(db:users)", target: policy.Target{Kind: policy.Resource, Value: "db:orders"}, want: "allow"},
		{name: "that name", rule: "T(db:users)", target: policy.Target{Kind: policy.Resource, Value: "db:users"}, want: "deny"},
		{name: "names with a star", rule: "T(db:*)", target: policy.Target{Kind: policy.Resource, Value: "db:users"}, want: "deny"},
		{name: "what nobody can see", rule: "T(x)", target: policy.Target{}, want: "ask"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{traits: pegboard.Traits{Targets: []policy.Target{tc.target}}}
			set := policy.RuleSet{Allow: []string{"T"}, Deny: []string{tc.rule}}
			require.Equal(t, tc.want, judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeDefault, set))
			require.Equal(t, tc.want, judgeOnce(t, a, pegboard.SessionConfig{}, policy.ModeBypass, set), "in bypass mode")
		})
	}
	a := actor{traits: pegboard.Traits{ReadOnly: true}}
	require.Equal(t, "ask", judgeOnce(t, a, pegboard.SessionConfig{}, "", policy.RuleSet{Deny: []string{"T(x)"}}), "a call without targets")
}

// TestOwnCommandToolFollowsItsRules: rules with a pattern on a host's own command tool were
// refused, or accepted and matched nothing.
func TestOwnCommandToolFollowsItsRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line  string
		allow, deny []string
		want        string
	}{
		{name: "allowed", line: "git status", allow: []string{"Terminal(git *)"}, want: "allow"},
		{name: "another command", line: "rm x", allow: []string{"Terminal(git *)"}, want: "ask"},
		{name: "denied by prefix", line: "git push", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "deny"},
		{name: "denied by star", line: "git push", allow: []string{"Terminal"}, deny: []string{"Terminal(git *)"}, want: "deny"},
		{name: "denied to Bash", line: "git push", allow: []string{"Terminal"}, deny: []string{"Bash(git:*)"}, want: "deny"},
		{name: "denied, behind another", line: "cd x && git push", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "deny"},
		{name: "denied, on another line", line: "ls\ngit push; ls", allow: []string{"Terminal"}, deny: []string{"Bash(git push)"}, want: "deny"},
		{name: "denied, in a shell", line: `sh -c "git push"`, allow: []string{"Terminal"}, deny: []string{"Bash(git push)"}, want: "deny"},
		{name: "denied, by its path", line: "/usr/bin/git push", allow: []string{"Terminal"}, deny: []string{"Bash(git push)"}, want: "deny"},
		{name: "not denied", line: "go vet", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "allow"},
		{name: "a part of a word", line: "legit push", allow: []string{"Terminal"}, deny: []string{"Terminal(git:*)"}, want: "allow"},
		{name: "the allow rule of Bash", line: "git status", allow: []string{"Bash(git *)"}, want: "ask"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			a := actor{name: "Terminal", traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: tc.line}}}}
			require.Equal(t, tc.want, judgeOnce(t, a, pegboard.SessionConfig{}, "", policy.RuleSet{Allow: tc.allow, Deny: tc.deny}))
		})
	}
}

// TestOwnRuleIsNoLaxerThanShared holds a rule with a pattern on a host's own tool against
// the same pattern under the name that rules such targets for every tool: what that denies
// is not allowed, and no deny or ask rule on the tool makes a call laxer.
func TestOwnRuleIsNoLaxerThanShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := map[policy.Kind][]string{
		policy.Command:  {"git push", "git  status", "npm run test:unit", "ls; git push", "", "sh -c 'rm x'", "rm -rf /"},
		policy.Path:     {"a.md", "reports/a.md", "reports/b/../a.md", "~/x", "/etc/hosts", "file:a.md", "c:d"},
		policy.Host:     {"x.com", "https://X.com/", "a.x.com", "10.0.0.1:80", "a b", ""},
		policy.Resource: {"orders", "db:users", " Orders", "", "a\nb"},
		policy.Opaque:   {"", "something"},
	}
	texts := []string{
		"git push", "git:*", "git *", "rm:*", "npm run test:*", "* x", "reports/**", "/reports/a.md", "a.md", "//etc/**", "~/**", "*.md", "tabel:x", "table:x",
		"domain:x.com", "x.com", "domain:*.x.com", "*.x.com", "10.0.0.1", "orders", "db:users", "db:*", "[", "?", "../x", "!a", "a:", "é", "**",
	}
	shared := map[policy.Kind][]string{
		policy.Command: {"Bash(%s)"}, policy.Path: {"Edit(%s)", "Read(%s)"}, policy.Host: {"WebFetch(domain:%s)", "WebFetch(%s)"},
	}
	denied := 0
	for seed := range effort.Of(t, uint64(3000)) {
		r := rand.New(rand.NewPCG(seed, 23))
		pick := func(list []string) string { return list[r.IntN(len(list))] }
		kind := []policy.Kind{policy.Command, policy.Path, policy.Host, policy.Resource, policy.Opaque}[r.IntN(5)]
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: r.IntN(2) == 0, Targets: []policy.Target{{Kind: kind, Access: policy.Access(r.IntN(3)), Value: pick(values[kind])}}}}
		mode := []policy.Mode{policy.ModeDefault, policy.ModeBypass, policy.ModeAcceptEdits}[r.IntN(3)]
		text := pick(texts)
		if _, err := policy.ParseRule(policy.Deny, "T("+text+")"); err != nil {
			continue
		}
		pool := a.pool(t, session(t, pegboard.SessionConfig{Dir: dir}))
		under := func(set policy.RuleSet) verdict {
			set.Allow = []string{"T"}
			p, err := policy.New(mode, set)
			if err != nil {
				return verdict{}
			}
			require.NoError(t, pool.Session().SetPermissions(p))
			return judge(t, pool)
		}
		at := "seed %d: %+v under T(%s) in %s: %s"
		bare, own, asked := under(policy.RuleSet{}), under(policy.RuleSet{Deny: []string{"T(" + text + ")"}}), under(policy.RuleSet{Ask: []string{"T(" + text + ")"}})
		require.GreaterOrEqual(t, own.behavior, bare.behavior, at, seed, a.traits, text, mode, own.reason)
		require.GreaterOrEqual(t, asked.behavior, bare.behavior, at, seed, a.traits, text, mode, asked.reason)
		require.GreaterOrEqual(t, own.behavior, asked.behavior, at, seed, a.traits, text, mode, asked.reason)
		for _, form := range shared[kind] {
			if under(policy.RuleSet{Deny: []string{fmt.Sprintf(form, text)}}).behavior == policy.Deny {
				require.NotEqual(t, policy.Allow, own.behavior, at, seed, a.traits, text, mode, own.reason)
				denied++
			}
		}
	}
	if effort.Full(t) {
		require.Greater(t, denied, 50)
	}
}

// TestFileRuleDoesNotBindAServer: a rule on files or hosts is not compared with a path that a server
// is given, and its author is told.
func TestFileRuleDoesNotBindAServer(t *testing.T) {
	t.Parallel()
	type fileIn struct {
		Path string `json:"path"`
	}
	server := pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "mcp:files"}}}
	reads := pegboard.Build(pegboard.Definition[fileIn, string]{
		Info: pegboard.Info{Name: "read_file"}, Description: "Reads.", Traits: server,
		Call: func(ctx, fileIn, *pegboard.Call) (string, error) { return "", nil },
	})
	sees := pegboard.Build(pegboard.Definition[fileIn, string]{
		Info: pegboard.Info{Name: "see_file"}, Description: "Reads.",
		Inspect: func(in fileIn, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: in.Path}}}
		},
		Call: func(ctx, fileIn, *pegboard.Call) (string, error) { return "", nil },
	})
	counts := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "count"}, Description: "Counts.", Traits: server,
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "", nil },
	})
	const says = "is compared with what calls of mcp__files name, such as the path of mcp__files__read_file; deny or ask about mcp__files,"
	for _, tt := range []struct {
		name  string
		tools []pegboard.Tool
		set   policy.RuleSet
		about []string // the rules with a problem
	}{
		{name: "deny rules", tools: []pegboard.Tool{reads, counts}, set: policy.RuleSet{Deny: []string{"Read(*.env)", "Edit(/x)"}}, about: []string{"Read(*.env)"}},
		{name: "an ask rule", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Ask: []string{"Edit(/x)"}}, about: []string{"Edit(/x)"}},
		{name: "a host", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Deny: []string{"WebFetch(domain:x.test)"}}, about: []string{"WebFetch(domain:x.test)"}},
		{name: "an allow rule", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Allow: []string{"Read(*.env)"}}},
		{name: "a tool", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Deny: []string{"Task"}, Ask: []string{"Task"}}},
		{name: "no path", tools: []pegboard.Tool{counts}, set: policy.RuleSet{Deny: []string{"Read(*.env)"}}},
		{name: "a path that is a target", tools: []pegboard.Tool{sees}, set: policy.RuleSet{Deny: []string{"Read(*.env)"}}},
		{name: "the server is asked about", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Deny: []string{"Read(*.env)"}, Ask: []string{"mcp__files"}}},
		{name: "the parameter is denied", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Deny: []string{"Read(*.env)", "mcp__files__read_file(path:*.env)"}}},
		{name: "the tool is out of the pool", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Deny: []string{"Read(*.env)", "mcp__files__read_file"}}},
		{name: "the server is allowed", tools: []pegboard.Tool{reads}, set: policy.RuleSet{Deny: []string{"Read(*.env)"}, Allow: []string{"mcp__files"}}, about: []string{"Read(*.env)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			registry := registryOf(t, inert("Task"))
			_, err := offer(registry, "files", tt.tools...)
			require.NoError(t, err)
			tt.set.Source = policy.SourceUser
			pool := registry.AssemblePool(session(t, pegboard.SessionConfig{Permissions: rules(t, "", tt.set)}), pegboard.PoolConfig{})
			var about []string
			for range 2 { // the rules stay as they are
				about = nil
				for _, problem := range pool.RuleProblems() {
					about = append(about, problem.Rule.String())
					require.Contains(t, problem.String(), says)
				}
			}
			require.Equal(t, tt.about, about)
		})
	}
}
