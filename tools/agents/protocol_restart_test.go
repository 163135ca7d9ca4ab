package agents_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestRequestsOutlastTheProgram: a plan and a request to end that were open when the program died are
// answered in the next one, once and by those that were asked. A yes to a plan lifts plan mode.
func TestRequestsOutlastTheProgram(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		approve bool
		want    policy.Mode
	}{
		{name: "approved", approve: true, want: policy.ModeDefault},
		{name: "not approved", want: policy.ModePlan},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var h *house
			var planned atomic.Bool
			var ending atomic.Pointer[string]
			loop := func(l *story) agents.Loop {
				return once(l, func(a *agents.Agent, read string) {
					m := requestID.FindStringSubmatch(read)
					switch {
					case a.Name == "ann" && planned.CompareAndSwap(false, true):
						require.NoError(t, h.sendAs(t, a, "main", map[string]any{"type": "plan_approval_request", "plan": "First this."}).Err)
					case a.Name == "bob" && m != nil:
						ending.Store(&m[1])
					case a.Name == "bob" && strings.Contains(read, "Answer now."):
						out := h.sendAs(t, a, "main", map[string]any{"type": "shutdown_response", "request_id": *ending.Load(), "approve": true})
						l.add(out.Result.Text())
					}
					l.add(a.Name + " is in " + string(a.Session.Permissions().Mode()))
				})
			}
			h = newHouse(t, pegboard.SessionConfig{}, loop(new(story)), func(o *agents.Options) { o.Dir = dir }, look())
			require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
			h.launch(t, map[string]any{"name": "ann", "team_name": "red", "mode": "plan"})
			h.launch(t, map[string]any{"name": "bob", "team_name": "red"})
			plan, told := "", ""
			require.Eventually(t, func() bool {
				told += strings.Join(h.news(), "\n")
				if m := requestID.FindStringSubmatch(told); m != nil {
					plan = m[1]
				}
				return plan != "" && strings.Count(told, "is idle") == 2
			}, time.Minute, time.Millisecond, "%s", told)
			require.NoError(t, h.send(t, "bob", map[string]any{"type": "shutdown_request"}).Err)
			require.Eventually(t, func() bool { return ending.Load() != nil }, time.Minute, time.Millisecond)
			require.Eventually(t, func() bool { return strings.Contains(strings.Join(h.news(), "\n"), "bob") }, time.Minute, time.Millisecond)
			left := copyOf(t, dir)
			require.NoError(t, h.session.Close(t.Context()))

			var l story
			h = newHouse(t, pegboard.SessionConfig{}, loop(&l), func(o *agents.Options) { o.Dir = left }, look())
			answer := map[string]any{"type": "plan_approval_response", "request_id": plan, "approve": tt.approve, "feedback": "Mind the tests."}
			require.ErrorIs(t, h.send(t, "bob", answer).Err, agents.ErrInvalidMessage)
			require.NoError(t, h.send(t, "ann", answer).Err)
			require.Eventually(t, func() bool { return strings.Contains(strings.Join(l.all(), "\n"), "ann is in "+string(tt.want)) }, time.Minute, time.Millisecond)
			require.Contains(t, strings.Join(l.all(), "\n"), "Mind the tests.")
			require.ErrorIs(t, h.send(t, "ann", answer).Err, agents.ErrInvalidMessage, "it is answered")

			require.NoError(t, h.send(t, "bob", "Answer now.").Err)
			require.Eventually(t, func() bool { return strings.Contains(strings.Join(l.all(), "\n"), "Sent to the main agent.") }, time.Minute, time.Millisecond, "%v", l.all())
			require.Eventually(t, func() bool {
				for _, s := range h.agents.List(h.session) {
					if s.Name == "bob" {
						return s.State == agents.Completed
					}
				}
				return false
			}, time.Minute, time.Millisecond)
		})
	}
}
