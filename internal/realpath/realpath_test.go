package realpath_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// FuzzAbs: to see at first sight that a path is clean changes nothing.
func FuzzAbs(f *testing.F) {
	for _, name := range []string{"", "/", "//", "/a", "/a/", "/a//b", "/.", "/a/..", "/a/.b", "/..a", "a", ".", "a/../b", "/\xff", "/a\x00b"} {
		f.Add("/srv", name)
		f.Add("", name)
	}
	f.Fuzz(func(t *testing.T, dir, name string) {
		want := name
		if !filepath.IsAbs(want) {
			want = filepath.Join(dir, want)
		}
		require.Equal(t, filepath.Clean(want), realpath.Abs(dir, "", name))
	})
}

func TestAbs(t *testing.T) {
	t.Parallel()
	const dir, home = "/srv/dir", "/home/me"
	tests := []struct {
		name, home, in, want string
	}{
		{name: "absolute", home: home, in: "/etc/hosts", want: "/etc/hosts"},
		{name: "relative", home: home, in: "a/b", want: "/srv/dir/a/b"},
		{name: "unclean", home: home, in: "/a//b/./../c/", want: "/a/c"},
		{name: "parent", home: home, in: "../x", want: "/srv/x"},
		{name: "above the root", home: home, in: "/../../x", want: "/x"},
		{name: "empty", home: home, in: "", want: dir},
		{name: "home", home: home, in: "~", want: home},
		{name: "below home", home: home, in: "~/a", want: "/home/me/a"},
		{name: "out of home", home: home, in: "~/../you", want: "/home/you"},
		{name: "another user's home is a name", home: home, in: "~you/a", want: "/srv/dir/~you/a"},
		{name: "a tilde further on", home: home, in: "a/~/b", want: "/srv/dir/a/~/b"},
		{name: "a tilde after a dot", home: home, in: "./~/b", want: "/srv/dir/~/b"},
		{name: "no home", in: "~/a", want: "/srv/dir/~/a"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if filepath.Separator != '/' {
				t.Skip("the table is written for slashes")
			}
			require.Equal(t, tc.want, realpath.Abs(dir, tc.home, tc.in))
		})
	}
}

func TestContains(t *testing.T) {
	t.Parallel()
	tests := []struct {
		dir, path string
		want      bool
	}{
		{dir: "/a", path: "/a", want: true},
		{dir: "/a", path: "/a/b", want: true},
		{dir: "/a", path: "/a/..b", want: true},
		{dir: "/a", path: "/a/.../b", want: true},
		{dir: "/", path: "/", want: true},
		{dir: "/", path: "/a", want: true},
		{dir: "/a", path: "/ab", want: false},
		{dir: "/a", path: "/", want: false},
		{dir: "/a/b", path: "/a", want: false},
		{dir: "/a/b", path: "/a/c", want: false},
		{dir: "/a", path: "/A/b", want: false},
		{dir: "/a", path: "a/b", want: false},
	}
	for _, tc := range tests {
		t.Run(tc.dir+" "+tc.path, func(t *testing.T) {
			t.Parallel()
			dir, path := filepath.FromSlash(tc.dir), filepath.FromSlash(tc.path)
			require.Equal(t, tc.want, realpath.Contains(dir, path))
		})
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	write(t, filepath.Join(root, "real", "deep", "f"))
	links := map[string]string{
		"to-file":     "real/deep/f",
		"to-dir":      "real",
		"chain":       "to-dir",
		"absolute":    filepath.Join(root, "real"),
		"dangling":    "nowhere/x",
		"dangling-up": "to-deep/../new", // really real/new, not new
		"to-deep":     "real/deep",
		"self":        "self",
		"ping":        "pong/x",
		"pong":        "ping/y",
		"unclean":     root + "/to-deep//./../new",
	}
	for name, to := range links {
		require.NoError(t, os.Symlink(to, filepath.Join(root, name)))
	}
	tests := []struct {
		name, in, want string
	}{
		{name: "a file", in: "real/deep/f", want: "real/deep/f"},
		{name: "a link to a file", in: "to-file", want: "real/deep/f"},
		{name: "below a link", in: "to-dir/deep/f", want: "real/deep/f"},
		{name: "below a chain of links", in: "chain/deep/f", want: "real/deep/f"},
		{name: "below an absolute link", in: "absolute/deep", want: "real/deep"},
		{name: "missing", in: "real/none/at/all", want: "real/none/at/all"},
		{name: "missing below a link", in: "chain/none/at/all", want: "real/none/at/all"},
		{name: "a file taken for a directory", in: "to-file/x", want: "real/deep/f/x"},
		{name: "a dangling link", in: "dangling", want: "nowhere/x"},
		{name: "below a dangling link", in: "dangling/y", want: "nowhere/x/y"},
		{name: "a dangling link up from a link", in: "dangling-up", want: "real/new"},
		{name: "an absolute one, unclean", in: "unclean/z", want: "real/new/z"},
		{name: "a circle of one", in: "self", want: "self"},
		{name: "below a circle of one", in: "self/a/b", want: "self/a/b"},
		{name: "a circle of two", in: "ping", want: "ping"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, filepath.Join(root, tc.want), realpath.Resolve(filepath.Join(root, tc.in)))
		})
	}
}

