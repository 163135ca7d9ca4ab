package schedule_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// startTask starts a background task that ends when it is told to.
func startTask(t *testing.T, s *pegboard.Session) *background.Handle {
	t.Helper()
	started := make(chan *background.Handle, 1)
	h, err := background.Of(s).Add(s, background.Work{Kind: "shell", Stop: func(error) { (<-started).Done(background.Killed, nil, nil) }})
	require.NoError(t, err)
	started <- h
	return h
}

func TestSleep(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		seconds float64
		max     time.Duration
		before  func(t *testing.T, s *pegboard.Session)
		after   time.Duration // of do
		do      func(t *testing.T, s *pegboard.Session)
		want    schedule.Slept // without Tasks
		tasks   int
		text    string
	}{
		{name: "until the end", seconds: 90, want: schedule.Slept{WokenBy: schedule.WokenByTime, Seconds: 90}, text: "Slept for 1m30s."},
		{name: "not at all", want: schedule.Slept{WokenBy: schedule.WokenByTime}, text: "Slept for 0s."},
		{name: "too long", seconds: 1e300, want: schedule.Slept{WokenBy: schedule.WokenByTime, Seconds: 3600, Clamped: true}, text: "Slept for 1h0m0s, which is the most for one call. Sleep again if it is not enough."},
		{name: "longer than the host allows", seconds: 60, max: time.Second, want: schedule.Slept{WokenBy: schedule.WokenByTime, Seconds: 1, Clamped: true}, text: "Slept for 1s, which is the most for one call. Sleep again if it is not enough."},
		{name: "a message", seconds: 60, after: 5 * time.Second, do: func(_ *testing.T, s *pegboard.Session) { s.Notify(pegboard.Part{Text: "hello"}) },
			want: schedule.Slept{WokenBy: schedule.WokenByMessage, Seconds: 5}, text: "Woken after 5s: there is a message for you, which follows."},
		{name: "a message that waits already", seconds: 60, before: func(_ *testing.T, s *pegboard.Session) { s.Notify(pegboard.Part{Text: "hello"}) },
			want: schedule.Slept{WokenBy: schedule.WokenByMessage}, text: "Woken after 0s: there is a message for you, which follows."},
		{name: "a message of a task", seconds: 60, after: time.Second, do: func(t *testing.T, s *pegboard.Session) { t.Helper(); startTask(t, s).Notify("line") },
			want: schedule.Slept{WokenBy: schedule.WokenByMessage, Seconds: 1}, text: "Woken after 1s: there is a message for you, which follows."},
		{name: "the end of a task", seconds: 60, after: 90 * time.Millisecond, do: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			startTask(t, s).Done(background.Failed, nil, nil)
		}, want: schedule.Slept{WokenBy: schedule.WokenByTask, Seconds: 0.09}, tasks: 1},
		{name: "tasks that have ended before", seconds: 60, before: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			startTask(t, s).Done(background.Completed, nil, nil)
			startTask(t, s).Done(background.Completed, nil, nil)
		}, want: schedule.Slept{WokenBy: schedule.WokenByTask}, tasks: 2},
		{name: "a task whose end is known", seconds: 60, before: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			startTask(t, s).Done(background.Completed, nil, nil)
			s.Notifications()
		}, want: schedule.Slept{WokenBy: schedule.WokenByTime, Seconds: 60}, text: "Slept for 1m0s."},
		{name: "the task of an agent", seconds: 60, before: func(t *testing.T, s *pegboard.Session) {
			t.Helper()
			agent, err := s.Fork(pegboard.SessionConfig{AgentID: "a1", Role: pegboard.RoleAsyncAgent})
			require.NoError(t, err)
			startTask(t, agent).Done(background.Completed, nil, nil)
		}, want: schedule.Slept{WokenBy: schedule.WokenByTime, Seconds: 60}, text: "Slept for 1m0s."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSession(t)
				if tt.before != nil {
					tt.before(t, s)
				}
				if tt.do != nil {
					time.AfterFunc(tt.after, func() { tt.do(t, s) })
				}
				out := tooltest.Run(t.Context(), schedule.Sleep(schedule.SleepOptions{Max: tt.max}), s, fileOf(t, object{"seconds": tt.seconds}))
				require.NoError(t, out.Err)
				slept, _ := out.Result.Data.(schedule.Slept)
				require.Len(t, slept.Tasks, tt.tasks)
				require.Equal(t, tt.want.WokenBy, slept.WokenBy)
				require.InDelta(t, tt.want.Seconds, slept.Seconds, 1e-9)
				require.Equal(t, tt.want.Clamped, slept.Clamped)
				if tt.text != "" {
					require.Equal(t, tt.text, textOf(out))
				}
			})
		})
	}
}

func TestSleepThatIsStopped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		cause error
		want  string
	}{
		{name: "a new message of the user", cause: pegboard.ErrNewMessage, want: "Woken after 7s: the user has sent a message."},
		{name: "the user stops the turn", cause: pegboard.ErrUserInterrupt},
		{name: "another cause", cause: errors.New("the host ends")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(7*time.Second, func() { cancel(tt.cause) })
				out := tooltest.Run(ctx, schedule.Sleep(schedule.SleepOptions{}), newSession(t), `{"seconds": 3600}`)
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
				require.Equal(t, midnight.Add(7*time.Second), time.Now().UTC())
				require.Contains(t, textOf(out), tt.want)
				if tt.want == "" {
					require.NotContains(t, textOf(out), "Woken")
				}
			})
		})
	}
}

// TestSleepersAtOnce: several agents sleep, and each wakes for its own news.
func TestSleepersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		main := newSession(t)
		woken := make(chan string, 3)
		sessions := map[string]*pegboard.Session{"main": main}
		for _, id := range []string{"a1", "b2"} {
			s, err := main.Fork(pegboard.SessionConfig{AgentID: id, Role: pegboard.RoleAsyncAgent})
			require.NoError(t, err)
			sessions[id] = s
		}
		for name, s := range sessions {
			go func() {
				_ = tooltest.Run(t.Context(), schedule.Sleep(schedule.SleepOptions{}), s, `{"seconds": 3600}`)
				woken <- name
			}()
		}
		for _, name := range []string{"b2", "main", "a1"} {
			time.Sleep(time.Second)
			sessions[name].Notify(pegboard.Part{Text: "hello"})
			require.Equal(t, name, <-woken)
		}
		require.Equal(t, midnight.Add(3*time.Second), time.Now().UTC())
	})
}
