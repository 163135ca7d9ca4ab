package asking_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAhead: a decider that was started early gives its answer to the race, and ends when
// it is not needed.
func TestAhead(t *testing.T) {
	t.Parallel()
	errEnd := errors.New("the end")
	slow := func(ended *error) func(context.Context) (string, bool) {
		return func(ctx context.Context) (string, bool) {
			select {
			case <-time.After(time.Second):
				return "yes", true
			case <-ctx.Done():
				*ended = context.Cause(ctx)
				return "late", true
			}
		}
	}
	tests := []struct {
		name  string
		after time.Duration // when it is asked for the answer
		limit time.Duration // of the one who waits; 0: none
		drop  bool
		end   bool // the context that it was started with
		want  string
		ended string // why its context ended
	}{
		{name: "before it answers", want: "yes"},
		{name: "after it answers", after: time.Minute, want: "yes"},
		{name: "dropped", drop: true, want: "late", ended: "somebody else has answered"},
		{name: "the context has ended", end: true, want: "late", ended: "the end"},
		{name: "nobody waits any more", limit: time.Millisecond, want: "", ended: "context deadline exceeded"},
		{name: "dropped after it answers", after: time.Minute, drop: true, want: "yes"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLine()
				started, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				var ended error
				a := l.Ahead(started, slow(&ended))
				require.False(t, l.Idle())
				synctest.Wait()
				time.Sleep(tc.after)
				if tc.drop {
					a.Drop()
				}
				if tc.end {
					cancel(errEnd)
				}
				wait := t.Context()
				if tc.limit > 0 {
					var stop context.CancelFunc
					wait, stop = context.WithTimeout(wait, tc.limit)
					defer stop()
				}
				got, ok := a.Decide(wait)
				require.Equal(t, tc.want, got)
				require.Equal(t, tc.want != "", ok)
				a.Drop()
				l.Wait()
				if tc.ended == "" {
					require.NoError(t, ended)
				} else {
					require.EqualError(t, ended, tc.ended)
				}
			})
		})
	}
}

// TestAheadThatEndsItsGoroutine abstains.
func TestAheadThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	for _, end := range []func(){runtime.Goexit, func() { panic("oh") }} {
		l := newLine()
		a := l.Ahead(t.Context(), func(context.Context) (string, bool) { end(); return "no", true })
		_, ok := a.Decide(t.Context())
		require.False(t, ok)
		a.Drop()
		l.Wait()
	}
}

// TestAheadThatIsNotNeededAnyMore is not started.
func TestAheadThatIsNotNeededAnyMore(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	l := newLine()
	a := l.Ahead(ended, func(context.Context) (string, bool) { t.Error("it was started"); return "", true })
	defer a.Drop()
	_, ok := a.Decide(t.Context())
	require.False(t, ok)
}
