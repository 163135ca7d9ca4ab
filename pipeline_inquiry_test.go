package pegboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/policy"
)

// TestApproversComeFirst asks them in their order, and the person only if none of them
// decides.
func TestApproversComeFirst(t *testing.T) {
	t.Parallel()
	say := func(b policy.Behavior, reason string) pegboard.Asker {
		return func(ctx, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{Behavior: b, Reason: reason}, nil
		}
	}
	fails := func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow}, errors.New("down")
	}
	panics := func(ctx, *pegboard.Question) (policy.Decision, error) { panic("down") }
	tests := []struct {
		name         string
		checks, fork []pegboard.Asker
		user         bool
		by           policy.Decider
		reason       string
	}{
		{name: "none", by: policy.ByPerson, reason: "person"},
		{name: "allows", checks: []pegboard.Asker{say(policy.Allow, "one"), say(policy.Deny, "two")}, by: policy.ByApprover, reason: "one"},
		{name: "abstains, fails, panics", checks: []pegboard.Asker{say(policy.Undecided, ""), fails, panics, say(policy.Deny, "four")}, by: policy.ByApprover, reason: "four"},
		{name: "all abstain", checks: []pegboard.Asker{say(policy.Ask, ""), panics}, by: policy.ByPerson, reason: "person"},
		{name: "only a person may", user: true, checks: []pegboard.Asker{say(policy.Allow, "one")}, by: policy.ByPerson, reason: "person"},
		{name: "a fork's cannot allow", fork: []pegboard.Asker{say(policy.Allow, "fork")}, by: policy.ByPerson, reason: "person"},
		{name: "a fork's can deny", fork: []pegboard.Asker{say(policy.Deny, "fork")}, by: policy.ByApprover, reason: "fork"},
		{name: "a fork's come later", checks: []pegboard.Asker{say(policy.Allow, "parent")}, fork: []pegboard.Asker{say(policy.Deny, "fork")}, by: policy.ByApprover, reason: "parent"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := session(t, pegboard.SessionConfig{Approvers: tc.checks, Ask: say(policy.Allow, "person")})
			s = forked(t, s, pegboard.SessionConfig{Approvers: tc.fork})
			a := actor{name: "T", user: tc.user}
			ex := executor(pegboard.Executor{})
			d := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0].Decision
			require.Equal(t, tc.by, d.By)
			require.Equal(t, tc.reason, d.Reason)
		})
	}
}

// TestWhyAQuestionHadNoAnswer: the error tells whether there was no approver or the
// question expired.
func TestWhyAQuestionHadNoAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cfg  pegboard.SessionConfig
		fork pegboard.SessionConfig
		is   error
		says string
	}{
		{name: "no asker", is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "an agent that must not disturb", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater}, fork: pegboard.SessionConfig{NoPrompts: true}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "its parent must not", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, NoPrompts: true}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "nobody at the other end", cfg: pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) { return policy.Decision{}, nil }}, is: pegboard.ErrNoApprover, says: "nobody can be asked"},
		{name: "no answer in time", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute}, is: pegboard.ErrExpired, says: "nobody answered in time: waited 1m0s"},
		{name: "a bridge that gave up", cfg: pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			return policy.Decision{}, context.DeadlineExceeded
		}}, is: pegboard.ErrExpired, says: "nobody answered in time"},
		{name: "a fork of less patience", cfg: pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Hour}, fork: pegboard.SessionConfig{AskTimeout: time.Second}, is: pegboard.ErrExpired, says: "waited 1s"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := forked(t, session(t, tc.cfg), tc.fork)
				a := actor{name: "T"}
				ex := executor(pegboard.Executor{})
				o := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``))[0]
				require.ErrorIs(t, o.Err, tc.is)
				require.ErrorIs(t, o.Err, pegboard.ErrDenied)
				require.NotErrorIs(t, o.Err, pegboard.ErrCancelled)
				require.Contains(t, o.Result.Text(), tc.says)
				require.Contains(t, o.Result.Text(), "No person refused it")
				require.Equal(t, policy.ByNobody, o.Decision.By)
			})
		})
	}
}

// TestPermissionHooksAnswerForThePerson, but for what only a person may allow.
func TestPermissionHooksAnswerForThePerson(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	tests := []struct {
		name   string
		says   policy.Decision
		err    error
		mode   pegboard.FailMode
		user   bool
		runs   bool
		person int // how often the person is asked; the person says yes
	}{
		{name: "allows", says: policy.Decision{Behavior: policy.Allow}, runs: true},
		{name: "denies", says: policy.Decision{Behavior: policy.Deny, Reason: "policy"}},
		{name: "abstains", runs: true, person: 1},
		{name: "fails", err: boom},
		{name: "fails, and that is ignored", err: boom, mode: pegboard.FailContinue, runs: true, person: 1},
		{name: "allows what only a person may", says: policy.Decision{Behavior: policy.Allow}, user: true, runs: true, person: 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := session(t, pegboard.SessionConfig{
				Hooks: pegboard.Hooks{
					OnFailure:  tc.mode,
					Permission: func(ctx, *pegboard.Question) (policy.Decision, error) { return tc.says, tc.err },
				},
				Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
					asked++
					return policy.Decision{Behavior: policy.Allow}, nil
				},
			})
			tool := pegboard.Build(pegboard.Definition[struct{}, string]{
				Info: pegboard.Info{Name: "T", RequiresUser: tc.user}, Description: "Is asked about.",
				Call: func(ctx, struct{}, *pegboard.Call) (string, error) { return "ran", nil },
			})
			out := run(t, registryOf(t, tool), s, call("1", "T", ``))
			require.Equal(t, tc.runs, out.Err == nil, out.Result.Text())
			require.Equal(t, tc.person, asked)
		})
	}
}

