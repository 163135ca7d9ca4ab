package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence/fencetest"
	"github.com/seed49eaa51d/pegboard/tools/shell"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// A checkout is a repository whose caller starts isolated agents.
type checkout struct {
	t   *testing.T
	dir string
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	c := checkout{t, filepath.Join(dir, "main")}
	require.NoError(t, os.Mkdir(c.dir, 0o700))
	c.git("init", "-q", "-b", "main")
	c.git("config", "user.name", "a")
	c.git("config", "user.email", "a@example.com")
	for name, text := range map[string]string{
		".gitignore": "*.env\n", "src/a.txt": "one\n", "src/secret/x": "s\n", "keys/k": "k\n", "abs/x": "x\n", "Makefile": "all:\n\techo x > made\n",
	} {
		c.write(name, text)
	}
	require.NoError(t, os.Symlink(filepath.Join(c.dir, "src"), filepath.Join(c.dir, "link")))
	c.git("add", "-A")
	c.git("commit", "-qm", "first")
	return c
}

func (c checkout) write(name, text string) {
	c.t.Helper()
	name = filepath.Join(c.dir, name)
	require.NoError(c.t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(c.t, os.WriteFile(name, []byte(text), 0o600))
}

func (c checkout) git(args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "git", args...)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	require.NoError(c.t, err, "git %s: %s", args, out)
	return strings.TrimSpace(string(out))
}

// state is what an isolated agent must not change.
func (c checkout) state() string {
	c.t.Helper()
	refs := slices.DeleteFunc(strings.Split(c.git("for-each-ref"), "\n"), func(line string) bool { return strings.Contains(line, "refs/heads/worktree-") })
	return c.git("status", "--porcelain", "--branch") + strings.Join(refs, "\n") + c.git("config", "--list", "--local")
}

// house returns a host of the checkout with the tools for files and Bash.
func (c checkout) house(loop agents.Loop, mode policy.Mode, rules policy.RuleSet, hooks ...pegboard.Hooks) *house {
	c.t.Helper()
	permissions, err := policy.New(mode, rules)
	require.NoError(c.t, err)
	definitions := func(o *agents.Options) {
		o.BaseRef = "head"
		o.Definitions = func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "general-purpose", Description: "For anything."}, {Name: "isolated", Description: "Works apart.", Worktree: true}}
		}
	}
	return newHouse(c.t, pegboard.SessionConfig{Dir: c.dir, Permissions: permissions, Hooks: pegboard.JoinHooks(hooks...)}, loop, definitions, files.Read(files.ReadOptions{}), files.Edit(files.WriteOptions{}), files.NotebookEdit(files.WriteOptions{}), files.Write(files.WriteOptions{AllowUnread: true}), shell.Bash(shell.Options{}))
}

// An attempt makes calls in an agent.
type attempt struct {
	a        *agents.Agent
	executor pegboard.Executor
	t        *testing.T
}

func (m attempt) call(name string, input map[string]any) pegboard.Outcome {
	m.t.Helper()
	pool, err := m.a.Pool()
	require.NoError(m.t, err)
	b, err := json.Marshal(input)
	require.NoError(m.t, err)
	return m.executor.Run(m.t.Context(), pool, pegboard.Call{ID: "x", Name: name, Input: b})[0]
}

func (m attempt) bash(line string) pegboard.Outcome {
	m.t.Helper()
	return m.call("Bash", map[string]any{"command": line})
}

func (m attempt) write(path, text string) pegboard.Outcome {
	m.t.Helper()
	return m.call("Write", map[string]any{"file_path": path, "content": text})
}

// does returns a loop that runs a function.
func does(t *testing.T, f func(m attempt)) agents.Loop {
	t.Helper()
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		var task string
		for _, p := range parts {
			task += p.Text
		}
		if !strings.Contains(task, a.Session.Dir()) {
			return agents.Reply{}, errors.New("the agent is not told where it is")
		}
		f(attempt{a: a, t: t})
		return agents.Reply{Text: "done"}, nil
	}
}

func data(t *testing.T, o pegboard.Outcome) agents.Result {
	t.Helper()
	require.NoError(t, o.Err)
	r, ok := o.Result.Data.(agents.Result)
	require.True(t, ok)
	return r
}

