package shell_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// TestLongOutputIsStored, and its beginning shown behind a notice.
func TestLongOutputIsStored(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 1000000"}`))
	stored, err := os.ReadFile(out.PersistedOutputPath)
	require.NoError(t, err)
	require.Len(t, stored, 6888896)
	require.EqualValues(t, len(stored), out.PersistedOutputSize)
	require.True(t, strings.HasPrefix(string(stored), out.Stdout+"\n"), "nothing but the output stands in it")
	require.LessOrEqual(t, len(out.Stdout), shell.PreviewSize)
	require.Greater(t, len(out.Stdout), shell.PreviewSize/2)
	require.EqualValues(t, len(stored)-len(out.Stdout)-1, out.Omitted)
	require.Contains(t, out.Stderr, "6888896 bytes, 1000000 lines. All of it is in "+out.PersistedOutputPath)
	require.NotContains(t, out.Stderr, "\n")
}

// TestShortOutputLeavesNoFile behind.
func TestShortOutputLeavesNoFile(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	for _, command := range []string{"echo a", "false", "head -c 30000 /dev/zero | tr '\\\\0' x", "seq 1 100000; exit 1", "cd sub", "sleep 0.01"} {
		outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"%s"}`, command)))
	}
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

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

// TestStoredOutputIsCut: the file has a limit, the command has none.
func TestStoredOutputIsCut(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"yes | head -c 70000000"}`))
	require.EqualValues(t, shell.MaxStored, out.PersistedOutputSize)
	fi, err := os.Stat(out.PersistedOutputPath)
	require.NoError(t, err)
	require.EqualValues(t, shell.MaxStored, fi.Size())
	require.Contains(t, out.Stderr, "70000000 bytes, 35000000 lines. Its first 67108864 bytes are in ")
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

// TestAFullDiskFailsNoCommand: the output is cut, and it says why.
func TestAFullDiskFailsNoCommand(t *testing.T) {
	t.Parallel()
	needBash(t)
	if runtime.GOOS == "windows" || os.Getuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("no way to make a directory that cannot be written")
	}
	s := session(t, t.TempDir(), "Bash")
	require.NoError(t, background.Configure(s, background.Options{Dir: filepath.Join(t.TempDir(), "tasks")}))
	dir, err := background.Of(s).Dir()
	require.NoError(t, err)
	require.NoError(t, os.Remove(dir)) // files can be made there as little as on a full disk
	require.Equal(t, "fine", bash(t, s, shell.Options{}, `{"command":"echo fine"}`).Result.Text())
	res := bash(t, s, shell.Options{}, `{"command":"seq 1 1000000"}`).Result
	require.False(t, res.IsError)
	require.Contains(t, res.Text(), "The rest could not be stored: ")
	require.True(t, strings.HasSuffix(res.Text(), "\n1000000"))
	require.NotContains(t, res.Text(), "All of it")
	require.NoError(t, os.Mkdir(dir, 0o700))
}

// TestOutputHasTheDocumentedNames.
func TestOutputHasTheDocumentedNames(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	var got map[string]any
	raw, err := json.Marshal(bash(t, s, shell.Options{}, `{"command":"echo a | grep b","dangerouslyDisableSandbox":true}`).Result.Data)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &got))
	require.Equal(t, map[string]any{
		"stdout": "", "stderr": "Exit code 1: nothing matched.", "interrupted": false, "exitCode": 1.0,
		"returnCodeInterpretation": "nothing matched", "dangerouslyDisableSandbox": true,
	}, got)
	require.True(t, outputOf(t, bash(t, s, shell.Options{}, `{"command":"mkdir a && touch a/b"}`)).NoOutputExpected)
	require.False(t, outputOf(t, bash(t, s, shell.Options{}, `{"command":"mkdir c && ls c"}`)).NoOutputExpected)
}
