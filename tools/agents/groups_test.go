package agents_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestLimitsOfCallsHoldInAgents: groups and budgets of calls hold for the calls of agents; those
// of agents in the background share no place with the call that started them, which has left its.
func TestLimitsOfCallsHoldInAgents(t *testing.T) {
	t.Parallel()
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var now, most, all atomic.Int64
			read := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "Read"}, Description: "Reads.", Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
				Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
					all.Add(1)
					if n := now.Add(1); n > most.Load() {
						most.Store(n)
					}
					time.Sleep(time.Second)
					now.Add(-1)
					return "read", nil
				},
			})
			loop := scripted(func(a *agents.Agent) []tooltest.Turn {
				calls := []pegboard.Call{tooltest.Call("Read", `{}`), tooltest.Call("Read", `{}`)}
				return []tooltest.Turn{{Text: "x", Calls: calls, Expect: tooltest.WantErrors(nil, nil)}, {Text: "done"}}
			})
			h := newHouse(t, pegboard.SessionConfig{
				Groups:  map[string]pegboard.GroupLimit{"Agent": {Parallel: 3}, "Read": {Parallel: 2}},
				Budgets: []pegboard.CallBudget{{Calls: 100, Time: time.Hour}},
			}, loop, nil, read)
			var calls []pegboard.Call
			for i := range 6 {
				c := agentCall(t, map[string]any{"run_in_background": background})
				c.ID = fmt.Sprint(i)
				calls = append(calls, c)
			}
			for _, out := range h.run(t.Context(), calls...) {
				require.NoError(t, out.Err)
			}
			time.Sleep(time.Minute)
			for _, s := range h.agents.List(h.session) {
				require.Equal(t, agents.Completed, s.State, s.Err)
			}
			require.Equal(t, []int64{12, 2}, []int64{all.Load(), most.Load()})
			if background {
				require.GreaterOrEqual(t, h.session.Spent()[0].Time, 12*time.Second)
			}
		})
	}
}
