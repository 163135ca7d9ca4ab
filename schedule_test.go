package pegboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// appender returns a tool that reads a file, lets others go first, and writes it with
// the id of the call behind what it read.
func appender() pegboard.Tool {
	return pegboard.Build(pegboard.Definition[job, string]{
		Info: pegboard.Info{Name: "Append"}, Description: "Reads, yields, writes.",
		Inspect: func(in job, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: in.Path}}}
		},
		Call: func(_ ctx, in job, c *pegboard.Call) (string, error) {
			name := filepath.Join(c.Session().Dir(), in.Path)
			before, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			runtime.Gosched()
			return "", os.WriteFile(name, append(before, c.ID+" "...), 0o600)
		},
	})
}

// TestFiftyReadModifyWriteCallsOnOneFile, under as many names as it has, are all
// present in the end, in their order.
func TestFiftyReadModifyWriteCallsOnOneFile(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprint("streams=", streams), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "f")
			require.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o700))
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			require.NoError(t, os.Symlink(file, filepath.Join(dir, "link")))
			require.NoError(t, os.Symlink(dir, filepath.Join(dir, "x", "up")))
			var calls []pegboard.Call
			want := ""
			for i := range 50 {
				path := []string{"f", "./f", "x/../f", "link", "x/up/f"}[i%5]
				calls = append(calls, call(fmt.Sprint(i), "Append", fmt.Sprintf(`{"path":%q}`, path)))
				want += fmt.Sprint(i, " ")
			}
			cfg := bypass(t)
			cfg.Dir = dir
			pool := registryOf(t, appender()).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
			ex := executor(pegboard.Executor{MaxParallel: 50})
			var outs []pegboard.Outcome
			if streams {
				s := ex.Stream(t.Context(), pool)
				for _, c := range calls {
					s.Submit(c)
				}
				s.Finish(pegboard.FinishStop)
				outs = slices.Collect(s.Wait())
			} else {
				outs = ex.Run(t.Context(), pool, calls...)
			}
			require.Len(t, outs, 50)
			for _, o := range outs {
				require.NoError(t, o.Err)
			}
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		})
	}
}
