package agents

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// answerWait is how long the call of an agent may take to answer when it was stopped.
const answerWait = 900 * time.Millisecond

// answerName is the name of the tool that takes the value for a schema, see tools/structured.
const answerName = "StructuredOutput"

// closeWait is how long the session of an agent that has ended may take to close.
const closeWait = 10 * time.Second

// A run is one run of an agent. It has a goroutine that supervises it, and one that its Loop has.
// The call that waits for it stands beside them:
//
//	           ┌──────────── goesOn ────────────┐
//	prepared ──▶ Loop runs ──────▶ returned ────┴──▶ session closed ──▶ done
//	                 │ stopped, and a moment later     ▲
//	                 └──▶ abandoned (Session.Detached) ┘
type run struct {
	g          *Agents
	roster     *roster
	entry      *entry
	agent      *Agent
	caller     *pegboard.Session
	definition Definition
	request    Request
	place      place
	background bool // from its beginning
	started    time.Time
	before     int    // messages of earlier runs in history
	earlier    *entry // of the earlier run; nil for the first
	canSend    bool   // it has SendMessage
	inTeam     bool   // it is in its team's list

	ctx    context.Context //nolint:containedctx // it is the run's
	cancel context.CancelCauseFunc

	returned chan struct{} // closed when no Loop of the run is running, or it was abandoned
	closing  atomic.Bool   // nothing but the end of its session is left
	done     chan struct{} // closed when result and err stand
	moved    chan struct{} // closed when the agent goes on in the background
	result   Result
	err      error

	mu         lock.Mutex // guards the fields below
	notes      []string
	unread     []pegboard.Part // for the next request
	requests   int
	deaf       bool // the Loop has returned without a request, so it has read nothing
	calls      int
	usage      Usage
	limit      error // ErrTurns or ErrBudget, once it was reached
	denied     bool  // the user has denied a call and ended the turn
	history    []json.RawMessage
	transcript *transcript        // of history; nil without Options.Dir
	kept       int                // how often Hooks.Stop or Hooks.Idle has kept the run going
	reading    bool               // messages were read that the conversation does not have yet
	noted      bool               // a request was read that the record does not have yet
	leaving    bool               // it has agreed to end
	task       *background.Handle // nil while the caller waits
	file       *os.File           // its output; nil if it has none
	moving     chan struct{}      // closed when a move to the background is over; nil if there is no move
	stays      bool               // it cannot be moved any more: its call answers, or it ends
	output     string             // the path of file, also when that is closed
	ended      bool               // it cannot be moved any more
	past       bool               // its Loop is not called again
}

// setContext gives the run a context that keeps the values of the caller's and ends by itself.
func (k *run) setContext(ctx context.Context) {
	k.ctx, k.cancel = context.WithCancelCause(pegboard.WithSession(context.WithoutCancel(ctx), k.agent.Session))
}

// start starts the run and waits for it, unless it is in the background.
func (k *run) start(ctx context.Context) (Result, error) {
	goroutine.Go(k.supervise)
	if k.background {
		return k.launched(), nil
	}
	select {
	case <-k.done:
	case <-k.moved:
	case <-ctx.Done():
	}
	if k.stay() {
		return k.launched(), nil // its task tells of its end, even if it has ended already
	}
	k.cancel(context.Cause(ctx))
	k.agent.Session.Interrupt(context.Cause(ctx)) // whatever a tool of it does on a message of the user
	select {
	case <-k.done:
		return k.result, k.err
	case <-time.After(answerWait):
	}
	return k.interim(context.Cause(ctx))
}

// stay waits for a move to the background that has begun, permits no further one, and reports
// whether the run is in the background.
func (k *run) stay() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stays = true
	for k.moving != nil {
		moving := k.moving
		k.mu.Unlock()
		<-moving
		k.mu.Lock()
	}
	return k.task != nil
}

// supervise runs the Loop until nothing is left for the agent to do.
func (k *run) supervise() {
	defer k.cancel(nil)
	var reply Reply
	err := k.open()
	for on := true; on && err == nil; {
		if reply, err = k.runLoop(); err == nil {
			on, err = k.goesOn(reply)
		}
	}
	k.setPast()
	k.endMail(err)
	k.finish(reply, err)
}

// runLoop calls the Loop. If it does not return in time after the run was stopped, it is
// abandoned.
func (k *run) runLoop() (reply Reply, err error) {
	type outcome struct {
		reply Reply
		err   error
	}
	defer k.listen()()
	ended := make(chan outcome, 1) // the Loop of an abandoned run writes to nothing else
	crash := goroutine.Go(func() {
		r, e := k.g.options.Loop(k.ctx, k.agent)
		ended <- outcome{r, e}
	})
	settled := func(crashed error) (Reply, error) {
		if crashed != nil {
			k.g.options.logger().Error("the loop of an agent crashed", "agent", k.agent.ID, "type", k.agent.Type, "error", crashed)
			return Reply{}, crashed
		}
		o := <-ended
		k.spend(o.reply.Used)
		return o.reply, o.err
	}
	select {
	case crashed := <-crash:
		return settled(crashed)
	case <-k.ctx.Done():
	}
	select {
	case crashed := <-crash:
		return settled(crashed)
	case <-time.After(k.grace()):
	}
	returned := k.agent.Session.Detach("the loop of agent " + k.agent.ID)
	goroutine.Go(func() {
		<-crash
		returned()
	})
	return Reply{}, errors.Join(context.Cause(k.ctx), pegboard.ErrDetached)
}

