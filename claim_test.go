package pegboard_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
)

// use is the input of a tool that uses a file for a while.
type use struct {
	Path string `json:"path"`
	Read bool   `json:"read,omitempty"`
	Ms   int    `json:"ms,omitempty"`
	Deaf bool   `json:"deaf,omitempty"`
}

func (in use) target() policy.Target {
	if in.Read {
		return policy.Reads(in.Path)
	}
	return policy.Writes(in.Path)
}

// using returns a tool, Use unless d says otherwise, which locks nothing itself.
func using(d pegboard.Definition[use, string], do func(ctx context.Context, in use, c *pegboard.Call) error) pegboard.Tool {
	d.Name, d.Description = cmp.Or(d.Name, "Use"), "Uses a file."
	if d.Inspect == nil {
		d.Inspect = func(in use, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{in.target()}}
		}
	}
	d.Call = func(ctx context.Context, in use, c *pegboard.Call) (string, error) {
		heard := ctx.Done()
		if in.Deaf {
			heard = nil
		}
		if in.Ms > 0 {
			select {
			case <-time.After(time.Duration(in.Ms) * time.Millisecond):
			case <-heard:
				return "", context.Cause(ctx)
			}
		}
		if do != nil {
			if err := do(ctx, in, c); err != nil {
				return "", err
			}
		}
		return "done", nil
	}
	return pegboard.Build(d)
}

// TestAgentsTakeTurns: three agents change one file in turn, each with messages of its own, with
// a tool that reads it, waits and writes it.
func TestAgentsTakeTurns(t *testing.T) {
	t.Parallel()
	const agents, each = 3, 100
	dir := t.TempDir()
	file := filepath.Join(dir, "count")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	tool := using(pegboard.Definition[use, string]{}, func(context.Context, use, *pegboard.Call) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, append(text, 'x'), 0o600)
	})
	reg := registryOf(t, tool)
	main := session(t, pegboard.SessionConfig{Dir: dir, Permissions: allowing(t, "Use")})
	var all sync.WaitGroup
	for range agents {
		agent, err := main.Fork(pegboard.SessionConfig{})
		require.NoError(t, err)
		all.Go(func() {
			ex := executor(pegboard.Executor{})
			for range each {
				out := ex.Run(t.Context(), reg.AssemblePool(agent, pegboard.PoolConfig{}), call("1", "Use", `{"path":"count"}`))[0]
				if out.Err != nil {
					t.Error(out.Err)
				}
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, text, agents*each)
}

// allowing returns permissions that allow these rules.
func allowing(t *testing.T, rules ...string) policy.Permissions {
	t.Helper()
	p, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: rules})
	require.NoError(t, err)
	return p
}

// A stage is a conversation in a bubble whose agents are seen to begin and end their calls.
type stage struct {
	t     *testing.T
	reg   *pegboard.Registry
	main  *pegboard.Session
	begun time.Time

	mu    sync.Mutex
	lines []string
	all   sync.WaitGroup
}

func newStage(t *testing.T, cfg pegboard.SessionConfig, tools ...pegboard.Tool) *stage {
	t.Helper()
	cfg.Dir = t.TempDir()
	return &stage{t: t, reg: registryOf(t, tools...), main: session(t, cfg), begun: time.Now()}
}

func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%v ", time.Since(s.begun))+fmt.Sprintf(format, args...))
}

// send has an agent send a message, and notes how each call ends.
func (s *stage) send(ex anywhere, calls ...pegboard.Call) *pegboard.Session {
	agent, err := s.main.Fork(pegboard.SessionConfig{AgentID: calls[0].ID})
	require.NoError(s.t, err)
	s.all.Go(func() {
		for _, out := range ex.Run(s.t.Context(), s.reg.AssemblePool(agent, pegboard.PoolConfig{}), calls...) {
			word := "done"
			for _, e := range []error{pegboard.ErrDetached, pegboard.ErrDeadlock, pegboard.ErrDenied, pegboard.ErrInvalidInput, pegboard.ErrUnknownTool, pegboard.ErrTimeout} {
				if errors.Is(out.Err, e) {
					word = e.Error()
				}
			}
			s.note("%s: %s", out.Call.ID, word)
		}
	})
	synctest.Wait() // so that messages begin in their order
	return agent
}

func TestMessagesDoNotOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		calls []string // of an agent each
		want  []string
	}{
		{name: "two that write", calls: []string{`{"path":"a","ms":10}`, `{"path":"a","ms":10}`}, want: []string{"10ms 0: done", "20ms 1: done"}},
		{name: "one that reads what the other writes", calls: []string{`{"path":"a","ms":10}`, `{"path":"./a","read":true,"ms":10}`}, want: []string{"10ms 0: done", "20ms 1: done"}},
		{name: "two that read", calls: []string{`{"path":"a","read":true,"ms":10}`, `{"path":"a","read":true,"ms":11}`}, want: []string{"10ms 0: done", "11ms 1: done"}},
		{name: "two files", calls: []string{`{"path":"a","ms":10}`, `{"path":"b","ms":11}`}, want: []string{"10ms 0: done", "11ms 1: done"}},
		{name: "none overtakes one that waits", calls: []string{`{"path":"a","read":true,"ms":10}`, `{"path":"a","ms":10}`, `{"path":"a","read":true,"ms":10}`}, want: []string{"10ms 0: done", "20ms 1: done", "30ms 2: done"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, using(pegboard.Definition[use, string]{}, nil))
				for i, input := range tt.calls {
					s.send(executor(pegboard.Executor{}), call(fmt.Sprint(i), "Use", input))
				}
				s.all.Wait()
				require.Equal(t, tt.want, s.lines)
			})
		})
	}
}

