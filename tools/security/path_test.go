package security_test

import (
	"context"
	"encoding/json"
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
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/files"
)

// pathRow is the part of a row of path.jsonl that the engine sees, and what must
// not come of it.
type pathRow struct {
	Rules     rules
	RulesRoot string `json:"rules_root"`
	Mode      policy.Mode
	Platform  string
	Fixture   fixture
	Cwd, Home string
	MoreDirs  []string `json:"additional_dirs"`
	Op, Path  string
	Race      race
	MustNot   effect `json:"must_not"`
	// ContentAfterNot may stand beside the effect as well.
	ContentAfterNot texts `json:"content_after_not"`
}

// race is what changes between the decision and the work.
type race struct {
	AfterCheck []change `json:"after_check"`
}

// UnmarshalJSON refuses what nobody does.
func (r *race) UnmarshalJSON(text []byte) error {
	type plain race
	return strict(text, (*plain)(r))
}

// effect is what must not come of a call. Zero fields say nothing.
type effect struct {
	Content string  // in what the model is shown
	Lists   string  // part of a name that is found
	Exists  strs    // paths
	Changed strs    // paths of files that are made, changed or removed
	Hang    float64 // seconds
	RSS     uint64  `json:"rss_mib"`
	// ContentAfterNot is what a file must not hold afterwards.
	ContentAfterNot texts `json:"content_after_not"`
}

func (e effect) zero() bool {
	return e.Content == "" && e.Lists == "" && len(e.Exists)+len(e.Changed)+len(e.ContentAfterNot) == 0 && e.Hang == 0 && e.RSS == 0
}

// strs is a list that may be written as its only element.
type strs []string

// UnmarshalJSON takes a string or a list.
func (s *strs) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = strs{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(s))
}

// texts are texts by the path of the file that they are about, "" for that of the row.
type texts map[string]strs

// UnmarshalJSON takes a text about the row's own file, or several, or an object.
func (x *texts) UnmarshalJSON(text []byte) error {
	var own strs
	if own.UnmarshalJSON(text) == nil {
		*x = texts{"": own}
		return nil
	}
	return json.Unmarshal(text, (*map[string]strs)(x))
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
		input = map[string]string{"file_path": path, "old_string": r.old(tr), "new_string": "new"}
	case "write":
		input = map[string]string{"file_path": path, "content": "new"}
	}
	return call(t, tool.Info().Name, input)
}

// real is where the row's path leads, for what looks at the file itself.
func (r pathRow) real(tr tree) string {
	path := tr.fill(r.Path)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(tr.root, "home", rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(tr.root, r.Cwd, path)
}

// old is the text of the file that the row edits. An edit that replaces nothing is
// refused as such, whatever the permissions say, unless there is no file yet.
func (r pathRow) old(tr tree) string {
	text, err := os.ReadFile(r.real(tr))
	if err != nil {
		return ""
	}
	return string(text)
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
	if r.MustNot.zero() && len(r.ContentAfterNot) == 0 || !slices.Contains(strings.Split(r.Platform, "|"), runtime.GOOS) {
		return nil
	}
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	var unchanged error
	marks := r.marks(tr)
	p := r.pool(t, tr, runtime.GOOS, racing{tool, func() error {
		unchanged = tr.make(r.Race.AfterCheck)
		marks = r.marks(tr) // what others changed is not the call's doing
		return unchanged
	}})
	limit := 30 * time.Second
	if r.MustNot.Hang > 0 {
		limit = time.Duration(r.MustNot.Hang * float64(time.Second))
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
	wrong = append(wrong, r.effectsOnFiles(tr, marks)...)
	if mib := memory() >> 20; r.MustNot.RSS > 0 && mib > r.MustNot.RSS {
		complain("it took %d MiB", mib)
	}
	return wrong
}

// marks are those of the files that must not change.
func (r pathRow) marks(tr tree) (marks []mark) {
	for _, name := range r.MustNot.Changed {
		marks = append(marks, tr.mark(name))
	}
	return marks
}

// effectsOnFiles returns what became of files that must not. The marks are those from
// before the call.
func (r pathRow) effectsOnFiles(tr tree, before []mark) (wrong []string) {
	for _, name := range r.MustNot.Exists {
		if tr.mark(name).text != "" {
			wrong = append(wrong, "it made "+name)
		}
	}
	for i, m := range r.marks(tr) {
		if m != before[i] {
			wrong = append(wrong, fmt.Sprintf("it changed %s from %s to %s", m.path, before[i].text, m.text))
		}
	}
	for _, all := range []texts{r.MustNot.ContentAfterNot, r.ContentAfterNot} {
		for name, not := range all {
			path := tr.mark(name).path
			if name == "" {
				path = r.real(tr)
			}
			text, err := os.ReadFile(path)
			for _, part := range not {
				if err == nil && strings.Contains(string(text), tr.fill(part)) {
					wrong = append(wrong, fmt.Sprintf("%s holds %q afterwards", path, part))
				}
			}
		}
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
