package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
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
	result   Result
	err      error

	mu         lock.Mutex // guards the fields below
	phase      phase
	notes      []string
	inbox      inbox
	turns      turns
	history    []json.RawMessage
	transcript *transcript // of history; nil without Options.Dir
	task       taskState
}

// A phase is how far a run has come.
type phase int

const (
	reads  phase = iota // the Loop runs, or is called again for what there is to read
	past                // the Loop is not called again
	closed              // the result stands, and nothing is added to the conversation
)

// An inbox holds the unread messages of an agent, and how far it has read.
type inbox struct {
	unread  []pegboard.Part // for the next request
	reading bool            // messages were read that the conversation does not have yet
	noted   bool            // a request was read that the record does not have yet
	leaving bool            // the agent has agreed to end
}

// turns count the work of an agent in a run.
type turns struct {
	requests int
	calls    int
	usage    Usage
	limit    error // ErrTurns or ErrBudget, once it was reached
	denied   bool  // the user has denied a call and ended the turn
	deaf     bool  // the Loop has returned without a request, so it has read nothing
	kept     int   // how often Hooks.Stop or Hooks.Idle has kept the run going
}

// A taskState says whether a run is a task in the background.
type taskState struct {
	handle *background.Handle // nil while the caller waits
	file   *os.File           // its output; nil if it has none
	output string             // the path of file, also when that is closed
	moving chan struct{}      // closed when a move to the background is over; nil if there is no move
	moved  chan struct{}      // closed when the agent goes on in the background
	stays  bool               // it cannot be moved any more: its call answers, or it ends
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
	case <-k.task.moved:
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
	k.task.stays = true
	for k.task.moving != nil {
		moving := k.task.moving
		k.mu.Unlock()
		<-moving
		k.mu.Lock()
	}
	return k.task.handle != nil
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
	replied := func(crashed error) (Reply, error) {
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
		return replied(crashed)
	case <-k.ctx.Done():
	}
	select {
	case crashed := <-crash:
		return replied(crashed)
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
		k.conclude(result, err, state)
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
	k.conclude(result, err, state)
}

// conclude makes the result stand and tells it.
func (k *run) conclude(result Result, err error, state State) {
	k.stay()
	k.mu.Lock()
	k.phase = closed
	task, file := k.task.handle, k.task.file
	k.task.file = nil
	k.mu.Unlock()
	k.result, k.err = result, err
	k.leaveTeam()
	k.leave(state, err)
	close(k.done)
	if file != nil {
		if _, err := file.WriteString(result.head() + "\n"); err != nil { // at the end, which TaskOutput shows
			k.g.options.logger().Warn("the output file of an agent lacks its last lines", "agent", k.agent.ID, "error", err)
		}
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

// giveUp undoes prepare, for a run that does not start.
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

// addTask adds the run to the background tasks of its caller. No lock is held while the table
// tells those who watch it.
func (k *run) addTask() (err error) {
	k.mu.Lock()
	if k.task.stays || k.task.handle != nil || k.task.moving != nil {
		k.mu.Unlock()
		return ErrEnded
	}
	k.task.moving = make(chan struct{})
	k.mu.Unlock()
	task, file, err := k.newTask()
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.task.moving)
	k.task.moving = nil
	if err != nil {
		return err
	}
	k.agent.Session.MoveToBackground()
	k.task.handle, k.task.file, k.task.output = task, file, file.Name()
	k.roster.update(k.entry, func(s *Status) { s.TaskID = task.ID() })
	return k.write(k.history[k.before:])
}

// newTask makes the task and its output file.
func (k *run) newTask() (*background.Handle, *os.File, error) {
	tasks := background.Of(k.caller)
	path, err := tasks.NewFile("agent")
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("the output file of the agent: %w", err)
	}
	names := []string{k.agent.ID}
	if k.agent.Name != "" {
		names = append(names, k.agent.Name)
	}
	task, err := tasks.Add(k.caller, background.Work{
		Kind: "agent", Names: names, Description: k.entry.status.Description, OutputFile: path, Started: k.started,
		Stop: func(cause error) { k.cancel(cause) }, Report: k.taskReport,
	})
	if err != nil {
		_ = file.Close()
		_ = os.Remove(path) // it is empty
		return nil, nil, err
	}
	return task, file, nil
}

// moveToBackground makes a task of a run that its caller waits for.
func (k *run) moveToBackground() bool {
	if err := k.addTask(); err != nil {
		if errors.Is(err, ErrEnded) || !k.isInBackground() {
			return false
		}
		k.g.options.logger().Error("what an agent has written is not in its output file", "agent", k.agent.ID, "error", err)
	}
	close(k.task.moved)
	return true
}

func (k *run) isInBackground() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.task.handle != nil
}

