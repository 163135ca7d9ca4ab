package agents_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// heldDirectory names the directory in the environment of a program that keeps agents in it until it
// is killed.
const heldDirectory = "PEGBOARD_HELD_DIRECTORY"

// requireRefused checks that a conversation can do nothing with its directory.
func requireRefused(t *testing.T, h *house) {
	t.Helper()
	_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna"})
	require.ErrorIs(t, err, agents.ErrDirInUse)
	require.Empty(t, h.agents.List(h.session))
	require.Empty(t, h.agents.Notifications(h.session))
	for _, call := range []pegboard.Call{
		agentCall(t, map[string]any{"run_in_background": true}),
		tooltest.Call("TeamCreate", `{"team_name":"crew"}`),
		tooltest.Call("SendMessage", `{"to":"anna","message":"Go on.","summary":"more"}`),
	} {
		require.ErrorIs(t, h.run(t.Context(), call)[0].Err, agents.ErrDirInUse, call.Name)
	}
}

// TestDirectoryServesOneConversation: a second one of the same program, of the same Agents or of
// others, is refused until the first has ended, and takes none of its messages.
func TestDirectoryServesOneConversation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	change := func(o *agents.Options) { o.Dir = dir }
	l := new(story)
	first := newHouse(t, pegboard.SessionConfig{}, reads(l), change, look())
	_, err := first.agents.Start(t.Context(), first.session, agents.Request{Prompt: "p", Name: "anna"})
	require.NoError(t, err)
	second := newHouse(t, pegboard.SessionConfig{}, reads(l), change, look())
	requireRefused(t, second)
	other, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	_, err = first.agents.Start(t.Context(), other, agents.Request{Prompt: "p"})
	require.ErrorIs(t, err, agents.ErrDirInUse)
	require.NoError(t, other.Close(t.Context()))
	require.NoError(t, second.session.Close(t.Context()))

	require.NoError(t, first.sendMessage(t, "anna").Err)
	require.NoError(t, first.session.Close(t.Context()))
	third := newHouse(t, pegboard.SessionConfig{}, reads(l), change, look())
	require.Len(t, third.agents.List(third.session), 1)
	require.NoError(t, third.sendMessage(t, "anna").Err)
}

// TestCloseWaitsForTheRecords: when Close has returned, the directory is free, and has how the agents
// have ended, also those that were running.
func TestCloseWaitsForTheRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 20 {
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, _ *agents.Agent) (agents.Reply, error) {
			<-ctx.Done()
			return agents.Reply{}, context.Cause(ctx)
		}, func(o *agents.Options) { o.Dir = dir }, look())
		for range 5 {
			_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Background: true})
			require.NoError(t, err)
		}
		for _, s := range h.agents.List(h.session)[:len(h.agents.List(h.session))-5] {
			require.Equal(t, agents.Stopped, s.State)
		}
		require.NoError(t, h.session.Close(t.Context()))
	}
}

// TestDirectoryOfForks: a directory that only forks of the host have used is free when the main
// session is closed, and not before: another fork goes on with it.
func TestDirectoryOfForks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	change := func(o *agents.Options) { o.Dir = dir }
	for n := range 3 {
		h := newHouse(t, pegboard.SessionConfig{}, func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
			if _, err := a.Next(ctx, agents.Usage{}); err != nil {
				return agents.Reply{}, err
			}
			<-ctx.Done()
			return agents.Reply{}, context.Cause(ctx)
		}, change, look())
		for i := range 2 {
			fork, err := h.session.Fork(pegboard.SessionConfig{AgentID: "the host's"})
			require.NoError(t, err)
			_, err = h.agents.Start(t.Context(), fork, agents.Request{Prompt: "p", Background: true})
			require.NoError(t, err)
			if i == 0 {
				require.NoError(t, fork.Close(t.Context()))
				requireRefused(t, newHouse(t, pegboard.SessionConfig{}, says("x"), change, look()))
			}
		}
		require.Len(t, h.agents.List(h.session), 2*n+2)
		require.NoError(t, h.session.Close(t.Context()))
	}
}

// TestClosedSessionTakesNoDirectory.
func TestClosedSessionTakesNoDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	change := func(o *agents.Options) { o.Dir = dir }
	h := newHouse(t, pegboard.SessionConfig{}, says("x"), change, look())
	require.NoError(t, h.session.Close(t.Context()))
	_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p"})
	require.Error(t, err)
	h = newHouse(t, pegboard.SessionConfig{}, says("x"), change, look())
	_, err = h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p"})
	require.NoError(t, err)
}

// TestDirectoryIsFreeWhenItsProgramIsKilled: another program is refused, and no longer when the
// first was killed.
func TestDirectoryIsFreeWhenItsProgramIsKilled(t *testing.T) {
	if dir := os.Getenv(heldDirectory); dir != "" {
		h := newHouse(t, pegboard.SessionConfig{}, says("x"), func(o *agents.Options) { o.Dir = dir }, look())
		_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "p", Name: "anna"})
		require.NoError(t, err)
		_, _ = os.Stdout.WriteString("held\n")
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // until the test kills this process
		return
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	cmd := child(t, heldDirectory, dir)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stdout)
	if line, _ := lines.ReadString('\n'); line != "held\n" {
		rest, _ := io.ReadAll(lines)
		require.Equal(t, "held\n", line+string(rest))
	}

	h := newHouse(t, pegboard.SessionConfig{}, says("x"), func(o *agents.Options) { o.Dir = dir }, look())
	requireRefused(t, h)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	h = newHouse(t, pegboard.SessionConfig{}, says("x"), func(o *agents.Options) { o.Dir = dir }, look())
	list := h.agents.List(h.session)
	require.Len(t, list, 1)
	require.Equal(t, "anna", list[0].Name)
}
