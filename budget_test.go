package pegboard_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
