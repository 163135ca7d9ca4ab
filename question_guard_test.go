package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// guardSays returns a guard that always decides d.
func guardSays(d policy.Decision) pegboard.Guard {
	return func(ctx, *pegboard.Question) (policy.Decision, error) { return d, nil }
}

// TestGuardIsAskedWhoeverApproved the call, and is told who did.
func TestGuardIsAskedWhoeverApproved(t *testing.T) {
	t.Parallel()
	allowed := policy.Decision{Behavior: policy.Allow, Reason: "its word"}
	hooks := pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return allowed, nil }}
	tests := []struct {
		name  string
		actor actor
		mode  policy.Mode
		set   policy.RuleSet
		hooks pegboard.Hooks
		force bool
		by    policy.Decider
		sofar policy.Behavior
	}{
		{name: "a rule", set: policy.RuleSet{Allow: []string{"T"}}, by: policy.ByRule, sofar: policy.Allow},
		{name: "the mode", mode: policy.ModeBypass, by: policy.ByMode, sofar: policy.Allow},
		{name: "a hook", hooks: hooks, by: policy.ByHook, sofar: policy.Allow},
		{name: "the tool", actor: actor{own: allowed}, by: policy.ByTool, sofar: policy.Allow},
		{name: "nobody had to", actor: actor{traits: pegboard.Traits{ReadOnly: true}}, by: policy.ByDefault, sofar: policy.Allow},
		{name: "the caller", force: true, by: policy.ByCaller, sofar: policy.Allow},
		{name: "nobody yet", by: policy.ByDefault, sofar: policy.Ask},
		{name: "an ask rule", set: policy.RuleSet{Ask: []string{"T"}}, by: policy.ByRule, sofar: policy.Ask},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, b := range []policy.Behavior{policy.Undecided, policy.Allow, policy.Ask, policy.Deny, 7} {
				var seen []*pegboard.Question
				tc.actor.name = "T"
				s := session(t, pegboard.SessionConfig{Permissions: rules(t, tc.mode, tc.set), Hooks: tc.hooks, Guard: pegboard.Guard(answering(&seen, policy.Decision{Behavior: b, Reason: "the guard's word"}, nil))})
				c := call("1", "T", `{"k":1}`)
				if tc.force {
					c = pegboard.ForceDecision(c, policy.Allow, "its word")
				}
				ex := executor(pegboard.Executor{})
				o := ex.Run(t.Context(), tc.actor.pool(t, s), c)[0]
				require.Len(t, seen, 1)
				require.Equal(t, tc.sofar, seen[0].Decision.Behavior)
				require.Equal(t, tc.by, seen[0].Decision.By)
				require.Equal(t, `1 {"k":1}`, seen[0].Call.ID+" "+string(seen[0].Call.Input))
				require.Equal(t, "T", seen[0].Tool.Info().Name)
				switch b {
				case policy.Undecided, policy.Allow:
					require.Equal(t, tc.sofar == policy.Allow, o.Err == nil, "it cannot loosen")
				case policy.Ask:
					require.ErrorIs(t, o.Err, pegboard.ErrNoApprover)
					require.Contains(t, o.Result.Text(), "the guard's word")
				default:
					require.ErrorIs(t, o.Err, pegboard.ErrDenied)
					require.Equal(t, policy.ByGuard, o.Decision.By)
					require.Contains(t, o.Result.Text(), "the guard's word")
				}
			}
		})
	}
}

// TestGuardIsNotAskedAboutWhatIsDenied.
func TestGuardIsNotAskedAboutWhatIsDenied(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeDontAsk, policy.RuleSet{}), Guard: func(ctx, *pegboard.Question) (policy.Decision, error) {
		t.Error("it was asked")
		return policy.Decision{}, nil
	}})
	require.ErrorIs(t, run(t, registryOf(t, inert("T")), s, call("1", "T", ``)).Err, pegboard.ErrDenied)
}

