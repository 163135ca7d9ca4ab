package background_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		table := background.Of(s)
		j := startStubborn(t, s, background.Work{}, func(j job) {
			time.Sleep(time.Minute)
			j.Done(background.Failed, code(-1), nil)
		})
		user := errors.New("the user has stopped it")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		task, err := table.StopCause(ctx, j.ID(), user)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "was asked to end and still runs")
		require.Equal(t, background.Running, task.State)

		task, err = table.Stop(t.Context(), j.ID())
		require.NoError(t, err)
		require.Equal(t, background.Killed, task.State)
		require.Equal(t, "the user has stopped it", task.Err, "the first cause stands")
		require.Equal(t, user, <-j.causes)
		require.Empty(t, j.causes, "it is asked once")

		task, err = table.Stop(t.Context(), j.ID())
		require.ErrorIs(t, err, background.ErrEnded)
		require.Equal(t, background.Killed, task.State)
	})
}

func TestStopOfWorkThatEndsWell(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	j := startStubborn(t, s, background.Work{}, func(j job) { j.Done(background.Completed, code(0), nil) })
	task, err := background.Of(s).Stop(t.Context(), j.ID())
	require.NoError(t, err)
	require.Equal(t, background.Completed, task.State)
	require.ErrorIs(t, <-j.causes, background.ErrStopped)
}

func TestStopThatPanics(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	h, err := background.Of(s).Add(s, background.Work{Stop: func(error) { panic("at the disco") }})
	require.NoError(t, err)
	_, err = background.Of(s).Stop(t.Context(), h.ID())
	require.ErrorContains(t, err, "at the disco")
	h.Done(background.Failed, nil, nil)
}

// states returns what a watcher is shown, in short.
func states(list []background.Task) (all string) {
	for _, task := range list {
		all += string(task.State[0])
	}
	return all
}

func TestWatch(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	table := background.Of(s)
	var early, late []string
	stop := table.Watch(func(list []background.Task) { early = append(early, states(list)) })
	one := start(t, s, background.Work{})
	two := start(t, s, background.Work{})
	table.Watch(func(list []background.Task) { late = append(late, states(list)) })
	one.Done(background.Completed, nil, nil)
	two.Notify("news")
	stop()
	stop()
	_, err := table.Stop(t.Context(), two.ID())
	require.NoError(t, err)
	require.NoError(t, s.Close(t.Context()))
	require.Equal(t, []string{"", "r", "rr", "cr", "cr"}, early)
	require.Equal(t, []string{"rr", "cr", "cr", "ck"}, late)
}

func TestWatcherMayUseTheTable(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	table := background.Of(s)
	var seen []string
	var inner job
	table.Watch(func(list []background.Task) {
		seen = append(seen, states(list))
		if len(list) == 1 {
			inner, _ = add(s, background.Work{}, func(j job) { j.Done(background.Failed, nil, nil) })
			table.Watch(func([]background.Task) { panic("dropped") })
		}
	})
	start(t, s, background.Work{}).Done(background.Completed, nil, nil)
	require.Equal(t, []string{"", "r", "rr", "cr"}, seen)
	require.Equal(t, background.Running, stateOf(t, s, inner.ID()))
}

func TestWatcherThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	table := background.Of(s)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		table.Watch(func([]background.Task) { runtime.Goexit() })
	}()
	<-ended
	lists := 0
	table.Watch(func([]background.Task) { lists++ })
	require.Equal(t, 1, lists)
}

// Whoever makes the changes, lists come one at a time and no list is older than
// the one before: with every change there is more in it.
func TestWatchKeepsTheOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		table := background.Of(s)
		var inside atomic.Int32
		var news []int
		table.Watch(func(list []background.Task) {
			require.Equal(t, int32(1), inside.Add(1))
			defer inside.Add(-1)
			n := len(list)
			for _, task := range list {
				if task.State != background.Running {
					n++
				}
			}
			news = append(news, n)
			runtime.Gosched()
		})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				j, err := add(s, background.Work{}, func(j job) { j.Done(background.Failed, nil, nil) })
				if err == nil {
					j.Done(background.Completed, nil, nil)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		require.Len(t, news, 101)
		for i, n := range news {
			require.Equal(t, i, n)
		}
	})
}