// TestPermissionHookMayChangeTheInput, which is then decided anew.
func TestPermissionHookMayChangeTheInput(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: func(ctx, *pegboard.Question) (policy.Decision, error) {
		return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"path":"other","write":true}`)}, nil
	}}})
	out := run(t, registryOf(t, worker(func(job, bool) {})), s, call("1", "Work", `{"path":"a","write":true}`))
	require.NoError(t, out.Err)
	require.Equal(t, "other", out.Result.Text())
}

// TestForksHookCannotChangeWhatIsAllowed: the parent's hook allows the input that it was
// shown, not one that the fork's hook puts in its place.
func TestForksHookCannotChangeWhatIsAllowed(t *testing.T) {
	t.Parallel()
	var ran []step
	var reg pegboard.Registry
	require.NoError(t, reg.Add(stepper(&ran)))
	parent := func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		if string(q.Call.Input) == `{"n":1}` {
			return policy.Decision{Behavior: policy.Allow, Reason: "1 is harmless"}, nil
		}
		return policy.Decision{Behavior: policy.Deny}, nil
	}
	for _, b := range []policy.Behavior{policy.Undecided, policy.Allow} {
		ran = nil
		s := session(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: parent}})
		fork := forked(t, s, pegboard.SessionConfig{Hooks: pegboard.Hooks{
			Permission: alwaysSays(policy.Decision{Behavior: b, Input: json.RawMessage(`{"n":2,"path":"evil"}`)})}})
		o := run(t, &reg, fork, call("1", "T", `{"n":1}`))
		require.NotContains(t, ran, step{N: 2, Path: "evil"}, "by %v: %s", o.Decision.By, o.Decision.Reason)
	}
}

// TestHookThatAbstainsDoesNotChangeWhatAnotherAllows: the same of two hooks
// of one session.
func TestHookThatAbstainsDoesNotChangeWhatAnotherAllows(t *testing.T) {
	t.Parallel()
	var ran []step
	var reg pegboard.Registry
	require.NoError(t, reg.Add(stepper(&ran)))
	s := session(t, pegboard.SessionConfig{Hooks: pegboard.JoinHooks(
		pegboard.Hooks{Permission: alwaysSays(policy.Decision{Behavior: policy.Allow})},
		pegboard.Hooks{Permission: alwaysSays(policy.Decision{Input: json.RawMessage(`{"n":2}`)})})})
	run(t, &reg, s, call("1", "T", `{"n":1}`))
	require.NotContains(t, ran, step{N: 2}, "nobody allowed these bytes")
}

// TestForksHookCannotAnswerForThePerson by way of the line.
func TestForksHookCannotAnswerForThePerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := session(t, pegboard.SessionConfig{Ask: pegboard.AskLater, AskTimeout: time.Minute})
		fork := forked(t, s, pegboard.SessionConfig{Hooks: pegboard.Hooks{Permission: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			time.Sleep(3 * time.Second) // until the person is asked
			for _, open := range q.Call.Session().Questions() {
				_ = q.Call.Session().Answer(open.ID, policy.Decision{Behavior: policy.Allow, Remember: []policy.Update{allowRule(policy.SourceUser, "T", "")}})
			}
			return policy.Decision{}, nil
		}}})
		a := actor{name: "T"}
		ex := executor(pegboard.Executor{})
		o := ex.Run(t.Context(), a.pool(t, fork), call("1", "T", `{}`))[0]
		require.ErrorIs(t, o.Err, pegboard.ErrExpired, "decided by %v, and the main session now has %v", o.Decision.By, s.Permissions().Rules())
	})
}

// TestApproversAndHooksAllowWhatNeedsAPerson documents how things are: both may allow a
// call that an ask rule or a target's AskReason is about. The classifier may not.
func TestApproversAndHooksAllowWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	yes := alwaysSays(policy.Decision{Behavior: policy.Allow})
	for name, cfg := range map[string]pegboard.SessionConfig{
		"check": {Approvers: []pegboard.Asker{yes}}, "hook": {Hooks: pegboard.Hooks{Permission: yes}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Dir, cfg.Permissions = t.TempDir(), rules(t, "", policy.RuleSet{Ask: []string{"Edit(secret)"}})
			s := session(t, cfg)
			for _, path := range []string{"secret", ".git/config"} {
				ex := executor(pegboard.Executor{})
				require.NoError(t, ex.Run(t.Context(), toucherPool(t, s, nil), touching("1", path))[0].Err)
			}
		})
	}
}

// TestRuleThatWasAddedMeanwhileHolds: a deny rule that is added while the question is
// open holds, also if the answer then is to allow the call.
func TestRuleThatWasAddedMeanwhileHolds(t *testing.T) {
	t.Parallel()
	deny := policy.Update{Type: policy.AddRules, Behavior: policy.Deny, Destination: policy.SourceUser, Rules: []policy.UpdateRule{{Tool: "T"}}}
	tests := map[string]func(cfg *pegboard.SessionConfig, a pegboard.Asker){
		"check":      func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Approvers = []pegboard.Asker{a} },
		"hook":       func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Hooks.Permission = a },
		"classifier": func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Classifier = pegboard.Classifier(a) },
		"person":     func(cfg *pegboard.SessionConfig, a pegboard.Asker) { cfg.Ask = a },
	}
	for name, set := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := false
			cfg := pegboard.SessionConfig{Permissions: rules(t, policy.ModeAuto, policy.RuleSet{})}
			set(&cfg, func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
				err := q.Call.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.Apply(deny) })
				return policy.Decision{Behavior: policy.Allow}, err
			})
			a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
			ex := executor(pegboard.Executor{})
			o := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", `{}`))[0]
			require.False(t, ran, "a deny rule stands when it starts; decided by %v: %s", o.Decision.By, o.Decision.Reason)
		})
	}
}

// TestStopTurnInsideACallStopsTheMessage: a person who stops the turn at a call from
// inside another stops the message of the outer call.
func TestStopTurnInsideACallStopsTheMessage(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{
		Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Outer"}}),
		Ask:         alwaysSays(policy.Decision{Behavior: policy.Deny, Reason: "enough", StopTurn: true})})
	var reg pegboard.Registry
	require.NoError(t, reg.Add(inert("Inner")))
	require.NoError(t, reg.Add(pegboard.Build(pegboard.Definition[struct{}, string]{
		Info: pegboard.Info{Name: "Outer"}, Description: "Runs another.",
		Call: func(ctx ctx, _ struct{}, c *pegboard.Call) (string, error) {
			return c.Run(ctx, call("i", "Inner", `{}`))[0].Result.Text(), nil
		},
	})))
	ex := executor(pegboard.Executor{})
	outs := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", "Outer", `{}`), call("2", "Outer", `{}`))
	require.True(t, outs[0].StopTurn, "the turn ends")
	require.ErrorIs(t, outs[1].Err, pegboard.ErrCancelled, "the message's other calls are stopped")
}

// inRandomOrder lets 1,000 calls wait for their answers, and answers them in a
// random order by their ids: some yes, some no, some with another input.
func inRandomOrder(t *testing.T, random *rand.Rand) {
	t.Helper()
	const n = 1000
	s := session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: pegboard.AskLater})
	var calls []pegboard.Call
	for i := range n {
		calls = append(calls, touching(fmt.Sprint(i), fmt.Sprintf("f%d", i)))
	}
	touched, asked := make(chan string, n), make(chan string, n)
	pool := toucherPool(t, s, func(path string) { touched <- path })
	outcomes := make(chan []pegboard.Outcome, 1)
	go func() {
		ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
			if e.Kind == pegboard.EventAsked {
				asked <- e.Question.ID
			}
		}})
		outcomes <- ex.Run(t.Context(), pool, calls...)
	}()
	for range n {
		<-asked
	}
	open := s.Questions()
	require.Len(t, open, n)
	random.Shuffle(n, func(i, j int) { open[i], open[j] = open[j], open[i] })
	want := map[string]string{}
	for i, q := range open {
		id := q.Call.ID
		d := policy.Decision{Behavior: policy.Allow}
		switch want[id] = "touched f" + id; i % 3 {
		case 1:
			d = policy.Decision{Behavior: policy.Deny, Reason: "not " + id + "!"}
			want[id] = "not " + id + "!"
		case 2:
			d.Input = json.RawMessage(fmt.Sprintf(`{"path":"g%s"}`, id))
			want[id] = "touched g" + id
		}
		require.NoError(t, s.Answer(q.ID, d))
		require.ErrorIs(t, s.Answer(q.ID, d), pegboard.ErrQuestionClosed)
	}
	ran := map[string]bool{}
	for _, o := range <-outcomes {
		require.Contains(t, o.Result.Text(), want[o.Call.ID])
		require.Equal(t, policy.ByPerson, o.Decision.By)
		if o.Err == nil {
			ran[strings.TrimPrefix(o.Result.Text(), "touched ")] = true
		}
	}
	close(touched)
	for path := range touched {
		require.True(t, ran[path], path)
		delete(ran, path)
	}
	require.Empty(t, ran)
	require.Empty(t, s.Questions())
}

// TestThousandQuestionsInRandomOrder: each answer reaches its own call, whatever
// was shown first. (So many goroutines in one bubble of synctest crash the race
// detector of Go 1.26.)
func TestThousandQuestionsInRandomOrder(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(3)) {
		inRandomOrder(t, rand.New(rand.NewPCG(seed, 0)))
	}
}

// fumbler is a person in a hurry: whatever is asked, answers, calls and rules come
// in any order.
type fumbler struct {
	*testing.T
	random *rand.Rand
	main   *pegboard.Session
	agents []*pegboard.Session

	mu      sync.Mutex
	showing int
}

func (f *fumbler) intN(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.random.IntN(n)
}

// ask is the dialog: it takes its time, and sometimes answers.
func (f *fumbler) ask(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
	f.mu.Lock()
	f.showing++
	require.Equal(f, 1, f.showing, "one question at a time")
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.showing--
	}()
	select {
	case <-time.After(time.Duration(1+f.intN(20)) * time.Millisecond):
	case <-ctx.Done():
		return policy.Decision{}, context.Cause(ctx)
	}
	d := f.answer(q)
	return d, nil
}

// answer is one that says which call it is meant for.
func (f *fumbler) answer(q *pegboard.Question) policy.Decision {
	d := policy.Decision{Behavior: policy.Allow, Reason: "for " + q.Call.ID}
	switch f.intN(5) {
	case 0:
		d.Behavior = policy.Deny
	case 1:
		d.Remember = []policy.Update{{Type: policy.AddRules, Behavior: policy.Allow, Destination: policy.SourceSession,
			Rules: []policy.UpdateRule{{Tool: "Edit", Pattern: fmt.Sprintf("/f%d", f.intN(8))}}}}
	}
	return d
}

// meddle answers any open question, or one that is not.
func (f *fumbler) meddle() {
	open := f.main.Questions()
	if len(open) == 0 || f.intN(4) == 0 {
		require.ErrorIs(f, f.main.Answer(fmt.Sprint("foreign-", f.intN(9)), policy.Decision{Behavior: policy.Allow}), pegboard.ErrQuestionClosed)
		return
	}
	q := open[f.intN(len(open))]
	if f.intN(4) == 0 {
		require.Error(f, f.main.Answer(q.ID, policy.Decision{Behavior: policy.Ask}))
		return
	}
	err := f.main.Answer(q.ID, f.answer(q))
	require.True(f, err == nil || errors.Is(err, pegboard.ErrQuestionClosed), err)
}

// TestAnyOrderOfAsksAnswersCancelsAndRules never answers the wrong question, loses
// one or leaves one open.
func TestAnyOrderOfAsksAnswersCancelsAndRules(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { fumble(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func fumble(t *testing.T, random *rand.Rand) {
	t.Helper()
	f := &fumbler{T: t, random: random}
	f.main = session(t, pegboard.SessionConfig{Dir: t.TempDir(), Ask: f.ask})
	f.agents = []*pegboard.Session{f.main, forked(t, f.main, pegboard.SessionConfig{AgentID: "a"})}
	f.agents = append(f.agents, forked(t, f.agents[1], pegboard.SessionConfig{AgentID: "b"}))
	var all sync.WaitGroup
	for i := range 30 {
		s := f.agents[i%3]
		pool := toucherPool(t, s, nil)
		all.Go(func() {
			time.Sleep(time.Duration(f.intN(100)) * time.Millisecond)
			ctx, cancel := context.WithCancel(t.Context())
			if f.intN(4) == 0 {
				ctx, cancel = context.WithTimeout(t.Context(), time.Duration(f.intN(100))*time.Millisecond)
			}
			defer cancel()
			ex := executor(pegboard.Executor{})
			outs := ex.Run(ctx, pool, touching(fmt.Sprint(i, "x"), fmt.Sprintf("f%d", i)), touching(fmt.Sprint(i, "y"), fmt.Sprintf("f%d", f.intN(8))))
			require.Len(f, outs, 2)
			for _, o := range outs {
				f.check(o)
			}
		})
	}
	for range 60 {
		all.Go(func() {
			time.Sleep(time.Duration(f.intN(300)) * time.Millisecond)
			f.meddle()
		})
	}
	all.Wait()
	require.Empty(t, f.main.Questions())
}

// check: whatever a person decided was decided of this call.
func (f *fumbler) check(o pegboard.Outcome) {
	switch d := o.Decision; {
	case errors.Is(o.Err, pegboard.ErrCancelled):
	case d.By == policy.ByPerson:
		require.Equal(f, "for "+o.Call.ID, d.Reason)
		require.Equal(f, d.Behavior == policy.Allow, o.Err == nil)
	case d.By == policy.ByRule:
		require.NoError(f, o.Err)
		require.Equal(f, o.Call.Targets()[0].Value, f.main.Dir()+d.Rule.Pattern)
	default:
		require.Fail(f, "nobody decided", "%v: %v", o.Call.ID, o.Result.Text())
	}
}

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
func (c *contest) asker(who string, d time.Duration, b policy.Behavior) pegboard.Asker {
	return func(ctx ctx, _ *pegboard.Question) (policy.Decision, error) {
		if err := c.after(ctx, who, d); err != nil {
			return policy.Decision{}, err
		}
		return policy.Decision{Behavior: b, Reason: who}, nil
	}
}

// settlers are those who may settle a question. Each is told when, and whether it
// allows it, and changes the configuration or starts something that does.
var settlers = map[string]func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b policy.Behavior) (start func(cancel context.CancelCauseFunc)){
	"hook": func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b policy.Behavior) func(context.CancelCauseFunc) {
		cfg.Hooks.Permission = c.asker("hook", at, b)
		return nil
	},
	"classifier": func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b policy.Behavior) func(context.CancelCauseFunc) {
		cfg.Classifier = pegboard.Classifier(c.asker("classifier", at, b))
		return nil
	},
	"person": func(c *contest, cfg *pegboard.SessionConfig, at time.Duration, b policy.Behavior) func(context.CancelCauseFunc) {
		cfg.Ask = c.asker("person", at, b)
		return nil
	},
	"answer": func(c *contest, _ *pegboard.SessionConfig, at time.Duration, b policy.Behavior) func(context.CancelCauseFunc) {
		return func(context.CancelCauseFunc) {
			time.Sleep(at)
			for _, q := range c.session.Questions() {
				err := c.session.Answer(q.ID, policy.Decision{Behavior: b, Reason: "answer"})
				require.True(c, err == nil || errors.Is(err, pegboard.ErrQuestionClosed), err) // in the same instant
			}
		}
	},
	"rule": func(c *contest, _ *pegboard.SessionConfig, at time.Duration, b policy.Behavior) func(context.CancelCauseFunc) {
		return func(context.CancelCauseFunc) {
			time.Sleep(at)
			require.NoError(c, c.session.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
				return p.Apply(policy.Update{Type: policy.AddRules, Behavior: b, Rules: []policy.UpdateRule{{Tool: "Touch"}}, Destination: policy.SourceSession})
			}))
		}
	},
	"cancel": func(_ *contest, _ *pegboard.SessionConfig, at time.Duration, _ policy.Behavior) func(context.CancelCauseFunc) {
		return func(cancel context.CancelCauseFunc) {
			time.Sleep(at)
			cancel(pegboard.ErrNewMessage)
		}
	},
	"time-out": func(_ *contest, cfg *pegboard.SessionConfig, at time.Duration, _ policy.Behavior) func(context.CancelCauseFunc) {
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
	case o.Decision.By == policy.ByRule:
		return "rule"
	case o.Decision.By == policy.ByClassifier:
		require.Equal(c, "the classifier: classifier", o.Decision.Reason)
		return "classifier"
	}
	want := map[string]policy.Decider{"hook": policy.ByHook, "person": policy.ByPerson, "answer": policy.ByPerson}
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
				for _, b := range []policy.Behavior{policy.Allow, policy.Deny} {
					t.Run(fmt.Sprintf("%s/%s/%v/%v", one, two, gap, b), func(t *testing.T) {
						t.Parallel()
						synctest.Test(t, func(t *testing.T) { race(t, one, two, gap, b) })
					})
				}
			}
		}
	}
}

func race(t *testing.T, one, two string, gap time.Duration, b policy.Behavior) {
	t.Helper()
	c := &contest{T: t, ended: map[string]error{}}
	cfg := pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}),
		Classifier: undecided, Ask: pegboard.AskLater, PromptDelay: -1}
	other := policy.Allow + policy.Deny - b
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
		require.Equal(t, b == policy.Allow, o.Err == nil)
	}
	if err, asked := c.ended[lost]; asked {
		require.Error(t, err, "it was told")
	} else if gap > 0 && won != "rule" {
		require.NotContains(t, []string{"hook", "classifier", "person"}, lost, "who came too late is told so")
	}
	require.Empty(t, c.session.Questions())
}

// TestWhoAnswersInTheUsersPlace is about calls of a tool that only the user may allow: others
// count if they bring an answer, and by nothing else.
func TestWhoAnswersInTheUsersPlace(t *testing.T) {
	t.Parallel()
	const answer = `{"answer":"tea"}`
	allow, brings := policy.Decision{Behavior: policy.Allow}, policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(answer)}
	says := func(d policy.Decision, err error) func(ctx, *pegboard.Question) (policy.Decision, error) {
		return func(ctx, *pegboard.Question) (policy.Decision, error) { return d, err }
	}
	before := func(d policy.Decision) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (policy.Decision, error) { return d, nil }}
	}
	permission := func(d policy.Decision, err error) pegboard.Hooks { return pegboard.Hooks{Permission: says(d, err)} }
	deny, wrong := policy.Decision{Behavior: policy.Deny}, policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"answer":1}`)}
	asks := func(r string) policy.RuleSet { return policy.RuleSet{Ask: []string{r}} }
	tests := []struct {
		name   string
		cfg    pegboard.SessionConfig
		fork   *pegboard.SessionConfig
		mode   policy.Mode
		set    policy.RuleSet
		source string
		by     policy.Decider
		input  string // that the tool is called with; empty if it is denied
	}{
		{name: "a check brings an answer", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(brings, nil)}}, by: policy.ByApprover, input: answer},
		{name: "a check allows", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(allow, nil)}}, by: policy.ByPerson, input: `{}`},
		{name: "a check denies", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(deny, nil)}}, by: policy.ByPerson, input: `{}`},
		{name: "a check brings what does not decode", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(wrong, nil), says(brings, nil)}}, by: policy.ByApprover, input: answer},
		{name: "a check of a fork", fork: &pegboard.SessionConfig{Approvers: []pegboard.Asker{says(brings, nil)}}, by: policy.ByPerson, input: `{}`},
		{name: "a hook brings an answer", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, by: policy.ByHook, input: answer},
		{name: "a hook allows", cfg: pegboard.SessionConfig{Hooks: permission(allow, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a hook denies", cfg: pegboard.SessionConfig{Hooks: permission(deny, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a hook brings the same input", cfg: pegboard.SessionConfig{Hooks: permission(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{}`)}, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a hook spells the same input anew", cfg: pegboard.SessionConfig{Hooks: permission(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{ }`)}, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a check spells the same input anew", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{ }`)}, nil)}}, by: policy.ByPerson, input: `{}`},
		{name: "a hook before the call spells the same input anew", cfg: pegboard.SessionConfig{Hooks: before(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{ }`)})}, by: policy.ByPerson, input: `{ }`},
		{name: "a hook brings what does not decode", cfg: pegboard.SessionConfig{Hooks: permission(wrong, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a hook fails", cfg: pegboard.SessionConfig{Hooks: permission(brings, errors.New("down"))}, by: policy.ByPerson, input: `{}`},
		{name: "a hook puts it off", cfg: pegboard.SessionConfig{Hooks: permission(brings, pegboard.ErrDeferred)}, by: policy.ByPerson, input: `{}`},
		{name: "a hook of a fork", fork: &pegboard.SessionConfig{Hooks: permission(brings, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "an ask rule, and a hook brings an answer", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, set: asks("T"), by: policy.ByHook, input: answer},
		{name: "a hook before the call brings an answer", cfg: pegboard.SessionConfig{Hooks: before(brings)}, by: policy.ByHook, input: answer},
		{name: "a hook before the call allows", cfg: pegboard.SessionConfig{Hooks: before(allow)}, by: policy.ByPerson, input: `{}`},
		{name: "a hook before the call changes the input", cfg: pegboard.SessionConfig{Hooks: before(policy.Decision{Input: json.RawMessage(answer)})}, by: policy.ByPerson, input: answer},
		{name: "one hook changes the input, another allows", cfg: pegboard.SessionConfig{Hooks: pegboard.JoinHooks(before(policy.Decision{Input: json.RawMessage(answer)}), before(allow))}, by: policy.ByPerson, input: answer},
		{name: "one hook allows, another changes the input", cfg: pegboard.SessionConfig{Hooks: pegboard.JoinHooks(before(allow), before(policy.Decision{Input: json.RawMessage(answer)}), before(allow))}, by: policy.ByPerson, input: answer},
		{name: "a hook before the call of a fork", cfg: pegboard.SessionConfig{Hooks: before(allow)}, fork: &pegboard.SessionConfig{Hooks: before(brings)}, by: policy.ByPerson, input: answer},
		{name: "an ask rule, and a hook before the call", cfg: pegboard.SessionConfig{Hooks: before(brings)}, set: asks("T"), by: policy.ByPerson, input: answer},
		{name: "a hook before the call, in plan mode", cfg: pegboard.SessionConfig{Hooks: before(brings)}, mode: policy.ModePlan, by: policy.ByPerson, input: answer},
		{name: "a hook before the call, in bypass mode", cfg: pegboard.SessionConfig{Hooks: before(brings)}, mode: policy.ModeBypass, by: policy.ByMode, input: answer},
		{name: "bypass mode alone", mode: policy.ModeBypass, by: policy.ByPerson, input: `{}`},
		{name: "a hook before the call, where nobody is asked", cfg: pegboard.SessionConfig{Hooks: before(brings)}, mode: policy.ModeDontAsk, by: policy.ByMode},
		{name: "a hook, where nobody is asked", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, mode: policy.ModeDontAsk, by: policy.ByMode},
		{name: "a guard wants the person", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil), Approvers: []pegboard.Asker{says(brings, nil)}, Guard: says(policy.Decision{Behavior: policy.Ask}, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a tool of a source, and a hook", source: "src", cfg: pegboard.SessionConfig{Hooks: permission(brings, nil)}, by: policy.ByPerson, input: `{}`},
		{name: "a tool of a source, and a check", source: "src", cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(brings, nil)}}, by: policy.ByPerson, input: `{}`},
		{name: "a tool of a source, and a hook before the call", source: "src", cfg: pegboard.SessionConfig{Hooks: before(brings)}, by: policy.ByPerson, input: answer},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := tc.cfg
			cfg.Permissions, cfg.Ask = rules(t, tc.mode, tc.set), says(allow, nil)
			s := session(t, cfg)
			if tc.fork != nil {
				s = forked(t, s, *tc.fork)
			}
			var input string
			tool := pegboard.Build(pegboard.Definition[answerInput, string]{
				Info: pegboard.Info{Name: "T", RequiresUser: true}, Description: "Asks.",
				Call: func(_ ctx, _ answerInput, c *pegboard.Call) (string, error) {
					input = string(c.Input)
					return "done", nil
				},
			})
			var reg pegboard.Registry
			name := "T"
			if tc.source == "" {
				require.NoError(t, reg.Add(tool))
			} else {
				_, err := reg.Attach(tc.source, tool)
				require.NoError(t, err)
				name = "mcp__" + tc.source + "__T"
			}
			ex := executor(pegboard.Executor{})
			out := ex.Run(t.Context(), reg.AssemblePool(s, pegboard.PoolConfig{}), call("1", name, `{}`))[0]
			require.Equal(t, tc.by, out.Decision.By, "%v", out.Err)
			require.Equal(t, tc.input, input)
		})
	}
}

type answerInput struct {
	Answer string `json:"answer,omitempty"`
}

// TestAnAnswerForTheUserCannotChangeARunningCall: a hook or a check answers nothing that a call
// of such a tool asks about while it runs.
func TestAnAnswerForTheUserCannotChangeARunningCall(t *testing.T) {
	t.Parallel()
	brings := alwaysSays(policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"answer":"x"}`)})
	asked := 0
	s := session(t, pegboard.SessionConfig{
		Hooks: pegboard.Hooks{Permission: brings}, Approvers: []pegboard.Asker{brings},
		Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			asked++
			return policy.Decision{Behavior: policy.Deny}, nil
		},
	})
	a := actor{name: "T", user: true, call: func(ctx ctx, c *pegboard.Call) error {
		return c.Check(ctx, policy.Target{Kind: policy.Resource, Value: "a lamp"})
	}}
	ex := executor(pegboard.Executor{})
	out := ex.Run(t.Context(), a.pool(t, s), call("1", "T", `{}`))[0]
	require.Equal(t, 1, asked)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
}

// placesOf returns the places 0 to n-1, as the ids of calls.
func placesOf(n int) (ids []string) {
	for i := range n {
		ids = append(ids, strconv.Itoa(i))
	}
	return ids
}

// TestQuestionsOfAMessageCameInRandomOrder: the calls of a message are decided at the same
// time, by hooks and approvers that take different times.
func TestQuestionsOfAMessageCameInRandomOrder(t *testing.T) {
	t.Parallel()
	const n = 20
	tests := []struct {
		name   string
		change func(cfg *pegboard.SessionConfig, wait func())
		stream bool
	}{
		{name: "nothing decides before", change: func(*pegboard.SessionConfig, func()) {}},
		{name: "a Pre hook", change: func(cfg *pegboard.SessionConfig, wait func()) {
			cfg.Hooks.Pre = func(ctx, *pegboard.HookCall) (policy.Decision, error) {
				wait()
				return policy.Decision{}, nil
			}
		}},
		{name: "an approver", change: func(cfg *pegboard.SessionConfig, wait func()) {
			cfg.Approvers = []pegboard.Asker{func(ctx, *pegboard.Question) (policy.Decision, error) { wait(); return policy.Decision{}, nil }}
		}},
		{name: "a Permission hook", change: func(cfg *pegboard.SessionConfig, wait func()) {
			cfg.Hooks.Permission = func(ctx, *pegboard.Question) (policy.Decision, error) { wait(); return policy.Decision{}, nil }
		}},
		{name: "a stream", change: func(*pegboard.SessionConfig, func()) {}, stream: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(30) {
				synctest.Test(t, func(t *testing.T) {
					random, clock := rand.New(rand.NewPCG(seed, 9)), make(chan int, 10*n)
					for range cap(clock) {
						clock <- random.IntN(3000)
					}
					var shown []string
					cfg := pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
						shown = append(shown, q.Call.ID)
						return policy.Decision{Behavior: policy.Allow}, nil
					}}
					tc.change(&cfg, func() { time.Sleep(time.Duration(<-clock) * time.Millisecond) })
					var asked []string
					ex := executor(pegboard.Executor{OnEvent: func(e pegboard.Event) {
						if e.Kind == pegboard.EventAsked {
							asked = append(asked, e.Call.ID)
						}
					}})
					p := registryOf(t, writing()).AssemblePool(session(t, cfg), pegboard.PoolConfig{})
					var calls []pegboard.Call
					for _, id := range placesOf(n) {
						calls = append(calls, call(id, "Write", fmt.Sprintf(`{"path":"f%s"}`, id)))
					}
					if tc.stream {
						s := ex.Stream(t.Context(), p)
						for _, c := range calls {
							s.Submit(c)
						}
						s.Finish(pegboard.FinishToolCalls)
						require.Len(t, slices.Collect(s.Outcomes()), n)
					} else {
						ex.Run(t.Context(), p, calls...)
					}
					require.Equal(t, placesOf(n), asked)
					require.Equal(t, placesOf(n), shown)
				})
			}
		})
	}
}

