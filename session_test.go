package pegboard_test

import (
	"context"
	"encoding/json"
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
)

func forked(t testing.TB, s *pegboard.Session, cfg pegboard.SessionConfig) *pegboard.Session {
	t.Helper()
	if cfg.Role == pegboard.Main {
		cfg.Role = pegboard.SubAgent
	}
	f, err := s.Fork(cfg)
	require.NoError(t, err)
	return f
}

// answering returns an asker that notes every question and gives one answer.
func answering(questions *[]*pegboard.Question, d pegboard.Decision, err error) pegboard.Asker {
	return func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		*questions = append(*questions, q)
		return d, err
	}
}

func TestNewSession(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	s := session(t, pegboard.SessionConfig{})
	require.Equal(t, here, s.Dir())
	require.Equal(t, pegboard.Main, s.Role())
	require.Empty(t, s.ID()+s.AgentID()+s.AgentType())
	require.Equal(t, pegboard.ModeDefault, s.Permissions().Mode())

	s = session(t, pegboard.SessionConfig{ID: "1", Role: pegboard.Coordinator, AgentType: "lead", Dir: "internal"})
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
	var ex pegboard.Executor
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
	p := func(mode pegboard.Mode, set pegboard.RuleSet) pegboard.Permissions { return rules(t, mode, set) }
	tests := []struct {
		name   string
		parent pegboard.Mode
		cfg    pegboard.SessionConfig
		says   string // empty: it is a fork
	}{
		{name: "nothing of its own"},
		{name: "role main", cfg: pegboard.SessionConfig{Role: pegboard.Main}, says: "role main"},
		{name: "role coordinator", cfg: pegboard.SessionConfig{Role: pegboard.Coordinator}, says: "role coordinator"},
		{name: "allow rule", cfg: pegboard.SessionConfig{Permissions: p("", pegboard.RuleSet{Allow: []string{"Edit(a)"}})}, says: `allow rule "Edit(a)"`},
		{name: "allow rule the parent has", parent: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p("", pegboard.RuleSet{Allow: []string{"T"}})}, says: `allow rule "T"`},
		{name: "deny and ask rules", cfg: pegboard.SessionConfig{Permissions: p("", pegboard.RuleSet{Ask: []string{"T"}, Deny: []string{"U"}})}},
		{name: "default to bypass", cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeBypass, pegboard.RuleSet{})}, says: "laxer"},
		{name: "plan to default", parent: pegboard.ModePlan, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeDefault, pegboard.RuleSet{})}, says: "laxer"},
		{name: "plan to bypass", parent: pegboard.ModePlan, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeBypass, pegboard.RuleSet{})}, says: "laxer"},
		{name: "bypass to plan", parent: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModePlan, pegboard.RuleSet{})}},
		{name: "the same mode", parent: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Permissions: p(pegboard.ModeBypass, pegboard.RuleSet{})}},
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
			parent := session(t, pegboard.SessionConfig{Dir: dir, MoreDirs: []string{more}, Permissions: rules(t, tc.parent, pegboard.RuleSet{})})
			if !strings.HasPrefix(tc.name, "role") {
				tc.cfg.Role = pegboard.AsyncAgent
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
			Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				story = append(story, who+" before")
				return pegboard.Decision{}, nil
			},
			Post: func(ctx, *pegboard.HookCall) error { story = append(story, who+" after"); return nil },
		}
	}
	var questions []*pegboard.Question
	parent := session(t, pegboard.SessionConfig{
		ID: "7", AgentType: "boss", Dir: dir, MoreDirs: []string{more}, Hooks: note("parent"), Permissions: rules(t, pegboard.ModePlan, pegboard.RuleSet{}),
		Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil),
	})
	fork := forked(t, parent, pegboard.SessionConfig{AgentID: "a1", AgentType: "worker", Hooks: note("fork")})
	require.Equal(t, []string{"7", "a1", "worker", dir}, []string{fork.ID(), fork.AgentID(), fork.AgentType(), fork.Dir()})
	require.Equal(t, pegboard.SubAgent, fork.Role())
	require.Equal(t, pegboard.ModePlan, fork.Permissions().Mode())

	inMore := []pegboard.Target{{Kind: pegboard.Path, Access: pegboard.Read, Value: filepath.Join(more, "a")}}
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
	say := func(b pegboard.Behavior) pegboard.Hooks {
		return pegboard.Hooks{Pre: func(ctx, *pegboard.HookCall) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: b}, nil
		}}
	}
	tests := []struct{ parent, fork, want pegboard.Behavior }{
		{parent: pegboard.Undecided, fork: pegboard.Deny, want: pegboard.Deny},
		{parent: pegboard.Allow, fork: pegboard.Undecided, want: pegboard.Allow},
		{parent: pegboard.Allow, fork: pegboard.Ask, want: pegboard.Ask},
		{parent: pegboard.Deny, fork: pegboard.Allow, want: pegboard.Deny},
		{parent: pegboard.Ask, fork: pegboard.Allow, want: pegboard.Ask},
		{parent: pegboard.Undecided, fork: pegboard.Allow, want: pegboard.Ask},
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

// TestForkKeepsTheAnchorsOfItsParentsRules: a rule means the same files in a
// fork that works further down.
func TestForkKeepsTheAnchorsOfItsParentsRules(t *testing.T) {
	t.Parallel()
	dir, more := t.TempDir(), t.TempDir()
	sub := filepath.Join(dir, "sub")
	require.NoError(t, os.Mkdir(sub, 0o700))
	tests := []struct {
		name, path string
		mode       pegboard.Mode
		set        pegboard.RuleSet
		cfg        pegboard.SessionConfig
		want       string
	}{
		{name: "deny", path: "sub/a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Edit(./sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "deny"},
		{name: "deny from the source's root", path: "sub/a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Edit(/sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "deny"},
		{name: "ask", path: "sub/a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Ask: []string{"Edit(sub/a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "ask"},
		{name: "deny of a bare name", path: "a", mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Edit(a)"}}, cfg: pegboard.SessionConfig{Dir: sub, MoreDirs: []string{dir}}, want: "deny"},
		{name: "allow", path: "sub/a", set: pegboard.RuleSet{Allow: []string{"Edit(./a)"}}, cfg: pegboard.SessionConfig{Dir: sub}, want: "ask"},
		{name: "allow of a bare name", path: filepath.Join(more, "a"), set: pegboard.RuleSet{Allow: []string{"Edit(a)"}}, cfg: pegboard.SessionConfig{Dir: more}, want: "ask"},
		{name: "a rule of its own", path: "sub/a", mode: pegboard.ModeBypass, cfg: pegboard.SessionConfig{Dir: sub, Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(./a)"}})}, want: "deny"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			parent := session(t, pegboard.SessionConfig{Dir: dir, MoreDirs: []string{more}, Permissions: rules(t, tc.mode, tc.set)})
			if !filepath.IsAbs(tc.path) {
				tc.path = filepath.Join(dir, tc.path)
			}
			a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.Path, Value: tc.path}}}}
			require.Equal(t, tc.want, judge(t, a.pool(t, forked(t, parent, tc.cfg))).behavior.String())
		})
	}
}

func TestSetPermissions(t *testing.T) {
	t.Parallel()
	parent := session(t, bypass(t))
	fork := forked(t, forked(t, parent, pegboard.SessionConfig{}), pegboard.SessionConfig{})
	a := actor{name: "T"}
	pool := a.pool(t, fork)
	require.Equal(t, "allow", judge(t, pool).behavior.String())

	require.NoError(t, fork.SetPermissions(rules(t, "", pegboard.RuleSet{Deny: []string{"T"}})))
	require.Equal(t, "deny", judge(t, pool).behavior.String())
	require.ErrorContains(t, fork.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})), `allow rule "T"`)
	require.Equal(t, "deny", judge(t, pool).behavior.String(), "what was refused changes nothing")
	require.NoError(t, fork.SetPermissions(pegboard.Permissions{}))
	require.Equal(t, "allow", judge(t, pool).behavior.String(), "only its own rules were replaced")

	require.NoError(t, parent.SetPermissions(rules(t, pegboard.ModePlan, pegboard.RuleSet{Ask: []string{"T"}})))
	require.Equal(t, verdict{pegboard.Ask, `ask rule "T" covers it`, "T"}, judge(t, pool), "two forks down")
	require.Equal(t, pegboard.ModePlan, fork.Permissions().Mode())
	require.ErrorContains(t, fork.SetPermissions(rules(t, pegboard.ModeBypass, pegboard.RuleSet{})), "laxer")

	require.NoError(t, parent.SetPermissions(rules(t, "", pegboard.RuleSet{Allow: []string{"T"}})))
	require.Equal(t, "allow", judge(t, pool).behavior.String(), "what the parent is allowed, the fork is")
}

func TestAskerIsToldAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var questions []*pegboard.Question
	s := session(t, pegboard.SessionConfig{Dir: dir, Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil)})
	one := forked(t, s, pegboard.SessionConfig{AgentID: "one"})
	two := forked(t, one, pegboard.SessionConfig{AgentID: "two"})
	a := actor{name: "T", traits: pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.Path, Value: "x/../f"}}}}
	for _, s := range []*pegboard.Session{s, one, two} {
		var ex pegboard.Executor
		require.NoError(t, ex.Run(t.Context(), a.pool(t, s), call("c", "T", `{"k":1}`))[0].Err)
	}
	require.Len(t, questions, 3)
	require.Empty(t, questions[0].Agent)
	require.Equal(t, []string{"one"}, questions[1].Agent)
	q := questions[0]
	require.Equal(t, []string{"one", "two"}, questions[2].Agent)
	require.Equal(t, "T", q.Tool.Info().Name)
	require.Equal(t, `c {"k":1}`, q.Call.ID+" "+string(q.Call.Input))
	require.Equal(t, filepath.Join(dir, "f"), q.Targets[0].Value)
	require.Contains(t, q.Reason, "no rule allows it: T")
	require.Contains(t, q.Reason, "write "+filepath.Join(dir, "f"))
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	boom := errors.New("the line is dead")
	yes := pegboard.Decision{Behavior: pegboard.Allow}
	tests := []struct {
		name   string
		nobody bool
		user   bool
		answer pegboard.Decision
		err    error
		says   []string
		not    string
	}{
		{name: "denied", answer: pegboard.Decision{Behavior: pegboard.Deny, Reason: "not today"}, says: []string{"not today", "do something else"}, not: "No person"},
		{name: "denied without a word", answer: pegboard.Decision{Behavior: pegboard.Deny}, says: []string{"a person answered: deny"}, not: "No person"},
		{name: "undecided", says: []string{"no rule allows it", "the answer was undecided", "No person refused it"}},
		{name: "asked back", answer: pegboard.Decision{Behavior: pegboard.Ask}, says: []string{"the answer was ask", "No person refused it"}},
		{name: "no behavior at all", answer: pegboard.Decision{Behavior: 7}, says: []string{"the answer was invalid", "No person refused it"}},
		{name: "error", err: boom, says: []string{"asking: the line is dead", "No person refused it"}},
		{name: "allowed with an error", answer: yes, err: boom, says: []string{"the line is dead", "No person refused it"}},
		{name: "nobody", nobody: true, says: []string{"nobody can be asked", "allow rule T would permit it", "No person refused it"}},
		{name: "nobody, and only a person may", nobody: true, user: true, says: []string{"only a person may allow T", "nobody can be asked"}, not: "would permit"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := pegboard.SessionConfig{}
			var questions []*pegboard.Question
			if !tc.nobody {
				cfg.Ask = answering(&questions, tc.answer, tc.err)
			}
			ran := false
			a := actor{name: "T", user: tc.user, call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
			var ex pegboard.Executor
			out := ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0]
			require.False(t, ran)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Equal(t, pegboard.Deny, out.Decision.Behavior)
			for _, s := range tc.says {
				require.Contains(t, out.Result.Text(), s)
			}
			if tc.not != "" {
				require.NotContains(t, out.Result.Text(), tc.not)
			}
		})
	}
}