// TestGuardsQuestionIsForThePerson alone: no rule that is added meanwhile, no hook, approver
// or classifier answers it, and a mode that asks nobody denies.
func TestGuardsQuestionIsForThePerson(t *testing.T) {
	t.Parallel()
	yes := alwaysSays(policy.Decision{Behavior: policy.Allow})
	for name, mode := range map[string]policy.Mode{"auto": policy.ModeAuto, "bypass": policy.ModeBypass, "dontAsk": policy.ModeDontAsk} {
		for _, first := range []string{"", "ask rule", "hook"} { // who wants it asked about, too
			t.Run(name+"/"+first, func(t *testing.T) {
				t.Parallel()
				set := policy.RuleSet{Allow: []string{"T"}}
				hooks := pegboard.Hooks{Permission: yes}
				switch first {
				case "ask rule":
					set.Ask = []string{"T"}
				case "hook":
					hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
						return policy.Decision{Behavior: policy.Ask, Reason: "the hook's word"}, nil
					}
				}
				var reason string
				s := session(t, pegboard.SessionConfig{Permissions: rules(t, mode, set), Hooks: hooks, Approvers: []pegboard.Asker{yes}, Classifier: pegboard.Classifier(yes),
					Guard: guardSays(policy.Decision{Behavior: policy.Ask, Reason: "it is dear"}),
					Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
						reason = q.Reason
						if err := q.Call.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
							return p.WithRules(policy.RuleSet{Allow: []string{"T(x)"}})
						}); err != nil {
							return policy.Decision{}, err
						}
						require.Empty(t, q.Suggestions(policy.SourceSession))
						return policy.Decision{Behavior: policy.Allow, Reason: "I pay"}, nil
					}})
				o := run(t, registryOf(t, inert("T")), s, call("1", "T", ``))
				if mode == policy.ModeDontAsk {
					require.ErrorIs(t, o.Err, pegboard.ErrDenied)
					require.Empty(t, reason)
					return
				}
				require.NoError(t, o.Err)
				require.Equal(t, policy.ByPerson, o.Decision.By)
				require.Contains(t, reason, "it is dear")
			})
		}
	}
}

// TestGuardThatFails denies the call, and the host is told.
func TestGuardThatFails(t *testing.T) {
	t.Parallel()
	boom := errors.New("no line")
	for name, guard := range map[string]pegboard.Guard{
		"error": func(ctx, *pegboard.Question) (policy.Decision, error) { return policy.Decision{}, boom },
		"error and allow": func(ctx, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, boom
		},
		"panic": func(ctx, *pegboard.Question) (policy.Decision, error) { panic(boom) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var decided []policy.Decision
			ex := executor(pegboard.Executor{Logger: slog.New(slog.DiscardHandler), OnEvent: func(e pegboard.Event) {
				if e.Kind == pegboard.EventDecided {
					decided = append(decided, *e.Decision)
				}
			}})
			s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{}), Guard: guard})
			ran := false
			a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
			o := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0]
			require.ErrorIs(t, o.Err, pegboard.ErrDenied)
			require.ErrorIs(t, o.Err, boom)
			require.False(t, ran)
			require.Equal(t, policy.ByGuard, o.Decision.By)
			require.Len(t, decided, 1)
			require.Contains(t, o.Result.Text(), "could not check it")
		})
	}
}

// TestGuardThatIsStopped: the call was cancelled, and not denied.
func TestGuardThatIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(pegboard.ErrUserInterrupt) })
		s := session(t, pegboard.SessionConfig{Guard: func(ctx ctx, _ *pegboard.Question) (policy.Decision, error) {
			<-ctx.Done()
			return policy.Decision{}, context.Cause(ctx)
		}})
		ex := executor(pegboard.Executor{})
		o := ex.Run(turn, registryOf(t, inert("T")).AssemblePool(s, pegboard.PoolConfig{}), call("1", "T", ``))[0]
		require.ErrorIs(t, o.Err, pegboard.ErrUserInterrupt)
		require.NotErrorIs(t, o.Err, pegboard.ErrDenied)
	})
}

