package shell_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestBackgroundKeepsItsPaths: what a line in the background may still move is asked about,
// and what moves the paths of such a line. It is over with the task.
func TestBackgroundKeepsItsPaths(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, tc := range []struct {
		name, first string
		monitor     bool
		ask, allow  []string
	}{
		{
			name: "it moves", first: "sleep 60; mv p1 p0",
			ask:   []string{"cp file p1/d/x", "cat p1/d/x", "echo a > p1/x", "cat p*/d/x", "cp file p0/x", "mv p2 p1", "cd p1 && ls", "mkdir p1/e"},
			allow: []string{"cat file", "mkdir other", "cp file p2/d", "ls", "mv p3 p4"},
		},
		{
			name: "it is moved", first: "sleep 60; cp file p1/d/x",
			ask:   []string{"mv p1 p0", "mv p2 p1", "cp -r p2 p1", "mv p1/d p9", "mv file other"},
			allow: []string{"cat p1/d/x", "cp file p1/d/y", "rm p2/d/x", "mv p2 p9", "ls -R ."},
		},
		{name: "a monitor", monitor: true, first: "sleep 60; mv p1 p0", ask: []string{"cat p1/d/x"}, allow: []string{"cat file"}},
		{
			name: "nobody knows what moves", first: "sleep 60; git checkout other", // by a rule
			ask: []string{"cat file", "cp file p1/x", "ls"}, allow: []string{"pwd", "echo a"},
		},
		{
			name: "a server", first: "./server > log 2>&1", // by a rule
			allow: []string{"cat file", "cat log", "tail -5 log", "mkdir d", "mv p1 p0", "rm log", "cp -r p2 p5", "git checkout other", "ls -R ."},
		},
		{
			name: "what only reads", first: "sleep 60; cat p1/d/x",
			ask: []string{"mv p1 p0", "git checkout other"}, allow: []string{"cat p1/d/x", "cp file p1/d/x"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			for _, name := range []string{"p1/d/x", "p2/d/x", "p3/x", "file"} {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600))
			}
			script.Write(t, filepath.Join(dir, "server"), "#!/bin/sh\nexec sleep 60\n")
			perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Allow: []string{"Bash(./server:*)", "Bash(git checkout:*)", "Bash(sleep:*)"}})
			require.NoError(t, err)
			s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir, Permissions: perms})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
			var reg pegboard.Registry
			require.NoError(t, reg.Add(shell.Bash(shell.Options{}), shell.Monitor(shell.Options{}), files.Write(files.WriteOptions{AllowUnread: true}), files.Read(files.ReadOptions{})))
			pool := reg.AssemblePool(s, pegboard.PoolConfig{Gates: pegboard.Gates{Features: []pegboard.Feature{pegboard.FeatureMonitors}}})
			made := func(name string, input map[string]any) pegboard.Call {
				text, err := json.Marshal(input)
				require.NoError(t, err)
				return pegboard.Call{ID: "1", Name: name, Input: text}
			}
			first := made("Bash", map[string]any{"command": tc.first, "run_in_background": true})
			if tc.monitor {
				first = made("Monitor", map[string]any{"command": tc.first, "description": "d"})
			}
			var ex pegboard.Executor
			require.NoError(t, ex.Run(t.Context(), pool, first)[0].Err)
			decide := func(line string) policy.Decision {
				return pool.Decide(t.Context(), made("Bash", map[string]any{"command": line}))
			}
			for _, line := range tc.ask {
				d := decide(line)
				require.Equal(t, policy.Ask, d.Behavior, "%s: %s", line, d.Reason)
				require.Contains(t, d.Reason, "still goes on", line)
			}
			for _, line := range tc.allow {
				d := decide(line)
				require.Equal(t, policy.Allow, d.Behavior, "%s: %s", line, d.Reason)
			}
			for _, c := range []pegboard.Call{made("Write", map[string]any{"file_path": "p1/d/new", "content": "x"}), made("Read", map[string]any{"file_path": "p1/d/x"})} {
				require.Equal(t, policy.Allow, pool.Decide(t.Context(), c).Behavior, "the tools that open what was decided go on")
			}
			tasks := background.Of(s)
			_, err = tasks.Stop(t.Context(), tasks.List()[0].ID)
			require.NoError(t, err)
			_, err = tasks.Wait(t.Context(), tasks.List()[0].ID)
			require.NoError(t, err)
			for _, line := range tc.ask {
				require.Equal(t, policy.Allow, decide(line).Behavior, line)
			}
		})
	}
}
