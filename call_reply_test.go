package pegboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestCallReplyCrosses takes what tools return through JSON.
func TestCallReplyCrosses(t *testing.T) {
	t.Parallel()
	whole := &pegboard.Result{
		Parts:      []pegboard.Part{{Text: "é\x01<&>"}, {MIME: "image/png", Data: []byte{0, 255}}, {Text: "found", Title: "a page", Source: "s"}, {Tool: "Read"}, {Text: "preview", Ref: "r"}},
		IsError:    true,
		StopTurn:   true,
		Line:       "Read 1 line",
		SearchText: "line",
		Messages:   []pegboard.Part{{Text: "for the conversation"}},
	}
	refused := errors.New("refused")
	tests := []struct {
		name   string
		result *pegboard.Result
		err    error
		is     []error
		isNot  []error
	}{
		{name: "nothing"},
		{name: "an empty result", result: &pegboard.Result{}},
		{name: "a whole result", result: whole},
		{name: "an error alone", err: refused, isNot: []error{refused, pegboard.ErrDenied}},
		{name: "an error beside a result", result: pegboard.TextResult("partial"), err: errors.Join(refused, pegboard.ErrDenied), is: []error{pegboard.ErrDenied}},
		{name: "a transient error", err: pegboard.Transient(refused, 0), is: []error{pegboard.ErrTransient}},
		{name: "the end of a context", err: context.Canceled, is: []error{context.Canceled}, isNot: []error{pegboard.ErrCancelled}},
		{name: "a cause", err: pegboard.ErrUserInterrupt, is: []error{pegboard.ErrUserInterrupt}},
		{name: "an error of another package", err: fs.ErrNotExist, isNot: []error{fs.ErrNotExist}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			result, err := crossed(t, pegboard.NewCallReply(tc.result, tc.err)).Returned()
			require.Equal(t, tc.result, result)
			if tc.err == nil {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tc.err.Error())
			}
			for _, is := range tc.is {
				require.ErrorIs(t, err, is)
			}
			for _, isNot := range tc.isNot {
				require.NotErrorIs(t, err, isNot)
			}
		})
	}
}

func crossed(t *testing.T, reply pegboard.CallReply) (read pegboard.CallReply) {
	t.Helper()
	text, err := json.Marshal(reply)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &read))
	return read
}

// TestCallReplyKeepsPanics with the stack of the other process.
func TestCallReplyKeepsPanics(t *testing.T) {
	t.Parallel()
	_, err := crossed(t, pegboard.NewCallReply(nil, &pegboard.PanicError{Value: 7, Stack: []byte("a stack"), Site: "a.go:1"})).Returned()
	var crash *pegboard.PanicError
	require.ErrorAs(t, err, &crash)
	require.Equal(t, &pegboard.PanicError{Value: "7", Stack: []byte("a stack"), Site: "a.go:1"}, crash)
}

// TestCallReplyData: data becomes JSON, and data without JSON is left out.
func TestCallReplyData(t *testing.T) {
	t.Parallel()
	result, err := crossed(t, pegboard.NewCallReply(&pegboard.Result{Data: map[string]int{"lines": 3}}, nil)).Returned()
	require.NoError(t, err)
	require.Equal(t, json.RawMessage(`{"lines":3}`), result.Data)
	result, err = crossed(t, pegboard.NewCallReply(&pegboard.Result{Data: func() {}, Line: "kept"}, nil)).Returned()
	require.NoError(t, err)
	require.Nil(t, result.Data)
	require.Equal(t, "kept", result.Line)
}

// TestCallReplyRefuses what is none.
func TestCallReplyRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"version":2}`, `[]`, `{"version":1,"parts":7}`, `null`} {
		var read pegboard.CallReply
		err := json.Unmarshal([]byte(text), &read)
		if err == nil {
			_, err = read.Returned()
		}
		require.ErrorIs(t, err, pegboard.ErrInvalidOutput, text)
	}
	_, err := json.Marshal(pegboard.CallReply{})
	require.ErrorContains(t, err, "zero CallReply")
	_, err = pegboard.CallReply{}.Returned()
	require.ErrorIs(t, err, pegboard.ErrInvalidOutput)
}

// TestCallReplyThroughInvoke: the executor treats what crossed like what was returned here.
func TestCallReplyThroughInvoke(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		call func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error)
	}{
		{name: "a result", call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("done"), nil
		}},
		{name: "an error", call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) {
			return pegboard.TextResult("partial"), errors.New("the disk is full")
		}},
		{name: "a panic", call: func(context.Context, struct{}, *pegboard.Call) (*pegboard.Result, error) { panic("broken") }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tool := pegboard.Build(pegboard.Definition[struct{}, *pegboard.Result]{Info: pegboard.Info{Name: "T"}, Description: "Does it.", Call: tc.call})
			pool := registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
			here := executor(pegboard.Executor{}).Run(t.Context(), pool, call("1", "T", `{}`))[0]
			far := executor(pegboard.Executor{Invoke: func(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (*pegboard.Result, error) {
				return crossed(t, pegboard.NewCallReply(callHere(ctx, tool, c))).Returned()
			}})
			there := far.Run(t.Context(), pool, call("1", "T", `{}`))[0]
			require.Equal(t, here.Result.Parts, there.Result.Parts)
			var was, is *pegboard.CallError
			require.Equal(t, errors.As(here.Err, &was), errors.As(there.Err, &is))
			if was != nil {
				require.Equal(t, was.Sentinel(), is.Sentinel())
				require.Equal(t, was.Stage, is.Stage)
			}
		})
	}
}

// callHere returns the result of a tool, or its panic as an error.
func callHere(ctx context.Context, tool pegboard.Tool, c *pegboard.Call) (r *pegboard.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &pegboard.PanicError{Value: v}
		}
	}()
	return tool.Call(ctx, c)
}
