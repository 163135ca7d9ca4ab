package pegboard

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// A batch is the calls of one message, which are ordered against each other.
type batch struct {
	exec    *Executor
	pool    *Pool
	parent  *Call       // the call whose tool makes these calls; nil for calls of the model
	record  *turnRecord // nil if no call can be suspended
	resumed bool        // some calls were suspended before
	stream  *Stream     // that yields the outcomes, or nil
	gather  *Gathering  // whose calls are handed in one by one, or nil
	lane    lane.Lane
	blocked bool // abandoned calls hold keys in the lane
	events  *eventLog
	running runningBatch // its entry in the session

	callContexts // of its calls, but for those that were handed in one by one

	message chan struct{} // closed when the model's message has ended; nil if it had ended before
	reason  FinishReason  // set before message is closed

	cause     atomic.Pointer[error] // of stopAll
	suspended atomic.Bool           // a call was suspended, so the message has not ended

	mu       lock.Mutex      // guards the fields below
	jobs     []*job          // in the order of admission
	loops    breaker.Message // of the calls that the loop breaker counts
	outcomes []Outcome       // one for each job, if the number of calls is known in advance
	last     lastCall        // for the call that is admitted next
	said     []Part          // by the Batch hook
	saidAll  bool            // the hook has ended
	firstID  string          // of the first call
	ids      map[string]bool // made for the second call

	keysMu  lock.Mutex // guards the fields below, also while updates run
	holders int        // calls that hold their keys
	updates []sessionUpdate
	crashes []updateCrash // of calls whose outcomes were made before
}

// A sessionUpdate is a Result.UpdateSession that has not run yet.
type sessionUpdate struct {
	place int // of its call
	apply func(*Session)
}

// An updateCrash is the panic of a Result.UpdateSession.
type updateCrash struct {
	place int // of its call
	err   error
}

// newBatch returns a batch for n calls, and their jobs. For one call, which is the common
// case, batch, job and outcome are one allocation.
func newBatch(ctx context.Context, e *Executor, p *Pool, n int) (*batch, []job) {
	if n != 1 {
		b := &batch{jobs: make([]*job, 0, n), outcomes: make([]Outcome, n)}
		b.init(ctx, e, p, n)
		return b, make([]job, n)
	}
	one := new(struct {
		batch    batch
		jobs     [1]job
		list     [1]*job
		outcomes [1]Outcome
	})
	one.batch.jobs, one.batch.outcomes = one.list[:0], one.outcomes[:]
	one.batch.init(ctx, e, p, n)
	return &one.batch, one.jobs[:]
}

// init prepares a zero batch for at most n calls; n = 0 means that the number is not
// known.
func (b *batch) init(ctx context.Context, e *Executor, p *Pool, n int) {
	limit := e.MaxParallel
	if limit <= 0 {
		limit = DefaultMaxParallel
	}
	b.exec, b.pool = e, p
	if n == 0 || n > limit {
		b.lane.SetLimit(limit)
	}
	b.callContexts.init(ctx, e, p.session)
	b.running.batch = b
	b.loops = p.session.loops.Message()
	if !p.session.batches.register(&b.running) {
		b.stop(ErrClosed)
	}
	b.events = newEventLog(ctx, b)
	b.blocked = p.session.alone.Block(&b.lane)
}

// run runs calls that are all known, and returns their outcomes.
func (b *batch) run(ctx context.Context, jobs []job, calls []Call) []Outcome {
	b.reason = FinishToolCalls
	for i, c := range calls {
		b.admit(&jobs[i], c)
	}
	b.events.flush()
	for _, j := range b.jobs {
		j.start()
	}
	if ctx.Done() != nil {
		b.wait(ctx)
	}
	return b.end()
}

