package background_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// TestPersonIsNotified of the ends that nobody has brought about.
func TestPersonIsNotified(t *testing.T) {
	t.Parallel()
	one := 1
	tests := []struct {
		name  string
		state background.State
		exit  *int
		err   error
		want  []pegboard.Notification // ID stands for the task's id
	}{
		{name: "completed", state: background.Completed, want: []pegboard.Notification{{Type: "task_completed", Message: "Background task ID (make) completed after 2s."}}},
		{name: "failed", state: background.Failed, exit: &one, err: errors.New("no\nrule"), want: []pegboard.Notification{
			{Type: "task_failed", Message: "Background task ID (make) failed after 2s with exit code 1: no rule."},
		}},
		{name: "stopped", state: background.Killed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := mainSession(t)
				var got []pegboard.Notification
				pegboard.KeyNotify.Set(s, func(_ context.Context, n pegboard.Notification) { got = append(got, n) })
				j := start(t, fork(t, s, pegboard.RoleAsyncAgent), background.Work{Kind: "shell", Command: "make\n"})
				time.Sleep(2 * time.Second)
				j.Done(tt.state, tt.exit, tt.err)
				j.Done(tt.state, tt.exit, tt.err)
				for i := range tt.want {
					tt.want[i].AgentID, tt.want[i].Title = pegboard.RoleAsyncAgent.String(), "make"
					tt.want[i].Message = strings.ReplaceAll(tt.want[i].Message, "ID", j.ID())
				}
				require.Equal(t, tt.want, got)
			})
		})
	}
}

// TestNotifyMayFailOrBeMissing: the task has ended all the same.
func TestNotifyMayFailOrBeMissing(t *testing.T) {
	t.Parallel()
	for name, notify := range map[string]func(context.Context, pegboard.Notification){
		"nil":   nil,
		"panic": func(context.Context, pegboard.Notification) { panic("no desktop") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mainSession(t)
			pegboard.KeyNotify.Set(s, notify)
			j := start(t, s, background.Work{Command: "make"})
			j.Done(background.Completed, nil, nil)
			require.Len(t, background.Of(s).Notices(s), 1)
		})
	}
}

// TestNobodyIsNotifiedOfSilentTasks: those that end with their agent.
func TestNobodyIsNotifiedOfSilentTasks(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	pegboard.KeyNotify.Set(s, func(_ context.Context, n pegboard.Notification) { t.Errorf("%+v", n) })
	sub := fork(t, s, pegboard.RoleSubAgent)
	start(t, sub, background.Work{Command: "make"}) // it ends as Failed when it is stopped
	require.NoError(t, sub.Close(t.Context()))
}
