package cookbook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

type bookInput struct {
	Room string `json:"room" jsonschema:"enum=blue,enum=red"`
	Day  string `json:"day" jsonschema:"description=Such as 2027-03-01"`
}

var errTaken = errors.New("the room is taken")

var bookRoom = pegboard.Build(pegboard.Definition[bookInput, string]{
	Info:        pegboard.Info{Name: "BookRoom"},
	Description: "Books a meeting room for a day.",
	// A wrong input: nothing has happened, the model corrects it.
	Validate: func(_ context.Context, in bookInput, _ *pegboard.Call) error {
		if _, err := time.Parse(time.DateOnly, in.Day); err != nil {
			return fmt.Errorf("day %q is no date; write it as 2027-03-01", in.Day)
		}
		return nil
	},
	// A right input that this tool never allows, whatever the rules say.
	Permit: func(_ context.Context, in bookInput, _ *pegboard.Call) policy.Decision {
		if day, err := time.Parse(time.DateOnly, in.Day); err == nil && day.Weekday() == time.Sunday {
			return policy.Decision{Behavior: policy.Deny, Reason: "the house is closed on Sundays; offer the Monday"}
		}
		return policy.Decision{} // no opinion
	},
	// A failure: it was tried. The text says what to do next, the error is for the program.
	Call: func(_ context.Context, in bookInput, _ *pegboard.Call) (string, error) {
		if in.Room == "red" {
			return "", fmt.Errorf("%w on %s; try the other room", errTaken, in.Day)
		}
		return "booked", nil
	},
})

func Example_refusing() {
	for _, booking := range []bookInput{{"red", "1 March"}, {"red", "2027-03-07"}, {"red", "2027-03-01"}} {
		input, _ := json.Marshal(booking)
		out := tooltest.Run(context.Background(), bookRoom, nil, string(input))
		fmt.Println(out.Result.Text())
		fmt.Println("- taken:", errors.Is(out.Err, errTaken))
	}
	// Output:
	// BookRoom was not run: day "1 March" is no date; write it as 2027-03-01
	// - taken: false
	// BookRoom was denied: the house is closed on Sundays; offer the Monday. Do not try the same by other means; do something else or tell the user.
	// - taken: false
	// the room is taken on 2027-03-01; try the other room
	// - taken: true
}
