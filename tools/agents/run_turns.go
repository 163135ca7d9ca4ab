package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// open collects the first parts for the agent: its skills, words of hooks, and its task. It fails if
// code of the host ends its goroutine.
func (k *run) open() error {
	if k.before > 0 { // an earlier run has read them, but maybe in another place
		k.tell(pegboard.Part{Text: k.place.words})
		if k.entry.planLost {
			k.tell(pegboard.Part{Text: "(The agent that was to answer your plan has ended. If you still need the answer, send the plan to " + k.lead() + ".)"})
		}
		return nil
	}
	if len(k.definition.Skills) > 0 || k.g.options.Hooks.Start != nil {
		if crash := <-goroutine.Go(k.tellOfHost); crash != nil {
			return crash
		}
	}
	k.tell(pegboard.Part{Text: k.addressees()}, pegboard.Part{Text: k.place.words}, pegboard.Part{Text: k.request.Prompt})
	return nil
}

// tellOfHost adds the skills that the definition names, and the words of the host's hook.
func (k *run) tellOfHost() {
	for _, name := range k.definition.Skills {
		text, err := k.skill(name)
		if err != nil {
			k.g.options.logger().Warn("the definition of an agent names a skill that cannot be told", "type", k.definition.Name, "origin", k.definition.Origin, "skill", name, "error", err)
			k.note(fmt.Sprintf("The skill %s of its definition was not told: %v.", name, err))
			continue
		}
		k.tell(pegboard.Part{Text: text})
	}
	if hook := k.g.options.Hooks.Start; hook != nil {
		k.tell(pegboard.Part{Text: k.callHook("start", func() (string, error) { return hook(k.ctx, k.agent) })})
	}
}

// skill returns the text of a skill.
func (k *run) skill(name string) (text string, err error) {
	if k.g.options.Skill == nil {
		return "", fmt.Errorf("there are no skills here")
	}
	err = goroutine.Try(func() (err error) {
		text, err = k.g.options.Skill(k.ctx, k.agent.Session, name)
		return err
	})
	return text, err
}

// callHook returns the text of a hook. A hook that fails is logged and has none.
func (k *run) callHook(name string, hook func() (string, error)) (text string) {
	err := goroutine.ErrGoexit
	if crash := <-goroutine.Go(func() { text, err = hook() }); crash != nil {
		err = crash
	}
	if err != nil {
		k.g.options.logger().Error("a hook of agents failed", "hook", name, "agent", k.agent.ID, "error", err)
		return ""
	}
	return text
}

// tell adds parts that the agent reads before its next request.
func (k *run) tell(parts ...pegboard.Part) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range parts {
		if p.Text != "" || len(p.Data) > 0 {
			k.unread = append(k.unread, p)
		}
	}
}

// goesOn reports whether the agent has something to read after its Loop has returned. It fails if
// code of the host ends its goroutine.
func (k *run) goesOn(reply Reply) (on bool, err error) {
	teammate, hook := k.entry.role == pegboard.RoleTeammate, k.g.options.Hooks.Stop
	stopped := k.ctx.Err() != nil || k.limitReached() != nil
	if stopped || (reply.StopTurn || k.wasDenied()) && !teammate {
		return false, nil
	}
	switch waits := k.mail().has(k.agent.ID); {
	case k.isDeaf() && waits:
		k.note("It has ended without reading messages that wait for it.")
	case teammate:
		err = <-goroutine.Go(func() { on = k.idle(reply) })
	case waits:
		on = true
	case hook != nil:
		err = <-goroutine.Go(func() { on = k.keepsGoing("stop", hook, reply) })
	}
	return on, err
}

// keepsGoing reports whether a hook wants the agent to go on.
func (k *run) keepsGoing(name string, hook func(context.Context, Ending) (string, error), reply Reply) bool {
	if hook == nil || k.kept >= MaxStopTexts {
		return false
	}
	e := Ending{Agent: k.agent, Text: k.textOf(reply), Kept: k.kept}
	text := k.callHook(name, func() (string, error) { return hook(k.ctx, e) })
	if text == "" || k.ctx.Err() != nil {
		return false
	}
	k.kept++
	k.tell(pegboard.Part{Text: text})
	return true
}

// next implements [Agent.Next].
func (k *run) next(ctx context.Context, used Usage) ([]pegboard.Part, error) {
	k.spend(used)
	for _, c := range []context.Context{k.ctx, ctx} {
		if c.Err() != nil {
			return nil, context.Cause(c)
		}
	}
	if err := k.countRequest(); err != nil {
		return nil, err
	}
	if err := k.roster.record(k); err != nil {
		return nil, err
	}
	k.mu.Lock()
	parts := k.unread
	k.unread = nil
	k.mu.Unlock()
	parts = append(parts, k.readMail()...)
	k.recordNoted()
	return append(parts, k.agent.Session.News()...), nil
}

// spend counts the cost of the agent's requests.
func (k *run) spend(u Usage) {
	k.mu.Lock()
	k.usage = k.usage.plus(u)
	k.mu.Unlock()
	k.roster.spend(k.entry, u)
}

// countRequest counts the request that follows, or returns the limit that forbids it.
func (k *run) countRequest() error {
	spent := k.g.checkBudget(k.caller)
	k.mu.Lock()
	defer k.mu.Unlock()
	most := k.definition.MaxTurns
	switch {
	case k.limit != nil:
	case most > 0 && k.requests >= most:
		k.limit = fmt.Errorf("%w: %d (maxTurns)", ErrTurns, most)
	case spent != nil:
		k.limit = spent
	default:
		k.requests++
	}
	return k.limit
}

func (k *run) limitReached() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.limit
}

// wasDenied reports whether the user has denied a call and ended the turn.
func (k *run) wasDenied() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.denied
}

// append implements [Agent.Append].
func (k *run) append(messages []json.RawMessage) error {
	if err := k.keepMessages(messages); err != nil {
		return err
	}
	k.keptMail()
	return nil
}

// hooks returns the hooks that count the agent's calls.
func (k *run) hooks() pegboard.Hooks {
	count := func(_ context.Context, h *pegboard.HookCall) error { k.count(h); return nil }
	return pegboard.Hooks{Post: count, PostFailure: count, NotRun: count, OnFailure: pegboard.FailContinue}
}

// count counts a call that the agent's model has made. The hooks also see the calls of agents
// below, and those that a call makes.
func (k *run) count(h *pegboard.HookCall) {
	if h.Call.Session() != k.agent.Session || h.Call.Parent() != nil {
		return
	}
	d := h.Outcome.Decision
	below, _ := h.Outcome.Result.Data.(Result) // of an agent that it has waited for
	k.mu.Lock()
	k.calls++
	calls := k.calls
	k.denied = k.denied || below.StopTurn || d.Behavior == pegboard.Deny && d.StopTurn
	k.mu.Unlock()
	k.roster.update(k.entry, func(s *Status) { s.Calls = max(s.Calls, calls) })
}
