package shell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestPublicVariables: a line that shows a variable of the environment is not read-only,
// unless the host says that it holds no secret.
func TestPublicVariables(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line   string
		public []string
		want   pegboard.Behavior
	}{
		{line: "echo $BUILD_URL", want: pegboard.Ask},
		{line: "echo $HOME", want: pegboard.Allow},
		{line: "echo $BUILD_URL", public: []string{"BUILD_*"}, want: pegboard.Allow},
		{line: "echo $BUILD_KEY", public: []string{"BUILD_*", "!*_KEY"}, want: pegboard.Ask},
		{line: "printenv BUILD_URL", public: []string{"BUILD_*"}, want: pegboard.Allow},
		{line: "echo $OTHER", public: []string{"BUILD_*"}, want: pegboard.Ask},
	} {
		s := session(t, tempDir(t))
		pool := poolOf(t, s, shell.Bash(shell.Options{Public: tc.public}))
		d := pool.Decide(t.Context(), pegboard.Call{ID: "1", Name: "Bash", Input: []byte(`{"command":"` + tc.line + `"}`)})
		require.Equal(t, tc.want, d.Behavior, "%s with %v: %s", tc.line, tc.public, d.Reason)
	}
}