// admit gives c the next place in the lane and makes j, which must be new, its job. The
// caller flushes the events when it holds no lock.
func (b *batch) admit(j *job, c Call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j.batch, j.stage, j.index, j.admitted, j.ended = b, StageAdmit, len(b.jobs), time.Now(), make(chan struct{})
	j.run.job, j.owner, j.contexts = j, &j.first, &b.callContexts
	b.lane.Enter(&j.schedule.ticket)
	if b.outcomes != nil {
		j.outcome = &b.outcomes[j.index]
	} else {
		j.outcome = new(Outcome)
	}
	j.call = j.snapshots.first[0].set(Call{ID: c.ID, Name: c.Name, Input: slices.Clone(c.Input)}, callState{session: b.pool.session, place: b.pool.session.grants.place(), pool: b.pool, host: &b.host, parent: b.parent, made: j})
	j.forced = c.forced
	if b.record != nil && j.durable == nil {
		j.durable = b.record.call(j.index)
	}
	j.duplicate = c.ID != "" && b.isDuplicate(c.ID)
	if b.gather == nil { // it has a context of its own when it is handed in
		j.openLimits()
	}
	j.before = b.neighborOf(j)
	b.jobs = append(b.jobs, j)
	b.countForBreaker(j)
	if b.events != nil {
		j.progress = new(progressLimit)
	}
	if b.exec.OnEvent != nil || b.exec.Repair.Func != nil || j.durable != nil || b.gather != nil {
		j.snapshots.shared = 1 // a listener, the repair, a suspension or a gathering may need the call as it was admitted
	}
	if j.streamAbandoned == nil && !j.isRecorded() {
		b.events.queue(Event{Kind: EventAdmitted, Call: j.call}, nil)
	}
}

// isDuplicate reports whether an earlier call has the same id, and records the id. A
// batch of one call needs no map.
func (b *batch) isDuplicate(id string) bool {
	if len(b.jobs) == 0 {
		b.firstID = id
		return false
	}
	if b.ids == nil {
		b.ids = map[string]bool{b.firstID: true}
	}
	before := b.ids[id]
	b.ids[id] = true
	return before
}

// A lastCall is the call that was admitted last. It is zero if the next call is not
// compared with it.
type lastCall struct {
	entry *entry
	call  *neighbor
}

// neighborOf returns the call directly before j, which has not been added to jobs, if both
// call the same tool and are compared. It keeps the input of j as the model wrote it, for
// the call after it: the job may replace its own while that call is decided.
//
// A call that a tool makes is not compared: the tool reads each result by itself.
func (b *batch) neighborOf(j *job) *neighbor {
	if len(b.outcomes) == 1 || b.parent != nil {
		return nil
	}
	last := b.last
	b.last = lastCall{}
	e, ok := b.pool.lookup(j.call.Name)
	if !ok || !e.compares || j.forced != nil {
		return nil
	}
	b.last = lastCall{e, &neighbor{j, Call{ID: j.call.ID, Name: j.call.Name, Input: slices.Clone(j.call.Input)}}}
	if last.entry != e {
		return nil
	}
	return last.call
}

// countForBreaker tells the loop breaker of a call, in the order of the message. The
// breaker counts no calls that a tool makes: the model does not read their results. It has
// counted a call of Executor.SubmitResult when that was deferred.
func (b *batch) countForBreaker(j *job) {
	if j.duplicate || b.parent != nil || j.supplied != nil || b.resumed {
		return
	}
	name := j.call.Name
	if e, ok := b.pool.lookup(name); ok {
		name = e.info.Name
		if e.info.Polls {
			b.pool.session.loops.Exempt(name)
		}
	}
	j.loop.counted = true
	j.loop.index, j.loop.reason = b.loops.Add(breaker.CallOf(name, j.call.Input))
}

// counted returns the job that has this place in loops. The caller holds mu.
func (b *batch) counted(place int) *job {
	return b.jobs[slices.IndexFunc(b.jobs, func(j *job) bool { return j.loop.counted && j.loop.index == place })]
}

// publish sets the outcome of a call, and counts it for the loop breaker. The breaker
// counts in request order. So a call may end the turn after its outcome was set; that
// outcome was not returned yet, since an earlier call has not ended.
func (b *batch) publish(j *job, o Outcome) Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	*j.outcome = o
	if j.loop.counted {
		for _, stop := range b.loops.End(j.loop.index, breakerOutcome(&o), j.comparable(o.Result)) {
			b.counted(stop.Place).outcome.stopTurn(stop.Text)
		}
	}
	return *j.outcome
}

