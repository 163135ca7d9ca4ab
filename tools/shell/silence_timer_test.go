package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestSilenceIsToldOnce until there is output again.
func TestSilenceIsToldOnce(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	silent := make(chan struct{}, 10)
	var got []string
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind != pegboard.EventProgress {
			return
		}
		if got = append(got, e.Text); strings.HasPrefix(e.Text, "No output for") {
			silent <- struct{}{}
		}
	}}
	pool := poolOf(t, s, shell.Bash(shell.Options{Silence: 100 * time.Millisecond}))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ex.Run(t.Context(), pool, pegboard.Call{Name: "Bash", Input: []byte(
			`{"command":"echo a; until [ -e 1 ]; do sleep 0.01; done; sleep 0.4; echo b; until [ -e 2 ]; do sleep 0.01; done"}`)})
	}()
	for _, name := range []string{"1", "2"} {
		<-silent
		require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), name), nil, 0o600))
	}
	<-ended
	const told = "No output for 100ms; the command still runs."
	require.Equal(t, []string{"a", "b"}, slices.DeleteFunc(slices.Clone(got), func(text string) bool { return text == told }))
	require.Equal(t, told, got[slices.Index(got, "a")+1])
	require.Equal(t, got, slices.Compact(slices.Clone(got)), "once for each silence")
}