// TestGuardThatChangesTheInput: what runs is decided anew, by the rules and the guard.
func TestGuardThatChangesTheInput(t *testing.T) {
	t.Parallel()
	to := func(path string) pegboard.Guard {
		return func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			if q.Targets[0].Value == path || filepath.Base(q.Targets[0].Value) == path {
				return policy.Decision{}, nil
			}
			return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"path":"` + path + `"}`)}, nil
		}
	}
	always := 0
	tests := []struct {
		name  string
		guard pegboard.Guard
		runs  string
		says  string
	}{
		{name: "to what is allowed", guard: to("good"), runs: "good"},
		{name: "to what is denied", guard: to("bad"), says: "deny rule"},
		{name: "to what is asked about", guard: to("other"), says: "no rule allows it"},
		{name: "to what cannot be read", guard: guardSays(policy.Decision{Input: json.RawMessage(`{"path":true}`)}), says: "input is wrong"},
		{name: "again and again", guard: func(ctx, *pegboard.Question) (policy.Decision, error) {
			always++
			return policy.Decision{Input: json.RawMessage(`{"path":"good","n":` + string(rune('0'+always%10)) + `}`)}, nil
		}, says: "input"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var touched []string
			s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Edit(good)", "Edit(first)"}, Deny: []string{"Edit(bad)"}}), Guard: tc.guard})
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), toucherPool(t, s, func(p string) { touched = append(touched, p) }), touching("1", "first"))[0]
			if tc.runs == "" {
				require.Error(t, o.Err)
				require.Empty(t, touched)
				require.Contains(t, o.Result.Text(), tc.says)
				return
			}
			require.NoError(t, o.Err)
			require.Equal(t, []string{tc.runs}, touched)
		})
	}
}

// TestGuardSeesWhatThePersonChanges: the guard decides about the new input, too, and only
// the person's answer stands against its question.
func TestGuardSeesWhatThePersonChanges(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"person", "approver"} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			change := alwaysSays(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"path":"b"}`)})
			var seen, touched []string
			cfg := pegboard.SessionConfig{Dir: t.TempDir(), Guard: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
				seen = append(seen, filepath.Base(q.Targets[0].Value))
				if len(seen) > 1 {
					return policy.Decision{Behavior: policy.Ask, Reason: "is that right"}, nil
				}
				return policy.Decision{}, nil
			}}
			if who == "person" {
				cfg.Ask = change
			} else {
				cfg.Approvers = []pegboard.Asker{change}
			}
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), toucherPool(t, session(t, cfg), func(p string) { touched = append(touched, p) }), touching("1", "a"))[0]
			require.Equal(t, []string{"a", "b"}, seen)
			require.Equal(t, who == "person", o.Err == nil, o.Result.Text())
			require.Equal(t, who == "person", slices.Equal(touched, []string{"b"}))
		})
	}
}

// TestGuardsOfForks: those of the parents are asked first, and the strictest counts.
func TestGuardsOfForks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		parent, child policy.Behavior
		asked         string
		want          policy.Behavior
	}{
		{policy.Undecided, policy.Undecided, "pc", policy.Allow},
		{policy.Allow, policy.Ask, "pc", policy.Ask},
		{policy.Ask, policy.Allow, "pc", policy.Ask},
		{policy.Ask, policy.Deny, "pc", policy.Deny},
		{policy.Deny, policy.Allow, "p", policy.Deny},
	} {
		asked := ""
		guard := func(who string, b policy.Behavior) pegboard.Guard {
			return func(ctx, *pegboard.Question) (policy.Decision, error) {
				asked += who
				return policy.Decision{Behavior: b}, nil
			}
		}
		s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{}), Guard: guard("p", tc.parent)})
		fork := forked(t, s, pegboard.SessionConfig{Guard: guard("c", tc.child)})
		a := actor{name: "T"}
		require.Equal(t, tc.want, judge(t, a.pool(t, fork)).behavior)
		require.Equal(t, tc.asked, asked)
		asked = ""
		judge(t, a.pool(t, forked(t, s, pegboard.SessionConfig{})))
		require.Equal(t, "p", asked, "a fork without one has its parent's")
	}
}