func TestIsolatedAgentDoesNotWriteTheCheckout(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeBypass} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t)
			before := ""
			loop := does(t, func(m attempt) {
				before = c.state()
				require.Equal(t, filepath.Join(c.dir, ".claude/worktrees"), filepath.Dir(m.a.Session.Dir()))
				denied := func(what string, o pegboard.Outcome) {
					t.Helper()
					require.ErrorIs(t, o.Err, pegboard.ErrDenied, what)
					if mode == policy.ModeBypass {
						require.Contains(t, o.Result.Text(), "worktree", what)
					}
					if effort.Full(t) { // else all of them together, below
						require.Equal(t, before, c.state(), what)
					}
				}
				main := filepath.Join(c.dir, "src")
				m.call("Read", map[string]any{"file_path": filepath.Join(main, "a.txt")})
				denied("Edit", m.call("Edit", map[string]any{"file_path": filepath.Join(main, "a.txt"), "old_string": "one", "new_string": "two"}))
				for _, path := range []string{filepath.Join(main, "new"), "../../../src/new", "link/new", filepath.Join(c.dir, ".git/hooks/pre-commit"), ".git"} {
					denied(path, m.write(path, "x"))
				}
				o := m.write(filepath.Join(main, "new"), "x")
				require.ErrorIs(t, o.Err, pegboard.ErrDenied)
				require.Contains(t, o.Result.Text(), filepath.Join(m.a.Session.Dir(), "src/new"), "it is told what to write instead")
				for _, line := range fencetest.Lines(c.dir) {
					denied(line, m.bash(line))
				}
			})
			h := c.house(loop, mode, policy.RuleSet{Allow: []string{"Edit(/src/**)", "Bash", "Read"}})
			r := data(t, h.call(t, map[string]any{"isolation": "worktree"}))
			require.Empty(t, r.WorktreePath, r.Notes)
			require.NotEmpty(t, before)
			require.Equal(t, before, c.state())
			require.NotContains(t, c.git("branch"), "worktree-")
		})
	}
}

func TestIsolatedAgentWorksInItsWorktree(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) {
		require.NoError(t, m.write("src/new", "new\n").Err)
		require.NoError(t, m.write(filepath.Join(m.a.Session.Dir(), "src/other"), "other\n").Err)
		for _, line := range []string{"git status", "cat " + c.dir + "/src/a.txt", "git -C . log", "cd src && ls", "git add -A && git commit -qm mine", "make", "git -C src status", "cp " + c.dir + "/src/a.txt copy.txt", "git log main", "echo x > src/third", "ls " + c.dir, "grep -r one " + c.dir + "/src", "diff -r src " + c.dir + "/src", "echo " + c.dir, "git commit --allow-empty -qm 'as in " + c.dir + "/src/a.txt'", "git commit --allow-empty --amend -qm mine",
			"TMPDIR=$PWD/src mktemp", "GOFLAGS=-mod=mod make", "ex -sc 'w! src/third|q' src/a.txt", `python3 -c "open('src/fourth','w')"`, "docker run -v \"$PWD\":/x alpine ls", "sed -i s/x/y/ src/third"} {
			o := m.bash(line)
			require.NoError(t, o.Err, "%s: %s", line, o.Result.Text())
		}
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	before := c.state()
	r := data(t, h.call(t, map[string]any{"isolation": "worktree", "name": "helper"}))
	require.Equal(t, before, c.state())
	require.Equal(t, filepath.Join(c.dir, ".claude/worktrees/helper-"+r.AgentID), r.WorktreePath)
	require.Equal(t, "worktree-helper-"+r.AgentID, r.WorktreeBranch)
	require.Contains(t, strings.Join(r.Notes, " "), r.WorktreePath)
	require.Equal(t, "mine", c.git("log", "-1", "--format=%s", r.WorktreeBranch))
	require.Equal(t, "new", c.git("show", r.WorktreeBranch+":src/new"))
}

