package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		budget      *pegboard.Budget
		spend       []float64
		spent, left float64
	}{
		{name: "fresh", budget: pegboard.NewBudget(2), left: 2},
		{name: "some is left", budget: pegboard.NewBudget(2), spend: []float64{0.5, 0.25}, spent: 0.75, left: 1.25},
		{name: "all is spent", budget: pegboard.NewBudget(2), spend: []float64{2}, spent: 2},
		{name: "too much is spent", budget: pegboard.NewBudget(2), spend: []float64{1.5, 1.5}, spent: 3},
		{name: "what is no amount", budget: pegboard.NewBudget(2), spend: []float64{-1, 0, math.NaN(), math.Inf(-1)}, left: 2},
		{name: "no limit", budget: pegboard.NewBudget(math.Inf(1)), spend: []float64{5}, spent: 5, left: math.Inf(1)},
		{name: "nothing to spend", budget: pegboard.NewBudget(0)},
		{name: "a negative limit", budget: pegboard.NewBudget(-1), spend: []float64{1}, spent: 1},
		{name: "a limit that is no number", budget: pegboard.NewBudget(math.NaN())},
		{name: "the zero value", budget: &pegboard.Budget{}, spend: []float64{1}, spent: 1},
		{name: "nil", spend: []float64{1}, left: math.Inf(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, dollars := range tt.spend {
				tt.budget.Spend(dollars)
			}
			require.Equal(t, []float64{tt.spent, tt.left}, []float64{tt.budget.Spent(), tt.budget.Left()})
		})
	}
}

func TestBudgetCountsForAll(t *testing.T) {
	t.Parallel()
	b := pegboard.NewBudget(100)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { b.Spend(0.5); b.Left() })
	}
	all.Wait()
	require.Equal(t, []float64{25, 75}, []float64{b.Spent(), b.Left()})
}

func TestBudgetsAreChecked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		budget pegboard.CallBudget
		says   string
	}{
		{name: "no limit", budget: pegboard.CallBudget{Tools: []string{"T"}}, says: "it limits nothing: set Calls, Time or Tokens"},
		{name: "negative calls", budget: pegboard.CallBudget{Calls: -1, Tokens: 1}, says: "a limit is negative"},
		{name: "negative time", budget: pegboard.CallBudget{Time: -1, Tokens: 1}, says: "a limit is negative"},
		{name: "negative tokens", budget: pegboard.CallBudget{Tokens: -1, Calls: 1}, says: "a limit is negative"},
		{name: "an unknown period", budget: pegboard.CallBudget{Calls: 1, Per: 2}, says: "its period is 2"},
		{name: "an empty name", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"T", ""}}, says: "is empty"},
		{name: "a pattern", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"Bash(git:*)"}}, says: "more than the name of a tool or a source"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{Budgets: []pegboard.CallBudget{{Calls: 1}, tt.budget}}
			_, err := pegboard.NewSession(cfg)
			require.ErrorContains(t, err, "budget 2: ")
			require.ErrorContains(t, err, tt.says)
			_, err = session(t, pegboard.SessionConfig{}).Fork(cfg)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

// TestBudgetIsCopied: later changes of the slices that a host passed or got count nothing.
func TestBudgetIsCopied(t *testing.T) {
	t.Parallel()
	budgets := []pegboard.CallBudget{{Tools: []string{"T"}, Calls: 1}}
	s := session(t, pegboard.SessionConfig{Budgets: budgets})
	budgets[0].Tools[0] = "Other"
	s.Spent()[0].Budget.Tools[0] = "Other"
	require.Equal(t, []pegboard.BudgetUse{{Budget: pegboard.CallBudget{Tools: []string{"T"}, Calls: 1}}}, s.Spent())
}

// TestTokensOfAResult counts what the tool returned.
func TestTokensOfAResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		result pegboard.Result
		want   int
	}{
		{name: "four bytes", result: pegboard.Result{Parts: []pegboard.Part{{Text: "four"}}}, want: 1},
		{name: "five bytes", result: pegboard.Result{Parts: []pegboard.Part{{Text: "fives"}}}, want: 2},
		{name: "of each part", result: pegboard.Result{Parts: []pegboard.Part{{Text: "a"}, {Text: "b"}}}, want: 2},
		{name: "not ASCII", result: pegboard.Result{Parts: []pegboard.Part{{Text: "日本"}}}, want: 2},
		{name: "title and source", result: pegboard.Result{Parts: []pegboard.Part{{Title: "1234", Source: "1234", Text: "1234"}}}, want: 3},
		{name: "a tool", result: pegboard.Result{Parts: []pegboard.Part{{Tool: "WebSearch"}}}, want: 3},
		{name: "messages", result: pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Messages: []pegboard.Part{{Text: "five5"}}}, want: 3},
		{name: "an image", result: pegboard.Result{Parts: []pegboard.Part{{MIME: "audio/wav", Data: []byte{1}}, {Text: "a"}}}, want: 1601},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := budgeted(t, pegboard.CallBudget{Tokens: 1000})
			run(t, registryOf(t, teller(pegboard.Info{Name: "T"}, func(*pegboard.Call) (*pegboard.Result, error) { return &tt.result, nil })), s, call("1", "T", `{}`))
			require.Equal(t, tt.want, s.Spent()[0].Tokens)
		})
	}
}