// TestLateAnswerIsNone: the call was cancelled while the person thought.
func TestLateAnswerIsNone(t *testing.T) {
	t.Parallel()
	turn, cancel := context.WithCancel(t.Context())
	s := session(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		cancel()
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	var ex pegboard.Executor
	out := ex.Run(turn, a.pool(t, s), call("1", "T", ``))[0]
	require.False(t, ran)
	require.ErrorIs(t, out.Err, pegboard.ErrCancelled)
	require.Contains(t, out.Result.Text(), "was not run: the turn was cancelled. Nobody refused")
}

// TestLateAnswerToACheckIsNone: the tool gave up before the person answered.
func TestLateAnswerToACheckIsNone(t *testing.T) {
	t.Parallel()
	why := errors.New("the tool gave up")
	var giveUp context.CancelCauseFunc
	cfg := pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
		giveUp(why)
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}}
	var checked error
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
		ctx, giveUp = context.WithCancelCause(ctx)
		checked = c.Check(ctx, pegboard.Target{})
		return nil
	}}
	var ex pegboard.Executor
	require.NoError(t, ex.Run(t.Context(), a.pool(t, session(t, cfg)), call("1", "T", ``))[0].Err)
	require.ErrorIs(t, checked, pegboard.ErrDenied)
	require.ErrorContains(t, checked, "the tool gave up")
}