// TestGuardChangesOfForks: of two changed inputs the fork's runs.
func TestGuardChangesOfForks(t *testing.T) {
	t.Parallel()
	to := func(path string) pegboard.Guard {
		return func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			if filepath.Base(q.Targets[0].Value) != "a" {
				return policy.Decision{Input: q.Call.Input}, nil
			}
			return policy.Decision{Input: json.RawMessage(`{"path":"` + path + `"}`)}, nil
		}
	}
	var touched []string
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, policy.ModeBypass, policy.RuleSet{}), Guard: to("p")})
	ex := executor(pegboard.Executor{})
	for _, fork := range []*pegboard.Session{forked(t, s, pegboard.SessionConfig{Guard: to("c")}), forked(t, s, pegboard.SessionConfig{Guard: guardSays(policy.Decision{})})} {
		require.NoError(t, ex.Run(t.Context(), toucherPool(t, fork, func(p string) { touched = append(touched, p) }), touching("1", "a"))[0].Err)
	}
	require.Equal(t, []string{"c", "p"}, touched)
}

// TestGuardOfCallsInsideACall: each is a call.
func TestGuardOfCallsInsideACall(t *testing.T) {
	t.Parallel()
	var seen []string
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeBypass, policy.RuleSet{}), Guard: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		seen = append(seen, q.Call.Name)
		if q.Call.Name == "Inner" {
			return policy.Decision{Behavior: policy.Deny, Reason: "not that", StopTurn: true}, nil
		}
		return policy.Decision{}, nil
	}})
	outer := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Outer"}, Description: "Makes a call.",
		Call: func(ctx context.Context, _ struct{}, c *pegboard.Call) (string, error) {
			return "", c.Run(ctx, call("i", "Inner", ``))[0].Err
		},
	})
	o := run(t, registryOf(t, outer, inert("Inner")), s, call("1", "Outer", ``))
	require.Error(t, o.Err)
	require.True(t, o.StopTurn)
	require.Equal(t, []string{"Outer", "Inner"}, seen)
}

// TestToolThatRequiresAGuard is denied without one, whatever allows it, and the reason names
// what is missing.
func TestToolThatRequiresAGuard(t *testing.T) {
	t.Parallel()
	tool := pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Pay", RequiresGuard: true}, Description: "Pays.",
		Permit: func(ctx, struct{}, *pegboard.Call) policy.Decision {
			return policy.Decision{Behavior: policy.Allow}
		},
		Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "paid", nil },
	})
	for _, mode := range strictness() {
		perms := rules(t, mode, policy.RuleSet{Allow: []string{"Pay"}})
		bare := session(t, pegboard.SessionConfig{Permissions: perms})
		o := run(t, registryOf(t, tool), bare, pegboard.ForceDecision(call("1", "Pay", ``), policy.Allow, ""))
		require.ErrorIs(t, o.Err, pegboard.ErrDenied)
		require.Contains(t, o.Result.Text(), "SessionConfig.Guard")
		require.Equal(t, policy.ByTool, o.Decision.By)
		x := registryOf(t, tool).AssemblePool(bare, pegboard.PoolConfig{}).ExplainDecision(t.Context(), call("1", "Pay", ``))
		require.Equal(t, policy.Deny, x.Decision.Behavior)

		guarded := session(t, pegboard.SessionConfig{Permissions: perms, Guard: guardSays(policy.Decision{})})
		runs := mode != policy.ModeAsk && mode != policy.ModePlan // there it is asked about
		require.Equal(t, runs, run(t, registryOf(t, tool), guarded, call("1", "Pay", ``)).Err == nil, mode)
		require.Equal(t, runs, run(t, registryOf(t, tool), forked(t, guarded, pegboard.SessionConfig{}), call("1", "Pay", ``)).Err == nil, mode)
	}
}

