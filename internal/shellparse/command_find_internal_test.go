package shellparse

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindRuns(t *testing.T) {
	t.Parallel()
	args := argsOf("find . -exec grep x {} + -ok rm -f a{} ';' -execdir '' ';' -exec touch a")
	var runs []string
	for _, run := range useOf("find", args[1:]).runs {
		runs = append(runs, join(run, source))
	}
	require.Equal(t, []string{"grep x {}", "rm -f a{}", "''", "touch a"}, runs)
	xargs := useOf("xargs", argsOf("-n1 rm -f")).runs
	require.Equal(t, "rm -f …", join(xargs[0], source))
}
