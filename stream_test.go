package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestStreamStartsWhileTheModelWrites plays a message on a fake clock. Reads begin
// at once, and the started event comes before the model's next delta.
func TestStreamStartsWhileTheModelWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var mu sync.Mutex // the listener notes things as well as the test
		var log []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, fmt.Sprint(time.Since(begin), " ", what))
		}
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventStarted || e.Kind == pegboard.EventFinished {
				note(e.Kind.String() + " " + e.Call.ID)
			}
		}})
		s := ex.Stream(t.Context(), workers(t))
		s.Submit(call("1", "Work", `{"class":"shared","ms":1500}`))
		time.Sleep(time.Second)
		note("delta")
		s.Submit(call("2", "Work", `{"path":"a","write":true,"class":"target","ms":1000}`))
		time.Sleep(time.Second)
		note("delta")
		require.Len(t, slices.Collect(s.Ready()), 1)
		s.Finish(pegboard.FinishToolCalls)
		outs := slices.Collect(s.Outcomes())
		require.Len(t, outs, 1)
		require.NoError(t, outs[0].Err)
		require.Equal(t, []string{
			"0s started 1", "1s delta", "1.5s finished 1", "2s delta", "2s started 2", "3s finished 2",
		}, log)
	})
}

// TestStreamFinish ends a message in every way. What has not started when it was
// cut does not run.
func TestStreamFinish(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason pegboard.FinishReason
		final  bool
		runs   bool
		says   string
	}{
		{reason: pegboard.FinishStop, runs: true},
		{reason: pegboard.FinishToolCalls, runs: true},
		{reason: pegboard.FinishLength, says: "cut off. Send it again, as a smaller call"},
		{reason: pegboard.FinishFilter, says: "Do not send the same again"},
		{reason: pegboard.FinishError, says: "cut off"},
		{reason: "", says: "cut off"},
		{reason: "a new reason of the provider's", says: "cut off"},
		{reason: pegboard.FinishLength, final: true, runs: true},
	}
	for _, tc := range tests {
		t.Run(fmt.Sprint(tc.reason, tc.final), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ex := executor(pegboard.Executor{StartWritesEarly: tc.final})
				s := ex.Stream(t.Context(), workers(t))
				s.Submit(call("r", "Work", `{"class":"shared"}`))
				s.Submit(call("w", "Work", `{"write":true}`))
				synctest.Wait()
				ready := slices.Collect(s.Ready())
				require.Equal(t, tc.final, len(ready) == 2)
				s.Finish(tc.reason)
				s.Finish(pegboard.FinishStop) // only the first counts
				outs := append(ready, slices.Collect(s.Outcomes())...)
				require.Len(t, outs, 2)
				require.NoError(t, outs[0].Err, "a call that only reads has begun")
				if tc.runs {
					require.NoError(t, outs[1].Err)
					return
				}
				require.ErrorIs(t, outs[1].Err, pegboard.ErrCancelled)
				require.Contains(t, outs[1].Result.Text(), tc.says)
			})
		})
	}
}

// TestStreamAbandon gives a message up with calls in every state.
func TestStreamAbandon(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{nil, errors.New("fell back to another model")} {
		synctest.Test(t, func(t *testing.T) {
			ex := executor(pegboard.Executor{})
			s := ex.Stream(t.Context(), workers(t))
			s.Submit(call("1", "Work", `{"class":"shared"}`))
			s.Submit(call("2", "Work", `{"class":"shared","ms":60000}`))
			s.Submit(call("3", "Work", `{"write":true}`))
			s.Submit(call("4", "Work", `{"class":"shared"}`))
			synctest.Wait()
			s.Abandon(cause)
			s.Abandon(nil)
			s.Submit(call("5", "Work", `{}`)) // comes too late to run
			outs := slices.Collect(s.Outcomes())
			require.Len(t, outs, 5)
			require.NoError(t, outs[0].Err)
			for _, o := range outs[1:] {
				require.ErrorIs(t, o.Err, pegboard.ErrAbandoned)
				require.Contains(t, o.Result.Text(), "given up")
				if cause != nil {
					require.ErrorIs(t, o.Err, cause)
				}
			}
		})
	}
}