// writing returns a tool whose calls write one file each, side by side.
func writing() pegboard.Tool {
	type input struct {
		Path string `json:"path"`
		MS   int    `json:"ms,omitempty"`
		Look bool   `json:"look,omitempty"`
	}
	return pegboard.Build(pegboard.Definition[input, string]{
		Info: pegboard.Info{Name: "Write"}, Description: "Writes.",
		Inspect: func(in input, _ *pegboard.Call) pegboard.Traits {
			access := policy.Write
			if in.Look {
				access = policy.Read
			}
			return pegboard.Traits{Concurrency: pegboard.PerTarget, ReadOnly: in.Look, Targets: []policy.Target{{Kind: policy.Path, Access: access, Value: in.Path}}}
		},
		Call: func(_ ctx, in input, _ *pegboard.Call) (string, error) {
			time.Sleep(time.Duration(in.MS) * time.Millisecond)
			return in.Path, nil
		},
	})
}

// TestQuestionWaitsForNoRunningCall: an earlier call that waits for another one, or for
// the end of the message, holds back no question.
func TestQuestionWaitsForNoRunningCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, shown := time.Now(), map[string]time.Duration{}
		s := session(t, pegboard.SessionConfig{
			Permissions: rules(t, "", policy.RuleSet{Allow: []string{"Edit(a)"}, Ask: []string{"Edit(a2)"}}),
			Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
				shown[q.Call.ID] = time.Since(begun)
				return policy.Decision{Behavior: policy.Allow}, nil
			}, Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
				if h.Call.ID == "2" {
					return policy.Decision{Behavior: policy.Ask, Reason: "once more"}, nil
				}
				return policy.Decision{}, nil
			}},
		})
		ex := executor(pegboard.Executor{})
		p := registryOf(t, writing()).AssemblePool(s, pegboard.PoolConfig{})
		ex.Run(t.Context(), p, call("1", "Write", `{"path":"a","ms":60000}`), call("2", "Write", `{"path":"a"}`), call("3", "Write", `{"path":"b"}`))
		require.Equal(t, map[string]time.Duration{"3": 0, "2": time.Minute}, shown)

		begun, shown = time.Now(), map[string]time.Duration{}
		stream := ex.Stream(t.Context(), p)
		stream.Submit(call("1", "Write", `{"path":"c"}`))
		stream.Submit(call("2", "Write", `{"path":"/elsewhere","look":true}`))
		time.Sleep(time.Minute)
		stream.Finish(pegboard.FinishStop)
		require.Len(t, slices.Collect(stream.Outcomes()), 2)
		require.Equal(t, map[string]time.Duration{"2": 0, "1": time.Minute}, shown)
	})
}