// write adds messages to the output file. The caller holds the lock.
func (k *run) write(messages []json.RawMessage) error {
	if k.task.file == nil {
		return nil
	}
	for _, m := range messages {
		if _, err := k.task.file.WriteString(outputLines(m)); err != nil {
			return fmt.Errorf("the output file of the agent: %w", err)
		}
	}
	return nil
}

// taskReport returns the report for the notice of the end.
func (k *run) taskReport() string {
	select {
	case <-k.done:
		return k.result.message()
	default:
		return ""
	}
}

// launched returns the result of a call whose agent runs in the background.
func (k *run) launched() Result {
	r := k.base(StatusLaunched)
	k.mu.Lock()
	defer k.mu.Unlock()
	r.TaskID, r.OutputFile = k.task.handle.ID(), k.task.output
	r.CanReadOutput = k.request.canUse("Read")
	advice := []string{"You are told of its end with its report; do not wait for it and do not poll. Go on with something else."}
	if k.request.canUse("TaskStop") {
		advice = append(advice, "TaskStop ends it.")
	}
	r.advice = strings.Join(advice, " ")
	return r
}

// canUse reports whether the caller has a tool.
func (r *Request) canUse(tool string) bool {
	if r.pool == nil {
		return false
	}
	_, ok := r.pool.Lookup(tool)
	return ok
}

// maxLastWords is how many bytes of its last text a lead is told of a teammate that is idle.
const maxLastWords = 2000

// joinTeam enters a teammate in its team.
func (k *run) joinTeam() error {
	if k.entry.role != pegboard.RoleTeammate {
		return nil
	}
	if k.mail().boxes == nil {
		return fmt.Errorf("a teammate cannot be sent messages: %w", k.mail().err)
	}
	err := k.g.teamsOf(k.caller).join(k.request.Team, k.lead(), TeamMember{ID: k.agent.ID, Name: k.agent.Name, Type: k.agent.Type})
	k.inTeam = err == nil
	return err
}

// leaveTeam takes a teammate that has ended from its team.
func (k *run) leaveTeam() {
	if !k.inTeam {
		return
	}
	if err := k.g.teamsOf(k.caller).leave(k.request.Team, k.agent.ID); err != nil {
		k.g.options.logger().Error("the file of a team could not be written", "team", k.request.Team, "error", err)
	}
}

// leaveTeammates tells the caller of a lead that ends in the background of its teammates, which do
// not end with it.
func (k *run) leaveTeammates() {
	if !k.isInBackground() || k.ctx.Err() != nil {
		return
	}
	if mates := k.roster.teammatesOf(k.agent.ID); len(mates) > 0 {
		k.note("Its teammates go on without it: " + strings.Join(mates, ", ") + ". To end one, send it a shutdown_request with SendMessage.")
	}
}

// idle waits until there is something for a teammate to read, and reports whether there is. It
// asks no model. The lead is told once that the teammate is idle. A teammate that has agreed to
// end reads the messages that are there, and does not wait.
func (k *run) idle(reply Reply) bool {
	if k.isLeaving() {
		return k.mail().has(k.agent.ID)
	}
	if k.keepsGoing("idle", k.g.options.Hooks.Idle, reply) {
		return true
	}
	k.turns.kept = 0
	changed := make(chan struct{}, 1)
	defer background.Of(k.agent.Session).Watch(func([]background.Task) {
		select {
		case changed <- struct{}{}:
		default: // it is about to look
		}
	})()
	for told := false; ; told = true {
		arrival := k.mail().boxes.Arrival(k.agent.ID)
		if k.mail().has(k.agent.ID) {
			return true
		}
		if news := k.agent.Session.Notifications(); len(news) > 0 {
			k.tell(news...)
			return true
		}
		if !told {
			k.tellIdle(reply)
		}
		select {
		case <-arrival:
		case <-changed:
		case <-k.ctx.Done():
			return false
		}
	}
}

