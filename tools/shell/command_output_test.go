package shell_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestBoundsAreExact: one byte decides.
func TestBoundsAreExact(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, tc := range []struct {
		name   string
		size   int
		exit   int
		whole  bool
		stored bool
	}{
		{name: "valid", size: shell.MaxShown, whole: true},
		{name: "valid and more", size: shell.MaxShown + 1, stored: true},
		{name: "failing", size: shell.MaxShownFailed, exit: 1, whole: true},
		{name: "failing and more", size: shell.MaxShownFailed + 1, exit: 1},
	} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"printf %%%ds x; exit %d"}`, tc.size, tc.exit)))
		require.Equal(t, tc.whole, out.Omitted == 0, tc.name)
		require.Equal(t, tc.stored, out.PersistedOutputPath != "", tc.name)
	}
}

// TestALongFailureShowsBothEnds, with nothing between them that is not output.
func TestALongFailureShowsBothEnds(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	failed := bash(t, s, shell.Options{}, `{"command":"seq 1 1000000; exit 1"}`).Result
	out, ok := failed.Data.(shell.Output)
	require.True(t, ok)
	require.True(t, failed.IsError)
	require.Empty(t, out.PersistedOutputPath)
	require.LessOrEqual(t, len(out.Stdout), shell.MaxShownFailed)
	lines := strings.Split(out.Stdout, "\n")
	require.Equal(t, "1", lines[0])
	require.Equal(t, "1000000", lines[len(lines)-1])
	var seam int
	for i, line := range lines[1:] {
		var before, n int
		_, err := fmt.Sscan(lines[i]+" "+line, &before, &n)
		require.NoError(t, err)
		if n != before+1 {
			require.Zero(t, seam)
			seam = before
			require.Contains(t, out.Stderr, fmt.Sprintf("(lines 1 to %d)", before))
			require.Contains(t, out.Stderr, fmt.Sprintf("(from line %d)", n))
		}
	}
	require.NotZero(t, seam)
	require.True(t, strings.HasPrefix(failed.Text(), "Exit code 1.\n[Output cut: 6888896 bytes, 1000000 lines."))

	one := outputOf(t, bash(t, s, shell.Options{}, `{"command":"printf %20000s; exit 1"}`))
	require.Contains(t, one.Stderr, "20000 bytes, 1 line. Below are the first 5000 bytes and, right after them, the last 5000 bytes.")
}

// TestNoCharacterIsCut at any place where output is.
func TestNoCharacterIsCut(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, start := range []string{"", "x", "xx"} {
		for _, exit := range []int{0, 1} {
			out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"printf %%s %s; printf '漢%%.0s' {1..20000}; exit %d"}`, start, exit)))
			require.NotContains(t, out.Stdout, "\ufffd")
			require.True(t, strings.HasPrefix(out.Stdout, start+"漢"))
			require.True(t, strings.HasSuffix(out.Stdout, "漢"))
		}
	}
}

// TestTooMuchOutputEndsTheCommand, whatever it would like.
func TestTooMuchOutputEndsTheCommand(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	out := bash(t, s, shell.Options{MaxOutput: 1_000_000}, `{"command":"trap '' TERM PIPE; yes"}`)
	require.True(t, out.Result.IsError)
	require.Contains(t, out.Result.Text(), "printed more than 1000000 bytes")
	require.Less(t, len(out.Result.Text()), shell.MaxShownFailed+1000)
}

// TestBinaryOutput is not shown, and no line of it reported.
func TestBinaryOutput(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	for _, exit := range []int{0, 1} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"echo text; printf 'a\\0b\\nc'; exit %d"}`, exit)))
		require.Empty(t, out.Stdout)
		require.Contains(t, out.Stderr, "[Output is binary: 10 bytes")
		raw, err := os.ReadFile(out.RawOutputPath)
		require.NoError(t, err)
		require.Equal(t, "text\na\x00b\nc", string(raw))
	}
}
