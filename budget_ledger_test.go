package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/corpus"
	"github.com/seed49eaa51d/pegboard/policy"
)

// budgeted returns a session that allows everything within the budgets.
func budgeted(t testing.TB, budgets ...pegboard.CallBudget) *pegboard.Session {
	t.Helper()
	cfg := bypass(t)
	cfg.Budgets = budgets
	return session(t, cfg)
}

// fates lists which calls ran: "ran", "budget", or the error.
func fates(outs []pegboard.Outcome) (list []string) {
	for _, out := range outs {
		switch {
		case out.Err == nil:
			list = append(list, "ran")
		case errors.Is(out.Err, pegboard.ErrBudget):
			list = append(list, "budget")
		default:
			list = append(list, errors.Unwrap(out.Err).Error())
		}
	}
	return list
}

// budgetLines lists the lines about budgets that a model reads with the outcomes.
func budgetLines(outs []pegboard.Outcome) (lines []string) {
	for _, out := range outs {
		for _, m := range out.Result.Messages {
			lines = append(lines, m.Text)
		}
	}
	return lines
}

// TestBudgetOfCalls says which calls count, and in which budgets.
func TestBudgetOfCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		budget pegboard.CallBudget
		calls  []pegboard.Call
		want   []string
		spent  int
	}{
		{name: "every tool", budget: pegboard.CallBudget{Calls: 2}, calls: []pegboard.Call{call("1", "A", ``), call("2", "B", ``), call("3", "A", ``)}, want: []string{"ran", "ran", "budget"}, spent: 2},
		{name: "one tool", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"A"}}, calls: []pegboard.Call{call("1", "A", ``), call("2", "B", ``), call("3", "A", ``)}, want: []string{"ran", "ran", "budget"}, spent: 1},
		{name: "by an alias, of which the model calls the other", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"OldA"}}, calls: []pegboard.Call{call("1", "OldA", ``), call("2", "A", ``)}, want: []string{"ran", "budget"}, spent: 1},
		{name: "a source", budget: pegboard.CallBudget{Calls: 2, Tools: []string{"mcp__web"}}, calls: []pegboard.Call{call("1", "mcp__web__x", ``), call("2", "mcp__web__y", ``), call("3", "A", ``), call("4", "mcp__web__x", ``)}, want: []string{"ran", "ran", "ran", "budget"}, spent: 2},
		{name: "one tool of a source", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"mcp__web__x"}}, calls: []pegboard.Call{call("1", "mcp__web__x", ``), call("2", "mcp__web__y", ``), call("3", "mcp__web__x", ``)}, want: []string{"ran", "ran", "budget"}, spent: 1},
		{name: "unknown, invalid and denied calls do not count", budget: pegboard.CallBudget{Calls: 2},
			calls: []pegboard.Call{call("1", "None", ``), call("2", "A", `{"x":1}`), call("3", "Denied", ``), call("4", "A", ``), call("5", "A", ``), call("6", "A", ``)},
			want:  []string{"unknown tool: None", `invalid input: unknown property "x"; leave it out`, "denied: not today", "ran", "ran", "budget"}, spent: 2},
		{name: "a call that fails counts", budget: pegboard.CallBudget{Calls: 1}, calls: []pegboard.Call{call("1", "Fails", ``), call("2", "A", ``)}, want: []string{"connection reset", "budget"}, spent: 1},
		{name: "calls of a script count", budget: pegboard.CallBudget{Calls: 2, Tools: []string{"A"}}, calls: []pegboard.Call{call("1", "Script", ``), call("2", "A", ``), call("3", "A", ``)}, want: []string{"ran", "ran", "budget"}, spent: 2},
		{name: "a script counts, too", budget: pegboard.CallBudget{Calls: 2}, calls: []pegboard.Call{call("1", "Script", ``), call("2", "A", ``)}, want: []string{"ran", "budget"}, spent: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := budgeted(t, tt.budget)
			scripted, _ := script("Script", call("in", "A", ``))
			aliased := pegboard.Build(pegboard.Definition[struct{}, string]{Info: pegboard.Info{Name: "A", Aliases: []string{"OldA"}}, Description: "For a test.", Call: says("a")})
			denied := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "Denied"}, Description: "For a test.", Call: says(""),
				Permit: func(ctx, struct{}, *pegboard.Call) policy.Decision {
					return policy.Decision{Behavior: policy.Deny, Reason: "not today"}
				},
			})
			reg := registryOf(t, aliased, inert("B"), denied, scripted, plain("Fails", func(ctx, struct{}, *pegboard.Call) (string, error) { return "", errReset }))
			attach(t, reg, "web", "x", "y")
			ex := executor(pegboard.Executor{})
			var outs []pegboard.Outcome
			for _, c := range tt.calls {
				outs = append(outs, ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), c)...)
			}
			require.Equal(t, tt.want, fates(outs))
			require.Equal(t, tt.spent, s.Spent()[0].Calls)
		})
	}
}

// TestBudgetOfDuplicates counts the call alone whose id they have.
func TestBudgetOfDuplicates(t *testing.T) {
	t.Parallel()
	s := budgeted(t, pegboard.CallBudget{Calls: 2})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), registryOf(t, inert("A")).AssemblePool(s, pegboard.PoolConfig{}), call("1", "A", ``), call("1", "A", ``))
	require.Equal(t, []string{"ran", `duplicate: call id "1"`}, fates(outs))
	require.Equal(t, 1, s.Spent()[0].Calls)
}

