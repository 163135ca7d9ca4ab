package session_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/script"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence/fencetest"
	"github.com/seed49eaa51d/pegboard/tools/session"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A yard is a session in a git repository.
type yard struct {
	t        *testing.T
	s        *pegboard.Session
	registry *pegboard.Registry
	dir      string
}

// newRepository returns a directory with a repository that has a commit.
func newRepository(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(root, "main")
	for name, text := range map[string]string{".gitignore": "*.env\n", "src/a.txt": "one\n", "keys/k": "k\n", "Makefile": "all:\n\techo x > made\n"} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(dir, "src"), filepath.Join(dir, "link")))
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "config", "user.name", "a")
	git(t, dir, "config", "user.email", "a@example.com")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "first")
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %s: %s", args, out)
	return strings.TrimSpace(string(out))
}

func newYard(t *testing.T, dir string, o session.WorktreeOptions, cfg pegboard.SessionConfig, mode policy.Mode, rules ...policy.RuleSet) *yard {
	t.Helper()
	permissions, err := policy.New(mode, rules...)
	require.NoError(t, err)
	cfg.Dir, cfg.Permissions, cfg.Breaker = dir, permissions, pegboard.BreakerLimits{Repeats: -1, Denials: -1}
	s, err := pegboard.NewSession(session.Prepare(cfg))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	y := &yard{t, s, new(pegboard.Registry), dir}
	require.NoError(t, y.registry.Add(append(session.Worktree(o), files.Read(files.ReadOptions{}), files.Edit(files.WriteOptions{}), files.Write(files.WriteOptions{AllowUnread: true}), shell.Bash(shell.Options{}))...))
	return y
}

// in returns the yard for a fork.
func (y *yard) in(s *pegboard.Session) *yard { return &yard{y.t, s, y.registry, y.dir} }

func (y *yard) send(calls ...pegboard.Call) []pegboard.Outcome {
	y.t.Helper()
	pool := y.registry.AssemblePool(y.s, pegboard.PoolConfig{Roles: &pegboard.RoleTables{Async: []string{"*"}}})
	return new(pegboard.Executor).Run(y.t.Context(), pool, calls...)
}

func newCall(t *testing.T, id, name string, input map[string]any) pegboard.Call {
	t.Helper()
	b, err := json.Marshal(input)
	require.NoError(t, err)
	return pegboard.Call{ID: id, Name: name, Input: b}
}

func (y *yard) call(name string, input map[string]any) pegboard.Outcome {
	y.t.Helper()
	return y.send(newCall(y.t, "x", name, input))[0]
}

func (y *yard) bash(line string) pegboard.Outcome {
	y.t.Helper()
	return y.call("Bash", map[string]any{"command": line})
}

func (y *yard) write(path string) pegboard.Outcome {
	y.t.Helper()
	return y.call("Write", map[string]any{"file_path": path, "content": "x\n"})
}

func (y *yard) enter(input map[string]any) session.EnteredWorktree {
	y.t.Helper()
	o := y.call("EnterWorktree", input)
	require.NoError(y.t, o.Err, o.Result.Text())
	out, ok := o.Result.Data.(session.EnteredWorktree)
	require.True(y.t, ok)
	return out
}

func (y *yard) exit(input map[string]any) session.ExitedWorktree {
	y.t.Helper()
	o := y.call("ExitWorktree", input)
	require.NoError(y.t, o.Err, o.Result.Text())
	out, ok := o.Result.Data.(session.ExitedWorktree)
	require.True(y.t, ok)
	return out
}

// refuses is fails where the error does not matter.
func (y *yard) refuses(text, name string, input map[string]any) {
	y.t.Helper()
	require.Error(y.t, y.fails(text, name, input))
}

// fails requires that a call fails with a text.
func (y *yard) fails(text, name string, input map[string]any) error {
	y.t.Helper()
	o := y.call(name, input)
	require.Error(y.t, o.Err, "%s %v", name, input)
	require.Contains(y.t, o.Result.Text(), text)
	return o.Err
}

// state is what a session in a worktree must not change.
func (y *yard) state() string {
	y.t.Helper()
	return git(y.t, y.dir, "status", "--porcelain", "--branch") + git(y.t, y.dir, "rev-parse", "main") + git(y.t, y.dir, "config", "--list", "--local")
}

// files are those of the checkout and its repository, without its worktrees and the index, which git
// writes anew when it only reads. They cost no process.
func (y *yard) files() map[string]string {
	y.t.Helper()
	all := map[string]string{}
	require.NoError(y.t, filepath.WalkDir(y.dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, y.dir+"/")
		switch {
		case err != nil:
			return err
		case name == ".claude" || name == ".git/worktrees":
			return fs.SkipDir
		case !d.Type().IsRegular() || name == ".git/index":
			all[name] = d.Type().String()
			return nil
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	}))
	return all
}

