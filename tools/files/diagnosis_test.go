package files_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// A checker is a linter that finds a problem in each line with "bad" in it.
type checker struct {
	asked []string // base names
	err   error
}

func (k *checker) check(_ context.Context, path string) (problems []string, err error) {
	k.asked = append(k.asked, filepath.Base(path))
	data, err := os.ReadFile(path)
	for i, line := range strings.Split(string(data), "\n") {
		if strings.Contains(line, "bad") {
			problems = append(problems, fmt.Sprintf("%s:%d: %s\n\t^ here\n", filepath.Base(path), i+1, line))
		}
	}
	return problems, errors.Join(err, k.err)
}

// TestDiagnosesTellWhatIsNew from what was there, whichever tool has made the change.
func TestDiagnosesTellWhatIsNew(t *testing.T) {
	t.Parallel()
	k := &checker{}
	o := files.WriteOptions{Diagnose: k.check, AllowUnread: true}
	g := editable(t, files.Write(o), files.Edit(o), files.MultiEdit(o), files.ApplyPatch(o), files.Read(files.ReadOptions{}))
	g.put(t, "f", "one\nbad two\nthree\n")
	edit := func(from, to string) pegboard.Outcome { return g.edit(t, "f", from, to) }
	for _, step := range []struct {
		name  string
		out   func() pegboard.Outcome
		want  string // the end of the result; "" means that it says nothing of problems
		asked string
	}{
		{name: "a line before the old one", out: func() pegboard.Outcome { return edit("one", "bad one\none") }, asked: "f f",
			want: "\nNew problems in the file:\nf:1: bad one\n\t^ here\nProblems that it had before:\nf:3: bad two\n\t^ here"},
		{name: "the same again", out: func() pegboard.Outcome { return edit("three", "bad two") }, asked: "f",
			want: "\nNew problems in the file:\nf:4: bad two\n\t^ here\nProblems that it had before:\nf:1: bad one\n\t^ here\nf:3: bad two\n\t^ here"},
		{name: "nothing new", out: func() pegboard.Outcome { return edit("bad two\nbad two", "bad two") }, asked: "f",
			want: "\nProblems that it had before:\nf:1: bad one\n\t^ here\nf:3: bad two\n\t^ here"},
		{name: "all gone", out: func() pegboard.Outcome { return g.write(t, "f", "good\n") }, asked: "f",
			want: "\nThe problems that the file had before are gone."},
		{name: "nothing to say", out: func() pegboard.Outcome { return edit("good", "fine") }, asked: "f"},
		{name: "a new file", out: func() pegboard.Outcome { return g.write(t, "new", "bad\n") }, asked: "new",
			want: "\nNew problems in the file:\nnew:1: bad\n\t^ here"},
		{name: "many edits", asked: "f", out: func() pegboard.Outcome {
			return g.call(t.Context(), t, "MultiEdit", map[string]any{"file_path": "f", "edits": []map[string]any{{"old_string": "fine", "new_string": "bad x"}}})
		}, want: "\nNew problems in the file:\nf:1: bad x\n\t^ here"},
		{name: "a patch of several files", asked: "f new", out: func() pegboard.Outcome {
			return g.call(t.Context(), t, "apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: f\n@@\n-bad x\n+good\n*** Update File: new\n@@\n-bad\n+bad\n+bad too\n*** End Patch\n"})
		}, want: "\nThe problems that the file had before are gone.\nNew problems in the file:\nnew:2: bad too\n\t^ here\nProblems that it had before:\nnew:1: bad\n\t^ here"},
	} {
		k.asked = nil
		out := step.out()
		require.NoError(t, out.Err, step.name)
		text := out.Result.Text()
		if step.want == "" {
			require.NotContains(t, text, "roblems", step.name)
		}
		require.True(t, strings.HasSuffix(text, step.want), "%s: %s", step.name, text)
		require.Equal(t, step.asked, strings.Join(k.asked, " "), step.name)
	}
}

// TestDiagnosesAreBounded in bytes and in time, and one that fails loses no change.
func TestDiagnosesAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]string, 5000)
	for i := range many {
		many[i] = fmt.Sprintf("line %d: %s", i, strings.Repeat("x", 90))
	}
	for _, tc := range []struct {
		name     string
		diagnose func(context.Context, string) ([]string, error)
		timeout  time.Duration
		want     string // part of the result
	}{
		{name: "too many", diagnose: func(context.Context, string) ([]string, error) { return many, nil }, want: "\n… and 4960 more"},
		{name: "too long", diagnose: func(context.Context, string) ([]string, error) { return []string{strings.Repeat("é", 9000)}, nil }, want: "é…"},
		{name: "not UTF-8", diagnose: func(context.Context, string) ([]string, error) { return []string{"a\xff"}, nil }, want: "\na�"},
		{name: "too slow", timeout: time.Nanosecond, diagnose: func(ctx context.Context, _ string) ([]string, error) { <-ctx.Done(); return nil, ctx.Err() },
			want: "\nThe file was changed, but the check of it failed, so nobody knows whether it has problems now: it took too long."},
		{name: "a crash", diagnose: func(context.Context, string) ([]string, error) { panic("no such rule") }, want: "the check of it failed, so nobody knows whether it has problems now: "},
		{name: "an error", diagnose: func(context.Context, string) ([]string, error) { return nil, errors.New("no linter") }, want: "problems now: no linter."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := files.WriteOptions{Diagnose: tc.diagnose, DiagnoseTimeout: tc.timeout}
			g := editable(t, files.Write(o))
			out := g.write(t, "f", "new")
			require.NoError(t, out.Err)
			require.Contains(t, out.Result.Text(), tc.want)
			require.Less(t, len(out.Result.Text()), files.MaxDiagnosis+300)
			require.Equal(t, "new", content(t, filepath.Join(g.dir, "f")))
		})
	}
}

// TestDiagnosisThatFailedIsMadeAgain: what was there before is not known then, and not
// called new.
func TestDiagnosisThatFailedIsMadeAgain(t *testing.T) {
	t.Parallel()
	k := &checker{err: errors.New("not ready")}
	o := files.WriteOptions{Diagnose: k.check, AllowUnread: true}
	g := editable(t, files.Edit(o))
	g.put(t, "f", "bad\none\n")
	require.Contains(t, g.edit(t, "f", "one", "two").Result.Text(), "not ready")
	k.err, k.asked = nil, nil
	require.True(t, strings.HasSuffix(g.edit(t, "f", "two", "bad c").Result.Text(), "\nNew problems in the file:\nf:2: bad c\n\t^ here\nProblems that it had before:\nf:1: bad\n\t^ here"))
	require.Equal(t, []string{"f", "f"}, k.asked)
	k.err = errors.New("not ready")
	fork, err := g.session.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	g.session = fork
	require.Contains(t, g.edit(t, "f", "bad c", "c").Result.Text(), "not ready")
}
