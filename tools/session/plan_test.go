package session_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// planWorld is a conversation with random agents, and what a plain model says of its modes.
type planWorld struct {
	*desk
	random *rand.Rand
	answer policy.Decision // the person's next one
	asked  int

	mode   policy.Mode // that the main session must have
	before policy.Mode // that plan mode was entered from
	bound  policy.Mode // the laxest mode that a person has chosen, or that the session began in
}

var anyMode = []policy.Mode{
	policy.ModeDeny, policy.ModeDontAsk, policy.ModeAsk, policy.ModePlan, policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeAuto,
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// choose notes that a person has chosen a mode.
func (w *planWorld) choose(m policy.Mode) {
	if m == policy.ModePlan && w.mode != policy.ModePlan {
		w.before = w.mode
	}
	w.mode, w.bound = m, m
	if m == policy.ModePlan && w.before.Laxer(m) {
		w.bound = w.before
	}
}

// personSets sets the mode as a user interface does.
func (w *planWorld) personSets(t *testing.T) {
	t.Helper()
	m := pick(w.random, anyMode...)
	require.NoError(t, w.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(m) }))
	w.choose(m)
}

// enters calls EnterPlanMode with a write behind it.
func (w *planWorld) enters(t *testing.T) {
	t.Helper()
	was := w.mode
	w.answer = deny
	outs := w.send(t, enter(), write("entered"))
	if policy.ModePlan.Laxer(was) { // it stays as it is
		require.Error(t, outs[0].Err, "%s", was)
		require.Equal(t, was, w.Permissions().Mode())
		return
	}
	require.NoError(t, outs[0].Err, "%s", was)
	if was != policy.ModePlan {
		w.before, w.mode = was, policy.ModePlan
	}
	require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied)
	require.Equal(t, policy.ByMode, outs[1].Decision.By, "%s", outs[1].Result.Text())
}

// exits calls ExitPlanMode, with a random answer of the person, and a write behind it.
func (w *planWorld) exits(t *testing.T) {
	t.Helper()
	w.answer = pick(w.random, allow, deny, policy.Decision{})
	var chosen policy.Mode
	edit := w.random.IntN(3) == 0
	if w.answer.Behavior == policy.Allow && w.random.IntN(2) == 0 {
		chosen = pick(w.random, anyMode[2:]...) // with one that asks nobody, another input is refused
		w.answer.Remember = setMode(chosen)
	}
	if edit && w.answer.Behavior == policy.Allow {
		w.answer.Input = json.RawMessage(`{"plan":"edited"}`)
	}
	was, asked := w.mode, w.asked
	plan, had := session.ApprovedPlan(w.Session)
	outs := w.send(t, exit("plan"), write("left"))
	out := outs[0]
	defer func() { // the write is decided in the mode that follows
		lax := w.mode == policy.ModeAcceptEdits || w.mode == policy.ModeAuto
		require.Equal(t, lax, outs[1].Err == nil, "%s: %v", w.mode, outs[1].Err)
	}()
	if was != policy.ModePlan {
		require.ErrorIs(t, out.Err, session.ErrNotPlanning)
		require.Equal(t, asked, w.asked)
		return
	}
	require.Equal(t, asked+1, w.asked, "it is asked about once, whatever the mode was before")
	if w.answer.Behavior != policy.Allow {
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		now, has := session.ApprovedPlan(w.Session)
		require.Equal(t, plan, now)
		require.Equal(t, had, has)
		return
	}
	require.NoError(t, out.Err)
	w.mode = w.before
	if chosen != "" && chosen != policy.ModePlan {
		w.mode, w.bound = chosen, chosen
	}
	now, _ := session.ApprovedPlan(w.Session)
	require.Equal(t, edit, now.Edited)
}