func TestWorktreeRoundTrip(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	before := y.state()
	in := y.enter(map[string]any{"name": "feature"})
	path := filepath.Join(y.dir, ".claude/worktrees/feature")
	require.Equal(t, []string{path, "worktree-feature"}, []string{in.WorktreePath, in.WorktreeBranch})
	require.Contains(t, in.Message, path)
	require.Equal(t, path, y.s.Dir())
	require.NoError(t, session.InWorktree(path))
	y.refuses("already", "EnterWorktree", map[string]any{})

	require.Equal(t, path, strings.TrimSpace(y.bash("pwd").Result.Text()))
	require.NoError(t, y.write("src/new").Err)
	require.FileExists(t, filepath.Join(path, "src/new"))
	require.ErrorIs(t, y.fails("1 changed or new file", "ExitWorktree", map[string]any{"action": "remove"}), session.ErrWouldLose)
	require.NoError(t, y.bash("git add -A && git commit -qm mine").Err)
	require.NoError(t, y.write("more").Err)
	require.ErrorIs(t, y.fails("1 changed or new file and 1 commit", "ExitWorktree", map[string]any{"action": "remove"}), session.ErrWouldLose)
	require.Equal(t, path, y.s.Dir())

	out := y.exit(map[string]any{"action": "keep"})
	require.Equal(t, session.ExitedWorktree{Action: "keep", OriginalCwd: y.dir, WorktreePath: path, WorktreeBranch: "worktree-feature", Message: out.Message}, out)
	require.Equal(t, y.dir, y.s.Dir())
	require.Equal(t, before, y.state())
	require.NotContains(t, git(t, y.dir, "worktree", "list", "--porcelain"), "\nlocked")
	y.refuses("in no worktree", "ExitWorktree", map[string]any{"action": "keep"})
	y.refuses("taken", "EnterWorktree", map[string]any{"name": "feature"})

	y.enter(map[string]any{"path": ".claude/worktrees/feature"})
	out = y.exit(map[string]any{"action": "remove", "discard_changes": true})
	require.Equal(t, []int{1, 1}, []int{out.DiscardedFiles, out.DiscardedCommits})
	require.NoDirExists(t, path)
	require.NotContains(t, git(t, y.dir, "branch"), "worktree-")
	require.Equal(t, before, y.state())
	require.NoError(t, y.write("src/here").Err)
	require.FileExists(t, filepath.Join(y.dir, "src/here"))
}

// TestWorktreeGuardsTheCheckout has the ways that isolated agents try.
func TestWorktreeGuardsTheCheckout(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.ModeBypass, policy.ModeAuto} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			guardsTheCheckout(t, mode)
		})
	}
}

func guardsTheCheckout(t *testing.T, mode policy.Mode) {
	t.Helper()
	allow := func(context.Context, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	cfg := pegboard.SessionConfig{Classifier: allow, Ask: allow}
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, cfg, mode, policy.RuleSet{Allow: []string{"Edit(/src/**)", "Bash", "Read"}})
	before := y.state()
	y.enter(map[string]any{"name": "w"})
	whole := y.files()
	fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a"})
	require.NoError(t, err)
	for _, line := range fencetest.Lines(y.dir) {
		o := y.bash(line)
		require.ErrorIs(t, o.Err, pegboard.ErrDenied, line)
		require.Equal(t, whole, y.files(), line)
	}
	require.Equal(t, before, y.state())
	for _, at := range []*yard{y, y.in(fork)} {
		for _, path := range []string{filepath.Join(y.dir, "src/new"), "../../../src/new", "link/new", filepath.Join(y.dir, ".git/hooks/pre-commit"), ".git"} {
			o := at.write(path)
			require.ErrorIs(t, o.Err, pegboard.ErrDenied, path)
			require.Contains(t, o.Result.Text(), "worktree")
		}
		require.NoError(t, at.write("src/mine"+at.s.AgentID()).Err)
	}
	for _, line := range []string{"git status", "cat " + y.dir + "/src/a.txt", "make", "cp " + y.dir + "/src/a.txt copy.txt", "git add -A && git commit -qm mine"} {
		require.NoError(t, y.bash(line).Err, line)
	}
	y.exit(map[string]any{"action": "keep"})
	require.ErrorIs(t, y.in(fork).write(filepath.Join(y.dir, "src/new")).Err, pegboard.ErrDenied, "the agent is there still")
	require.NoError(t, y.write("src/new").Err)
}

func TestCallsOfOneMessage(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	write := func(id, path string) pegboard.Call {
		return newCall(t, id, "Write", map[string]any{"file_path": path, "content": "x"})
	}
	for _, o := range y.send(write("1", "before"), newCall(t, "2", "EnterWorktree", map[string]any{"name": "w"}), write("3", "inside"), newCall(t, "4", "ExitWorktree", map[string]any{"action": "keep"}), write("5", "after")) {
		require.NoError(t, o.Err)
	}
	for _, name := range []string{"before", "after", ".claude/worktrees/w/inside"} {
		require.FileExists(t, filepath.Join(y.dir, name))
	}
	require.NoFileExists(t, filepath.Join(y.dir, "inside"))
}

