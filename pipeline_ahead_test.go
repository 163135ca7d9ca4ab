package pegboard_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// aheadScene is a session in auto mode whose classifier takes its time and says what the
// tool's text of the call says: "allow" or "deny".
type aheadScene struct {
	cfg  pegboard.SessionConfig
	tool func(in map[string]string) pegboard.Traits // nil: something unknown
	own  pegboard.Decision                          // the tool's opinion

	mu    sync.Mutex
	asked []string         // the texts that the classifier was shown
	ended map[string]error // why its contexts have ended before it answered
}

const (
	slowHookTime = 3 * time.Second
	classifyTime = 2 * time.Second
)

func newAheadScene(t *testing.T) *aheadScene {
	t.Helper()
	x := &aheadScene{ended: map[string]error{}}
	x.cfg = pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}), Classifier: x.classify, PromptDelay: time.Minute, Ask: alwaysSays(pegboard.Decision{Behavior: pegboard.Deny, Reason: "the person"})}
	return x
}

func (x *aheadScene) classify(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
	x.mu.Lock()
	x.asked = append(x.asked, q.ClassifierInput)
	x.mu.Unlock()
	select {
	case <-time.After(classifyTime):
	case <-ctx.Done():
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ended[q.ClassifierInput] = context.Cause(ctx)
		return pegboard.Decision{}, context.Cause(ctx)
	}
	if q.ClassifierInput == "allow" {
		return pegboard.Decision{Behavior: pegboard.Allow, Reason: "fine"}, nil
	}
	return pegboard.Decision{Behavior: pegboard.Deny, Reason: "bad"}, nil
}

// slowHook returns a Pre hook that takes slowHookTime and then does what do says.
func slowHook(do func(h *pegboard.HookCall) pegboard.Decision) pegboard.Hooks {
	return pegboard.Hooks{Pre: func(ctx ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		select {
		case <-time.After(slowHookTime):
			return do(h), nil
		case <-ctx.Done():
			return pegboard.Decision{}, context.Cause(ctx)
		}
	}}
}

func hookSays(b pegboard.Behavior) func(*pegboard.HookCall) pegboard.Decision {
	return func(*pegboard.HookCall) pegboard.Decision {
		return pegboard.Decision{Behavior: b, Reason: "the hook"}
	}
}

func (x *aheadScene) pool(t *testing.T, s *pegboard.Session) *pegboard.Pool {
	t.Helper()
	d := pegboard.Definition[map[string]string, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		ClassifierInput: func(in map[string]string, _ *pegboard.Call) string {
			if in["k"] == "panic" {
				panic("no text")
			}
			return in["k"]
		},
		Permit: func(ctx, map[string]string, *pegboard.Call) pegboard.Decision { return x.own },
		Call:   func(ctx, map[string]string, *pegboard.Call) (string, error) { return "done", nil },
	}
	if x.tool != nil {
		d.Inspect = func(in map[string]string, _ *pegboard.Call) pegboard.Traits { return x.tool(in) }
	}
	return registryOf(t, pegboard.Build(d)).AssemblePool(s, pegboard.PoolConfig{})
}

// run has the tool called in a bubble of time, and returns the outcome and how long it took.
func (x *aheadScene) run(t *testing.T, text string) (o pegboard.Outcome, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, x.cfg)
		pool, began, ex := x.pool(t, s), time.Now(), executor(pegboard.Executor{Logger: slog.New(slog.DiscardHandler)})
		o = ex.Run(t.Context(), pool, call("1", "T", fmt.Sprintf(`{"k":%q}`, text)))[0]
		took = time.Since(began)
		synctest.Wait()
	})
	return o, took
}

// TestClassifierIsAskedAheadOfTheHooks: both work at the same time, and its answer counts.
func TestClassifierIsAskedAheadOfTheHooks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"allow", "deny"} {
		x := newAheadScene(t)
		x.cfg.Hooks = slowHook(hookSays(pegboard.Undecided))
		o, took := x.run(t, text)
		require.Equal(t, slowHookTime, took)
		require.Equal(t, []string{text}, x.asked)
		require.Equal(t, pegboard.ByClassifier, o.Decision.By)
		require.Equal(t, text == "allow", o.Err == nil)
		require.Empty(t, x.ended)
	}
}