// TestAskerThatPanicsKeepsNobodyWaiting: the next question is put all the same.
func TestAskerThatPanicsKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	s := session(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
		if q.Call.ID == "1" {
			panic("dialog")
		}
		return pegboard.Decision{Behavior: pegboard.Allow}, nil
	}})
	a := actor{name: "T"}
	var ex pegboard.Executor
	outs := ex.Run(t.Context(), a.pool(t, s), call("1", "T", ``), call("2", "T", ``))
	require.ErrorIs(t, outs[0].Err, pegboard.ErrPanic)
	require.NoError(t, outs[1].Err)
}

// TestOneQuestionAtATime lets a session, its fork and the fork's fork ask at
// once, and one of those that wait is cancelled.
func TestOneQuestionAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var open, put atomic.Int32
		s := session(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
			defer open.Add(-1)
			if open.Add(1) > 1 {
				return pegboard.Decision{}, errors.New("two questions at once")
			}
			put.Add(1)
			time.Sleep(time.Minute)
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}})
		one := forked(t, s, pegboard.SessionConfig{})
		two := forked(t, one, pegboard.SessionConfig{})
		a := actor{name: "T"}
		begin := time.Now()
		var wg sync.WaitGroup
		for _, s := range []*pegboard.Session{s, one, two} {
			pool := a.pool(t, s)
			wg.Go(func() {
				var ex pegboard.Executor
				if err := ex.Run(context.Background(), pool, call("1", "T", ``))[0].Err; err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var ex pegboard.Executor
		require.ErrorIs(t, ex.Run(ctx, a.pool(t, s), call("2", "T", ``))[0].Err, pegboard.ErrCancelled)
		require.Equal(t, time.Second, time.Since(begin))
		wg.Wait()
		require.Equal(t, 3*time.Minute, time.Since(begin))
		require.EqualValues(t, 3, put.Load())
	})
}

type step struct {
	N    int    `json:"n"`
	Path string `json:"path,omitempty"`
}

// stepper returns a tool that writes Path, and notes the inputs it ran with.
func stepper(ran *[]step) pegboard.Tool {
	return pegboard.Build(pegboard.Definition[step, string]{
		Info: pegboard.Info{Name: "T"},
		Inspect: func(in step, _ *pegboard.Call) pegboard.Traits {
			return pegboard.Traits{Targets: []pegboard.Target{{Kind: pegboard.Path, Value: "f" + in.Path}}}
		},
		Validate: func(_ ctx, in step, _ *pegboard.Call) error {
			if in.N == 13 {
				return errors.New("13 is unlucky; take 12")
			}
			return nil
		},
		Call: func(_ ctx, in step, _ *pegboard.Call) (string, error) { *ran = append(*ran, in); return "ok", nil },
	})
}

