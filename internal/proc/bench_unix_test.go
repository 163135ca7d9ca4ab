//go:build unix

package proc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/proc"
)

const benchBytes = 256 << 20

var benchArgs = []string{"head", "-c", "268435456", "/dev/zero"}

// BenchmarkOutput compares Run with what the same command takes to write a file
// and to write nowhere.
func BenchmarkOutput(b *testing.B) {
	b.Run("Run", func(b *testing.B) {
		b.SetBytes(benchBytes)
		b.ReportAllocs()
		var table proc.Table
		for b.Loop() {
			exit, err := table.Run(b.Context(), proc.Command{Args: benchArgs, Dir: b.TempDir()})
			require.NoError(b, err)
			require.Equal(b, int64(benchBytes), exit.Output.Total)
		}
	})
	for name, path := range map[string]string{"File": filepath.Join(b.TempDir(), "out"), "Nowhere": os.DevNull} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(benchBytes)
			for b.Loop() {
				file, err := os.Create(path)
				require.NoError(b, err)
				cmd := exec.Command(benchArgs[0], benchArgs[1:]...)
				cmd.Stdout = file
				require.NoError(b, cmd.Run())
				require.NoError(b, file.Close())
			}
		})
	}
}

// BenchmarkStart is what a short command costs, against os/exec alone.
func BenchmarkStart(b *testing.B) {
	b.Run("Run", func(b *testing.B) {
		var table proc.Table
		dir := b.TempDir()
		for b.Loop() {
			_, err := table.Run(b.Context(), proc.Command{Args: []string{"true"}, Dir: dir})
			require.NoError(b, err)
		}
	})
	b.Run("CombinedOutput", func(b *testing.B) {
		for b.Loop() {
			_, err := exec.Command("true").CombinedOutput()
			require.NoError(b, err)
		}
	})
}
