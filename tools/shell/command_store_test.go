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

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/background"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

// A command that reads the store and prints more than that is stored: it may not be repeatable.
func TestOutputBesideStoredOutputIsStored(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	path := first.PersistedOutputPath
	for _, command := range []string{"head -1 %s; seq 1 200000", "seq 1 200000 && tail -1 %s", "head -1 %s; ps -ef; seq 1 200000"} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, fmt.Sprintf(command, path))))
		require.NotEmpty(t, out.PersistedOutputPath, "%s: %s", command, out.Stderr)
	}
}

// Only what comes from the store is not stored again.
func TestStoredOutputIsNotStoredAgain(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"cat %s"}`, first.PersistedOutputPath)))
	require.Empty(t, out.PersistedOutputPath)
	require.Contains(t, out.Stderr, "ask for less at once")
}

// From another directory a page of the store is no new result either.
func TestStoredOutputIsNotStoredAgainFromAnotherDirectory(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, carryDir(t), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	outputOf(t, bash(t, s, shell.Options{}, `{"command":"cd sub"}`))
	out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":"cat %s"}`, first.PersistedOutputPath)))
	require.Empty(t, out.PersistedOutputPath)
}

// A pipe that begins in the store brings nothing but the store.
func TestStoredOutputIsNotStoredAgainThroughAPipe(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, t.TempDir(), "Bash")
	first := outputOf(t, bash(t, s, shell.Options{}, `{"command":"seq 1 100000"}`))
	for _, command := range []string{"cat %s | grep 1", "grep 1 %s | sort | head -c 100000", "cat < %s", "tail -n +5 %s; head -c 90000 %[1]s"} {
		out := outputOf(t, bash(t, s, shell.Options{}, fmt.Sprintf(`{"command":%q}`, fmt.Sprintf(command, first.PersistedOutputPath))))
		require.Empty(t, out.PersistedOutputPath, command)
	}
}

// TestStoredOutputCanBeReadOn without a rule, by the tools that the result names.
func TestStoredOutputCanBeReadOn(t *testing.T) {
	t.Parallel()
	needBash(t)
	s := session(t, tempDir(t))
	var reg pegboard.Registry
	require.NoError(t, reg.Add(shell.Bash(shell.Options{})))
	require.NoError(t, reg.Add(files.Tools()...))
	pool := reg.AssemblePool(s, pegboard.PoolConfig{})
	var ex pegboard.Executor
	do := func(tool string, input map[string]any) pegboard.Outcome {
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		return ex.Run(t.Context(), pool, pegboard.Call{Name: tool, Input: raw})[0]
	}
	out := do("Bash", map[string]any{"command": "seq 1 50000"})
	require.NoError(t, out.Err)
	data, ok := out.Result.Data.(shell.Output)
	require.True(t, ok)
	require.NotEmpty(t, data.PersistedOutputPath)
	require.Contains(t, out.Result.Text(), data.PersistedOutputPath)

	read := do("Read", map[string]any{"file_path": data.PersistedOutputPath, "offset": 40_000, "limit": 1})
	require.NoError(t, read.Err, read.Result.Text())
	require.Contains(t, read.Result.Text(), "\t40000")
	grep := do("Grep", map[string]any{"path": data.PersistedOutputPath, "pattern": "^31415$", "output_mode": "content"})
	require.NoError(t, grep.Err, grep.Result.Text())
	require.Contains(t, grep.Result.Text(), "31415")
	write := do("Write", map[string]any{"file_path": data.PersistedOutputPath, "content": "forged"})
	require.ErrorIs(t, write.Err, pegboard.ErrDenied)
}

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
	require.Contains(t, res.Text(), "The rest was not kept; it could not be stored (")
	require.True(t, strings.HasSuffix(res.Text(), "\n1000000"))
	require.NotContains(t, res.Text(), "All of it")
	require.NoError(t, os.Mkdir(dir, 0o700))
}