// TestBudgetOfCallsIsNotOverspent plays agents that spend the same budget at once.
func TestBudgetOfCallsIsNotOverspent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(t, pegboard.CallBudget{Calls: 7})
		reg := registryOf(t, worker(func(job, bool) {}))
		var mu sync.Mutex
		count := map[string]int{}
		var all sync.WaitGroup
		for i := range 5 {
			agent := forked(t, s, pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Calls: 1 + i}}})
			all.Go(func() {
				ex := executor(pegboard.Executor{})
				for range 3 {
					outs := ex.Run(t.Context(), reg.AssemblePool(agent, pegboard.PoolConfig{}), call("1", "Work", `{"ms":1,"class":"shared"}`), call("2", "Work", `{"ms":1,"class":"shared"}`))
					mu.Lock()
					for _, fate := range fates(outs) {
						count[fate]++
					}
					mu.Unlock()
				}
				spent := agent.Spent()[1].Calls
				require.LessOrEqual(t, spent, 1+i)
			})
		}
		all.Wait()
		require.Equal(t, map[string]int{"ran": 7, "budget": 23}, count)
		require.Equal(t, 7, s.Spent()[0].Calls)
	})
}

// TestBudgetOfCallsThatWereCancelled: those that end before their tool is called do not
// count; those that are stopped do.
func TestBudgetOfCallsThatWereCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(t, pegboard.CallBudget{Calls: 2})
		pool := registryOf(t, worker(func(job, bool) {})).AssemblePool(s, pegboard.PoolConfig{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ex := executor(pegboard.Executor{})
		outs := ex.Run(ctx, pool, call("1", "Work", `{"ms":5000}`), call("2", "Work", `{"ms":5000}`), call("3", "Work", `{"ms":1}`))
		for _, out := range outs[:2] {
			require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
		}
		require.Equal(t, 1, s.Spent()[0].Calls, "the others are exclusive and waited")
		outs = ex.Run(t.Context(), pool, call("1", "Work", `{"ms":1}`), call("2", "Work", `{"ms":1}`))
		require.Equal(t, []string{"ran", "budget"}, fates(outs))
	})
}

func TestBudgetPeriods(t *testing.T) {
	t.Parallel()
	s := budgeted(t, pegboard.CallBudget{Calls: 2, Per: pegboard.PerTurn}, pegboard.CallBudget{Calls: 5})
	agent := forked(t, s, pegboard.SessionConfig{AgentID: "a", Budgets: []pegboard.CallBudget{{Calls: 1, Per: pegboard.PerTurn}}})
	reg := registryOf(t, inert("T"))
	makes := func(s *pegboard.Session, want ...string) {
		t.Helper()
		ex := executor(pegboard.Executor{})
		for _, fate := range want {
			require.Equal(t, []string{fate}, fates(ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", ``))))
		}
	}
	spent := func(s *pegboard.Session) (calls []int) {
		for _, use := range s.Spent() {
			calls = append(calls, use.Calls)
		}
		return calls
	}
	makes(agent, "ran", "budget")
	agent.NewTurn() // begins only its own budget anew
	makes(agent, "ran", "budget")
	makes(s, "budget")
	require.Equal(t, []int{2, 2, 1}, spent(agent))
	require.Equal(t, "a", agent.Spent()[2].AgentID)
	agent.NewTurn()
	makes(agent, "budget")
	s.NewTurn()
	require.Equal(t, []int{0, 2, 0}, spent(agent))
	makes(agent, "ran", "budget")
	makes(s, "ran", "budget")
	s.NewTurn()
	makes(s, "ran", "budget")
	require.Equal(t, []int{1, 5}, spent(s))
	agent.NewTurn()
	makes(agent, "budget")
	require.Empty(t, session(t, pegboard.SessionConfig{}).Spent())
}

// TestBudgetOfTime adds up what runs at the same time, and stops nothing.
func TestBudgetOfTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		class string
		ms    []int
		want  []string
		spent time.Duration
	}{
		{name: "one after the other", ms: []int{4000, 4000, 4000, 1}, want: []string{"ran", "ran", "ran", "budget"}, spent: 12 * time.Second},
		{name: "at once", class: "shared", ms: []int{4000, 9000, 9000}, want: []string{"ran", "ran", "ran"}, spent: 22 * time.Second},
		{name: "enough is left", class: "shared", ms: []int{3000, 3000, 3000}, want: []string{"ran", "ran", "ran"}, spent: 9 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := budgeted(t, pegboard.CallBudget{Time: 10 * time.Second, Per: pegboard.PerTurn})
				var calls []pegboard.Call
				for i, ms := range tt.ms {
					calls = append(calls, call(fmt.Sprint(i), "Work", fmt.Sprintf(`{"class":%q,"ms":%d}`, tt.class, ms)))
				}
				ex := executor(pegboard.Executor{})
				outs := ex.Run(t.Context(), registryOf(t, worker(func(job, bool) {})).AssemblePool(s, pegboard.PoolConfig{}), calls...)
				require.Equal(t, tt.want, fates(outs))
				require.Equal(t, tt.spent, s.Spent()[0].Time.Truncate(time.Second))
				for i, fate := range tt.want {
					require.Equal(t, fate == "budget", outs[i].StopTurn)
				}
			})
		})
	}
}

