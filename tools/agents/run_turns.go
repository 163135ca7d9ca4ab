package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
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

// callHook returns the text of a hook. One that fails is logged and has none; one may stop the run.
func (k *run) callHook(name string, hook func() (string, error)) (text string) {
	err := goroutine.ErrGoexit
	if crash := <-goroutine.Go(func() { text, err = hook() }); crash != nil {
		err = crash
	}
	switch {
	case errors.Is(err, ErrStopped):
		k.cancel(err)
		return ""
	case err != nil:
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
			k.inbox.unread = append(k.inbox.unread, p)
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
	if hook == nil || k.turns.kept >= MaxStopTexts {
		return false
	}
	e := Ending{Agent: k.agent, Text: k.textOf(reply), Kept: k.turns.kept}
	text := k.callHook(name, func() (string, error) { return hook(k.ctx, e) })
	if text == "" || k.ctx.Err() != nil {
		return false
	}
	k.turns.kept++
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
	parts := k.inbox.unread
	k.inbox.unread = nil
	k.mu.Unlock()
	parts = append(parts, k.readMail()...)
	k.recordNoted()
	return append(parts, k.agent.Session.Notifications()...), nil
}

// spend counts the cost of the agent's requests.
func (k *run) spend(u Usage) {
	k.mu.Lock()
	k.turns.usage = k.turns.usage.Plus(u)
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
	case k.turns.limit != nil:
	case most > 0 && k.turns.requests >= most:
		k.turns.limit = fmt.Errorf("%w: %d (maxTurns)", ErrTurns, most)
	case spent != nil:
		k.turns.limit = spent
	default:
		k.turns.requests++
	}
	return k.turns.limit
}

func (k *run) limitReached() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turns.limit
}

// wasDenied reports whether the user has denied a call and ended the turn.
func (k *run) wasDenied() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turns.denied
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
	k.turns.calls++
	calls := k.turns.calls
	k.turns.denied = k.turns.denied || below.StopTurn || d.Behavior == policy.Deny && d.StopTurn
	k.mu.Unlock()
	k.roster.update(k.entry, func(s *Status) { s.Calls = max(s.Calls, calls) })
}

// runOf returns the run of the agent that s belongs to; nil if s belongs to the main agent or to
// an agent that has ended.
func (g *Agents) runOf(s *pegboard.Session) *run {
	if g.entryOf(s) == nil {
		return nil
	}
	k := g.rosterOf(s).runOf(s.AgentID())
	if k == nil || k.agent.Session != s {
		return nil
	}
	return k
}

// mail returns the mail of the conversation.
func (k *run) mail() *mail { return k.g.mailOf(k.caller) }

// lead returns the id of the agent that has started this one.
func (k *run) lead() string {
	if id := k.caller.AgentID(); id != "" {
		return id
	}
	return MainName
}

// readMail returns the messages for the next request.
func (k *run) readMail() []pegboard.Part {
	parts := k.mail().take(k.agent.ID, k.noteLetter)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inbox.reading = k.inbox.reading || len(parts) > 0
	return parts
}

// noteLetter records a request that the agent is about to read.
func (k *run) noteLetter(l *letter) {
	if l.Kind != shutdownRequest {
		return
	}
	k.roster.setAsked(k.entry, l.Request, l.From)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inbox.noted = true
}

// recordNoted writes the requests that were just read to the agent's record, so that they can also be
// answered in a later program.
func (k *run) recordNoted() {
	k.mu.Lock()
	noted := k.inbox.noted
	k.inbox.noted = false
	k.mu.Unlock()
	if !noted {
		return
	}
	if err := k.roster.record(k); err != nil {
		k.g.options.logger().Error("a request to end cannot be kept", "agent", k.agent.ID, "error", err)
	}
}

// keptMail removes the messages that were read: the conversation of the agent has them.
func (k *run) keptMail() {
	k.mu.Lock()
	reading := k.inbox.reading
	k.inbox.reading = false
	k.mu.Unlock()
	if reading {
		k.mail().confirm(k.agent.ID)
	}
}

// listen watches one call of the Loop. The func that it returns is called at its end, and records
// whether the Loop has asked for what there is to read.
func (k *run) listen() (returned func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.turns.requests
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.turns.deaf = k.turns.requests == before
	}
}

// isDeaf reports whether the Loop has read nothing. To call it again because a message waits
// would never end.
func (k *run) isDeaf() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.turns.deaf
}

// setPast records that the run reads nothing more.
func (k *run) setPast() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.phase = past
}

// readsNoMore returns why a message to the agent is not read: the run is ending, and there will be
// no other one. It is nil for an agent that can go on.
func (k *run) readsNoMore() error {
	k.mu.Lock()
	reading := k.phase == reads
	k.mu.Unlock()
	if reading {
		return nil
	}
	return k.roster.mayGoOn(k.entry, k.g.noBackground(k.caller))
}

// endMail removes the messages that were read, or puts them back if the run has failed before
// its conversation had them.
func (k *run) endMail(err error) {
	if err == nil {
		k.keptMail()
		return
	}
	k.mail().giveBack(k.agent.ID)
}

// askedToEnd returns who has asked the agent to end, by the id of the request.
func (k *run) askedToEnd(request string) string { return k.roster.askedBy(k.entry, request) }

// answeredShutdown records the answer to a request to end. The func that it returns undoes that.
func (k *run) answeredShutdown(request string, approve bool) (undo func()) {
	asker := k.roster.askedBy(k.entry, request)
	k.roster.setAsked(k.entry, request, "")
	k.mu.Lock()
	defer k.mu.Unlock()
	leaving := k.inbox.leaving
	k.inbox.leaving = leaving || approve
	return func() {
		k.roster.setAsked(k.entry, request, asker)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.inbox.leaving = leaving
	}
}

func (k *run) isLeaving() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.inbox.leaving
}

// liftPlan ends the plan mode of a teammate whose plan was approved.
func (k *run) liftPlan() error {
	leave := func(p policy.Permissions) (policy.Permissions, error) { return p.AfterPlan(), nil }
	if err := k.agent.Session.UpdatePermissions(leave); err != nil {
		return fmt.Errorf("%w: %s cannot leave plan mode: %w", ErrInvalidMessage, k.agent.ID, err)
	}
	return nil
}

// addressees tells a new agent which others it can write to; empty if it cannot.
func (k *run) addressees() string {
	if !k.canSend {
		return ""
	}
	names := []string{MainName + " (the main agent)"}
	for _, s := range k.roster.listNamed(k.entry, maxListed-len(names)) {
		names = append(names, fmt.Sprintf("%s (%s, of the type %s)", s.Name, s.ID, s.Type))
	}
	return "(With SendMessage you can write to " + strings.Join(names, ", ") + ". Your answer goes to the agent that has started you, without it.)"
}
