package tooltest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A bridge to a person far away may need longer than the minute of CheckAsker.
func ExampleAskerChecker_Check() {
	bridge := pegboard.AskLater
	fmt.Println(tooltest.AskerChecker{Grace: 5 * time.Minute}.Check(bridge, func(q *pegboard.Question, answer policy.Decision) {
		if err := q.Answer(answer); err != nil && !errors.Is(err, pegboard.ErrQuestionClosed) {
			fmt.Println(err)
		}
	}))
	// Output: <nil>
}

// A worker that is started for each call may need longer than the minute of CheckInvoke.
func ExampleInvokeChecker_Check() {
	fmt.Println(tooltest.InvokeChecker{Grace: 5 * time.Minute}.Check(func(*pegboard.Pool) (pegboard.Invoke, error) {
		return func(ctx context.Context, t pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			return t.Call(ctx, c) // the worker
		}, nil
	}))
	// Output: <nil>
}

// A worker with a registry of its own has the tools of the kit there.
func ExampleInvokeTools() {
	var far pegboard.Registry
	if err := far.Add(tooltest.InvokeTools()...); err != nil {
		fmt.Println(err)
		return
	}
	session, err := tooltest.NewSession("")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = session.Close(context.Background()) }()
	worker := far.AssemblePool(session, pegboard.PoolConfig{})
	fmt.Println(tooltest.CheckInvoke(func(*pegboard.Pool) (pegboard.Invoke, error) {
		return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
			tool, rebuilt, err := worker.Rebuild(pegboard.Call{ID: c.ID, Name: c.Name, Input: c.Input})
			if err != nil {
				return nil, err
			}
			return tool.Call(ctx, rebuilt)
		}, nil
	}))
	// Output: <nil>
}

// A ranker that asks a slow model may need longer than a minute.
func ExampleRankerChecker_Check() {
	fmt.Println(tooltest.RankerChecker{Grace: 5 * time.Minute}.Check(pegboard.LexicalRanker{}))
	// Output: <nil>
}

// A loop that is stopped should end soon. Here it has ten seconds.
func ExampleLoopChecker_Check() {
	fmt.Println(tooltest.LoopChecker{Grace: 10 * time.Second}.Check(func(m *tooltest.LoopModel) agents.Loop {
		return hostLoop(m)
	}))
	// Output: <nil>
}
