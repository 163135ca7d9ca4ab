package agents_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestNamesOutlastTheProgram: a name that the main agent has used means the same agent in a later
// program, or is refused. A file that cannot be read is set aside and told.
func TestNamesOutlastTheProgram(t *testing.T) {
	t.Parallel()
	dir, project := t.TempDir(), t.TempDir()
	var boss *agents.Agent
	hired := make(chan struct{})
	open := func(dir string) *house {
		return newHouse(t, pegboard.SessionConfig{Dir: project}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			if a.Name == "boss" {
				boss = a
				hired <- struct{}{}
				<-ctx.Done()
			}
			return reads(new(story))(ctx, a)
		}, func(o *agents.Options) { o.Dir = dir }, look())
	}
	startOwn := func(h *house) string { // an agent that the boss has started
		require.NoError(t, h.call(t, map[string]any{"name": "boss", "run_in_background": true}).Err)
		<-hired
		pool, err := boss.Pool()
		require.NoError(t, err)
		out := h.executor.Run(t.Context(), pool, agentCall(t, map[string]any{"name": "scout", "run_in_background": false}))[0]
		require.NoError(t, out.Err)
		return agentID(t, out)
	}
	h := open(dir)
	first := startOwn(h)
	require.NoError(t, h.send(t, first, "go on").Err)
	require.NoError(t, h.session.Close(t.Context()))

	h = open(dir)
	second := startOwn(h)
	out := h.send(t, "scout", "go on")
	require.ErrorIs(t, out.Err, agents.ErrOtherAgent)
	require.Contains(t, out.Result.Text(), first)
	require.Contains(t, out.Result.Text(), second)
	require.NoError(t, h.session.Close(t.Context()))

	for _, text := range []string{"{", "[]", `{"version": 7}`, `{"version": 1, "meant": {"main": 3}}`, ""} {
		broken := copyOf(t, dir)
		writeFile(t, broken, "names.json", text)
		h := open(broken)
		require.NoError(t, h.sendMessage(t, first).Err)
		require.Contains(t, strings.Join(h.news(), "\n"), "names.json cannot be read and was set aside")
		aside, err := filepath.Glob(filepath.Join(broken, "names.json.*.corrupt"))
		require.NoError(t, err)
		require.Len(t, aside, 1)
		require.Equal(t, text, readFile(t, aside[0]))
	}

	full := copyOf(t, dir)
	require.NoError(t, os.Remove(filepath.Join(full, "names.json")))
	h = open(full)
	h.pool() // it opens the files
	require.NoError(t, os.Mkdir(filepath.Join(full, "names.json"), 0o700))
	out = h.send(t, second, "go on")
	require.ErrorContains(t, out.Err, "the names of agents cannot be kept")
}
