package pegboard_test

import (
	"context"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// slow returns a tool that takes as long as its input says and heeds its context
// unless it is deaf.
func slow(info pegboard.Info, deaf bool) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: info, Description: "Takes its time.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			tr := pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared}
			if in.Path != "" {
				tr.Concurrency = pegboard.PerTarget
				tr.Targets = []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessWrite, Value: in.Path}}
			}
			return tr
		},
		Call: func(ctx ctx, in job, _ *pegboard.Call) (string, error) {
			heard := ctx.Done()
			if deaf {
				heard = nil
			}
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
				return "done", nil
			case <-heard:
				return "half", context.Cause(ctx)
			}
		},
	})
}