// grace returns how long the Loop may take to return after it was stopped. That of an agent
// deeper down is shorter, so that its words reach the agents above it.
func (k *run) grace() time.Duration {
	return (answerWait - 100*time.Millisecond) / time.Duration(max(1, len(k.agent.Session.AgentPath())))
}

// waitLoop waits for the Loop of a run that was told to end.
func (k *run) waitLoop(ctx context.Context) error {
	select {
	case <-k.returned:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish ends the run: its session is closed, its place given up, and its result told.
func (k *run) finish(reply Reply, err error) {
	close(k.returned)
	k.leaveTeammates()
	result, err := k.report(reply, err)
	state := Completed
	switch {
	case err != nil && k.ctx.Err() != nil:
		state = Stopped
	case err != nil:
		state = Failed
	}
	if k.isInBackground() && k.place.release == nil {
		k.settleResult(result, err, state)
		k.waitBelow()
		k.closeSession()
		return
	}
	if k.isInBackground() {
		k.waitBelow()
	}
	k.closeSession()
	if k.place.release != nil {
		<-goroutine.Go(func() { k.place.release(context.WithoutCancel(k.ctx), &result) })
	}
	k.settleResult(result, err, state)
}

// settleResult makes the result stand and tells it.
func (k *run) settleResult(result Result, err error, state State) {
	k.stay()
	k.mu.Lock()
	k.ended = true
	task, file := k.task, k.file
	k.file = nil
	k.mu.Unlock()
	k.result, k.err = result, err
	k.leaveTeam()
	k.leave(state, err)
	close(k.done)
	if file != nil {
		_ = file.Close() // every write was checked
	}
	if task != nil {
		task.Done(map[State]background.State{Completed: background.Completed, Failed: background.Failed, Stopped: background.Killed}[state], nil, err)
	}
	k.goOn(state)
}

// waitBelow waits until the agents have ended that this one has started. Stopping the run, or
// closing its session, stops them.
func (k *run) waitBelow() {
	select {
	case <-k.roster.whenAlone(k.entry):
	case <-k.ctx.Done():
	}
}

// closeSession closes the session of the agent. After a stop it does not wait for things that do
// not end at once: Session.Detached or Close of the main session names them.
func (k *run) closeSession() {
	end := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(k.ctx), closeWait)
		defer cancel()
		if err := k.agent.Session.Close(ctx); err != nil {
			k.g.options.logger().Warn("an agent has left something running", "agent", k.agent.ID, "type", k.agent.Type, "error", err)
		}
	}
	k.closing.Store(true)
	closed := goroutine.Go(end)
	select {
	case <-closed:
		return
	case <-k.ctx.Done():
	}
	select {
	case <-closed:
	case <-time.After(50 * time.Millisecond):
	}
}

// giveUp undoes settle, for a run that does not start.
func (k *run) giveUp(ctx context.Context) {
	close(k.returned)
	k.leaveTeam()
	if k.cancel != nil {
		k.cancel(nil)
	}
	ctx = context.WithoutCancel(ctx)
	_ = k.closeTranscript() // nothing was written
	if k.agent.Session != nil {
		_ = k.agent.Session.Close(ctx) // nothing has run in it
	}
	if k.place.release != nil {
		<-goroutine.Go(func() { k.place.release(ctx, &Result{}) })
	}
}

// note records a note for the caller.
func (k *run) note(text string) {
	if text == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.notes = append(k.notes, text)
}

// resolve assembles the pool of the agent.
func (k *run) resolve(with ...pegboard.Tool) (pegboard.Resolution, error) {
	cfg, tools := k.g.options.Pool, k.definition.Tools
	cfg.With = append(slices.Clip(cfg.With), with...)
	for _, t := range with {
		if tools != nil {
			tools = append(slices.Clip(tools), t.Info().Name)
		}
	}
	if k.agent.Schema != nil {
		cfg.Roles = answering(cfg.Roles)
	}
	if k.agent.Forked {
		cfg.Roles = &pegboard.RoleTables{}
		names := append([]string{}, k.request.only...) // not nil, which means any
		for _, t := range with {
			names = append(names, t.Info().Name)
		}
		cfg.Restrictions = append(slices.Clip(cfg.Restrictions), pegboard.Restriction{Reason: "the caller does not have it", Only: names})
	}
	p := k.g.options.Registry.AssemblePool(k.agent.Session, cfg)
	return p.Resolve(tools, k.definition.DisallowedTools)
}

// answering returns role tables that leave the tool of a run's schema to background agents.
// Claude Code's table does not list it, as the table is about the tools of every agent.
func answering(tables *pegboard.RoleTables) *pegboard.RoleTables {
	t := pegboard.DefaultRoleTables()
	if tables != nil {
		t = *tables
	}
	t.Async = append(slices.Clip(t.Async), answerName)
	return &t
}

// messages returns the conversation.
func (k *run) messages() []json.RawMessage {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.history)
}