// TestWorktreeNeedsPrepare has sessions that nothing would keep from the checkout.
func TestWorktreeNeedsPrepare(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	registry := new(pegboard.Registry)
	require.NoError(t, registry.Add(session.Worktree(session.WorktreeOptions{})...))
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: dir})
	require.NoError(t, err)
	_, ok := registry.AssemblePool(s, pegboard.PoolConfig{}).Lookup("EnterWorktree")
	require.False(t, ok)

	cfg := session.Prepare(pegboard.SessionConfig{Dir: dir})
	cfg.Hooks = pegboard.Hooks{} // the host has lost the hook
	s, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	y := &yard{t, s, registry, dir}
	y.refuses("not prepared", "EnterWorktree", map[string]any{})

	called := 0
	cfg = session.Prepare(pegboard.SessionConfig{Dir: dir, Init: func(*pegboard.Session) { called++ }})
	s, err = pegboard.NewSession(cfg)
	require.NoError(t, err)
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	_, ok = pool.Lookup("ExitWorktree")
	require.True(t, ok)
	require.Equal(t, 1, called)
}

func TestWorktreeByPath(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	elsewhere, asked := filepath.Join(filepath.Dir(dir), "elsewhere"), 0
	answer := policy.Decision{Behavior: policy.Allow}
	cfg := pegboard.SessionConfig{Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		asked++
		return answer, nil
	}}
	git(t, dir, "worktree", "add", "-q", "-b", "mine", elsewhere)
	y := newYard(t, dir, session.WorktreeOptions{}, cfg, policy.ModeBypass, policy.RuleSet{Allow: []string{"EnterWorktree"}})
	in := y.enter(map[string]any{"path": elsewhere})
	require.Equal(t, []any{1, elsewhere, "mine", elsewhere}, []any{asked, y.s.Dir(), in.WorktreeBranch, in.WorktreePath})
	require.NoError(t, y.write("new").Err)
	require.ErrorIs(t, y.write(filepath.Join(dir, "new")).Err, pegboard.ErrDenied)
	y.refuses("has not made", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true})
	y.exit(map[string]any{"action": "keep"})
	require.Equal(t, []string{dir}, y.s.Dirs(), "the directory was lent")
	require.DirExists(t, elsewhere)

	other := newRepository(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude/worktrees"), 0o700))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, ".claude/worktrees/linked")))
	for _, path := range []string{dir, other, "/", filepath.Join(dir, "none"), "src"} {
		require.ErrorIs(t, y.fails("", "EnterWorktree", map[string]any{"path": path}), session.ErrNoWorktree, path)
	}
	require.Equal(t, 6, asked)
	answer = policy.Decision{Behavior: policy.Deny}
	for n, path := range []string{elsewhere, ".claude/worktrees/linked", ".claude/worktrees/../../../elsewhere"} {
		require.ErrorIs(t, y.fails("", "EnterWorktree", map[string]any{"path": path}), pegboard.ErrDenied, path)
		require.Equal(t, 7+n, asked)
	}
	require.Equal(t, dir, y.s.Dir())
	y.refuses("give one", "EnterWorktree", map[string]any{"path": elsewhere, "name": "x"})
}

func TestWorktreeNames(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	for _, name := range []string{"..", "a/b", "-x", "a\nb", "a b", "x.lock", "ä", ".", "a..b", strings.Repeat("a", 65)} {
		y.refuses("", "EnterWorktree", map[string]any{"name": name})
	}
	require.NoDirExists(t, filepath.Join(y.dir, ".claude"))
	git(t, y.dir, "branch", "worktree-b")
	y.refuses("taken", "EnterWorktree", map[string]any{"name": "b"})
	a := y.enter(map[string]any{}).WorktreePath
	y.exit(map[string]any{"action": "remove"})
	require.NoDirExists(t, a)
}