// TestBudgetOfTimeIsOfTools: waiting for a person, for keys or between two attempts takes
// none, and neither does a call whose outer call counts already.
func TestBudgetOfTimeIsOfTools(t *testing.T) {
	t.Parallel()
	limit := pegboard.CallBudget{Time: time.Hour}
	spent := func(t *testing.T, cfg pegboard.SessionConfig, ex anywhere, calls []pegboard.Call, tools ...pegboard.Tool) time.Duration {
		t.Helper()
		if cfg.Budgets == nil {
			cfg.Budgets = []pegboard.CallBudget{limit}
		}
		s := session(t, cfg)
		for _, out := range ex.Run(t.Context(), registryOf(t, tools...).AssemblePool(s, pegboard.PoolConfig{}), calls...) {
			require.NoError(t, out.Err)
		}
		return s.Spent()[0].Time
	}
	work := worker(func(job, bool) {})
	t.Run("a person", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
				time.Sleep(time.Minute)
				return policy.Decision{Behavior: policy.Allow}, nil
			}}
			require.Equal(t, time.Second, spent(t, cfg, executor(pegboard.Executor{}), []pegboard.Call{call("1", "Work", `{"ms":1000,"write":true}`)}, work))
		})
	})
	t.Run("keys and workers", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			calls := []pegboard.Call{call("1", "Work", `{"ms":1000}`), call("2", "Work", `{"ms":1000}`), call("3", "Work", `{"ms":1000,"class":"shared"}`), call("4", "Work", `{"ms":1000,"class":"shared"}`)}
			require.Equal(t, 4*time.Second, spent(t, bypass(t), executor(pegboard.Executor{MaxParallel: 1}), calls, work))
		})
	})
	t.Run("attempts", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			a := attempts{traits: looksOnly, takes: time.Second, info: pegboard.Info{Retry: pegboard.RetryPolicy{Attempts: 3}}, ends: []error{pegboard.Transient(errReset, 10*time.Second), pegboard.Transient(errReset, 10*time.Second), nil}}
			require.Equal(t, 3*time.Second, spent(t, bypass(t), executor(pegboard.Executor{}), []pegboard.Call{call("1", "Fetch", `{}`)}, a.tool()))
		})
	})
	t.Run("calls inside", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			tool, _ := script("Script", call("in 1", "Work", `{"ms":1000,"class":"shared"}`), call("in 2", "Work", `{"ms":1000,"class":"shared"}`))
			calls := []pegboard.Call{call("1", "Script", `{}`)}
			require.Equal(t, time.Second, spent(t, bypass(t), executor(pegboard.Executor{}), calls, tool, work), "that of the script")
			cfg := bypass(t)
			cfg.Budgets = []pegboard.CallBudget{{Time: time.Hour, Tools: []string{"Work"}}}
			require.Equal(t, 2*time.Second, spent(t, cfg, executor(pegboard.Executor{}), calls, tool, work), "the script does not count")
		})
	})
	t.Run("a call that was given up", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := budgeted(t, limit)
			ex := executor(pegboard.Executor{Grace: time.Second})
			outs := ex.Run(t.Context(), registryOf(t, slow(pegboard.Info{Name: "Slow", Timeout: time.Second}, true)).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Slow", `{"ms":60000}`))
			require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)
			time.Sleep(time.Hour)
			require.Equal(t, 2*time.Second, s.Spent()[0].Time, "until it was answered")
		})
	})
}

// TestBudgetOfTimeAndNewTurn: the time of calls that run counts from the new turn on.
func TestBudgetOfTimeAndNewTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(t, pegboard.CallBudget{Time: 10 * time.Second, Per: pegboard.PerTurn})
		time.AfterFunc(8*time.Second, s.NewTurn)
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, worker(func(job, bool) {})).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Work", `{"ms":17000}`), call("2", "Work", `{"ms":1000}`), call("3", "Work", `{"ms":1000}`))
		require.Equal(t, []string{"ran", "ran", "budget"}, fates(outs))
		require.Equal(t, 10*time.Second, s.Spent()[0].Time)
	})
}

// TestBudgetOfTimeEndsInAPause has no further attempt when the time is over.
func TestBudgetOfTimeEndsInAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := budgeted(t, pegboard.CallBudget{Time: 10 * time.Second, Tools: []string{"Fetch", "Work"}})
		a := attempts{traits: looksOnly, takes: 4 * time.Second, info: pegboard.Info{Retry: pegboard.RetryPolicy{Attempts: 3}}, ends: []error{pegboard.Transient(errReset, 10*time.Second)}}
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), registryOf(t, a.tool(), worker(func(job, bool) {})).AssemblePool(s, pegboard.PoolConfig{}), call("1", "Fetch", `{}`), call("2", "Work", `{"ms":6000,"class":"shared"}`))
		require.ErrorIs(t, outs[0].Err, errReset)
		require.NotErrorIs(t, outs[0].Err, pegboard.ErrBudget, "it failed by itself")
		require.Equal(t, 1, outs[0].Attempts)
		require.Equal(t, "connection reset (try again after 10s) (tried once; not again, since budget used up: the limit of 10s running time of Fetch and Work in this session)", outs[0].Result.Text())
	})
}

// TestBudgetOfTokens counts results as the model reads them.
func TestBudgetOfTokens(t *testing.T) {
	t.Parallel()
	text := func(n int) pegboard.Tool {
		return plain(fmt.Sprint("Says", n), says(lines(n)[:n]))
	}
	reg := registryOf(t, text(4000), text(400), text(4))
	tools, _ := script("Script", call("in", "Says4000", `{}`))
	require.NoError(t, reg.Add(tools))
	tests := []struct {
		name  string
		cfg   pegboard.SessionConfig
		calls []pegboard.Call
		want  []string
		spent int
	}{
		{name: "one result exceeds the limit", calls: []pegboard.Call{call("1", "Says4000", ``), call("2", "Says4", ``)}, want: []string{"ran", "budget"}, spent: 1000},
		{name: "several", calls: []pegboard.Call{call("1", "Says400", ``), call("2", "Says400", ``), call("3", "Says400", ``)}, want: []string{"ran", "ran", "ran"}, spent: 300},
		{name: "what a script reads does not count", calls: []pegboard.Call{call("1", "Script", ``)}, want: []string{"ran"}, spent: 1},
		{name: "a denial does not count", calls: []pegboard.Call{call("1", "Says4", `{"x":1}`)}, want: []string{`invalid input: unknown property "x"; leave it out`}},
		{name: "a preview counts", cfg: pegboard.SessionConfig{Limits: pegboard.ResultLimits{PerResult: 1000, Preview: 100}}, calls: []pegboard.Call{call("1", "Says4000", ``)}, want: []string{"ran"}, spent: 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.cfg.Permissions = bypass(t).Permissions
			tt.cfg.Budgets = []pegboard.CallBudget{{Tokens: 500}}
			s := session(t, tt.cfg)
			ex := executor(pegboard.Executor{})
			outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), tt.calls...)
			require.Equal(t, tt.want, fates(outs))
			require.InDelta(t, tt.spent, s.Spent()[0].Tokens, 60)
		})
	}
}

