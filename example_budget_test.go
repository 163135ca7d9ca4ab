package pegboard_test

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

// A tool that costs money compares its price with the rest of the budget before. A status line
// shows the sum.
func ExampleBudget() {
	budget := pegboard.NewBudget(0.50)
	for _, price := range []float64{0.25, 0.125, 0.25, 0.125} {
		if price > budget.Left() {
			fmt.Printf("$%.3f is too much\n", price)
			continue
		}
		budget.Spend(price)
	}
	fmt.Printf("$%.2f spent, $%.2f left\n", budget.Spent(), budget.Left())
	// Output:
	// $0.250 is too much
	// $0.50 spent, $0.00 left
}
