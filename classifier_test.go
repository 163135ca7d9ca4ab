package pegboard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// classified is the result of a call in auto mode.
type classified struct {
	outcome    pegboard.Outcome
	ran        bool
	classifier int // how often it was asked; also of a call that was then decided without it
	person     int
}

// classify has a call of a made in auto mode, or that of cfg. The person says no.
func classify(t *testing.T, a actor, cfg pegboard.SessionConfig, set pegboard.RuleSet, answer pegboard.Classifier) (c classified) {
	t.Helper()
	if cfg.Permissions.Mode() == pegboard.ModeDefault {
		cfg.Permissions = rules(t, pegboard.ModeAuto, set)
	}
	var asked atomic.Int64
	if answer != nil {
		cfg.Classifier = func(ctx ctx, q *pegboard.Question) (pegboard.Decision, error) {
			asked.Add(1)
			return answer(ctx, q)
		}
	}
	cfg.Ask = func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		c.person++
		return pegboard.Decision{Behavior: pegboard.Deny, Reason: "the person's word"}, nil
	}
	a.call = func(ctx, *pegboard.Call) error { c.ran = true; return nil }
	if a.name == "" {
		a.name = "T"
	}
	ex := executor(pegboard.Executor{})
	pool := a.pool(t, session(t, cfg))
	c.outcome = ex.Run(t.Context(), pool, call("1", names(pool)[0], `{"k":1}`))[0]
	c.classifier = int(asked.Load())
	return c
}

func always(b pegboard.Behavior) pegboard.Classifier {
	return func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		return pegboard.Decision{Behavior: b, Reason: "its word"}, nil
	}
}

