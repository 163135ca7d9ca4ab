package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindRuns(t *testing.T) {
	t.Parallel()
	args := argsOf("find . -exec grep x {} + -ok rm -f a{} ';' -execdir '' ';' -exec touch a")
	var runs []string
	for _, run := range effectOf("find", args[1:]).runs {
		runs = append(runs, joinArgs(run, sourceText))
	}
	require.Equal(t, []string{"grep x {} {}", "grep x {}", "rm -f a{}", "''", "touch a"}, runs)
	xargs := effectOf("xargs", argsOf("-n1 rm -f")).runs
	require.Equal(t, "rm -f …", joinArgs(xargs[0], sourceText))
}