// TestGuardNeverLoosens: with any guard, a call is decided at least as strictly as without.
func TestGuardNeverLoosens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stricter := 0
	for seed := range effort.Of(t, uint64(3000)) {
		d := dice{rand.New(rand.NewPCG(seed, 33)), []string{dir, dir, filepath.Dir(dir)}}
		a, p, hook, said := d.actor(), d.policy(t), d.opinion(), d.opinion()
		force := one(d, policy.Undecided, policy.Undecided, policy.Allow, policy.Ask, policy.Deny)
		if d.IntN(3) == 0 {
			said.Input = json.RawMessage(`{"k":1}`)
		}
		on := func(guard pegboard.Guard) verdict {
			s := session(t, pegboard.SessionConfig{Dir: dir, Classifier: undecided, Guard: guard, Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return hook, nil }}})
			pool := a.pool(t, s)
			require.NoError(t, s.SetPermissions(p))
			return judgeCall(t, pool, pegboard.ForceDecision(call("1", names(pool)[0], ``), force, "forced"))
		}
		base, got := on(nil), on(guardSays(said))
		require.GreaterOrEqual(t, got.behavior, base.behavior, "seed %d: %+v, the guard says %+v under %v\n%s\n%s", seed, a.traits, said, p, base.reason, got.reason)
		if got.behavior > base.behavior {
			stricter++
		}
	}
	if effort.Full(t) {
		require.Greater(t, stricter, 100)
	}
}

// classified is the result of a call in auto mode.
type classified struct {
	outcome    pegboard.Outcome
	ran        bool
	classifier int // how often it was asked; also of a call that was then decided without it
	person     int
}

// classify has a call of a made in auto mode, or that of cfg. The person says no.
func classify(t *testing.T, a actor, cfg pegboard.SessionConfig, set policy.RuleSet, answer pegboard.Classifier) (c classified) {
	t.Helper()
	if cfg.Permissions.Mode() == policy.ModeDefault {
		cfg.Permissions = rules(t, policy.ModeAuto, set)
	}
	var asked atomic.Int64
	if answer != nil {
		cfg.Classifier = func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
			asked.Add(1)
			return answer(ctx, q)
		}
	}
	cfg.Ask = func(ctx, *pegboard.Question) (policy.Decision, error) {
		c.person++
		return policy.Decision{Behavior: policy.Deny, Reason: "the person's word"}, nil
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

func always(b policy.Behavior) pegboard.Classifier {
	return func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: b, Reason: "its word"}, nil
	}
}

