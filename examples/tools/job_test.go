package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

func TestReindex(t *testing.T) {
	t.Parallel()
	require.NoError(t, tooltest.Check(reindex(build), `{"index":"orders"}`))
	out := tooltest.Run(t.Context(), reindex(build), nil, `{"index":"orders"}`)
	require.NoError(t, out.Err)
	require.Equal(t, "The index orders is new.", out.Result.Text())

	broken := func(context.Context, string, func(int)) error { return errors.New("the disk is full") }
	out = tooltest.Run(t.Context(), reindex(broken), nil, `{"index":"orders"}`)
	require.ErrorContains(t, out.Err, "as it was before: the disk is full")
}

func TestReindexInTheBackground(t *testing.T) {
	t.Parallel()
	s, err := tooltest.NewSession(t.TempDir())
	require.NoError(t, err)
	tasks := background.Of(s)
	endless := func(ctx context.Context, _ string, progress func(int)) error {
		progress(10)
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for range 2 {
		out := tooltest.Run(t.Context(), reindex(endless), s, `{"index":"orders","run_in_background":true}`)
		require.NoError(t, out.Err)
		require.Contains(t, out.Result.Text(), "Started as reindex_")
	}
	list := tasks.List()
	require.Len(t, list, 2)
	task, err := tasks.StopCause(t.Context(), list[0].ID, pegboard.ErrUserInterrupt)
	require.NoError(t, err)
	require.Equal(t, background.Killed, task.State)
	require.NoError(t, s.Close(t.Context()), "the end of the conversation stops the other one")
	require.Equal(t, background.Killed, tasks.List()[1].State)
}