// tellIdle tells the lead that the teammate waits for messages, or the main agent if the lead has
// ended.
func (k *run) tellIdle(reply Reply) {
	text := k.textOf(reply)
	if len(text) > maxLastWords {
		text = strings.ToValidUTF8(text[:maxLastWords], "") + "…"
	}
	reader := k.lead()
	if k.roster.runOf(reader) == nil {
		reader = MainName
	}
	l := letter{From: k.agent.ID, FromName: k.agent.Name, FromType: k.agent.Type, Sent: time.Now(), Kind: idleNotice, Text: text}
	if err := k.mail().put(reader, l); err != nil {
		k.g.options.logger().Error("a lead could not be told that a teammate is idle", "agent", k.agent.ID, "error", err)
	}
}

// report makes the result of a run that has ended with reply and err.
func (k *run) report(reply Reply, err error) (Result, error) {
	text := k.textOf(reply)
	if limit := k.limitReached(); limit != nil {
		if err = nil; text == "" && reply.Structured == nil {
			err = fmt.Errorf("%w; it wrote nothing before", limit)
		}
		k.note(fmt.Sprintf("It was ended at a limit, and what it wrote may not be complete: %v.", limit))
	}
	switch {
	case k.ctx.Err() != nil:
		err = k.stopped(context.Cause(k.ctx), text, err)
	case err != nil && text != "":
		err = fmt.Errorf("the agent has ended by an error, and what it wrote may not be complete: %w", err)
	case err != nil:
		err = fmt.Errorf("the agent has ended by an error and wrote nothing: %w", err)
	case text == "" && reply.Structured == nil:
		err = ErrSilent
	}
	r := k.base(StatusCompleted)
	r.setText(harmless(text))
	r.Structured = reply.Structured
	k.mu.Lock()
	r.StopTurn = reply.StopTurn || k.turns.denied
	k.mu.Unlock()
	return r, harmlessErr(err)
}

// stopped returns the error of a run that was stopped by cause.
func (k *run) stopped(cause error, text string, err error) error {
	what := "and what it wrote until then may not be complete"
	if text == "" {
		what = "and had written nothing"
	}
	if err != nil && !errors.Is(err, cause) {
		return fmt.Errorf("the agent was stopped, %s: %w (%w)", what, cause, err)
	}
	return fmt.Errorf("the agent was stopped, %s: %w", what, cause)
}

// interim is the result of a run whose goroutines do not end in time.
func (k *run) interim(cause error) (Result, error) {
	text := k.textOf(Reply{})
	r := k.base(StatusCompleted)
	r.setText(harmless(text))
	return r, harmlessErr(k.stopped(cause, text, nil))
}

// base returns the result without the report.
func (k *run) base(status string) Result {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := Result{
		Status: status, AgentID: k.agent.ID, AgentType: k.agent.Type, Name: k.agent.Name, Description: k.entry.status.Description,
		Prompt: k.request.Prompt, ResolvedModel: k.agent.Model, OneShot: k.definition.OneShot, Notes: slices.Clone(k.notes),
	}
	if status == StatusCompleted {
		r.TotalToolUses, r.Usage, r.TotalTokens = k.turns.calls, k.turns.usage, k.turns.usage.Tokens()
		r.TotalDurationMS = time.Since(k.started).Milliseconds()
	}
	return r
}

// textOf returns the last text of the agent.
func (k *run) textOf(reply Reply) string {
	if text := strings.TrimSpace(reply.Text); text != "" {
		return text
	}
	return lastText(k.messages()[k.before:])
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
	if k.phase == closed {
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
