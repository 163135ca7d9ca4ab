package security_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// pathRow is the part of a row of path.jsonl that the engine sees, and what must
// not come of it.
type pathRow struct {
	Rules     rules
	RulesRoot string `json:"rules_root"`
	Mode      pegboard.Mode
	Platform  string
	Fixture   fixture
	Cwd       string
	MoreDirs  []string `json:"additional_dirs"`
	Op, Path  string
	Race      struct {
		AfterCheck []change `json:"after_check"`
	}
	MustNot effect `json:"must_not"`
}

// effect is what must not come of a call. Zero fields say nothing.
type effect struct {
	Content string // in what the model is shown
	Lists   string // part of a name that is found
	Exists  string // a path
	Hang    int    // seconds
	RSS     uint64 `json:"rss_mib"`
}

// TestPath decides every operation on a path, and runs it for what must not come
// of it.
func TestPath(t *testing.T) {
	run(t, "path", func(t *testing.T, src source) func(*testing.T, pathRow, answer) outcome {
		t.Helper()
		b := newBase(t, src)
		return func(t *testing.T, r pathRow, a answer) outcome {
			t.Helper()
			tr := b.grow(t, r.Fixture, "")
			r.requireRulesRoot(t, tr)
			tool := r.tool(t)
			var o outcome
			for name := range strings.SplitSeq(r.Platform, "|") {
				r.decide(t, tr, name, tool, a, &o)
			}
			o.wrong = append(o.wrong, r.effects(t, tr, tool)...)
			return o
		}
	})
}

// requireRulesRoot makes sure that the base of rules is the session's directory,
// since the library knows no other.
func (r pathRow) requireRulesRoot(t *testing.T, tr tree) {
	t.Helper()
	root, err := os.Stat(filepath.Join(tr.root, r.RulesRoot))
	require.NoError(t, err)
	dir, err := os.Stat(filepath.Join(tr.root, r.Cwd))
	require.NoError(t, err)
	require.True(t, os.SameFile(root, dir), "the rules of the row stand on %s, not on %s", r.RulesRoot, r.Cwd)
}

// tool returns the tool that does what the row does. The tools that write take
// what they were not shown, so that only permission stands in their way.
func (r pathRow) tool(t *testing.T) pegboard.Tool {
	t.Helper()
	unread := files.WriteOptions{AllowUnread: true}
	switch r.Op {
	case "read":
		return files.Read(files.ReadOptions{})
	case "glob", "list":
		return files.Glob(files.GlobOptions{})
	case "grep":
		return files.Grep(files.GrepOptions{})
	case "edit":
		return files.Edit(unread)
	case "write":
		return files.Write(unread)
	}
	require.Fail(t, "unknown operation", r.Op)
	return nil
}

func (r pathRow) call(t *testing.T, tr tree, tool pegboard.Tool) pegboard.Call {
	t.Helper()
	path := tr.fill(r.Path)
	var input map[string]string
	switch r.Op {
	case "read":
		input = map[string]string{"file_path": path}
	case "glob":
		input = map[string]string{"pattern": path}
	case "list":
		input = map[string]string{"path": path, "pattern": "*"}
	case "grep":
		input = map[string]string{"path": path, "pattern": ".", "output_mode": "content"}
	case "edit":
		input = map[string]string{"file_path": path, "old_string": "", "new_string": "new"}
	case "write":
		input = map[string]string{"file_path": path, "content": "new"}
	}
	return call(t, tool.Info().Name, input)
}

func (r pathRow) pool(t *testing.T, tr tree, platformName string, tool pegboard.Tool) *pegboard.Pool {
	t.Helper()
	s := sessionIn(t, tr, r.Cwd, pegboard.SessionConfig{
		MoreDirs:    slices.Clone(r.MoreDirs),
		Platform:    platform(t, platformName),
		Permissions: permissions(t, r.Mode, r.Rules.set(t, tr.fill)),
	})
	return pool(t, s, tool)
}

// decide decides the row as on one platform.
func (r pathRow) decide(t *testing.T, tr tree, platformName string, tool pegboard.Tool, a answer, o *outcome) {
	t.Helper()
	c := r.call(t, tr, tool)
	trace := r.pool(t, tr, platformName, tool).ExplainDecision(t.Context(), c)
	if got := trace.Decision.Behavior.String(); !a.agrees(t, got) {
		o.wrong = append(o.wrong, fmt.Sprintf("%s on %s, want %s: %s %s %+v", got, platformName, a.wanted(), c.Name, c.Input, r.Rules))
	}
	o.detail += trace.String()
}

// racing changes the tree between the decision and the work.
type racing struct {
	pegboard.Tool
	change func() error
}

func (r racing) Call(ctx context.Context, c *pegboard.Call) (*pegboard.Result, error) {
	if err := r.change(); err != nil {
		return nil, err
	}
	return r.Tool.Call(ctx, c)
}

// effects runs the call and returns what came of it that must not. A call that is
// not allowed runs as well, up to its refusal.
func (r pathRow) effects(t *testing.T, tr tree, tool pegboard.Tool) (wrong []string) {
	t.Helper()
	if (r.MustNot == effect{}) || !slices.Contains(strings.Split(r.Platform, "|"), runtime.GOOS) {
		return nil
	}
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	var unchanged error
	p := r.pool(t, tr, runtime.GOOS, racing{tool, func() error {
		unchanged = tr.make(r.Race.AfterCheck)
		return unchanged
	}})
	limit := 30 * time.Second
	if r.MustNot.Hang > 0 {
		limit = time.Duration(r.MustNot.Hang) * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	out := (&pegboard.Executor{}).Run(ctx, p, r.call(t, tr, tool))[0]
	require.NoError(t, unchanged)
	if ctx.Err() != nil {
		complain("it ran for %v", out.Elapsed)
	}
	if not := r.MustNot.Content; not != "" && strings.Contains(out.Result.Text(), not) {
		complain("it shows %s: %s", not, out.Result.Text())
	}
	if found, ok := out.Result.Data.(files.GlobOutput); ok && r.MustNot.Lists != "" && strings.Contains(strings.Join(slices.Concat(found.Filenames, found.Directories, found.Links), "\n"), r.MustNot.Lists) {
		complain("it lists %q", found.Filenames)
	}
	if r.MustNot.Exists != "" {
		if _, err := os.Lstat(filepath.Join(tr.root, r.MustNot.Exists)); err == nil {
			complain("it made %s", r.MustNot.Exists)
		}
	}
	if mib := memory() >> 20; r.MustNot.RSS > 0 && mib > r.MustNot.RSS {
		complain("it took %d MiB", mib)
	}
	return wrong
}

// memory is the most that the process ever took from the system, in bytes. Other
// tests count as well, so less than a limit proves something and more need not.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// UnmarshalJSON refuses an effect that is not looked for.
func (e *effect) UnmarshalJSON(text []byte) error {
	type plain effect
	return strict(text, (*plain)(e))
}
