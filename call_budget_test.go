package pegboard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

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
	_, err := session(t, pegboard.SessionConfig{}).Fork(pegboard.SessionConfig{CountTokens: pegboard.EstimateTokens})
	require.ErrorContains(t, err, "leave CountTokens empty")
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

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		result pegboard.Result
		want   int
	}{
		{name: "nothing"},
		{name: "four bytes", result: pegboard.Result{Parts: []pegboard.Part{{Text: "four"}}}, want: 1},
		{name: "five bytes", result: pegboard.Result{Parts: []pegboard.Part{{Text: "fives"}}}, want: 2},
		{name: "of each part", result: pegboard.Result{Parts: []pegboard.Part{{Text: "a"}, {Text: "b"}}}, want: 2},
		{name: "not ASCII", result: pegboard.Result{Parts: []pegboard.Part{{Text: "日本"}}}, want: 2},
		{name: "title and source", result: pegboard.Result{Parts: []pegboard.Part{{Title: "1234", Source: "1234", Text: "1234"}}}, want: 3},
		{name: "a tool", result: pegboard.Result{Parts: []pegboard.Part{{Tool: "WebSearch"}}}, want: 3},
		{name: "messages", result: pegboard.Result{Parts: []pegboard.Part{{Text: "a"}}, Messages: []pegboard.Part{{Text: "five5"}}}, want: 3},
		{name: "an image", result: pegboard.Result{Parts: []pegboard.Part{{MIME: "image/png", Data: []byte{1}}, {Text: "a"}}}, want: 1601},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, pegboard.EstimateTokens(&tt.result))
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
		err    pegboard.BudgetLimit
	}{
		{name: "calls", budget: pegboard.CallBudget{Calls: 1}, limit: "1 tool call in this session", next: fmt.Sprintf(none, "session")},
		{name: "calls of a tool", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"T"}, Per: pegboard.PerTurn}, limit: "1 call of T in this turn", next: other},
		{name: "calls of tools", budget: pegboard.CallBudget{Calls: 1, Tools: []string{"A", "mcp__b", "T"}}, limit: "1 call of A, mcp__b and T in this session", next: other},
		{name: "time", budget: pegboard.CallBudget{Time: 1, Per: pegboard.PerTurn}, limit: "0s running time of tools in this turn", next: fmt.Sprintf(none, "turn"), err: pegboard.BudgetTime},
		{name: "tokens", budget: pegboard.CallBudget{Tokens: 1}, limit: "1 token in this session", next: fmt.Sprintf(none, "session"), err: pegboard.BudgetTokens},
		{name: "tokens of a tool", budget: pegboard.CallBudget{Tokens: 1, Tools: []string{"T"}}, limit: "1 token of results of T in this session", next: other, err: pegboard.BudgetTokens},
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
			require.Equal(t, tt.err, over.Limit)
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
	require.Equal(t, "calls time tokens", strings.Join([]string{pegboard.BudgetCalls.String(), pegboard.BudgetTime.String(), pegboard.BudgetTokens.String()}, " "))
}
