package pegboard_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// LogEvents reads the call of an admitted event on the goroutine that delivers, while
// the call is decoded on another.
func TestLogEventsOfAStreamDoesNotRace(t *testing.T) {
	t.Parallel()
	pool := workers(t)
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	for range effort.Of(t, 200) {
		s := ex.Stream(t.Context(), pool)
		for i := range 10 {
			s.Submit(call(fmt.Sprint(i), "Work", `{"class":"shared"}`))
		}
		s.Finish(pegboard.FinishStop)
		for range s.Wait() {
		}
	}
}

// LogEvents names the call that a call is the same as.
func TestLogEventsOfTheSameCall(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	ex := executor(pegboard.Executor{OnEvent: pegboard.LogEvents(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))})
	pool := registryOf(t, pegboard.Build(lookup(new(atomic.Int32)))).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{})
	ex.Run(t.Context(), pool, call("c", "Look", `{"at":"a"}`), call("d", "Look", `{"at":"a"}`))
	require.Equal(t, 1, strings.Count(log.String(), "same_as"))
	require.Regexp(t, `msg="tool call finished" tool=Look call=d .*failed=false same_as=c`, log.String())
}
