package pegboard_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// TestFilterBelowWhatAPersonApproved: who was asked about a tree is not asked
// again, and Filter leaves nothing of it out, for whatever reason he was asked.
func TestFilterBelowWhatAPersonApproved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		user  bool
		set   pegboard.RuleSet
		later pegboard.RuleSet // set while the call runs
		want  bool
	}{
		{name: "ask rule on the tool", set: pegboard.RuleSet{Ask: []string{"T"}}, want: true},
		{name: "ask rule on the tree", set: pegboard.RuleSet{Ask: []string{"Read(/src)"}}, want: true},
		{name: "only a person may", user: true, want: true},
		{name: "ask rule and a deny rule below", set: pegboard.RuleSet{Ask: []string{"T"}, Deny: []string{"Read(/src/a)"}}},
		{name: "only a person may, and a deny rule", user: true, set: pegboard.RuleSet{Deny: []string{"Read(/src/a)"}}},
		{name: "an ask rule since", user: true, later: pegboard.RuleSet{Ask: []string{"Read(/src/a)"}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			filtered := false
			a := reading(pegboard.Target{Value: "src", Tree: true, Filtered: true})
			a.user = tc.user
			a.call = func(_ ctx, c *pegboard.Call) error {
				more, err := c.Session().Permissions().WithRules(tc.later)
				if err != nil {
					return err
				}
				if err := c.Session().SetPermissions(more); err != nil {
					return err
				}
				filtered = c.Filter(pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "src/a"})
				return nil
			}
			s := session(t, pegboard.SessionConfig{
				Dir: t.TempDir(), Permissions: rules(t, "", tc.set),
				Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil),
			})
			ex := executor(pegboard.Executor{})
			require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Err)
			require.Len(t, questions, 1)
			require.Equal(t, tc.want, filtered)
		})
	}
}

// TestCheckIsSeen: what is decided in mid-call is an event like what is decided
// before it.
func TestCheckIsSeen(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "f")
	var questions []*pegboard.Question
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
		for _, path := range []string{"allowed", outside, "denied"} {
			if err := c.Check(ctx, pegboard.Target{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: path}); err != nil {
				return err
			}
		}
		return nil
	}}
	dir := t.TempDir()
	pool := a.pool(t, session(t, pegboard.SessionConfig{
		Dir: dir, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Read(/denied)"}}),
		Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil),
	}))
	var seen []string
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		line := e.Kind.String()
		for _, target := range e.Targets {
			line += " " + filepath.Base(filepath.Dir(target.Value)) + "/" + filepath.Base(target.Value)
		}
		if d := e.Decision; d != nil {
			line += " " + d.Behavior.String()
			if d.Rule != nil {
				line += " by " + d.Rule.String()
			}
		}
		seen = append(seen, line)
	}})
	out := ex.Run(t.Context(), pool, call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	in, there := filepath.Base(dir)+"/", filepath.Base(filepath.Dir(outside))+"/"
	require.Equal(t, []string{
		"admitted", "decided allow", "started",
		"decided " + in + "allowed allow",
		"asked " + there + "f", "settled", "decided " + there + "f allow",
		"decided " + in + "denied deny by Read(/denied)",
		"finished",
	}, seen)
}

// brokenHandler panics at every record.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenHandler) Handle(context.Context, slog.Record) error { panic("the disk is full") }

// TestBrokenLoggerHoldsUpNobody: a log line is lost, no call and no outcome.
func TestBrokenLoggerHoldsUpNobody(t *testing.T) {
	t.Parallel()
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { panic("boom") }}
	ex := executor(pegboard.Executor{Logger: slog.New(brokenHandler{})})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	for _, out := range outs {
		require.ErrorIs(t, out.Err, pegboard.ErrPanic)
		require.ErrorContains(t, out.Err, "boom")
	}
}

// TestListenerThatEndsItsGoroutineAtTheEnd loses its event: the outcome stands,
// and the event is sent once.
func TestListenerThatEndsItsGoroutineAtTheEnd(t *testing.T) {
	t.Parallel()
	a := actor{name: "T"}
	met := 0
	ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventFinished {
			met++
			runtime.Goexit()
		}
	}})
	outs := ex.Run(t.Context(), a.pool(t, session(t, bypass(t))), call("1", "T", ``), call("2", "T", ``))
	require.Equal(t, 2, met)
	for _, out := range outs {
		require.NoError(t, out.Err)
		require.Equal(t, "done", out.Result.Text())
	}
}

// TestTraitsOfAPanicAreTheCautiousOnes, not those of the input before.
func TestTraitsOfAPanicAreTheCautiousOnes(t *testing.T) {
	t.Parallel()
	type in struct {
		Bad bool `json:"bad,omitempty"`
	}
	tool := pegboard.Build(pegboard.Definition[in, string]{
		Info: pegboard.Info{Name: "T"}, Description: "For a test.",
		Inspect: func(v in, _ *pegboard.Call) pegboard.Traits {
			if v.Bad {
				panic("no idea")
			}
			return pegboard.Traits{ReadOnly: true, Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Access: pegboard.AccessRead, Value: "f"}}}
		},
		Call: func(ctx, in, *pegboard.Call) (string, error) { return "ran", nil },
	})
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
		if string(h.Call.Input) == `{"bad":false}` {
			return pegboard.Decision{Input: json.RawMessage(`{"bad":true}`)}, nil
		}
		return pegboard.Decision{}, nil
	}}})
	reg := registryOf(t, tool)
	require.NoError(t, run(t, reg, s, call("1", "T", `{}`)).Err)
	out := run(t, reg, s, call("1", "T", `{"bad":false}`))
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Empty(t, out.Call.Targets())
	require.False(t, out.Call.ReadOnly())
}
