package session_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

const numberedPlan = "# Cache\n\nWhy: reads are slow.\n- not a step\n\n## Steps\n1. Measure the reads of `store.go`\n   1. with a cold disk\n   - and a warm one\n2) Add the cache to the store\n```\n3. not a step\n```\n3. Write tests for eviction\nStep 4: Document the limit\n"

func claim(step string, done bool, evidence string) session.PlanClaim {
	return session.PlanClaim{Step: step, Done: done, Evidence: evidence}
}

// TestVerifyPlanExecution compares claims with plans of several forms.
func TestVerifyPlanExecution(t *testing.T) {
	t.Parallel()
	steps := []string{"Measure the reads of `store.go`", "Add the cache to the store", "Write tests for eviction", "Document the limit"}
	tests := []struct {
		name   string
		plan   string
		claims []session.PlanClaim
		want   session.VerifyPlanOutput
	}{
		{name: "all", plan: numberedPlan, claims: []session.PlanClaim{claim(steps[0], true, "b"), claim(steps[1], true, "b"), claim(steps[2], true, "b"), claim(steps[3], true, "b")},
			want: session.VerifyPlanOutput{Steps: steps}},
		{name: "some, in other words", plan: numberedPlan, claims: []session.PlanClaim{claim("added the cache to store", true, "store.go"), claim("tests for eviction", false, "")},
			want: session.VerifyPlanOutput{Steps: steps, Unmentioned: []string{steps[0], steps[3]}, Open: []string{steps[2]}}},
		{name: "by number", plan: numberedPlan, claims: []session.PlanClaim{claim("1", true, "x"), claim("Step 2", true, ""), claim("3. Write tests for eviction", true, "y"), claim("4) document it", true, "z")},
			want: session.VerifyPlanOutput{Steps: steps, Bare: []string{steps[1]}}},
		{name: "with numbers of its own", plan: numberedPlan, claims: []session.PlanClaim{claim("1. Document the limit", true, "x")},
			want: session.VerifyPlanOutput{Steps: steps, Unmentioned: steps[:3]}},
		{name: "what is no step", plan: numberedPlan, claims: []session.PlanClaim{claim("Paint the shed", true, "x"), claim("9", true, "x")},
			want: session.VerifyPlanOutput{Steps: steps, Unmentioned: steps, Unknown: []string{"Paint the shed", "9"}}},
		{name: "of two claims the worse counts", plan: numberedPlan, claims: []session.PlanClaim{claim("1", true, "x"), claim("1", false, ""), claim("1", true, "x"), claim("2", true, "x"), claim("3", true, "x"), claim("4", true, "x")},
			want: session.VerifyPlanOutput{Steps: steps, Open: steps[:1]}},
		{name: "bullets", plan: "Do:\n* [ ] one thing\n  - a detail\n* [x] another thing\n", claims: []session.PlanClaim{claim("another thing", true, "x")},
			want: session.VerifyPlanOutput{Steps: []string{"one thing", "another thing"}, Unmentioned: []string{"one thing"}}},
		{name: "headings", plan: "## Read\ntext\n## Write\n", claims: []session.PlanClaim{claim("read", true, "x")},
			want: session.VerifyPlanOutput{Steps: []string{"Read", "Write"}, Unmentioned: []string{"Write"}}},
		{name: "lines", plan: "first mow\n\nthen rake\r\n", claims: []session.PlanClaim{claim("mow first", true, "x")},
			want: session.VerifyPlanOutput{Steps: []string{"first mow", "then rake"}, Unmentioned: []string{"then rake"}}},
		{name: "another alphabet", plan: "1. 测试 缓存\n2. проверить кэш", claims: []session.PlanClaim{claim("проверить кэш", true, "x")},
			want: session.VerifyPlanOutput{Steps: []string{"测试 缓存", "проверить кэш"}, Unmentioned: []string{"测试 缓存"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModePlan)
			outs := d.send(t, exit(tc.plan), call("VerifyPlanExecution", map[string]any{"steps": tc.claims}))
			require.NoError(t, outs[0].Err)
			require.NoError(t, outs[1].Err)
			require.Equal(t, tc.want, outs[1].Result.Data)
			text := outs[1].Result.Text()
			for _, name := range append(append(tc.want.Unmentioned, tc.want.Open...), tc.want.Unknown...) {
				require.Contains(t, text, "\n- "+name)
			}
		})
	}
}

// TestVerifyPlanExecutionWithoutAPlan fails, and in plan mode it runs unasked.
func TestVerifyPlanExecutionWithoutAPlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t, pegboard.SessionConfig{}, policy.ModePlan)
	out := d.send(t, call("VerifyPlanExecution", `{"steps":[{"step":"1","done":true}]}`))[0]
	require.ErrorIs(t, out.Err, session.ErrNoPlan)
	require.Equal(t, policy.Allow, out.Decision.Behavior)
}

// TestVerifyPlanExecutionOfAHugePlan ends soon.
func TestVerifyPlanExecutionOfAHugePlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModePlan)
	claims := slices.Repeat([]session.PlanClaim{claim("a step of many words that no plan has", true, "x")}, 200)
	outs := d.send(t, exit(strings.Repeat("- one more step of the plan\n", 100_000)), call("VerifyPlanExecution", map[string]any{"steps": claims}))
	require.NoError(t, outs[0].Err)
	require.ErrorIs(t, outs[1].Err, pegboard.ErrToolFailed)
	require.Contains(t, outs[1].Result.Text(), "100000 steps")
	require.Less(t, outs[1].Elapsed, 10*time.Second)
}
