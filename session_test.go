package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

func TestNewSession(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{})
	require.Equal(t, here, s.Dir())
	require.Equal(t, pegboard.RoleMain, s.Role())
	require.Empty(t, s.ID()+s.AgentID()+s.AgentType())
	require.Equal(t, policy.ModeDefault, s.Permissions().Mode())

	s = session(t, pegboard.SessionConfig{ID: "1", Role: pegboard.RoleCoordinator, AgentType: "lead", Dir: "internal"})
	require.Equal(t, filepath.Join(here, "internal"), s.Dir())
	require.Equal(t, "1lead coordinator", s.ID()+s.AgentType()+" "+s.Role().String())

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, cfg := range []pegboard.SessionConfig{{Dir: file}, {MoreDirs: []string{file}}} {
		_, err := pegboard.NewSession(cfg)
		require.ErrorContains(t, err, "not a directory")
	}
	for _, cfg := range []pegboard.SessionConfig{{Dir: file + "2"}, {MoreDirs: []string{".", file + "2"}}} {
		_, err := pegboard.NewSession(cfg)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

// TestSessionIsSafeForConcurrentUse does everything at once, for the race
// detector.
func TestSessionIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := session(t, bypass(t))
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error { return c.Check(ctx, policy.Target{}) }}
	plan := rules(t, policy.ModePlan, policy.RuleSet{Deny: []string{"U"}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
			if err != nil {
				t.Error(err)
				return
			}
			f.OnClose("x", func(ctx) error { return nil })
			ex := executor(pegboard.Executor{})
			ex.Run(context.Background(), a.pool(t, f), call("1", "T", ``))
			if err := errors.Join(f.SetPermissions(plan), s.SetPermissions(s.Permissions()), f.Close(context.Background())); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestCloseEndsWhatTheSessionOwns: the newest first, a fork in the place where it was
// made, and each once. The error names everything that could not be ended.
func TestCloseEndsWhatTheSessionOwns(t *testing.T) {
	t.Parallel()
	var story []string
	boom := errors.New("boom")
	end := func(name string, err error) (string, func(ctx) error) {
		return name, func(ctx ctx) error {
			story = append(story, name)
			return errors.Join(err, ctx.Err())
		}
	}
	s := session(t, pegboard.SessionConfig{})
	s.OnClose(end("first", boom))
	fork := forked(t, s, pegboard.SessionConfig{AgentID: "a1"})
	done := forked(t, s, pegboard.SessionConfig{AgentID: "a2"})
	done.OnClose(end("a2's", nil))
	s.OnClose(end("last", nil))
	fork.OnClose(end("a1's", boom))
	forked(t, fork, pegboard.SessionConfig{AgentID: "a3"}).OnClose(end("a3's", boom))

	require.NoError(t, done.Close(t.Context()))
	require.Equal(t, []string{"a2's"}, story)
	err := s.Close(t.Context())
	require.ErrorIs(t, err, boom)
	require.Equal(t, []string{"a2's", "last", "a3's", "a1's", "first"}, story)
	for _, name := range []string{"first: boom", "agent a1: ", "a1's: boom", "agent a3: a3's: boom"} {
		require.ErrorContains(t, err, name)
	}
	require.NotContains(t, err.Error(), "last")

	require.NoError(t, s.Close(t.Context()), "a second time there is nothing left")
	require.NoError(t, fork.Close(t.Context()))
	require.Len(t, story, 5)
	s.OnClose(end("late", nil))
	fork.OnClose(end("late in the fork", boom))
	require.Equal(t, []string{"late", "late in the fork"}, story[5:])
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent})
	require.ErrorIs(t, err, pegboard.ErrClosed)
}

// TestCloseCancelsRunningCalls of a session and of its forks, and waits for
// them.
func TestCloseCancelsRunningCalls(t *testing.T) {
	t.Parallel()
	for _, inFork := range []bool{false, true} {
		t.Run(fmt.Sprint(inFork), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := session(t, bypass(t))
				in := s
				if inFork {
					in = forked(t, s, pegboard.SessionConfig{})
				}
				ended := false
				a := actor{name: "T", call: func(ctx ctx, _ *pegboard.Call) error {
					<-ctx.Done()
					time.Sleep(time.Second) // to put things in order
					ended = true
					return ctx.Err()
				}}
				pool := a.pool(t, in)
				var out pegboard.Outcome
				var wg sync.WaitGroup
				wg.Go(func() {
					ex := executor(pegboard.Executor{})
					out = ex.Run(context.Background(), pool, call("1", "T", ``))[0]
				})
				synctest.Wait()
				begin := time.Now()
				require.NoError(t, s.Close(t.Context()))
				require.True(t, ended)
				require.Equal(t, time.Second, time.Since(begin))
				wg.Wait()
				require.ErrorIs(t, out.Err, pegboard.ErrClosed)
				require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
			})
		})
	}
}

// TestCloseGivesUpWithItsContext on a call that does not listen, and says so.
func TestCloseGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, bypass(t))
		deaf := make(chan struct{})
		a := actor{name: "T", call: func(ctx, *pegboard.Call) error { <-deaf; return nil }}
		pool := a.pool(t, s)
		var wg sync.WaitGroup
		wg.Go(func() {
			ex := executor(pegboard.Executor{})
			ex.Run(context.Background(), pool, call("1", "T", ``))
		})
		synctest.Wait()
		why := errors.New("the program ends")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		err := s.Close(ctx)
		require.ErrorIs(t, err, why)
		require.ErrorContains(t, err, "still running")
		close(deaf)
		wg.Wait()
	})
}

// TestClosedSessionAnswersWithoutRunning a call or asking about it.
func TestClosedSessionAnswersWithoutRunning(t *testing.T) {
	t.Parallel()
	var questions []*pegboard.Question
	parent := session(t, pegboard.SessionConfig{Ask: answering(&questions, policy.Decision{Behavior: policy.Allow}, nil)})
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	b := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: a.call}
	pools := []*pegboard.Pool{a.pool(t, parent), b.pool(t, parent), a.pool(t, forked(t, parent, pegboard.SessionConfig{}))}
	require.NoError(t, parent.Close(t.Context()))
	for _, p := range pools {
		ex := executor(pegboard.Executor{})
		outs := ex.Run(t.Context(), p, call("1", "T", ``), call("2", "T", ``))
		require.Len(t, outs, 2)
		for _, out := range outs {
			require.ErrorIs(t, out.Err, pegboard.ErrClosed)
			require.True(t, out.Result.IsError)
			require.Contains(t, out.Result.Text(), "T was not run")
		}
	}
	require.False(t, ran)
	require.Empty(t, questions)
}

// TestCloseFromAsker ends when its context does, and says why.
func TestCloseFromAsker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
			own, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			err := q.Call.Session().Close(own)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			return policy.Decision{Behavior: policy.Allow}, nil
		}})
		require.NoError(t, err)
		a := actor{name: "T"}
		ex := executor(pegboard.Executor{})
		require.ErrorIs(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0].Err, pegboard.ErrClosed)
		require.NoError(t, s.Close(t.Context()))
	})
}

