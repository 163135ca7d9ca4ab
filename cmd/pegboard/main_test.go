package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/settings"
)

// programName is the variable that makes the test binary the program.
const programName = "PEGBOARD_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programName) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A shop has a project and a home directory, without files of an administrator.
type shop struct {
	base, project string
}

// newShop returns a shop with files of the given paths, such as project/.claude/settings.json.
func newShop(t *testing.T, files map[string]string) shop {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := shop{base, filepath.Join(base, "project")}
	require.NoError(t, os.MkdirAll(s.project, 0o700))
	for path, text := range files {
		path = filepath.Join(base, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return s
}

// run runs the program, and returns what it prints, first to standard output, without the paths
// of this machine.
func (s shop) run(t *testing.T, in string, args ...string) (out string, status int) {
	t.Helper()
	var stdout, stderr strings.Builder
	p := program{in: strings.NewReader(in), out: &stdout, errs: &stderr, locate: func(string) settings.Files {
		f := settings.Locate(s.project, filepath.Join(s.base, "home"))
		f.Managed, f.Lookup = nil, func(string) (string, bool) { return "", false }
		return f
	}}
	status = p.run(t.Context(), args)
	return strings.ReplaceAll(stdout.String()+stderr.String(), s.base, "/base"), status
}

// replay runs the command lines of a transcript, which begin with "$ ", and compares it with what
// they print now. With PEGBOARD_UPDATE=1 it writes the transcript anew.
func (s shop) replay(t *testing.T, path string, shown func(string) string) {
	t.Helper()
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	var got strings.Builder
	for line := range strings.Lines(string(want)) {
		command, ok := strings.CutPrefix(line, "$ pegboard ")
		if !ok {
			continue
		}
		out, status := s.run(t, "", words(strings.TrimSpace(command))...)
		fmt.Fprintf(&got, "%s%s", line, shown(out))
		if status != statusOK {
			fmt.Fprintf(&got, "[status %d]\n", status)
		}
		got.WriteByte('\n')
	}
	same(t, path, got.String())
}

// same compares a text with a golden file.
func same(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("PEGBOARD_UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644)) //nolint:gosec // test data
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// words splits a command line at blanks outside of single quotes.
func words(line string) (all []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}

func TestUsage(t *testing.T) {
	t.Parallel()
	newShop(t, nil).replay(t, filepath.Join("testdata", "usage.txt"), func(out string) string { return out })
}

// TestIsTerminal: a pipe and a file get no colours.
func TestIsTerminal(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer func() { require.NoError(t, r.Close()) }()
	defer func() { require.NoError(t, w.Close()) }()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	require.False(t, isTerminal(w))
	require.False(t, isTerminal(file))
	coloured, plain := program{colours: true, out: io.Discard}, program{out: io.Discard}
	require.Equal(t, "\x1b[1;31mdeny\x1b[0m", coloured.colour(red, "deny"))
	require.Equal(t, "deny", plain.colour(red, "deny"))
}
