package tooltest_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// TestAsks: it is asked about whatever allows it, and denied where nobody answers.
func TestAsks(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(tooltest.Asks(), `{}`))
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits, policy.ModePlan, policy.ModeDeny, policy.ModeBypass} {
		for _, answer := range []policy.Behavior{policy.Allow, policy.Deny} {
			perms, err := policy.New(mode, policy.RuleSet{Allow: []string{"TestingPermission"}})
			require.NoError(t, err)
			asked := 0
			s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms, Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
				asked++
				return policy.Decision{Behavior: answer}, nil
			}})
			require.NoError(t, err)
			out := tooltest.Run(t.Context(), tooltest.Asks(), s, `{}`)
			require.NoError(t, s.Close(context.Background()))
			if mode == policy.ModeDeny {
				require.Zero(t, asked)
				require.ErrorIs(t, out.Err, pegboard.ErrDenied)
				continue
			}
			require.Equal(t, 1, asked, mode)
			require.Equal(t, answer == policy.Allow, out.Err == nil, mode)
		}
	}
}

func TestOverflow(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(tooltest.Overflow(100), `{}`))
	for _, bytes := range []int{0, 1, 31, 32, 33, 30_000} {
		out := tooltest.Run(t.Context(), tooltest.Overflow(bytes), nil, `{}`)
		require.NoError(t, out.Err)
		text, ok := out.Result.Data.(string)
		require.True(t, ok)
		require.Len(t, text, bytes)
	}
	out := tooltest.Run(t.Context(), tooltest.Overflow(30_001), nil, `{}`)
	require.NotEmpty(t, out.Result.Parts[0].Ref, "it was stored")
	require.PanicsWithValue(t, "tooltest: Overflow(-1): the number of bytes is negative", func() { tooltest.Overflow(-1) })
}

// A dialog that says no.
func ExampleAsks() {
	perms, err := policy.New(policy.ModeBypass)
	if err != nil {
		log.Fatal(err)
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: perms, Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		fmt.Println(q.Reason)
		return policy.Decision{Behavior: policy.Deny, Reason: "not now"}, nil
	}})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer func() { _ = s.Close(ctx) }()
	fmt.Println(tooltest.Run(ctx, tooltest.Asks(), s, `{}`).Result.IsError)
	// Output:
	// TestingPermission always asks
	// true
}

// A result that does not fit, and is stored.
func ExampleOverflow() {
	out := tooltest.Run(context.Background(), tooltest.Overflow(1<<20), nil, `{}`)
	fmt.Println(len(out.Result.Text()) < 3_000, out.Result.Parts[0].Ref != "")
	// Output:
	// true true
}