// TestCloseWhileAsked: closing a fork closes the questions of its calls, and no others.
func TestCloseWhileAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater})
		fork := forked(t, s, pegboard.SessionConfig{AgentID: "f"})
		a := actor{name: "T"}
		outs := make(chan pegboard.Outcome, 2)
		for _, s := range []*pegboard.Session{fork, s} {
			pool := a.pool(t, s)
			go func() {
				ex := executor(pegboard.Executor{})
				outs <- ex.Run(t.Context(), pool, call("1", "T", `{}`))[0]
			}()
			synctest.Wait()
		}
		require.Len(t, s.Questions(), 2)
		stale := s.Questions()[0].ID
		require.NoError(t, fork.Close(t.Context()))
		require.ErrorIs(t, (<-outs).Err, pegboard.ErrClosed)
		require.ErrorIs(t, s.Answer(stale, policy.Decision{Behavior: policy.Allow}), pegboard.ErrQuestionClosed)
		synctest.Wait()
		require.Len(t, s.Questions(), 1)
		require.ErrorIs(t, fork.Answer(s.Questions()[0].ID, policy.Decision{Behavior: policy.Allow}), pegboard.ErrQuestionClosed)
		require.NoError(t, s.Answer(s.Questions()[0].ID, policy.Decision{Behavior: policy.Allow}))
		require.NoError(t, (<-outs).Err)
	})
}

// A call that goes on in the background is still a call of the session, so Close cancels
// it.
func TestCloseCancelsDetachedCalls(t *testing.T) {
	t.Parallel()
	s := openSession(t)
	started, heard := make(chan struct{}), make(chan error, 1)
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "T", Interrupt: pegboard.InterruptDetach}, Description: "For a test.",
		Call: func(c ctx, _ struct{}, _ *pegboard.Call) (string, error) {
			close(started)
			<-c.Done()
			heard <- context.Cause(c)
			return "", nil
		},
	})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	turn, cancel := context.WithCancelCause(context.Background())
	go func() { <-started; cancel(pegboard.ErrNewMessage) }()
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, pool, call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDetached)
	patience, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	err := s.Close(patience)
	t.Log("Close:", err)
	select {
	case cause := <-heard:
		t.Log(cause)
	case <-time.After(time.Minute):
		t.Error("the tool was never told that the session closed")
	}
}

// TestCloseNamedWhatHadEnded if its context had ended: an Asker that no one had called, and
// closers that return at once.
func TestCloseNamedWhatHadEnded(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range effort.Of(t, 300) {
		s, err := pegboard.NewSession(pegboard.SessionConfig{})
		require.NoError(t, err)
		s.OnClose("quick", func(context.Context) error { return nil })
		require.NoError(t, s.Close(over))
	}
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	release := make(chan struct{})
	s.OnClose("quick", func(context.Context) error { return nil })
	s.OnClose("slow", func(context.Context) error { <-release; return nil })
	s.OnClose("broken", func(context.Context) error { return errPlanned })
	err = s.Close(over)
	require.EqualError(t, err, "broken: "+errPlanned.Error()+"\nslow: context canceled")
	close(release)
	require.NoError(t, s.Close(t.Context()))
}

// TestDetachNamesWhatDidNotEnd: what a tool left behind is named until it has returned, and
// Close of the main session tells.
func TestDetachNamesWhatDidNotEnd(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{})
	fork, err := s.Fork(pegboard.SessionConfig{AgentID: "a"})
	require.NoError(t, err)
	one, two := fork.Detach("the loop of agent a"), s.Detach("a watch")
	require.Equal(t, []string{"the loop of agent a", "a watch"}, s.Detached())
	two()
	require.NoError(t, fork.Close(t.Context()))
	err = s.Close(t.Context())
	require.ErrorIs(t, err, pegboard.ErrDetached)
	require.ErrorContains(t, err, "the loop of agent a")
	one()
	one()
	require.Empty(t, s.Detached())
}

func TestSessionInContext(t *testing.T) {
	t.Parallel()
	_, ok := pegboard.SessionFrom(t.Context())
	require.False(t, ok)
	_, ok = pegboard.SessionFrom(pegboard.WithSession(t.Context(), nil))
	require.False(t, ok)

	other, s := session(t, pegboard.SessionConfig{}), session(t, bypass(t))
	var seen, called *pegboard.Session
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error {
		seen, _ = pegboard.SessionFrom(ctx)
		called = c.Session()
		return nil
	}}
	ex := executor(pegboard.Executor{})
	require.NoError(t, ex.Run(pegboard.WithSession(t.Context(), other), a.pool(t, s), call("1", "T", ``))[0].Err)
	require.Same(t, s, seen, "the pool's session, whatever the host's context carried")
	require.Same(t, s, called)
}