// TestClassifierAheadIsDropped where somebody else decides, or the question becomes another
// one.
func TestClassifierAheadIsDropped(t *testing.T) {
	t.Parallel()
	quick := func(h pegboard.Hooks) pegboard.Hooks { // it answers before the classifier
		return pegboard.Hooks{Pre: func(ctx ctx, c *pegboard.HookCall) (pegboard.Decision, error) {
			time.Sleep(classifyTime / 2)
			return h.Pre(ctx, c)
		}}
	}
	at := func(do func(h *pegboard.HookCall) pegboard.Decision) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) { return do(h), nil }}
	}
	askRule := func(h *pegboard.HookCall) pegboard.Decision {
		if err := h.Call.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
			return p.WithRules(pegboard.RuleSet{Ask: []string{"T"}})
		}); err != nil {
			panic(err)
		}
		return pegboard.Decision{}
	}
	otherMode := func(h *pegboard.HookCall) pegboard.Decision {
		if err := h.Call.Session().UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
			return p.WithMode(pegboard.ModeDefault)
		}); err != nil {
			panic(err)
		}
		return pegboard.Decision{}
	}
	rewrite := func(h *pegboard.HookCall) pegboard.Decision {
		return pegboard.Decision{Input: []byte(`{"k":"allow"}`)}
	}
	opinion := func(b pegboard.Behavior) pegboard.Decision { return pegboard.Decision{Behavior: b, Reason: "the tool"} }
	tests := []struct {
		name  string
		hooks pegboard.Hooks
		own   pegboard.Decision
		by    pegboard.Decider
		runs  bool
		asked []string
	}{
		{name: "the hook allows", hooks: at(hookSays(pegboard.Allow)), by: pegboard.ByHook, runs: true, asked: []string{"deny"}},
		{name: "the hook denies", hooks: at(hookSays(pegboard.Deny)), by: pegboard.ByHook, asked: []string{"deny"}},
		{name: "the hook asks", hooks: at(hookSays(pegboard.Ask)), by: pegboard.ByPerson, asked: []string{"deny"}},
		{name: "the tool allows", hooks: at(hookSays(pegboard.Undecided)), own: opinion(pegboard.Allow), by: pegboard.ByTool, runs: true, asked: []string{"deny"}},
		{name: "the tool denies", hooks: at(hookSays(pegboard.Undecided)), own: opinion(pegboard.Deny), by: pegboard.ByTool, asked: []string{"deny"}},
		{name: "an ask rule", hooks: at(askRule), by: pegboard.ByPerson, asked: []string{"deny"}},
		{name: "another mode", hooks: at(otherMode), by: pegboard.ByPerson, asked: []string{"deny"}},
		{name: "another input", hooks: at(rewrite), by: pegboard.ByClassifier, runs: true, asked: []string{"deny", "allow"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := newAheadScene(t)
			x.cfg.Hooks, x.own = quick(tc.hooks), tc.own
			o, _ := x.run(t, "deny")
			require.Equal(t, tc.by, o.Decision.By, o.Decision.Reason)
			require.Equal(t, tc.runs, o.Err == nil)
			require.Equal(t, tc.asked, x.asked)
			require.Len(t, x.ended, 1, "the classifier is told that it is not needed")
			require.ErrorContains(t, x.ended["deny"], "somebody else has answered")
		})
		t.Run(tc.name+", after the classifier", func(t *testing.T) {
			t.Parallel()
			x := newAheadScene(t)
			hooks := tc.hooks
			x.cfg.Hooks, x.own = pegboard.Hooks{Pre: func(ctx ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				time.Sleep(slowHookTime)
				return hooks.Pre(ctx, h)
			}}, tc.own
			o, _ := x.run(t, "deny")
			require.Equal(t, tc.by, o.Decision.By, "its answer does not count: %s", o.Decision.Reason)
			require.Equal(t, tc.runs, o.Err == nil)
			require.Empty(t, x.ended)
		})
	}
}

// TestClassifierAheadEndsWithTheCall, with the same cause.
func TestClassifierAheadEndsWithTheCall(t *testing.T) {
	t.Parallel()
	x := newAheadScene(t)
	x.cfg.Hooks = slowHook(hookSays(pegboard.Undecided))
	synctest.Test(t, func(t *testing.T) {
		turn, cancel := context.WithCancelCause(t.Context())
		pool := x.pool(t, session(t, x.cfg))
		time.AfterFunc(classifyTime/2, func() { cancel(pegboard.ErrNewMessage) })
		ex := executor(pegboard.Executor{})
		o := ex.Run(turn, pool, call("1", "T", `{"k":"allow"}`))[0]
		require.ErrorIs(t, o.Err, pegboard.ErrNewMessage)
		synctest.Wait()
		require.ErrorIs(t, x.ended["allow"], pegboard.ErrNewMessage)
	})
}

// TestClassifierAheadIsAskedAgainForAnotherReason: the answer was about another question.
func TestClassifierAheadIsAskedAgainForAnotherReason(t *testing.T) {
	t.Parallel()
	x := newAheadScene(t)
	looks := 0
	x.tool = func(map[string]string) pegboard.Traits {
		return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "git log", Shell: pegboard.ShellFacts{
			ReadOnly: true, VerifyReadOnly: func() error { looks++; return fmt.Errorf("look %d", min(looks, 3)) },
		}}}}
	}
	x.cfg.Hooks = slowHook(func(*pegboard.HookCall) pegboard.Decision { looks = 3; return pegboard.Decision{} })
	o, took := x.run(t, "allow")
	require.NoError(t, o.Err)
	require.Equal(t, []string{"allow", "allow"}, x.asked)
	require.Equal(t, slowHookTime+classifyTime, took)
}