// TestHeldQuestionIsDecidedMeanwhile: by its own hook, and by the end of the turn.
func TestHeldQuestionIsDecidedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		s := session(t, pegboard.SessionConfig{
			Ask: func(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
				asked.Add(1)
				return policy.Decision{Behavior: policy.Allow}, nil
			},
			Hooks: pegboard.Hooks{
				Pre: func(ctx ctx, h *pegboard.HookCall) (policy.Decision, error) {
					if h.Call.ID == "1" {
						<-ctx.Done()
					}
					return policy.Decision{}, context.Cause(ctx)
				},
				Permission: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
					if q.Call.ID == "2" {
						time.Sleep(time.Minute)
						return policy.Decision{Behavior: policy.Allow}, nil
					}
					return policy.Decision{}, nil
				},
			},
		})
		turn, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Hour, func() { cancel(pegboard.ErrUserInterrupt) })
		ex := executor(pegboard.Executor{})
		outs := ex.Run(turn, registryOf(t, writing()).AssemblePool(s, pegboard.PoolConfig{}),
			call("1", "Write", `{"path":"a"}`), call("2", "Write", `{"path":"b"}`), call("3", "Write", `{"path":"c"}`))
		require.ErrorIs(t, outs[0].Err, pegboard.ErrUserInterrupt)
		require.NoError(t, outs[1].Err)
		require.ErrorIs(t, outs[2].Err, pegboard.ErrUserInterrupt)
		require.Zero(t, asked.Load())
	})
}