// TestWorktreeRefusals say what is in the way, and a next step that works.
func TestWorktreeRefusals(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	git(t, dir, "branch", "worktree-branch")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude/worktrees/folder"), 0o700))
	elsewhere, none := filepath.Join(filepath.Dir(dir), "elsewhere"), t.TempDir()
	git(t, dir, "worktree", "add", "-q", "-b", "mine", elsewhere)
	other := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	for _, name := range []string{"kept", "busy"} {
		other.enter(map[string]any{"name": name})
		if name == "kept" {
			other.exit(map[string]any{"action": "keep"})
		}
	}
	at := func(name string) string { return filepath.Join(dir, ".claude/worktrees", name) }
	const form = "; use letters, digits, dots, hyphens and underscores, with a letter or digit first, no two dots in a row, and neither a dot nor .lock at the end"
	tests := []struct {
		name  string
		dir   string // of the session; empty means that of the repository
		input map[string]any
		want  string
	}{
		{name: "a worktree that is there", input: map[string]any{"name": "kept"}, want: "the worktree is taken: the branch worktree-kept exists already; take another name, or enter it by the path " + at("kept")},
		{name: "one in use", input: map[string]any{"name": "busy"}, want: "the worktree is taken: an agent or a program works in it; take another name"},
		{name: "one in use by its path", input: map[string]any{"path": at("busy")}, want: "the worktree is taken: an agent or a program works in it; make one of your own, with a name or without"},
		{name: "a branch without a worktree", input: map[string]any{"name": "branch"}, want: "the worktree is taken: the branch worktree-branch exists already; take another name"},
		{name: "a folder that is none", input: map[string]any{"name": "folder"}, want: "the worktree is taken: " + at("folder") + " exists already; take another name"},
		{name: "a bad name", input: map[string]any{"name": "_a/b"}, want: `the name of the worktree is not usable: "_a/b"` + form},
		{name: "both", input: map[string]any{"name": "a", "path": "b"}, want: "EnterWorktree was not run: name is for a new worktree and path for one that is there; give one of them"},
		{name: "a path that is not there", input: map[string]any{"path": at("gone")}, want: at("gone") + " is no directory: it is no worktree of this repository that can be entered; git worktree list names its worktrees"},
		{name: "the first working tree", dir: elsewhere, input: map[string]any{"path": dir}, want: dir + ": it is no worktree of this repository that can be entered; git worktree list names its worktrees"},
		{name: "no repository", dir: none, input: map[string]any{"name": "a"}, want: "; no worktree can be made or entered here, so work in " + none},
		{name: "no repository, and a path", dir: none, input: map[string]any{"path": elsewhere}, want: "; no worktree can be made or entered here, so work in " + none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{Ask: func(context.Context, *pegboard.Question) (policy.Decision, error) {
				return policy.Decision{Behavior: policy.Allow}, nil
			}}
			y := newYard(t, cmp.Or(tt.dir, dir), session.WorktreeOptions{}, cfg, policy.ModeBypass)
			o := y.call("EnterWorktree", tt.input)
			require.Error(t, o.Err)
			if tt.dir == none {
				require.True(t, strings.HasSuffix(o.Result.Text(), tt.want), o.Result.Text())
				return
			}
			require.Equal(t, tt.want, o.Result.Text())
		})
	}
}

// TestWorktreeDescription says where the branch begins, and what the host makes.
func TestWorktreeDescription(t *testing.T) {
	t.Parallel()
	const branch = "a checkout of its own on a new branch, below .claude/worktrees"
	tests := []struct {
		name    string
		options session.WorktreeOptions
		want    []string
		lacks   string
	}{
		{name: "fresh", want: []string{branch, "begins at the default branch of the remote as it is known here, or without one at the commit that is checked out"}},
		{name: "head", options: session.WorktreeOptions{BaseRef: "head"}, want: []string{branch, "begins at the commit that is checked out"}, lacks: "remote"},
		{name: "of the host", options: session.WorktreeOptions{
			Create: func(context.Context, string) (string, error) { return "", nil }, Remove: func(context.Context, string) error { return nil },
		}, want: []string{"a directory that the host makes", "With path"}, lacks: "branch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, ok := session.Worktree(tt.options)[0].Declare(pegboard.Scope{})
			require.True(t, ok)
			for _, text := range tt.want {
				require.Contains(t, d.Description, text)
			}
			if tt.lacks != "" {
				require.NotContains(t, d.Description, tt.lacks)
			}
		})
	}
}

