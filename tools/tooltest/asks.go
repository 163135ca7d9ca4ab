package tooltest

import (
	"context"

	"github.com/seed49eaa51d/pegboard"
)

// Asks returns the tool TestingPermission, whose every call is asked about, in every mode that
// asks at all, and whatever rules allow it: for tests of a dialog. A call that was allowed
// returns the text "allowed" and does nothing.
func Asks() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:        pegboard.Info{Name: "TestingPermission", Title: "Permission test"},
		Description: "For tests: asks for permission.",
		Traits: pegboard.Traits{
			Concurrency: pegboard.PerTarget, Kind: pegboard.KindRun, Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "permission test"}},
		},
		Lines: func(struct{}, *pegboard.Call) pegboard.Lines {
			return pegboard.Lines{Before: "Ask for permission", While: "Asking for permission"}
		},
		Permit: func(context.Context, struct{}, *pegboard.Call) pegboard.Decision {
			return pegboard.Decision{Behavior: pegboard.Ask, Reason: "TestingPermission always asks"}
		},
		Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "allowed", nil },
	})
}
