package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// TestCloseEndsWhatTheSessionOwns: the newest first, a fork in the place where it was
// made, and each once. The error names everything that could not be ended.
func TestCloseEndsWhatTheSessionOwns(t *testing.T) {
	t.Parallel()
	var story []string
	boom := errors.New("boom")
	end := func(name string, err error) (string, func(ctx) error) {
		return name, func(ctx ctx) error {
			story = append(story, name)
			return errors.Join(err, ctx.Err())
		}
	}
	s := session(t, pegboard.SessionConfig{})
	s.OnClose(end("first", boom))
	fork := forked(t, s, pegboard.SessionConfig{AgentID: "a1"})
	done := forked(t, s, pegboard.SessionConfig{AgentID: "a2"})
	done.OnClose(end("a2's", nil))
	s.OnClose(end("last", nil))
	fork.OnClose(end("a1's", boom))
	forked(t, fork, pegboard.SessionConfig{AgentID: "a3"}).OnClose(end("a3's", boom))

	require.NoError(t, done.Close(t.Context()))
	require.Equal(t, []string{"a2's"}, story)
	err := s.Close(t.Context())
	require.ErrorIs(t, err, boom)
	require.Equal(t, []string{"a2's", "last", "a3's", "a1's", "first"}, story)
	for _, name := range []string{"first: boom", "agent a1: ", "a1's: boom", "agent a3: a3's: boom"} {
		require.ErrorContains(t, err, name)
	}
	require.NotContains(t, err.Error(), "last")

	require.NoError(t, s.Close(t.Context()), "a second time there is nothing left")
	require.NoError(t, fork.Close(t.Context()))
	require.Len(t, story, 5)
	s.OnClose(end("late", nil))
	fork.OnClose(end("late in the fork", boom))
	require.Equal(t, []string{"late", "late in the fork"}, story[5:])
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

// TestCloseCancelsRunningCalls of a session and of its forks, and waits for
// them.
func TestCloseCancelsRunningCalls(t *testing.T) {
	t.Parallel()
	for _, inFork := range []bool{false, true} {
		t.Run(fmt.Sprint(inFork), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, bypass(t))
				in := s
				if inFork {
					in = forked(t, s, pegboard.SessionConfig{})
				}
				ended := false
				a := actor{name: "T", call: func(ctx ctx, _ *pegboard.Call) error {
					<-ctx.Done()
					time.Sleep(time.Second) // to put things in order
					ended = true
					return ctx.Err()
				}}
				pool := a.pool(t, in)
				var out pegboard.Outcome
				var wg sync.WaitGroup
				wg.Go(func() {
					ex := executor(pegboard.Executor{})
					out = ex.Run(context.Background(), pool, call("1", "T", ``))[0]
				})
				synctest.Wait()
				begin := time.Now()
				require.NoError(t, s.Close(t.Context()))
				require.True(t, ended)
				require.Equal(t, time.Second, time.Since(begin))
				wg.Wait()
				require.ErrorIs(t, out.Err, pegboard.ErrClosed)
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
			})
		})
	}
}

// TestCloseGivesUpWithItsContext on a call that does not listen, and says so.
func TestCloseGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		deaf := make(chan struct{})
		a := actor{name: "T", call: func(ctx, *pegboard.Call) error { <-deaf; return nil }}
		pool := a.pool(t, s)
		var wg sync.WaitGroup
		wg.Go(func() {
			ex := executor(pegboard.Executor{})
			ex.Run(context.Background(), pool, call("1", "T", ``))
		})
		synctest.Wait()
		why := errors.New("the program ends")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		err := s.Close(ctx)
		require.ErrorIs(t, err, why)
		require.ErrorContains(t, err, "still running")
		close(deaf)
		wg.Wait()
	})
}

// TestClosedSessionAnswersWithoutRunning a call or asking about it.
func TestClosedSessionAnswersWithoutRunning(t *testing.T) {
	t.Parallel()
	var questions []*pegboard.Question
	parent := session(t, pegboard.SessionConfig{Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil)})
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	b := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: a.call}
	pools := []*pegboard.Pool{a.pool(t, parent), b.pool(t, parent), a.pool(t, forked(t, parent, pegboard.SessionConfig{}))}
	require.NoError(t, parent.Close(t.Context()))
	for _, p := range pools {
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), p, call("1", "T", ``), call("2", "T", ``))
		require.Len(t, outs, 2)
		for _, out := range outs {
			require.ErrorIs(t, out.Err, pegboard.ErrClosed)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), "T was not run")
		}
	}
	require.False(t, ran)
	require.Empty(t, questions)
}