func TestForkRefusesWhatItsParentDoesNotHave(t *testing.T) {
	t.Parallel()
	dir, more, outside := t.TempDir(), t.TempDir(), t.TempDir()
	for _, sub := range []string{"sub", "sub/deep"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	require.NoError(t, linkDir(outside, filepath.Join(dir, "out")))
	require.NoError(t, linkDir(filepath.Join(dir, "sub"), filepath.Join(dir, "in")))
	require.NoError(t, linkDir(filepath.Join(dir, "sub"), filepath.Join(outside, "back")))
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	p := func(mode policy.Mode, set policy.RuleSet) policy.Permissions { return rules(t, mode, set) }
	tests := []struct {
		name   string
		parent policy.Mode
		cfg    pegboard.SessionConfig
		says   string // empty: it is a fork
	}{
		{name: "nothing of its own"},
		{name: "role coordinator", cfg: pegboard.SessionConfig{Role: pegboard.RoleCoordinator}, says: "role coordinator"},
		{name: "allow rule", cfg: pegboard.SessionConfig{Permissions: p("", policy.RuleSet{Allow: []string{"Edit(a)"}})}, says: `allow rule "Edit(a)"`},
		{name: "allow rule the parent has", parent: policy.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p("", policy.RuleSet{Allow: []string{"T"}})}, says: `allow rule "T"`},
		{name: "deny and ask rules", cfg: pegboard.SessionConfig{Permissions: p("", policy.RuleSet{Ask: []string{"T"}, Deny: []string{"U"}})}},
		{name: "default to bypass", cfg: pegboard.SessionConfig{Permissions: p(policy.ModeBypass, policy.RuleSet{})}, says: "laxer"},
		{name: "plan to default", parent: policy.ModePlan, cfg: pegboard.SessionConfig{Permissions: p(policy.ModeDefault, policy.RuleSet{})}, says: "laxer"},
		{name: "plan to bypass", parent: policy.ModePlan, cfg: pegboard.SessionConfig{Permissions: p(policy.ModeBypass, policy.RuleSet{})}, says: "laxer"},
		{name: "bypass to plan", parent: policy.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p(policy.ModePlan, policy.RuleSet{})}},
		{name: "the same mode", parent: policy.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p(policy.ModeBypass, policy.RuleSet{})}},
		{name: "directory inside", cfg: pegboard.SessionConfig{Dir: at("sub", "deep")}},
		{name: "directory of the parent's others", cfg: pegboard.SessionConfig{Dir: more, MoreDirs: []string{dir}}},
		{name: "directory above", cfg: pegboard.SessionConfig{Dir: filepath.Dir(dir)}, says: "outside the parent's"},
		{name: "directory outside", cfg: pegboard.SessionConfig{Dir: outside}, says: "outside the parent's"},
		{name: "further directory outside", cfg: pegboard.SessionConfig{MoreDirs: []string{outside}}, says: "outside the parent's"},
		{name: "directory by dots", cfg: pegboard.SessionConfig{Dir: at("sub") + "/../.."}, says: "outside the parent's"},
		{name: "link that stays inside", cfg: pegboard.SessionConfig{Dir: at("in")}},
		{name: "link that leads outside", cfg: pegboard.SessionConfig{Dir: at("out")}, says: "outside the parent's"},
		{name: "link outside that leads inside", cfg: pegboard.SessionConfig{Dir: filepath.Join(outside, "back")}, says: "outside the parent's"},
		{name: "no directory", cfg: pegboard.SessionConfig{Dir: at("nothing")}, says: "nothing"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parent := session(t, pegboard.SessionConfig{Dir: dir, MoreDirs: []string{more}, Permissions: rules(t, tc.parent, policy.RuleSet{})})
			if !strings.HasPrefix(tc.name, "role") {
				tc.cfg.Role = pegboard.RoleAsyncAgent
			}
			_, err := parent.Fork(tc.cfg)
			if tc.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestForkInherits(t *testing.T) {
	t.Parallel()
	dir, more := t.TempDir(), t.TempDir()
	var story []string
	note := func(who string) pegboard.Hooks {
		return pegboard.Hooks{
			Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				story = append(story, who+" before")
				return policy.Decision{}, nil
			},
			Post: func(ctx, *pegboard.HookCall) error { story = append(story, who+" after"); return nil },
		}
	}
	var questions []*pegboard.Question
	parent := session(t, pegboard.SessionConfig{
		ID: "7", AgentType: "boss", Dir: dir, MoreDirs: []string{more}, Hooks: note("parent"), Permissions: rules(t, policy.ModePlan, policy.RuleSet{}),
		Ask: answering(&questions, policy.Decision{Behavior: policy.Allow}, nil),
	})
	fork := forked(t, parent, pegboard.SessionConfig{AgentID: "a1", AgentType: "worker", Hooks: note("fork")})
	require.Equal(t, []string{"7", "a1", "worker", dir}, []string{fork.ID(), fork.AgentID(), fork.AgentType(), fork.Dir()})
	require.Equal(t, pegboard.RoleSubAgent, fork.Role())
	require.Equal(t, policy.ModePlan, fork.Permissions().Mode())

	inMore := []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: filepath.Join(more, "a")}}
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: inMore}}
	require.Equal(t, "allow", judge(t, a.pool(t, fork)).behavior.String(), "the parent's further directories")
	require.Empty(t, questions)
	require.Equal(t, []string{"parent before", "fork before", "parent after", "fork after"}, story)

	a.traits = pegboard.Traits{}
	require.Equal(t, "allow", judge(t, a.pool(t, fork)).behavior.String())
	require.Len(t, questions, 1, "the parent's asker")
}

// TestForkHooksOnlyNarrow: a fork's hook may refuse and ask. It cannot spare a
// question that the parent would have put.
func TestForkHooksOnlyNarrow(t *testing.T) {
	t.Parallel()
	say := func(b policy.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: b}, nil
		}}
	}
	tests := []struct{ parent, fork, want policy.Behavior }{
		{parent: policy.Undecided, fork: policy.Deny, want: policy.Deny},
		{parent: policy.Allow, fork: policy.Undecided, want: policy.Allow},
		{parent: policy.Allow, fork: policy.Ask, want: policy.Ask},
		{parent: policy.Deny, fork: policy.Allow, want: policy.Deny},
		{parent: policy.Ask, fork: policy.Allow, want: policy.Ask},
		{parent: policy.Undecided, fork: policy.Allow, want: policy.Ask},
	}
	for _, tc := range tests {
		t.Run(tc.parent.String()+" "+tc.fork.String(), func(t *testing.T) {
			t.Parallel()
			a := actor{name: "T"}
			fork := forked(t, session(t, pegboard.SessionConfig{Hooks: say(tc.parent)}), pegboard.SessionConfig{Hooks: say(tc.fork)})
			require.Equal(t, tc.want.String(), judge(t, a.pool(t, fork)).behavior.String())
		})
	}
}

// TestForkBringsNoAsker: a fork asks through its parent's Asker.
func TestForkBringsNoAsker(t *testing.T) {
	t.Parallel()
	yes := func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, nil
	}
	for _, parent := range []pegboard.Asker{nil, yes} {
		s := session(t, pegboard.SessionConfig{Ask: parent})
		_, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Ask: yes})
		require.ErrorContains(t, err, "leave Ask empty")
	}
}

func TestForkWithoutARoleIsASubAgent(t *testing.T) {
	t.Parallel()
	parent := session(t, pegboard.SessionConfig{})
	child, err := parent.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	require.Equal(t, pegboard.RoleSubAgent, child.Role())

	_, err = parent.Fork(pegboard.SessionConfig{Dir: t.TempDir()})
	require.ErrorContains(t, err, "outside the parent's", "the error is about the directory and not about the role")
}

func TestForkMayEnterADirectoryThatWasAdded(t *testing.T) {
	t.Parallel()
	added := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(added, "sub"), 0o700))
	parent := session(t, pegboard.SessionConfig{Dir: t.TempDir()})
	_, err := parent.Fork(pegboard.SessionConfig{Dir: filepath.Join(added, "sub")})
	require.ErrorContains(t, err, "outside the parent's", "it was not added yet")

	update := policy.Update{Type: policy.AddDirectories, Directories: []string{added}}
	require.NoError(t, parent.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(update) }))
	child, err := parent.Fork(pegboard.SessionConfig{Dir: filepath.Join(added, "sub"), MoreDirs: []string{parent.Dir()}})
	require.NoError(t, err)
	grandchild, err := child.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	inside := func(s *pegboard.Session) string {
		a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Path, Access: policy.Read, Value: filepath.Join(added, "sub", "f")}}}}
		return judge(t, a.pool(t, s)).behavior.String()
	}
	require.Equal(t, "allow", inside(child))
	require.Equal(t, "allow", inside(grandchild))

	require.NoError(t, parent.SetPermissions(policy.Permissions{}))
	require.Equal(t, "ask", inside(parent))
	require.Equal(t, "ask", inside(child), "the fork loses it with its parent")
	require.Equal(t, "ask", inside(grandchild))
	require.Equal(t, []string{parent.Dir()}, child.Dirs())
}

