package agents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// endless returns a loop that makes requests until a limit ends it. Each costs as used says.
func endless(used agents.Usage, write bool, swallow bool) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		spent := agents.Usage{}
		for i := 1; ; i++ {
			if _, err := a.Next(ctx, spent); err != nil {
				if _, again := a.Next(ctx, agents.Usage{}); again == nil {
					return agents.Reply{}, errors.New("a second Next has no limit")
				}
				if swallow {
					err = nil
				}
				return agents.Reply{}, err
			}
			spent = used
			if write {
				if err := a.Append(modelMessage(tooltest.Turn{Text: fmt.Sprintf("Request %d.", i)})); err != nil {
					return agents.Reply{}, err
				}
			}
		}
	}
}

// TestLimits: at a limit the run ends with what it has, and says which limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	cost := agents.Usage{Input: 60, Output: 40, USD: 0.5}
	tests := []struct {
		name   string
		change func(o *agents.Options)
		turns  int
		budget float64
		silent bool
		want   string // the last request
		says   string
		is     error // of a run that wrote nothing
	}{
		{name: "turns", turns: 3, want: "Request 3.", says: "3 (maxTurns)"},
		{name: "tokens", change: func(o *agents.Options) { o.MaxTokens = 250 }, want: "Request 3.", says: "300 of 250 tokens"},
		{name: "money", change: func(o *agents.Options) { o.MaxUSD = 1 }, want: "Request 2.", says: "$1.00 of $1.00"},
		{name: "turns, and nothing written", turns: 2, silent: true, says: "wrote nothing", is: agents.ErrTurns},
		{name: "money, and nothing written", change: func(o *agents.Options) { o.MaxUSD = 0.1 }, silent: true, says: "wrote nothing", is: agents.ErrBudget},
	}
	for _, tc := range tests {
		for _, swallow := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, swallowed %v", tc.name, swallow), func(t *testing.T) {
				t.Parallel()
				h := newHouse(t, pegboard.SessionConfig{}, endless(cost, !tc.silent, swallow), func(o *agents.Options) {
					o.Definitions = func(*pegboard.Session) []agents.Definition {
						return []agents.Definition{{Name: "general-purpose", Description: "x", MaxTurns: tc.turns}}
					}
					if tc.change != nil {
						tc.change(o)
					}
				}, look())
				out := h.call(t, nil)
				require.Contains(t, out.Result.Text(), tc.says)
				if tc.is != nil {
					require.ErrorIs(t, out.Err, tc.is)
					return
				}
				require.NoError(t, out.Err)
				require.True(t, strings.HasSuffix(out.Result.Text(), ")\n\n"+tc.want), out.Result.Text())
				require.Equal(t, agents.Completed, h.agents.List(h.session)[0].State)
			})
		}
	}
}

// TestBudgetIsShared: all agents of a conversation spend of one budget, and when it is spent
// none is started.
func TestBudgetIsShared(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		_, err := a.Next(ctx, agents.Usage{})
		return agents.Reply{Text: "done", Used: agents.Usage{Input: 50, CacheRead: 10, CacheWrite: -7}}, err
	}, func(o *agents.Options) { o.MaxTokens = 100 }, look())
	require.NoError(t, h.call(t, nil).Err)
	require.NoError(t, h.call(t, nil).Err)
	out := h.call(t, nil)
	require.ErrorIs(t, out.Err, agents.ErrBudget)
	require.Contains(t, out.Result.Text(), "120 of 100 tokens")
	require.Len(t, h.agents.List(h.session), 2)
	other, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close(t.Context())) }()
	_, err = h.agents.Start(t.Context(), other, agents.Request{Prompt: "p"})
	require.NoError(t, err, "another conversation has a budget of its own")
}

// TestBudgetOfConversation: nothing starts when the conversation has no money left.
func TestBudgetOfConversation(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), nil, look())
	budget := pegboard.NewBudget(1)
	pegboard.KeyBudget.Set(h.session, budget)
	require.NoError(t, h.call(t, nil).Err)
	budget.Spend(2)
	require.ErrorIs(t, h.call(t, nil).Err, agents.ErrBudget)
}

// TestDepth: agents of the last layer are not offered the tool, and cannot start one.
func TestDepth(t *testing.T) {
	t.Parallel()
	for _, most := range []int{1, 2, 5} {
		var mu sync.Mutex
		offered := map[int]bool{}
		h := newHouse(t, pegboard.SessionConfig{}, scripted(func(a *agents.Agent) []tooltest.Turn {
			depth := len(a.Session.AgentPath())
			p, err := a.Pool()
			require.NoError(t, err)
			_, has := p.Lookup("Agent")
			mu.Lock()
			offered[depth] = has
			mu.Unlock()
			want := error(nil)
			if depth == most {
				want = pegboard.ErrUnknownTool
			}
			return []tooltest.Turn{
				{Text: "x", Calls: []pegboard.Call{tooltest.Call("Agent", `{"description":"d","prompt":"p"}`)}, Expect: tooltest.WantErrors(want)},
				{Text: "done"},
			}
		}), func(o *agents.Options) { o.MaxDepth = most }, look())
		require.NoError(t, h.call(t, nil).Err)
		require.Len(t, offered, most)
		for depth, has := range offered {
			require.Equal(t, depth < most, has, "depth %d of %d", depth, most)
		}
		deepest := h.agents.List(h.session)[most-1]
		require.Equal(t, agents.Completed, deepest.State)
	}
	h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		return agents.Reply{Text: "x"}, ctx.Err()
	}, func(o *agents.Options) { o.MaxDepth = 1 }, look())
	fork, err := h.session.Fork(pegboard.SessionConfig{AgentID: "other"})
	require.NoError(t, err)
	_, err = h.agents.Start(t.Context(), fork, agents.Request{Prompt: "p"})
	require.ErrorIs(t, err, agents.ErrTooDeep)
}

