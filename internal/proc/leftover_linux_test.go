package proc_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// TestLeftoversAreNamed: what the child leaves in its group, and nothing else.
func TestLeftoversAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		want         []string
	}{
		{name: "none", script: "sleep 0; echo a | cat; true"},
		{name: "one that was waited for", script: "sleep 0.01 & wait"},
		{name: "one", script: "sleep 1000 >/dev/null 2>&1 & sleep 0.2", want: []string{"sleep"}},
		{name: "one that holds the output", script: "sleep 1000 & echo started", want: []string{"sleep"}},
		{name: "two", script: "sleep 1000 & sleep 2000 & echo started", want: []string{"sleep", "sleep"}},
		{name: "a subshell", script: "(while :; do read x </dev/null; done) >/dev/null 2>&1 & sleep 0.2", want: []string{""}},
		{name: "one of a failure", script: "sleep 1000 & exit 3", want: []string{"sleep"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			exit := run(t.Context(), t, sh(t, tt.script))
			require.NoError(t, exit.Err)
			var names []string
			for _, left := range exit.Ended {
				name, _, _ := strings.Cut(left.Command, " ")
				names = append(names, name)
				require.Positive(t, left.Pid)
			}
			require.Equal(t, tt.want, names)
		})
	}
}

// TestNoLeftoversOfWhatWasEnded: they did not outlive the child by themselves.
func TestNoLeftoversOfWhatWasEnded(t *testing.T) {
	t.Parallel()
	var table proc.Table
	c := sh(t, "sleep 1000 & echo ready; wait")
	ready := make(chan struct{})
	c.Output = func([]byte) { close(ready) }
	p, err := table.Start(t.Context(), c)
	require.NoError(t, err)
	<-ready
	tired := errors.New("enough")
	p.Stop(tired)
	exit := p.Exit()
	require.Equal(t, tired, exit.Err)
	require.Empty(t, exit.Ended)
}