// TestTextsOfIsolation checks that a denial names a path that the agent can use.
func TestTextsOfIsolation(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) {
		dir := m.a.Session.Dir()
		require.Contains(t, m.bash("patch "+c.dir+"/src/a.txt x").Result.Text(), "Write in the worktree: "+dir+"/src/a.txt.")
		require.Contains(t, m.write("../new", "x").Result.Text(), "Write in the worktree: "+dir+".", "the folder of all worktrees stands for no file")
		require.Contains(t, m.write(".git", "x").Result.Text(), "Write in the worktree: "+dir+".")
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	data(t, h.call(t, map[string]any{"isolation": "worktree"}))
}

// TestRepositoryElsewhere has the folder of the repository outside of the checkout.
func TestRepositoryElsewhere(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	common := filepath.Join(filepath.Dir(c.dir), "repository")
	c.git("init", "-q", "--separate-git-dir="+common)
	loop := does(t, func(m attempt) {
		for _, path := range []string{"hooks/pre-commit", "config", "refs/heads/evil"} {
			path = filepath.Join(common, path)
			require.ErrorIs(t, m.write(path, "x").Err, pegboard.ErrDenied)
			require.ErrorIs(t, m.bash("echo x >> "+path).Err, pegboard.ErrDenied)
		}
		require.ErrorIs(t, m.bash("git --git-dir="+common+" commit --allow-empty -m x").Err, pegboard.ErrDenied)
		require.ErrorIs(t, m.bash("cd "+common+" && make").Err, pegboard.ErrDenied)
		require.NoError(t, m.write("src/new", "x").Err)
		require.NoError(t, m.bash("git add -A && git commit -qm mine").Err)
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	before := c.state()
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
	require.Equal(t, before, c.state())
	require.NoFileExists(t, filepath.Join(common, "hooks/pre-commit"))
}

// TestHardLinks has a file of the checkout under a name in the worktree.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) {
		at := filepath.Join(m.a.Session.Dir(), "here")
		require.NoError(t, os.Link(filepath.Join(c.dir, "src/a.txt"), at))
		require.ErrorIs(t, m.bash("echo x > here").Err, pegboard.ErrDenied)
		m.call("Read", map[string]any{"file_path": at})
		require.ErrorIs(t, m.write(at, "x").Err, pegboard.ErrDenied)
		require.NoError(t, os.Remove(at))
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	require.Empty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
	require.Empty(t, c.git("status", "--porcelain"))
}

// TestBrokenWorktree has lost the file that leads git to it, so that git finds the checkout.
func TestBrokenWorktree(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) {
		require.NoError(t, m.bash("git status").Err)
		require.NoError(t, m.bash("rm src/a.txt").Err)
		require.NoError(t, os.Remove(filepath.Join(m.a.Session.Dir(), ".git")))
		for _, line := range []string{"git commit --allow-empty -m x", "git reset --hard", "ls"} {
			require.ErrorIs(t, m.bash(line).Err, pegboard.ErrDenied)
		}
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	before := c.state()
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
	require.Equal(t, before, c.state())
}

// TestHooksThatRewrite changes where an isolated agent writes.
func TestHooksThatRewrite(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) { require.ErrorIs(t, m.write("src/new", "x").Err, pegboard.ErrDenied) })
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{}, pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (policy.Decision, error) {
		d := policy.Decision{}
		if h.Call.Name == "Write" && !strings.Contains(string(h.Call.Input), c.dir) {
			d.Input = json.RawMessage(`{"file_path":"` + filepath.Join(c.dir, "src/new") + `","content":"x"}`)
		}
		return d, nil
	}})
	require.Empty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
	require.NoFileExists(t, filepath.Join(c.dir, "src/new"))
}

