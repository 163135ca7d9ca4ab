package main

import (
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var times = regexp.MustCompile(`[0-9.]+(ms|µs|s)\b`)

// TestRun: the agents do what the comment of the program says, and a second run differs in times
// only.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tool Bash needs a shell of Unix")
	}
	var stories []string
	for range 2 {
		var out strings.Builder
		require.NoError(t, run(t.Context(), &out))
		for _, want := range []string{
			"examples.\n", "session.go:", `the agent for "ask for the version" wants to Run GOFLAGS= go env GOVERSION`, "Here: go1.",
			"works in the background", "module github.com/", "completed after", "files are tests.",
			"which had ended and goes on", `I was asked "How do you know?" and had written "Here: go1.`,
		} {
			require.Contains(t, out.String(), want)
		}
		require.Equal(t, 4, strings.Count(out.String(), "completed calls: 1"))
		require.NotContains(t, out.String(), "do not run at the same time")
		require.Contains(t, out.String(), "Background task agent_1 (")
		stories = append(stories, times.ReplaceAllString(out.String(), "T"))
	}
	require.Equal(t, stories[0], stories[1])
}
