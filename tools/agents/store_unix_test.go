//go:build unix

package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// TestForeignFilesOfAgents: pipes, links and records of another name among the files of agents are
// set aside and told. Nothing waits for the other end of a pipe.
func TestForeignFilesOfAgents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	change := func(o *agents.Options) { o.Dir = dir }
	h := newHouse(t, pegboard.SessionConfig{}, says("done"), change, look())
	id := agentID(t, h.call(t, map[string]any{"name": "scout"}))
	require.NoError(t, h.session.Close(t.Context()))
	kept := filepath.Join(dir, "agents")
	record := readFile(t, filepath.Join(kept, id+".json"))
	require.NoError(t, os.Remove(filepath.Join(kept, id+".jsonl")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(kept, id+".jsonl"), 0o600))
	require.NoError(t, syscall.Mkfifo(filepath.Join(kept, "agent-pipe.json"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(kept, "agent-link.json")))
	writeFile(t, kept, "main.json", strings.ReplaceAll(strings.ReplaceAll(record, id, "main"), `"scout"`, `"spy"`))
	done := goroutine.Go(func() {
		h := newHouse(t, pegboard.SessionConfig{}, says("done"), change, look())
		require.Len(t, h.agents.List(h.session), 1)
		h.pool()
		news := strings.Join(h.news(), "\n")
		for _, name := range []string{"agent-pipe.json", "agent-link.json", "main.json"} {
			require.Contains(t, news, name+" cannot be read and was set aside")
		}
		out := h.send(t, "scout", "go on")
		require.ErrorIs(t, out.Err, agents.ErrNotResumed)
		require.Contains(t, out.Result.Text(), "was set aside")
	})
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		require.Fail(t, "it waits for the other end of a pipe")
	}
}
