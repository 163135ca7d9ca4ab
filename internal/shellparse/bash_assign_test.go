package shellparse_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// A variable that the line sets by itself makes what follows unknown: a rule that
// allows to set it must not let that run.
func TestEnvAssignmentMakesLaterCommandsUnknown(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"PATH=./bin; ls", "export PATH=./bin && ls", "declare -x LD_PRELOAD=./a.so; cat x", "readonly BASH_ENV=x; git status", "PATH+=:./bin; ls", "A=1 PATH=./bin\nls",
		"{ PATH=./bin; }; ls", "if true; then export PATH=.; fi; ls", "PATH=. && (ls)", "PATH=. && cat $(ls)", "f() { ls; }; PATH=.; f; git log", "PATH=.; timeout 5 ls", "CDPATH=/; cd etc", "GIT_DIR=/x; git log",
		"while true; do ls; export PATH=.; done; ls", "PATH=.; touch a",
	} {
		commands := parse(line).Commands
		last := commands[len(commands)-1]
		require.Equal(t, shellparse.Unknown, last.Class, "%q", line)
		require.Nil(t, last.Git, "%q", line)
		require.False(t, last.EditsOnly, "%q", line)
	}
	loop := parse("while true; do ls; export PATH=.; done").Commands
	require.Equal(t, shellparse.Unknown, loop[1].Class, "in a loop, before it too")
	for _, line := range []string{"ls; PATH=.", "x=1; ls", "export NODE_ENV=test && ls", "FOO=1; echo $FOO", "FOO=1; [ -f x ]"} {
		commands := parse(line).Commands
		i := slices.IndexFunc(commands, func(c shellparse.Command) bool { return c.Class == shellparse.ReadOnly })
		require.GreaterOrEqual(t, i, 0, "%q", line)
	}
}