// TestBudgetTexts: what a model reads, and what a host.
func TestBudgetTexts(t *testing.T) {
	t.Parallel()
	const (
		other = "Use other tools, or answer with what you have and say what is missing."
		none  = "No tool runs any more in this %s: answer with what you have and say what is missing."
	)
	tests := []struct {
		name   string
		budget pegboard.CallBudget
		limit  string
		next   string
	}{
		{name: "calls", budget: pegboard.CallBudget{Calls: 1}, limit: "1 tool call in this session", next: fmt.Sprintf(none, "session")},
		{name: "calls of a tool", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"T"}, Per: pegboard.PerTurn}, limit: "1 call of T in this turn", next: other},
		{name: "calls of tools", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"A", "mcp__b", "T"}}, limit: "1 call of A, mcp__b and T in this session", next: other},
		{name: "time", budget: pegboard.CallBudget{Time: 1, Per: pegboard.PerTurn}, limit: "0s running time of tools in this turn", next: fmt.Sprintf(none, "turn")},
		{name: "tokens", budget: pegboard.CallBudget{Tokens: 1}, limit: "1 token in this session", next: fmt.Sprintf(none, "session")},
		{name: "tokens of a tool", budget: pegboard.CallBudget{Tokens: 1, Tools: []string{"T"}}, limit: "1 token of results of T in this session", next: other},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := bypass(t)
			cfg.Budgets = []pegboard.CallBudget{tt.budget}
			s := session(t, cfg)
			reg := registryOf(t, plain("T", func(ctx, struct{}, *pegboard.Call) (string, error) {
				for begun := time.Now(); time.Since(begun) == 0; { // the budget of time is a nanosecond
				}
				return "done", nil
			}))
			run(t, reg, s, call("1", "T", `{}`))
			out := run(t, reg, s, call("2", "T", `{}`))
			require.Equal(t, "T was not run: the limit of "+tt.limit+" is used up. "+tt.next, out.Result.Text())
			require.EqualError(t, out.Err, "limits T: budget used up: the limit of "+tt.limit)
			require.Equal(t, len(tt.budget.Tools) == 0, out.StopTurn)
			var over *pegboard.BudgetError
			require.ErrorAs(t, out.Err, &over)
			require.ErrorIs(t, out.Err, pegboard.ErrBudget)
			require.NotErrorIs(t, out.Err, pegboard.ErrCancelled)
			require.Equal(t, s.Spent()[0], over.Use)
			var at *pegboard.CallError
			require.ErrorAs(t, out.Err, &at)
			require.Equal(t, pegboard.StageLimits, at.Stage)
		})
	}
}

func TestBudgetNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, "session turn", pegboard.PerSession.String()+" "+pegboard.PerTurn.String())
}

// schedule notes when tools run, in the seconds of the fake clock.
type schedule struct {
	mu    sync.Mutex
	begun time.Time
	lines []string
}

func newSchedule() *schedule { return &schedule{begun: time.Now()} }

func (s *schedule) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%g %s", time.Since(s.begun).Seconds(), text))
}

// sorted returns the lines; those of one moment stand in no order.
func (s *schedule) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.lines))
}

// takes returns a shared tool whose calls take a time, and note under their id when they
// begin.
func (s *schedule) takes(info pegboard.Info, d time.Duration, inside ...func(ctx, *pegboard.Call)) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: info, Description: "Takes its time.", Traits: looksOnly,
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			s.note(c.ID)
			select {
			case <-time.After(d):
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
			for _, f := range inside {
				f(ctx, c)
			}
			return "done", nil
		},
	})
}

// callsOf returns so many calls of a tool.
func callsOf(name string, n int) (calls []pegboard.Call) {
	for i := range n {
		calls = append(calls, call(fmt.Sprint(name, i+1), name, `{}`))
	}
	return calls
}

func limited(t testing.TB, groups map[string]pegboard.GroupLimit) pegboard.SessionConfig {
	t.Helper()
	cfg := bypass(t)
	cfg.Groups = groups
	return cfg
}

