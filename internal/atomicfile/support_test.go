package atomicfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

const (
	roleName = "ATOMICFILE_TEST_ROLE" // what the test binary does instead of testing
	fileName = "ATOMICFILE_TEST_FILE" // to which file
	plenty   = 64 << 20
)

func TestMain(m *testing.M) {
	if role, ok := os.LookupEnv(roleName); ok {
		if err := play(role, os.Getenv(fileName)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tempDir is t.TempDir as the resolver would give it.
func tempDir(t testing.TB) string {
	t.Helper()
	return realpath.Resolve(t.TempDir())
}

func write(t testing.TB, path, data string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o644))
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func stat(t testing.TB, path string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info
}

func load(t testing.TB, s *atomicfile.Store, path string) *atomicfile.Snapshot {
	t.Helper()
	snap, err := s.Load(t.Context(), path, plenty)
	require.NoError(t, err)
	return snap
}

// names returns what is in a directory.
func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := []string{}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

// leftover matches the names that the package comment promises for target.
func leftover(target string) *regexp.Regexp {
	return regexp.MustCompile(`^\.` + regexp.QuoteMeta(target) + `\.pegboard-[A-Z2-7]{26}\.(tmp|bak)$`)
}