func TestWorktreeInOddRepositories(t *testing.T) {
	t.Parallel()
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		y := newYard(t, t.TempDir(), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
		y.refuses("no git repository", "EnterWorktree", map[string]any{})
	})
	t.Run("no commit", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass).refuses("no commit yet", "EnterWorktree", map[string]any{})
	})
	t.Run("on no branch", func(t *testing.T) {
		t.Parallel()
		dir := newRepository(t)
		git(t, dir, "switch", "-q", "--detach")
		git(t, dir, "commit", "--allow-empty", "-qm", "x")
		y := newYard(t, dir, session.WorktreeOptions{BaseRef: "head"}, pegboard.SessionConfig{}, policy.ModeBypass)
		in := y.enter(map[string]any{})
		require.Equal(t, git(t, dir, "rev-parse", "HEAD"), git(t, in.WorktreePath, "rev-parse", "HEAD"))
		y.exit(map[string]any{"action": "remove"})
	})
	t.Run("a submodule", func(t *testing.T) {
		t.Parallel()
		dir, sub := newRepository(t), newRepository(t)
		git(t, dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", sub, "sub")
		git(t, dir, "commit", "-qm", "sub")
		y := newYard(t, filepath.Join(dir, "sub"), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
		in := y.enter(map[string]any{"name": "w"})
		require.Equal(t, filepath.Join(dir, "sub/.claude/worktrees/w"), in.WorktreePath)
		require.ErrorIs(t, y.write(filepath.Join(dir, "sub/src/new")).Err, pegboard.ErrDenied)
		y.exit(map[string]any{"action": "remove"})
		y = newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
		in = y.enter(map[string]any{"name": "w"})
		git(t, in.WorktreePath, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
		y.refuses("submodule", "ExitWorktree", map[string]any{"action": "remove"})
		y.exit(map[string]any{"action": "remove", "discard_changes": true})
	})
	t.Run("a directory below the top", func(t *testing.T) {
		t.Parallel()
		dir := newRepository(t)
		y := newYard(t, filepath.Join(dir, "src"), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
		in := y.enter(map[string]any{"name": "w"})
		require.Equal(t, filepath.Join(dir, "src/.claude/worktrees/w/src"), y.s.Dir())
		require.ErrorIs(t, y.write(filepath.Join(dir, "Makefile")).Err, pegboard.ErrDenied)
		y.exit(map[string]any{"action": "remove"})
		require.NoDirExists(t, in.WorktreePath)
	})
}

// TestWorktreeThatVanished is removed by somebody else.
func TestWorktreeThatVanished(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	path := y.enter(map[string]any{"name": "w"}).WorktreePath
	fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a"})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(path))
	o := y.bash("touch x")
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
	require.Contains(t, o.Result.Text(), "is gone. The session is back in "+y.dir)
	require.Equal(t, y.dir, y.s.Dir())
	require.Equal(t, y.dir, strings.TrimSpace(y.bash("pwd").Result.Text()))
	require.Error(t, y.in(fork).write("new").Err)
	require.NoFileExists(t, filepath.Join(y.dir, "new"))

	path = y.enter(map[string]any{"name": "v"}).WorktreePath
	require.NoError(t, os.RemoveAll(path))
	require.Contains(t, y.exit(map[string]any{"action": "remove"}).Message, "gone already")
	require.Equal(t, y.dir, y.s.Dir())
}

func TestWorktreeTasks(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	path := y.enter(map[string]any{"name": "w"}).WorktreePath
	o := y.call("Bash", map[string]any{"command": "sleep 60", "run_in_background": true})
	require.NoError(t, o.Err)
	require.ErrorIs(t, y.fails("tasks run", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true}), session.ErrWouldLose)
	require.Equal(t, path, y.s.Dir())
	y.exit(map[string]any{"action": "keep"})
	require.DirExists(t, path)
}

// TestTwoConversations have one repository.
func TestTwoConversations(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	a := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	b := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	path := a.enter(map[string]any{"name": "w"}).WorktreePath
	require.ErrorIs(t, b.fails("works in it", "EnterWorktree", map[string]any{"path": path}), session.ErrWorktreeTaken)
	b.refuses("taken", "EnterWorktree", map[string]any{"name": "w"})
	require.NotEqual(t, path, b.enter(map[string]any{"name": "v"}).WorktreePath)
	a.exit(map[string]any{"action": "keep"})
	b.exit(map[string]any{"action": "remove"})
	b.enter(map[string]any{"path": path})
	b.refuses("has not made", "ExitWorktree", map[string]any{"action": "remove"})
	require.NoError(t, b.s.Close(t.Context()))
	require.NotContains(t, git(t, dir, "worktree", "list", "--porcelain"), "\nlocked")
	a.enter(map[string]any{"path": path})
}

// TestResumedConversation is in a worktree that an earlier one has left.
func TestResumedConversation(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	a := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	path := a.enter(map[string]any{"name": "w"}).WorktreePath
	require.NoError(t, a.s.Close(t.Context()))

	b := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	require.NoError(t, session.InWorktree(path))
	require.NoError(t, b.s.SetDir(path))
	require.ErrorIs(t, b.write(filepath.Join(dir, "src/new")).Err, pegboard.ErrDenied)
	require.ErrorIs(t, b.bash("cd "+dir+" && make").Err, pegboard.ErrDenied)
	require.NoError(t, b.write("src/new").Err)
	b.refuses("has not made", "ExitWorktree", map[string]any{"action": "remove"})
	require.Equal(t, dir, b.exit(map[string]any{"action": "keep"}).OriginalCwd)
	require.NoError(t, b.s.SetDir(filepath.Join(dir, "src")), "a directory of the checkout is no worktree")
	require.NoError(t, b.write(filepath.Join(dir, "src/new")).Err)
	require.NoError(t, b.s.SetDir(dir))
	require.NoError(t, b.s.SetDir(path))
	require.NoError(t, os.RemoveAll(path))
	require.Contains(t, b.bash("ls").Result.Text(), "back in "+dir)

	for _, dir := range []string{path, dir, filepath.Join(dir, "src"), t.TempDir(), "src", ""} {
		require.ErrorIs(t, session.InWorktree(dir), session.ErrNoWorktree, dir)
	}
}

func TestWorktreeModes(t *testing.T) {
	t.Parallel()
	for mode, want := range map[policy.Mode]error{
		policy.ModeDefault: nil, policy.ModeAcceptEdits: nil, policy.ModeBypass: nil, policy.ModeDontAsk: nil, policy.ModePlan: pegboard.ErrDenied, policy.ModeDeny: nil,
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, mode)
			o := y.call("EnterWorktree", map[string]any{"name": "w"})
			require.ErrorIs(t, o.Err, want)
			require.Equal(t, want != nil, y.s.Dir() == y.dir)
		})
	}
}