// TestGroupNames says which calls a key of Groups is about.
func TestGroupNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		key     string
		info    pegboard.Info
		source  string
		limited bool
	}{
		{name: "a group", key: "net", info: pegboard.Info{Name: "T", Group: "net"}, limited: true},
		{name: "another group", key: "net", info: pegboard.Info{Name: "T", Group: "disk"}},
		{name: "a tool", key: "T", info: pegboard.Info{Name: "T"}, limited: true},
		{name: "a tool in a group", key: "T", info: pegboard.Info{Name: "T", Group: "net"}, limited: true},
		{name: "an alias", key: "Old", info: pegboard.Info{Name: "T", Aliases: []string{"Old"}}, limited: true},
		{name: "a source", key: "mcp__web", info: pegboard.Info{Name: "T"}, source: "web", limited: true},
		{name: "a tool of a source", key: "mcp__web__T", info: pegboard.Info{Name: "T"}, source: "web", limited: true},
		{name: "another source", key: "mcp__web2", info: pegboard.Info{Name: "T"}, source: "web"},
		{name: "all sources", key: "mcp__*", info: pegboard.Info{Name: "T"}, source: "web", limited: true},
		{name: "a group in a source", key: "net", info: pegboard.Info{Name: "T", Group: "net"}, source: "web", limited: true},
		{name: "a source beside the group", key: "mcp__web", info: pegboard.Info{Name: "T", Group: "net"}, source: "web", limited: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, reg := newSchedule(), new(pegboard.Registry)
				if tool := s.takes(tt.info, time.Second); tt.source == "" {
					require.NoError(t, reg.Add(tool))
				} else {
					_, err := reg.Attach(tt.source, tool)
					require.NoError(t, err)
				}
				pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{tt.key: {Parallel: 1}})), pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{})
				ex.Run(t.Context(), pool, callsOf(names(pool)[0], 3)...)
				want := time.Second
				if tt.limited {
					want = 3 * time.Second
				}
				require.Equal(t, want, time.Since(s.begun))
			})
		})
	}
}

func TestGroupsAreChecked(t *testing.T) {
	t.Parallel()
	for key, l := range map[string]pegboard.GroupLimit{
		"":             {Parallel: 1},
		"Bash(git:*)":  {Parallel: 1},
		"Bash(":        {Parallel: 1},
		"with\nbreaks": {Parallel: 1},
		"net":          {PerSecond: math.NaN()},
	} {
		_, err := pegboard.NewSession(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{key: l}})
		require.ErrorContains(t, err, fmt.Sprintf("group %q: ", key))
	}
	_, err := pegboard.TryBuild(pegboard.Definition[struct{}, string]{Info: pegboard.Info{Name: "T", Group: "a(b)"}, Description: "For a test.", Call: says("")})
	var wrong *pegboard.BuildError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "Info.Group", wrong.Field)

	s := session(t, limited(t, map[string]pegboard.GroupLimit{"net": {}}))
	_, err = s.Fork(pegboard.SessionConfig{Groups: map[string]pegboard.GroupLimit{"net": {Parallel: 1}}})
	require.ErrorContains(t, err, "leave Groups empty")
}

// TestGroupLimits plays eight calls, four of an agent and four of the main session, which
// have 2 workers each or more than they need.
func TestGroupLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		limit   pegboard.GroupLimit
		workers int
		want    []float64 // when the calls begin
	}{
		{name: "no limit", want: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{name: "less than none", limit: pegboard.GroupLimit{Parallel: -1, PerSecond: -1, Burst: -1}, want: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{name: "an infinite rate", limit: pegboard.GroupLimit{PerSecond: math.Inf(1)}, want: []float64{0, 0, 0, 0, 0, 0, 0, 0}},
		{name: "no limit but the workers", workers: 2, want: []float64{0, 0, 0, 0, 1, 1, 1, 1}},
		{name: "one at once", limit: pegboard.GroupLimit{Parallel: 1}, want: []float64{0, 1, 2, 3, 4, 5, 6, 7}},
		{name: "three at once", limit: pegboard.GroupLimit{Parallel: 3}, want: []float64{0, 0, 0, 1, 1, 1, 2, 2}},
		{name: "three at once, two workers each", limit: pegboard.GroupLimit{Parallel: 3}, workers: 2, want: []float64{0, 0, 0, 1, 1, 1, 2, 2}},
		{name: "a rate", limit: pegboard.GroupLimit{PerSecond: 2}, want: []float64{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}},
		{name: "a rate with a burst", limit: pegboard.GroupLimit{PerSecond: 0.5, Burst: 3}, want: []float64{0, 0, 0, 2, 4, 6, 8, 10}},
		{name: "both", limit: pegboard.GroupLimit{Parallel: 2, PerSecond: 4, Burst: 2}, want: []float64{0, 0, 1, 1, 2, 2, 3, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSchedule()
				reg := registryOf(t, s.takes(pegboard.Info{Name: "T", Group: "net"}, time.Second))
				main := session(t, limited(t, map[string]pegboard.GroupLimit{"net": tt.limit}))
				agent := forked(t, main, pegboard.SessionConfig{AgentID: "a"})
				var all sync.WaitGroup
				for _, s := range []*pegboard.Session{main, agent} {
					ex := executor(pegboard.Executor{MaxParallel: tt.workers})
					all.Go(func() {
						for _, out := range ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), callsOf("T", 4)...) {
							require.NoError(t, out.Err)
						}
					})
				}
				all.Wait()
				var begun []float64
				for _, line := range s.lines {
					var at float64
					_, err := fmt.Sscan(line, &at)
					require.NoError(t, err)
					begun = append(begun, at)
				}
				require.Equal(t, tt.want, begun)
			})
		})
	}
}

