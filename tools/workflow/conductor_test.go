package workflow_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/workflow"
)

// TestScriptsAndFunctionsAgree runs programs at random as a script and as a function of Go.
// Both ask the same agents in the same order, which end in the same order, and have the
// same result.
func TestScriptsAndFunctionsAgree(t *testing.T) {
	t.Parallel()
	agents := 0
	for seed := range uint64(200) {
		g := &programmer{Rand: rand.New(rand.NewPCG(seed, 1)), named: map[string]program{}} //nolint:gosec // a test
		p := g.program(3, true)
		var scripts, functions workflow.Journal
		var results, errs [2]string
		run := func(i int, journal *workflow.Journal, f func(ctx context.Context, e workflow.Engine) (string, error)) {
			synctest.Test(t, func(t *testing.T) {
				e := workflow.Engine{Start: slow(seed), MaxRunning: 1 + int(seed%5), Journal: journal}
				for name, inner := range g.named {
					n := workflow.Named{Name: name}
					// A script runs functions inside, and a function runs scripts.
					if n.Run = inner.run; (i == 0) == (seed%3 == 0) {
						n.Run, n.Script = nil, "return "+inner.script()
					}
					e.Named = append(e.Named, n)
				}
				var err error
				if results[i], err = f(t.Context(), e); err != nil {
					errs[i] = "failed"
					t.Log(err)
				}
			})
		}
		run(0, &scripts, func(ctx context.Context, e workflow.Engine) (string, error) {
			return e.Script(ctx, "return "+p.script(), nil)
		})
		run(1, &functions, func(ctx context.Context, e workflow.Engine) (string, error) { return e.Func(ctx, p.run, nil) })
		require.Equal(t, errs[0], errs[1], "seed %d: %s", seed, p.script())
		require.Equal(t, results[0], results[1], "seed %d: %s", seed, p.script())
		keys, ends := scripts.Agents()
		otherKeys, otherEnds := functions.Agents()
		require.Equal(t, keys, otherKeys, "seed %d: %s", seed, p.script())
		require.Equal(t, ends, otherEnds, "seed %d: %s", seed, p.script())
		agents += len(keys)
	}
	require.Greater(t, agents, 1_500)
}

// TestResumedRunsAgree kills runs at any line of their journal and goes on: no agent of the
// part that is replayed runs again, and the result is that of a run that was not killed.
func TestResumedRunsAgree(t *testing.T) {
	t.Parallel()
	replayed := 0
	for seed := range uint64(60) {
		g := &programmer{Rand: rand.New(rand.NewPCG(seed, 2)), named: map[string]program{}} //nolint:gosec // a test
		p := g.program(3, false)
		whole := run(t, p, seed%2 == 0, workflow.Engine{Start: slow(seed)})
		lines := bytes.SplitAfter(whole.journal.Text, []byte("\n"))
		for range 3 {
			cut := bytes.Join(lines[:1+g.IntN(len(lines))], nil)
			if g.IntN(2) == 0 && len(cut) > len(lines[0])+3 { // in the middle of a line
				cut = cut[:len(cut)-1-g.IntN(2)]
			}
			past := &workflow.Journal{Text: cut}
			kept, err := past.Replayed()
			require.NoError(t, err)
			var again atomic.Int64
			inner := slow(seed + 1000) // the other agents end in another order
			now := run(t, p, seed%2 == 0, workflow.Engine{Past: past, Start: func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
				again.Add(1)
				return inner(ctx, r)
			}})
			require.Equal(t, whole.failed, now.failed, "seed %d", seed)
			require.Equal(t, whole.result, now.result, "seed %d", seed)
			keys, _ := now.journal.Agents()
			before, _ := whole.journal.Agents()
			require.Equal(t, before[:kept], keys[:kept], "seed %d", seed)
			if !now.failed {
				require.Len(t, keys, kept+int(again.Load()), "seed %d", seed)
			}
			replayed += kept
		}
	}
	require.Greater(t, replayed, 150)
}

type ended struct {
	result  string
	failed  bool
	journal workflow.Journal
}