// TestClassifierIsNotAskedAhead where it would not be asked after the hooks.
func TestClassifierIsNotAskedAhead(t *testing.T) {
	t.Parallel()
	in := func(m pegboard.Mode, set pegboard.RuleSet) pegboard.Permissions { return rules(t, m, set) }
	reads := func(map[string]string) pegboard.Traits { return pegboard.Traits{ReadOnly: true} }
	tests := []struct {
		name  string
		perms pegboard.Permissions
		tool  func(map[string]string) pegboard.Traits
		text  string
	}{
		{name: "default mode", perms: in("", pegboard.RuleSet{})},
		{name: "bypass mode", perms: in(pegboard.ModeBypass, pegboard.RuleSet{})},
		{name: "allow rule", perms: in(pegboard.ModeAuto, pegboard.RuleSet{Allow: []string{"T"}})},
		{name: "ask rule", perms: in(pegboard.ModeAuto, pegboard.RuleSet{Ask: []string{"T"}})},
		{name: "deny rule", perms: in(pegboard.ModeAuto, pegboard.RuleSet{Deny: []string{"T(x)"}}), tool: func(map[string]string) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "x"}}}
		}},
		{name: "it only reads", perms: in(pegboard.ModeAuto, pegboard.RuleSet{}), tool: reads},
		{name: "no text", perms: in(pegboard.ModeAuto, pegboard.RuleSet{}), text: "-"},
		{name: "the text panics", perms: in(pegboard.ModeAuto, pegboard.RuleSet{}), text: "panic"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := newAheadScene(t)
			x.cfg.Permissions, x.tool = tc.perms, tc.tool
			x.cfg.Hooks = slowHook(hookSays(pegboard.Undecided))
			text := map[string]string{"": "allow", "-": "", "panic": "panic"}[tc.text]
			_, took := x.run(t, text)
			require.Empty(t, x.asked)
			require.Equal(t, slowHookTime, took)
		})
	}
}

// TestClassifierIsNotAskedAheadUnderAStricterParent, as it is not asked afterwards.
func TestClassifierIsNotAskedAheadUnderAStricterParent(t *testing.T) {
	t.Parallel()
	x := newAheadScene(t)
	x.cfg.Hooks = slowHook(hookSays(pegboard.Undecided))
	synctest.Test(t, func(t *testing.T) {
		s := session(t, x.cfg)
		fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{})})
		require.NoError(t, s.SetPermissions(pegboard.Permissions{}))
		ex := executor(pegboard.Executor{})
		o := ex.Run(t.Context(), x.pool(t, fork), call("1", "T", `{"k":"allow"}`))[0]
		require.Equal(t, pegboard.ByPerson, o.Decision.By)
		require.Empty(t, x.asked)
	})
}

// TestRefusalsThatDoNotCount: an answer that was dropped is no refusal, so the classifier is
// still asked after many.
func TestRefusalsThatDoNotCount(t *testing.T) {
	t.Parallel()
	x := newAheadScene(t)
	b := pegboard.Deny
	x.cfg.Hooks = slowHook(func(h *pegboard.HookCall) pegboard.Decision { return hookSays(b)(h) })
	synctest.Test(t, func(t *testing.T) {
		pool := x.pool(t, session(t, x.cfg))
		ex := executor(pegboard.Executor{})
		try := func() pegboard.Decider {
			return ex.Run(t.Context(), pool, call("1", "T", `{"k":"deny"}`))[0].Decision.By
		}
		for range 25 {
			require.Equal(t, pegboard.ByHook, try())
		}
		b = pegboard.Undecided
		for range 3 {
			require.Equal(t, pegboard.ByClassifier, try())
		}
		asked := len(x.asked)
		require.Equal(t, pegboard.ByPerson, try(), "three in a row")
		require.Len(t, x.asked, asked, "nor is it asked ahead any more")
	})
}

// TestClassifierTextThatPanics leaves the call to the person, and the host is told.
func TestClassifierTextThatPanics(t *testing.T) {
	t.Parallel()
	x := newAheadScene(t)
	var log bytes.Buffer
	pool := x.pool(t, session(t, x.cfg))
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	o := ex.Run(t.Context(), pool, call("1", "T", `{"k":"panic"}`))[0]
	require.Equal(t, pegboard.ByPerson, o.Decision.By)
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
	require.Contains(t, log.String(), "ClassifierInput")
}