// TestGroupWaitsWithoutAWorker: calls that wait for their group leave the workers to
// others, but hold their targets.
func TestGroupWaitsWithoutAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		perFile := func(info pegboard.Info) pegboard.Tool {
			return pegboard.Build(pegboard.Definition[touch, string]{
				Info: info, Description: "Touches a file.",
				Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
					return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
				},
				Call: func(_ ctx, _ touch, c *pegboard.Call) (string, error) {
					s.note(c.ID)
					time.Sleep(10 * time.Second)
					return "touched", nil
				},
			})
		}
		reg := registryOf(t, perFile(pegboard.Info{Name: "Slow", Group: "disk"}), perFile(pegboard.Info{Name: "Quick"}))
		pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"disk": {Parallel: 1}})), pegboard.PoolConfig{})
		var events []string
		ex := executor(pegboard.Executor{MaxParallel: 2, OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventWaiting && e.WaitsFor == nil {
				events = append(events, e.Text)
			}
		}})
		for _, out := range ex.Run(t.Context(), pool,
			call("1", "Slow", `{"path":"a"}`), call("2", "Slow", `{"path":"b"}`), call("3", "Slow", `{"path":"c"}`),
			call("4", "Quick", `{"path":"d"}`), call("5", "Quick", `{"path":"c"}`)) {
			require.NoError(t, out.Err)
		}
		begun := map[string]float64{}
		for _, line := range s.lines {
			var at float64
			var id string
			_, err := fmt.Sscan(line, &at, &id)
			require.NoError(t, err)
			begun[id] = at
		}
		require.ElementsMatch(t, []float64{0, 10, 20}, []float64{begun["1"], begun["2"], begun["3"]})
		require.Zero(t, begun["4"], "there is a worker for it")
		require.GreaterOrEqual(t, begun["5"], begun["3"]+10, "its file is taken")
		require.Len(t, events, 2)
		require.Equal(t, "waits for a place in disk: 1 at once", events[0])
	})
}

// TestGroupWaitOfARate says what a call waits for.
func TestGroupWaitOfARate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		pool := registryOf(t, s.takes(pegboard.Info{Name: "T"}, 0)).AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"T": {PerSecond: 0.5}})), pegboard.PoolConfig{})
		var events []string
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) { events = append(events, e.Call.ID+" "+e.Kind.String()+" "+e.Text) }})
		ex.Run(t.Context(), pool, call("1", "T", `{}`))
		ex.Run(t.Context(), pool, call("2", "T", `{}`))
		require.Equal(t, []string{"1 admitted ", "1 decided ", "1 started ", "1 finished ", "2 admitted ", "2 decided ", "2 waiting waits for the rate of T: 0.5 in a second", "2 started ", "2 finished "}, events)
	})
}

// TestGroupWaitEnds ends a call that waits for a place, by every cause there is.
func TestGroupWaitEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(t *testing.T, s *pegboard.Session, cancel context.CancelCauseFunc)
		is   error
	}{
		{name: "the user interrupts", is: pegboard.ErrUserInterrupt, end: func(_ *testing.T, _ *pegboard.Session, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrUserInterrupt)
		}},
		{name: "a new message", is: pegboard.ErrNewMessage, end: func(_ *testing.T, _ *pegboard.Session, cancel context.CancelCauseFunc) {
			cancel(pegboard.ErrNewMessage)
		}},
		{name: "the agent is interrupted", is: pegboard.ErrUserInterrupt, end: func(_ *testing.T, s *pegboard.Session, _ context.CancelCauseFunc) { s.Interrupt(nil) }},
		{name: "the agent is closed", is: pegboard.ErrClosed, end: func(t *testing.T, s *pegboard.Session, _ context.CancelCauseFunc) {
			t.Helper()
			require.NoError(t, s.Close(t.Context()))
		}},
		{name: "a sibling fails", is: pegboard.ErrSiblingFailed, end: func(*testing.T, *pegboard.Session, context.CancelCauseFunc) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSchedule()
				fails := pegboard.Build(pegboard.Definition[struct{}, string]{
					Info: pegboard.Info{Name: "Fails", CancelsSiblings: true}, Description: "Fails.", Traits: looksOnly,
					Call: func(ctx, struct{}, *pegboard.Call) (string, error) {
						time.Sleep(2 * time.Second)
						return "", errReset
					},
				})
				reg := registryOf(t, s.takes(pegboard.Info{Name: "T"}, time.Hour), fails)
				main := session(t, limited(t, map[string]pegboard.GroupLimit{"T": {Parallel: 1}}))
				agent := forked(t, main, pegboard.SessionConfig{})
				holder := executor(pegboard.Executor{})
				held, release := context.WithCancel(t.Context())
				defer release()
				go holder.Run(held, reg.AssemblePool(main, pegboard.PoolConfig{}), call("holder", "T", `{}`))
				time.Sleep(time.Second)

				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(2*time.Second, func() { tt.end(t, agent, cancel) })
				ex := executor(pegboard.Executor{CancelSiblings: true})
				calls := []pegboard.Call{call("waits", "T", `{}`)}
				if errors.Is(tt.is, pegboard.ErrSiblingFailed) {
					calls = append(calls, call("fails", "Fails", `{}`))
				}
				out := ex.Run(ctx, reg.AssemblePool(agent, pegboard.PoolConfig{}), calls...)[0]
				require.ErrorIs(t, out.Err, tt.is)
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
				var at *pegboard.CallError
				require.ErrorAs(t, out.Err, &at)
				require.Equal(t, pegboard.StageLimits, at.Stage)
				require.Contains(t, out.Result.Text(), "T was not run: ")
				require.Zero(t, out.Attempts)
				require.Equal(t, 3*time.Second, time.Since(s.begun))
				release()
				synctest.Wait()
				require.Equal(t, []string{"0 holder"}, s.lines)
			})
		})
	}
}