// forks has an agent try to leave plan mode and to write. Whatever is approved, the agent is
// never laxer than the conversation.
func (w *planWorld) forks(t *testing.T) {
	t.Helper()
	own, err := policy.New(policy.ModePlan)
	require.NoError(t, err)
	cfg := pegboard.SessionConfig{AgentID: "agent", Permissions: own}
	if w.random.IntN(2) == 0 {
		cfg.Permissions = policy.Permissions{}
	}
	s, err := w.Fork(cfg)
	if err != nil { // plan mode is laxer than the mode of the conversation
		require.True(t, policy.ModePlan.Laxer(w.mode))
		return
	}
	agent := &desk{Session: s, registry: w.registry, dir: w.dir}
	w.answer = pick(w.random, allow, deny)
	agent.send(t, pick(w.random, enter(), exit("plan")), exit("plan"), write("agent"))
	require.False(t, agent.mode().Laxer(w.mode), "%s in %s", agent.mode(), w.mode)
	require.NoError(t, s.Close(t.Context()))
}

// TestPlanModeProperty: after a refusal the conversation still plans, and it is never laxer than
// before plan mode unless a person has said so.
func TestPlanModeProperty(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		w := &planWorld{random: rand.New(rand.NewPCG(seed, 1))}
		start := pick(w.random, anyMode...)
		w.desk = newDesk(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			if q.Call.ToolName() != "ExitPlanMode" {
				return deny, nil
			}
			w.asked++
			return w.answer, nil
		}}, start)
		w.mode, w.before, w.bound = start, policy.ModeDefault, start
		if start == policy.ModePlan {
			w.bound = policy.ModeDefault
		}
		for step := range 25 {
			pick(w.random, w.personSets, w.enters, w.enters, w.exits, w.exits, w.exits, w.forks)(t)
			require.Equal(t, w.mode, w.Permissions().Mode(), "seed %d, step %d", seed, step)
			require.False(t, w.mode.Laxer(w.bound), "seed %d, step %d: %s, a person has chosen %s", seed, step, w.mode, w.bound)
		}
		require.False(t, w.has("entered"))
	}
}

// TestPlanModeInOneMessage: calls before a change of the mode are decided in the mode before, and
// those behind it in the mode after.
func TestPlanModeInOneMessage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModeAcceptEdits)
	outs := d.send(t, write("a"), enter(), write("b"), exit("1. Write c"), write("c"))
	require.NoError(t, outs[0].Err)
	require.NoError(t, outs[1].Err)
	require.Contains(t, outs[1].Result.Text(), "Plans here name an owner.")
	require.ErrorIs(t, outs[2].Err, pegboard.ErrDenied)
	require.Contains(t, outs[2].Result.Text(), "in plan mode nothing is written")
	require.NoError(t, outs[3].Err)
	require.NoError(t, outs[4].Err)
	require.True(t, d.has("a"))
	require.False(t, d.has("b"))
	require.True(t, d.has("c"))
	require.Equal(t, policy.ModeAcceptEdits, d.mode())
}

