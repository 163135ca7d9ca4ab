package walk_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// find returns the paths of what a walk of dir finds, in order.
func find(t testing.TB, dir string, o walk.Options) []string {
	t.Helper()
	found, _, err := tryFind(t, dir, o)
	require.NoError(t, err)
	return found
}

func tryFind(t testing.TB, dir string, o walk.Options) ([]string, walk.Report, error) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	var mu sync.Mutex
	found := []string{}
	report, err := walk.Run(t.Context(), root, dir, o, func(_ int, e *walk.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, e.Rel)
		return nil
	})
	slices.Sort(found)
	return found, report, err
}

// tempDir returns an empty directory by the path that has no links.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

// put makes a file. Names that end with a slash are directories.
func put(t testing.TB, dir, name, text string) {
	t.Helper()
	require.NoError(t, tryPut(dir, name, text))
}

func tryPut(dir, name, text string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if strings.HasSuffix(name, "/") {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// ripgrep is the program that walks are compared with.
type ripgrep struct{ home string }

// needRipgrep skips the test if version 13 is not there: the rules changed
// later, and so did the types.
func needRipgrep(t testing.TB) ripgrep {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "rg", "--version").Output()
	if err != nil || !bytes.HasPrefix(out, []byte("ripgrep 13.")) {
		t.Skip("ripgrep 13 is the oracle of this test and not installed")
	}
	return ripgrep{home: tempDir(t)}
}

// files returns what rg --files lists in dir, in order. It reports false if rg
// refuses the arguments.
func (r ripgrep) files(t testing.TB, dir string, args ...string) ([]string, bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "rg", append([]string{"--no-config", "--files", "--null"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + r.home, "XDG_CONFIG_HOME=" + r.home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && bytes.HasPrefix(exit.Stderr, []byte("error parsing glob")) {
		return nil, false // those of ignore files come after the name of the file
	}
	found := []string{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found, true
}

// arguments says to rg what o says to a walk.
func arguments(o walk.Options) []string {
	var args []string
	if o.NoIgnore {
		args = append(args, "--no-ignore")
	}
	if o.Hidden {
		args = append(args, "--hidden")
	}
	for _, g := range o.Globs {
		args = append(args, "-g"+g)
	}
	for _, name := range o.Types {
		args = append(args, "-t"+name)
	}
	return args
}
