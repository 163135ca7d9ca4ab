package pegboard_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestBrokenLoggerBesideABrokenListener: neither changes an outcome.
func TestBrokenLoggerBesideABrokenListener(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	ex := executor(pegboard.Executor{Logger: slog.New(brokenHandler{}), OnEvent: func(pegboard.Event) { panic("listener") }})
	for _, out := range ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``)) {
		require.NoError(t, out.Err)
	}
}

// TestListenerThatEndsItsGoroutine loses its event, whichever that is.
func TestListenerThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	for kind := pegboard.EventAdmitted; kind <= pegboard.EventFinished; kind++ {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			met := 0
			ex := executor(pegboard.Executor{Repair: pegboard.Repair{Syntax: true}, Grace: time.Millisecond, OnEvent: func(e pegboard.Event) {
				if e.Kind == kind {
					met++
					runtime.Goexit()
				}
			}})
			deaf := make(chan struct{})
			a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(_ ctx, c *pegboard.Call) error {
				c.Emit("half way")
				if c.ID == "deaf" {
					<-deaf
				}
				return nil
			}}
			if kind == pegboard.EventDetached {
				a.traits.Timeout = time.Millisecond
			}
			s := session(t, pegboard.SessionConfig{
				Permissions: rules(t, "", pegboard.RuleSet{Ask: []string{"T"}}),
				Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					return pegboard.Decision{Behavior: pegboard.Allow}, nil
				},
				Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
					h.Emit("looking")
					return pegboard.Decision{}, nil
				}},
			})
			calls := []pegboard.Call{call("1", "T", "{} and more"), call("2", "T", ``)}
			if kind == pegboard.EventDetached {
				calls = []pegboard.Call{call("deaf", "T", ``)}
			}
			pool := a.pool(t, s)
			outs := make(chan []pegboard.Outcome, 1)
			go func() {
				defer close(outs)
				outs <- ex.Run(context.Background(), pool, calls...)
			}()
			got, ok := <-outs
			close(deaf)
			require.True(t, ok, "Run did not return")
			for _, out := range got {
				if kind == pegboard.EventDetached {
					require.ErrorIs(t, out.Err, pegboard.ErrDetached)
				} else {
					require.NoError(t, out.Err)
				}
			}
			require.NotZero(t, met, "no such event")
			require.Eventually(t, func() bool { return len(s.Detached()) == 0 }, time.Minute, time.Millisecond)
		})
	}
}
