package background_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

func TestOwnersEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		role     pegboard.Role
		policy   background.Policy
		survives bool
	}{
		{name: "a sub-agent's tasks end with it", role: pegboard.RoleSubAgent},
		{name: "unless they are to go on", role: pegboard.RoleSubAgent, policy: background.Reparent, survives: true},
		{name: "an async agent's tasks go on", role: pegboard.RoleAsyncAgent, survives: true},
		{name: "unless they are to end", role: pegboard.RoleAsyncAgent, policy: background.Kill},
		{name: "a teammate's tasks go on", role: pegboard.RoleTeammate, survives: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := mainSession(t)
			background.Of(s)
			agent := fork(t, s, tt.role)
			work := background.Work{OwnerEnd: tt.policy}
			running, ended := start(t, agent, work), start(t, agent, work)
			ended.Done(background.Completed, nil, nil)
			require.NoError(t, agent.Close(t.Context()))
			require.Empty(t, texts(agent))
			if !tt.survives {
				require.ErrorIs(t, <-running.causes, background.ErrOwnerEnded)
				require.Equal(t, background.Killed, stateOf(t, s, running.ID()))
				require.Empty(t, texts(s))
				return
			}
			require.Equal(t, background.Running, stateOf(t, s, running.ID()))
			require.Len(t, texts(s), 1, "what the agent was not told")
			running.Done(background.Completed, nil, nil)
			require.Len(t, texts(s), 1)
		})
	}
}

// Nobody could end what such an agent leaves behind.
func TestAgentOfAMainSessionThatWasNeverSeen(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	agent := fork(t, s, pegboard.RoleAsyncAgent)
	dir, err := background.Of(agent).Dir()
	require.NoError(t, err)
	j := start(t, agent, background.Work{})
	require.NoError(t, agent.Close(t.Context()))
	require.ErrorIs(t, <-j.causes, background.ErrOwnerEnded)
	gone(t, dir)
	require.Len(t, texts(s), 1, "the main session may come yet")
}

func TestDirectoryOfAgentsOfAMainSessionThatWasNeverSeen(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	one, two := fork(t, s, pegboard.RoleAsyncAgent), fork(t, s, pegboard.RoleSubAgent)
	table := background.Of(one)
	dir, err := table.Dir()
	require.NoError(t, err)
	require.Same(t, table, background.Of(two))
	require.NoError(t, one.Close(t.Context()))
	require.DirExists(t, dir, "the other may use it")
	require.NoError(t, two.Close(t.Context()))
	gone(t, dir)
	_, err = table.Dir()
	require.ErrorIs(t, err, pegboard.ErrClosed)
	_, err = background.Of(s).Dir()
	require.NoError(t, err)
}

// What was pruned before it was told goes the way of what was not.
func TestOwnersEndAfterPruning(t *testing.T) {
	t.Parallel()
	s := mainSession(t)
	require.NoError(t, background.Configure(s, background.Options{MaxTasks: 1}))
	async, sub := fork(t, s, pegboard.RoleAsyncAgent), fork(t, s, pegboard.RoleSubAgent)
	told := start(t, async, background.Work{})
	told.Done(background.Completed, nil, nil)
	start(t, sub, background.Work{}).Done(background.Completed, nil, nil)
	for range 9 {
		start(t, s, background.Work{}).Done(background.Completed, nil, nil)
	}
	require.Len(t, texts(s), 9)
	_, ok := background.Of(s).Get(told.ID())
	require.False(t, ok)
	require.NoError(t, async.Close(t.Context()))
	require.NoError(t, sub.Close(t.Context()))
	got := texts(s)
	require.Len(t, got, 1)
	require.Contains(t, got[0], told.ID())
}

func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		private(t, dir)
		agent := fork(t, s, pegboard.RoleAsyncAgent)
		slow := func(j job) {
			time.Sleep(time.Second)
			j.Done(background.Failed, nil, nil)
		}
		jobs := []job{startStubborn(t, s, background.Work{}, slow), startStubborn(t, agent, background.Work{OwnerEnd: background.Kill}, slow)}
		began := time.Now()
		require.NoError(t, s.Close(t.Context()))
		require.LessOrEqual(t, time.Since(began), 2*time.Second)
		for _, j := range jobs {
			require.Error(t, <-j.causes)
			require.Equal(t, background.Killed, stateOf(t, s, j.ID()))
		}
		require.Empty(t, texts(s))
		gone(t, dir)
	})
}

func TestCloseNamesWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := mainSession(t)
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		j := startStubborn(t, s, background.Work{}, func(j job) {
			time.Sleep(time.Hour)
			j.Done(background.Failed, nil, nil)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorContains(t, s.Close(ctx), "background tasks")
		require.DirExists(t, dir, "it is in use")
		_, err = background.Of(s).Wait(t.Context(), j.ID())
		require.NoError(t, err)
		synctest.Wait()
		gone(t, dir)
	})
}

// TestCloseRemovesWhatIsStillMade: calls that are being ended make files in the
// directory while it is removed.
func TestCloseRemovesWhatIsStillMade(t *testing.T) {
	t.Parallel()
	for range 10 {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
		require.NoError(t, err)
		dir, err := background.Of(s).Dir()
		require.NoError(t, err)
		begun, made := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(made)
			for i := range 500 {
				if os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600) != nil {
					return
				}
				if i == 100 {
					close(begun)
				}
			}
		}()
		<-begun
		require.NoError(t, s.Close(t.Context()))
		<-made
		require.NoDirExists(t, dir)
	}
}
