package tooltest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// Call returns a call of the named tool, for an executor or a [Turn]. The call has no
// ID.
func Call(name, input string) pegboard.Call {
	return pegboard.Call{Name: name, Input: json.RawMessage(input)}
}

func copyCall(c pegboard.Call) pegboard.Call {
	c.Input = slices.Clone(c.Input)
	return c
}

func copyCalls(calls []pegboard.Call) []pegboard.Call {
	calls = slices.Clone(calls)
	for i := range calls {
		calls[i] = copyCall(calls[i])
	}
	return calls
}

func idsOf(calls []pegboard.Call) string {
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, ", ")
}
