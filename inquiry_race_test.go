package pegboard_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// contest is one question and those who settle it, each after a time of its own.
type contest struct {
	*testing.T
	session *pegboard.Session
	ended   map[string]error // why the contexts of those asked have ended
}

// after waits, and returns an error if the context ends before.
func (c *contest) after(ctx ctx, who string, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		c.ended[who] = context.Cause(ctx)
		return context.Cause(ctx)
	}
}

// asker answers after d.
func (c *contest) asker(who string, d time.Duration, b pegboard.Behavior) pegboard.Asker {
	return func(ctx ctx, _ *pegboard.Question) (pegboard.Decision, error) {
		if err := c.after(ctx, who, d); err != nil {
			return pegboard.Decision{}, err
		}
		return pegboard.Decision{Behavior: b, Reason: who}, nil
	}
}

// settlers are those who may settle a question. Each is told when, and whether it
// allows it, and changes the configuration or starts something that does.
var settlers = map[string]func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b pegboard.Behavior) (start func(cancel context.CancelCauseFunc)){
	"hook": func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b pegboard.Behavior) func(context.CancelCauseFunc) {
		cfg.Hooks.Permission = c.asker("hook", at, b)
		return nil
	},
	"classifier": func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b pegboard.Behavior) func(context.CancelCauseFunc) {
		cfg.Classifier = pegboard.Classifier(c.asker("classifier", at, b))
		return nil
	},
	"person": func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b pegboard.Behavior) func(context.CancelCauseFunc) {
		cfg.Ask = c.asker("person", at, b)
		return nil
	},
	"answer": func(c *contest, _ *pegboard.SessionConfig, at time.Duration, b pegboard.Behavior) func(context.CancelCauseFunc) {
		return func(context.CancelCauseFunc) {
			time.Sleep(at)
			for _, q := range c.session.Questions() {
				err := c.session.Answer(q.ID, pegboard.Decision{Behavior: b, Reason: "answer"})
				require.True(c, err == nil || errors.Is(err, pegboard.ErrQuestionClosed), err) // in the same instant
			}
		}
	},
	"rule": func(c *contest, _ *pegboard.SessionConfig, at time.Duration, b pegboard.Behavior) func(context.CancelCauseFunc) {
		return func(context.CancelCauseFunc) {
			time.Sleep(at)
			require.NoError(c, c.session.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) {
				return p.Apply(pegboard.PermissionUpdate{Type: pegboard.UpdateAddRules, Behavior: b, Rules: []pegboard.PermissionUpdateRule{{Tool: "Touch"}}, Destination: pegboard.SourceSession})
			}))
		}
	},
	"cancel": func(_ *contest, _ *pegboard.SessionConfig, at time.Duration, _ pegboard.Behavior) func(context.CancelCauseFunc) {
		return func(cancel context.CancelCauseFunc) {
			time.Sleep(at)
			cancel(pegboard.ErrNewMessage)
		}
	},
	"time-out": func(_ *contest, cfg *pegboard.SessionConfig, at time.Duration, _ pegboard.Behavior) func(context.CancelCauseFunc) {
		cfg.AskTimeout = at
		return nil
	},
}

// by says who settled an outcome.
func (c *contest) by(o pegboard.Outcome) string {
	switch {
	case errors.Is(o.Err, pegboard.ErrCancelled):
		require.ErrorIs(c, o.Err, pegboard.ErrNewMessage)
		require.Contains(c, o.Result.Text(), "new message")
		return "cancel"
	case errors.Is(o.Err, pegboard.ErrExpired):
		require.ErrorIs(c, o.Err, pegboard.ErrDenied)
		require.Contains(c, o.Result.Text(), "nobody answered in time: waited")
		require.Contains(c, o.Result.Text(), "No person refused it")
		return "time-out"
	case o.Decision.By == pegboard.ByRule:
		return "rule"
	case o.Decision.By == pegboard.ByClassifier:
		require.Equal(c, "the classifier: classifier", o.Decision.Reason)
		return "classifier"
	}
	want := map[string]pegboard.Decider{"hook": pegboard.ByHook, "person": pegboard.ByPerson, "answer": pegboard.ByPerson}
	require.Equal(c, want[o.Decision.Reason], o.Decision.By)
	return o.Decision.Reason
}

// TestDecidersRace holds every pair of those who may settle a question against each
// other: the first decision wins, and the other learns that it came too late.
func TestDecidersRace(t *testing.T) {
	t.Parallel()
	for one := range settlers {
		for two := range settlers {
			if one == two {
				continue
			}
			for _, gap := range []time.Duration{0, time.Millisecond} {
				for _, b := range []pegboard.Behavior{pegboard.Allow, pegboard.Deny} {
					t.Run(fmt.Sprintf("%s/%s/%v/%v", one, two, gap, b), func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) { race(t, one, two, gap, b) })
					})
				}
			}
		}
	}
}

func race(t *testing.T, one, two string, gap time.Duration, b pegboard.Behavior) {
	t.Helper()
	c := &contest{T: t, ended: map[string]error{}}
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}),
		Classifier: undecided, Ask: pegboard.AskLater, PromptDelay: -1}
	other := pegboard.Allow + pegboard.Deny - b
	var starts []func(context.CancelCauseFunc)
	for _, start := range []func(context.CancelCauseFunc){
		settlers[one](c, &cfg, 10*time.Millisecond, b), settlers[two](c, &cfg, 10*time.Millisecond+gap, other),
	} {
		if start != nil {
			starts = append(starts, start)
		}
	}
	c.session = session(t, cfg)
	var reg pegboard.Registry
	require.NoError(t, reg.Add(inert("Touch")))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var all sync.WaitGroup
	for _, start := range starts {
		all.Go(func() { start(cancel) })
	}
	ex := executor(pegboard.Executor{})
	o := ex.Run(ctx, reg.AssemblePool(c.session, pegboard.PoolConfig{}), call("1", "Touch", `{}`))[0]
	all.Wait()
	synctest.Wait()
	won, lost := c.by(o), two
	if gap == 0 {
		require.Contains(t, []string{one, two}, won)
		if won == two {
			b, lost = other, one
		}
	} else {
		require.Equal(t, one, won)
	}
	if won != "cancel" && won != "time-out" {
		require.Equal(t, b == pegboard.Allow, o.Err == nil)
	}
	if err, asked := c.ended[lost]; asked {
		require.Error(t, err, "it was told")
	} else if gap > 0 && won != "rule" {
		require.NotContains(t, []string{"hook", "classifier", "person"}, lost, "who came too late is told so")
	}
	require.Empty(t, c.session.Questions())
}