// TestSpendTokens counts in the budgets of every tool, of the session and its parents.
func TestSpendTokens(t *testing.T) {
	t.Parallel()
	s := budgeted(t, pegboard.CallBudget{Tokens: 100}, pegboard.CallBudget{Tokens: 100, Tools: []string{"T"}})
	agent := forked(t, s, pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Tokens: 1000}}})
	agent.SpendTokens(99)
	agent.SpendTokens(-5)
	s.SpendTokens(0)
	session(t, pegboard.SessionConfig{}).SpendTokens(1) // has none
	tokens := func(s *pegboard.Session) (n []int) {
		for _, use := range s.Spent() {
			n = append(n, use.Tokens)
		}
		return n
	}
	require.Equal(t, []int{99, 0}, tokens(s))
	require.Equal(t, []int{99, 0, 99}, tokens(agent))
	reg := registryOf(t, inert("T"))
	require.NoError(t, run(t, reg, s, call("1", "T", ``)).Err)
	out := run(t, reg, agent, call("1", "T", ``))
	require.ErrorIs(t, out.Err, pegboard.ErrBudget)
	require.True(t, out.StopTurn)
	require.Equal(t, []int{100, 1}, tokens(s))
}

// TestBudgetWarnings tells each agent once what is left.
func TestBudgetWarnings(t *testing.T) {
	t.Parallel()
	s := budgeted(t, pegboard.CallBudget{Calls: 20, Tools: []string{"T"}, Per: pegboard.PerTurn})
	reg := registryOf(t, inert("T"), inert("Other"))
	hears := func(s *pegboard.Session, name string) []string {
		return budgetLines([]pegboard.Outcome{run(t, reg, s, call("1", name, ``))})
	}
	turn := func(agent *pegboard.Session) {
		for left := 19; left >= 0; left-- {
			got, want := hears(s, "T"), []string(nil)
			if left == 4 || left <= 1 {
				want = []string{fmt.Sprintf("Budget: %d of 20 calls of T left in this turn.", left)}
			}
			require.Equal(t, want, got)
			require.Empty(t, hears(s, "Other"))
			if left == 3 {
				require.Equal(t, []string{"Budget: 3 of 20 calls of T left in this turn."}, hears(agent, "Other"), "it was not told yet")
				require.Empty(t, hears(agent, "Other"))
			}
		}
		require.Empty(t, hears(s, "T"), "the refusal says it")
	}
	agent := forked(t, s, pegboard.SessionConfig{})
	turn(agent)
	s.NewTurn()
	turn(agent)
}

// TestBudgetWarningsOfAMessage say what is left when its calls have ended.
func TestBudgetWarningsOfAMessage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		budget pegboard.CallBudget
		calls  []pegboard.Call
		want   []string
	}{
		{name: "the only call", budget: pegboard.CallBudget{Calls: 1}, calls: []pegboard.Call{call("1", "Work", `{}`)}, want: []string{"Budget: 0 of 1 tool call left in this session."}},
		{name: "one after the other", budget: pegboard.CallBudget{Calls: 3}, calls: []pegboard.Call{call("1", "Work", `{}`), call("2", "Work", `{}`), call("3", "Work", `{}`)},
			want: []string{"Budget: 1 of 3 tool calls left in this session.", "Budget: 0 of 3 tool calls left in this session."}},
		{name: "enough is left", budget: pegboard.CallBudget{Calls: 3, Tokens: 100, Time: time.Minute}, calls: []pegboard.Call{call("1", "Work", `{}`)}},
		{name: "time", budget: pegboard.CallBudget{Time: 10 * time.Second}, calls: []pegboard.Call{call("1", "Work", `{"ms":8500}`), call("2", "Work", `{"ms":1000}`)}, want: []string{"Budget: 1.5s of 10s running time of tools left in this session."}},
		{name: "tokens", budget: pegboard.CallBudget{Tokens: 15}, calls: []pegboard.Call{call("1", "Work", `{}`), call("2", "Work", `{}`)}, want: []string{"Budget: 0 of 15 tokens left in this session."}},
		{name: "what a script spends", budget: pegboard.CallBudget{Calls: 2, Tools: []string{"Work"}}, calls: []pegboard.Call{call("1", "Script", `{}`)}, want: []string{"Budget: 1 of 2 calls of Work left in this session."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := budgeted(t, tt.budget)
				tool, inner := script("Script", call("in", "Work", `{}`))
				ex := executor(pegboard.Executor{})
				outs := ex.Run(t.Context(), registryOf(t, tool, worker(func(job, bool) {})).AssemblePool(s, pegboard.PoolConfig{}), tt.calls...)
				require.Equal(t, tt.want, budgetLines(outs))
				require.Empty(t, budgetLines(*inner))
			})
		})
	}
}

// TestBudgetAndLoops: a model that goes on calling what it has no budget for is stopped
// like one that does not take no for an answer.
func TestBudgetAndLoops(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Budgets, cfg.Breaker = []pegboard.CallBudget{{Calls: 1, Tools: []string{"T"}}}, pegboard.BreakerLimits{Denials: 2}
	s, reg := session(t, cfg), registryOf(t, inert("T"))
	require.False(t, run(t, reg, s, call("1", "T", ``)).StopTurn)
	require.False(t, run(t, reg, s, call("2", "T", ``)).StopTurn)
	require.True(t, run(t, reg, s, call("3", "T", ``)).StopTurn)
}

