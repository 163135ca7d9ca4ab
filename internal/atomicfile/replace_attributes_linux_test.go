package atomicfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
)

// accessList is the form in which the system keeps a list that lets user 1234 read.
func accessList(t testing.TB) []byte {
	t.Helper()
	const user, none = 1234, 0xffffffff
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.LittleEndian, uint32(2)))
	for _, entry := range []struct {
		Tag, Perm uint16
		ID        uint32
	}{{1, 6, none}, {2, 4, user}, {4, 0, none}, {0x10, 4, none}, {0x20, 0, none}} {
		require.NoError(t, binary.Write(&b, binary.LittleEndian, entry))
	}
	return b.Bytes()
}

// setAttribute skips the test if the file system has no such attributes.
func setAttribute(t *testing.T, path, name string, value []byte) {
	t.Helper()
	err := unix.Setxattr(path, name, value, 0)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EPERM) {
		t.Skipf("%s cannot be set here: %v", name, err)
	}
	require.NoError(t, err)
}

func attribute(t *testing.T, path, name string) []byte {
	t.Helper()
	buf := make([]byte, 64<<10)
	n, err := unix.Getxattr(path, name, buf)
	if errors.Is(err, unix.ENODATA) {
		return nil
	}
	require.NoError(t, err)
	return buf[:n]
}

func TestAttributesAreKept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, attribute string
		value           []byte
	}{
		{name: "the user's own", attribute: "user.pegboard", value: []byte("a\x00b")},
		{name: "empty", attribute: "user.pegboard"},
		{name: "long", attribute: "user.pegboard", value: bytes.Repeat([]byte("x"), 3000)},
		{name: "access list", attribute: "system.posix_acl_access", value: accessList(t)},
		{name: "label", attribute: "security.selinux", value: []byte("system_u:object_r:etc_t:s0\x00")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			path := write(t, filepath.Join(tempDir(t), "f"), "old")
			setAttribute(t, path, tc.attribute, tc.value)
			mode := stat(t, path).Mode()
			var s atomicfile.Store
			next, err := load(t, &s, path).Replace(t.Context(), []byte("new"))
			require.NoError(t, err)
			require.Equal(t, atomicfile.Renamed, next.How)
			require.Equal(t, string(tc.value), string(attribute(t, path, tc.attribute)))
			require.Equal(t, mode, stat(t, path).Mode())
		})
	}
}

// TestDirectoryGivesNoAccessList: a file that let only its owner in stays so.
func TestDirectoryGivesNoAccessList(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := write(t, filepath.Join(dir, "f"), "old")
	require.NoError(t, os.Chmod(path, 0o600))
	setAttribute(t, dir, "system.posix_acl_default", accessList(t))
	var s atomicfile.Store
	next, err := load(t, &s, path).Replace(t.Context(), []byte("new"))
	require.NoError(t, err)
	require.Equal(t, atomicfile.Renamed, next.How)
	require.Empty(t, attribute(t, path, "system.posix_acl_access"))
	require.Equal(t, fs.FileMode(0o600), stat(t, path).Mode())
	_, err = s.Create(t.Context(), path+"2", []byte("new"), 0)
	require.NoError(t, err)
	require.NotEmpty(t, attribute(t, path+"2", "system.posix_acl_access"), "a new file has what the directory gives")
}

// The flags of chattr +i and +a.
const (
	immutable  = 0x10
	appendOnly = 0x20
)

// setFlag adds a flag to those of a file, until the test ends.
func setFlag(t *testing.T, path string, flag int) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	fd := int(f.Fd())
	before, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, before|flag)
	}
	if err != nil {
		_ = f.Close()
		t.Skipf("such flags cannot be set here: %v", err)
	}
	t.Cleanup(func() {
		require.NoError(t, unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, before))
		require.NoError(t, f.Close())
	})
}

// TestFlags is about files and directories that not even the superuser may change.
func TestFlags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		flag    int
		dir     bool // the flag is the directory's
		refused bool
	}{
		{name: "immutable file", flag: immutable, refused: true},
		{name: "file that only grows", flag: appendOnly, refused: true},
		{name: "immutable directory", flag: immutable, dir: true},
		{name: "directory that only grows", flag: appendOnly, dir: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(tempDir(t), "d")
			path := write(t, filepath.Join(dir, "f"), "old")
			s := atomicfile.Store{BackupDir: t.TempDir()}
			snap := load(t, &s, path)
			if tc.dir {
				setFlag(t, dir, tc.flag)
			} else {
				setFlag(t, path, tc.flag)
			}
			next, err := snap.Replace(t.Context(), []byte("new"))
			if tc.refused {
				require.ErrorIs(t, err, fs.ErrPermission)
				require.Equal(t, "old", read(t, path))
				return
			}
			require.NoError(t, err)
			require.Equal(t, atomicfile.InPlace, next.How)
			require.Equal(t, "new", read(t, path))
			require.Empty(t, names(t, s.BackupDir))
		})
	}
}
