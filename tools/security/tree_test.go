package security_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/script"
)

// fixture is what a row adds to the base tree. Its paths start at the folder that
// the file's rows start at.
type fixture struct {
	Files     map[string]string
	Exec      []string
	Dirs      []string
	Symlinks  map[string]string
	Hardlinks map[string]string
	Fifos     []string
	Sockets   []string         // of the kind that processes of one machine use; nobody answers
	Sparse    map[string]int64 // sizes in bytes
	Setup     string           // run by bash in proj
}

// UnmarshalJSON refuses what build does not build: such a row would be decided
// about another tree than its own.
func (f *fixture) UnmarshalJSON(text []byte) error {
	type plain fixture
	return strict(text, (*plain)(f))
}

// base is the tree that every row starts from, made once and copied.
type base struct{ folder string }

// newBase makes the base tree of a source: its files, and in proj a repository
// with two commits, a branch, a tag and a remote.
func newBase(t *testing.T, src source) base {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the rows speak of the files and programs of Linux")
	}
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the trees of the rows need %s: %v", program, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(src.folder, "base-tree.json"))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(filepath.Join("testdata", "base-tree.json"))
	}
	require.NoError(t, err)
	var files map[string]string
	require.NoError(t, json.Unmarshal(text, &files))
	b := base{folder: realTemp(t)}
	for name, text := range files {
		write(t, filepath.Join(b.folder, name), text)
	}
	bash(t, b.folder, "git init -q -b main && rm -f .git/hooks/*.sample && git add README.md && git commit -q -m first && "+
		"git add . && git commit -q -m second && git branch other && git tag v1 && git remote add origin https://example.com/p.git && "+
		"git repack -adq && rm -r .git/logs .git/description .git/COMMIT_EDITMSG") // each row copies the files
	return b
}

// realTemp returns a new folder by its real name.
func realTemp(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return folder
}

// tree is what a row is decided about: the base tree, or a copy with a fixture.
type tree struct {
	root     string
	worktree *moving // nil if sessions are made where the row works
}

// grow copies the base tree and builds the fixture below start.
func (b base) grow(t *testing.T, f fixture, start string) tree {
	t.Helper()
	tr := tree{root: realTemp(t)}
	require.NoError(t, os.CopyFS(tr.root, os.DirFS(b.folder)))
	return tr.with(t, f, start)
}

// with builds a fixture below start.
func (tr tree) with(t *testing.T, f fixture, start string) tree {
	t.Helper()
	at := func(name string) string { return filepath.Join(tr.root, start, name) }
	for _, name := range f.Dirs {
		require.NoError(t, os.MkdirAll(at(name), 0o755))
	}
	for name, text := range f.Files {
		write(t, at(name), tr.fill(text))
	}
	for _, name := range f.Exec {
		text, err := os.ReadFile(at(name))
		require.NoError(t, err)
		require.NoError(t, os.Remove(at(name)))
		script.Write(t, at(name), string(text))
	}
	for name, size := range f.Sparse {
		write(t, at(name), "")
		require.NoError(t, os.Truncate(at(name), size))
	}
	for name, to := range f.Symlinks {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		require.NoError(t, os.Symlink(tr.fill(to), at(name)))
	}
	for name, to := range f.Hardlinks {
		require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
		require.NoError(t, os.Link(at(to), at(name)))
	}
	for _, name := range f.Fifos {
		require.NoError(t, mkfifo(at(name)))
	}
	for _, name := range f.Sockets {
		makeSocket(t, at(name))
	}
	if f.Setup != "" {
		bash(t, tr.root, tr.fill(f.Setup))
	}
	return tr
}

// fill puts the row's folder and word into a text of the row.
func (tr tree) fill(text string) string {
	return strings.NewReplacer("{{ROOT}}", tr.root, "{{TAG}}", filepath.Base(filepath.Dir(tr.root))).Replace(text)
}

// env is the environment of whatever runs in a tree.
func env(root string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(root, "home"), "TMPDIR=" + os.TempDir(), "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2024-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z",
	}
}

// bash runs a line of a fixture in proj.
func bash(t *testing.T, root, line string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Dir, cmd.Env = filepath.Join(root, "proj"), env(root)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// mkfifo makes a pipe by the program of that name: package syscall has no such
// call on every system that the tests compile for.
func mkfifo(path string) error { return exec.Command("mkfifo", path).Run() }

// makeSocket makes a socket that lives as long as the test. It is moved to its place,
// since the name by which one is made may have hardly a hundred bytes.
func makeSocket(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	folder, err := os.MkdirTemp("", "s") //nolint:usetesting // the name from t.TempDir is too long for a socket
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "s"), Net: "unix"})
	require.NoError(t, err)
	l.SetUnlinkOnClose(false)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	require.NoError(t, os.Rename(filepath.Join(folder, "s"), path))
}