// TestGroupInsideACall: a call does not wait for the call that made it, whether that was
// by Call.Run, by Call.Run with another context, or by an agent in its context.
func TestGroupInsideACall(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		inside func(t *testing.T, ctx ctx, reg *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome
	}{
		{name: "a script", inside: func(_ *testing.T, ctx ctx, _ *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome {
			return c.Run(ctx, calls...)
		}},
		{name: "a script with a context of its own", inside: func(t *testing.T, _ ctx, _ *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome {
			t.Helper()
			return c.Run(t.Context(), calls...)
		}},
		{name: "an agent", inside: func(t *testing.T, ctx ctx, reg *pegboard.Registry, c *pegboard.Call, calls []pegboard.Call) []pegboard.Outcome {
			t.Helper()
			ex := executor(pegboard.Executor{})
			return ex.Run(ctx, reg.AssemblePool(forked(t, c.Session(), pegboard.SessionConfig{}), pegboard.PoolConfig{}), calls...)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, reg := newSchedule(), new(pegboard.Registry)
				var inner []pegboard.Outcome
				outer := s.takes(pegboard.Info{Name: "Outer", Group: "one"}, time.Second, func(ctx ctx, c *pegboard.Call) {
					inner = append(inner, tt.inside(t, ctx, reg, c, callsOf("Inner", 2))...)
				})
				require.NoError(t, reg.Add(outer, s.takes(pegboard.Info{Name: "Inner", Group: "one"}, time.Second)))
				main := session(t, limited(t, map[string]pegboard.GroupLimit{"one": {Parallel: 1}}))
				ex := executor(pegboard.Executor{MaxParallel: 1})
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // one that waits for itself ends
				defer cancel()
				outs := ex.Run(ctx, reg.AssemblePool(main, pegboard.PoolConfig{}), call("outer1", "Outer", `{}`), call("outer2", "Outer", `{}`))
				require.Len(t, inner, 4)
				for _, out := range append(outs, inner...) {
					require.NoError(t, out.Err)
				}
				require.Equal(t, 6*time.Second, time.Since(s.begun), "two inside each, one after the other")
			})
		})
	}
}

// TestGroupsThatWaitForEachOther fails one of two calls that would wait for ever.
func TestGroupsThatWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		var failed []pegboard.Outcome
		inside := func(name string) func(ctx, *pegboard.Call) {
			return func(ctx ctx, c *pegboard.Call) {
				if out := c.Run(ctx, call("in "+c.ID, name, `{}`))[0]; out.Err != nil {
					failed = append(failed, out)
				}
			}
		}
		reg := registryOf(t,
			s.takes(pegboard.Info{Name: "A", Group: "a"}, time.Second, inside("InB")), s.takes(pegboard.Info{Name: "InA", Group: "a"}, time.Second),
			s.takes(pegboard.Info{Name: "B", Group: "b"}, 2*time.Second, inside("InA")), s.takes(pegboard.Info{Name: "InB", Group: "b"}, time.Second))
		pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"a": {Parallel: 1}, "b": {Parallel: 1}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		for _, out := range ex.Run(t.Context(), pool, call("1", "A", `{}`), call("2", "B", `{}`)) {
			require.NoError(t, out.Err)
		}
		require.Equal(t, []string{"0 1", "0 2", "2 in 1"}, s.sorted())
		require.Len(t, failed, 1)
		require.ErrorIs(t, failed[0].Err, pegboard.ErrDeadlock)
		require.Equal(t, "InA was not run: it would wait for a call that waits for it. Call it again later, when nothing else runs beside it.", failed[0].Result.Text())
	})
}