// admitted returns the jobs of the calls admitted so far, in order.
func (b *batch) admitted() []*job {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.jobs
}

// emit queues an event and delivers it, unless another goroutine is delivering.
func (b *batch) emit(e Event) { b.events.emit(e) }

// endMessage says how the model's message has ended.
func (b *batch) endMessage(reason FinishReason) {
	b.reason = reason
	close(b.message)
}

// wait waits until all calls have ended. It also watches the caller's context, and
// interrupts the running calls when that ends.
func (b *batch) wait(ctx context.Context) {
	done := ctx.Done()
	for _, j := range slices.Backward(b.jobs) {
		select {
		case <-j.ended:
			continue
		case <-done:
		}
		done = nil
		b.interrupt(context.Cause(ctx))
		<-j.ended
	}
}

// interrupt stops calls as their tools' Interrupt says.
func (b *batch) interrupt(cause error) {
	b.cancel(cause) // first, for the calls that begin just now
	for _, j := range b.admitted() {
		j.run.interrupt(cause)
	}
}

// cancel ends the context of the calls, and limits the foreign funcs that do not heed it.
func (b *batch) cancel(cause error) {
	b.ctx.Cancel(cause)
	for _, j := range b.admitted() {
		j.cancel(cause)
	}
}

// stopAll stops all calls, running or waiting, whatever their tools' Interrupt says: the
// session closes, a sibling failed, the stream was abandoned.
func (b *batch) stopAll(cause error) {
	b.cause.CompareAndSwap(nil, &cause)
	for _, j := range b.admitted() {
		j.stopWaiting(cause)
		j.run.stop(cause)
	}
}

// stop is stopAll for a session that is interrupted or closed. It also ends the context.
func (b *batch) stop(cause error) {
	b.stopAll(cause)
	b.cancel(cause)
}

// closeWithSession ends the message of a stream that was stopped because its session closes.
func (b *batch) closeWithSession() {
	if b.stream != nil {
		b.stream.closeWithSession()
	} else if b.gather != nil {
		goroutine.Go(func() { b.gather.End() })
	}
}

// stopCause returns the cause of stopAll, or nil.
func (b *batch) stopCause() error {
	if cause := b.cause.Load(); cause != nil {
		return *cause
	}
	return nil
}

// stopSiblings stops the other calls after one has failed, if the executor and the tool
// want that.
func (b *batch) stopSiblings(i Info) {
	if b.exec.CancelSiblings && i.CancelsSiblings {
		b.stopAll(fmt.Errorf("%w: %s", ErrSiblingFailed, i.Name))
	}
}

// countKeys counts a call that holds its keys.
func (b *batch) countKeys() {
	b.keysMu.Lock()
	defer b.keysMu.Unlock()
	b.holders++
}

// releaseKeys counts down the calls that hold keys. At zero, it applies the updates of
// the calls that ran together, in the order of the message. It returns the panic of the
// call's own update. A panic of another update is added to that call's outcome when the
// batch ends.
func (b *batch) releaseKeys(place int, update func(*Session)) (crash error) {
	b.keysMu.Lock()
	defer b.keysMu.Unlock()
	b.holders--
	if update != nil {
		b.updates = append(b.updates, sessionUpdate{place, update})
	}
	if b.holders > 0 {
		return nil
	}
	slices.SortFunc(b.updates, func(x, y sessionUpdate) int { return x.place - y.place })
	updates := b.updates
	b.updates = nil
	for _, u := range updates {
		err := b.await("UpdateSession", goroutine.Go(func() { u.apply(b.pool.session) }))
		if err == nil {
			continue
		}
		b.logCrash(b.admitted()[u.place].call, StageResult, err)
		if u.place == place {
			crash = err
		} else {
			b.crashes = append(b.crashes, updateCrash{u.place, err})
		}
	}
	return crash
}