// TestStreamSubmitAfterFinishIsAnswered.
func TestStreamSubmitAfterFinishIsAnswered(t *testing.T) {
	t.Parallel()
	ex := executor(pegboard.Executor{})
	s := ex.Stream(t.Context(), workers(t))
	s.Finish(pegboard.FinishStop)
	s.Submit(call("1", "Work", `{"class":"shared"}`))
	outs := slices.Collect(s.Outcomes())
	require.Len(t, outs, 1)
	require.ErrorIs(t, outs[0].Err, pegboard.ErrCancelled)
}

// TestStreamCanBeLeftEarly: a loop that stops ranging goes on where it was.
func TestStreamCanBeLeftEarly(t *testing.T) {
	t.Parallel()
	ex := executor(pegboard.Executor{})
	s := ex.Stream(t.Context(), workers(t))
	for i := range 3 {
		s.Submit(call(fmt.Sprint(i), "Work", `{"class":"shared"}`))
	}
	s.Finish(pegboard.FinishStop)
	var ids []string
	for range 3 {
		for o := range s.Outcomes() {
			ids = append(ids, o.Call.ID)
			break
		}
	}
	require.Equal(t, []string{"0", "1", "2"}, ids)
	require.Empty(t, slices.Collect(s.Outcomes()))
}

// TestStreamBelievesNoAttachedTool: a server that calls its tool read-only does
// not start it before the message is whole.
func TestStreamBelievesNoAttachedTool(t *testing.T) {
	t.Parallel()
	for source, started := range map[string]bool{"": true, "srv": false} {
		synctest.Test(t, func(t *testing.T) {
			ran := false
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "look"}, Description: "For a test.",
				Traits: pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Shared},
				Call:   func(ctx, struct{}, *pegboard.Call) (string, error) { ran = true; return "", nil },
			})
			reg, name := &pegboard.Registry{}, "look"
			if source == "" {
				require.NoError(t, reg.Add(tool))
			} else {
				_, err := reg.Attach(source, tool)
				require.NoError(t, err)
				name = "mcp__srv__look"
			}
			ex := executor(pegboard.Executor{})
			s := ex.Stream(t.Context(), reg.AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}))
			s.Submit(call("1", name, ``))
			synctest.Wait()
			require.Equal(t, started, ran)
			s.Finish(pegboard.FinishStop)
			require.NoError(t, slices.Collect(s.Outcomes())[0].Err)
		})
	}
}

// Two goroutines that abandon a stream at once wait for the same end.
func TestStreamMayBeAbandonedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ex := executor(pegboard.Executor{})
		s := ex.Stream(t.Context(), registryOf(t, slow(pegboard.Info{Name: "T"}, true)).AssemblePool(session(t, bypass(t)), pegboard.PoolConfig{}))
		s.Submit(call("1", "T", `{"ms":1000}`))
		s.Finish(pegboard.FinishToolCalls)
		time.Sleep(time.Millisecond)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() { s.Abandon(nil) })
		}
		group.Wait()
		require.Len(t, slices.Collect(s.Outcomes()), 1)
	})
}

// A call that waits for the end of its message ends as abandoned, not as part of a
// message that was cut off.
func TestStreamAbandonIsTheCauseForWaitingCalls(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 300) {
		synctest.Test(t, func(t *testing.T) {
			ex := executor(pegboard.Executor{})
			s := ex.Stream(t.Context(), workers(t))
			s.Submit(call("1", "Work", `{"write":true}`))
			s.Abandon(nil)
			require.ErrorIs(t, slices.Collect(s.Outcomes())[0].Err, pegboard.ErrAbandoned)
		})
	}
}

// Finish may be called from any goroutine, also from a listener.
func TestStreamFinishInAListenerDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	pool := registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{})
	within(t, "Finish in OnEvent", func() {
		var st *pegboard.Stream
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventAdmitted && e.Call.ID == "2" {
				st.Finish(pegboard.FinishToolCalls)
			}
		}})
		st = ex.Stream(context.Background(), pool)
		st.Submit(call("1", "T", ``))
		st.Submit(call("2", "T", ``))
		for range st.Outcomes() {
		}
	})
}

