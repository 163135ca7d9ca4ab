package session_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/session"
)

// planWorld is a conversation with random agents, and what a plain model says of its modes.
type planWorld struct {
	*desk
	random *rand.Rand
	answer pegboard.Decision // the person's next one
	asked  int

	mode   pegboard.Mode // that the main session must have
	before pegboard.Mode // that plan mode was entered from
	bound  pegboard.Mode // the laxest mode that a person has chosen, or that the session began in
}

var anyMode = []pegboard.Mode{
	pegboard.ModeDeny, pegboard.ModeDontAsk, pegboard.ModeAsk, pegboard.ModePlan, pegboard.ModeDefault, pegboard.ModeAcceptEdits, pegboard.ModeAuto,
}

func pick[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

// choose notes that a person has chosen a mode.
func (w *planWorld) choose(m pegboard.Mode) {
	if m == pegboard.ModePlan && w.mode != pegboard.ModePlan {
		w.before = w.mode
	}
	w.mode, w.bound = m, m
	if m == pegboard.ModePlan && w.before.Laxer(m) {
		w.bound = w.before
	}
}

// personSets sets the mode as a user interface does.
func (w *planWorld) personSets(t *testing.T) {
	m := pick(w.random, anyMode...)
	require.NoError(t, w.UpdatePermissions(func(p pegboard.Permissions) (pegboard.Permissions, error) { return p.WithMode(m) }))
	w.choose(m)
}

// enters calls EnterPlanMode with a write behind it.
func (w *planWorld) enters(t *testing.T) {
	was := w.mode
	w.answer = deny
	outs := w.send(t, enter(), write("entered"))
	if pegboard.ModePlan.Laxer(was) { // it stays as it is
		require.Error(t, outs[0].Err, "%s", was)
		require.Equal(t, was, w.Permissions().Mode())
		return
	}
	require.NoError(t, outs[0].Err, "%s", was)
	if was != pegboard.ModePlan {
		w.before, w.mode = was, pegboard.ModePlan
	}
	require.ErrorIs(t, outs[1].Err, pegboard.ErrDenied)
	require.Equal(t, pegboard.ByMode, outs[1].Decision.By, "%s", outs[1].Result.Text())
}

// exits calls ExitPlanMode, with a random answer of the person, and a write behind it.
func (w *planWorld) exits(t *testing.T) {
	w.answer = pick(w.random, allow, deny, pegboard.Decision{})
	var chosen pegboard.Mode
	edit := w.random.IntN(3) == 0
	if w.answer.Behavior == pegboard.Allow && w.random.IntN(2) == 0 {
		chosen = pick(w.random, anyMode[2:]...) // with one that asks nobody, another input is refused
		w.answer.Remember = setMode(chosen)
	}
	if edit && w.answer.Behavior == pegboard.Allow {
		w.answer.Input = json.RawMessage(`{"plan":"edited"}`)
	}
	was, asked := w.mode, w.asked
	plan, had := session.ApprovedPlan(w.Session)
	outs := w.send(t, exit("plan"), write("left"))
	out := outs[0]
	defer func() { // the write is decided in the mode that follows
		lax := w.mode == pegboard.ModeAcceptEdits || w.mode == pegboard.ModeAuto
		require.Equal(t, lax, outs[1].Err == nil, "%s: %v", w.mode, outs[1].Err)
	}()
	if was != pegboard.ModePlan {
		require.ErrorIs(t, out.Err, session.ErrNotPlanning)
		require.Equal(t, asked, w.asked)
		return
	}
	require.Equal(t, asked+1, w.asked, "it is asked about once, whatever the mode was before")
	if w.answer.Behavior != pegboard.Allow {
		require.ErrorIs(t, out.Err, pegboard.ErrDenied)
		now, has := session.ApprovedPlan(w.Session)
		require.Equal(t, plan, now)
		require.Equal(t, had, has)
		return
	}
	require.NoError(t, out.Err)
	w.mode = w.before
	if chosen != "" && chosen != pegboard.ModePlan {
		w.mode, w.bound = chosen, chosen
	}
	now, _ := session.ApprovedPlan(w.Session)
	require.Equal(t, edit, now.Edited)
}

// forks has an agent try to leave plan mode and to write. Whatever is approved, the agent is
// never laxer than the conversation.
func (w *planWorld) forks(t *testing.T) {
	own, err := pegboard.NewPermissions(pegboard.ModePlan)
	require.NoError(t, err)
	cfg := pegboard.SessionConfig{AgentID: "agent", Permissions: own}
	if w.random.IntN(2) == 0 {
		cfg.Permissions = pegboard.Permissions{}
	}
	s, err := w.Fork(cfg)
	if err != nil { // plan mode is laxer than the mode of the conversation
		require.True(t, pegboard.ModePlan.Laxer(w.mode))
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
		w.desk = newDesk(t, pegboard.SessionConfig{Ask: func(_ ctx, q *pegboard.Question) (pegboard.Decision, error) {
			if q.Call.ToolName() != "ExitPlanMode" {
				return deny, nil
			}
			w.asked++
			return w.answer, nil
		}}, start)
		w.mode, w.before, w.bound = start, pegboard.ModeDefault, start
		if start == pegboard.ModePlan {
			w.bound = pegboard.ModeDefault
		}
		for step := range 25 {
			pick(w.random, w.personSets, w.enters, w.enters, w.exits, w.exits, w.exits, w.forks)(t)
			require.Equal(t, w.mode, w.Permissions().Mode(), "seed %d, step %d", seed, step)
			require.False(t, w.mode.Laxer(w.bound), "seed %d, step %d: %s, a person has chosen %s", seed, step, w.mode, w.bound)
		}
		require.False(t, w.has("entered"))
	}
}