// TestClassifier answers in the place of the person only.
func TestClassifier(t *testing.T) {
	t.Parallel()
	boom := errors.New("no line")
	yes, no := always(policy.Allow), always(policy.Deny)
	hook := func(b policy.Behavior) pegboard.SessionConfig {
		return pegboard.SessionConfig{Hooks: pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: "the hook's word"}, nil
		}}}
	}
	in := func(m policy.Mode) pegboard.SessionConfig {
		return pegboard.SessionConfig{Permissions: rules(t, m, policy.RuleSet{})}
	}
	fatal := actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "rm -r /", AskReason: "it removes all files"}}}}
	edit := actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Path, Value: "f"}}}}
	read := actor{traits: pegboard.Traits{ReadOnly: true}}
	own := func(b policy.Behavior) actor {
		return actor{own: policy.Decision{Behavior: b, Reason: "the tool's word"}}
	}
	tests := []struct {
		name       string
		actor      actor
		cfg        pegboard.SessionConfig
		set        policy.RuleSet
		answer     pegboard.Classifier
		ran        bool
		classifier int
		ahead      bool // the classifier may have been asked before somebody else decided
		person     int
		says       string // of the decision
	}{
		{name: "allows", answer: yes, ran: true, classifier: 1, says: "the classifier: its word"},
		{name: "denies", answer: no, classifier: 1, says: "the classifier: its word"},
		{name: "asks", answer: always(policy.Ask), classifier: 1, person: 1, says: "the person's word"},
		{name: "is undecided", answer: undecided, classifier: 1, person: 1, says: "the person's word"},
		{name: "says what is no behavior", answer: always(7), classifier: 1, person: 1, says: "the person's word"},
		{name: "fails", answer: func(ctx, *pegboard.Question) (policy.Decision, error) { return policy.Decision{}, boom }, classifier: 1, person: 1},
		{name: "fails and allows", answer: func(ctx, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, boom
		}, classifier: 1, person: 1},
		{name: "none", person: 1, says: "the person's word"},
		{name: "none, and what must not happen unseen", actor: fatal, says: "the classifier: it removes all files"},

		{name: "what must not happen unseen/allows", actor: fatal, answer: yes, classifier: 1, person: 1, says: "the person's word"},
		{name: "what must not happen unseen/denies", actor: fatal, answer: no, classifier: 1, says: "the classifier"},
		{name: "ask rule", set: policy.RuleSet{Ask: []string{"T"}}, answer: yes, person: 1},
		{name: "ask rule, and an allow rule", set: policy.RuleSet{Ask: []string{"T"}, Allow: []string{"T"}}, answer: yes, person: 1},
		{name: "deny pattern", actor: edit, set: policy.RuleSet{Deny: []string{"Edit(f)"}}, answer: yes, says: "deny rule"},
		{name: "only a person", actor: actor{user: true}, answer: yes, person: 1},
		{name: "only a person, and must not happen unseen", actor: actor{user: true, traits: fatal.traits}, answer: no, person: 1},
		{name: "hook asks", cfg: hook(policy.Ask), answer: yes, ahead: true, person: 1},
		{name: "hook denies", cfg: hook(policy.Deny), answer: yes, ahead: true, says: "the hook's word"},
		{name: "hook allows", cfg: hook(policy.Allow), answer: no, ahead: true, ran: true},
		{name: "tool asks", actor: own(policy.Ask), answer: yes, ahead: true, person: 1},
		{name: "tool denies", actor: own(policy.Deny), answer: yes, ahead: true, says: "the tool's word"},
		{name: "tool allows", actor: own(policy.Allow), answer: no, ahead: true, ran: true},

		{name: "allow rule", set: policy.RuleSet{Allow: []string{"T"}}, answer: no, ran: true, says: "allow rule"},
		{name: "edit inside", actor: edit, answer: no, ran: true, says: "mode auto permits edits"},
		{name: "read", actor: read, answer: no, ran: true, says: "only reads"},
		{name: "a tool that tells it nothing", actor: actor{silent: true}, answer: yes, person: 1, says: "the person's word"},
		{name: "a tool that tells it nothing, and what must not happen unseen", actor: actor{silent: true, traits: fatal.traits}, answer: no, person: 1},
		{name: "a tool that tells the default classifier nothing", actor: actor{silent: true, traits: fatal.traits}, person: 1, says: "the person's word"},
		{name: "attached tool", actor: actor{source: "srv", traits: read.traits}, answer: no, classifier: 1},

		{name: "mode/default", cfg: pegboard.SessionConfig{Permissions: rules(t, policy.ModeAcceptEdits, policy.RuleSet{})}, answer: yes, person: 1},
		{name: "mode/plan", cfg: in(policy.ModePlan), answer: yes, person: 1},
		{name: "mode/ask", cfg: in(policy.ModeAsk), answer: yes, person: 1},
		{name: "mode/dontAsk", cfg: in(policy.ModeDontAsk), answer: yes, says: "asks nobody"},
		{name: "mode/deny", cfg: in(policy.ModeDeny), answer: yes, says: "asks nobody"},
		{name: "mode/bypass", cfg: in(policy.ModeBypass), answer: no, ran: true},
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
	a := actor{traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Host, Access: policy.Read, Value: "h.test"}}}}
	got := classify(t, a, pegboard.SessionConfig{}, policy.RuleSet{}, func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		require.Equal(t, "T", q.Tool.Info().Name)
		require.Equal(t, `1 {"k":1}`, q.Call.ID+" "+string(q.Call.Input))
		require.Equal(t, "h.test", q.Targets[0].Value)
		require.Equal(t, "a call of T", q.ClassifierInput)
		require.Contains(t, q.Reason, "no rule allows it")
		require.Empty(t, q.AgentPath)
		q.Call.ID, q.Targets[0].Value = "2", "other.test"
		q.Call.Input[0] = 'x'
		return policy.Decision{Behavior: policy.Allow}, nil
	})
	require.NoError(t, got.outcome.Err)
	require.Equal(t, `1 {"k":1}`, got.outcome.Call.ID+" "+string(got.outcome.Call.Input))
	require.Equal(t, "h.test", got.outcome.Call.Targets()[0].Value)
}