// TestBudgetAndQuestions asks nobody about a call that cannot run.
func TestBudgetAndQuestions(t *testing.T) {
	t.Parallel()
	asked := 0
	s := session(t, pegboard.SessionConfig{
		Budgets: []pegboard.CallBudget{{Calls: 1}},
		Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			asked++
			return policy.Decision{Behavior: policy.Allow}, nil
		},
	})
	reg := registryOf(t, inert("T"))
	require.NoError(t, run(t, reg, s, call("1", "T", ``)).Err)
	out := run(t, reg, s, call("2", "T", ``))
	require.ErrorIs(t, out.Err, pegboard.ErrBudget)
	require.Zero(t, out.Decision, "there was none")
	require.Equal(t, 1, asked)
}

// TestBudgetOfCallsThatTheHostExecutes: they count as calls, and their results as tokens,
// when these come; they take no time, since a person may execute them.
func TestBudgetOfCallsThatTheHostExecutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := bypass(t)
		cfg.Budgets = []pegboard.CallBudget{{Calls: 2, Time: time.Second, Tokens: 1000}}
		s, pool := browsing(t, cfg)
		h := host{execute: func(a *pegboard.ExternalCall) {
			time.AfterFunc(time.Hour, func() { sayTitle(t, a, "four") })
		}}
		ex := executor(pegboard.Executor{OnEvent: h.listen})
		require.Equal(t, []string{"ran"}, fates(ex.Run(t.Context(), pool, call("1", "Open", `{}`))))
		use := s.Spent()[0]
		require.Equal(t, 1, use.Calls)
		require.Zero(t, use.Time)
		require.Equal(t, 4, use.Tokens)

		h.execute = func(a *pegboard.ExternalCall) {
			require.NoError(t, a.Submit(pegboard.ExternalResult{Err: pegboard.ErrDeferred}))
		}
		require.ErrorIs(t, ex.Run(t.Context(), pool, call("2", "Open", `{}`))[0].Err, pegboard.ErrDeferred)
		spent := s.Spent()[0].Tokens
		require.Equal(t, []string{"budget"}, fates(ex.Run(t.Context(), pool, call("3", "Open", `{}`))))
		out, err := ex.SubmitResult(t.Context(), pool, call("2", "Open", `{}`), pegboard.ExternalResult{Output: []byte(`{"title":"four"}`)})
		require.NoError(t, err)
		require.NoError(t, out.Err, "it was counted before")
		require.Equal(t, 2, s.Spent()[0].Calls)
		require.Equal(t, spent+4, s.Spent()[0].Tokens)
	})
}

// TestTheThirdIdenticalCallAsks, and the person's answer counts.
func TestTheThirdIdenticalCallAsks(t *testing.T) {
	t.Parallel()
	for _, answer := range []policy.Behavior{policy.Allow, policy.Deny} {
		asked := 0
		cfg := pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Denials: -1, Repeats: 3}, Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
			asked++
			return policy.Decision{Behavior: answer}, nil
		}}
		s := session(t, cfg)
		reg := registryOf(t, slow(pegboard.Info{Name: "T"}, false))
		for i := range 3 {
			out := run(t, reg, s, call(fmt.Sprint(i), "T", `{}`))
			require.Equal(t, i == 2 && answer == policy.Deny, out.Err != nil)
		}
		require.Equal(t, 1, asked)
		s.NewTurn()
		require.NoError(t, run(t, reg, s, call("4", "T", ` { } `)).Err)
		require.Equal(t, 1, asked, "the user spoke in between")
	}
}

// TestPollingIsNoLoop exempts a tool that says so.
func TestPollingIsNoLoop(t *testing.T) {
	t.Parallel()
	poll := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Poll", Polls: true}, Description: "Polls.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "not yet", nil },
	})
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}})
	for i := range 10 {
		require.NoError(t, run(t, registryOf(t, poll), s, call(fmt.Sprint(i), "Poll", ``)).Err)
	}
}

// TestThreeDenialsInARowStopTheTurn, and the model is told.
func TestThreeDenialsInARowStopTheTurn(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Denials: 3}})
	reg := registryOf(t, inert("A"), inert("B"), inert("C"))
	for i, name := range []string{"A", "B", "C"} {
		out := run(t, reg, s, call(name, name, ``))
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		require.Equal(t, i == 2, out.StopTurn)
	}
}

// The same call with the same result is a loop, also when the result is so long that it
// is stored under a name of its own.
func TestRepeatedLongResultIsALoop(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 5_000} {
		s := session(t, pegboard.SessionConfig{Results: dirStore(t, pegboard.DirOptions{}), Breaker: pegboard.BreakerLimits{Repeats: 3}})
		reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult(lines(n)), nil }))
		var last pegboard.Outcome
		for i := range 5 {
			last = run(t, reg, s, call(fmt.Sprint("id", i), "Tell", `{}`))
		}
		require.ErrorIs(t, last.Err, pegboard.ErrNoApprover, "lines: %d", n)
	}
}

