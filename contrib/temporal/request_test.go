package temporal_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/proto"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/contrib/temporal"
)

// TestLongResults go through the store of the session, and the history never has them.
func TestLongResults(t *testing.T) {
	t.Parallel()
	const length = 3 << 20
	dir := t.TempDir()
	open := func() pegboard.ResultStore {
		store, err := pegboard.NewDirStore(dir, "shared", pegboard.DirOptions{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		return store
	}
	queue := newQueue()
	ids := make(chan string, 1)
	double := tool("Double", func(_ context.Context, in text, c *pegboard.Call) (*pegboard.Result, error) {
		ids <- temporal.WorkflowID(c)
		return pegboard.TextResult(in.Text + in.Text), nil
	}, func(d *definition) { d.Info.MaxResult = -1 })
	workAs(t, server.GetDefaultClient(), queue, open(), double)
	cfg := pegboard.SessionConfig{ID: t.Name(), Results: open(), Limits: pegboard.ResultLimits{PerMessage: -1}}
	h := newHost(t, temporal.Options{Route: to(queue)}, cfg, double)
	o := h.run(t.Context(), call("1", "Double", `{"text":"`+strings.Repeat("x", length)+`"}`))[0]
	require.NoError(t, o.Err)
	require.Len(t, o.Result.Text(), 2*length)

	size, events := 0, 0
	history := server.GetDefaultClient().GetWorkflowHistory(t.Context(), <-ids, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		size, events = size+proto.Size(event), events+1
	}
	require.Greater(t, events, 5)
	require.Less(t, size, 32<<10, "bytes of the history")
}

// TestStoresThatAreNotShared: the input does not arrive, and nothing runs.
func TestStoresThatAreNotShared(t *testing.T) {
	t.Parallel()
	queue := newQueue()
	ran := false
	double := tool("Double", func(_ context.Context, in text, _ *pegboard.Call) (*pegboard.Result, error) {
		ran = in.Text != ""
		return pegboard.TextResult(strings.Repeat("x", 1<<20)), nil
	})
	work(t, queue, double)
	h := newHost(t, temporal.Options{Route: to(queue)}, pegboard.SessionConfig{}, double)
	long := h.run(t.Context(), call("1", "Double", `{"text":"`+strings.Repeat("x", 1<<20)+`"}`))[0]
	require.ErrorIs(t, long.Err, temporal.ErrNoPool)
	require.Contains(t, long.Result.Text(), "was not run")
	require.False(t, ran)
	short := h.run(t.Context(), call("2", "Double", `{}`))[0]
	require.ErrorIs(t, short.Err, temporal.ErrStore)
	require.Contains(t, short.Result.Text(), "Double has run, but its result could not be brought here")
}