// TestClassifierThatPanics lets nothing run, and only its call is lost.
func TestClassifierThatPanics(t *testing.T) {
	t.Parallel()
	got := classify(t, actor{}, pegboard.SessionConfig{}, policy.RuleSet{}, func(ctx, *pegboard.Question) (policy.Decision, error) { panic("oh") })
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
		Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}),
		Classifier: func(ctx ctx, _ *pegboard.Question) (policy.Decision, error) {
			cancel()
			<-ctx.Done()
			return policy.Decision{Behavior: policy.Deny}, context.Cause(ctx)
		},
		Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: policy.Allow}, nil
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
		Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}),
		Classifier: func(ctx, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{}, errors.New("no line")
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
	classifier, person policy.Behavior
	asked              string // c and p, in their order
}

func newCounting(t *testing.T) *counting {
	t.Helper()
	k := &counting{classifier: policy.Deny, person: policy.Deny}
	k.s = session(t, pegboard.SessionConfig{
		Permissions: rules(t, policy.ModeAuto, policy.RuleSet{Allow: []string{"Free"}, Ask: []string{"Asked"}, Deny: []string{"Denied(x)"}}),
		Classifier: func(ctx, *pegboard.Question) (policy.Decision, error) {
			k.asked += "c"
			return policy.Decision{Behavior: k.classifier}, nil
		},
		Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			k.asked += "p"
			return policy.Decision{Behavior: k.person}, nil
		},
	})
	return k
}

// try has a tool of that name called n times in s and returns who was asked.
func (k *counting) try(t *testing.T, s *pegboard.Session, tool string, n int) string {
	t.Helper()
	k.asked = ""
	a := actor{name: tool, traits: pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "x"}}}}
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
	k.classifier = policy.Allow
	require.Equal(t, "c", k.try(t, k.s, "T", 1), "the classifier")
	k.classifier = policy.Deny
	require.Equal(t, "cccp", k.try(t, k.s, "T", 4))
	k.person = policy.Allow
	require.Equal(t, "pc", k.try(t, k.s, "T", 2), "or the person")
	require.Equal(t, "c", k.try(t, k.s, "T", 1))
	k.classifier = policy.Undecided
	k.person = policy.Deny
	require.Equal(t, "cp", k.try(t, k.s, "T", 1), "no answer is no refusal")
	k.classifier = policy.Deny
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
	k.person = policy.Allow
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
	for mode, want := range map[policy.Mode]string{
		policy.ModeBypass: "c", policy.ModeAuto: "c", policy.ModeAcceptEdits: "p", policy.ModeDefault: "p",
		policy.ModePlan: "p", policy.ModeAsk: "p", policy.ModeDontAsk: "", policy.ModeDeny: "",
	} {
		k := newCounting(t)
		fork := forked(t, k.s, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAuto, policy.RuleSet{})})
		require.NoError(t, k.s.SetPermissions(rules(t, mode, policy.RuleSet{})))
		require.Equal(t, want, k.try(t, fork, "T", 1), "under %s", mode)
	}
}

func TestClassifierThatPanicsLeavesItToThePerson(t *testing.T) {
	t.Parallel()
	got := classify(t, actor{}, pegboard.SessionConfig{}, policy.RuleSet{}, func(ctx, *pegboard.Question) (policy.Decision, error) { panic("oh") })
	require.Equal(t, 1, got.person, got.outcome.Result.Text())
}

func TestAForkHasNoClassifierOfItsOwn(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}), Classifier: always(policy.Deny)})
	fork, err := s.Fork(pegboard.SessionConfig{Role: pegboard.RoleSubAgent, Classifier: always(policy.Allow)})
	if err != nil {
		return // as it is with Ask
	}
	a := actor{name: "T"}
	require.GreaterOrEqual(t, judge(t, a.pool(t, fork)).behavior, judge(t, a.pool(t, s)).behavior)
}