// TestExclusiveIsAmongTheCallsOfAMessage: what names nothing is not kept apart from other agents.
func TestExclusiveIsAmongTheCallsOfAMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		alone := func(in use, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Value: "make"}}}
		}
		s := newStage(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, using(pegboard.Definition[use, string]{Inspect: alone}, nil))
		s.send(executor(pegboard.Executor{}), call("a", "Use", `{"path":"x","ms":10}`), call("b", "Use", `{"path":"x","ms":10}`))
		s.send(executor(pegboard.Executor{}), call("c", "Use", `{"path":"x","ms":11}`))
		s.all.Wait()
		require.ElementsMatch(t, []string{"20ms a: done", "20ms b: done", "11ms c: done"}, s.lines)
	})
}

// TestADialogHoldsUpNoOther: while a person thinks, the file that the question is about is free.
func TestADialogHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		yes := policy.Decision{Behavior: policy.Allow}
		approver := func(_ context.Context, q *pegboard.Question) (d policy.Decision, _ error) {
			if q.Call.ID == "quick" {
				d = yes
			}
			return d, nil
		}
		person := func(context.Context, *pegboard.Question) (policy.Decision, error) {
			time.Sleep(time.Hour)
			return yes, nil
		}
		s := newStage(t, pegboard.SessionConfig{Approvers: []pegboard.Asker{approver}, Ask: person}, using(pegboard.Definition[use, string]{}, nil))
		s.send(executor(pegboard.Executor{}), call("slow", "Use", `{"path":"a","ms":10}`))
		s.send(executor(pegboard.Executor{}), call("quick", "Use", `{"path":"a","ms":10}`))
		s.all.Wait()
		require.Equal(t, []string{"10ms quick: done", "1h0m0.01s slow: done"}, s.lines)
	})
}

// TestScriptsThatCross: each holds what the other needs inside.
func TestScriptsThatCross(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := using(pegboard.Definition[use, string]{}, nil)
		script := using(pegboard.Definition[use, string]{Info: pegboard.Info{Name: "Script"}}, func(ctx context.Context, in use, c *pegboard.Call) error {
			time.Sleep(10 * time.Millisecond)
			other := map[string]string{"x": "y", "y": "x"}[in.Path]
			return c.Run(ctx, call(c.ID+".in", "Use", fmt.Sprintf(`{"path":%q}`, other)))[0].Err
		})
		s := newStage(t, pegboard.SessionConfig{Permissions: allowing(t, "Use", "Script")}, inner, script)
		s.send(executor(pegboard.Executor{}), call("a", "Script", `{"path":"x"}`))
		s.send(executor(pegboard.Executor{}), call("b", "Script", `{"path":"y","ms":5}`))
		s.all.Wait()
		require.ElementsMatch(t, []string{"15ms a: done", "15ms b: " + pegboard.ErrDeadlock.Error()}, s.lines)
	})
}

// TestAbandonedCallsOfOthers: who needs what an abandoned call holds is told at once, also in
// another agent, and an exclusive one holds back no other agent.
func TestAbandonedCallsOfOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inspect := func(in use, _ *pegboard.Call) pegboard.Traits {
			if in.Path == "make" {
				return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Value: "make"}}}
			}
			return pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{in.target()}}
		}
		s := newStage(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, using(pegboard.Definition[use, string]{Inspect: inspect}, nil))
		deaf := executor(pegboard.Executor{Grace: time.Millisecond})
		first := s.send(deaf, call("deaf", "Use", `{"path":"a","ms":60000,"deaf":true}`))
		first.Interrupt(nil)
		maker := s.send(deaf, call("make", "Use", `{"path":"make","ms":60000,"deaf":true}`))
		maker.Interrupt(nil)
		s.all.Wait()
		s.send(deaf, call("late", "Use", `{"path":"a"}`))
		s.send(deaf, call("other", "Use", `{"path":"make"}`))
		s.all.Wait()
		require.Equal(t, []string{"late: " + pegboard.ErrDetached.Error(), "other: done"}, []string{after(s.lines[2]), after(s.lines[3])})

		again := deaf.Run(t.Context(), s.reg.AssemblePool(maker, pegboard.PoolConfig{}), call("again", "Use", `{"path":"b"}`))[0]
		require.ErrorIs(t, again.Err, pegboard.ErrDetached, "it is the agent whose call runs alone")
		require.True(t, s.main.Forget("deaf"))
		require.False(t, s.main.Forget("deaf"))
		s.send(deaf, call("free", "Use", `{"path":"a"}`))
		s.all.Wait()
		require.Equal(t, "free: done", after(s.lines[4]))
		require.Len(t, s.main.Detached(), 2)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Empty(t, s.main.Detached())
	})
}

