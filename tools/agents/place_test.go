package agents_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// sleeper returns a loop that tells its task and takes a time.
func sleeper(told *story, took time.Duration) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		task := parts[len(parts)-1].Text
		told.add(task)
		select {
		case <-time.After(took):
			return agents.Reply{Text: task}, nil
		case <-ctx.Done():
			return agents.Reply{}, context.Cause(ctx)
		}
	}
}

// TestWaitForAPlace: requests that wait get the places in their order, at the moment in which one
// becomes free, and before those that do not wait.
func TestWaitForAPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told story
		h := newHouse(t, pegboard.SessionConfig{}, sleeper(&told, 1500*time.Millisecond), func(o *agents.Options) { o.MaxRunning = 2 }, look())
		began := time.Now()
		var ended atomic.Int64
		for i := range 6 {
			goroutine.Go(func() {
				_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: fmt.Sprint(i), Wait: true})
				require.NoError(t, err)
				ended.Add(1)
			})
			synctest.Wait()
		}
		for range 2 {
			_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "late"})
			require.ErrorIs(t, err, agents.ErrTooMany)
			time.Sleep(1500 * time.Millisecond)
			synctest.Wait()
		}
		other, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
		require.NoError(t, err)
		_, err = h.agents.Start(t.Context(), other, agents.Request{Prompt: "elsewhere", Wait: true})
		require.NoError(t, err, "another conversation has places of its own")
		require.NoError(t, other.Close(t.Context()))
		synctest.Wait()
		all := told.all()
		for i := 0; i < 6; i += 2 { // two at a time, which begin in any order
			slices.Sort(all[i : i+2])
		}
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "elsewhere"}, all)
		require.EqualValues(t, 6, ended.Load())
		require.Equal(t, 4500*time.Millisecond, time.Since(began))
	})
}

// TestWaitForAPlaceEnds: a request that waits ends with its context, with the session and when
// the budget is spent. Its place, if it has got one, goes to the next.
func TestWaitForAPlaceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told story
		h := newHouse(t, pegboard.SessionConfig{}, sleeper(&told, time.Second), func(o *agents.Options) { o.MaxRunning = 1 }, look())
		start := func(ctx context.Context, s *pegboard.Session, prompt string) chan error {
			end := make(chan error, 1)
			go func() {
				_, err := h.agents.Start(ctx, s, agents.Request{Prompt: prompt, Wait: true})
				end <- err
			}()
			synctest.Wait()
			return end
		}
		child, err := h.session.Fork(pegboard.SessionConfig{AgentID: "child"})
		require.NoError(t, err)
		reason := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		first := start(t.Context(), h.session, "first")
		canceled := start(ctx, h.session, "canceled")
		closed := start(t.Context(), child, "closed")
		last := start(t.Context(), h.session, "last")
		cancel(reason)
		require.ErrorIs(t, <-canceled, reason)
		require.NoError(t, child.Close(t.Context()))
		require.ErrorIs(t, <-closed, pegboard.ErrClosed)
		require.NoError(t, <-first)
		require.NoError(t, <-last)
		require.Equal(t, []string{"first", "last"}, told.all())

		first = start(t.Context(), h.session, "stays")
		closed = start(t.Context(), h.session, "closed")
		require.NoError(t, h.session.Close(t.Context()))
		require.ErrorIs(t, <-closed, pegboard.ErrClosed)
		require.Error(t, <-first)
	})
}

// TestPlacesAreGivenBack: whatever ends the waiting, no place is lost and none is made.
func TestPlacesAreGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told story
		h := newHouse(t, pegboard.SessionConfig{}, sleeper(&told, 10*time.Millisecond), func(o *agents.Options) { o.MaxRunning = 3 }, look())
		ended := make(chan error)
		for i := range 200 {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*10*time.Millisecond)
				defer cancel()
				r := agents.Request{Prompt: "p", Wait: i%5 != 0}
				if i%3 == 0 {
					r.Name = "same"
				}
				_, err := h.agents.Start(ctx, h.session, r)
				ended <- err
			}()
		}
		for range 200 {
			<-ended
		}
		time.Sleep(time.Minute)
		for i := range 3 {
			go func() {
				_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: fmt.Sprint(i)})
				ended <- err
			}()
		}
		synctest.Wait()
		_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "one more"})
		require.ErrorIs(t, err, agents.ErrTooMany)
		for range 3 {
			require.NoError(t, <-ended)
		}
	})
}
