package shell_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/shell"
)

const gibibyte = 1 << 30

// printGibibyte prints lines as a build may, faster than anything reads them.
var printGibibyte = fmt.Sprintf("yes 'a line of some length, as a build may print it' | head -c %d", gibibyte)

// BenchmarkBashPrintsOneGibibyte goes through the executor; the same line whose
// output the shell itself sends to a file is what it is held against.
func BenchmarkBashPrintsOneGibibyte(b *testing.B) {
	if _, err := exec.LookPath("bash"); err != nil {
		b.Skip("bash is not installed")
	}
	b.Run("ours", func(b *testing.B) {
		s, pool := benchPool(b)
		defer func() { require.NoError(b, s.Close(context.Background())) }()
		b.SetBytes(gibibyte)
		for b.Loop() {
			var ex pegboard.Executor
			out := ex.Run(context.Background(), pool, pegboard.Call{Name: "Bash", Input: []byte(fmt.Sprintf(`{"command":%q}`, printGibibyte))})[0]
			require.Contains(b, out.Result.Text(), fmt.Sprint(gibibyte))
		}
	})
	b.Run("to a file", func(b *testing.B) {
		dir := b.TempDir()
		b.SetBytes(gibibyte)
		for b.Loop() {
			cmd := exec.Command("bash", "-c", printGibibyte+" > out")
			cmd.Dir = dir
			require.NoError(b, cmd.Run())
		}
	})
}

func benchPool(tb testing.TB) (*pegboard.Session, *pegboard.Pool) {
	tb.Helper()
	perms, err := pegboard.NewPermissions(pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Bash"}})
	require.NoError(tb, err)
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: tb.TempDir(), Permissions: perms, Breaker: pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1}})
	require.NoError(tb, err)
	var reg pegboard.Registry
	require.NoError(tb, reg.Add(shell.Bash(shell.Options{})))
	return s, reg.AssemblePool(s, pegboard.PoolConfig{})
}

// BenchmarkBashTrue is what one call costs beyond the process.
func BenchmarkBashTrue(b *testing.B) {
	if _, err := exec.LookPath("bash"); err != nil {
		b.Skip("bash is not installed")
	}
	b.Run("ours", func(b *testing.B) {
		s, pool := benchPool(b)
		defer func() { require.NoError(b, s.Close(context.Background())) }()
		for b.Loop() {
			var ex pegboard.Executor
			ex.Run(context.Background(), pool, pegboard.Call{Name: "Bash", Input: []byte(`{"command":"true"}`)})
		}
	})
	b.Run("bash", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command("bash", "-c", "true").Run())
		}
	})
}

// TestInvariant13MemoryStaysFlat however much is printed.
func TestInvariant13MemoryStaysFlat(t *testing.T) {
	needBash(t)
	size := int64(effort.Of(t, uint64(2<<30)))
	s, pool := benchPool(t)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, most := heap(), uint64(0)
	ex := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			most = max(most, heap())
		}
	}}
	ended := ex.Run(t.Context(), pool, pegboard.Call{Name: "Bash", Input: []byte(fmt.Sprintf(`{"command":"yes 0123456789abcdef | head -c %d"}`, size))})
	got := outputOf(t, ended[0])
	most = max(most, heap())
	require.Contains(t, got.Stderr, fmt.Sprintf("%d bytes", size))
	info, err := os.Stat(got.PersistedOutputPath)
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(shell.MaxStored+200))
	t.Logf("%d bytes printed, heap growth %d KiB", size, (int64(most)-int64(before))>>10)
	require.Less(t, int64(most)-int64(before), int64(32<<20))
}