// after returns a line without its time.
func after(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	return rest
}

// TestAfterTheWait: the call that was waited for has changed a link, or what Validate looks at.
func TestAfterTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *stage
		var first, changed atomic.Bool
		tool := using(pegboard.Definition[use, string]{
			Inspect: func(in use, _ *pegboard.Call) pegboard.Traits {
				tr := pegboard.Traits{Concurrency: pegboard.PerTarget, Targets: []policy.Target{in.target()}}
				if in.Path == "link/f" { // both have the key of the link
					tr.Targets = append(tr.Targets, policy.Target{Kind: policy.Resource, Value: "link"})
				}
				return tr
			},
			Validate: func(_ context.Context, in use, _ *pegboard.Call) error {
				if in.Path == "seen" && changed.Load() {
					return errors.New("it has changed since it was read")
				}
				return nil
			},
		}, func(_ context.Context, in use, c *pegboard.Call) error {
			dir := s.main.Dir()
			switch {
			case in.Path == "seen":
				changed.Store(true)
			case !first.Swap(true):
				return errors.Join(os.Remove(filepath.Join(dir, "link")), os.Symlink("denied", filepath.Join(dir, "link")))
			}
			s.note("%s wrote %s", c.ID, filepath.Base(filepath.Dir(c.Targets()[0].Real())))
			return nil
		})
		deny, err := policy.New(policy.ModeDefault, policy.RuleSet{Allow: []string{"Use"}, Deny: []string{"Edit(/denied/**)"}})
		require.NoError(t, err)
		s = newStage(t, pegboard.SessionConfig{Permissions: deny}, tool)
		for _, name := range []string{"allowed", "denied"} {
			require.NoError(t, os.Mkdir(filepath.Join(s.main.Dir(), name), 0o700))
		}
		require.NoError(t, os.Symlink("allowed", filepath.Join(s.main.Dir(), "link")))
		s.send(executor(pegboard.Executor{}), call("a", "Use", `{"path":"link/f","ms":10}`))
		s.send(executor(pegboard.Executor{}), call("b", "Use", `{"path":"link/f","ms":10}`))
		s.send(executor(pegboard.Executor{}), call("c", "Use", `{"path":"seen","ms":10}`))
		s.send(executor(pegboard.Executor{}), call("d", "Use", `{"path":"seen","ms":10}`))
		s.all.Wait()
		require.ElementsMatch(t, []string{
			"10ms a: done", "10ms b: " + pegboard.ErrDenied.Error(), "10ms c wrote " + filepath.Base(s.main.Dir()), "10ms c: done", "10ms d: " + pegboard.ErrInvalidInput.Error(),
		}, s.lines)
	})
}

// TestEventWaitingNamesTheHolder of another agent.
func TestEventWaitingNamesTheHolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, using(pegboard.Definition[use, string]{}, nil))
		s.send(executor(pegboard.Executor{}), call("b", "Use", `{"path":"a.txt","ms":10}`))
		s.send(executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventWaiting {
				s.note("%s waits for %s: %s", e.Call.ID, e.WaitsFor.ID, e.Text)
			}
		}}), call("w", "Use", `{"path":"a.txt"}`))
		s.all.Wait()
		require.Equal(t, "0s w waits for b: a.txt, which agent b's Use uses", s.lines[0])
	})
}

// TestTimeOutOfAPause: the file that a call has given back while it pauses is taken by another.
func TestTimeOutOfAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failed atomic.Bool
		tool := using(pegboard.Definition[use, string]{
			Info: pegboard.Info{Timeout: time.Minute, Retry: pegboard.RetryPolicy{Attempts: 3, Delay: 10 * time.Millisecond}},
			Inspect: func(in use, _ *pegboard.Call) pegboard.Traits {
				return pegboard.Traits{Concurrency: pegboard.PerTarget, Idempotent: true, Targets: []policy.Target{in.target()}}
			},
		}, func(_ context.Context, _ use, c *pegboard.Call) error {
			if c.ID == "first" && !failed.Swap(true) {
				return pegboard.Transient(errReset, 0)
			}
			return nil
		})
		s := newStage(t, pegboard.SessionConfig{Permissions: allowing(t, "Use")}, tool)
		s.send(executor(pegboard.Executor{}), call("first", "Use", `{"path":"a","ms":10}`))
		s.send(executor(pegboard.Executor{Grace: 2 * time.Hour}), call("long", "Use", `{"path":"a","ms":3600000,"deaf":true}`))
		s.all.Wait()
		require.Equal(t, "1m0s first: "+pegboard.ErrTimeout.Error(), s.lines[0])
	})
}
