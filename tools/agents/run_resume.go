package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard"
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
		done: make(chan struct{}), returned: make(chan struct{}), task: taskState{moved: make(chan struct{})}, history: history, before: len(history),
	}
	s := &again.status
	k.agent = &Agent{
		Name: s.Name, Team: again.request.Team, Type: s.Type, System: again.definition.Prompt, Model: s.Model, Effort: again.effort, Caller: again.caller,
		Schema: slices.Clone(again.request.Schema), Forked: again.forked, run: k,
	}
	if err := k.prepare(ctx); err != nil {
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
	k.task.handle.Done(background.Killed, nil, ErrNotResumed)
	background.Of(k.caller).Acknowledge(k.caller, k.task.handle.ID())
	_ = k.task.file.Close() // it is empty
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