// TestAnswersToAPlan is about each way in which a plan is approved, or not.
func TestAnswersToAPlan(t *testing.T) {
	t.Parallel()
	edited := json.RawMessage(`{"plan":"1. Write less"}`)
	tests := []struct {
		name   string
		answer policy.Decision
		cfg    pegboard.SessionConfig
		from   policy.Mode // that plan mode is entered from
		mode   policy.Mode // that follows
		is     error
		plan   session.Plan
		says   []string
	}{
		{name: "approved", answer: allow, from: policy.ModeAcceptEdits, mode: policy.ModeAcceptEdits,
			plan: session.Plan{Text: "1. Write", Sent: "1. Write", By: policy.ByPerson}, says: []string{"The user has approved the plan", "the mode is acceptEdits", "VerifyPlanExecution"}},
		{name: "edited", answer: policy.Decision{Behavior: policy.Allow, Input: edited}, from: policy.ModeAuto, mode: policy.ModeAuto,
			plan: session.Plan{Text: "1. Write less", Sent: "1. Write", Edited: true, By: policy.ByPerson}, says: []string{"was changed before it was approved", "1. Write less"}},
		{name: "with a laxer mode", answer: policy.Decision{Behavior: policy.Allow, Remember: setMode(policy.ModeAcceptEdits)}, from: policy.ModeDefault, mode: policy.ModeAcceptEdits,
			plan: session.Plan{Text: "1. Write", Sent: "1. Write", By: policy.ByPerson}, says: []string{"the mode is acceptEdits"}},
		{name: "edited, with a stricter mode", answer: policy.Decision{Behavior: policy.Allow, Input: edited, Remember: setMode(policy.ModeDefault)}, from: policy.ModeAcceptEdits, mode: policy.ModeDefault,
			plan: session.Plan{Text: "1. Write less", Sent: "1. Write", Edited: true, By: policy.ByPerson}, says: []string{"the mode is default"}},
		{name: "edited, with a mode that asks nobody", answer: policy.Decision{Behavior: policy.Allow, Input: edited, Remember: setMode(policy.ModeDontAsk)}, from: policy.ModeAcceptEdits, mode: policy.ModePlan, is: pegboard.ErrDenied, says: []string{"do not go together"}},
		{name: "with a mode that asks nobody", answer: policy.Decision{Behavior: policy.Allow, Remember: setMode(policy.ModeDontAsk)}, from: policy.ModeAcceptEdits, mode: policy.ModeDontAsk,
			plan: session.Plan{Text: "1. Write", Sent: "1. Write", By: policy.ByPerson}, says: []string{"the mode is dontAsk"}},
		{name: "with a mode that is not offered", answer: policy.Decision{Behavior: policy.Allow, Remember: setMode(policy.ModeBypass)}, from: policy.ModeDefault, mode: policy.ModeDefault,
			plan: session.Plan{Text: "1. Write", Sent: "1. Write", By: policy.ByPerson}},
		{name: "refused", answer: policy.Decision{Behavior: policy.Deny, Reason: "name the tests"}, from: policy.ModeAcceptEdits, mode: policy.ModePlan, is: pegboard.ErrDenied, says: []string{"name the tests"}},
		{name: "nobody answers", answer: policy.Decision{}, from: policy.ModeAcceptEdits, mode: policy.ModePlan, is: pegboard.ErrNoApprover},
		{name: "nobody may be asked", answer: allow, cfg: pegboard.SessionConfig{NoPrompts: true}, from: policy.ModeAcceptEdits, mode: policy.ModePlan, is: pegboard.ErrNoApprover},
		{name: "a hook allows, and nobody may be asked", cfg: pegboard.SessionConfig{NoPrompts: true, Hooks: pegboard.Hooks{Permission: says(allow)}}, from: policy.ModeDefault, mode: policy.ModePlan, is: pegboard.ErrNoApprover},
		{name: "a hook edits", cfg: pegboard.SessionConfig{NoPrompts: true, Hooks: pegboard.Hooks{Permission: says(policy.Decision{Behavior: policy.Allow, Input: edited})}}, from: policy.ModeDefault, mode: policy.ModeDefault,
			plan: session.Plan{Text: "1. Write less", Sent: "1. Write", Edited: true, By: policy.ByHook}, says: []string{"A program that answers in the user's place"}},
		{name: "a coordinator's check allows", answer: deny, cfg: pegboard.SessionConfig{Approvers: []pegboard.Asker{says(allow)}}, from: policy.ModeDefault, mode: policy.ModePlan, is: pegboard.ErrDenied},
		{name: "a hook before the call edits", cfg: pegboard.SessionConfig{NoPrompts: true, Hooks: pegboard.Hooks{Pre: func(_ ctx, h *pegboard.HookCall) (policy.Decision, error) {
			if h.Call.Name != "ExitPlanMode" {
				return policy.Decision{}, nil
			}
			return policy.Decision{Behavior: policy.Allow, Input: edited}, nil
		}}}, from: policy.ModeDefault, mode: policy.ModeDefault, plan: session.Plan{Text: "1. Write less", Sent: "1. Write", Edited: true, By: policy.ByHook}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cfg := tc.cfg
			cfg.Ask = says(tc.answer)
			d := newDesk(t, cfg, tc.from)
			require.NoError(t, d.send(t, enter())[0].Err)
			require.Equal(t, policy.ModePlan, d.mode())
			out := d.send(t, exit("1. Write"))[0]
			require.ErrorIs(t, out.Err, tc.is)
			require.Equal(t, tc.mode, d.mode())
			for _, text := range tc.says {
				require.Contains(t, out.Result.Text(), text)
			}
			plan, ok := session.ApprovedPlan(d.Session)
			require.Equal(t, tc.is == nil, ok)
			require.Equal(t, tc.plan, plan)
		})
	}
}