// TestInvariant3AnswerWithAnotherInput: what a person writes is decoded,
// validated and decided like what the model wrote, and not asked about again.
func TestInvariant3AnswerWithAnotherInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string // input: the first answer's, the others change nothing
		hook        string // what a hook makes of that input; empty: nothing
		runs        string // empty: nothing
		questions   int
		is          error
		says        string
	}{
		{name: "the same", input: `{"n":1}`, runs: `{"n":1}`, questions: 1},
		{name: "another", input: `{"n":2,"path":"x"}`, runs: `{"n":2,"path":"x"}`, questions: 1},
		{name: "the same in other bytes", input: `{"n": 1}`, runs: `{"n": 1}`, questions: 1},
		{name: "under an ask rule", input: `{"n":2,"path":"ask"}`, runs: `{"n":2,"path":"ask"}`, questions: 1},
		{name: "changed by a hook", input: `{"n":2}`, hook: `{"n":3}`, runs: `{"n":3}`, questions: 2},
		{name: "changed back by a hook", input: `{"n":2}`, hook: `{"n":1}`, runs: `{"n":1}`, questions: 2},
		{name: "no JSON", input: `{"n":`, questions: 1, is: pegboard.ErrInvalidInput, says: "JSON"},
		{name: "against the schema", input: `{"n":"2"}`, questions: 1, is: pegboard.ErrInvalidInput, says: "Correct the input"},
		{name: "against validation", input: `{"n":13}`, questions: 1, is: pegboard.ErrInvalidInput, says: "take 12"},
		{name: "against a deny rule", input: `{"n":2,"path":"bad"}`, questions: 1, is: pegboard.ErrDenied, says: `deny rule "Edit(fbad)"`},
		{name: "against a hook", input: `{"n":2}`, hook: `{"n":13}`, questions: 1, is: pegboard.ErrInvalidInput, says: "take 12"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var ran []step
			var hooked []string
			questions := 0
			cfg := pegboard.SessionConfig{
				Permissions: rules(t, "", pegboard.RuleSet{Deny: []string{"Edit(fbad)"}, Ask: []string{"Edit(fask)"}}),
				Ask: func(ctx, *pegboard.Question) (pegboard.Decision, error) {
					questions++
					d := pegboard.Decision{Behavior: pegboard.Allow}
					if questions == 1 {
						d.Input = json.RawMessage(tc.input)
					}
					return d, nil
				},
				Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
					hooked = append(hooked, string(h.Call.Input))
					if string(h.Call.Input) == tc.input {
						return pegboard.Decision{Input: json.RawMessage(tc.hook)}, nil
					}
					return pegboard.Decision{}, nil
				}},
			}
			var reg pegboard.Registry
			require.NoError(t, reg.Add(stepper(&ran)))
			out := run(t, &reg, session(t, cfg), call("1", "T", `{"n":1}`))
			require.Equal(t, tc.questions, questions)
			if tc.runs == "" {
				require.Empty(t, ran)
				require.ErrorIs(t, out.Err, tc.is)
				require.Contains(t, out.Result.Text(), tc.says)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, tc.runs, string(out.Call.Input))
			require.Equal(t, tc.runs, hooked[len(hooked)-1], "hooks see what runs")
			var want step
			require.NoError(t, json.Unmarshal([]byte(tc.runs), &want))
			require.Equal(t, []step{want}, ran)
		})
	}
}

// TestInputIsChangedAtMostEightTimes by whoever it is, and the model is not
// told to try again.
func TestInputIsChangedAtMostEightTimes(t *testing.T) {
	t.Parallel()
	for _, changes := range []int{1, 7, 8, 9, 1000} {
		t.Run(fmt.Sprint(changes), func(t *testing.T) {
			t.Parallel()
			var ran []step
			var reg pegboard.Registry
			require.NoError(t, reg.Add(stepper(&ran)))
			cfg := bypass(t)
			cfg.Hooks.Pre = func(_ ctx, h *pegboard.HookCall) (pegboard.Decision, error) {
				var in step
				err := json.Unmarshal(h.Call.Input, &in)
				if next := fmt.Sprintf(`{"n":%d}`, in.N-1); in.N > -changes {
					return pegboard.Decision{Input: json.RawMessage(next)}, err
				}
				return pegboard.Decision{}, err
			}
			out := run(t, &reg, session(t, cfg), call("1", "T", `{"n":0}`))
			if changes <= 8 {
				require.NoError(t, out.Err)
				require.Equal(t, []step{{N: -changes}}, ran)
				return
			}
			require.Empty(t, ran)
			require.ErrorIs(t, out.Err, pegboard.ErrDenied)
			require.Contains(t, out.Result.Text(), "do not agree on its input. Tell the user")
		})
	}
}