// end waits for all calls, closes the batch and returns the outcomes.
func (b *batch) end() []Outcome {
	jobs, outcomes := b.admitted(), b.outcomes
	for _, j := range slices.Backward(jobs) { // the last call usually ends last, so this goroutine wakes once
		<-j.ended
	}
	if outcomes == nil { // a stream, which may have yielded them
		for _, j := range jobs {
			outcomes = append(outcomes, *j.outcome)
		}
	}
	for _, c := range b.crashes {
		jobs[c.place].addUpdateCrash(&outcomes[c.place], c.err)
	}
	if !b.suspended.Load() { // or the message goes on later
		b.batchHook(outcomes)
	}
	if b.isRead() {
		b.loops.Close()
		b.recordDiscovery(jobs, outcomes)
		b.tellShown(outcomes)
	} else {
		b.loops.Abandon()
	}
	b.events.close()
	b.pool.session.batches.unregister(&b.running)
	if b.blocked {
		b.pool.session.alone.Forget(&b.lane)
	}
	b.ctx.Cancel(nil)
	return outcomes
}

// isRead reports whether the model is sent the outcomes: not those of calls that a tool makes,
// nor those of a reply that was abandoned.
func (b *batch) isRead() bool {
	return b.parent == nil && (b.stream == nil || !b.stream.isAbandoned())
}

// recordDiscovery records the tools that the model knows by now, in the order in which it
// finds them in the history: those it called, then those that the results refer to.
func (b *batch) recordDiscovery(jobs []*job, outcomes []Outcome) {
	if !b.pool.Searchable() {
		return // no tool is ever deferred
	}
	for _, j := range jobs {
		if j.entry != nil {
			b.pool.session.discovery.record(j.entry.info.Name, j.definition.validUnseen)
		}
	}
	for _, o := range outcomes {
		for _, part := range o.Result.Parts {
			if part.Tool != "" {
				b.pool.session.discovery.record(b.pool.canonicalName(part.Tool), true)
			}
		}
	}
}

// tellShown calls Result.Shown of the outcomes that the model is sent.
func (b *batch) tellShown(outcomes []Outcome) {
	for i := range outcomes {
		if o := &outcomes[i]; o.Result.Shown != nil && o.Err == nil {
			b.tellShownOne(*o)
		}
	}
}

// tellShownOne takes a copy, so that an outcome escapes to the heap only where it is told.
func (b *batch) tellShownOne(o Outcome) {
	if crash := b.await("Shown", goroutine.Go(func() { o.Result.Shown(b.pool.session, o) })); crash != nil {
		b.logCrash(o.Call, StageResult, crash)
	}
}

// logCrash logs an error that the host should fix, with its stack if it is a panic. A nil
// call means all calls of the batch.
func (b *batch) logCrash(c *Call, stage Stage, err error) {
	tool := ""
	if c != nil {
		tool = c.ToolName()
	}
	b.exec.logError("call crashed", err, "tool", tool, "stage", string(stage))
}

func (b *batch) logHookFailure(c *Call, err error) { b.logCrash(c, StageHook, err) }

// traceID returns the host's name for a batch, or a random one.
func (b *batch) traceID(ctx context.Context) string {
	id := ""
	if named := b.exec.TraceID; named != nil {
		given := ""
		if b.await("TraceID", goroutine.Go(func() { given = named(ctx) })) == nil { // after a panic the name is random
			id = given
		}
	}
	if id == "" {
		var random [16]byte
		_, _ = rand.Read(random[:]) // never fails
		id = hex.EncodeToString(random[:])
	}
	return id
}

// batchHookKey is the key of the batch that the context of a Batch hook carries.
type batchHookKey struct{}