func TestTeammatesForkOnlyAgentsThatTheyWaitFor(t *testing.T) {
	t.Parallel()
	teammate := forked(t, session(t, pegboard.SessionConfig{}), pegboard.SessionConfig{Role: pegboard.RoleTeammate})
	helper := forked(t, teammate, pegboard.SessionConfig{})
	for _, s := range []*pegboard.Session{teammate, helper} {
		for _, role := range []pegboard.Role{pegboard.RoleAsyncAgent, pegboard.RoleTeammate} {
			_, err := s.Fork(pegboard.SessionConfig{Role: role})
			require.ErrorContains(t, err, "a teammate starts only agents that it waits for")
		}
	}
	_, err := forked(t, session(t, pegboard.SessionConfig{}), pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent}).Fork(pegboard.SessionConfig{Role: pegboard.RoleAsyncAgent})
	require.NoError(t, err)
}

func TestAgentPath(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{ID: "talk"})
	require.Empty(t, s.AgentPath())
	one := forked(t, s, pegboard.SessionConfig{AgentID: "one"})
	two := forked(t, one, pegboard.SessionConfig{AgentID: "two"})
	require.Equal(t, []string{"one"}, one.AgentPath())
	require.Equal(t, []string{"one", "two"}, two.AgentPath())
	require.Equal(t, "talk", two.ID())
}

// Init has the session before anyone else, and is not inherited.
func TestInit(t *testing.T) {
	t.Parallel()
	key, calls := pegboard.NewKey[string]("test"), 0
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Init: func(s *pegboard.Session) {
		calls++
		key.Set(s, s.Dir())
	}}
	s := session(t, cfg)
	v, ok := key.Get(s)
	require.True(t, ok)
	require.Equal(t, s.Dir(), v)
	_, err := s.Fork(pegboard.SessionConfig{})
	require.NoError(t, err)
	require.Equal(t, 1, calls)
	_, err = s.Fork(pegboard.SessionConfig{Init: func(f *pegboard.Session) { calls++; require.Equal(t, pegboard.RoleSubAgent, f.Role()) }})
	require.NoError(t, err)
	require.Equal(t, 2, calls)
}

func TestNilAndZeroArgumentsPanicWithOneSentence(t *testing.T) {
	t.Parallel()
	var (
		executor  pegboard.Executor
		registry  pegboard.Registry
		noSession *pegboard.Session
		noPool    *pegboard.Pool
		noContext context.Context
		zero      = &pegboard.Session{}
		zeroPool  = &pegboard.Pool{}
		key       = pegboard.NewKey[int]("a key")
	)
	s := session(t, pegboard.SessionConfig{})
	pool := registry.AssemblePool(s, pegboard.PoolConfig{})
	const (
		ofSession   = " of a nil or zero Session; make one with NewSession or Session.Fork"
		withPool    = " with a nil or zero Pool; make one with Registry.AssemblePool"
		withContext = " with a nil context; use context.Background() if nothing cancels it"
	)
	tests := []struct {
		name string
		do   func()
		want string
	}{
		{name: "Run, nil context", do: func() { executor.Run(noContext, pool) }, want: "Executor.Run" + withContext},
		{name: "Run, nil pool", do: func() { executor.Run(t.Context(), noPool) }, want: "Executor.Run" + withPool},
		{name: "Run, zero pool", do: func() { executor.Run(t.Context(), zeroPool) }, want: "Executor.Run" + withPool},
		{name: "Stream, nil context", do: func() { executor.Stream(noContext, pool) }, want: "Executor.Stream" + withContext},
		{name: "Stream, nil pool", do: func() { executor.Stream(t.Context(), noPool) }, want: "Executor.Stream" + withPool},
		{name: "Stream, zero pool", do: func() { executor.Stream(t.Context(), zeroPool) }, want: "Executor.Stream" + withPool},
		{name: "AssemblePool, nil session", do: func() { registry.AssemblePool(noSession, pegboard.PoolConfig{}) }, want: "AssemblePool" + ofSession},
		{name: "AssemblePool, zero session", do: func() { registry.AssemblePool(zero, pegboard.PoolConfig{}) }, want: "AssemblePool" + ofSession},
		{name: "Fork, nil session", do: func() { _, _ = noSession.Fork(pegboard.SessionConfig{}) }, want: "Fork" + ofSession},
		{name: "Fork, zero session", do: func() { _, _ = zero.Fork(pegboard.SessionConfig{}) }, want: "Fork" + ofSession},
		{name: "Close, nil session", do: func() { _ = noSession.Close(t.Context()) }, want: "Close" + ofSession},
		{name: "Close, nil context", do: func() { _ = s.Close(noContext) }, want: "Close" + withContext},
		{name: "Permissions, zero session", do: func() { zero.Permissions() }, want: "Permissions" + ofSession},
		{name: "SetPermissions, zero session", do: func() { _ = zero.SetPermissions(policy.Permissions{}) }, want: "SetPermissions" + ofSession},
		{name: "UpdatePermissions, nil session", do: func() { _ = noSession.UpdatePermissions(nil) }, want: "UpdatePermissions" + ofSession},
		{name: "OnClose, nil session", do: func() { noSession.OnClose("", nil) }, want: "OnClose" + ofSession},
		{name: "NewTurn, zero session", do: func() { zero.NewTurn() }, want: "NewTurn" + ofSession},
		{name: "Decide, zero pool", do: func() { zeroPool.Decide(t.Context(), pegboard.Call{}) }, want: "Decide" + withPool},
		{name: "Decide, nil context", do: func() { pool.Decide(noContext, pegboard.Call{}) }, want: "Decide" + withContext},
		{name: "ExplainDecision, nil pool", do: func() { noPool.ExplainDecision(t.Context(), pegboard.Call{}) }, want: "ExplainDecision" + withPool},
		{name: "Rebuild, nil pool", do: func() { _, _, _ = noPool.Rebuild(pegboard.Call{}) }, want: "Rebuild" + withPool},
		{name: "Restrict, nil pool", do: func() { noPool.Restrict(pegboard.Restriction{}) }, want: "Restrict" + withPool},
		{name: "Resolve, zero pool", do: func() { _, _ = zeroPool.Resolve(nil, nil) }, want: "Resolve" + withPool},
		{name: "Set, nil session", do: func() { key.Set(noSession, 1) }, want: "Key.Set" + ofSession},
		{name: "SetRoot, zero session", do: func() { key.SetRoot(zero, 1) }, want: "Key.SetRoot" + ofSession},
		{name: "GetOrInit, nil session", do: func() { key.GetOrInit(noSession, nil) }, want: "Key.GetOrInit" + ofSession},
		{name: "GetOrInitRoot, zero session", do: func() { key.GetOrInitRoot(zero, nil) }, want: "Key.GetOrInitRoot" + ofSession},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			require.PanicsWithValue(t, "pegboard: "+tc.want, tc.do)
		})
	}
	require.Nil(t, noPool.Session())
}

