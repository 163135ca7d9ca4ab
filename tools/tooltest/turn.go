package tooltest

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/seed49eaa51d/pegboard"
)

// A Turn is one reply of a [Model]: a text, calls, or both. A model ends a
// conversation with a turn without calls.
type Turn struct {
	Text  string
	Calls []pegboard.Call
	// Expect, if set, is called with the outcomes of Calls, in the order of Calls,
	// when the loop passes them. [Model.Reply] returns its error. It must not use the
	// model.
	Expect func(outcomes []pegboard.Outcome) error
}

// WantErrors returns an Expect function for a [Turn] that compares the error of each
// outcome with errors.Is. A nil means an outcome without error; that includes a
// failure that the tool itself has reported.
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