// TestCheckAndFilter decide targets in mid-call, as they would have been decided
// before it. Only Check asks.
func TestCheckAndFilter(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "f")
	require.NoError(t, linkDir(filepath.Dir(outside), filepath.Join(dir, "link")))
	path := func(access pegboard.Access, v string) pegboard.Target {
		return pegboard.Target{Kind: pegboard.Path, Access: access, Value: v}
	}
	yes := pegboard.Decision{Behavior: pegboard.Allow}
	tests := []struct {
		name   string
		t      pegboard.Target
		user   bool
		mode   pegboard.Mode
		set    pegboard.RuleSet
		ask    bool // there is somebody
		answer pegboard.Decision
		err    error
		filter bool
		asked  int
		denied []string // what the error says; nil: no error
	}{
		{name: "read inside", t: path(pegboard.Read, "f"), filter: true, ask: true},
		{name: "write inside", t: path(pegboard.Write, "f"), ask: true, answer: yes, asked: 1},
		{name: "write inside, bypass", t: path(pegboard.Write, "f"), mode: pegboard.ModeBypass, filter: true},
		{name: "write inside, plan", t: path(pegboard.Write, "f"), mode: pegboard.ModePlan, ask: true, answer: yes, denied: []string{"plan mode"}},
		{name: "read outside", t: path(pegboard.Read, outside), ask: true, answer: yes, asked: 1},
		{name: "read outside through a link", t: path(pegboard.Read, "link/f"), ask: true, answer: yes, asked: 1},
		{name: "read outside, allowed by a rule", t: path(pegboard.Read, outside), set: pegboard.RuleSet{Allow: []string{"T"}}, filter: true},
		{name: "denied by a rule", t: path(pegboard.Read, "f"), mode: pegboard.ModeBypass, set: pegboard.RuleSet{Deny: []string{"Read(f)"}}, ask: true, answer: yes, denied: []string{`deny rule "Read(f)"`}},
		{name: "asked by a rule", t: path(pegboard.Read, "f"), mode: pegboard.ModeBypass, set: pegboard.RuleSet{Ask: []string{"Read(f)"}}, ask: true, answer: yes, asked: 1},
		{name: "only a person may", t: path(pegboard.Read, "f"), user: true, ask: true, answer: yes, asked: 1},
		{name: "refused", t: path(pegboard.Read, outside), ask: true, answer: pegboard.Decision{Behavior: pegboard.Deny, Reason: "not that one"}, asked: 1, denied: []string{"not that one"}},
		{name: "no answer", t: path(pegboard.Read, outside), ask: true, err: errors.New("no line"), asked: 1, denied: []string{"no line"}},
		{name: "undecided", t: path(pegboard.Read, outside), ask: true, asked: 1, denied: []string{"undecided"}},
		{name: "an answer that changes the input", t: path(pegboard.Read, outside), ask: true, answer: pegboard.Decision{Behavior: pegboard.Allow, Input: json.RawMessage(`{"a":1}`)}, asked: 1, denied: []string{"cannot be changed"}},
		{name: "nobody", t: path(pegboard.Read, outside), denied: []string{"nobody can be asked", outside, "Read(/" + outside + ")"}},
		{name: "something unknown", denied: []string{"nobody can be asked", "allow rule T"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var questions []*pegboard.Question
			checked := errors.New("not run")
			filtered := false
			a := actor{name: "T", user: tc.user, traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
				if tc.user {
					questions = nil // the one that let it run
				}
				filtered = c.Filter(tc.t)
				require.Empty(t, questions, "Filter asks nobody")
				checked = c.Check(ctx, tc.t)
				return nil
			}}
			cfg := pegboard.SessionConfig{Dir: dir}
			if tc.ask {
				cfg.Ask = answering(&questions, tc.answer, tc.err)
			}
			pool := a.pool(t, session(t, cfg))
			require.NoError(t, pool.Session().SetPermissions(rules(t, tc.mode, tc.set)))
			var ex pegboard.Executor
			require.NoError(t, ex.Run(t.Context(), pool, call("1", "T", ``))[0].Err)
			require.Equal(t, tc.filter, filtered)
			require.Len(t, questions, tc.asked)
			if tc.denied == nil {
				require.NoError(t, checked)
				return
			}
			require.ErrorIs(t, checked, pegboard.ErrDenied)
			for _, s := range tc.denied {
				require.ErrorContains(t, checked, s)
			}
		})
	}
}