// TestClassifier answers in the place of the person only.
func TestClassifier(t *testing.T) {
	t.Parallel()
	boom := errors.New("no line")
	yes, no := always(pegboard.Allow), always(pegboard.Deny)
	hook := func(b pegboard.Behavior) pegboard.SessionConfig {
		return pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b, Reason: "the hook's word"}, nil
		}}}
	}
	in := func(m pegboard.Mode) pegboard.SessionConfig {
		return pegboard.SessionConfig{Permissions: rules(t, m, pegboard.RuleSet{})}
	}
	fatal := actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetCommand, Access: pegboard.AccessRun, Value: "rm -r /", AskReason: "it removes all files"}}}}
	edit := actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetPath, Value: "f"}}}}
	read := actor{traits: pegboard.Traits{ReadOnly: true}}
	own := func(b pegboard.Behavior) actor {
		return actor{own: pegboard.Decision{Behavior: b, Reason: "the tool's word"}}
	}
	tests := []struct {
		name       string
		actor      actor
		cfg        pegboard.SessionConfig
		set        pegboard.RuleSet
		answer     pegboard.Classifier
		ran        bool
		classifier int
		ahead      bool // the classifier may have been asked before somebody else decided
		person     int
		says       string // of the decision
	}{
		{name: "allows", answer: yes, ran: true, classifier: 1, says: "the classifier: its word"},
		{name: "denies", answer: no, classifier: 1, says: "the classifier: its word"},
		{name: "asks", answer: always(pegboard.Ask), classifier: 1, person: 1, says: "the person's word"},
		{name: "is undecided", answer: undecided, classifier: 1, person: 1, says: "the person's word"},
		{name: "says what is no behavior", answer: always(7), classifier: 1, person: 1, says: "the person's word"},
		{name: "fails", answer: func(ctx, *pegboard.Question) (pegboard.Decision, error) { return pegboard.Decision{}, boom }, classifier: 1, person: 1},
		{name: "fails and allows", answer: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Allow}, boom
		}, classifier: 1, person: 1},
		{name: "none", person: 1, says: "the person's word"},
		{name: "none, and what must not happen unseen", actor: fatal, says: "the classifier: it removes all files"},

		{name: "what must not happen unseen/allows", actor: fatal, answer: yes, classifier: 1, person: 1, says: "the person's word"},
		{name: "what must not happen unseen/denies", actor: fatal, answer: no, classifier: 1, says: "the classifier"},
		{name: "ask rule", set: pegboard.RuleSet{Ask: []string{"T"}}, answer: yes, person: 1},
		{name: "ask rule, and an allow rule", set: pegboard.RuleSet{Ask: []string{"T"}, Allow: []string{"T"}}, answer: yes, person: 1},
		{name: "deny pattern", actor: edit, set: pegboard.RuleSet{Deny: []string{"Edit(f)"}}, answer: yes, says: "deny rule"},
		{name: "only a person", actor: actor{user: true}, answer: yes, person: 1},
		{name: "only a person, and must not happen unseen", actor: actor{user: true, traits: fatal.traits}, answer: no, person: 1},
		{name: "hook asks", cfg: hook(pegboard.Ask), answer: yes, ahead: true, person: 1},
		{name: "hook denies", cfg: hook(pegboard.Deny), answer: yes, ahead: true, says: "the hook's word"},
		{name: "hook allows", cfg: hook(pegboard.Allow), answer: no, ahead: true, ran: true},
		{name: "tool asks", actor: own(pegboard.Ask), answer: yes, ahead: true, person: 1},
		{name: "tool denies", actor: own(pegboard.Deny), answer: yes, ahead: true, says: "the tool's word"},
		{name: "tool allows", actor: own(pegboard.Allow), answer: no, ahead: true, ran: true},

		{name: "allow rule", set: pegboard.RuleSet{Allow: []string{"T"}}, answer: no, ran: true, says: "allow rule"},
		{name: "edit inside", actor: edit, answer: no, ran: true, says: "mode auto permits edits"},
		{name: "read", actor: read, answer: no, ran: true, says: "only reads"},
		{name: "a tool that tells it nothing", actor: actor{silent: true}, answer: yes, person: 1, says: "the person's word"},
		{name: "a tool that tells it nothing, and what must not happen unseen", actor: actor{silent: true, traits: fatal.traits}, answer: no, person: 1},
		{name: "a tool that tells the default classifier nothing", actor: actor{silent: true, traits: fatal.traits}, person: 1, says: "the person's word"},
		{name: "attached tool", actor: actor{source: "srv", traits: read.traits}, answer: no, classifier: 1},

		{name: "mode/default", cfg: pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAcceptEdits, pegboard.RuleSet{})}, answer: yes, person: 1},
		{name: "mode/plan", cfg: in(pegboard.ModePlan), answer: yes, person: 1},
		{name: "mode/ask", cfg: in(pegboard.ModeAsk), answer: yes, person: 1},
		{name: "mode/dontAsk", cfg: in(pegboard.ModeDontAsk), answer: yes, says: "asks nobody"},
		{name: "mode/deny", cfg: in(pegboard.ModeDeny), answer: yes, says: "asks nobody"},
		{name: "mode/bypass", cfg: in(pegboard.ModeBypass), answer: no, ran: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := classify(t, tc.actor, tc.cfg, tc.set, tc.answer)
			require.Equal(t, tc.ran, got.ran, got.outcome.Decision.Reason)
			require.Equal(t, tc.ran, got.outcome.Err == nil)
			if tc.ahead {
				require.LessOrEqual(t, got.classifier, 1)
			} else {
				require.Equal(t, tc.classifier, got.classifier)
			}
			require.Equal(t, tc.person, got.person)
			require.Contains(t, got.outcome.Decision.Reason, tc.says)
		})
	}
}

// TestClassifierIsGivenTheWholeQuestion, as copies.
func TestClassifierIsGivenTheWholeQuestion(t *testing.T) {
	t.Parallel()
	a := actor{traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetHost, Access: pegboard.AccessRead, Value: "h.test"}}}}
	got := classify(t, a, pegboard.SessionConfig{}, pegboard.RuleSet{}, func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		require.Equal(t, "T", q.Tool.Info().Name)
		require.Equal(t, `1 {"k":1}`, q.Call.ID+" "+string(q.Call.Input))
		require.Equal(t, "h.test", q.Targets[0].Value)
		require.Equal(t, "a call of T", q.ClassifierInput)
		require.Contains(t, q.Reason, "no rule allows it")
		require.Empty(t, q.AgentPath)
		q.Call.ID, q.Targets[0].Value = "2", "other.test"
		q.Call.Input[0] = 'x'
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	})
	require.NoError(t, got.outcome.Err)
	require.Equal(t, `1 {"k":1}`, got.outcome.Call.ID+" "+string(got.outcome.Call.Input))
	require.Equal(t, "h.test", got.outcome.Call.Targets()[0].Value)
}