// TestRulesInTheWorktree hold as if they were anchored there.
func TestRulesInTheWorktree(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass, policy.RuleSet{Deny: []string{"Edit(/src/secret/**)", "Read(/keys/**)"}})
	y.enter(map[string]any{})
	require.ErrorIs(t, y.write("src/secret/x").Err, pegboard.ErrDenied)
	require.ErrorIs(t, y.bash("cat keys/k").Err, pegboard.ErrDenied)
	require.NoError(t, y.write("src/public").Err)
}

// TestWorktreeOfAnAgent is of the agent alone.
func TestWorktreeOfAnAgent(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a", Role: pegboard.RoleAsyncAgent})
	require.NoError(t, err)
	agent := y.in(fork)
	path := agent.enter(map[string]any{"name": "w"}).WorktreePath
	require.Equal(t, []string{path, y.dir}, []string{fork.Dir(), y.s.Dir()})
	require.ErrorIs(t, agent.write(filepath.Join(y.dir, "new")).Err, pegboard.ErrDenied)
	require.NoError(t, y.write("new").Err)
	require.NoError(t, fork.Close(t.Context()))
	require.NotContains(t, git(t, y.dir, "worktree", "list", "--porcelain"), "\nlocked")
	y.enter(map[string]any{"path": path})
}

func TestWorktreesOfTheHost(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(root, "work")
	require.NoError(t, os.Mkdir(dir, 0o700))
	made := ""
	o := session.WorktreeOptions{
		Create: func(_ context.Context, name string) (string, error) {
			switch name {
			case "fail":
				return "", errors.New("the disk is full")
			case "panic":
				panic("oh")
			case "relative":
				return "x", nil
			case "above":
				return root, nil
			}
			made = filepath.Join(root, name)
			return made, os.Mkdir(made, 0o700)
		},
		Remove: func(_ context.Context, path string) error {
			require.Equal(t, made, path)
			return os.RemoveAll(path)
		},
	}
	y := newYard(t, dir, o, pegboard.SessionConfig{}, policy.ModeBypass)
	for name, text := range map[string]string{"fail": "the disk is full", "panic": "oh", "relative": "not the absolute path", "above": "holds the checkout", "../x": "not usable"} {
		y.refuses(text, "EnterWorktree", map[string]any{"name": name})
		require.Equal(t, dir, y.s.Dir())
	}
	in := y.enter(map[string]any{"name": "copy"})
	require.Equal(t, filepath.Join(root, "copy"), in.WorktreePath)
	require.NoError(t, y.write("new").Err)
	require.ErrorIs(t, y.write(filepath.Join(dir, "new")).Err, pegboard.ErrDenied)
	y.refuses("not counted", "ExitWorktree", map[string]any{"action": "remove"})
	y.exit(map[string]any{"action": "remove", "discard_changes": true})
	require.NoDirExists(t, made)
	require.Equal(t, []string{dir}, y.s.Dirs())

	never := func(context.Context, string) error { return nil }
	require.PanicsWithValue(t, "session: Worktree: Create and Remove are set both, or neither", func() { session.Worktree(session.WorktreeOptions{Remove: never}) })
	require.Panics(t, func() { session.Worktree(session.WorktreeOptions{BaseRef: "main"}) })
}

// TestWorktreeWithoutGit has no git, and one that is too old.
func TestWorktreeWithoutGit(t *testing.T) {
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	y.refuses("git", "EnterWorktree", map[string]any{})
	script.Write(t, filepath.Join(bin, "git"), "#!/bin/sh\necho git version 2.20.1\n")
	y.refuses("too old", "EnterWorktree", map[string]any{})
	require.Equal(t, y.dir, y.s.Dir())
	require.NoDirExists(t, filepath.Join(y.dir, ".claude"))
}

// killed runs a program that enters a worktree of its own, and is killed.
func killed(t *testing.T, dir, name string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestKilledConversation$")
	cmd.Env = append(os.Environ(), "PEGBOARD_TEST_WORKTREE="+dir, "PEGBOARD_TEST_NAME="+name)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, 6)
	_, err = io.ReadFull(out, line)
	require.NoError(t, err)
	require.Equal(t, "ready\n", string(line))
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
}

