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
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/agents"
	"github.com/seed49eaa51d/pegboard/tools/files"
	"github.com/seed49eaa51d/pegboard/tools/internal/treefence/fencetest"
	"github.com/seed49eaa51d/pegboard/tools/shell"
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
func (c checkout) house(loop agents.Loop, mode pegboard.Mode, rules pegboard.RuleSet, hooks ...pegboard.Hooks) *house {
	c.t.Helper()
	permissions, err := pegboard.NewPermissions(mode, rules)
	require.NoError(c.t, err)
	definitions := func(o *agents.Options) {
		o.BaseRef = "head"
		o.Definitions = func(*pegboard.Session) []agents.Definition {
			return []agents.Definition{{Name: "general-purpose", Description: "For anything."}, {Name: "isolated", Description: "Works apart.", Worktree: true}}
		}
	}
	return newHouse(c.t, pegboard.SessionConfig{Dir: c.dir, Permissions: permissions, Hooks: pegboard.JoinHooks(hooks...)}, loop, definitions, append(files.Tools(), shell.Bash(shell.Options{}))...)
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
	for _, mode := range []pegboard.Mode{pegboard.ModeDefault, pegboard.ModeAcceptEdits, pegboard.ModeBypass} {
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
					if mode == pegboard.ModeBypass {
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
			h := c.house(loop, mode, pegboard.RuleSet{Allow: []string{"Edit(/src/**)", "Bash", "Read"}})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
	before := c.state()
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
	require.Equal(t, before, c.state())
}

// TestHooksThatRewrite changes where an isolated agent writes.
func TestHooksThatRewrite(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	loop := does(t, func(m attempt) { require.ErrorIs(t, m.write("src/new", "x").Err, pegboard.ErrDenied) })
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{}, pegboard.Hooks{Pre: func(_ context.Context, h *pegboard.HookCall) (pegboard.Decision, error) {
		d := pegboard.Decision{}
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
	h := c.house(loop, pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Edit(/src/**)"}})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{
		Deny: []string{"Edit(/src/secret/**)", "Read(/keys/**)", "Edit(relative/**)", "Edit(bare.txt)", "Edit(/" + c.dir + "/abs/**)", "Bash(rm:*)"},
		Ask:  []string{"Edit(/asked/**)"},
	})
	require.NoError(t, h.session.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
		return p.WithRules(pegboard.RuleSet{Deny: []string{"Edit(//" + strings.TrimPrefix(c.dir, "/") + "/home/**)"}})
	}))
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
}

// TestRulesThatCome are added to the caller's while an isolated agent and one below it run.
func TestRulesThatCome(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	var h *house
	add := func(rules pegboard.RuleSet) {
		require.NoError(t, h.session.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithRules(rules) }))
	}
	loop := func(ctx context.Context, a *agents.Agent) (agents.Reply, error) {
		if _, err := a.Next(ctx, agents.Usage{}); err != nil {
			return agents.Reply{}, err
		}
		m := attempt{a: a, t: t}
		require.NoError(t, m.write("src/new", "x").Err)
		if len(a.Session.AgentPath()) == 1 {
			add(pegboard.RuleSet{Deny: []string{"Edit(/src/mine)", "Edit(/" + c.dir + "/abs/**)"}, Ask: []string{"Edit(/src/asked)"}})
			for _, path := range []string{"src/mine", "abs/x", "src/asked"} {
				require.ErrorIs(t, m.write(path, "x").Err, pegboard.ErrDenied, path)
			}
			_, err := h.agents.Start(ctx, a.Session, agents.Request{Prompt: "Do it."})
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, m.write("src/mine", "x").Err, pegboard.ErrDenied)
			add(pegboard.RuleSet{Deny: []string{"Edit(/src/below)"}})
			require.ErrorIs(t, m.write("src/below", "x").Err, pegboard.ErrDenied)
		}
		return agents.Reply{Text: "done"}, nil
	}
	h = c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
	require.NotEmpty(t, data(t, h.call(t, map[string]any{"isolation": "worktree"})).WorktreePath)
}

func TestIsolationThatCannotBe(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	never := func(context.Context, *agents.Agent) (agents.Reply, error) {
		t.Error("an agent was started")
		return agents.Reply{}, nil
	}
	h := c.house(never, pegboard.ModeDefault, pegboard.RuleSet{})
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
	o := plain.house(never, pegboard.ModeDefault, pegboard.RuleSet{}).call(t, map[string]any{"isolation": "worktree"})
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
	meet := make(chan struct{}, n)
	loop := does(t, func(m attempt) {
		meet <- struct{}{}
		for len(meet) < n {
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, m.write("src/new", m.a.ID).Err)
		require.NoError(t, m.bash("git add -A && git commit -qm "+m.a.ID).Err)
	})
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
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
	h = c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
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
	h := c.house(loop, pegboard.ModeDefault, pegboard.RuleSet{Deny: []string{"Read(secret.env)"}})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
	ctx, cancel := context.WithCancel(t.Context())
	dir := make(chan string, 1)
	go func() { d := <-wrote; cancel(); dir <- d }()
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
	h := c.house(loop, pegboard.ModeDefault, pegboard.RuleSet{Allow: []string{"Edit(/.claude/worktrees/**)", "Bash(git:*)"}})
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
	h := c.house(loop, pegboard.ModeBypass, pegboard.RuleSet{})
	r := data(t, h.call(t, map[string]any{"isolation": "worktree"}))
	require.NotEmpty(t, r.WorktreePath)
	require.NoError(t, h.sendMessage(t, r.AgentID).Err)
	require.Equal(t, []string{r.WorktreePath, r.WorktreePath + " with work"}, lines.all())
	require.NotContains(t, c.git("worktree", "list", "--porcelain"), "\nlocked")
}