// TestSuspendingMustBeWhole: a session that could not keep its word is not made.
func TestSuspendingMustBeWhole(t *testing.T) {
	t.Parallel()
	whole := suspending(&memoryJournal{}, pegboard.SessionConfig{})
	tests := []struct {
		name string
		id   string
		cfg  pegboard.Suspending
		says string
	}{
		{name: "a short key", id: "1", cfg: pegboard.Suspending{Key: durableKey[:31], Journal: whole.Suspend.Journal}, says: "31 bytes"},
		{name: "no journal", id: "1", cfg: pegboard.Suspending{Key: durableKey}, says: "NewFileJournal"},
		{name: "no id", cfg: *whole.Suspend, says: "needs an ID"},
		{name: "no time", id: "1", cfg: pegboard.Suspending{Key: durableKey, Journal: whole.Suspend.Journal, Expiry: -time.Second}, says: "-1s"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := pegboard.NewSession(pegboard.SessionConfig{ID: tc.id, Suspend: &tc.cfg})
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// nested makes a project with directories to move to, and returns it by its real path.
func nested(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"p/sub/sub", "p/tree/sub/sub", "p/tree/.git", "more/sub", "out"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	require.NoError(t, linkDir("tree", filepath.Join(root, "p", "link")))
	require.NoError(t, linkDir(filepath.Join(root, "out"), filepath.Join(root, "p", "away")))
	require.NoError(t, linkDir(filepath.Join(root, "p"), filepath.Join(root, "again")))
	return root
}

func TestSetDirRefuses(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	require.NoError(t, os.WriteFile(at("p/file"), nil, 0o600))
	for _, tc := range []struct {
		name, from, to, is string
		err                error
	}{
		{name: "below", from: "p/tree", is: "p/tree"},
		{name: "relative", from: "p/tree", to: "sub", is: "p/tree/sub"},
		{name: "through a link inside", from: "p/link/sub", is: "p/link/sub"},
		{name: "home again", from: "p/tree/sub", to: root + "/p", is: "p"},
		{name: "further directory", from: "more/sub", is: "more/sub"},
		{name: "further directory from below", from: "p/tree", to: root + "/more", is: "more"},
		{name: "itself", from: "p", is: "p"},
		{name: "above", from: "p", to: "..", err: policy.ErrOutside},
		{name: "up again", from: "p/tree/sub", to: "..", err: policy.ErrOutside},
		{name: "beside", from: "p/tree", to: "../sub", err: policy.ErrOutside},
		{name: "link that leads out", from: "p", to: "away", err: policy.ErrOutside},
		{name: "link outside that leads home", from: "p/tree", to: root + "/again", err: policy.ErrOutside},
		{name: "link outside that leads inside", from: "p", to: root + "/again/tree", err: policy.ErrOutside},
		{name: "not there", from: "p", to: "none", err: fs.ErrNotExist},
		{name: "the root", from: "p", to: "/", err: policy.ErrOutside},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Dir: at("p"), MoreDirs: []string{at("more")}})
			require.NoError(t, s.SetDir(at(tc.from)))
			var err error
			if tc.to != "" {
				err = s.SetDir(filepath.FromSlash(tc.to))
			}
			require.ErrorIs(t, err, tc.err)
			if tc.err != nil {
				tc.is = tc.from
			}
			require.Equal(t, at(tc.is), s.Dir())
			require.Equal(t, []string{at(tc.is), at("more")}, s.Dirs())
		})
	}
	s := session(t, pegboard.SessionConfig{Dir: at("p")})
	require.ErrorContains(t, s.SetDir(""), "empty")
	require.ErrorContains(t, s.SetDir("file"), "not a directory")
	require.Equal(t, at("p"), s.Dir())
	require.Panics(t, func() { _ = (*pegboard.Session)(nil).SetDir("sub") })
	require.Panics(t, func() { _ = new(pegboard.Session).SetDir("sub") })
}

// TestSetDirIsLikeASessionMadeThere compares sessions that have moved with sessions that were
// made in the same directory, with the same rules anchored where they were added, and the deny
// and ask rules once more.
func TestSetDirIsLikeASessionMadeThere(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home := filepath.Join(root, "p")
	places := []string{home, filepath.Join(home, "sub"), filepath.Join(home, "tree"), filepath.Join(home, "link"), filepath.Join(home, "tree", "sub"), filepath.Join(root, "more", "sub")}
	dirs := append([]string{"", "sub", "..", "../sub", "tree", "link", filepath.Join(root, "out"), filepath.Join(home, "away"), root}, places...)
	moves := 0
	for seed := range effort.Of(t, uint64(1500)) {
		d := dice{rand.New(rand.NewPCG(seed, 23)), dirs}
		cfg := pegboard.SessionConfig{Dir: home, MoreDirs: []string{filepath.Join(root, "more")}, Home: filepath.Join(root, "p", "sub"), Classifier: undecided}
		mode, _ := d.mode(laxest)
		moved := session(t, cfg)
		var added policy.Permissions // as they are anchored where they were added
		var again []policy.RuleSet   // the deny and ask rules
		for step := range 1 + d.IntN(3) {
			if step > 0 {
				dir := one(d, places...)
				if err := moved.SetDir(dir); err != nil {
					require.ErrorIs(t, err, policy.ErrOutside)
				} else {
					moves++
				}
			}
			set := policy.RuleSet{Source: policy.Source(fmt.Sprint(step)), Allow: d.anchored(3), Ask: d.anchored(1), Deny: d.anchored(1)}
			again = append(again, policy.RuleSet{Source: set.Source, Ask: set.Ask, Deny: set.Deny})
			cfg.Dir = moved.Dir()
			there := session(t, cfg)
			if step == 0 {
				require.NoError(t, there.SetPermissions(rules(t, mode, set)))
				require.NoError(t, moved.SetPermissions(rules(t, mode, set)))
			} else {
				require.NoError(t, there.SetPermissions(added))
				more := func(p policy.Permissions) (policy.Permissions, error) { return p.WithRules(set) }
				require.NoError(t, there.UpdatePermissions(more))
				require.NoError(t, moved.UpdatePermissions(more))
			}
			added = there.Permissions()
		}
		made := session(t, cfg)
		both, err := added.WithRules(again...)
		require.NoError(t, err)
		require.NoError(t, made.SetPermissions(both))
		require.Equal(t, made.Dirs(), moved.Dirs())
		for range 4 {
			a := d.actor()
			require.Equal(t, settledBehavior(t, a.pool(t, made)), settledBehavior(t, a.pool(t, moved)),
				"seed %d in %s: %+v\nmoved %v\nmade %v", seed, moved.Dir(), a.traits, moved.Permissions().Rules(), made.Permissions().Rules())
		}
	}
	require.Positive(t, moves)
}

// anchored returns rules that depend on a directory.
func (d dice) anchored(most int) (list []string) {
	for range d.IntN(most + 1) {
		path := one(d, "a", "b", "./a", "./sub/a", "/a", "/sub/**", "sub/a", "sub/**", "./*", "**/a", "~/a", "~/**", "//**/b", "/tree/**", "/tree/sub/a", "link/**", "/link/**", "/away/**")
		list = append(list, one(d, "Edit(", "Read(")+path+")")
	}
	return list
}