// TestCallsWithoutAResultAreNoLoop: the model has learned nothing from them, and some were
// answered by "send it again".
func TestCallsWithoutAResultAreNoLoop(t *testing.T) {
	t.Parallel()
	tool := func(i pegboard.Info, readOnly bool) pegboard.Tool {
		i.Name = "T"
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: i, Description: "Works for a while.", Traits: pegboard.Traits{ReadOnly: readOnly},
			Call: func(own ctx, _ struct{}, _ *pegboard.Call) (string, error) {
				select {
				case <-own.Done():
					return "", context.Cause(own)
				case <-time.After(time.Second):
					return "done", nil
				}
			},
		})
	}
	stream := func(t *testing.T, ex anywhere, p *pegboard.Pool) *pegboard.Stream {
		t.Helper()
		s := ex.Stream(t.Context(), p)
		s.Submit(call("1", "T", `{}`))
		return s
	}
	interrupted := func(cause error) func(*testing.T, anywhere, *pegboard.Pool) error {
		return func(t *testing.T, ex anywhere, p *pegboard.Pool) error {
			t.Helper()
			turn, cancel := context.WithCancelCause(t.Context())
			defer time.AfterFunc(time.Millisecond, func() { cancel(cause) }).Stop()
			return ex.Run(turn, p, call("1", "T", `{}`))[0].Err
		}
	}
	tests := []struct {
		name  string
		tool  pegboard.Tool
		reply func(*testing.T, anywhere, *pegboard.Pool) error
		is    error
	}{
		{"cut off", tool(pegboard.Info{}, false), func(t *testing.T, ex anywhere, p *pegboard.Pool) error {
			t.Helper()
			s := stream(t, ex, p)
			s.Finish(pegboard.FinishLength)
			return slices.Collect(s.Outcomes())[0].Err
		}, pegboard.ErrCancelled},
		{"abandoned while it runs", tool(pegboard.Info{}, true), func(t *testing.T, ex anywhere, p *pegboard.Pool) error {
			t.Helper()
			s := stream(t, ex, p)
			s.Abandon(nil)
			return slices.Collect(s.Outcomes())[0].Err
		}, pegboard.ErrAbandoned},
		{"abandoned with its result", tool(pegboard.Info{}, true), func(t *testing.T, ex anywhere, p *pegboard.Pool) error {
			t.Helper()
			s := stream(t, ex, p)
			time.Sleep(time.Minute)
			s.Abandon(nil)
			return slices.Collect(s.Outcomes())[0].Err
		}, nil},
		{"cancelled by a message", tool(pegboard.Info{Interrupt: pegboard.InterruptCancel}, true), interrupted(pegboard.ErrNewMessage), pegboard.ErrNewMessage},
		{"cancelled by the user", tool(pegboard.Info{}, true), interrupted(pegboard.ErrUserInterrupt), pegboard.ErrUserInterrupt},
		{"detached", tool(pegboard.Info{Interrupt: pegboard.InterruptDetach}, true), interrupted(pegboard.ErrNewMessage), pegboard.ErrDetached},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				cfg := bypass(t)
				cfg.Breaker = pegboard.BreakerLimits{Repeats: 3}
				pool, ex := registryOf(t, tc.tool).AssemblePool(session(t, cfg), pegboard.PoolConfig{}), executor(pegboard.Executor{})
				for range 3 {
					require.ErrorIs(t, tc.reply(t, ex, pool), tc.is)
				}
				require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", `{}`))[0].Err)
			})
		})
	}
}

// TestNoRuleAnswersTheQuestionAboutALoop: the same call again and again is asked
// about whatever the rules say, also by one that an answer adds.
func TestNoRuleAnswersTheQuestionAboutALoop(t *testing.T) {
	t.Parallel()
	asked := 0
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 2, Denials: -1},
		Permissions: rules(t, "", policy.RuleSet{Allow: []string{"T"}}),
		Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			asked++
			require.Empty(t, q.Suggestions(policy.SourceSession))
			err := q.Call.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
				return p.Apply(allowRule(policy.SourceUser, "T", ""))
			})
			require.NoError(t, err)
			return policy.Decision{Behavior: policy.Deny, Reason: "no more", Remember: []policy.Update{allowRule(policy.SourceLocal, "T", "")}}, nil
		}})
	var ran []step
	var reg pegboard.Registry
	require.NoError(t, reg.Add(stepper(&ran)))
	for range 3 {
		run(t, &reg, s, call("", "T", `{"n":1}`))
	}
	require.Equal(t, 2, asked)
	require.Len(t, ran, 1)
}

// TestEqualCallsOfOneMessageAreNoLoop: the model has not read the result of the first when
// it makes the others.
func TestEqualCallsOfOneMessageAreNoLoop(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3, Denials: 3}})
	reg := registryOf(t, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("same"), nil }))
	var calls []pegboard.Call
	for i := range 2000 {
		calls = append(calls, call(fmt.Sprint(i), "Tell", `{}`))
	}
	ex := executor(pegboard.Executor{})
	for _, out := range ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), calls...) {
		require.NoError(t, out.Err)
		require.False(t, out.StopTurn)
	}
}