// TestResolveAgreesWithReadlink builds random trees of directories, files and
// links, dangling ones included, and asks GNU readlink about names in them.
func TestResolveAgreesWithReadlink(t *testing.T) {
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), "readlink", "-m", "/a/../b").Output(); err != nil || string(out) != "/b\n" {
		t.Skip("there is no GNU readlink here")
	}
	for seed := range effort.Of(t, uint64(20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			root, rnd := tempDir(t), rand.New(rand.NewPCG(seed, 0))
			randomTree(t, rnd, root)
			var names []string
			for range 60 {
				if name := filepath.Join(root, somePath(rnd)); !circular(name) {
					names = append(names, name)
				}
			}
			require.NotEmpty(t, names)
			out, err := exec.CommandContext(t.Context(), "readlink", append([]string{"-m", "--"}, names...)...).Output()
			require.NoError(t, err)
			want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			for i, name := range names {
				require.Equal(t, want[i], realpath.Resolve(name), "of %s", name)
			}
		})
	}
}

// randomTree fills root. A link may lead to what comes into being later, and out of root, where
// nothing is made.
func randomTree(t *testing.T, rnd *rand.Rand, root string) {
	t.Helper()
	inside, err := os.OpenRoot(root)
	require.NoError(t, err)
	defer func() { _ = inside.Close() }()
	for range 40 {
		p := filepath.Join(".", filepath.Clean("/"+somePath(rnd)))
		switch rnd.IntN(4) {
		case 0:
			_ = inside.MkdirAll(p, 0o755) // something else may stand there or on the way
		case 1:
			_ = inside.WriteFile(p, nil, 0o644)
		case 2:
			_ = inside.Symlink(somePath(rnd), p)
		case 3:
			_ = inside.Symlink(root+"/"+somePath(rnd), p)
		}
	}
}

// somePath returns a short relative path of few different names.
func somePath(rnd *rand.Rand) string {
	var segs []string
	for range 1 + rnd.IntN(5) {
		segs = append(segs, []string{"a", "b", "c", "d", "..", "a", "b", "."}[rnd.IntN(8)])
	}
	return strings.Join(segs, "/")
}

// circular reports whether following name, as it stands, ends in too many
// links. There readlink and Resolve differ: readlink stops in the circle.
func circular(name string) bool {
	for p := name; p != filepath.Dir(p); p = filepath.Dir(p) {
		_, err := os.Stat(p)
		if err != nil && strings.Contains(err.Error(), "too many") {
			return true
		}
	}
	return false
}

func TestOpen(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	write(t, filepath.Join(root, "dir", "f"))
	require.NoError(t, os.Symlink("dir/f", filepath.Join(root, "link")))
	require.NoError(t, os.Symlink("dir", filepath.Join(root, "linked")))
	require.NoError(t, os.Symlink("self", filepath.Join(root, "self")))

	tests := []struct {
		name, path string
		is         error // nil: it opens
		says       string
	}{
		{name: "a file", path: "dir/f"},
		{name: "a missing file", path: "dir/g", is: os.ErrNotExist},
		{name: "a directory", path: "dir", is: realpath.ErrNotRegular, says: "a directory"},
		{name: "a name that became a link", path: "link", is: realpath.ErrMoved},
		{name: "below a directory that became a link", path: "linked/f", is: realpath.ErrMoved},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f, err := realpath.Open(filepath.Join(root, tc.path))
			if tc.is == nil {
				require.NoError(t, err)
				require.NoError(t, f.Close())
				return
			}
			require.Nil(t, f)
			require.ErrorIs(t, err, tc.is)
			require.ErrorContains(t, err, tc.says)
		})
	}
	t.Run("a circle", func(t *testing.T) {
		t.Parallel()
		_, err := realpath.Open(realpath.Resolve(filepath.Join(root, "self")))
		require.Error(t, err)
	})
}

func TestOpenDir(t *testing.T) {
	t.Parallel()
	root := tempDir(t)
	write(t, filepath.Join(root, "dir", "sub", "f"))
	require.NoError(t, os.Symlink("dir", filepath.Join(root, "linked")))
	tests := []struct {
		name, path string
		is         error // nil: it opens
	}{
		{name: "a directory", path: "dir"},
		{name: "a deep one", path: "dir/sub"},
		{name: "a missing one", path: "none", is: os.ErrNotExist},
		{name: "a file", path: "dir/sub/f", is: realpath.ErrNotDir},
		{name: "a name that became a link", path: "linked", is: realpath.ErrMoved},
		{name: "below a name that became a link", path: "linked/sub", is: realpath.ErrMoved},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := realpath.OpenDir(filepath.Join(root, tc.path))
			if tc.is == nil {
				require.NoError(t, err)
				require.NoError(t, r.Close())
				return
			}
			require.Nil(t, r)
			require.ErrorIs(t, err, tc.is)
		})
	}
}

// tempDir returns a new directory by its real name.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// write puts a file, and the directories it needs, at path.
func write(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("text\n"), 0o644))
}

// TestOpenWhileReplaced opens a file that is replaced all the time, as an edit of another
// agent does. A file is always there.
func TestOpenWhileReplaced(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be replaced there")
	}
	dir := realpath.Resolve(t.TempDir())
	path, next := filepath.Join(dir, "file"), filepath.Join(dir, "next")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	done := make(chan error, 1)
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := errors.Join(os.WriteFile(next, nil, 0o600), os.Rename(next, path)); err != nil {
				done <- err
				return
			}
		}
	}()
	for range effort.Of(t, 20_000) {
		f, err := realpath.Open(path)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	close(stop)
	require.NoError(t, <-done)
}
