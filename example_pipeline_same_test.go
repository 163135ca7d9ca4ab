package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
)

type forecastInput struct {
	City string `json:"city"`
}

// forecast looks up the weather of a city once, if it is asked twice in a row.
var forecast = pegboard.Build(pegboard.Definition[forecastInput, string]{
	Info:        pegboard.Info{Name: "Forecast"},
	Description: "Returns the weather of a city.",
	Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
	Equivalent:  pegboard.SameInput[forecastInput],
	Call: func(_ context.Context, in forecastInput, _ *pegboard.Call) (string, error) {
		fmt.Println("looking up", in.City)
		return "sunny", nil
	},
})

// A model that is unsure whether its call was heard makes it once more in the same message.
// The second call refers to the result of the first.
func ExampleSameInput() {
	var executor pegboard.Executor
	for _, o := range executor.Run(context.Background(), pool(pegboard.SessionConfig{}, forecast),
		pegboard.Call{ID: "1", Name: "Forecast", Input: json.RawMessage(`{"city":"Oslo"}`)},
		pegboard.Call{ID: "2", Name: "Forecast", Input: json.RawMessage(`{ "city": "Oslo" }`)}) {
		fmt.Printf("%s, the same as another: %t: %s\n", o.Call.ID, o.SameAs != nil, o.Result.Text())
	}
	// Output:
	// looking up Oslo
	// 1, the same as another: false: sunny
	// 2, the same as another: true: Forecast was not run again: a call before it in this message (1) is the same. The result of that call holds for both.
}