// TestClassifierThatPanics lets nothing run, and only its call is lost.
func TestClassifierThatPanics(t *testing.T) {
	t.Parallel()
	got := classify(t, actor{}, pegboard.SessionConfig{}, pegboard.RuleSet{}, func(ctx, *pegboard.Question) (pegboard.Decision, error) { panic("oh") })
	require.False(t, got.ran)
	require.Error(t, got.outcome.Err)
}

// TestSlowClassifier is not waited for once the call is stopped.
func TestSlowClassifier(t *testing.T) {
	t.Parallel()
	turn, cancel := context.WithCancel(t.Context())
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	s := session(t, pegboard.SessionConfig{
		Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}),
		Classifier: func(ctx ctx, _ *pegboard.Question) (pegboard.Decision, error) {
			cancel()
			<-ctx.Done()
			return pegboard.Decision{Behavior: pegboard.Deny}, context.Cause(ctx)
		},
		Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		},
	})
	ex := executor(pegboard.Executor{})
	out := ex.Run(turn, a.pool(t, s), call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.False(t, ran)
}

// TestClassifierThatFailsIsLogged, since the host should repair it.
func TestClassifierThatFailsIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := session(t, pegboard.SessionConfig{
		Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}),
		Classifier: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{}, errors.New("no line")
		},
	})
	ex := executor(pegboard.Executor{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	a := actor{name: "T"}
	out := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0]
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
	require.Contains(t, log.String(), "classifier: no line")
}

// counting is a session in auto mode whose classifier and person answer as told,
// and which counts who was asked.
type counting struct {
	s                  *pegboard.Session
	classifier, person pegboard.Behavior
	asked              string // c and p, in their order
}

func newCounting(t *testing.T) *counting {
	t.Helper()
	k := &counting{classifier: pegboard.Deny, person: pegboard.Deny}
	k.s = session(t, pegboard.SessionConfig{
		Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{Allow: []string{"Free"}, Ask: []string{"Asked"}, Deny: []string{"Denied(x)"}}),
		Classifier: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			k.asked += "c"
			return pegboard.Decision{Behavior: k.classifier}, nil
		},
		Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			k.asked += "p"
			return pegboard.Decision{Behavior: k.person}, nil
		},
	})
	return k
}

// try has a tool of that name called n times in s and returns who was asked.
func (k *counting) try(t *testing.T, s *pegboard.Session, tool string, n int) string {
	t.Helper()
	k.asked = ""
	a := actor{name: tool, traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.TargetResource, Value: "x"}}}}
	pool := a.pool(t, s)
	for i := range n {
		ex := executor(pegboard.Executor{})
		ex.Run(t.Context(), pool, call(fmt.Sprint(i), tool, ``))
	}
	return k.asked
}

// TestThreeRefusalsInARow of the classifier bring the person back, until a call
// is allowed.
func TestThreeRefusalsInARow(t *testing.T) {
	t.Parallel()
	k := newCounting(t)
	require.Equal(t, "cccpp", k.try(t, k.s, "T", 5))
	require.Empty(t, k.try(t, k.s, "Denied", 1), "what a rule denies ends no run")
	require.Equal(t, "pp", k.try(t, k.s, "Asked", 2), "nor does a person's refusal")
	require.Equal(t, "p", k.try(t, k.s, "T", 1))
	require.Empty(t, k.try(t, k.s, "Free", 1), "an allowed call ends it, whoever allows it")
	require.Equal(t, "cc", k.try(t, k.s, "T", 2))
	k.classifier = pegboard.Allow
	require.Equal(t, "c", k.try(t, k.s, "T", 1), "the classifier")
	k.classifier = pegboard.Deny
	require.Equal(t, "cccp", k.try(t, k.s, "T", 4))
	k.person = pegboard.Allow
	require.Equal(t, "pc", k.try(t, k.s, "T", 2), "or the person")
	require.Equal(t, "c", k.try(t, k.s, "T", 1))
	k.classifier = pegboard.Undecided
	k.person = pegboard.Deny
	require.Equal(t, "cp", k.try(t, k.s, "T", 1), "no answer is no refusal")
	k.classifier = pegboard.Deny
	require.Equal(t, "cp", k.try(t, k.s, "T", 2), "and ends no run")
}

