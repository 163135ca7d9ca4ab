package tooltest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
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

// Asks returns the tool TestingPermission, whose every call is asked about, in every mode that
// asks at all, and whatever rules allow it: for tests of a dialog. A call that was allowed
// returns the text "allowed" and does nothing.
func Asks() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "TestingPermission", Title: "Permission test"},
		Description: "For tests: asks for permission.",
		Traits: pegboard.Traits{
			Concurrency: pegboard.PerTarget, Kind: pegboard.KindRun, Targets: []policy.Target{{Kind: policy.Resource, Value: "permission test"}},
		},
		Summary: func(struct{}, *pegboard.Call) pegboard.Summary {
			return pegboard.Summary{Before: "Ask for permission", While: "Asking for permission"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Ask, Reason: "TestingPermission always asks"}
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "allowed", nil },
	})
}

// Overflow returns the tool OverflowTest, whose results have that many bytes of text, in
// numbered lines of 32 bytes: for tests of the handling of results that are too long. It
// only reads, so its calls need no permission. Overflow panics if bytes is negative.
func Overflow(bytes int) pegboard.Tool {
	if bytes < 0 {
		panic(fmt.Sprintf("tooltest: Overflow(%d): the number of bytes is negative", bytes))
	}
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "OverflowTest", Title: "Overflow"},
		Description: fmt.Sprintf("For tests: returns %d bytes of text.", bytes),
		Traits:      pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared, Kind: pegboard.KindRead},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) {
			return overflowText(bytes), nil
		},
	})
}

// overflowText returns a text of that many bytes.
func overflowText(bytes int) string {
	var b strings.Builder
	b.Grow(bytes + 32)
	for n := 1; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "line %010d of the long text\n", n)
	}
	return b.String()[:bytes]
}
