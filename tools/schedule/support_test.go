package schedule_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/schedule"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A conversation is a session with jobs.
type conversation struct {
	t       *testing.T
	jobs    *schedule.Schedule
	session *pegboard.Session
}

// newConversation returns a conversation whose jobs are in UTC unless the options say otherwise.
func newConversation(t *testing.T, path string, o schedule.Options) *conversation {
	t.Helper()
	if o.Location == nil {
		o.Location = time.UTC
	}
	jobs, err := schedule.Open(path, o)
	require.NoError(t, err)
	return &conversation{t: t, jobs: jobs, session: newSession(t)}
}

func newSession(t *testing.T) *pegboard.Session {
	t.Helper()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// fork returns an agent of the conversation.
func (c *conversation) fork(id string) *pegboard.Session {
	c.t.Helper()
	s, err := c.session.Fork(pegboard.SessionConfig{AgentID: id, Role: pegboard.RoleTeammate})
	require.NoError(c.t, err)
	return s
}

// run runs a tool for a session, and returns the outcome.
func (c *conversation) run(s *pegboard.Session, name string, input any) pegboard.Outcome {
	c.t.Helper()
	raw, err := json.Marshal(input)
	require.NoError(c.t, err)
	for _, tool := range c.jobs.Tools() {
		if tool.Info().Name == name {
			return tooltest.Run(context.Background(), tool, s, string(raw))
		}
	}
	require.FailNow(c.t, "no tool "+name)
	return pegboard.Outcome{}
}

// object is the input of a call.
type object = map[string]any

// create makes a job for the main agent, and returns the result.
func (c *conversation) create(input object) schedule.Created {
	c.t.Helper()
	out := c.run(c.session, "CronCreate", input)
	require.NoError(c.t, out.Err, textOf(out))
	made, ok := out.Result.Data.(schedule.Created)
	require.True(c.t, ok)
	return made
}

// wake sets a wake-up of the main agent.
func (c *conversation) wake(input object) schedule.Wakeup {
	c.t.Helper()
	out := c.run(c.session, "ScheduleWakeup", input)
	require.NoError(c.t, out.Err, textOf(out))
	set, ok := out.Result.Data.(schedule.Wakeup)
	require.True(c.t, ok)
	return set
}

// wait returns the next fire.
func (c *conversation) wait() schedule.Fire {
	c.t.Helper()
	fire, err := c.jobs.Wait(c.t.Context())
	require.NoError(c.t, err)
	return fire
}

// waitUntil returns the fires until a time.
func (c *conversation) waitUntil(end time.Time) (fires []schedule.Fire) {
	c.t.Helper()
	ctx, cancel := context.WithDeadline(c.t.Context(), end)
	defer cancel()
	for {
		fire, err := c.jobs.Wait(ctx)
		if err != nil {
			require.ErrorIs(c.t, err, context.DeadlineExceeded)
			return fires
		}
		fires = append(fires, fire)
	}
}

// textOf returns what the model reads.
func textOf(out pegboard.Outcome) (text string) {
	if out.Result == nil {
		return ""
	}
	for _, p := range out.Result.Parts {
		text += p.Text
	}
	return text
}

// A clock is set by the test.
type clock struct{ offset time.Duration }

func (c *clock) now() time.Time { return time.Now().Add(c.offset) }
