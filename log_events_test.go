package pegboard_test

import (
	"bytes"
	"context"
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
		for range s.Outcomes() {
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

// LogEvents tells the kind of a call, so that a log can be searched for edits, and asks the
// tool for it only if the event is logged.
func TestLogEventsTellsTheKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		kind  pegboard.CallKind
		level slog.Level
		want  string
	}{
		{name: "a kind", kind: pegboard.KindEdit, level: slog.LevelDebug, want: "kind=edit"},
		{name: "no kind", kind: pegboard.KindOther, level: slog.LevelDebug},
		{name: "none of the constants", kind: 99, level: slog.LevelDebug},
		{name: "not logged", kind: pegboard.KindEdit, level: slog.LevelWarn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "Work"}, Description: "Works.",
				Inspect: func(struct{}, *pegboard.Call) pegboard.Traits {
					asked.Add(1)
					return pegboard.Traits{Kind: c.kind}
				},
				Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
			})
			var log bytes.Buffer
			run := func(onEvent func(pegboard.Event)) int32 {
				asked.Store(0)
				ex := executor(pegboard.Executor{OnEvent: onEvent})
				require.NoError(t, ex.Run(t.Context(), registryOf(t, tool).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}), call("c", "Work", `{}`))[0].Err)
				return asked.Load()
			}
			silent := run(func(pegboard.Event) {})
			got := run(pegboard.LogEvents(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: c.level}))))
			if c.level > slog.LevelDebug {
				require.Equal(t, silent, got)
			}
			if c.want == "" {
				require.NotContains(t, log.String(), "kind=")
				return
			}
			require.Regexp(t, `msg="tool call finished" .*`+c.want, log.String())
		})
	}
}
