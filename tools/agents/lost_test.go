package agents_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
)

// deaf is a loop that ends some time after it was stopped, and asks no model.
func deaf(ctx context.Context, _ *agents.Agent) (agents.Reply, error) {
	<-ctx.Done()
	time.Sleep(200 * time.Millisecond)
	return agents.Reply{}, context.Cause(ctx)
}

// reads returns a loop that appends what it reads.
func reads(l *story) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		l.add(a.Name + " reads: " + userText(parts))
		return agents.Reply{Text: "Done."}, a.Append(userMessage(parts))
	}
}

// userText joins the texts of parts.
func userText(parts []pegboard.Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

// copyOf returns a copy of a directory: what a program leaves that is killed now.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(dir)))
	return to
}

// TestLostBeforeTheTask: an agent whose program died before its conversation had the task is told
// the task when it goes on, and then no more. The list says that it is lost.
func TestLostBeforeTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := newHouse(t, pegboard.SessionConfig{}, deaf, func(o *agents.Options) { o.Dir = dir }, look())
		id := h.launch(t, map[string]any{"name": "anna", "prompt": "Count them."})
		dir = copyOf(t, dir)
		var l story
		h = newHouse(t, pegboard.SessionConfig{}, reads(&l), func(o *agents.Options) { o.Dir = dir }, look())
		list := h.run(t.Context(), pegboard.Call{ID: "list", Name: "ListAgents"})[0]
		require.Equal(t, "main: the main agent (you)\nanna ("+id+"): of the type general-purpose, a small task, lost when the program ended", list.Result.Text())
		for range 2 {
			require.NoError(t, h.sendMessage(t, "anna").Err)
		}
		lines := l.all()
		require.Len(t, lines, 2)
		require.Regexp(t, `(?s)^anna reads: \(With SendMessage.*\nCount them\.\nMessage from the main agent \(main\):\nAnd now\?`, lines[0])
		require.True(t, strings.HasPrefix(lines[1], "anna reads: Message from the main agent"), lines[1])
	})
}

// TestListedWithItsRecord: no other sees an agent before its record is there. A message to it would be
// lost with the program.
func TestListedWithItsRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var h *house
	var l story
	ready := false
	h = newHouse(t, pegboard.SessionConfig{}, reads(&l), func(o *agents.Options) {
		o.Dir = dir
		definitions := o.Definitions
		o.Definitions = func(s *pegboard.Session) []agents.Definition {
			if ready && s != nil { // the pool of the agent is resolved before its record is written
				for _, status := range h.agents.List(h.session) {
					require.FileExists(t, filepath.Join(dir, "agents", status.ID+".json"))
				}
				l.add("asked")
			}
			return definitions(s)
		}
	}, look())
	ready = true
	_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna"})
	require.NoError(t, err)
	ready = false
	require.Contains(t, l.all(), "asked")
	require.Len(t, h.agents.List(h.session), 1)
}

// TestTeamOutlastsTheProgram: a teammate goes on in its team, which the main agent leads, in a later
// program. A file of a team that cannot be read is set aside and told.
func TestTeamOutlastsTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := newHouse(t, pegboard.SessionConfig{}, deaf, func(o *agents.Options) { o.Dir = dir }, look())
		require.NoError(t, h.team(t, "TeamCreate", `{"team_name":"red"}`).Err)
		id := h.launch(t, map[string]any{"name": "carl", "team_name": "red"})
		dir = copyOf(t, dir)
		blue := writeFile(t, filepath.Join(dir, "teams"), "blue.json", `{"team_name":"blue","lead"`)
		other := writeFile(t, filepath.Join(dir, "teams"), "other.json", `{"team_name":"red"}`)
		half := writeFile(t, filepath.Join(dir, "teams"), "x.tmp", `{`)
		var l story
		h = newHouse(t, pegboard.SessionConfig{}, reads(&l), func(o *agents.Options) { o.Dir = dir }, look())
		require.ErrorContains(t, h.team(t, "TeamCreate", `{"team_name":"green"}`).Err, "you lead the team red")
		told := strings.Join(news(h.session), "\n")
		require.Contains(t, told, "blue.json cannot be read and was set aside as ")
		require.Contains(t, told, "other.json cannot be read and was set aside as ")
		for _, path := range []string{blue, other, half} {
			require.NoFileExists(t, path)
		}
		require.NoError(t, h.send(t, id, "Go on.").Err)
		require.ErrorIs(t, h.team(t, "TeamDelete", `{}`).Err, agents.ErrTeamBusy)
		require.Contains(t, readFile(t, filepath.Join(dir, "teams", "red.json")), id)
		require.NoError(t, h.agents.Stop(h.session, id))
		ended := func() bool { return h.agents.List(h.session)[0].State != agents.Running }
		require.Eventually(t, ended, time.Minute, time.Millisecond)
		require.NoError(t, h.team(t, "TeamDelete", `{}`).Err)
	})
}

// TestStopOutlastsTheProgram: an agent that the user has stopped does not go on in a later program,
// also if this one dies before the agent has ended.
func TestStopOutlastsTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		h := newHouse(t, pegboard.SessionConfig{}, deaf, func(o *agents.Options) { o.Dir = dir }, look())
		id := h.launch(t, nil)
		require.NoError(t, h.agents.Stop(h.session, id))
		dir = copyOf(t, dir)
		h = newHouse(t, pegboard.SessionConfig{}, deaf, func(o *agents.Options) { o.Dir = dir }, look())
		require.ErrorIs(t, h.send(t, id, "Go on.").Err, agents.ErrNotResumed)
	})
}

// TestConversationSetAside: an agent whose conversation cannot be read does not go on without it,
// neither at the second try nor in a later program.
func TestConversationSetAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var l story
	h := newHouse(t, pegboard.SessionConfig{}, reads(&l), func(o *agents.Options) { o.Dir = dir }, look())
	r, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p"})
	require.NoError(t, err)
	writeFile(t, filepath.Join(dir, "agents"), r.AgentID+".jsonl", "no message\n")
	for range 2 {
		for range 2 {
			out := h.sendMessage(t, r.AgentID)
			require.ErrorIs(t, out.Err, agents.ErrNotResumed)
			require.Contains(t, out.Result.Text(), ".corrupt")
		}
		require.NoError(t, h.session.Close(t.Context()))
		h = newHouse(t, pegboard.SessionConfig{}, reads(&l), func(o *agents.Options) { o.Dir = dir }, look())
	}
	require.Len(t, l.all(), 1)
}
