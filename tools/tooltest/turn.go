package tooltest

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/seed49eaa51d/pegboard"
)

// A Turn is one reply of a [Model]: a text, calls, or both. A turn without calls
// is how a model ends a conversation.
type Turn struct {
	Text  string
	Calls []pegboard.Call
	// Expect, if set, is given the outcomes of Calls, in the order of Calls,
	// once the loop hands them over. Its error becomes that of [Model.Reply].
	// It must not use the model.
	Expect func(outcomes []pegboard.Outcome) error
}

// WantErrors returns an Expect for a [Turn] that compares each outcome's error
// by errors.Is. A nil stands for an outcome without error, which includes one
// whose tool reported a failure itself.
func WantErrors(want ...error) func([]pegboard.Outcome) error {
	return func(outcomes []pegboard.Outcome) error {
		if len(outcomes) != len(want) {
			return fmt.Errorf("got %d outcomes, want %d", len(outcomes), len(want))
		}
		var errs []error
		for i, o := range outcomes {
			if !errors.Is(o.Err, want[i]) {
				errs = append(errs, fmt.Errorf("%s: got %s, want %s", o.Call.ID, describeErr(o.Err), describeErr(want[i])))
			}
		}
		return errors.Join(errs...)
	}
}

func describeErr(err error) string {
	if err == nil {
		return "no error"
	}
	return "error " + strconv.Quote(err.Error())
}