// TestTwentyRefusals of the classifier bring the person back for good.
func TestTwentyRefusals(t *testing.T) {
	t.Parallel()
	k := newCounting(t)
	for range 10 {
		require.Equal(t, "cc", k.try(t, k.s, "T", 2))
		k.try(t, k.s, "Free", 1)
	}
	require.Equal(t, "pp", k.try(t, k.s, "T", 2))
	k.person = pegboard.Allow
	require.Equal(t, "pp", k.try(t, k.s, "T", 2))
	k.try(t, k.s, "Free", 1)
	require.Equal(t, "p", k.try(t, k.s, "T", 1))

	fork := forked(t, k.s, pegboard.SessionConfig{})
	require.Equal(t, "c", k.try(t, fork, "T", 1), "a fork counts for itself")
}

// TestForksCountForThemselves: their refusals are not those of their parent.
func TestForksCountForThemselves(t *testing.T) {
	t.Parallel()
	k := newCounting(t)
	one, two := forked(t, k.s, pegboard.SessionConfig{}), forked(t, k.s, pegboard.SessionConfig{})
	require.Equal(t, "cccp", k.try(t, one, "T", 4))
	require.Equal(t, "cccp", k.try(t, two, "T", 4))
	require.Equal(t, "cc", k.try(t, k.s, "T", 2))
	require.Empty(t, k.try(t, two, "Free", 1))
	require.Equal(t, "p", k.try(t, one, "T", 1))
	require.Equal(t, "cccp", k.try(t, two, "T", 4))
	require.Equal(t, "cp", k.try(t, k.s, "T", 2))
}

// TestClassifierNeedsAutoInEveryParent: where a parent would ask the person, the
// fork does too.
func TestClassifierNeedsAutoInEveryParent(t *testing.T) {
	t.Parallel()
	for mode, want := range map[pegboard.Mode]string{
		pegboard.ModeBypass: "c", pegboard.ModeAuto: "c", pegboard.ModeAcceptEdits: "p", pegboard.ModeDefault: "p",
		pegboard.ModePlan: "p", pegboard.ModeAsk: "p", pegboard.ModeDontAsk: "", pegboard.ModeDeny: "",
	} {
		k := newCounting(t)
		fork := forked(t, k.s, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{})})
		require.NoError(t, k.s.SetPermissions(rules(t, mode, pegboard.RuleSet{})))
		require.Equal(t, want, k.try(t, fork, "T", 1), "under %s", mode)
	}
}

func TestClassifierThatPanicsLeavesItToThePerson(t *testing.T) {
	t.Parallel()
	got := classify(t, actor{}, pegboard.SessionConfig{}, pegboard.RuleSet{}, func(ctx, *pegboard.Question) (pegboard.Decision, error) { panic("oh") })
	require.Equal(t, 1, got.person, got.outcome.Result.Text())
}

func TestAForkHasNoClassifierOfItsOwn(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, pegboard.ModeAuto, pegboard.RuleSet{}), Classifier: always(pegboard.Deny)})
	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Classifier: always(pegboard.Allow)})
	if err != nil {
		return // as it is with Ask
	}
	a := actor{name: "T"}
	require.GreaterOrEqual(t, judge(t, a.pool(t, fork)).behavior, judge(t, a.pool(t, s)).behavior)
}