// aheadScene is a session in auto mode whose classifier takes its time and says what the
// tool's text of the call says: "allow" or "deny".
type aheadScene struct {
	cfg  pegboard.SessionConfig
	tool func(in map[string]string) pegboard.Traits // nil: something unknown
	own  policy.Decision                            // the tool's opinion

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
	x.cfg = pegboard.SessionConfig{Dir: t.TempDir(), Permissions: rules(t, policy.ModeAuto, policy.RuleSet{}), Classifier: x.classify, PromptDelay: time.Minute, Ask: alwaysSays(policy.Decision{Behavior: policy.Deny, Reason: "the person"})}
	return x
}

func (x *aheadScene) classify(ctx ctx, q *pegboard.Question) (policy.Decision, error) {
	x.mu.Lock()
	x.asked = append(x.asked, q.ClassifierInput)
	x.mu.Unlock()
	select {
	case <-time.After(classifyTime):
	case <-ctx.Done():
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ended[q.ClassifierInput] = context.Cause(ctx)
		return policy.Decision{}, context.Cause(ctx)
	}
	if q.ClassifierInput == "allow" {
		return policy.Decision{Behavior: policy.Allow, Reason: "fine"}, nil
	}
	return policy.Decision{Behavior: policy.Deny, Reason: "bad"}, nil
}