func run(t *testing.T, p program, script bool, e workflow.Engine) (end ended) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e.Journal = &end.journal
		var err error
		if script {
			end.result, err = e.Script(t.Context(), "return "+p.script(), nil)
		} else {
			end.result, err = e.Func(t.Context(), p.run, nil)
		}
		end.failed = err != nil
	})
	return end
}

// TestEditedScriptReplaysItsBeginning changes the second of three steps.
func TestEditedScriptReplaysItsBeginning(t *testing.T) {
	t.Parallel()
	var asked []string
	var journal workflow.Journal
	e := workflow.Engine{Journal: &journal, Start: func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
		asked = append(asked, r.Prompt)
		return echo(ctx, r)
	}}
	const script = "const a = await agent('a'), b = await agent(a + 'b'), c = await agent(b + 'c'); return c"
	got, err := e.Script(t.Context(), script, nil)
	require.NoError(t, err)
	require.Equal(t, `"abc"`, got)
	past := journal
	asked, e.Past = nil, &past
	got, err = e.Script(t.Context(), script, nil)
	require.NoError(t, err)
	require.Equal(t, `"abc"`, got)
	require.Empty(t, asked)
	got, err = e.Script(t.Context(), "const a = await agent('a'), b = await agent(a + 'B'), c = await agent(b + 'c'); return c", nil)
	require.NoError(t, err)
	require.Equal(t, `"aBc"`, got)
	require.Equal(t, []string{"aB", "aBc"}, asked)
}

func TestAgentsRunAtOnce(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			e := workflow.Engine{MaxAgents: 100, Start: func(ctx context.Context, _ workflow.AgentRequest) (workflow.AgentResult, error) {
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				time.Sleep(time.Second)
				now.Add(-1)
				return workflow.AgentResult{Text: "x"}, nil
			}}
			began := time.Now()
			var err error
			if script {
				_, err = e.Script(t.Context(), "return pipeline(Array.from({length: 100}, (_, i) => i), i => agent('n' + i))", nil)
			} else {
				_, err = e.Func(t.Context(), func(ctx context.Context, r *workflow.Run) (any, error) {
					return r.Pipeline(ctx, make([]any, 100), func(ctx context.Context, r *workflow.Run, _, _ any, _ int) (any, error) {
						return r.Agent(ctx, "x", workflow.AgentOptions{})
					})
				}, nil)
			}
			require.NoError(t, err)
			require.EqualValues(t, workflow.DefaultMaxRunning, most.Load())
			require.Equal(t, 7*time.Second, time.Since(began))
		})
	}
}

func TestTooManyAgents(t *testing.T) {
	t.Parallel()
	e := workflow.Engine{Start: echo, MaxAgents: 5}
	_, err := e.Script(t.Context(), "return pipeline([1, 2, 3, 4, 5, 6], i => agent('n' + i))", nil)
	require.ErrorContains(t, err, "the run has started all agents that it may: 5; let each agent do more")
	_, err = e.Script(t.Context(), "for (;;) { try { await agent('x') } catch { return 'seen' } }", nil)
	require.NoError(t, err)
	_, err = e.Func(t.Context(), func(ctx context.Context, r *workflow.Run) (any, error) {
		for {
			if _, err := r.Agent(ctx, "x", workflow.AgentOptions{}); err != nil {
				return nil, err
			}
		}
	}, nil)
	require.ErrorIs(t, err, workflow.ErrTooManyAgents)
}

// TestRunEndsWithoutGoroutines stops runs at random moments.
func TestRunEndsWithoutGoroutines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		g := &programmer{Rand: rand.New(rand.NewPCG(seed, 3)), named: map[string]program{}} //nolint:gosec // a test
		p := g.program(3, false)
		synctest.Test(t, func(t *testing.T) { // it fails if a goroutine is left
			stop := errors.New("stopped")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Duration(g.Int64N(3_000_000_000)), func() { cancel(stop) })
			var began, ended sync.Map
			inner := slow(seed)
			e := workflow.Engine{MaxRunning: 3, Start: func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
				began.Store(r.Prompt, true)
				defer ended.Store(r.Prompt, true)
				return inner(ctx, r)
			}}
			var err error
			if seed%2 == 0 {
				_, err = e.Script(ctx, "return "+p.script(), nil)
			} else {
				_, err = e.Func(ctx, p.run, nil)
			}
			if err != nil && ctx.Err() != nil {
				require.ErrorIs(t, err, stop)
			}
			began.Range(func(prompt, _ any) bool {
				_, ok := ended.Load(prompt)
				require.True(t, ok, "agent %v runs on", prompt)
				return true
			})
			cancel(nil)
		})
	}
}