// TestKilledConversation leaves a worktree in which nothing has changed, and one with work.
func TestKilledConversation(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("PEGBOARD_TEST_WORKTREE"); dir != "" {
		y := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
		y.enter(map[string]any{"name": os.Getenv("PEGBOARD_TEST_NAME")})
		if os.Getenv("PEGBOARD_TEST_NAME") == "work" {
			require.NoError(t, y.write("new").Err)
		}
		_, _ = os.Stdout.WriteString("ready\n")
		<-t.Context().Done()
		return
	}
	dir := newRepository(t)
	for _, name := range []string{"work", "unchanged"} {
		killed(t, dir, name)
	}
	y := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	y.enter(map[string]any{"name": "unchanged"})
	y.exit(map[string]any{"action": "remove"})
	y.refuses("taken", "EnterWorktree", map[string]any{"name": "work"})
	y.enter(map[string]any{"path": ".claude/worktrees/work"})
	require.FileExists(t, filepath.Join(y.s.Dir(), "new"))
}

// TestIsolatedAgentInAWorktree has a worktree below that of its caller.
func TestIsolatedAgentInAWorktree(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	outer, inner := "", ""
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		inner = a.Session.Dir()
		at := y.in(a.Session)
		for _, dir := range []string{outer, y.dir} {
			require.ErrorIs(t, at.write(filepath.Join(dir, "src/new")).Err, pegboard.ErrDenied)
			require.ErrorIs(t, at.bash("cd "+dir+" && make").Err, pegboard.ErrDenied)
		}
		require.NoError(t, at.write("src/new").Err)
		return agents.Reply{Text: "done"}, nil
	}
	g, err := agents.New(agents.Options{Loop: loop, Registry: y.registry, BaseRef: "head", Definitions: func(*pegboard.Session) []agents.Definition {
		return []agents.Definition{{Name: "general-purpose", Description: "For anything."}}
	}})
	require.NoError(t, err)
	require.NoError(t, y.registry.Add(g.Tools()...))
	outer = y.enter(map[string]any{"name": "outer"}).WorktreePath
	o := y.call("Agent", map[string]any{"description": "a task", "prompt": "Do it.", "isolation": "worktree"})
	require.NoError(t, o.Err)
	require.Equal(t, filepath.Join(outer, ".claude/worktrees"), filepath.Dir(inner))
	require.FileExists(t, filepath.Join(inner, "src/new"))
	y.refuses("other worktrees", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true})
	y.exit(map[string]any{"action": "keep"})
	require.FileExists(t, filepath.Join(inner, "src/new"))
}

func TestWorktreeToolsKeepTheContract(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	for _, tool := range session.Worktree(session.WorktreeOptions{}) {
		input := `{"action":"keep"}`
		if tool.Info().Name == "EnterWorktree" {
			input = `{}`
		}
		require.NoError(t, tooltest.Checker{Session: y.s}.Check(tool, input), tool.Info().Name)
	}
}

// TestRulesOfTheCheckout name places in the checkout in every way, and keep sessions and their
// forks from the same places of a worktree, however they came there.
func TestRulesOfTheCheckout(t *testing.T) {
	t.Parallel()
	ways := map[string]func(y *yard) *yard{
		"EnterWorktree": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			return y
		},
		"EnterWorktree in a fork": func(y *yard) *yard {
			fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a"})
			require.NoError(y.t, err)
			y.in(fork).enter(map[string]any{"name": "w"})
			return y.in(fork)
		},
		"a fork made there": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a"})
			require.NoError(y.t, err)
			return y.in(fork)
		},
		"the host": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			y.exit(map[string]any{"action": "keep"})
			require.NoError(y.t, y.s.SetDir(".claude/worktrees/w"))
			return y
		},
		"a path below": func(y *yard) *yard {
			y.enter(map[string]any{"name": "w"})
			y.exit(map[string]any{"action": "keep"})
			y.enter(map[string]any{"path": ".claude/worktrees/w/src"})
			return y
		},
		"the host had moved it before": func(y *yard) *yard {
			require.NoError(y.t, y.s.SetDir("src"))
			y.enter(map[string]any{"name": "w"})
			return y
		},
		"rules that came later": func(y *yard) *yard {
			rules := y.s.Permissions()
			bare, err := policy.New(policy.ModeBypass)
			require.NoError(y.t, err)
			require.NoError(y.t, y.s.SetPermissions(bare))
			y.enter(map[string]any{"name": "w"})
			require.NoError(y.t, y.s.SetPermissions(rules))
			return y
		},
	}
	for way, there := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			dir := newRepository(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "src/k.pem"), nil, 0o600))
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-qm", "more")
			rules := policy.RuleSet{
				Source: policy.SourceUser,
				Deny:   []string{"Read(/" + dir + "/keys/**)", "Edit(~/main/src/home)", "Edit(/src/root)", "Edit(./src/dot)", "Edit(src/plain)", "Edit(deep/**)", "Edit(bare)", "Read(*.pem)"},
			}
			y := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{Home: filepath.Dir(dir)}, policy.ModeBypass, rules)
			y = there(y)
			tree := y.s.Dir()
			for filepath.Base(filepath.Dir(tree)) != "worktrees" {
				tree = filepath.Dir(tree)
			}
			for _, name := range []string{"src/home", "src/root", "src/dot", "src/plain", "deep/x", "src/deep/x", "bare", "src/bare"} {
				require.ErrorIs(t, y.write(filepath.Join(tree, name)).Err, pegboard.ErrDenied, name)
			}
			require.ErrorIs(t, y.bash("cat "+tree+"/keys/k").Err, pegboard.ErrDenied)
			require.ErrorIs(t, y.bash("cat "+tree+"/src/k.pem").Err, pegboard.ErrDenied)
			require.NoError(t, y.write(filepath.Join(tree, "src/public")).Err)
			n := len(y.s.Permissions().Rules())
			require.NoError(t, y.write(filepath.Join(tree, "src/public2")).Err)
			require.Len(t, y.s.Permissions().Rules(), n, "rules are repeated once")
		})
	}
}