// TestSubmitAfterAbandonHadNoOutcome, so that a call of the model went unanswered.
func TestSubmitAfterAbandonHadNoOutcome(t *testing.T) {
	t.Parallel()
	ran := false
	tool := teller(pegboard.Info{Name: "T"}, func(*pegboard.Call) (*pegboard.Result, error) { ran = true; return nil, nil })
	hooks := 0
	ex := executor(pegboard.Executor{})
	s := ex.Stream(t.Context(), registryOf(t, tool).AssemblePool(session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{
		Batch: func(ctx, []pegboard.Outcome) error { hooks++; return nil },
	}}), pegboard.PoolConfig{}))
	s.Abandon(nil)
	require.Empty(t, slices.Collect(s.Outcomes()))
	s.Submit(call("1", "T", `{}`))
	s.Submit(call("2", "T", `{}`))
	outs := slices.Collect(s.Outcomes())
	require.Len(t, outs, 2)
	for _, out := range outs {
		require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
		require.ErrorIs(t, out.Err, pegboard.ErrAbandoned)
		require.Equal(t, "T was not run: the reply it belongs to was given up. Nobody refused the call; repeat it if it is still wanted.", out.Result.Text())
	}
	s.Abandon(nil)
	require.False(t, ran)
	require.Equal(t, 1, hooks)
}

// TestSubmitAfterAbandonOfAnInterruptedStream: the call's cause is the abandonment, not
// the interruption before it.
func TestSubmitAfterAbandonOfAnInterruptedStream(t *testing.T) {
	t.Parallel()
	host, a := session(t, pegboard.SessionConfig{}), actor{name: "T"}
	s := executor(pegboard.Executor{}).Stream(t.Context(), a.pool(t, host))
	host.Interrupt(pegboard.ErrNewMessage)
	s.Submit(call("1", "T", `{}`))
	s.Abandon(nil)
	s.Submit(call("2", "T", `{}`))
	outs := slices.Collect(s.Outcomes())
	require.ErrorIs(t, outs[0].Err, pegboard.ErrNewMessage)
	require.ErrorIs(t, outs[1].Err, pegboard.ErrAbandoned)
}

// TestSubmitBesideAbandonHasItsOutcome, whichever comes first.
func TestSubmitBesideAbandonHasItsOutcome(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 300) {
		ex := executor(pegboard.Executor{})
		s := ex.Stream(t.Context(), workers(t))
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() { s.Submit(call(fmt.Sprint(i), "Work", `{"write":true}`)) })
		}
		group.Go(func() { s.Abandon(nil) })
		group.Wait()
		outs := slices.Collect(s.Outcomes())
		require.Len(t, outs, 4)
		for _, out := range outs {
			require.ErrorIs(t, out.Err, pegboard.ErrAbandoned)
		}
	}
}

// TestStreamThatIsNotReadHangsNoClose: a loop may forget a stream, or leave its range; Close ends
// what it has stopped, and its outcomes can still be read.
func TestStreamThatIsNotReadHangsNoClose(t *testing.T) {
	t.Parallel()
	tests := map[string]func(st *pegboard.Stream, cancel context.CancelFunc){
		"an empty stream":         func(*pegboard.Stream, context.CancelFunc) {},
		"Outcomes as a statement": func(st *pegboard.Stream, _ context.CancelFunc) { st.Submit(call("1", "Wait", `{}`)); st.Outcomes() },
		"an error before Finish":  func(st *pegboard.Stream, _ context.CancelFunc) { st.Submit(call("1", "Wait", `{}`)) },
		"a finished stream": func(st *pegboard.Stream, _ context.CancelFunc) {
			st.Submit(call("1", "Wait", `{}`))
			st.Finish(pegboard.FinishToolCalls)
		},
		"a cancelled context": func(st *pegboard.Stream, cancel context.CancelFunc) { st.Submit(call("1", "Wait", `{}`)); cancel() },
		"a range that is left": func(st *pegboard.Stream, _ context.CancelFunc) {
			st.Submit(call("1", "No", `{}`))
			st.Submit(call("2", "Wait", `{}`))
			for range st.Outcomes() {
				break
			}
		},
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := openSession(t)
				pool := registryOf(t, plain("Wait", func(c context.Context, _ struct{}, _ *pegboard.Call) (string, error) {
					<-c.Done()
					return "", context.Cause(c)
				})).AssemblePool(s, pegboard.PoolConfig{})
				ex := executor(pegboard.Executor{})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				st := ex.Stream(ctx, pool)
				leave(st, cancel)
				time.Sleep(time.Minute)
				require.NoError(t, s.Close(context.Background()))
				st.Submit(call("late", "Wait", `{}`))
				for o := range st.Outcomes() {
					require.ErrorIs(t, o.Err, pegboard.ErrCancelled)
				}
				st.Abandon(nil)
			})
		})
	}
}