// TestForkIsNeverLaxerAfterSetDir compares forks that move with the session that they were made
// of, which stays.
func TestForkIsNeverLaxerAfterSetDir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home := filepath.Join(root, "p")
	places := []string{home, filepath.Join(home, "sub"), filepath.Join(home, "tree"), filepath.Join(home, "link"), filepath.Join(home, "tree", "sub"), filepath.Join(root, "more", "sub")}
	for seed := range effort.Of(t, uint64(800)) {
		d := dice{rand.New(rand.NewPCG(seed, 29)), places}
		mode, lax := d.mode(laxest)
		parent := session(t, pegboard.SessionConfig{Dir: home, MoreDirs: []string{filepath.Join(root, "more")}, Classifier: undecided})
		require.NoError(t, parent.SetPermissions(rules(t, mode, policy.RuleSet{Allow: d.anchored(3), Ask: d.anchored(1), Deny: d.anchored(1)})))
		mode, _ = d.mode(lax)
		fork, err := parent.Fork(pegboard.SessionConfig{Permissions: rules(t, mode, policy.RuleSet{Ask: d.anchored(1), Deny: d.anchored(1)})})
		require.NoError(t, err)
		for range 1 + d.IntN(2) {
			if err := fork.SetDir(one(d, places...)); err != nil {
				require.ErrorIs(t, err, policy.ErrOutside)
			}
		}
		a := d.actor()
		require.GreaterOrEqual(t, settledBehavior(t, a.pool(t, fork)), settledBehavior(t, a.pool(t, parent)),
			"seed %d in %s: %+v\nparent %v\nfork %v", seed, fork.Dir(), a.traits, parent.Permissions().Rules(), fork.Permissions().Rules())
	}
}

func TestSetDirOfForks(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	s := session(t, pegboard.SessionConfig{Dir: at("p"), MoreDirs: []string{at("more")}})
	before := forked(t, s, pegboard.SessionConfig{})
	require.NoError(t, s.SetDir("tree"))
	require.Equal(t, []string{at("p"), at("more")}, before.Dirs(), "a fork that is there stays")
	later := forked(t, s, pegboard.SessionConfig{})
	require.Equal(t, at("p/tree"), later.Dir())
	require.Equal(t, []string{at("p/tree"), at("more")}, later.Dirs())
	_, err := s.Fork(pegboard.SessionConfig{Dir: at("p/sub")})
	require.ErrorIs(t, err, policy.ErrOutside)
	require.ErrorIs(t, later.SetDir(at("p")), policy.ErrOutside)
	require.NoError(t, later.SetDir("sub"))
	require.NoError(t, later.SetDir(at("p/tree")), "where it was made")
	require.NoError(t, before.SetDir("sub"))
	require.NoError(t, before.SetDir(at("p")))

	require.NoError(t, s.SetDir(at("p")))
	require.Equal(t, []string{at("p/tree"), at("more")}, later.Dirs())
	require.ErrorIs(t, later.SetDir(at("p")), policy.ErrOutside, "it lies in the parent's directories, and not in its own")
}

// TestForkKeepsTheRulesOfItsPlace: a fork that was made in a directory to which its parent had
// moved is still kept from what the rules deny there, when the parent has moved on.
func TestForkKeepsTheRulesOfItsPlace(t *testing.T) {
	t.Parallel()
	root := nested(t)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(root, "p"), Permissions: rules(t, policy.ModeBypass, policy.RuleSet{Deny: []string{"Edit(/a)"}})})
	require.NoError(t, s.SetDir("tree"))
	fork := forked(t, s, pegboard.SessionConfig{})
	require.NoError(t, s.SetDir(filepath.Join(root, "p")))
	writing := func(s *pegboard.Session, name string) policy.Behavior {
		a := actor{name: "T", traits: pegboard.Traits{Targets: []policy.Target{pathTo(policy.Write, name)}}}
		return settledBehavior(t, a.pool(t, s))
	}
	require.Equal(t, policy.Deny, writing(fork, "a"))
	require.Equal(t, policy.Deny, writing(fork, filepath.Join(root, "p", "a")))
	require.Equal(t, policy.Allow, writing(fork, "b"))
	require.Equal(t, policy.Allow, writing(s, "tree/a"), "the session itself is home again")
}

// TestDenyRuleOfTwoPlaces: the same rule, added once more elsewhere, does not lift the first.
func TestDenyRuleOfTwoPlaces(t *testing.T) {
	t.Parallel()
	root := nested(t)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(root, "p")})
	add := policy.Update{
		Type: policy.AddRules, Behavior: policy.Deny, Destination: policy.SourceSession,
		Rules: []policy.UpdateRule{{Tool: "Read", Pattern: "/a"}},
	}
	apply := func(u policy.Update) {
		require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(u) }))
	}
	reads := func(name string) policy.Behavior {
		a := reading(policy.Target{Value: filepath.Join(root, name)})
		return settledBehavior(t, a.pool(t, s))
	}
	apply(add)
	apply(add)
	require.Len(t, s.Permissions().Rules(), 1)
	require.NoError(t, s.SetDir("tree"))
	apply(add)
	apply(add)
	require.Len(t, s.Permissions().Rules(), 2)
	require.NoError(t, s.SetDir(filepath.Join(root, "p")))
	require.Equal(t, policy.Deny, reads("p/a"))
	require.Equal(t, policy.Deny, reads("p/tree/a"), "it was added there")
	add.Type = policy.RemoveRules
	apply(add)
	require.Empty(t, s.Permissions().Rules())
	require.Equal(t, policy.Allow, reads("p/tree/a"))
}

// TestChdir: only relative paths start elsewhere.
func TestChdir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	for _, tc := range []struct {
		name, to, is string
		err          error
	}{
		{name: "down", to: "tree", is: "p/tree"},
		{name: "a further directory", to: "../more", is: "more"},
		{name: "here", to: ".", is: "p"},
		{name: "up", to: "..", err: policy.ErrOutside},
		{name: "link that leads out", to: "away", err: policy.ErrOutside},
		{name: "not there", to: "none", err: fs.ErrNotExist},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Edit(/secret)"}, Ask: []string{"Edit(./notes)"}})
			require.NoError(t, err)
			s := session(t, pegboard.SessionConfig{Dir: at("p"), MoreDirs: []string{at("more")}, Permissions: perms})
			before := s.Permissions().Rules()
			err = s.Chdir(filepath.FromSlash(tc.to))
			require.ErrorIs(t, err, tc.err)
			if tc.err != nil {
				tc.is = "p"
			}
			require.Equal(t, at(tc.is), s.Cwd())
			require.Equal(t, at("p"), s.Dir())
			require.Equal(t, []string{at("p"), at("more")}, s.Dirs())
			require.Equal(t, before, s.Permissions().Rules(), "rules keep their anchors")
			fork, err := s.Fork(pegboard.SessionConfig{})
			require.NoError(t, err)
			require.Equal(t, at("p"), fork.Cwd(), "an agent begins in the directory of its session")
			again := session(t, pegboard.SessionConfig{Dir: at("p"), MoreDirs: []string{at("more")}, Cwd: s.Cwd()})
			require.Equal(t, s.Cwd(), again.Cwd())
			require.NoError(t, s.SetDir("tree"))
			require.Equal(t, at("p/tree"), s.Cwd(), "a session that moves takes it along")
			require.NoError(t, s.Chdir("sub"))
			require.NoError(t, s.Chdir(".."))
			require.Equal(t, at("p/tree"), s.Cwd())
		})
	}
	_, err := pegboard.NewSession(pegboard.SessionConfig{Dir: at("p"), Cwd: ".."})
	require.ErrorIs(t, err, policy.ErrOutside)
	require.Panics(t, func() { _ = new(pegboard.Session).Chdir("sub") })
}