// TestNestedWorktrees are behind the fence of each checkout around them.
func TestNestedWorktrees(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{BaseRef: "head"}, pegboard.SessionConfig{}, policy.ModeBypass)
	outer := y.enter(map[string]any{"name": "outer"}).WorktreePath
	fork, err := y.s.Fork(pegboard.SessionConfig{AgentID: "a", Role: pegboard.RoleAsyncAgent})
	require.NoError(t, err)
	agent := y.in(fork)
	inner := agent.enter(map[string]any{"name": "inner"}).WorktreePath
	require.Equal(t, filepath.Join(outer, ".claude/worktrees/inner"), inner)
	for _, dir := range []string{y.dir, outer} {
		require.ErrorIs(t, agent.write(filepath.Join(dir, "src/new")).Err, pegboard.ErrDenied, dir)
		require.ErrorIs(t, agent.bash("touch "+dir+"/src/new").Err, pegboard.ErrDenied, dir)
		require.ErrorIs(t, agent.bash("git -C "+dir+" commit --allow-empty -m x").Err, pegboard.ErrDenied, dir)
	}
	require.NoError(t, agent.write("src/new").Err)
	y.refuses("other worktrees", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true})
	agent.exit(map[string]any{"action": "remove", "discard_changes": true})
	require.Equal(t, outer, fork.Dir())
	y.exit(map[string]any{"action": "remove"})
	require.Error(t, agent.write("src/new").Err)
	require.NoFileExists(t, filepath.Join(y.dir, "src/new"))
}

// TestTaskOfAnEarlierStay runs in a worktree that the session has left and entered again.
func TestTaskOfAnEarlierStay(t *testing.T) {
	t.Parallel()
	y := newYard(t, newRepository(t), session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	path := y.enter(map[string]any{"name": "w"}).WorktreePath
	require.NoError(t, y.call("Bash", map[string]any{"command": "sleep 60", "run_in_background": true}).Err)
	y.exit(map[string]any{"action": "keep"})
	y.enter(map[string]any{"path": path})
	require.ErrorIs(t, y.fails("tasks run", "ExitWorktree", map[string]any{"action": "remove", "discard_changes": true}), session.ErrWouldLose)
	require.DirExists(t, path)
}

// TestResumedAfterAKill: the worktree of a conversation whose program was killed is in use again
// once the host has moved the session there, and can be entered by its path.
func TestResumedAfterAKill(t *testing.T) {
	t.Parallel()
	dir := newRepository(t)
	killed(t, dir, "unchanged")
	path := filepath.Join(dir, ".claude/worktrees/unchanged")
	y := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	require.NoError(t, session.InWorktree(path))
	require.NoError(t, y.s.SetDir(path))
	require.NoError(t, y.bash("git status").Err)

	other := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	other.enter(map[string]any{"name": "w"}) // it cleans up first
	require.DirExists(t, path)
	other.exit(map[string]any{"action": "keep"})
	require.ErrorIs(t, other.fails("works in it", "EnterWorktree", map[string]any{"path": path}), session.ErrWorktreeTaken)

	require.NoError(t, y.s.SetDir(dir))
	other.enter(map[string]any{"path": path})
	other.exit(map[string]any{"action": "keep"})
	require.NoError(t, y.s.SetDir(path))
	require.NoError(t, y.bash("git status").Err)
	require.ErrorIs(t, other.fails("works in it", "EnterWorktree", map[string]any{"path": path}), session.ErrWorktreeTaken)
	require.NoError(t, y.s.Close(t.Context()))
	require.NotContains(t, git(t, dir, "worktree", "list", "--porcelain"), "\nlocked")
	other.enter(map[string]any{"path": path})

	killed(t, dir, "again")
	third := newYard(t, dir, session.WorktreeOptions{}, pegboard.SessionConfig{}, policy.ModeBypass)
	third.enter(map[string]any{"path": ".claude/worktrees/again"})
}
