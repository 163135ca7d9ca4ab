package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// resume makes a new run of an agent that has ended, in the background, under the same id and with
// its conversation. It returns nil if the agent is running. The caller starts the run.
func (g *Agents) resume(ctx context.Context, e *entry) (*run, error) {
	if e.caller == nil {
		return nil, fmt.Errorf("%w: the main agent has not opened the conversation", ErrNotResumed)
	}
	roster, cannot := g.rosterOf(e.caller), ""
	if g.noBackground(e.caller) != "" {
		cannot = "the agent that started it has no agents in the background"
	}
	again, ended, err := roster.reenter(e.status.ID, cannot, g.options.maxRunning())
	if err != nil || again == nil {
		return nil, err
	}
	ready := false
	defer func() {
		if !ready { // code of the host may have ended this goroutine
			roster.putBack(again, ended)
		}
	}()
	if err := errors.Join(g.checkBudget(again.caller), g.mayStart(again.caller, again.status.Type)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotResumed, err)
	}
	history, err := roster.historyOf(ended)
	if err != nil {
		return nil, err
	}
	k := &run{
		g: g, caller: again.caller, definition: again.definition, request: again.request, roster: roster, entry: again, started: time.Now(), background: true,
		done: make(chan struct{}), returned: make(chan struct{}), moved: make(chan struct{}), history: history, before: len(history),
	}
	s := &again.status
	k.agent = &Agent{
		Name: s.Name, Type: s.Type, System: again.definition.Prompt, Model: s.Model, Effort: again.effort, Caller: again.caller,
		Schema: slices.Clone(again.request.Schema), Forked: again.forked, run: k,
	}
	if err := k.settle(ctx); err != nil {
		roster.putBack(again, ended)
		ready = true
		err = errors.Join(err, roster.recordEntry(ended))
		if errors.Is(err, pegboard.ErrClosed) {
			err = fmt.Errorf("%w: the agent that started it has ended, too; start a new one", ErrNotResumed)
		}
		return nil, err
	}
	roster.setRun(again, k)
	k.earlier, ready = ended, true
	return k, nil
}

// resumeFor is resume for the receiver of a letter.
func (g *Agents) resumeFor(ctx context.Context, e *entry, l *letter) (*run, error) {
	k, err := g.resume(ctx, e)
	if err != nil || k == nil || l.Kind != planResponse || !l.Approve {
		return k, err
	}
	if err := k.liftPlan(); err != nil {
		k.abandonResumed(ctx)
		return nil, err
	}
	return k, nil
}

// abandonResumed undoes resume, for a run that was not started.
func (k *run) abandonResumed(ctx context.Context) {
	k.giveUp(ctx)
	k.roster.putBack(k.entry, k.earlier)
	if err := k.roster.recordEntry(k.earlier); err != nil {
		k.g.options.logger().Error("the end of an agent cannot be kept", "agent", k.agent.ID, "error", err)
	}
	k.task.Done(background.Killed, nil, ErrNotResumed)
	background.Of(k.caller).Acknowledge(k.caller, k.task.ID())
	_ = k.file.Close() // it is empty
}

// goOn starts the agent again if a message has come while it ended. If the user has ended its
// turn, only the next message does. It does nothing after a later run, whose end decides.
func (k *run) goOn(state State) {
	defer k.roster.setSettled(k.entry)
	if state != Completed || k.isDeaf() || k.result.StopTurn || !k.roster.isLast(k.entry) || !k.mail().has(k.agent.ID) {
		return
	}
	ctx := context.WithoutCancel(k.ctx)
	again, err := k.g.resume(ctx, k.entry)
	if err == nil && again != nil {
		_, err = again.start(ctx)
	}
	if err != nil && !errors.Is(err, pegboard.ErrClosed) {
		k.g.options.logger().Warn("an agent has ended without reading a message", "agent", k.agent.ID, "error", err)
	}
}

// mayResume returns why an agent that has ended cannot go on.
func (e *entry) mayResume() error {
	cannot := func(why string) error { return fmt.Errorf("%w: %s", ErrNotResumed, why) }
	switch {
	case e.byUser:
		return cannot("the user has stopped " + e.status.label() + ". Ask the user before another agent does the same")
	case e.definition.OneShot:
		return cannot("agents of the type " + e.definition.Name + " do one task; start a new one")
	case e.parent.isIsolated():
		return cannot(e.status.label() + " worked in the worktree of another agent, which was left; start a new one")
	case e.forgotten:
		return cannot("the conversation of " + e.status.label() + " was forgotten, since many agents have ended since; start a new one")
	}
	return nil
}

// isIsolated reports whether an agent has a worktree of its own, or shares that of an agent above
// it. A nil entry, the main agent, has none.
func (e *entry) isIsolated() bool {
	for ; e != nil; e = e.parent {
		if e.request.Isolation != "" || e.definition.Worktree {
			return true
		}
	}
	return false
}

// keepOnDisk opens the file of the agent's conversation and writes its record.
func (k *run) keepOnDisk() (err error) {
	if k.roster.store == nil {
		return nil
	}
	t, err := openTranscript(k.roster.store.transcriptPath(k.agent.ID))
	if err != nil {
		return fmt.Errorf("the conversation of the agent cannot be kept: %w", err)
	}
	k.mu.Lock()
	k.transcript = t
	k.mu.Unlock()
	return k.roster.record(k)
}

// keepMessages adds messages to the conversation. If they cannot be kept on the disk, none is
// added.
func (k *run) keepMessages(messages []json.RawMessage) error {
	for i, m := range messages {
		if !json.Valid(m) {
			return fmt.Errorf("message %d of %d is not JSON", i+1, len(messages))
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return fmt.Errorf("%w: its conversation is closed", ErrEnded)
	}
	if k.transcript != nil {
		if err := k.transcript.add(messages); err != nil {
			return fmt.Errorf("the conversation of the agent cannot be kept: %w", err)
		}
	}
	k.history = append(k.history, messages...)
	return k.write(messages)
}

// closeTranscript closes the file of the conversation.
func (k *run) closeTranscript() error {
	k.mu.Lock()
	t := k.transcript
	k.transcript = nil
	k.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.close()
}

// leave records how the agent has ended.
func (k *run) leave(state State, why error) {
	if err := errors.Join(k.closeTranscript(), k.roster.leave(k, state, why)); err != nil {
		k.g.options.logger().Error("the end of an agent cannot be kept", "agent", k.agent.ID, "error", err)
	}
}

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
