package mcp_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/reference"
	"github.com/seed49eaa51d/pegboard/tools/mcp"
)

const sizeLimit = 32 << 20

// TestHugeAnswer streams an answer of 1 GiB at full effort. It is not kept, its call fails, and
// the next one works. It is not parallel, because it measures the memory.
func TestHugeAnswer(t *testing.T) {
	b := newBridge(t, func(s *setup) { s.options.MaxMessage = sizeLimit }, own(t, "srv", "usual")).ready()
	b.requireEcho("srv")
	var o error
	grown := reference.HeapGrowth(func() { o = b.call("srv", "huge", scriptedInput{Bytes: effort.Of(t, 1<<30)}).Err })
	require.ErrorContains(t, o, "longer than 33554432 bytes")
	require.Less(t, grown, uint64(3*sizeLimit))
	b.requireEcho("srv")
	require.Equal(t, mcp.Ready, b.now("srv").Status)
	require.Zero(t, b.now("srv").Strays)
}

// TestAnswerWithoutEnd has an answer begin and not end. The limit of time ends its call; the
// server can be connected again.
func TestAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBridge(t, func(s *setup) { s.options.MaxMessage, s.options.Idle = 1<<20, 300*time.Millisecond }, own(t, "srv", "usual"), own(t, "other", "usual")).ready()
	o := b.call("srv", "endless", scriptedInput{Bytes: 10 << 20})
	require.ErrorIs(t, o.Err, mcp.ErrIdle)
	b.requireEcho("other")
	ctx, cancel := context.WithTimeoutCause(t.Context(), soon, errors.New("the test has ended"))
	defer cancel()
	require.NoError(t, b.servers.Reconnect(ctx, "srv"))
	b.requireEcho("srv")
}
