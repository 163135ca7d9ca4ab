package pegboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestLoopQuestionIsNotSettledByARule: the same call again and again is asked
// about whatever the rules say, also by one that an answer adds.
func TestLoopQuestionIsNotSettledByARule(t *testing.T) {
	t.Parallel()
	asked := 0
	s := session(t, pegboard.SessionConfig{Breaker: pegboard.BreakerLimits{Repeats: 2, Errors: -1, Denials: -1},
		Permissions: rules(t, "", pegboard.RuleSet{Allow: []string{"T"}}),
		Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			asked++
			require.Empty(t, q.Suggestions(pegboard.SourceSession))
			err := q.Call.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
				return p.Apply(allowRule(pegboard.SourceUser, "T", ""))
			})
			require.NoError(t, err)
			return pegboard.Decision{Behavior: pegboard.Deny, Reason: "no more", Remember: []pegboard.PermissionUpdate{allowRule(pegboard.SourceLocal, "T", "")}}, nil
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