// TestDenialsOfOneMessageEndedTheTurn by the order in which they were decided, although
// calls beside them succeeded.
func TestDenialsOfOneMessageEndedTheTurn(t *testing.T) {
	t.Parallel()
	allowed := make(chan struct{})
	tell := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "x.", Traits: pegboard.Traits{Concurrency: pegboard.Shared},
			Call: func(ctx, struct{}, *pegboard.Call) (string, error) { <-allowed; return "ok", nil },
		})
	}
	run := func(t *testing.T, ex anywhere, p *pegboard.Pool, stream bool, calls []pegboard.Call) (stops []bool) {
		t.Helper()
		if !stream {
			for _, out := range ex.Run(t.Context(), p, calls...) {
				stops = append(stops, out.StopTurn)
			}
			return stops
		}
		s := ex.Stream(t.Context(), p)
		for _, c := range calls {
			s.Submit(c)
		}
		s.Finish(pegboard.FinishToolCalls)
		for out := range s.Outcomes() {
			stops = append(stops, out.StopTurn)
		}
		return stops
	}
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			allowed = make(chan struct{})
			denials := 0
			ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventFinished && e.Call.Name == "No" {
					if denials++; denials%3 == 0 {
						close(allowed) // the successes come last
					}
				}
			}})
			p := registryOf(t, tell("Yes"), tell("No")).AssemblePool(session(t, pegboard.SessionConfig{
				Breaker: pegboard.BreakerLimits{Repeats: 3, Denials: 3}, Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Yes"}}),
			}), pegboard.PoolConfig{})
			yes := func(id string) pegboard.Call { return call(id, "Yes", `{}`) }
			no := func(id string) pegboard.Call { return call(id, "No", `{}`) }
			mixed := []pegboard.Call{no("1"), yes("2"), no("3"), yes("4"), no("5")}
			require.Equal(t, make([]bool, 5), run(t, ex, p, stream, mixed), "one message in which some calls ran")
			allowed = make(chan struct{})
			require.Equal(t, make([]bool, 3), run(t, ex, p, stream, []pegboard.Call{no("6"), no("7"), no("8")}), "the second in a row")
			allowed = make(chan struct{})
			require.Equal(t, []bool{true, false, false, false}, run(t, ex, p, stream, []pegboard.Call{no("9"), no("10"), no("11"), yes("12")}), "the third in a row")
			p.Session().NewTurn()
			require.Equal(t, []bool{false}, run(t, ex, p, stream, []pegboard.Call{no("13")}))
		})
	}
}

// TestCallsInsideACallAreNoLoop: the model reads the result of the outer call only.
func TestCallsInsideACallAreNoLoop(t *testing.T) {
	t.Parallel()
	script := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Script"}, Description: "x.", Traits: pegboard.Traits{ReadOnly: true},
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			for range 10 {
				if out := c.Run(ctx, call("", "Tell", `{}`))[0]; out.Err != nil {
					return "", out.Err
				}
			}
			return "done", nil
		},
	})
	reg := registryOf(t, script, teller(pegboard.Info{Name: "Tell"}, func(*pegboard.Call) (*pegboard.Result, error) { return pegboard.TextResult("same"), nil }))
	out := run(t, reg, session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3, Denials: 3}}), call("1", "Script", `{}`))
	require.NoError(t, out.Err)
	require.Equal(t, "done", out.Result.Text())
}

// TestRepairingTestsIsNoLoop: a command that fails again and again while files are edited
// in between is how work is done.
func TestRepairingTestsIsNoLoop(t *testing.T) {
	t.Parallel()
	cfg := bypass(t)
	cfg.Breaker = pegboard.BreakerLimits{Repeats: 3, Denials: 3}
	s := session(t, cfg)
	reg := registryOf(t, writing(), teller(pegboard.Info{Name: "Bash"}, func(*pegboard.Call) (*pegboard.Result, error) { return nil, errors.New("exit code 1") }))
	for i := range 20 {
		require.NotErrorIs(t, run(t, reg, s, call(fmt.Sprint("b", i), "Bash", `{}`)).Err, pegboard.ErrDenied)
		require.NoError(t, run(t, reg, s, call(fmt.Sprint("e", i), "Write", fmt.Sprintf(`{"path":"f%d"}`, i))).Err)
	}
}

// TestLoopInAModeThatAsksNobody is denied: neither the person, nor an approver, a hook or
// the classifier is asked about a call that repeats, nor about what it checks.
func TestLoopInAModeThatAsksNobody(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.ModeDontAsk, policy.ModeDeny} {
		for _, inFork := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fork %v", mode, inFork), func(t *testing.T) {
				t.Parallel()
				asked := func(ctx, *pegboard.Question) (policy.Decision, error) {
					t.Error("somebody was asked")
					return policy.Decision{Behavior: policy.Allow}, nil
				}
				limits := pegboard.BreakerLimits{Repeats: 3, Denials: -1}
				s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Breaker: limits, Permissions: rules(t, mode, policy.RuleSet{Allow: []string{"T"}}),
					Ask: asked, Approvers: []pegboard.Asker{asked}, Classifier: asked, Hooks: pegboard.Hooks{Permission: asked}})
				if inFork { // the mode is its parent's
					s = forked(t, s, pegboard.SessionConfig{Breaker: limits})
				}
				var checked []error
				a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
					checked = append(checked, c.Check(ctx, pathTo(policy.Write, "f")), c.Check(ctx, policy.Target{Kind: policy.Host, Access: policy.Read, Value: "h.test", AskReason: "it is far"}))
					return nil
				}}
				pool, ex := a.pool(t, s), executor(pegboard.Executor{})
				for i := range 4 {
					o := ex.Run(t.Context(), pool, call(fmt.Sprint(i), "T", `{}`))[0]
					if i < 2 {
						require.NoError(t, o.Err)
						require.NoError(t, checked[2*i], "the allow rule covers it")
						require.ErrorIs(t, checked[2*i+1], pegboard.ErrDenied)
						require.ErrorContains(t, checked[2*i+1], "asks nobody")
						continue
					}
					require.ErrorIs(t, o.Err, pegboard.ErrDenied)
					require.NotErrorIs(t, o.Err, pegboard.ErrNoApprover)
					require.Equal(t, policy.ByMode, o.Decision.By)
					require.Contains(t, o.Result.Text(), fmt.Sprintf("mode %s asks nobody", mode))
				}
				require.Len(t, checked, 4)
			})
		}
	}
}

// TestClassifierDoesNotAnswerForALoop: a call that repeats is for the user.
func TestClassifierDoesNotAnswerForALoop(t *testing.T) {
	t.Parallel()
	by := ""
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 3}, Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}),
		Classifier: func(ctx, *pegboard.Question) (policy.Decision, error) {
			by += "c"
			return policy.Decision{Behavior: policy.Allow}, nil
		},
		Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			by += "p"
			return policy.Decision{Behavior: policy.Allow}, nil
		}})
	for i := range 3 {
		require.NoError(t, run(t, registryOf(t, inert("T")), s, call(fmt.Sprint(i), "T", `{}`)).Err)
	}
	require.Equal(t, "ccp", by)
}

