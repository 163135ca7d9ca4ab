package atomicfile_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const nobody = 65534

func becomeNobody() error {
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

// TestReplaceAsAnOrdinaryUser lets a process without rights replace files.
func TestReplaceAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only the superuser can become somebody else")
	}
	tests := []struct {
		name     string
		dir, own int // who has the directory and the file
		group    int
		dirMode  fs.FileMode
		mode     fs.FileMode
		want     string
		refused  bool
	}{
		{name: "all their own", dir: nobody, own: nobody, group: nobody, dirMode: 0o755, mode: 0o644, want: "renamed"},
		{name: "a directory that they cannot write", dir: 0, own: nobody, group: nobody, dirMode: 0o755, mode: 0o644, want: "in place"},
		{name: "a directory that is read-only", dir: nobody, own: nobody, group: nobody, dirMode: 0o555, mode: 0o600, want: "in place"},
		{name: "another's file, which all may write", dir: 0, own: 0, group: 0, dirMode: 0o777, mode: 0o666, want: "in place"},
		{name: "the same, where only owners replace", dir: 0, own: 0, group: 0, dirMode: 0o777 | fs.ModeSticky, mode: 0o666, want: "in place"},
		{name: "a group that they are not in", dir: nobody, own: nobody, group: 1234, dirMode: 0o755, mode: 0o664, want: "in place"},
		{name: "a read-only file", dir: nobody, own: nobody, group: nobody, dirMode: 0o755, mode: 0o444, refused: true},
		{name: "another's file in their directory", dir: nobody, own: 0, group: 0, dirMode: 0o755, mode: 0o644, refused: true},
		{name: "a file that they cannot read", dir: nobody, own: 0, group: 0, dirMode: 0o755, mode: 0o622, refused: true},
		{name: "a directory that cannot be listed", dir: nobody, own: nobody, group: nobody, dirMode: 0o311, mode: 0o644, refused: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			base := tempDir(t)
			require.NoError(t, os.Chmod(filepath.Dir(base), 0o755))
			path := write(t, filepath.Join(base, "d", "f"), "old")
			require.NoError(t, os.Chown(path, tc.own, tc.group))
			require.NoError(t, os.Chmod(path, tc.mode))
			require.NoError(t, os.Chown(filepath.Dir(path), tc.dir, tc.dir))
			require.NoError(t, os.Chmod(filepath.Dir(path), tc.dirMode))
			backups := filepath.Join(base, "tmp")
			require.NoError(t, os.Mkdir(backups, 0o755))
			require.NoError(t, os.Chmod(backups, 0o777))

			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), roleName+"=replace as nobody", fileName+"="+path, "TMPDIR="+backups)
			out, err := cmd.Output()
			if tc.refused {
				require.Error(t, err)
				require.Contains(t, string(out), "permission denied")
				require.Equal(t, "old", read(t, path))
			} else {
				require.NoError(t, err, string(out))
				require.Equal(t, tc.want, string(out))
				require.Equal(t, "new content", read(t, path))
			}
			st, ok := stat(t, path).Sys().(*syscall.Stat_t)
			require.True(t, ok)
			require.Equal(t, []uint32{uint32(tc.own), uint32(tc.group)}, []uint32{st.Uid, st.Gid})
			require.Equal(t, tc.mode, stat(t, path).Mode())
			require.Equal(t, []string{"f"}, names(t, filepath.Dir(path)))
			require.Empty(t, names(t, backups))
		})
	}
}