// TestAllowRulesStay has a rule that allows to write in the checkout: it is about the checkout,
// and not about the worktree.
func TestAllowRulesStay(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) { require.ErrorIs(t, m.write("src/new", "x").Err, pegboard.ErrDenied) })
	h := c.house(loop, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/src/**)"}})
	require.Empty(t, data(t, h.call(t, map[string]any{"subagent_type": "isolated"})).WorktreePath)
}

// TestRulesHoldInBothPlaces has deny and ask rules of each anchor.
func TestRulesHoldInBothPlaces(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) {
		for _, path := range []string{"src/secret/x", "src/secret/new", "relative/x", "deep/down/bare.txt", "abs/new", "home/new", "asked/x"} {
			for _, at := range []string{m.a.Session.Dir(), c.dir} {
				require.ErrorIs(t, m.write(filepath.Join(at, path), "x").Err, pegboard.ErrDenied, "%s in %s", path, at)
				require.Error(t, m.bash("echo x > "+filepath.Join(at, path)).Err, "%s in %s", path, at)
			}
		}
		for _, at := range []string{m.a.Session.Dir(), c.dir} {
			require.Error(t, m.call("Read", map[string]any{"file_path": filepath.Join(at, "keys/k")}).Err)
			require.Error(t, m.bash("cat "+filepath.Join(at, "keys/k")).Err)
		}
		require.NoError(t, m.write("src/public", "x").Err)
		require.Error(t, m.bash("rm src/public").Err)
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{
		Deny: []string{"Edit(/src/secret/**)", "Read(/keys/**)", "Edit(relative/**)", "Edit(bare.txt)", "Edit(/" + c.dir + "/abs/**)", "Bash(rm:*)"},
		Ask:  []string{"Edit(/asked/**)"},
	})
	require.NoError(t, h.session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
		return p.WithRules(policy.RuleSet{Deny: []string{"Edit(//" + strings.TrimPrefix(c.dir, "/") + "/home/**)"}})
	}))
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
}

// TestRulesThatCome are added to the caller's while an isolated agent and one below it run.
func TestRulesThatCome(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	var h *house
	add := func(rules policy.RuleSet) {
		require.NoError(t, h.session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithRules(rules) }))
	}
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		m := attempt{a: a, t: t}
		require.NoError(t, m.write("src/new", "x").Err)
		if len(a.Session.AgentPath()) == 1 {
			add(policy.RuleSet{Deny: []string{"Edit(/src/mine)", "Edit(/" + c.dir + "/abs/**)"}, Ask: []string{"Edit(/src/asked)"}})
			for _, path := range []string{"src/mine", "abs/x", "src/asked"} {
				require.ErrorIs(t, m.write(path, "x").Err, pegboard.ErrDenied, path)
			}
			_, err := h.agents.Start(ctx, a.Session, agents.Request{Prompt: "Do it."})
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, m.write("src/mine", "x").Err, pegboard.ErrDenied)
			add(policy.RuleSet{Deny: []string{"Edit(/src/below)"}})
			require.ErrorIs(t, m.write("src/below", "x").Err, pegboard.ErrDenied)
		}
		return agents.Reply{Text: "done"}, nil
	}
	h = c.house(loop, policy.ModeBypass, policy.RuleSet{})
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
}

func TestIsolationThatCannotBe(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	never := func(context.Context, *agents.Agent) (agents.Reply, error) {
		t.Error("an agent was started")
		return agents.Reply{}, nil
	}
	h := c.house(never, policy.ModeDefault, policy.RuleSet{})
	for want, input := range map[string]map[string]any{
		"other machines":       {"isolation": "remote"},
		"unknown":              {"isolation": "vm"},
		"exclude each other":   {"isolation": "worktree", "cwd": "src"},
		"worktree of its own;": {"subagent_type": "isolated", "cwd": "src"},
	} {
		o := h.call(t, input)
		require.ErrorIs(t, o.Err, agents.ErrInvalidRequest)
		require.Contains(t, o.Result.Text(), want)
	}
	plain := checkout{t, t.TempDir()}
	o := plain.house(never, policy.ModeDefault, policy.RuleSet{}).call(t, map[string]any{"isolation": "worktree"})
	require.ErrorIs(t, o.Err, agents.ErrInvalidRequest)
	require.Contains(t, o.Result.Text(), "leave isolation out")
	require.NoDirExists(t, filepath.Join(plain.dir, ".claude"))
	_, err := agents.New(agents.Options{Loop: never, Registry: h.registry, Definitions: h.options.Definitions, BaseRef: "main"})
	require.ErrorContains(t, err, "BaseRef")
}

// TestIsolatedAgentsAtOnce has agents of one message that all change the same file.
func TestIsolatedAgentsAtOnce(t *testing.T) {
	t.Parallel()
	const n = 6
	c := newCheckout(t)
	meet := &tooltest.Barrier{N: n}
	loop := does(t, func(m attempt) {
		require.NoError(t, meet.Wait(t.Context()))
		require.NoError(t, m.write("src/new", m.a.ID).Err)
		require.NoError(t, m.bash("git add -A && git commit -qm "+m.a.ID).Err)
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	calls := make([]pegboard.Call, n)
	for i := range calls {
		calls[i] = agentCall(t, map[string]any{"isolation": "worktree"})
		calls[i].ID = fmt.Sprint(i)
	}
	before := c.state()
	for _, o := range h.run(t.Context(), calls...) {
		r := data(t, o)
		require.Equal(t, r.AgentID, c.git("show", r.WorktreeBranch+":src/new"))
	}
	require.Equal(t, before, c.state())
}

// TestAgentsOfAnIsolatedAgent are as isolated as it is.
func TestAgentsOfAnIsolatedAgent(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	var h *house
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		m := attempt{a: a, t: t}
		require.ErrorIs(t, m.write(filepath.Join(c.dir, "src/new"), "x").Err, pegboard.ErrDenied)
		require.NoError(t, m.write(filepath.Join(a.Session.Dir(), "src/mine"), "x").Err)
		if len(a.Session.AgentPath()) == 1 {
			for _, isolation := range []string{"", "worktree"} {
				r, err := h.agents.Start(ctx, a.Session, agents.Request{Prompt: "Do it.", Isolation: isolation})
				require.NoError(t, err)
				require.Equal(t, isolation != "", r.WorktreePath != "")
				require.Equal(t, isolation != "", strings.HasPrefix(r.WorktreePath, a.Session.Dir()))
			}
		}
		return agents.Reply{Text: "done"}, nil
	}
	h = c.house(loop, policy.ModeBypass, policy.RuleSet{})
	before := c.state()
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
	require.Equal(t, before, c.state())
}

func TestWorktreeIncludeKeepsRules(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.write(".worktreeinclude", "*.env\n")
	c.write("a.env", "a")
	c.write("secret.env", "secret")
	loop := does(t, func(m attempt) {
		require.FileExists(t, filepath.Join(m.a.Session.Dir(), "a.env"))
		require.NoFileExists(t, filepath.Join(m.a.Session.Dir(), "secret.env"))
	})
	h := c.house(loop, policy.ModeDefault, policy.RuleSet{Deny: []string{"Read(secret.env)"}})
	require.Empty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
}

// TestIsolatedAgentThatIsStopped loses nothing that it has written.
func TestIsolatedAgentThatIsStopped(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	wrote := make(chan string, 1)
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		m := attempt{a: a, t: t}
		require.NoError(t, m.write("src/new", "x").Err)
		wrote <- a.Session.Dir()
		<-ctx.Done()
		return agents.Reply{}, context.Cause(ctx)
	}
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	ctx, cancel := context.WithCancel(t.Context())
	dir := make(chan string, 1)
	go func() {
		select {
		case d := <-wrote:
			dir <- d
		case <-time.After(time.Minute):
			dir <- "nothing was written"
		}
		cancel()
	}()
	h.run(ctx, agentCall(t, map[string]any{"isolation": "worktree"}))
	path := <-dir
	require.NoError(t, h.session.Close(t.Context()))
	require.FileExists(t, filepath.Join(path, "src/new"))
	require.NotContains(t, c.git("worktree", "list", "--porcelain"), "\nlocked")
}

// TestAllowRulesForWorktrees lets isolated agents write without questions.
func TestAllowRulesForWorktrees(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) {
		require.NoError(t, m.write("src/new", "x").Err)
		require.NoError(t, m.bash("git -C "+c.dir+" log -1").Err)
	})
	h := c.house(loop, policy.ModeDefault, policy.RuleSet{Allow: []string{"Edit(/.claude/worktrees/**)", "Bash(git:*)"}})
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"subagent_type": "isolated"})).WorktreePath)
}

// TestIsolatedAgentThatGoesOn finds what it has left.
func TestIsolatedAgentThatGoesOn(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	var lines story
	loop := does(t, func(m attempt) {
		text, err := os.ReadFile(filepath.Join(m.a.Session.Dir(), "src/new"))
		lines.add(m.a.Session.Dir() + string(text))
		if err != nil {
			require.NoError(t, m.write("src/new", " with work").Err)
		}
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	r := data(t, h.call(t, map[string]any{"isolation": "worktree"}))
	require.NotEmpty(t, r.WorktreePath)
	require.NoError(t, h.sendMessage(t, r.AgentID).Err)
	require.Equal(t, []string{r.WorktreePath, r.WorktreePath + " with work"}, lines.all())
	require.NotContains(t, c.git("worktree", "list", "--porcelain"), "\nlocked")
}

// A serverInput is the input of a tool of a server.
type serverInput struct {
	Path  string   `json:"path,omitempty"`
	Paths []string `json:"paths,omitempty"`
	Text  string   `json:"text,omitempty"`
}

// serverTool returns a tool of a server, which says nothing of what it touches.
func serverTool(name string, readOnly bool) pegboard.Tool {
	d := pegboard.Definition[serverInput, string]{
		Info: pegboard.Info{Name: name}, Description: "Does something with files.",
		Call: func(context.Context, serverInput, *pegboard.Call) (string, error) { return "done", nil },
	}
	if readOnly {
		d.Inspect = func(serverInput, *pegboard.Call) pegboard.Traits { return pegboard.Traits{ReadOnly: true} }
	}
	return pegboard.Build(d)
}

// TestIsolationOfFurtherTools has tools that agents usually have beside Write and Bash.
func TestIsolationOfFurtherTools(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.write("n.ipynb", `{"cells":[{"id":"a","cell_type":"code","source":[],"metadata":{},"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
	c.git("add", "-A")
	c.git("commit", "-qm", "notebook")
	before := c.state()
	loop := does(t, func(m attempt) {
		denied := func(name string, input map[string]any) {
			t.Helper()
			o := m.call(name, input)
			require.ErrorIs(t, o.Err, pegboard.ErrDenied, "%s %v: %s", name, input, o.Result.Text())
			require.Contains(t, o.Result.Text(), "worktree")
			require.Equal(t, before, c.state())
		}
		patch := func(path string) string { return "*** Begin Patch\n" + path + "\n*** End Patch\n" }
		for _, main := range []string{c.dir, "../../.."} {
			m.call("Read", map[string]any{"file_path": main + "/n.ipynb"})
			denied("NotebookEdit", map[string]any{"notebook_path": main + "/n.ipynb", "cell_id": "a", "new_source": "x"})
			denied("MultiEdit", map[string]any{"file_path": main + "/src/a.txt", "edits": []any{map[string]any{"old_string": "one", "new_string": "two"}}})
			for _, text := range []string{"*** Add File: " + main + "/src/new\n+x", "*** Delete File: " + main + "/src/a.txt", "*** Update File: src/a.txt\n*** Move to: " + main + "/src/new\n@@\n-one\n+two", "*** Update File: " + main + "/src/a.txt\n@@\n-one\n+two", "*** Add File: link/new\n+x"} {
				denied("apply_patch", map[string]any{"input": patch(text)})
			}
		}
		for _, code := range []string{"open('" + c.dir + "/src/new', 'w')", "import os; os.chdir('../../..'); open('src/new', 'w')", "1 + 1"} {
			denied("REPL", map[string]any{"language": "python", "code": code})
		}
		for _, input := range []map[string]any{
			{"path": c.dir + "/src/new"}, {"path": "file://" + c.dir + "/src/new"}, {"path": c.dir + "/x/../src/new"}, {"path": c.dir}, {"path": c.dir + "/.git/config"}, {"paths": []any{"x", c.dir + "/src/new"}},
			{"path": m.a.Session.Dir() + "/../../../src/new"}, {"path": m.a.Session.Dir() + "/link/new"}, {"text": "echo x > " + c.dir + "/src/new"}, {"text": "cd " + c.dir + "; make"},
		} {
			denied("mcp__files__write", input)
			require.NoError(t, m.call("mcp__files__read", input).Err)
		}
		for _, input := range []map[string]any{{"path": m.a.Session.Dir() + "/src/new"}, {"path": "/nowhere"}, {"text": "about " + c.dir + "-other/x"}, {"text": "in " + m.a.Session.Dir() + "/src/a.txt."}} {
			o := m.call("mcp__files__write", input)
			require.NoError(t, o.Err, "%v", input)
		}
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	require.NoError(t, h.registry.Add(files.MultiEdit(files.WriteOptions{}), files.ApplyPatch(files.WriteOptions{}), shell.REPL(shell.REPLOptions{})))
	_, err := h.registry.Attach("files", serverTool("write", false), serverTool("read", true))
	require.NoError(t, err)
	r := data(t, h.call(t, map[string]any{"isolation": "worktree"}))
	require.Empty(t, r.WorktreePath, r.Notes)
	require.Equal(t, before, c.state())
}

// TestWorktreeIncludeFollowsNoLinks has links among the files that .worktreeinclude names, and
// on the way to them.
func TestWorktreeIncludeFollowsNoLinks(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	outside := filepath.Join(filepath.Dir(c.dir), "outside")
	require.NoError(t, os.Mkdir(outside, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "x.env"), []byte("secret"), 0o600))
	c.write(".worktreeinclude", "*.env\n/out/\n/link/\n")
	c.write(".gitignore", "*.env\n/out\n")
	c.git("add", "-A")
	c.git("commit", "-qm", "include")
	c.write("src/in-src.env", "a")
	for name, to := range map[string]string{"file.env": filepath.Join(outside, "x.env"), "main.env": filepath.Join(c.dir, "src/a.txt"), "out": outside, "up.env": "../src"} {
		require.NoError(t, os.Symlink(to, filepath.Join(c.dir, name)))
	}
	loop := does(t, func(m attempt) {
		dir := m.a.Session.Dir()
		require.FileExists(t, filepath.Join(dir, "src/in-src.env"))
		for _, name := range []string{"file.env", "main.env", "out", "up.env"} {
			_, err := os.Lstat(filepath.Join(dir, name))
			require.ErrorIs(t, err, os.ErrNotExist, name)
		}
		require.NoError(t, m.bash("echo b > src/in-src.env").Err)
	})
	h := c.house(loop, policy.ModeBypass, policy.RuleSet{})
	data(t, h.call(t, map[string]any{"isolation": "worktree"}))
	text, err := os.ReadFile(filepath.Join(c.dir, "src/in-src.env"))
	require.NoError(t, err)
	require.Equal(t, "a", string(text))
	require.NoDirExists(t, filepath.Join(outside, "in-src.env"))
}

// sleeper returns a loop that tells its task and takes a time.
func sleeper(told *story, took time.Duration) agents.Loop {
	return func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		parts, err := a.Next(ctx, agents.Usage{})
		if err != nil {
			return agents.Reply{}, err
		}
		task := parts[len(parts)-1].Text
		told.add(task)
		select {
		case <-time.After(took):
			return agents.Reply{Text: task}, nil
		case <-ctx.Done():
			return agents.Reply{}, context.Cause(ctx)
		}
	}
}

// TestWaitForAPlace: requests that wait get the places in their order, at the moment in which one
// becomes free, and before those that do not wait.
func TestWaitForAPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told story
		h := newHouse(t, pegboard.SessionConfig{}, sleeper(&told, 1500*time.Millisecond), func(o *agents.Options) { o.MaxRunning = 2 }, look())
		began := time.Now()
		var ended atomic.Int64
		for i := range 6 {
			goroutine.Go(func() {
				_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: fmt.Sprint(i), Wait: true})
				require.NoError(t, err)
				ended.Add(1)
			})
			synctest.Wait()
		}
		for range 2 {
			_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "late"})
			require.ErrorIs(t, err, agents.ErrTooMany)
			time.Sleep(1500 * time.Millisecond)
			synctest.Wait()
		}
		other, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
		require.NoError(t, err)
		_, err = h.agents.Start(t.Context(), other, agents.Request{Prompt: "elsewhere", Wait: true})
		require.NoError(t, err, "another conversation has places of its own")
		require.NoError(t, other.Close(t.Context()))
		synctest.Wait()
		all := told.all()
		for i := 0; i < 6; i += 2 { // two at a time, which begin in any order
			slices.Sort(all[i : i+2])
		}
		require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "elsewhere"}, all)
		require.EqualValues(t, 6, ended.Load())
		require.Equal(t, 4500*time.Millisecond, time.Since(began))
	})
}

// TestWaitForAPlaceEnds: a request that waits ends with its context, with the session and when
// the budget is spent. Its place, if it has got one, goes to the next.
func TestWaitForAPlaceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told story
		h := newHouse(t, pegboard.SessionConfig{}, sleeper(&told, time.Second), func(o *agents.Options) { o.MaxRunning = 1 }, look())
		start := func(ctx context.Context, s *pegboard.Session, prompt string) chan error {
			end := make(chan error, 1)
			go func() {
				_, err := h.agents.Start(ctx, s, agents.Request{Prompt: prompt, Wait: true})
				end <- err
			}()
			synctest.Wait()
			return end
		}
		child, err := h.session.Fork(pegboard.SessionConfig{AgentID: "child"})
		require.NoError(t, err)
		reason := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		first := start(t.Context(), h.session, "first")
		canceled := start(ctx, h.session, "canceled")
		closed := start(t.Context(), child, "closed")
		last := start(t.Context(), h.session, "last")
		cancel(reason)
		require.ErrorIs(t, <-canceled, reason)
		require.NoError(t, child.Close(t.Context()))
		require.ErrorIs(t, <-closed, pegboard.ErrClosed)
		require.NoError(t, <-first)
		require.NoError(t, <-last)
		require.Equal(t, []string{"first", "last"}, told.all())

		first = start(t.Context(), h.session, "stays")
		closed = start(t.Context(), h.session, "closed")
		require.NoError(t, h.session.Close(t.Context()))
		require.ErrorIs(t, <-closed, pegboard.ErrClosed)
		require.Error(t, <-first)
	})
}

// TestPlacesAreGivenBack: whatever ends the waiting, no place is lost and none is made.
func TestPlacesAreGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told story
		h := newHouse(t, pegboard.SessionConfig{}, sleeper(&told, 10*time.Millisecond), func(o *agents.Options) { o.MaxRunning = 3 }, look())
		ended := make(chan error)
		for i := range 200 {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%7)*10*time.Millisecond)
				defer cancel()
				r := agents.Request{Prompt: "p", Wait: i%5 != 0}
				if i%3 == 0 {
					r.Name = "same"
				}
				_, err := h.agents.Start(ctx, h.session, r)
				ended <- err
			}()
		}
		for range 200 {
			<-ended
		}
		time.Sleep(time.Minute)
		for i := range 3 {
			go func() {
				_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: fmt.Sprint(i)})
				ended <- err
			}()
		}
		synctest.Wait()
		_, err := h.agents.Start(t.Context(), h.session, agents.Request{Prompt: "one more"})
		require.ErrorIs(t, err, agents.ErrTooMany)
		for range 3 {
			require.NoError(t, <-ended)
		}
	})
}

// TestIsolatedAgentGoesOnInItsWorktree, which is kept then for a reason that its caller is told.
func TestIsolatedAgentGoesOnInItsWorktree(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	var dirs []string
	h := c.house(func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		_, err := a.Next(ctx, agents.Usage{})
		if dirs = append(dirs, a.Session.Dir()); len(dirs) == 1 {
			err = errors.Join(err, os.WriteFile(filepath.Join(dirs[0], "new"), nil, 0o600))
		}
		return agents.Reply{Text: "Done."}, errors.Join(err, a.Append(json.RawMessage(`"Done."`)))
	}, policy.ModeBypass, policy.RuleSet{})
	require.NoError(t, h.call(t, map[string]any{"subagent_type": "isolated", "name": "anna"}).Err)
	require.NoError(t, h.sendMessage(t, "anna").Err)
	require.Len(t, dirs, 2)
	require.Equal(t, dirs[0], dirs[1])
	require.Contains(t, strings.Join(h.news(), ""), "Its worktree was kept, since an earlier run had left it, and a worktree is removed only by the run that has made it: "+dirs[0])
}