func TestFunctionsThatMisbehave(t *testing.T) {
	t.Parallel()
	agent := func(ctx context.Context, r *workflow.Run) (any, error) {
		return r.Agent(ctx, "x", workflow.AgentOptions{})
	}
	for _, test := range []struct {
		name string
		run  workflow.Func
		want string
	}{
		{name: "panic", run: func(context.Context, *workflow.Run) (any, error) { panic("oh") }, want: "the workflow crashed: panic: oh"},
		{name: "Goexit", run: func(context.Context, *workflow.Run) (any, error) { runtime.Goexit(); return nil, nil }, want: "the workflow crashed"},
		{name: "panic in a branch", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Parallel(ctx, agent, func(context.Context, *workflow.Run) (any, error) { panic("oh") })
		}, want: "the workflow crashed: panic: oh"},
		{name: "another's Run", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Parallel(ctx, func(ctx context.Context, _ *workflow.Run) (any, error) { return agent(ctx, r) })
		}, want: "the Run belongs to another function"},
		{name: "mistake in a branch ends the others", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Parallel(ctx, func(ctx context.Context, r *workflow.Run) (any, error) {
				return r.Agent(ctx, "wait", workflow.AgentOptions{})
			}, func(context.Context, *workflow.Run) (any, error) { return nil, errors.New("a mistake") })
		}, want: "a mistake"},
		{name: "no JSON", run: func(context.Context, *workflow.Run) (any, error) { return func() {}, nil }, want: "the result of the workflow"},
		{name: "empty prompt", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Agent(ctx, " ", workflow.AgentOptions{})
		}, want: "the prompt of the agent is empty"},
		{name: "agent that panics", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Agent(ctx, "panic", workflow.AgentOptions{})
		}, want: "agent 1 (panic): it crashed"},
		{name: "stop of the turn", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			_, err := r.Agent(ctx, "stop", workflow.AgentOptions{})
			return "went on", err
		}, want: "the user has stopped it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := workflow.Engine{Start: func(ctx context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
				switch r.Prompt {
				case "panic":
					panic("agent")
				case "stop":
					return workflow.AgentResult{StopTurn: true}, nil
				case "wait":
					<-ctx.Done()
					return workflow.AgentResult{}, context.Cause(ctx)
				}
				return echo(ctx, r)
			}}
			_, err := e.Func(t.Context(), test.run, nil)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestDeafFunctionIsAbandoned has a function and an agent that ignore their context.
func TestDeafFunctionIsAbandoned(t *testing.T) { //nolint:tparallel // they share a channel
	t.Parallel()
	var deaf chan struct{} // made by each test, since time goes on only where a channel of the test blocks
	stop := errors.New("stopped")
	for _, test := range []struct {
		name string
		run  workflow.Func
	}{
		{name: "function", run: func(context.Context, *workflow.Run) (any, error) { <-deaf; return nil, nil }},
		{name: "agent", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Agent(ctx, "x", workflow.AgentOptions{})
		}},
		{name: "branch", run: func(ctx context.Context, r *workflow.Run) (any, error) {
			return r.Parallel(ctx, func(ctx context.Context, r *workflow.Run) (any, error) {
				if _, err := r.Agent(ctx, "quick", workflow.AgentOptions{}); err != nil {
					return nil, err
				}
				<-deaf
				return r.Agent(ctx, "late", workflow.AgentOptions{})
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf = make(chan struct{})
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(50*time.Millisecond, func() { cancel(stop) })
				e := workflow.Engine{Start: func(_ context.Context, r workflow.AgentRequest) (workflow.AgentResult, error) {
					if r.Prompt != "quick" {
						<-deaf
					}
					return workflow.AgentResult{}, nil
				}}
				began := time.Now()
				_, err := e.Func(ctx, test.run, nil)
				require.ErrorIs(t, err, stop)
				require.LessOrEqual(t, time.Since(began), 1050*time.Millisecond)
				close(deaf)
			})
		})
	}
}