// recordedCall is one call of a real session, with its result.
type recordedCall struct {
	Session string          `json:"session"`
	Turn    int             `json:"turn"`
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	IsError bool            `json:"is_error"`
	Result  string          `json:"result"`
}

// TestTranscriptsAreNoLoop replays real sessions, message by message, as if each were one
// turn of the user: the strictest case. The loop breaker may neither ask about a call nor
// end the turn.
func TestTranscriptsAreNoLoop(t *testing.T) {
	t.Parallel()
	for _, folder := range corpus.Folders(t) {
		path := filepath.Join(folder, "transcripts", "tool_calls.jsonl")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			continue
		}
		sessions := map[string][]recordedCall{}
		for n, line := range corpus.Lines(t, path) {
			var row recordedCall
			require.NoError(t, json.Unmarshal(line, &row), "line %d", n)
			sessions[row.Session] = append(sessions[row.Session], row)
		}
		calls, messages, failed := 0, 0, 0
		for _, rows := range sessions {
			for at := 0; at < len(rows); {
				end := at
				for end < len(rows) && rows[end].Turn == rows[at].Turn {
					end++
				}
				at, messages = end, messages+1
			}
			for _, o := range replayRecorded(t, rows) {
				calls++
				require.NotErrorIs(t, o.Err, pegboard.ErrDenied, "%s", o.Call.ID)
				require.False(t, o.StopTurn, "%s", o.Call.ID)
				if o.Result.IsError {
					failed++
				}
			}
		}
		corpus.Report(t, folder, "%d calls in %d messages, %d of them failed: no false alarm", calls, messages, failed)
		require.Positive(t, failed, "sessions without a failure prove little")
	}
}

// replayRecorded makes the calls of a session, whose results are the recorded ones. Nobody
// can be asked, so that a question would be a denial.
func replayRecorded(t *testing.T, rows []recordedCall) (outcomes []pegboard.Outcome) {
	t.Helper()
	results := map[string]recordedCall{}
	var registry pegboard.Registry
	known := map[string]bool{}
	for _, row := range rows {
		results[row.ID] = row
		if known[row.Tool] {
			continue
		}
		known[row.Tool] = true
		tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
			Info: pegboard.Info{Name: row.Tool}, Description: "Gives the recorded result.", Traits: pegboard.Traits{ReadOnly: true},
			Call: func(_ ctx, _ json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
				recorded := results[c.ID]
				r := pegboard.TextResult(recorded.Result)
				r.IsError = recorded.IsError
				return r, nil
			},
		})
		require.NoError(t, err)
		require.NoError(t, registry.Add(tool))
	}
	s := session(t, pegboard.SessionConfig{})
	for at := 0; at < len(rows); {
		var message []pegboard.Call
		for turn := rows[at].Turn; at < len(rows) && rows[at].Turn == turn; at++ {
			message = append(message, pegboard.Call{ID: rows[at].ID, Name: rows[at].Tool, Input: rows[at].Input})
		}
		e := executor(pegboard.Executor{})
		outcomes = append(outcomes, e.Run(t.Context(), registry.AssemblePool(s, pegboard.PoolConfig{}), message...)...)
	}
	return outcomes
}

// TestHonestWorkIsNoLoop holds sequences that a breaker must not mistake for a loop: a
// test that fails until the code is right, guessed paths, and a status between edits.
func TestHonestWorkIsNoLoop(t *testing.T) {
	t.Parallel()
	type step struct {
		tool, input string
		result      string
		failed      bool
	}
	red, edit := step{"Bash", `{"command":"python3 t.py"}`, "1 test failed", true}, func(n int) step {
		return step{"Edit", fmt.Sprintf(`{"new_string":"%d"}`, n), "edited", false}
	}
	missing := func(path string) step {
		return step{"Read", `{"file_path":"` + path + `"}`, path + " does not exist", true}
	}
	status := step{"Bash", `{"command":"git status"}`, "nothing to commit", false}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"a red test between edits", []step{red, edit(1), red, edit(2), red, edit(3), red, edit(4), red, edit(5), red}},
		{"six guessed paths", []step{missing("a"), missing("b"), missing("c"), missing("d"), missing("e"), missing("f")}},
		{"a status after each edit", []step{status, edit(1), status, edit(2), status, edit(3), status}},
		{"different commands that fail", []step{
			{"Bash", `{"command":"make"}`, "no rule", true}, {"Bash", `{"command":"make all"}`, "no rule", true},
			{"Bash", `{"command":"make test"}`, "no rule", true}, {"Bash", `{"command":"ninja"}`, "not found", true},
		}},
		{"the same command until it works", []step{
			{"Bash", `{"command":"curl localhost"}`, "refused after 1 ms", true}, {"Bash", `{"command":"curl localhost"}`, "refused after 2 ms", true},
			{"Bash", `{"command":"curl localhost"}`, "refused after 3 ms", true}, {"Bash", `{"command":"curl localhost"}`, "ok", false},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var rows []recordedCall
			for i, s := range test.steps {
				rows = append(rows, recordedCall{Turn: i, ID: fmt.Sprint(i), Tool: s.tool, Input: json.RawMessage(s.input), Result: s.result, IsError: s.failed})
			}
			for _, o := range replayRecorded(t, rows) {
				require.NotErrorIs(t, o.Err, pegboard.ErrDenied, "%s", o.Call.ID)
				require.False(t, o.StopTurn, "%s", o.Call.ID)
			}
		})
	}
}