// change is a step that alters a tree: one of the first fields names the file, To is
// another name or, as Content and Text are, what is written.
type change struct {
	Unlink, Symlink, Hardlink, Rename, Mkfifo, Mkdir, Write, Append, To string
	Content, Text                                                       *string
}

// UnmarshalJSON refuses a step that would not be made.
func (c *change) UnmarshalJSON(text []byte) error {
	type plain change
	return strict(text, (*plain)(c))
}

// written is the text of a step that writes.
func (c change) written(tr tree) []byte {
	for _, text := range []*string{c.Content, c.Text} {
		if text != nil {
			return []byte(tr.fill(*text))
		}
	}
	return []byte(tr.fill(c.To))
}

// make alters the tree as the steps say.
func (tr tree) make(steps []change) error {
	for _, c := range steps {
		if err := c.make(tr); err != nil {
			return err
		}
	}
	return nil
}

func (c change) make(tr tree) error {
	at := func(name string) string { return filepath.Join(tr.root, name) }
	switch {
	case c.Unlink != "":
		return os.Remove(at(c.Unlink))
	case c.Symlink != "":
		return os.Symlink(tr.fill(c.To), at(c.Symlink))
	case c.Hardlink != "":
		return os.Link(at(c.To), at(c.Hardlink))
	case c.Rename != "":
		return os.Rename(at(c.Rename), at(c.To))
	case c.Mkfifo != "":
		return mkfifo(at(c.Mkfifo))
	case c.Mkdir != "":
		return os.MkdirAll(at(c.Mkdir), 0o755)
	case c.Write != "":
		return os.WriteFile(at(c.Write), c.written(tr), 0o644)
	case c.Append != "":
		f, err := os.OpenFile(at(c.Append), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		_, err = f.Write(c.written(tr))
		return errors.Join(err, f.Close())
	default:
		return fmt.Errorf("unknown change %+v", c)
	}
}

// A mark is what a file was at a time.
type mark struct {
	path, text string
}

// mark notes what a file is: whether it is there, its kind and what it holds.
func (tr tree) mark(name string) mark {
	m := mark{path: tr.fill(name)}
	if !filepath.IsAbs(m.path) {
		m.path = filepath.Join(tr.root, m.path)
	}
	info, err := os.Lstat(m.path)
	if err != nil {
		return m
	}
	m.text = info.Mode().String()
	switch {
	case info.Mode().Type() == os.ModeSymlink:
		to, _ := os.Readlink(m.path)
		m.text += " to " + to
	case info.Mode().IsRegular():
		text, err := os.ReadFile(m.path)
		m.text += fmt.Sprintf(" %q %v", text, err)
	}
	return m
}

// TestTreeIsTheDocumentedOne: rows about repositories are worth nothing without
// one.
func TestTreeIsTheDocumentedOne(t *testing.T) {
	t.Parallel()
	tr := newBase(t, source{folder: "testdata"}).grow(t, fixture{
		Files: map[string]string{"bin/x": "{{ROOT}}"}, Exec: []string{"bin/x"}, Symlinks: map[string]string{"l": "../out"},
		Hardlinks: map[string]string{"h": "data.txt"}, Fifos: []string{"f"}, Sockets: []string{"s"}, Dirs: []string{"d/e"}, Setup: "pwd > where",
	}, "proj")
	cmd := exec.CommandContext(t.Context(), "git", "for-each-ref", "--format=%(refname)")
	cmd.Dir, cmd.Env = filepath.Join(tr.root, "proj"), env(tr.root)
	refs, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, []string{"refs/heads/main", "refs/heads/other", "refs/tags/v1"}, strings.Fields(string(refs)))

	text, err := os.ReadFile(filepath.Join(tr.root, "proj", "bin", "x"))
	require.NoError(t, err)
	require.Equal(t, tr.root, string(text))
	kinds := map[string]os.FileMode{"bin/x": 0, "l": os.ModeSymlink, "h": 0, "f": os.ModeNamedPipe, "s": os.ModeSocket, "d/e": os.ModeDir}
	for name, kind := range kinds {
		info, err := os.Lstat(filepath.Join(tr.root, "proj", name))
		require.NoError(t, err)
		require.Equal(t, kind, info.Mode().Type(), name)
		require.Equal(t, name == "bin/x" || kind != 0 && kind != os.ModeNamedPipe, info.Mode()&0o100 != 0, name)
	}
	where, err := os.ReadFile(filepath.Join(tr.root, "proj", "where"))
	require.NoError(t, err)
	require.Equal(t, filepath.Join(tr.root, "proj")+"\n", string(where))
}
