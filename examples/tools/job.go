package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

type reindexInput struct {
	Index      string `json:"index" jsonschema:"description=Which index to build anew"`
	Background bool   `json:"run_in_background,omitempty" jsonschema:"description=Return at once and report the end later"`
}

// A builder builds an index and reports how far it is. It returns early when ctx ends.
type builder func(ctx context.Context, index string, progress func(percent int)) error

// reindex runs a long job, within the call or beside the conversation.
func reindex(build builder) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[reindexInput, string]{
		Info:        pegboard.Info{Name: "Reindex", Title: "Build an index", Interrupt: pegboard.InterruptCancel},
		Description: "Builds a search index anew. It takes minutes: use run_in_background if there is other work.",
		Inspect: func(in reindexInput, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{
				Targets:     []policy.Target{{Kind: policy.Resource, Access: policy.Write, Value: in.Index}},
				Concurrency: pegboard.PerTarget,
				Kind:        pegboard.KindRun,
			}
		},
		Call: func(ctx context.Context, in reindexInput, c *pegboard.Call) (string, error) {
			if in.Background {
				return build.start(ctx, in.Index, c.Session())
			}
			err := build(ctx, in.Index, func(percent int) { c.Emit(fmt.Sprintf("%d %% of %s", percent, in.Index)) })
			if err != nil {
				return "", fmt.Errorf("the index %s is as it was before: %w", in.Index, err)
			}
			return "The index " + in.Index + " is new.", nil
		},
	})
}

// start runs the job beside the conversation. The table of tasks stops it if the model or
// the user asks for that, and when the conversation ends.
func (build builder) start(ctx context.Context, index string, s *pegboard.Session) (string, error) {
	var reached atomic.Int64
	ctx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	handle, err := background.Of(s).Add(s, background.Work{
		Kind: "reindex", Description: "build the index " + index, Stop: stop,
		Output: func() string { return fmt.Sprintf("%d %%", reached.Load()) },
	})
	if err != nil {
		stop(err)
		return "", err
	}
	go func() {
		err := build(ctx, index, func(percent int) { reached.Store(int64(percent)) })
		state := background.Completed
		if err != nil {
			state = background.Failed
		}
		stop(nil)
		handle.Done(state, nil, err)
	}()
	return "Started as " + handle.ID() + ". You will be told when it has ended.", nil
}