// TestCheckFollowsThePermissionsOfTheMoment: a rule that is set while a call runs
// holds for what it checks next.
func TestCheckFollowsThePermissionsOfTheMoment(t *testing.T) {
	t.Parallel()
	in := pegboard.Target{Kind: pegboard.Path, Access: pegboard.Read, Value: "f"}
	var before, after bool
	a := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: func(ctx ctx, c *pegboard.Call) error {
		before = c.Filter(in)
		if err := c.Session().SetPermissions(rules(t, "", pegboard.RuleSet{Deny: []string{"Read(f)"}})); err != nil {
			return err
		}
		after = c.Filter(in)
		return c.Check(ctx, in)
	}}
	var ex pegboard.Executor
	out := ex.Run(t.Context(), a.pool(t, session(t, pegboard.SessionConfig{})), call("1", "T", ``))[0]
	require.True(t, before)
	require.False(t, after)
	require.ErrorIs(t, out.Err, pegboard.ErrDenied)
}

// TestCallThatNobodyAdmitted may touch nothing.
func TestCallThatNobodyAdmitted(t *testing.T) {
	t.Parallel()
	c := call("1", "T", `{}`)
	require.ErrorIs(t, c.Check(t.Context()), pegboard.ErrDenied)
	require.ErrorIs(t, c.Check(t.Context(), pegboard.Target{Kind: pegboard.Path, Access: pegboard.Read, Value: "."}), pegboard.ErrDenied)
	require.False(t, c.Filter(pegboard.Target{Kind: pegboard.Path, Access: pegboard.Read, Value: "."}))
	require.Nil(t, c.Session())
	require.Nil(t, c.Targets())
	require.False(t, c.ReadOnly())
	c.Emit("into the void")
}

// TestCloseEndsWhatTheSessionOwns: the newest first, a fork where it was made,
// each once, and what cannot be ended is named.
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
	_, err = s.Fork(pegboard.SessionConfig{Role: pegboard.SubAgent})
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
					var ex pegboard.Executor
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
			var ex pegboard.Executor
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

// TestClosedSessionAnswersWithoutRunning any call or asking anybody.
func TestClosedSessionAnswersWithoutRunning(t *testing.T) {
	t.Parallel()
	var questions []*pegboard.Question
	parent := session(t, pegboard.SessionConfig{Ask: answering(&questions, pegboard.Decision{Behavior: pegboard.Allow}, nil)})
	ran := false
	a := actor{name: "T", call: func(ctx, *pegboard.Call) error { ran = true; return nil }}
	b := actor{name: "T", traits: pegboard.Traits{ReadOnly: true}, call: a.call}
	pools := []*pegboard.Pool{a.pool(t, parent), b.pool(t, parent), a.pool(t, forked(t, parent, pegboard.SessionConfig{}))}
	require.NoError(t, parent.Close(t.Context()))
	for _, p := range pools {
		var ex pegboard.Executor
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

// TestSessionIsSafeForConcurrentUse does everything at once, for the race
// detector.
func TestSessionIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	s := session(t, bypass(t))
	a := actor{name: "T", call: func(ctx ctx, c *pegboard.Call) error { return c.Check(ctx, pegboard.Target{}) }}
	plan := rules(t, pegboard.ModePlan, pegboard.RuleSet{Deny: []string{"U"}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := s.Fork(pegboard.SessionConfig{Role: pegboard.SubAgent})
			if err != nil {
				t.Error(err)
				return
			}
			f.OnClose("x", func(ctx) error { return nil })
			var ex pegboard.Executor
			ex.Run(context.Background(), a.pool(t, f), call("1", "T", ``))
			if err := errors.Join(f.SetPermissions(plan), s.SetPermissions(s.Permissions()), f.Close(context.Background())); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
