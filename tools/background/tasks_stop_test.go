package background_test

import (
	"context"
	"errors"
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
