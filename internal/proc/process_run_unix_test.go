//go:build unix

package proc_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// sh returns a command that runs a script.
func sh(t *testing.T, script string) proc.Command {
	t.Helper()
	return marked(t, proc.Command{Args: []string{"sh", "-c", script}})
}

func bash(t *testing.T, script string) proc.Command {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed; the test runs its commands")
	}
	return marked(t, proc.Command{Args: []string{"bash", "-c", script}})
}

func TestRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script string
		code   int
		signal string
		text   string
	}{
		{name: "success", script: "echo hello", text: "hello\n"},
		{name: "failure", script: "exit 42", code: 42},
		{name: "killed", script: "kill -KILL $$", code: -1, signal: "killed"},
		{name: "terminated", script: "kill -TERM $$", code: -1, signal: "terminated"},
		{name: "killed grandchild", script: "sh -c 'kill -KILL $$'; exit $?", code: 128 + 9, text: "Killed\n"},
		{name: "merged", script: "for i in 1 2 3; do echo out $i; echo err $i >&2; done",
			text: "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"},
		{name: "no input", script: "cat; echo end", text: "end\n"},
		{name: "own group", script: `[ $(ps -o pgid= -p $$) -eq $$ ] && echo leader`, text: "leader\n"},
		{name: "closed output", script: "exec >&- 2>&-; exit 5", code: 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			exit := run(t.Context(), t, sh(t, tt.script))
			require.NoError(t, exit.Err)
			require.Equal(t, tt.code, exit.Code)
			require.Equal(t, tt.signal, exit.Signal)
			require.Equal(t, tt.text, exit.Output.Text())
			require.False(t, exit.Lingering)
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PROC_TEST_INHERITED", "yes")
	t.Setenv("PAGER", "less")
	const script = `echo "$PROC_TEST_INHERITED $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT"; [ "$PWD" = "$1" ] && echo here`
	quiet := sh(t, script)
	quiet.Args = append(quiet.Args, "sh", quiet.Dir)
	quiet.Env = nil
	require.Equal(t, "yes cat cat 0\nhere\n", run(t.Context(), t, quiet).Output.Text())

	exact := sh(t, "env")
	exact.Env = []string{"A=b", "PATH=" + os.Getenv("PATH")}
	text := run(t.Context(), t, exact).Output.Text()
	require.Contains(t, text, "A=b\n")
	require.NotContains(t, text, "PROC_TEST_INHERITED")
	require.NotContains(t, text, "PAGER")
}

func TestQuietLeavesItsArgument(t *testing.T) {
	t.Parallel()
	env := make([]string, 1, 8)
	env[0] = "A=b"
	require.Equal(t, append([]string{"A=b"}, proc.QuietSettings()...), proc.Quiet(env))
	require.Empty(t, env[:2][1])
}

func TestBinaryOutput(t *testing.T) {
	t.Parallel()
	var want []byte
	var script strings.Builder
	script.WriteString("printf '")
	for b := range 256 {
		want = append(want, byte(b))
		script.WriteString(octal(byte(b)))
	}
	script.WriteString("'")
	output := run(t.Context(), t, sh(t, script.String())).Output
	require.Equal(t, want, append(output.Head, output.Tail...))
	require.Equal(t, string(want[:128])+"\uFFFD", output.Text())
}

func octal(b byte) string {
	return string([]byte{'\\', '0' + b>>6, '0' + b>>3&7, '0' + b&7})
}

func TestOutputInPieces(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	var inside atomic.Int32
	c := sh(t, "seq 200000; echo end >&2")
	c.Keep = 100
	c.Output = func(p []byte) {
		if inside.Add(1) != 1 {
			t.Error("called concurrently")
		}
		all.Write(p)
		inside.Add(-1)
	}
	output := run(t.Context(), t, c).Output
	require.Equal(t, int64(all.Len()), output.Total)
	require.True(t, bytes.HasPrefix(all.Bytes(), output.Head))
	require.True(t, bytes.HasSuffix(all.Bytes(), output.Tail))
	require.Len(t, output.Head, 50)
	require.Len(t, output.Tail, 50)
	require.Equal(t, 200001, strings.Count(all.String(), "\n"))
	require.Equal(t, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n"+
		"[1288805 of 1288899 bytes omitted]\n199995\n199996\n199997\n199998\n199999\n200000\nend\n",
		output.Text())
}