// TestGroupOfAnAbandonedCall keeps its place until the tool returns. Others do not wait
// for that.
func TestGroupOfAnAbandonedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := slow(pegboard.Info{Name: "Deaf", Timeout: time.Second, Group: "g"}, true)
		s := newSchedule()
		reg := registryOf(t, deaf, s.takes(pegboard.Info{Name: "T", Group: "g"}, time.Second))
		pool := reg.AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"g": {Parallel: 1}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{Grace: time.Second})
		outs := ex.Run(t.Context(), pool, call("deaf", "Deaf", `{"ms":60000}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrDetached)

		out := ex.Run(t.Context(), pool, call("early", "T", `{}`))[0]
		require.ErrorIs(t, out.Err, pegboard.ErrDetached)
		require.Contains(t, out.Result.Text(), "T was not run: as many calls as may run at once were given up and have not returned (Deaf). ")
		require.Equal(t, 2*time.Second, time.Since(s.begun))
		time.Sleep(time.Minute)
		out = ex.Run(t.Context(), pool, call("late", "T", `{}`))[0]
		require.NoError(t, out.Err)
		require.Equal(t, []string{"62 late"}, s.lines)
	})
}

// TestGroupOfARetriedCall gives the place back in the pause, and each attempt counts for
// the rate.
func TestGroupOfARetriedCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := attempts{traits: looksOnly, takes: time.Second, ends: []error{pegboard.Transient(errReset, 2*time.Second), nil},
			info: pegboard.Info{Group: "net", Retry: pegboard.RetryPolicy{Attempts: 2}}}
		s := newSchedule()
		pool := registryOf(t, a.tool(), s.takes(pegboard.Info{Name: "T", Group: "net"}, time.Second)).AssemblePool(
			session(t, limited(t, map[string]pegboard.GroupLimit{"net": {Parallel: 1, PerSecond: 0.2, Burst: 2}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{})
		stream := ex.Stream(t.Context(), pool)
		stream.Submit(call("fetch", "Fetch", `{}`))
		synctest.Wait()
		stream.Submit(call("t", "T", `{}`))
		stream.Finish(pegboard.FinishStop)
		for out := range stream.Outcomes() {
			require.NoError(t, out.Err)
		}
		require.Equal(t, []string{"1 t"}, s.lines, "in the pause")
		require.Equal(t, 5*time.Second, a.begun[1].Sub(a.begun[0]), "the pause is over at 3, and the rate permits the third start at 5")
	})
}

// TestGroupsDoNotChangeOthers: a session with limits treats a call of none as any other.
func TestGroupsDoNotChangeOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSchedule()
		pool := registryOf(t, s.takes(pegboard.Info{Name: "T"}, time.Second)).AssemblePool(session(t, limited(t, map[string]pegboard.GroupLimit{"net": {Parallel: 1}})), pegboard.PoolConfig{})
		ex := executor(pegboard.Executor{MaxParallel: 2})
		outs := ex.Run(t.Context(), pool, append(callsOf("T", 4), call("no", "None", `{}`), call("T1", "T", `{}`))...)
		require.ErrorIs(t, outs[4].Err, pegboard.ErrUnknownTool)
		require.ErrorIs(t, outs[5].Err, pegboard.ErrDuplicate)
		require.Equal(t, 2*time.Second, time.Since(s.begun))
	})
}

// TestGroupOfCallsThatTheHostExecutes limits them, without a worker.
func TestGroupOfCallsThatTheHostExecutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		_, pool := browsing(t, limited(t, map[string]pegboard.GroupLimit{"Open": {Parallel: 2}}))
		h := host{execute: func(a *pegboard.ExternalCall) { time.AfterFunc(time.Second, func() { sayTitle(t, a, "x") }) }}
		ex := executor(pegboard.Executor{MaxParallel: 1, OnEvent: h.listen})
		for _, out := range ex.Run(t.Context(), pool, callsOf("Open", 4)...) {
			require.NoError(t, out.Err)
		}
		require.Equal(t, 2*time.Second, time.Since(begun))
	})
}

// task is what one call of the random test does. It stands in the call's input.
type task struct {
	Tool  int    `json:"tool"`
	Ms    int    `json:"ms,omitempty"`
	Class int    `json:"class,omitempty"`
	Path  string `json:"path,omitempty"`
	Reads bool   `json:"reads,omitempty"` // and does not write it
	Fails int    `json:"fails,omitempty"` // attempts that end with a failure of the transport
	Deaf  bool   `json:"deaf,omitempty"`
	Agent bool   `json:"agent,omitempty"` // the calls inside are those of an agent
	Inner []task `json:"inner,omitempty"`
}

// crowd is a conversation whose agents send messages at the same time.
type crowd struct {
	limits   map[string]pegboard.GroupLimit
	messages [][]task // one for each agent
	gathers  []bool   // of each message: its calls are handed in one by one
	workers  int
	cancel   time.Duration // of the first agent; 0 means never
}

const crowdTools = 6 // of which two are in each group; every third is limited by its own name, too

func groupsOfTool(tool int) []string {
	groups := []string{fmt.Sprint("g", tool%3)}
	if tool%3 == 0 {
		groups = append(groups, fmt.Sprint("T", tool))
	}
	return groups
}

func randomCrowd(random *rand.Rand) crowd {
	c := crowd{limits: map[string]pegboard.GroupLimit{}, workers: random.IntN(4)}
	for tool := range crowdTools {
		for _, g := range groupsOfTool(tool) {
			l := pegboard.GroupLimit{Parallel: random.IntN(4)}
			if random.IntN(3) == 0 {
				l.PerSecond, l.Burst = float64(20*(1+random.IntN(20))), random.IntN(4)
			}
			c.limits[g] = l
		}
	}
	for range 1 + random.IntN(4) {
		c.messages = append(c.messages, randomTasks(random, 2))
	}
	if random.IntN(4) == 0 {
		c.cancel = time.Duration(random.IntN(60)) * time.Millisecond
	}
	for range c.messages {
		c.gathers = append(c.gathers, random.IntN(3) == 0)
	}
	return c
}

func randomTasks(random *rand.Rand, depth int) (tasks []task) {
	for range 1 + random.IntN(5) {
		t := task{Tool: random.IntN(crowdTools), Ms: random.IntN(30), Class: random.IntN(3), Path: string(rune('a' + random.IntN(3))), Reads: random.IntN(3) == 0}
		switch random.IntN(12) {
		case 0:
			t.Fails = 1 + random.IntN(3)
		case 1:
			t.Deaf = true
		case 2, 3, 4:
			if depth > 0 {
				t.Inner, t.Agent = randomTasks(random, depth-1), random.IntN(2) == 0
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// calls returns the calls of some tasks. The id of a call begins with that of the call
// around it.
func tasksAsCalls(id string, tasks []task) (calls []pegboard.Call) {
	for i, t := range tasks {
		input, err := json.Marshal(t)
		if err != nil {
			panic(err)
		}
		calls = append(calls, pegboard.Call{ID: fmt.Sprint(id, ".", i), Name: fmt.Sprint("T", t.Tool), Input: input})
	}
	return calls
}

// crowdWitness sees which tools run.
type crowdWitness struct {
	crowd   crowd
	reg     *pegboard.Registry
	mu      sync.Mutex
	running map[string]task // by the call's id
	tried   map[string]int
	starts  map[string][]time.Time
	ended   map[string]int // outcomes, by the reason
	files   map[string]string
	log     []*crowdStart
	faults  []string
}

// crowdStart is the start of one attempt of a call, which reads its file.
type crowdStart struct {
	id, path, saw string
	wrote         bool // it appended its id to the file, when it ended
}

// using counts the running calls of a group without those that wait for one inside them.
func (w *crowdWitness) using(group string) (n int) {
	for id, t := range w.running {
		waits := false
		for in, other := range w.running {
			waits = waits || strings.HasPrefix(in, id+".") && slices.Contains(groupsOfTool(other.Tool), group)
		}
		if slices.Contains(groupsOfTool(t.Tool), group) && !waits {
			n++
		}
	}
	return n
}

// begins notes a start. A call that makes others writes at once, since these may use its file.
func (w *crowdWitness) begins(c *pegboard.Call, t task) (attempt int, start *crowdStart) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, other := range w.running {
		if other.Path == t.Path && (!other.Reads || !t.Reads) && !strings.HasPrefix(c.ID, id+".") {
			w.faults = append(w.faults, fmt.Sprintf("%s and %s use %s at once", id, c.ID, t.Path))
		}
	}
	w.running[c.ID] = t
	for _, g := range groupsOfTool(t.Tool) {
		w.starts[g] = append(w.starts[g], time.Now())
		if n, most := w.using(g), w.crowd.limits[g].Parallel; most > 0 && n > most {
			w.faults = append(w.faults, fmt.Sprintf("%s: %d of %d run in %s", c.ID, n, most, g))
		}
	}
	w.tried[c.ID]++
	start = &crowdStart{id: c.ID, path: t.Path, saw: w.files[t.Path]}
	w.log = append(w.log, start)
	if len(t.Inner) > 0 {
		w.write(start, t)
	}
	return w.tried[c.ID], start
}

func (w *crowdWitness) ends(c *pegboard.Call, t task, start *crowdStart) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write(start, t)
	delete(w.running, c.ID)
}

func (w *crowdWitness) write(start *crowdStart, t task) {
	if !t.Reads && !start.wrote {
		w.files[t.Path] += " " + start.id
		start.wrote = true
	}
}

// replay takes the starts of all agents one after the other.
func (w *crowdWitness) replay() {
	files := map[string]string{}
	for _, s := range w.log {
		if s.saw != files[s.path] {
			w.faults = append(w.faults, fmt.Sprintf("%s saw%s in %s, and not%s", s.id, s.saw, s.path, files[s.path]))
		}
		if s.wrote {
			files[s.path] += " " + s.id
		}
	}
}

func (w *crowdWitness) checkRates() {
	for g, starts := range w.starts {
		l := w.crowd.limits[g]
		for i := range starts {
			for k := i; k < len(starts) && l.PerSecond > 0; k++ {
				period := starts[k].Sub(starts[i])
				if most := float64(max(1, l.Burst)) + l.PerSecond*period.Seconds() + 1e-6; float64(k-i+1) > most {
					w.faults = append(w.faults, fmt.Sprintf("%d starts of %s in %v, more than %g", k-i+1, g, period, most))
				}
			}
		}
	}
}

func (w *crowdWitness) tool(n int) pegboard.Tool {
	info := pegboard.Info{Name: fmt.Sprint("T", n), Group: fmt.Sprint("g", n%3), Timeout: time.Minute, Retry: pegboard.RetryPolicy{Attempts: 3, Delay: 10 * time.Millisecond}}
	return pegboard.Build(pegboard.Definition[task, string]{
		Info: info, Description: "Does as it is told.",
		Inspect: func(in task, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.Exclusive + pegboard.Concurrency(in.Class), Idempotent: true, Targets: []policy.Target{{Kind: policy.Path, Access: map[bool]policy.Access{true: policy.Read}[in.Reads], Value: in.Path}}}
		},
		Call: w.perform,
	})
}

func (w *crowdWitness) perform(ctx ctx, in task, c *pegboard.Call) (string, error) {
	attempt, start := w.begins(c, in)
	defer w.ends(c, in, start)
	heard := ctx.Done()
	if in.Deaf {
		heard = nil
	}
	select {
	case <-time.After(time.Duration(in.Ms) * time.Millisecond):
	case <-heard:
		return "", context.Cause(ctx)
	}
	if attempt <= in.Fails {
		return "", pegboard.Transient(errReset, 0)
	}
	calls := tasksAsCalls(c.ID, in.Inner)
	if in.Agent {
		agent, err := c.Session().Fork(pegboard.SessionConfig{AgentID: c.ID})
		if err != nil {
			return "", err
		}
		defer agent.Close(context.WithoutCancel(ctx)) //nolint:errcheck // its calls have ended
		ex := executor(pegboard.Executor{MaxParallel: 1, Grace: time.Millisecond})
		w.count(calls, ex.Run(ctx, w.reg.AssemblePool(agent, pegboard.PoolConfig{}), calls...))
	} else if len(calls) > 0 {
		w.count(calls, c.Run(ctx, calls...))
	}
	return "done", nil
}

func (w *crowdWitness) count(calls []pegboard.Call, outs []pegboard.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, out := range outs {
		if out.Call.ID != calls[i].ID {
			w.faults = append(w.faults, "outcomes are out of order")
		}
		why := ""
		for _, e := range []error{errReset, pegboard.ErrDetached, pegboard.ErrCancelled, pegboard.ErrDeadlock, pegboard.ErrUnknownTool} {
			if errors.Is(out.Err, e) {
				why = e.Error()
				break
			}
		}
		if (out.Err != nil) != (why != "") || (why == "") != (out.Result.Text() == "done") {
			w.faults = append(w.faults, fmt.Sprintf("%s: %v %s", out.Call.ID, out.Err, out.Result.Text()))
		}
		w.ended[why]++
	}
}

// send has an agent send a message, whose calls may be handed in one by one, the last first.
func (w *crowdWitness) send(ctx ctx, ex anywhere, p *pegboard.Pool, calls []pegboard.Call, gathers bool) []pegboard.Outcome {
	if !gathers {
		return ex.Run(ctx, p, calls...)
	}
	g := ex.Gather(ctx, p, calls...)
	var framework sync.WaitGroup
	for i, c := range calls {
		framework.Go(func() {
			time.Sleep(time.Duration(len(calls)-i) * 7 * time.Millisecond)
			if ctx.Err() == nil {
				ex.Run(ctx, p, c)
			}
		})
	}
	framework.Wait()
	return g.End()
}

// TestGroupsOfACrowd plays agents whose messages are full of scripts, agents, retries and
// calls that do not return, and may be handed in one by one. Every call sees what it would see if
// all calls ran one after the other, in the order in which they start. Never more calls of a group run than its limit says, its rate
// holds over every period, no two calls of any agents use a file at once if one of them writes it,
// but for those inside each other, and every call that nobody stops is served.
func TestGroupsOfACrowd(t *testing.T) {
	t.Parallel()
	reasons := map[string]int{}
	for seed := range effort.Of(t, uint64(400)) {
		c := randomCrowd(rand.New(rand.NewPCG(seed, 39)))
		bubble(t, func() string { return fmt.Sprintf("seed %d: %+v", seed, c) }, func(t *testing.T) {
			t.Helper()
			w := &crowdWitness{crowd: c, reg: new(pegboard.Registry), running: map[string]task{}, tried: map[string]int{}, starts: map[string][]time.Time{}, ended: map[string]int{}, files: map[string]string{}}
			for n := range crowdTools {
				require.NoError(t, w.reg.Add(w.tool(n)))
			}
			cfg := limited(t, c.limits)
			main := session(t, cfg)
			begun := time.Now()
			var all sync.WaitGroup
			for i, message := range c.messages {
				agent, ctx := forked(t, main, pegboard.SessionConfig{}), t.Context()
				if i == 0 && c.cancel > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.cancel)
					defer cancel()
				}
				calls, ex := tasksAsCalls(fmt.Sprint(i), message), executor(pegboard.Executor{MaxParallel: c.workers, Grace: time.Millisecond})
				all.Go(func() {
					w.count(calls, w.send(ctx, ex, w.reg.AssemblePool(agent, pegboard.PoolConfig{}), calls, c.gathers[i]))
				})
			}
			all.Wait()
			require.Less(t, time.Since(begun), time.Minute)
			time.Sleep(time.Minute) // for those that do not return when they are told
			synctest.Wait()
			require.Empty(t, main.Detached())
			w.mu.Lock()
			defer w.mu.Unlock()
			w.checkRates()
			w.replay()
			require.Empty(t, w.faults)
			require.Empty(t, w.running)
			for why, n := range w.ended {
				reasons[why] += n
			}
			if c.cancel == 0 {
				require.Zero(t, w.ended[pegboard.ErrCancelled.Error()])
				require.Zero(t, w.ended[pegboard.ErrDetached.Error()])
			}
		})
	}
	t.Log(reasons)
	for _, why := range []string{"", errReset.Error(), pegboard.ErrCancelled.Error(), pegboard.ErrDeadlock.Error(), pegboard.ErrDetached.Error()} {
		if effort.Full(t) {
			require.NotZero(t, reasons[why], why)
		}
	}
}
