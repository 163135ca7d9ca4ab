package pegboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

type ctx = context.Context

// session returns a session that is closed with the test. Unless cfg sets limits
// for loops it has none: many tests make the same call again and again.
func session(t testing.TB, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	if cfg.Breaker == (pegboard.BreakerLimits{}) {
		cfg.Breaker = pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1}
	}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	return s
}

// run takes one call through a zero Executor.
func run(t testing.TB, reg *pegboard.Registry, s *pegboard.Session, c pegboard.Call) pegboard.Outcome {
	t.Helper()
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), c)
	require.Len(t, outs, 1)
	require.NotNil(t, outs[0].Result)
	return outs[0]
}

func call(id, name, input string) pegboard.Call {
	return pegboard.Call{ID: id, Name: name, Input: json.RawMessage(input)}
}

// inert returns a tool that says nothing about itself and does nothing.
func inert(name string, aliases ...string) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[struct{}, string]{
		Info:            pegboard.Info{Name: name, Aliases: aliases},
		Description:     "Does nothing, as " + name + ".",
		ClassifierInput: func(struct{}, *pegboard.Call) string { return "nothing" },
		Call:            func(ctx, struct{}, *pegboard.Call) (string, error) { return name, nil },
	})
}

// rules returns permissions of one rule set.
func rules(t testing.TB, mode pegboard.Mode, set pegboard.RuleSet) pegboard.Permissions {
	t.Helper()
	p, err := pegboard.NewPermissions(mode, set)
	require.NoError(t, err)
	return p
}

// names lists a pool in prompt order.
func names(p *pegboard.Pool) []string {
	list := []string{}
	for t := range p.All() {
		list = append(list, t.Info().Name)
	}
	return list
}

// linkDir puts a symbolic link at name.
func linkDir(to, name string) error { return os.Symlink(to, name) }

func bypass(t testing.TB) pegboard.SessionConfig {
	return pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeBypass, pegboard.RuleSet{})}
}

func forked(t testing.TB, s *pegboard.Session, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	f, err := s.Fork(cfg)
	require.NoError(t, err)
	return f
}

// openSession is not closed by the test: that would hang as well.
func openSession(t *testing.T) *pegboard.Session {
	t.Helper()
	cfg := bypass(t)
	cfg.Breaker = pegboard.BreakerLimits{Errors: -1, Repeats: -1, Denials: -1}
	s, err := pegboard.NewSession(cfg)
	require.NoError(t, err)
	return s
}

func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		buf := make([]byte, 1<<20)
		t.Errorf("%s: deadlock\n%s", what, buf[:min(6000, runtime.Stack(buf, true))])
	}
}

// denying returns a session with deny rules from the user's settings.
func denying(t testing.TB, list ...string) *pegboard.Session {
	t.Helper()
	set := pegboard.RuleSet{Source: pegboard.SourceUser, Deny: list}
	return session(t, pegboard.SessionConfig{Permissions: rules(t, "", set)})
}

// declared lists the declarations of a partition.
func declared(p *pegboard.Pool, part pegboard.Partition) []string {
	list := []string{}
	for d := range p.Declarations(part) {
		list = append(list, d.Name)
	}
	return list
}

// without returns list less the names in gone.
func without(list []string, gone ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return slices.Contains(gone, n) })
}

// holds lists what p holds, for comparisons: the mode, the rules in the order
// in which they win, the directories.
func holds(p pegboard.Permissions) (list []string) {
	list = append(list, string(p.Mode()))
	for _, r := range p.Rules() {
		list = append(list, fmt.Sprintf("%v %v %s", r.Behavior, r, r.Source))
	}
	for _, d := range p.Directories() {
		list = append(list, fmt.Sprintf("dir %s %s", d.Path, d.Source))
	}
	return list
}
