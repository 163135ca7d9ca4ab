package shell_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
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
		{name: "failing and more", size: shell.MaxShownFailed + 1, exit: 1, stored: true},
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
	stored, err := os.ReadFile(out.PersistedOutputPath)
	require.NoError(t, err)
	require.Len(t, stored, 6888896)
	require.Contains(t, out.Stderr, "All of it is in "+out.PersistedOutputPath)
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

// bar prints a progress bar of 30,000 bytes, in colour.
const bar = `for i in $(seq 1000 2999); do printf '\r\033[32m%d%%\033[0m' $i; done; printf '\n\033[1mdone\033[0m\n'`

// TestWhatATerminalNeedsIsNotShown: a progress bar is a line, and what was printed is
// stored as it was.
func TestWhatATerminalNeedsIsNotShown(t *testing.T) {
	t.Parallel()
	needBash(t)
	printed := func() string {
		var b strings.Builder
		for i := 1000; i < 3000; i++ {
			fmt.Fprintf(&b, "\r\x1b[32m%d%%\x1b[0m", i)
		}
		return b.String() + "\n\x1b[1mdone\x1b[0m\n"
	}()
	for _, tc := range []struct {
		name, command string
		options       shell.Options
		text          string // without the notes
		notes         string // with PATH for the file
		stored        string
	}{
		{
			name: "a bar", command: bar, text: "2999%\ndone", stored: printed,
			notes: fmt.Sprintf("[Text that the command has overwritten in its line, as progress bars do, is left out. All %d bytes that it printed are in PATH.]", len(printed)),
		},
		{
			name: "a bar of a failure", command: bar + "; false", text: "2999%\ndone", stored: printed,
			notes: fmt.Sprintf("Exit code 1.\n[Text that the command has overwritten in its line, as progress bars do, is left out. All %d bytes that it printed are in PATH.]", len(printed)),
		},
		{name: "colours", command: `printf '\033[31mred\033[0m\n\033]0;title\a'`, text: "red"},
		{name: "colours only, many", command: `for i in $(seq 100 3100); do printf '\033[31m%d\033[0m\n' $i; done | tail -n 2000`, text: numbers(1101, 3100)},
		{name: "line ends of another system", command: `printf 'one\r\ntwo\r\n'`, text: "one\ntwo"},
		{name: "no line end", command: `printf '1%%\r2%%'`, text: "2%", stored: "1%\r2%", notes: "[Text that the command has overwritten in its line, as progress bars do, is left out. All 5 bytes that it printed are in PATH.]"},
		{name: "the host wants it", command: `printf '1%%\r\033[31m2%%'`, options: shell.Options{RawOutput: true}, text: "1%\r\x1b[31m2%"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			out := outputOf(t, bash(t, session(t, tempDir(t), "Bash"), tc.options, fmt.Sprintf(`{"command":%s}`, jsonOf(t, tc.command))))
			require.Equal(t, tc.text, out.Stdout)
			if tc.stored == "" {
				require.Empty(t, out.Stderr)
				require.Empty(t, out.RawOutputPath)
				return
			}
			require.Equal(t, strings.ReplaceAll(tc.notes, "PATH", out.RawOutputPath), out.Stderr)
			stored, err := os.ReadFile(out.RawOutputPath)
			require.NoError(t, err)
			require.Equal(t, tc.stored, string(stored))
		})
	}
}

func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintln(&b, i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestALongOutputWithColoursIsStoredAsPrinted, and its size is that of the file.
func TestALongOutputWithColoursIsStoredAsPrinted(t *testing.T) {
	t.Parallel()
	needBash(t)
	for _, exit := range []int{0, 1} {
		out := outputOf(t, bash(t, session(t, tempDir(t), "Bash"), shell.Options{}, fmt.Sprintf(`{"command":%s}`, jsonOf(t, fmt.Sprintf(`for i in $(seq 10000 19999); do printf '\033[31m%%d\033[0m\n' $i; done; exit %d`, exit)))))
		require.EqualValues(t, 10_000*15, out.PersistedOutputSize)
		require.Contains(t, out.Stderr, "150000 bytes, 10000 lines.")
		require.Contains(t, out.Stderr, "All of it is in "+out.PersistedOutputPath)
		require.True(t, strings.HasPrefix(out.Stdout, "10000\n10001\n"))
		require.NotContains(t, out.Stdout, "\x1b")
		require.Positive(t, out.Omitted)
		stored, err := os.ReadFile(out.PersistedOutputPath)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(stored), "\x1b[31m10000\x1b[0m\n"))
	}
}

// TestBackgroundOutputIsClean in the result of the call and of TaskOutput; its file is not.
func TestBackgroundOutputIsClean(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t), "Bash")
	out := outputOf(t, bash(t, s, shell.Options{}, `{"command":"printf '1%%\\r\\033[31m2%%\\033[0m'; sleep 1","run_in_background":true}`))
	require.Equal(t, "2%", out.Stdout)
	waited(t, s, out.BackgroundTaskID)
	var ex pegboard.Executor
	shown := ex.Run(t.Context(), poolOf(t, s, shell.TaskOutput()), pegboard.Call{Name: "TaskOutput", Input: []byte(`{"task_id":"` + out.BackgroundTaskID + `"}`)})[0]
	require.True(t, strings.HasSuffix(shown.Result.Text(), "\n2%"), shown.Result.Text())
	stored, err := os.ReadFile(out.RawOutputPath)
	require.NoError(t, err)
	require.Equal(t, "1%\r\x1b[31m2%\x1b[0m", string(stored))

	out = outputOf(t, bash(t, s, shell.Options{}, `{"command":"sleep 0.5; printf '1%%\\r\\033[31m2%%\\033[0m'","run_in_background":true}`))
	waited(t, s, out.BackgroundTaskID)
	require.Contains(t, noticesOf(s), "It ends with:\n    2%\n")
}