// TestCloseFromAsker ends when its context does, and says why.
func TestCloseFromAsker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
			own, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			err := q.Call.Session().Close(own)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}})
		require.NoError(t, err)
		a := actor{name: "T"}
		ex := executor(pegboard.Executor{})
		require.ErrorIs(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0].Err, pegboard.ErrClosed)
		require.NoError(t, s.Close(t.Context()))
	})
}

// TestCloseWhileAsked: closing a fork closes the questions of its calls, and no others.
func TestCloseWhileAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater})
		fork := forked(t, s, pegboard.SessionConfig{AgentID: "f"})
		a := actor{name: "T"}
		outs := make(chan pegboard.Outcome, 2)
		for _, s := range []*pegboard.Session{fork, s} {
			pool := a.pool(t, s)
			go func() {
				ex := executor(pegboard.Executor{})
				outs <- ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
			}()
			synctest.Wait()
		}
		require.Len(t, s.Questions(), 2)
		stale := s.Questions()[0].ID
		require.NoError(t, fork.Close(t.Context()))
		require.ErrorIs(t, (<-outs).Err, pegboard.ErrClosed)
		require.ErrorIs(t, s.Answer(stale, pegboard.Decision{Behavior: pegboard.Allow}), pegboard.ErrQuestionClosed)
		synctest.Wait()
		require.Len(t, s.Questions(), 1)
		require.ErrorIs(t, fork.Answer(s.Questions()[0].ID, pegboard.Decision{Behavior: pegboard.Allow}), pegboard.ErrQuestionClosed)
		require.NoError(t, s.Answer(s.Questions()[0].ID, pegboard.Decision{Behavior: pegboard.Allow}))
		require.NoError(t, (<-outs).Err)
	})
}

// A call that goes on in the background is still a call of the session, so Close cancels
// it.
func TestCloseCancelsDetachedCalls(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	started, heard := make(chan struct{}), make(chan error, 1)
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T", Interrupt: pegboard.InterruptDetach}, Description: "For a test.",
		Call: func(c ctx, _ struct{}, _ *pegboard.Call) (string, error) {
			close(started)
			<-c.Done()
			heard <- context.Cause(c)
			return "", nil
		},
	})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	turn, cancel := context.WithCancelCause(context.Background())
	go func() { <-started; cancel(pegboard.ErrNewMessage) }()
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, pool, call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDetached)
	patience, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	err := s.Close(patience)
	t.Log("Close:", err)
	select {
	case cause := <-heard:
		t.Log(cause)
	case <-time.After(time.Minute):
		t.Error("the tool was never told that the session closed")
	}
}

// TestCloseNamedWhatHadEnded if its context had ended: an Asker that no one had called, and
// closers that return at once.
func TestCloseNamedWhatHadEnded(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range effort.Of(t, 300) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{})
		require.NoError(t, err)
		s.OnClose("quick", func(context.Context) error { return nil })
		require.NoError(t, s.Close(over))
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	release := make(chan struct{})
	s.OnClose("quick", func(context.Context) error { return nil })
	s.OnClose("slow", func(context.Context) error { <-release; return nil })
	s.OnClose("broken", func(context.Context) error { return errPlanned })
	err = s.Close(over)
	require.EqualError(t, err, "broken: "+errPlanned.Error()+"\nslow: context canceled")
	close(release)
	require.NoError(t, s.Close(t.Context()))
}

// TestDetachNamesWhatDidNotEnd: what a tool left behind is named until it has returned, and
// Close of the main session tells.
func TestDetachNamesWhatDidNotEnd(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	fork, err := s.Fork(pegboard.SessionConfig{AgentID: "a"})
	require.NoError(t, err)
	one, two := fork.Detach("the loop of agent a"), s.Detach("a watch")
	require.Equal(t, []string{"the loop of agent a", "a watch"}, s.Detached())
	two()
	require.NoError(t, fork.Close(t.Context()))
	err = s.Close(t.Context())
	require.ErrorIs(t, err, pegboard.ErrDetached)
	require.ErrorContains(t, err, "the loop of agent a")
	one()
	one()
	require.Empty(t, s.Detached())
}
