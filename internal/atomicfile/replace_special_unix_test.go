//go:build unix

package atomicfile_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// TestPipe would hang if the pipe were opened as a file is.
func TestPipe(t *testing.T) {
	t.Parallel()
	path := write(t, filepath.Join(tempDir(t), "f"), "old")
	var s atomicfile.Store
	snap := load(t, &s, path)
	require.NoError(t, os.Remove(path))
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := s.Load(t.Context(), path, plenty)
	require.ErrorIs(t, err, realpath.ErrNotRegular)
	_, err = snap.Replace(t.Context(), []byte("new"))
	require.ErrorIs(t, err, atomicfile.ErrChanged)
	require.ErrorIs(t, err, realpath.ErrNotRegular)
	_, err = s.Create(t.Context(), path, []byte("new"), 0)
	require.ErrorIs(t, err, fs.ErrExist)
}

func TestOwnerAndSpecialBits(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only the superuser can give files away")
	}
	for _, link := range []bool{false, true} {
		path := write(t, filepath.Join(tempDir(t), "f"), "old")
		require.NoError(t, os.Chown(path, 1234, 4321))
		require.NoError(t, os.Chmod(path, 0o750|fs.ModeSetuid|fs.ModeSetgid))
		if link {
			require.NoError(t, os.Link(path, path+"2"))
		}
		var s atomicfile.Store
		_, err := load(t, &s, path).Replace(t.Context(), []byte("new"))
		require.NoError(t, err)
		st, ok := stat(t, path).Sys().(*syscall.Stat_t)
		require.True(t, ok)
		require.Equal(t, []uint32{1234, 4321}, []uint32{st.Uid, st.Gid})
		require.Equal(t, fs.FileMode(0o750), stat(t, path).Mode())
	}
}

// TestRunningProgram: it can be replaced, but not written in place.
func TestRunningProgram(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep here")
	}
	for _, link := range []bool{false, true} {
		path := write(t, filepath.Join(tempDir(t), "sleep"), read(t, sleep))
		require.NoError(t, os.Chmod(path, 0o755))
		if link {
			require.NoError(t, os.Link(path, path+"2"))
		}
		var cmd *exec.Cmd
		require.Eventually(t, func() bool { // until no other test's child has the file open
			cmd = exec.CommandContext(t.Context(), path, "60")
			return cmd.Start() == nil
		}, time.Minute, time.Millisecond)
		var s atomicfile.Store
		_, err := load(t, &s, path).Replace(t.Context(), []byte("new"))
		if link {
			require.ErrorIs(t, err, syscall.ETXTBSY)
			require.Equal(t, read(t, sleep), read(t, path))
		} else {
			require.NoError(t, err)
			require.Equal(t, "new", read(t, path))
		}
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
	}
}

// TestSwappedDirectory: nothing is written to where a link leads that took the
// directory's place.
func TestSwappedDirectory(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		base := tempDir(t)
		path := write(t, filepath.Join(base, "d", "f"), "old")
		outside := write(t, filepath.Join(base, "outside", "f"), "old")
		swap := func() {
			require.NoError(t, os.Rename(filepath.Dir(path), filepath.Join(base, "away")))
			require.NoError(t, os.Symlink("outside", filepath.Dir(path)))
		}
		var s atomicfile.Store
		snap := load(t, &s, path)
		if late { // the directory that was opened is written
			first := true
			s.Inject(atomicfile.Faults{Sync: func(f *os.File) error {
				if first {
					first = false
					swap()
				}
				return f.Sync()
			}})
			_, err := snap.Replace(t.Context(), []byte("new"))
			require.NoError(t, err)
			require.Equal(t, "new", read(t, filepath.Join(base, "away", "f")))
		} else {
			swap()
			_, err := snap.Replace(t.Context(), []byte("new"))
			require.ErrorIs(t, err, realpath.ErrMoved)
			require.Equal(t, "old", read(t, filepath.Join(base, "away", "f")))
		}
		require.Equal(t, "old", read(t, outside))
		require.Equal(t, []string{"f"}, names(t, filepath.Dir(outside)))
		require.Equal(t, []string{"f"}, names(t, filepath.Join(base, "away")))
	}
}

// TestSwapsAllTheTime writes while a directory becomes a link and back.
func TestSwapsAllTheTime(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	path := write(t, filepath.Join(base, "d", "f"), "old")
	outside := write(t, filepath.Join(base, "outside", "f"), "old")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		d, away := filepath.Dir(path), filepath.Join(base, "away")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(d, away)
			_ = os.Symlink("outside", d)
			_ = os.Remove(d)
			_ = os.Rename(away, d)
			time.Sleep(rand.N(3 * time.Millisecond << rand.N(9))) // somebody has to get through, on a busy machine too
		}
	}()
	var s atomicfile.Store
	done, refused := 0, 0
	for end := time.Now().Add(time.Minute); (done < 3 || refused < 3) && time.Now().Before(end); {
		snap, err := s.Load(t.Context(), path, plenty)
		if err == nil {
			_, err = snap.Replace(t.Context(), []byte("new"))
		}
		if err == nil {
			done++
		} else {
			refused++
		}
		_, _ = s.Create(t.Context(), filepath.Join(filepath.Dir(path), fmt.Sprint("g", done+refused), "h"), []byte("new"), 0)
	}
	close(stop)
	<-stopped
	require.Positive(t, done)
	require.Positive(t, refused)
	require.Equal(t, "old", read(t, outside))
	require.Equal(t, []string{"f"}, names(t, filepath.Dir(outside)))
}

// TestWhereNoNewFileCanTakeThePlace, as at a mount point.
func TestWhereNoNewFileCanTakeThePlace(t *testing.T) {
	t.Parallel()
	for _, why := range []error{syscall.EACCES, syscall.EPERM, syscall.EBUSY, syscall.EXDEV} {
		t.Run(why.Error(), func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			path := write(t, filepath.Join(dir, "f"), "old")
			var s atomicfile.Store
			snap := load(t, &s, path)
			s.Inject(failRename(why))
			next, err := snap.Replace(t.Context(), []byte("new content"))
			require.NoError(t, err)
			require.True(t, os.SameFile(snap.Info, next.Info))
			require.Equal(t, "new content", read(t, path))
			require.Equal(t, []string{"f"}, names(t, dir))
		})
	}
}