// TestParallel: agents of one message run at the same time, up to the most that may run; one
// more is refused with words that say to wait.
func TestParallel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		types []string
		n     int
	}{
		{name: "two of one type", types: []string{"general-purpose"}, n: 2},
		{name: "three of different types", types: []string{"general-purpose", "looker", "third"}, n: 3},
		{name: "as many as may run", types: []string{"general-purpose", "looker"}, n: 20},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			barrier := &tooltest.Barrier{N: tc.n, Timeout: time.Minute}
			reached, hold := make(chan struct{}, 20), make(chan struct{})
			h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
				if err := barrier.Wait(ctx); err != nil {
					return agents.Reply{}, err
				}
				reached <- struct{}{}
				<-hold
				return agents.Reply{Text: "done"}, nil
			}, func(o *agents.Options) {
				o.Definitions = func(*pegboard.Session) (all []agents.Definition) {
					for _, name := range tc.types {
						all = append(all, agents.Definition{Name: name, Description: "x"})
					}
					return all
				}
			}, look())
			var calls []pegboard.Call
			for i := range tc.n {
				c := agentCall(t, map[string]any{"subagent_type": tc.types[i%len(tc.types)]})
				c.ID = fmt.Sprint(i)
				calls = append(calls, c)
			}
			done := make(chan []pegboard.Outcome)
			go func() { done <- h.run(t.Context(), calls...) }()
			for range tc.n {
				select {
				case <-reached:
				case <-time.After(time.Minute):
					require.Fail(t, "not all run at the same time")
				}
			}
			if tc.n == agents.DefaultMaxRunning {
				out := h.call(t, nil)
				require.ErrorIs(t, out.Err, agents.ErrTooMany)
				require.Contains(t, out.Result.Text(), "20, which is the most. Do not try again now: wait until one of them has reported.")
			}
			close(hold)
			for _, o := range <-done {
				require.NoError(t, o.Err)
			}
			for _, s := range h.agents.List(h.session) {
				require.Equal(t, agents.Completed, s.State)
			}
		})
	}
}

// TestEditsOfOneFile: eight agents edit one file fifty times each, with the real tools, and every
// edit is there.
func TestEditsOfOneFile(t *testing.T) {
	t.Parallel()
	writers, edits := 8, effort.Of(t, 50)
	var b strings.Builder
	for w := range writers {
		for i := range edits {
			fmt.Fprintf(&b, "slot %d/%d: empty;\n", w, i)
		}
	}
	perms, err := policy.New(policy.ModeAcceptEdits)
	require.NoError(t, err)
	dir := t.TempDir()
	path := writeFile(t, dir, "list.txt", b.String())
	h := newHouse(t, pegboard.SessionConfig{Dir: dir, Permissions: perms}, scripted(func(a *agents.Agent) []tooltest.Turn {
		turns := []tooltest.Turn{{Calls: []pegboard.Call{tooltest.Call("Read", fmt.Sprintf(`{"file_path":%q}`, path))}, Expect: tooltest.WantErrors(nil)}}
		for i := range edits {
			turns = append(turns, tooltest.Turn{Calls: []pegboard.Call{tooltest.Call("Edit", fmt.Sprintf(
				`{"file_path":%q,"old_string":"slot %s/%d: empty;","new_string":"slot %s/%d: done;"}`, path, a.Name[1:], i, a.Name[1:], i))}, Expect: tooltest.WantErrors(nil)})
		}
		return append(turns, tooltest.Turn{Text: "All edited."})
	}), nil, files.Read(files.ReadOptions{}), files.Edit(files.WriteOptions{}))
	var calls []pegboard.Call
	for w := range writers {
		c := agentCall(t, map[string]any{"name": fmt.Sprintf("w%d", w)})
		c.ID = fmt.Sprint(w)
		calls = append(calls, c)
	}
	for _, o := range h.run(t.Context(), calls...) {
		require.NoError(t, o.Err)
		require.Equal(t, edits+1, resultOf(t, o).TotalToolUses)
	}
	require.Equal(t, strings.ReplaceAll(b.String(), "empty", "done"), readFile(t, path))
}

// TestNamesAreUnique: no two running agents have one name; that of an agent that has ended is
// free again, and means the newest.
func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan string)
		h := newHouse(t, pegboard.SessionConfig{}, steps(next), nil, look())
		_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna", Background: true})
		require.NoError(t, err)
		_, err = h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna", Background: true})
		require.ErrorIs(t, err, agents.ErrInvalidRequest)
		require.ErrorContains(t, err, "choose another name")
		require.NoError(t, h.agents.Stop(h.session, "anna"))
		synctest.Wait()
		_, err = h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna", Background: true})
		require.NoError(t, err)
		require.NoError(t, h.agents.Stop(h.session, "anna"), "the newest")
	})
}