// TestChdirDecidesAsTheDirectory: a relative path is decided as the absolute one that it means.
func TestChdirDecidesAsTheDirectory(t *testing.T) {
	t.Parallel()
	root := nested(t)
	perms, err := policy.New(policy.ModeAcceptEdits, policy.RuleSet{
		Deny: []string{"Edit(/secret)", "Edit(/tree/secret)", "Read(tree/sub/secret)"}, Ask: []string{"Edit(./notes)", "Edit(/" + filepath.ToSlash(root) + "/p/tree/notes)"}, Allow: []string{"Edit(/tree/.git/**)"},
	})
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{Dir: filepath.Join(root, "p"), Permissions: perms})
	p := s.Permissions()
	decide := func(at *policy.Place, access policy.Access, path string) policy.Behavior {
		return p.Decide(t.Context(), policy.Request{
			Tool: policy.Builtin("T"), Facts: policy.Facts{ReadOnly: access == policy.Read}, Place: at, Targets: []policy.Target{{Kind: policy.Path, Access: access, Value: path}},
		}).Behavior
	}
	there, err := p.Chdir("tree")
	require.NoError(t, err)
	for _, name := range []string{"secret", "sub/secret", "notes", "../secret", "../notes", "../../a", ".git/config", "a"} {
		for _, access := range []policy.Access{policy.Read, policy.Write} {
			require.Equal(t, decide(p.Place(), access, "tree/"+name), decide(there, access, name), "%v %s", access, name)
		}
	}
}

func TestOnChdir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	s := session(t, pegboard.SessionConfig{Dir: at("p")})
	var told []string
	note := func(who string) func(from, to string) {
		return func(from, to string) { told = append(told, fmt.Sprint(who, " ", from, " ", to, " ", s.Cwd() == to)) }
	}
	s.OnChdir("one", note("one"))
	s.OnChdir("two", note("two"))
	s.OnChdir("one", note("ONE"))
	require.NoError(t, s.SetDir("tree"))
	require.Error(t, s.SetDir("none"))
	s.OnChdir("two", nil)
	s.OnChdir("three", nil)
	require.NoError(t, s.SetDir(at("p")))
	require.NoError(t, s.Chdir("tree"))
	require.NoError(t, s.Chdir("."))
	require.Error(t, s.Chdir("none"))
	require.Equal(t, []string{
		fmt.Sprint("ONE ", at("p"), " ", at("p/tree"), " true"), fmt.Sprint("two ", at("p"), " ", at("p/tree"), " true"),
		fmt.Sprint("ONE ", at("p/tree"), " ", at("p"), " true"),
		fmt.Sprint("ONE ", at("p"), " ", at("p/tree"), " true"),
	}, told)
}

// TestAddedDirectoryKeepsItsPlace: a directory that was added under a relative name does not
// move with the session.
func TestAddedDirectoryKeepsItsPlace(t *testing.T) {
	t.Parallel()
	root := nested(t)
	at := func(name string) string { return filepath.Join(root, name) }
	s := session(t, pegboard.SessionConfig{Dir: at("p")})
	add := func(p policy.Permissions) (policy.Permissions, error) {
		return p.WithDirectories(policy.Directory{Path: "sub", Source: policy.SourceSession}), nil
	}
	require.NoError(t, s.UpdatePermissions(add))
	require.NoError(t, s.SetDir("tree"))
	require.Equal(t, []string{at("p/tree"), at("p/sub")}, s.Dirs())
	require.NoError(t, s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(policy.ModePlan) }))
	require.Equal(t, []string{at("p/tree"), at("p/sub")}, s.Dirs())
	require.NoError(t, s.SetDir(at("p/sub/sub")))
	require.NoError(t, s.SetDir(at("p/sub")))
}