// slowHook returns a Pre hook that takes slowHookTime and then does what do says.
func slowHook(do func(h *pegboard.HookCall) policy.Decision) pegboard.Hooks {
	return pegboard.Hooks{Pre: func(ctx ctx, h *pegboard.HookCall) (policy.Decision, error) {
		select {
		case <-time.After(slowHookTime):
			return do(h), nil
		case <-ctx.Done():
			return policy.Decision{}, context.Cause(ctx)
		}
	}}
}

func hookSays(b policy.Behavior) func(*pegboard.HookCall) policy.Decision {
	return func(*pegboard.HookCall) policy.Decision {
		return policy.Decision{Behavior: b, Reason: "the hook"}
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
		Permit: func(ctx, map[string]string, *pegboard.Call) policy.Decision { return x.own },
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
		x.cfg.Hooks = slowHook(hookSays(policy.Undecided))
		o, took := x.run(t, text)
		require.Equal(t, slowHookTime, took)
		require.Equal(t, []string{text}, x.asked)
		require.Equal(t, policy.ByClassifier, o.Decision.By)
		require.Equal(t, text == "allow", o.Err == nil)
		require.Empty(t, x.ended)
	}
}

// TestClassifierAheadIsDropped where somebody else decides, or the question becomes another
// one.
func TestClassifierAheadIsDropped(t *testing.T) {
	t.Parallel()
	quick := func(h pegboard.Hooks) pegboard.Hooks { // it answers before the classifier
		return pegboard.Hooks{Pre: func(ctx ctx, c *pegboard.HookCall) (policy.Decision, error) {
			time.Sleep(classifyTime / 2)
			return h.Pre(ctx, c)
		}}
	}
	at := func(do func(h *pegboard.HookCall) policy.Decision) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) { return do(h), nil }}
	}
	askRule := func(h *pegboard.HookCall) policy.Decision {
		if err := h.Call.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
			return p.WithRules(policy.RuleSet{Ask: []string{"T"}})
		}); err != nil {
			panic(err)
		}
		return policy.Decision{}
	}
	otherMode := func(h *pegboard.HookCall) policy.Decision {
		if err := h.Call.Session().UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) {
			return p.WithMode(policy.ModeDefault)
		}); err != nil {
			panic(err)
		}
		return policy.Decision{}
	}
	rewrite := func(h *pegboard.HookCall) policy.Decision {
		return policy.Decision{Input: []byte(`{"k":"allow"}`)}
	}
	opinion := func(b policy.Behavior) policy.Decision { return policy.Decision{Behavior: b, Reason: "the tool"} }
	tests := []struct {
		name  string
		hooks pegboard.Hooks
		own   policy.Decision
		by    policy.Decider
		runs  bool
		asked []string
	}{
		{name: "the hook allows", hooks: at(hookSays(policy.Allow)), by: policy.ByHook, runs: true, asked: []string{"deny"}},
		{name: "the hook denies", hooks: at(hookSays(policy.Deny)), by: policy.ByHook, asked: []string{"deny"}},
		{name: "the hook asks", hooks: at(hookSays(policy.Ask)), by: policy.ByPerson, asked: []string{"deny"}},
		{name: "the tool allows", hooks: at(hookSays(policy.Undecided)), own: opinion(policy.Allow), by: policy.ByTool, runs: true, asked: []string{"deny"}},
		{name: "the tool denies", hooks: at(hookSays(policy.Undecided)), own: opinion(policy.Deny), by: policy.ByTool, asked: []string{"deny"}},
		{name: "an ask rule", hooks: at(askRule), by: policy.ByPerson, asked: []string{"deny"}},
		{name: "another mode", hooks: at(otherMode), by: policy.ByPerson, asked: []string{"deny"}},
		{name: "another input", hooks: at(rewrite), by: policy.ByClassifier, runs: true, asked: []string{"deny", "allow"}},
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
			x.cfg.Hooks, x.own = pegboard.Hooks{Pre: func(ctx ctx, h *pegboard.HookCall) (policy.Decision, error) {
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
	x.cfg.Hooks = slowHook(hookSays(policy.Undecided))
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
		return pegboard.Traits{ReadOnly: true, Targets: []policy.Target{{Kind: policy.Command, Access: policy.Run, Value: "git log", Shell: policy.ShellFacts{
			ReadOnly: true, VerifyReadOnly: func() error { looks++; return fmt.Errorf("look %d", min(looks, 3)) },
		}}}}
	}
	x.cfg.Hooks = slowHook(func(*pegboard.HookCall) policy.Decision { looks = 3; return policy.Decision{} })
	o, took := x.run(t, "allow")
	require.NoError(t, o.Err)
	require.Equal(t, []string{"allow", "allow"}, x.asked)
	require.Equal(t, slowHookTime+classifyTime, took)
}

// TestClassifierIsNotAskedAhead where it would not be asked after the hooks.
func TestClassifierIsNotAskedAhead(t *testing.T) {
	t.Parallel()
	in := func(m policy.Mode, set policy.RuleSet) policy.Permissions { return rules(t, m, set) }
	reads := func(map[string]string) pegboard.Traits { return pegboard.Traits{ReadOnly: true} }
	tests := []struct {
		name  string
		perms policy.Permissions
		tool  func(map[string]string) pegboard.Traits
		text  string
	}{
		{name: "default mode", perms: in("", policy.RuleSet{})},
		{name: "bypass mode", perms: in(policy.ModeBypass, policy.RuleSet{})},
		{name: "allow rule", perms: in(policy.ModeAuto, policy.RuleSet{Allow: []string{"T"}})},
		{name: "ask rule", perms: in(policy.ModeAuto, policy.RuleSet{Ask: []string{"T"}})},
		{name: "deny rule", perms: in(policy.ModeAuto, policy.RuleSet{Deny: []string{"T(x)"}}), tool: func(map[string]string) pegboard.Traits {
			return pegboard.Traits{Targets: []policy.Target{{Kind: policy.Resource, Value: "x"}}}
		}},
		{name: "it only reads", perms: in(policy.ModeAuto, policy.RuleSet{}), tool: reads},
		{name: "no text", perms: in(policy.ModeAuto, policy.RuleSet{}), text: "-"},
		{name: "the text panics", perms: in(policy.ModeAuto, policy.RuleSet{}), text: "panic"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			x := newAheadScene(t)
			x.cfg.Permissions, x.tool = tc.perms, tc.tool
			x.cfg.Hooks = slowHook(hookSays(policy.Undecided))
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
	x.cfg.Hooks = slowHook(hookSays(policy.Undecided))
	synctest.Test(t, func(t *testing.T) {
		s := session(t, x.cfg)
		fork := forked(t, s, pegboard.SessionConfig{Permissions: rules(t, policy.ModeAuto, policy.RuleSet{})})
		require.NoError(t, s.SetPermissions(policy.Permissions{}))
		ex := executor(pegboard.Executor{})
		o := ex.Run(t.Context(), x.pool(t, fork), call("1", "T", `{"k":"allow"}`))[0]
		require.Equal(t, policy.ByPerson, o.Decision.By)
		require.Empty(t, x.asked)
	})
}

// TestRefusalsThatDoNotCount: an answer that was dropped is no refusal, so the classifier is
// still asked after many.
func TestRefusalsThatDoNotCount(t *testing.T) {
	t.Parallel()
	x := newAheadScene(t)
	b := policy.Deny
	x.cfg.Hooks = slowHook(func(h *pegboard.HookCall) policy.Decision { return hookSays(b)(h) })
	synctest.Test(t, func(t *testing.T) {
		pool := x.pool(t, session(t, x.cfg))
		ex := executor(pegboard.Executor{})
		try := func() policy.Decider {
			return ex.Run(t.Context(), pool, call("1", "T", `{"k":"deny"}`))[0].Decision.By
		}
		for range 25 {
			require.Equal(t, policy.ByHook, try())
		}
		b = policy.Undecided
		for range 3 {
			require.Equal(t, policy.ByClassifier, try())
		}
		asked := len(x.asked)
		require.Equal(t, policy.ByPerson, try(), "three in a row")
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
	require.Equal(t, policy.ByPerson, o.Decision.By)
	require.ErrorIs(t, o.Err, pegboard.ErrDenied)
	require.Contains(t, log.String(), "ClassifierInput")
}