// batchHook runs the Batch hook with the outcomes of a message, and makes its changes in
// them and in the jobs. Those that a stream has yielded stay as they are; the log says so.
func (b *batch) batchHook(outcomes []Outcome) {
	hook := b.pool.session.cfg.Hooks.Batch
	if hook == nil || b.parent != nil {
		return // calls made by a call are not a message
	}
	copies := slices.Clone(outcomes)
	for i := range copies {
		copies[i].Call = copies[i].Call.copied()
	}
	ctx, cancel := b.afterContext()
	defer cancel()
	given, failed := copies, error(nil)
	err := b.awaitFor(hookGraces, "the Batch hook", goroutine.Go(func() { failed = hook(context.WithValue(ctx, batchHookKey{}, b), given) }))
	if err == nil {
		err = failed
	} else { // it may still change its argument
		err, copies = fmt.Errorf("%w: %w", errBlocked, err), slices.Clone(outcomes)
	}
	if err != nil {
		b.logHookFailure(nil, err)
	}
	jobs := b.admitted()[:len(outcomes)]
	for i, j := range jobs {
		copies[i] = j.afterBatchHook(outcomes[i], copies[i], err)
	}
	b.addSaid(jobs, copies)
	var late []string
	b.notYielded(func(yielded int) {
		late = b.changedLate(outcomes, copies, yielded)
		for i, j := range jobs[yielded:] {
			o := copies[yielded+i]
			if len(late) > 0 && errors.Is(err, errBlocked) {
				o.Result.Parts[0].Text += " It came too late for the results of " + strings.Join(late, ", ") + "."
			}
			*j.outcome, outcomes[yielded+i] = o, o
		}
	})
	if len(late) > 0 {
		b.logHookFailure(nil, fmt.Errorf("the Batch hook came too late for results that were handed out: %s", strings.Join(late, ", ")))
	}
}

// changedLate returns the names of the calls whose results the Batch hook has changed after
// a stream had yielded them. A turn that it ends by one of those ends all the same. The
// caller holds the stream's lock.
func (b *batch) changedLate(outcomes, changed []Outcome, yielded int) (late []string) {
	for i := range outcomes[:yielded] {
		if c := outcomes[i].Call; changed[i].Result != outcomes[i].Result {
			late = append(late, c.ToolName()+" "+c.ID)
		}
		if !changed[i].StopTurn || outcomes[i].StopTurn {
			continue
		}
		if b.stream != nil {
			b.stream.stopsTurn = true
		}
		outcomes[i].StopTurn = true // which End returns
		if yielded < len(changed) {
			changed[len(changed)-1].StopTurn = true
		}
	}
	return late
}

// notYielded calls change with the number of outcomes that the caller has already: those that a
// stream has yielded, none of which it yields meanwhile, and all of a gathering.
func (b *batch) notYielded(change func(yielded int)) {
	if b.gather != nil {
		change(len(b.admitted()))
		return
	} else if b.stream == nil {
		change(0)
		return
	}
	b.stream.mu.Lock()
	defer b.stream.mu.Unlock()
	change(b.stream.next)
}

// SayInBatch is [HookCall.Say] for a Batch hook, whose context it needs. The words join the
// Messages of the last outcome of [Executor.Run]; of a [Stream] or a [Gathering], which may have
// handed out that outcome, they become news of the session, see [Session.Notify]. So do words that
// are said once the hook has ended. SayInBatch reports whether ctx is that of a Batch hook, and does
// nothing otherwise.
func SayInBatch(ctx context.Context, parts ...Part) bool {
	b, ok := ctx.Value(batchHookKey{}).(*batch)
	if ok {
		b.say(parts)
	}
	return ok
}

// say implements [SayInBatch].
func (b *batch) say(parts []Part) {
	if parts = visibleParts(parts); len(parts) == 0 {
		return
	}
	b.mu.Lock()
	late := b.saidAll
	if !late {
		b.said = append(b.said, parts...)
	}
	b.mu.Unlock()
	if late {
		b.pool.session.Notify(parts...)
	}
}

// addSaid adds the words of the Batch hook to the last outcome that the model is sent. In a
// stream or a gathering, and if there is no such outcome, they become notifications of the session.
func (b *batch) addSaid(jobs []*job, outcomes []Outcome) {
	b.mu.Lock()
	said := b.said
	b.saidAll = true
	b.mu.Unlock()
	if len(said) == 0 {
		return
	}
	for i, j := range slices.Backward(jobs) {
		if o := &outcomes[i]; b.stream == nil && b.gather == nil && !errors.Is(o.Err, ErrDuplicate) {
			o.Result = withMessages(o.Result, j.fitMessages(&b.uncancelled, said))
			return
		}
	}
	b.pool.session.Notify(said...)
}
