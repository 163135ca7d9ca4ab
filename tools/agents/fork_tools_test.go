package agents_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestForkHasItsCallersTools: an agent of the type fork has no tool that its caller lacks, also
// when no call has started it, and when it goes on in a later program. Tools of its run come in
// addition.
func TestForkHasItsCallersTools(t *testing.T) {
	t.Parallel()
	tool := func(name string) pegboard.Tool {
		return pegboard.Build(pegboard.Definition[struct{}, string]{
			Info: pegboard.Info{Name: name}, Description: "Does something.",
			Call: func(context.Context, struct{}, *pegboard.Call) (string, error) { return "done", nil },
		})
	}
	dir, project := t.TempDir(), t.TempDir()
	var have []string
	var h *house
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if !a.Forked {
			r, err := h.agents.Start(ctx, a.Session, agents.Request{Type: "fork", Name: "anna", Prompt: "Go on."})
			return agents.Reply{Text: r.Text()}, err
		}
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		pool, err := a.Pool(tool("Extra"))
		if err != nil {
			return agents.Reply{}, err
		}
		have = nil
		for t := range pool.All() {
			have = append(have, t.Info().Name)
		}
		return agents.Reply{Text: "Done."}, a.Append(json.RawMessage(`"Done."`))
	}
	open := func() *house {
		return newHouse(t, pegboard.SessionConfig{Dir: project}, loop, func(o *agents.Options) { o.Forks, o.Dir = true, dir }, look(), tool("Change"))
	}
	h = open()
	require.NoError(t, h.call(t, map[string]any{"subagent_type": "looker"}).Err)
	require.Equal(t, []string{"Extra", "Look"}, have, "%v", h.agents.List(h.session))
	require.NoError(t, h.session.Close(t.Context()))

	have = nil
	h = open()
	h.agents.Notifications(h.session)
	require.NoError(t, h.sendMessage(t, "anna").Err)
	require.Equal(t, []string{"Extra", "Look"}, have, "%v", h.agents.List(h.session))
	require.NoError(t, h.session.Close(t.Context()))

	h = open()
	require.NoError(t, h.call(t, map[string]any{"subagent_type": "fork"}).Err)
	require.True(t, slices.Contains(have, "Change"), have)
	require.True(t, slices.Contains(have, "Extra"), have)
}

// TestForegroundOfDefinition: who needs the report of an agent is given it, although its type runs
// in the background.
func TestForegroundOfDefinition(t *testing.T) {
	t.Parallel()
	h := newHouse(t, pegboard.SessionConfig{}, says("Done."), func(o *agents.Options) {
		o.Definitions = func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "watcher", Description: "Watches.", Background: true}}
		}
	}, look())
	r, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "Do it.", Type: "watcher", Foreground: true})
	require.NoError(t, err)
	require.Equal(t, agents.StatusCompleted, r.Status)
	require.Equal(t, "Done.", r.Text())
	out := h.call(t, map[string]any{"subagent_type": "watcher", "run_in_background": false})
	require.Equal(t, agents.StatusLaunched, resultOf(t, out).Status)
	require.Eventually(t, func() bool { return len(news(h.session)) == 1 }, time.Minute, time.Millisecond)
}