// TestAnswerThatIsRefusedAsAWhole: the question stays open, and the person answers anew.
func TestAnswerThatIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	var d *desk
	d = newDesk(t, pegboard.SessionConfig{Ask: func(c ctx, q *pegboard.Question) (policy.Decision, error) {
		edited := policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"plan":"1. Write less"}`), Remember: setMode(policy.ModeDontAsk)}
		require.ErrorContains(t, d.Answer(q.ID, edited), "do not go together")
		require.Equal(t, policy.ModePlan, d.mode())
		require.Len(t, d.Questions(), 1)
		edited.Remember = nil
		return edited, nil
	}}, policy.ModePlan)
	require.NoError(t, d.send(t, exit("1. Write"))[0].Err)
	require.Equal(t, policy.ModeDefault, d.mode())
}

// TestPlanToolsOutOfPlace: the mode that a call finds decides what it can do.
func TestPlanToolsOutOfPlace(t *testing.T) {
	t.Parallel()
	for _, mode := range []policy.Mode{policy.ModeDefault, policy.ModeAcceptEdits, policy.ModeAuto, policy.ModeBypass, policy.ModeDontAsk, policy.ModeAsk, policy.ModeDeny} {
		t.Run("exit from "+string(mode), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, mode)
			out := d.send(t, exit("x"))[0]
			require.ErrorIs(t, out.Err, session.ErrNotPlanning)
			require.Contains(t, out.Result.Text(), "not in plan mode")
			require.Equal(t, mode, d.mode())
		})
	}
	for _, mode := range []policy.Mode{policy.ModeDontAsk, policy.ModeAsk, policy.ModeDeny} {
		t.Run("enter from "+string(mode), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, mode)
			out := d.send(t, enter())[0]
			require.ErrorIs(t, out.Err, session.ErrNoPlanMode)
			require.Equal(t, mode, d.mode())
		})
	}
	t.Run("enter where the policy withholds it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModeDefault)
		require.NoError(t, d.SetPermissions(d.Permissions().Without(policy.ModePlan)))
		require.ErrorIs(t, d.send(t, enter())[0].Err, session.ErrNoPlanMode)
	})
	t.Run("enter twice", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModeAcceptEdits)
		outs := d.send(t, enter(), enter(), exit("x"))
		require.NoError(t, outs[1].Err)
		require.Contains(t, outs[1].Result.Text(), "in plan mode already")
		require.Equal(t, policy.ModeAcceptEdits, d.mode())
	})
	t.Run("without a text", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModePlan)
		outs := d.send(t, call("ExitPlanMode", ``), call("VerifyPlanExecution", `{"steps":[{"step":"1","done":true}]}`))
		require.NoError(t, outs[0].Err)
		out, ok := outs[0].Result.Data.(session.ExitPlanOutput)
		require.True(t, ok)
		require.Nil(t, out.Plan)
		require.ErrorIs(t, outs[1].Err, pegboard.ErrToolFailed)
		require.Equal(t, policy.ModeDefault, d.mode())
	})
	t.Run("from a script", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModeDefault)
		for _, name := range []string{"EnterPlanMode", "ExitPlanMode"} {
			out := d.send(t, call("Script", map[string]any{"Name": name, "Input": "{}"}))[0]
			require.Contains(t, out.Result.Text(), "a script cannot change the mode")
		}
		require.Equal(t, policy.ModeDefault, d.mode())
	})
}

// TestOtherPropertiesOfAPlan: what is known from elsewhere is ignored, and a plan under another
// name is not taken for none.
func TestOtherPropertiesOfAPlan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		input string
		plan  string
		wrong string
	}{
		{name: "deprecated", input: `{"plan":"1. Look","allowedPrompts":[{"tool":"Bash","prompt":"run tests"}]}`, plan: "1. Look"},
		{name: "of other programs", input: `{"plan":"1. Look","planFilePath":"/plan.md","pushToRemote":true,"note":"x"}`, plan: "1. Look"},
		{name: "no text at all", input: `{"allowedPrompts":[],"planFilePath":"/plan.md","plan":""}`},
		{name: "another name", input: `{"plan_text":"1. Look"}`, wrong: "a text in plan_text"},
		{name: "another name beside a blank one", input: `{"plan":" ","text":"1. Look"}`, wrong: "a text in text"},
		{name: "another case", input: `{"Plan":"1. Look"}`, wrong: `use "plan"`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModePlan)
			out := d.send(t, call("ExitPlanMode", tc.input))[0]
			if tc.wrong != "" {
				require.ErrorIs(t, out.Err, pegboard.ErrInvalidInput)
				require.Contains(t, out.Result.Text(), tc.wrong)
				require.Equal(t, policy.ModePlan, d.mode())
				return
			}
			require.NoError(t, out.Err)
			plan, ok := session.ApprovedPlan(d.Session)
			require.True(t, ok)
			require.Equal(t, tc.plan, plan.Text)
			require.Equal(t, policy.ModeDefault, d.mode())
		})
	}
}

// TestPlanModeThatChangesMeanwhile: a stricter mode that somebody sets while EnterPlanMode runs
// stays, and so does a mode that a person sets while the plan is asked about.
func TestPlanModeThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	set := func(s *pegboard.Session, m policy.Mode) error {
		return s.UpdatePermissions(func(p policy.Permissions) (policy.Permissions, error) { return p.WithMode(m) })
	}
	t.Run("entering", func(t *testing.T) {
		t.Parallel()
		var d *desk
		d = newDesk(t, pegboard.SessionConfig{Hooks: pegboard.Hooks{Post: func(ctx, *pegboard.HookCall) error { return set(d.Session, policy.ModeDontAsk) }}}, policy.ModeDefault)
		require.NoError(t, d.send(t, enter())[0].Err)
		require.Equal(t, policy.ModeDontAsk, d.mode())
		news := d.Notifications()
		require.Len(t, news, 1)
		require.Contains(t, news[0].Text, "plan mode was not entered")
	})
	t.Run("asking", func(t *testing.T) {
		t.Parallel()
		var d *desk
		d = newDesk(t, pegboard.SessionConfig{Ask: func(ctx, *pegboard.Question) (policy.Decision, error) {
			return allow, set(d.Session, policy.ModeAsk)
		}}, policy.ModePlan)
		require.NoError(t, d.send(t, exit("x"))[0].Err)
		require.Equal(t, policy.ModeAsk, d.mode())
	})
}

// TestPlanModeOfAgents: an agent leaves a plan mode of its own, and never that of its parent.
func TestPlanModeOfAgents(t *testing.T) {
	t.Parallel()
	plan, err := policy.New(policy.ModePlan)
	require.NoError(t, err)
	t.Run("its own", func(t *testing.T) {
		t.Parallel()
		var path []string
		d := newDesk(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
			path = q.AgentPath
			return allow, nil
		}}, policy.ModeAcceptEdits)
		agent := d.fork(t, pegboard.SessionConfig{AgentID: "planner", Permissions: plan})
		out := agent.send(t, exit("1. Look"))[0]
		require.NoError(t, out.Err)
		require.Equal(t, []string{"planner"}, path)
		require.Equal(t, policy.ModeAcceptEdits, agent.mode())
		require.Contains(t, out.Result.Text(), "the mode is acceptEdits")
		data, ok := out.Result.Data.(session.ExitPlanOutput)
		require.True(t, ok)
		require.True(t, data.IsAgent)
		_, ok = session.ApprovedPlan(d.Session)
		require.False(t, ok, "the plan is the agent's")
	})
	t.Run("its parent's", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModePlan)
		agent := d.fork(t, pegboard.SessionConfig{AgentID: "worker", Permissions: plan})
		out := agent.send(t, exit("1. Look"))[0]
		require.ErrorIs(t, out.Err, session.ErrNotPlanning)
		require.Equal(t, policy.ModePlan, agent.mode())
		require.Equal(t, policy.ModePlan, d.mode())
	})
	t.Run("a plan that was approved before it began", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, pegboard.SessionConfig{Ask: says(allow)}, policy.ModePlan)
		require.NoError(t, d.send(t, exit("1. Look"))[0].Err)
		agent := d.fork(t, pegboard.SessionConfig{AgentID: "worker"})
		seen, ok := session.ApprovedPlan(agent.Session)
		require.True(t, ok)
		require.Equal(t, "1. Look", seen.Text)
	})
	_, ok := session.ApprovedPlan(nil)
	require.False(t, ok)
}

// TestPlanModeThatOnlyTheUserLeaves: where the model has no ExitPlanMode, it is not told to call it.
func TestPlanModeThatOnlyTheUserLeaves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, pegboard.SessionConfig{}, policy.ModeDefault, policy.RuleSet{Deny: []string{"ExitPlanMode"}})
	for range 2 {
		out := d.send(t, enter())[0]
		require.NoError(t, out.Err)
		require.NotContains(t, out.Result.Text(), "ExitPlanMode")
		require.Contains(t, out.Result.Text(), "only the user can leave plan mode")
	}
}

// TestAnswersToACallThatRunsElsewhere: a call that was made again does not know who has answered,
// nor what the model wrote, and claims neither.
func TestAnswersToACallThatRunsElsewhere(t *testing.T) {
	t.Parallel()
	ask := func(_ ctx, q *pegboard.Question) (policy.Decision, error) {
		if _, ok := session.Asked(q); ok {
			return session.Answer(q, session.Answers{Response: "Green"})
		}
		return policy.Decision{Behavior: policy.Allow, Input: json.RawMessage(`{"plan":"1. Write less"}`)}, nil
	}
	d := newDesk(t, pegboard.SessionConfig{Ask: ask}, policy.ModePlan)
	pool := d.registry.AssemblePool(d.Session, pegboard.PoolConfig{})
	executor := pegboard.Executor{Invoke: func(c ctx, _ pegboard.Tool, made *pegboard.Call) (*pegboard.Result, error) {
		tool, again, err := pool.Rebuild(pegboard.Call{ID: made.ID, Name: made.Name, Input: made.Input})
		if err != nil {
			return nil, err
		}
		return tool.Call(c, again)
	}}
	question := call("AskUserQuestion", `{"questions":[{"question":"Red or blue?","header":"Color","options":[{"label":"Red","description":""},{"label":"Blue","description":""}]}]}`)
	question.ID = "1"
	plan := exit("1. Write")
	plan.ID = "2"
	outs := executor.Run(t.Context(), pool, question, plan)
	require.NoError(t, outs[0].Err)
	require.Equal(t, "The user, or a program in the user's place, writes about the questions: Green", outs[0].Result.Text())
	require.NoError(t, outs[1].Err)
	require.Contains(t, outs[1].Result.Text(), "The user, or a program in the user's place, has approved the plan.")
	require.Contains(t, outs[1].Result.Text(), "This is the plan as it was approved:\n\n1. Write less")
	approved, _ := session.ApprovedPlan(d.Session)
	require.Equal(t, session.Plan{Text: "1. Write less", Sent: "1. Write less"}, approved)
	require.Equal(t, policy.ModeDefault, d.mode())
}

// TestPlanToolsOutsideAnExecutor: a call that no executor made changes nothing and does not panic.
func TestPlanToolsOutsideAnExecutor(t *testing.T) {
	t.Parallel()
	for _, tool := range session.PlanTools(session.PlanOptions{}) {
		c := &pegboard.Call{Name: tool.Info().Name, Input: json.RawMessage(`{}`)}
		_, err := tool.Call(context.Background(), c)
		require.Error(t, err)
	}
}