// TestSetDirBesideCalls moves a session while batches run. Each call sees one place: its
// directory, its targets, what it may touch and what its rules are about.
func TestSetDirBesideCalls(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Read(sub/sub/**)"}})})
	begun := make(chan struct{}, 1) // a call runs, and the session moves once
	var mu sync.Mutex
	seen := map[string]int{}
	tool := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "Touches a file.",
		Inspect: func(in touch, c *pegboard.Call) pegboard.Traits {
			target := policy.Target{Kind: policy.Path, Value: in.Path}
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{target, {Kind: policy.Path, Access: policy.Read, Value: filepath.Join(c.Dir(), "b")}}}
		},
		Call: func(ctx ctx, in touch, c *pegboard.Call) (string, error) {
			select {
			case begun <- struct{}{}:
			default:
			}
			var places []string
			note := func(path string) { places = append(places, filepath.Dir(path)) }
			dir := c.Dir()
			for _, target := range c.Targets() {
				note(target.Value)
				note(target.Real())
			}
			for range 3 {
				late, err := c.PathTarget(ctx, policy.Write, "late")
				if err != nil {
					return "", err
				}
				note(late.Value)
				if c.Check(ctx, pathTo(policy.Write, "x")) != nil || c.Filter(pathTo(policy.Read, "sub/sub/x")) {
					return "", fmt.Errorf("in %s: x is denied, or sub/sub/x is not", dir)
				}
				if up := c.Filter(pathTo(policy.Write, filepath.Join(home, "up"))); up != (dir == home) {
					return "", fmt.Errorf("in %s: writing above is %v", dir, up)
				}
				if c.Dirs()[0] != dir || c.Dir() != dir || c.ShortPath(filepath.Join(dir, "b")) != "b" {
					return "", fmt.Errorf("%s, then %s", dir, c.Dirs())
				}
			}
			if i := slices.IndexFunc(places, func(p string) bool { return p != dir }); i >= 0 {
				return "", fmt.Errorf("%s and %s", dir, places[i])
			}
			mu.Lock()
			seen[dir]++
			mu.Unlock()
			return "ok", nil
		},
	})
	pool := registryOf(t, tool).AssemblePool(s, pegboard.PoolConfig{})
	stop, moved := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(moved)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-begun:
			}
			if err := s.SetDir([]string{tree, home}[n%2]); err != nil {
				panic(err)
			}
			if n%8 == 0 {
				if fork, err := s.Fork(pegboard.SessionConfig{}); err == nil {
					_ = fork.SetDir("sub")
					_ = fork.Close(t.Context())
				}
			}
		}
	}()
	var batches sync.WaitGroup
	for range 4 {
		batches.Go(func() {
			for range effort.Of(t, 60) {
				ex := executor(pegboard.Executor{})
				for _, out := range ex.Run(t.Context(), pool, touching("1", "a"), touching("2", "b"), touching("3", "a")) {
					if out.Err != nil {
						t.Errorf("%s: %v", out.Call.ID, out.Err)
					}
				}
			}
		})
	}
	batches.Wait()
	close(stop)
	<-moved
	if effort.Full(t) {
		require.Positive(t, seen[home])
		require.Positive(t, seen[tree])
	}
}

// mover returns a tool that moves its session when all calls beside it have ended.
func mover(t *testing.T) pegboard.Tool {
	t.Helper()
	return pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Move"}, Description: "Moves the session.",
		Inspect: func(touch, *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{ReadOnly: true, Concurrency: pegboard.Exclusive}
		},
		Permit: func(ctx, touch, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		},
		Call: func(_ ctx, in touch, _ *pegboard.Call) (string, error) { return in.Path, nil },
		Result: func(path string) *pegboard.Result {
			return &pegboard.Result{Parts: []pegboard.Part{{Text: "moved"}}, UpdateSession: func(s *pegboard.Session) {
				if err := s.SetDir(path); err != nil {
					panic(err)
				}
			}}
		},
	})
}

// TestSetDirInAMessage: a call behind one that moves the session is decided in the new place,
// although its targets were known before.
func TestSetDirInAMessage(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Edit(/denied)"}})})
	var mu sync.Mutex
	at := map[string]string{}
	tool := pegboard.Build(pegboard.Definition[touch, string]{
		Info: pegboard.Info{Name: "Touch"}, Description: "Touches a file.",
		Inspect: func(in touch, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{{Kind: policy.Path, Value: in.Path}}}
		},
		Call: func(_ ctx, _ touch, c *pegboard.Call) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			at[c.ID] = c.Targets()[0].Value
			return c.Dir(), nil
		},
	})
	pool := registryOf(t, mover(t), tool).AssemblePool(s, pegboard.PoolConfig{})
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), pool, touching("1", "a"), call("2", "Move", `{"path":"tree"}`), touching("3", "a"), touching("4", "denied"), touching("5", filepath.Join(home, "a")))
	for i := range 3 {
		require.NoError(t, outs[i].Err)
	}
	require.Equal(t, map[string]string{"1": filepath.Join(home, "a"), "3": filepath.Join(tree, "a")}, at)
	require.ErrorContains(t, outs[3].Err, "deny rule")
	require.ErrorIs(t, outs[4].Err, pegboard.ErrNoApprover, "the former directory is outside")
}

// TestAnswerAfterSetDir: what is asked about keeps its place, and so does what the answer adds.
func TestAnswerAfterSetDir(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	var s *pegboard.Session
	asked := 0
	s = session(t, pegboard.SessionConfig{Dir: home, Ask: func(_ context.Context, q *pegboard.Question) (policy.Decision, error) {
		asked++
		all := q.Suggestions(policy.SourceSession)
		if err := s.SetDir(tree); err != nil {
			return policy.Decision{}, err
		}
		return policy.Decision{Behavior: policy.Allow, Remember: all[0]}, nil
	}})
	var touched []string
	pool := toucherPool(t, s, func(path string) { touched = append(touched, path) })
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), pool, touching("1", "a"))[0]
	require.NoError(t, out.Err)
	require.Equal(t, []string{"a"}, touched)
	require.Equal(t, filepath.Join(home, "a"), out.Call.Targets()[0].Value)
	require.Equal(t, home, out.Call.Dir())
	decide := func(path string) policy.Behavior { return pool.Decide(t.Context(), touching("1", path)).Behavior }
	require.Equal(t, policy.Allow, decide(filepath.Join(home, "a")), "the rule is about the file that was shown")
	require.Equal(t, policy.Ask, decide("a"))

	out = ex.Run(t.Context(), pool, touching("2", "a"))[0]
	require.NoError(t, out.Err)
	require.Equal(t, 2, asked)
	require.Equal(t, policy.Allow, decide("a"))
	require.NoError(t, s.SetDir(home))
	require.Equal(t, policy.Allow, decide(filepath.Join(tree, "a")), "what was allowed in the tree was about the tree")
	require.Equal(t, policy.Ask, decide("b"))
}

// TestDirectoryIsReplaced: a directory that became a link after the session had moved there
// gives nothing elsewhere.
func TestDirectoryIsReplaced(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, tree := filepath.Join(root, "p"), filepath.Join(root, "p", "tree")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{})})
	require.NoError(t, s.SetDir(tree))
	pool := toucherPool(t, s, nil)
	decide := func(path string) policy.Behavior { return pool.Decide(t.Context(), touching("1", path)).Behavior }
	require.Equal(t, policy.Allow, decide("a"))
	require.NoError(t, os.Rename(tree, filepath.Join(home, "gone")))
	require.NoError(t, linkDir(filepath.Join(root, "out"), tree))
	require.Equal(t, policy.Ask, decide("a"))
	require.ErrorIs(t, s.SetDir("."), policy.ErrOutside)
	require.NoError(t, s.SetDir(home), "it may still go home")

	require.NoError(t, s.SetDir("sub"))
	require.NoError(t, os.Rename(home, filepath.Join(root, "q")))
	require.NoError(t, linkDir(filepath.Join(root, "out"), home))
	require.ErrorIs(t, s.SetDir(home), policy.ErrOutside, "another directory has its name")
	require.NoError(t, os.Remove(home))
	require.ErrorIs(t, s.SetDir(home), os.ErrNotExist)
	require.Equal(t, filepath.Join(home, "sub"), s.Dir())
}

// TestSetDirBesideChanges changes a session in every way at once.
func TestSetDirBesideChanges(t *testing.T) {
	t.Parallel()
	root := nested(t)
	home, more := filepath.Join(root, "p"), filepath.Join(root, "more")
	s := session(t, pegboard.SessionConfig{Dir: home, Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{Deny: []string{"Edit(/denied)"}})})
	pool := toucherPool(t, s, nil)
	var all sync.WaitGroup
	beside := func(f func(n int)) {
		all.Go(func() {
			for n := range 100 {
				f(n)
			}
		})
	}
	beside(func(n int) { _ = s.SetDir([]string{"tree", home, "sub", home}[n%4]) })
	beside(func(n int) { _ = s.SetDir([]string{home, filepath.Join(more, "sub")}[n%2]) })
	beside(func(n int) {
		u := policy.Update{Type: []policy.UpdateType{policy.AddDirectories, policy.RemoveDirectories}[n%2], Directories: []string{more}, Destination: policy.SourceSession}
		_ = s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(u) })
	})
	beside(func(int) {
		fork, err := s.Fork(pegboard.SessionConfig{})
		if err != nil {
			return // the directory of s was lost with more
		}
		_ = fork.SetDir("sub")
		_, _ = fork.Dirs(), fork.Permissions()
		_ = fork.Close(context.Background())
	})
	beside(func(int) {
		if pool.Decide(t.Context(), touching("1", "denied")).Behavior != policy.Deny {
			t.Error("a deny rule does not hold where the session is")
		}
		s.NewTurn()
		_, _ = s.Dir(), s.ShortPath(home)
	})
	all.Wait()
	require.NoError(t, s.Close(context.Background()))
	require.NoError(t, s.SetDir(home))
}
