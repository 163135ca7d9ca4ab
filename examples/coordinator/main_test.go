package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun: the job is done, each role has its tools, and a second run is the same.
func TestRun(t *testing.T) {
	var stories []string
	for range 2 {
		var out strings.Builder
		require.NoError(t, run(t.Context(), &out))
		for _, want := range []string{
			"- from the server github: mcp__github__list_issues, mcp__github__subscribe_pr_activity\n",
			"report:   Folders with a main.go: acp agent approve ",
			"Glob is not available here: a coordinator only directs others.",
			"Checked: the agent of the teammate says: none has a test.\n",
			"to the shutdown request shutdown-1: it ends.\n",
			"result:   The team release was deleted.\n",
			"coordinator: Agent, SendMessage, TaskStop, TeamCreate, TeamDelete, mcp__github__subscribe_pr_activity\n",
			"worker: Bash, Edit, Glob, Grep, NotebookEdit, Read, mcp__github__list_issues, mcp__github__subscribe_pr_activity\n",
			"    not Write: deny rule \"Write\" from projectSettings\n",
			"teammate: Agent, Bash, ",
			"teammate's agent: Bash, Glob, Grep, Read\n",
		} {
			require.Contains(t, out.String(), want)
		}
		stories = append(stories, out.String())
	}
	require.Equal(t, stories[0], stories[1])
}
