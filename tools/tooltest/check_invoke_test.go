package tooltest_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func (b badInvoke) check(t *testing.T) {
	t.Helper()
	err := tooltest.CheckInvoke(func(*pegboard.Pool) (pegboard.Invoke, error) { return b.invoke, b.refuse })
	require.ElementsMatch(t, b.rules, rulesOf(t, err), "%v", err)
	require.ErrorContains(t, err, b.got)
}

func TestCheckInvokeFindsBadInvokes(t *testing.T) {
	t.Parallel()
	for _, tt := range badInvokes() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.check(t)
		})
	}
}

func TestCheckInvokeFindsSlowInvokes(t *testing.T) {
	t.Parallel()
	for i, tt := range slowInvokes(t.Context()) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				slowInvokes(ctx)[i].check(t)
				cancel()
				time.Sleep(time.Hour) // so that all calls have ended
			})
		})
	}
}

func TestCheckInvokeRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range slices.Concat(badInvokes(), slowInvokes(t.Context())) {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "check_invoke.go", tooltest.InvokeRules(), broken)
}

// sentCall is all of a call that reaches the far side.
type sentCall struct {
	ID, Name string
	Input    []byte // byte for byte: a json.RawMessage would be compacted
}

// farInvoke sends id, name and bytes of a call, and of the context its end. The far side
// has a pool of its own.
func farInvoke(far *pegboard.Pool) pegboard.Invoke {
	return func(ctx context.Context, _ pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
		message, err := json.Marshal(sentCall{c.ID, c.Name, c.Input})
		if err != nil {
			return nil, err
		}
		there, stop := context.WithCancelCause(pegboard.WithSession(context.Background(), far.Session()))
		defer stop(nil)
		defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
		var got sentCall
		if err := json.Unmarshal(message, &got); err != nil {
			return nil, err
		}
		tool, rebuilt, err := far.Rebuild(pegboard.Call{ID: got.ID, Name: got.Name, Input: got.Input})
		if err != nil {
			return nil, err
		}
		return tool.Call(there, rebuilt)
	}
}

func TestCheckInvokePassesGoodInvokes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		build func(p *pegboard.Pool) (pegboard.Invoke, error)
	}{
		{name: "the default", build: func(*pegboard.Pool) (pegboard.Invoke, error) { return nil, nil }},
		{name: "in this process", build: func(*pegboard.Pool) (pegboard.Invoke, error) { return call, nil }},
		{name: "rebuilt from the pool", build: func(p *pegboard.Pool) (pegboard.Invoke, error) { return farInvoke(p), nil }},
		{name: "rebuilt in a session and a pool elsewhere", build: func(*pegboard.Pool) (pegboard.Invoke, error) {
			return farInvoke(poolOf(t, tooltest.InvokeTools()...)), nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tooltest.CheckInvoke(tt.build))
		})
	}
}
