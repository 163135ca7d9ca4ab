package grep_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"
)

// A command is a search by ripgrep and the same search by us.
type command struct {
	name  string
	rg    []string
	query grep.Query
	globs []string
}

// commands are the queries of the benchmark.
func commands() []command {
	return []command{
		{name: "literal", rg: []string{"-nF", "context.WithTimeout("}, query: grep.Query{Pattern: "context.WithTimeout(", Fixed: true}},
		{name: "regex", rg: []string{"-n", `func \(\w+ \*\w+\) \w*Close\(`}, query: grep.Query{Pattern: `func \(\w+ \*\w+\) \w*Close\(`}},
		{name: "no literal", rg: []string{"-n", "--no-unicode", `[A-Z]\w+[0-9]{3,}\s*=`}, query: grep.Query{Pattern: `[A-Z]\w+[0-9]{3,}\s*=`, ASCII: true}},
		{name: "ignore case", rg: []string{"-ni", "deadline exceeded"}, query: grep.Query{Pattern: "deadline exceeded", IgnoreCase: true}},
		{name: "files", rg: []string{"-l", "sync.Mutex"}, query: grep.Query{Pattern: "sync.Mutex", Mode: grep.Files}},
		{name: "count", rg: []string{"-c", "TODO"}, query: grep.Query{Pattern: "TODO", Mode: grep.Count}},
		{name: "multiline", rg: []string{"-nU", `if err != nil \{\n\s+return nil, err`}, query: grep.Query{Pattern: `if err != nil \{\n\s+return nil, err`, Multiline: true}},
		{name: "glob", rg: []string{"-n", "-g", "*.go", "func New"}, query: grep.Query{Pattern: "func New"}, globs: []string{"*.go"}},
		{name: "nothing", rg: []string{"-nF", "zqxjkvbnmzqx"}, query: grep.Query{Pattern: "zqxjkvbnmzqx", Fixed: true}},
	}
}

// search searches below dir.
func search(t testing.TB, dir string, q grep.Query, o grep.Limits, w ...walk.Options) grep.Report {
	t.Helper()
	p, err := grep.Compile(q)
	require.NoError(t, err)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	s := grep.NewSearch(p, o)
	require.NoError(t, s.Tree(t.Context(), root, dir, "", slices.Concat(w, []walk.Options{{}})[0]))
	return s.Report()
}

// searchFile searches one file.
func searchFile(ctx context.Context, p *grep.Program, r io.Reader) (grep.Report, error) {
	s := grep.NewSearch(p, grep.Limits{})
	err := s.File(ctx, "f", r)
	return s.Report(), err
}

// lines returns a report like ripgrep would print it, without separators.
func lines(q grep.Query, r grep.Report) []string {
	out := []string{}
	for _, f := range r.Files {
		switch q.Mode {
		case grep.Files:
			out = append(out, f.Path)
		case grep.Count:
			out = append(out, fmt.Sprintf("%s:%d", f.Path, f.Matches))
		case grep.Content:
			for _, row := range f.Rows {
				mark := ":"
				if row.Context {
					mark = "-"
				}
				out = append(out, fmt.Sprint(f.Path, mark, row.Number, mark, row.Text))
			}
		}
	}
	slices.Sort(out)
	return out
}

// ripgrep returns what rg prints in dir, line by line and sorted.
func ripgrep(t testing.TB, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "rg", append([]string{"--no-config", "--no-heading"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // nothing found
	}
	require.NoError(t, err, args)
	if len(out) == 0 {
		return []string{}
	}
	found := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	found = slices.DeleteFunc(found, func(s string) bool {
		return s == "--" || strings.Contains(s, "WARNING: stopped searching binary file after match")
	})
	slices.Sort(found)
	return found
}

func needRipgrep(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("rg"); err != nil {
		t.Skip("ripgrep is the oracle of this test and not installed")
	}
}

// bigTree returns a directory with many files to search.
func bigTree(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("PEGBOARD_SEARCH_TREE")
	if dir == "" {
		t.Skip("PEGBOARD_SEARCH_TREE does not name a directory to search")
	}
	return dir
}

func walked(globs []string) walk.Options {
	return walk.Options{Globs: globs}
}
