//go:build unix

package durable_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// fileName makes a child process of this binary count in the file that it names.
const fileName = "PEGBOARD_DURABLE_FILE"

func TestMain(m *testing.M) {
	if path := os.Getenv(fileName); path != "" {
		countUntilKilled(path)
	}
	os.Exit(m.Run())
}

// countUntilKilled adds to the number in a file, and prints what it has become.
func countUntilKilled(path string) {
	f := durable.New(path, numbers(nil))
	for {
		n, err := f.Change(context.Background(), plus(1))
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// TestKilled kills one of two processes that change a file, at any moment, again and again. The
// file is always whole, and no change that a process was told of is lost or made twice.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n")
	seen, rounds := map[string]bool{}, effort.Of(t, 100)
	count := func(kill time.Duration) func() {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fileName+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		return func() {
			lines := bufio.NewScanner(out)
			require.True(t, lines.Scan())
			timer := time.AfterFunc(kill, func() { _ = cmd.Process.Kill() })
			defer timer.Stop()
			for more := true; more; more = lines.Scan() {
				require.NotContains(t, lines.Text(), "error")
				require.False(t, seen[lines.Text()], "%s was told twice", lines.Text())
				seen[lines.Text()] = true
			}
			require.ErrorContains(t, cmd.Wait(), "killed")
		}
	}
	for range rounds {
		long, short := count(30*time.Millisecond), count(rand.N(20*time.Millisecond))
		short()
		long()
		n, err := durable.New(path, numbers(nil)).Load(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, len(seen))
		require.LessOrEqual(t, n, len(seen)+2*rounds, "only a change that was cut off by the kill is not told of")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range left {
		require.True(t, e.Name() == "n" || e.Name() == "n.lock" || strings.HasSuffix(e.Name(), ".tmp"), e.Name())
	}
	t.Logf("%d changes in %d rounds", len(seen), rounds)
}
