package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/plain"
	"github.com/seed49eaa51d/pegboard/internal/throttle"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A toolRun is one execution of a tool. The tool runs on the job's goroutine. Other
// goroutines may stop it. If it does not return within the grace period, or if its
// Interrupt says detach, it is abandoned: an abandoner answers the call in its place,
// and the tool keeps its keys until it returns.
//
//	not begun ──begin──▶ running ──the tool returns──▶ returned ──▶ job.finish
//	                      │   ▲
//	                 stop │   │ (its context is cancelled, the grace period starts)
//	                      ▼   │
//	                     running ──grace period over, or detach──▶ abandoned
//	                                                                  │ abandoner: abandonedOutcome, job.finish
//	                                                                  ▼
//	                                          the tool returns ──▶ release: keys, closer
//
// The session's Close cancels an abandoned tool, and waits for it up to the grace period.
type toolRun struct {
	lifetime.Attempt
	job *job

	begun    time.Time     // set by begin
	attempts atomic.Int32  // how often the tool was called
	pausing  atomic.Bool   // between two attempts, or before the next has its places
	took     time.Duration // of the attempts that have returned; the tool's goroutine has it

	// Set by abandonedOutcome:
	left     *lane.AbandonedJob // its name in the session
	alone    *lane.AbandonedJob // holds back later messages of its agent; nil unless the call is exclusive
	held     *detachedCall      // nil if it holds no keys
	closer   *lifetime.Closer   // its entry in the session
	returned chan struct{}      // closed when the tool has returned
}

// begin returns the context for the tool. From here on the tool can be stopped.
func (r *toolRun) begin(ctx context.Context) context.Context {
	r.begun = time.Now()
	own := r.Begin(&r.job.contexts.uncancelled)
	if limit := r.timeout(); limit > 0 {
		r.SetTimeout(limit, func() {
			late := fmt.Errorf("%w after %v", ErrTimeout, limit)
			r.stop(late)
			r.CancelAbandoned(late)
		})
	}
	if cause := r.job.batch.stopCause(); cause != nil { // stopped before the attempt had begun
		r.stop(cause)
	} else if ctx.Err() != nil {
		r.interrupt(context.Cause(ctx))
	}
	return own
}

// timeout returns how long the tool may take; 0 means no limit.
func (r *toolRun) timeout() time.Duration {
	if t := r.job.call.state.traits.Timeout; t > 0 {
		return t
	}
	return r.job.entry.info.Timeout
}

// interrupt applies the tool's Interrupt. A cause other than ErrNewMessage stops the tool.
func (r *toolRun) interrupt(cause error) {
	if !r.Running() { // the tool may not be known yet
		return
	}
	switch i := r.job.entry.info.Interrupt; {
	case !errors.Is(cause, ErrNewMessage), i == InterruptCancel, i == InterruptDetach && r.job.entry.info.ExternalResult:
		r.stop(cause)
	case i == InterruptDetach && r.job.run.pausing.Load(): // no tool runs that could go on
		r.stop(cause)
	case i == InterruptDetach:
		r.abandon(cause)
	}
}

// stop cancels the context of a running tool, and abandons it if it does not return
// within the grace period. Only the first cause counts.
func (r *toolRun) stop(cause error) {
	r.Stop(cause, r.job.batch.grace, func() { r.abandon(cause) })
}

// abandon answers the call of a running tool in its place.
func (r *toolRun) abandon(cause error) {
	if r.Abandon() {
		goroutine.Start(&abandoner{r, cause})
	}
}

// elapsed returns how long the tool took. The pauses between attempts count only if the tool
// was abandoned.
func (r *toolRun) elapsed() time.Duration {
	switch {
	case r.begun.IsZero():
		return 0
	case r.isAbandoned(), r.took == 0: // the tool goes on, or has ended its goroutine
		return time.Since(r.begun)
	}
	return r.took
}

// isAbandoned reports whether an abandoner answers the call.
func (r *toolRun) isAbandoned() bool { return r.left != nil }

// An abandoner answers the call of an abandoned tool.
type abandoner struct {
	run   *toolRun
	cause error
}

// Work implements [goroutine.Task].
func (a *abandoner) Work() { a.run.job.finish(a.run.abandonedOutcome(a.cause)) }

// Leave implements [goroutine.Task].
func (a *abandoner) Leave(crash error) { a.run.job.end(crash) }

// abandonedOutcome answers the call. A tool that may write keeps its keys, so that no other
// call touches the same targets; conflicting calls fail at once. An exclusive one also holds back
// the later messages of its agent. One that only reads guards nothing.
func (r *toolRun) abandonedOutcome(cause error) Outcome {
	j, s := r.job, r.job.session()
	name := strings.TrimSpace(j.call.ToolName() + " " + policy.Describe(j.call.state.targets))
	reason := error(&detachedError{name: name, id: j.call.ID})
	j.schedule.ticket.ReleaseSlot()
	r.left = s.abandoned.AddFree(name)
	writes := func(t policy.Target) bool { return t.Access == policy.Write }
	if guards := !j.call.readOnly() || slices.ContainsFunc(j.call.state.targets, writes); guards {
		j.abandonLimits(reason)
		j.schedule.ticket.Abandon(reason)
		if claim := claimOf(j.call.state.traits, j.call.state.targets); claim.Exclusive {
			r.alone = s.alone.Add(name, claim, reason)
		}
		r.held = s.detached.add(j.call.ID, r.releaseKeys)
	} else {
		j.leaveKeys() // first, so that nobody fails for them
		j.abandonLimits(reason)
		j.schedule.ticket.Done()
	}
	r.closer, r.returned = &lifetime.Closer{Name: name, Close: r.close}, make(chan struct{})
	if !s.closers.Add(r.closer) {
		r.CancelAbandoned(ErrClosed)
	}
	r.HandOver()
	j.batch.emit(Event{Kind: EventDetached, Call: j.call, Text: cause.Error()})
	return j.fail(&failure{
		err: fmt.Errorf("%w: %w", ErrDetached, cause),
		text: fmt.Sprintf("%s goes on in the background: %s. Its result will not be shown; "+
			"look at what it did before you do it again.", j.call.Name, causeText(cause)),
	})
}

// A detachedError names a call that has not returned, and tells the host how to release its keys.
type detachedError struct{ name, id string }

func (e *detachedError) Error() string {
	return fmt.Sprintf("%v: %s; Session.Forget(%q) gives back what it holds", ErrDetached, e.name, e.id)
}

func (e *detachedError) Unwrap() error { return ErrDetached }

// close cancels an abandoned tool when its session closes. It waits up to the grace
// period for the tool to return, unless the tool was given that time by stop before.
func (r *toolRun) close(ctx context.Context) error {
	r.CancelAbandoned(ErrClosed)
	if r.Cause() == nil {
		select {
		case <-r.returned:
		case <-ctx.Done():
		case <-time.After(r.job.batch.grace):
		}
	}
	return nil
}

// release releases the keys and the ticket of an abandoned tool that has returned.
func (r *toolRun) release() {
	r.FinishAbandoned()
	s := r.job.session()
	s.closers.Remove(r.closer)
	r.left.Release()
	s.detached.remove(r.held)
	r.releaseKeys()
	close(r.returned)
}

// releaseKeys gives back all that an abandoned tool holds. It may be called more than once.
func (r *toolRun) releaseKeys() {
	if r.alone != nil {
		r.alone.Release()
	}
	r.job.leaveKeys()
	r.job.schedule.ticket.Done()
}

// callLimits are a call's part in the budgets and groups of its session, and its keys while it
// runs. A call without these has none.
type callLimits struct {
	job     *job
	waiting lifetime.Context // of the wait for keys and groups; also cancelled when all calls are stopped

	spending spending

	queues bool           // for keys or groups
	queued throttle.Entry // if it queues
}

// openLimits makes the limits of a call that was just admitted, if its session has budgets. A
// call that is known not to run takes no part in them.
func (j *job) openLimits() {
	s := j.session()
	if s.ledger == nil || j.duplicate || j.late || j.isRecorded() {
		return
	}
	e, ok := j.batch.pool.lookup(j.call.Name)
	if !ok {
		return
	}
	l := &callLimits{job: j}
	for o := j.outer(); o != nil && l.spending.outer == nil; o = o.outer() {
		if outer := o.limits.Load(); outer != nil {
			l.spending.outer = &outer.spending
		}
	}
	l.waiting.Init(&j.contexts.ctx)
	s.ledger.open(&l.spending, e, j.supplied != nil)
	j.limits.Store(l)
}

// outer returns the job of the call around this one: the call whose tool has made it, or whose
// tool runs the agent that makes it. It is nil without such a call.
func (j *job) outer() *job {
	if parent := j.batch.parent; parent != nil && parent.state.job != nil {
		return parent.state.job
	}
	return j.contexts.outerJob()
}

// enter waits until the call may start: until its keys, its groups and a worker slot are free. From
// then on it counts in its budgets, and the caller calls release. Waited says that other calls may
// have changed what it touches.
func (j *job) enter(ctx context.Context) (waited bool, f *failure) {
	if j.supplied == nil { // or it was executed before
		if f := j.overBudget(); f != nil { // before it waits
			return false, f
		}
		j.queue()
		if l := j.limits.Load(); l != nil {
			ctx = &l.waiting
		}
	}
	waited, err := j.acquire(ctx)
	if err != nil {
		j.leaveKeys()
		return false, j.notStarted(err)
	}
	return waited, nil
}

// queue says what the call needs: keys, and places in groups.
func (j *job) queue() {
	keys, groups := j.runningKeys(), j.session().groups.of(j.entry)
	l := j.limits.Load()
	if len(keys)+len(groups) == 0 {
		return
	}
	if l == nil {
		l = &callLimits{job: j}
		l.waiting.Init(&j.contexts.ctx)
	}
	var outer *throttle.Entry
	o := j.outer()
	l.queued.Owner, l.queued.Inside = j, o != nil
	for ; o != nil && outer == nil; o = o.outer() {
		if around := o.limits.Load(); around != nil && around.queues {
			outer = &around.queued
		}
	}
	l.queued.Init(&j.session().groups.set, outer, j.slots(), keys, groups...)
	l.queues = true
	j.limits.Store(l)
	if cause := j.batch.stopCause(); cause != nil { // it did not see the wait that begins
		l.waiting.Cancel(cause)
	}
}

// acquire takes the keys, a worker slot and the places in the groups, and counts in the budgets. If
// it fails, the call holds nothing but perhaps its keys.
func (j *job) acquire(ctx context.Context) (waited bool, err error) {
	if waited, err = j.acquireSlot(ctx); err != nil {
		return false, err
	}
	if cause := j.batch.stopCause(); cause != nil {
		j.release()
		return false, cause
	}
	if ledger, l := j.session().ledger, j.limits.Load(); ledger != nil && l != nil && j.supplied == nil {
		if err := ledger.begin(&l.spending, !j.entry.info.ExternalResult); err != nil {
			j.release()
			return false, err
		}
	}
	return waited, nil
}

// slots returns where the call gets its worker slot from. One that the host executes
// occupies no worker.
func (j *job) slots() throttle.Slots {
	if j.entry.info.ExternalResult {
		return noSlots{}
	}
	return &j.schedule.ticket
}

// noSlots are any number of worker slots.
type noSlots struct{}

func (noSlots) TryAcquireSlot() bool { return true }
func (noSlots) ReleaseSlot()         {}
func (noSlots) AcquireSlot(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (j *job) acquireSlot(ctx context.Context) (waited bool, err error) {
	l := j.limits.Load()
	if l == nil || !l.queues {
		return false, j.slots().AcquireSlot(ctx)
	}
	if ctx.Err() != nil { // it was stopped after it was decided
		return false, context.Cause(ctx)
	}
	o := l.queued.Join()
	if o == nil {
		return false, nil
	}
	if j.batch.exec.OnEvent != nil {
		j.announceObstacle(o)
	}
	return true, l.queued.Wait(ctx)
}

// announceObstacle emits EventWaiting with what the call waits for.
func (j *job) announceObstacle(o *throttle.Obstacle) {
	switch holder, _ := o.Holder.(*job); {
	case holder != nil:
		other := &holder.snapshots.first[0].Call // as it was admitted: its later snapshots belong to its goroutine
		text := fmt.Sprintf("%s, which %s uses", j.call.keyName(o.Keys.First), holder.title())
		j.queueUnlessOver(Event{Kind: EventWaiting, Call: j.call, WaitsFor: other, Text: text})
		j.batch.events.flush()
	case o.Group != nil:
		j.emitUnlessOver(EventWaiting, j.call, j.session().groups.describe(o))
	}
}

// title names the call for a call of another agent.
func (j *job) title() string {
	name := plain.Visible(j.snapshots.first[0].Name) // the later ones belong to its goroutine
	if id := j.session().AgentID(); id != "" {
		return "agent " + plain.Visible(id) + "'s " + name
	}
	return name
}

// release gives back what acquire took but the keys: when the tool has returned, abandoned or not,
// and between two attempts.
func (j *job) release() {
	l := j.limits.Load()
	if l != nil {
		j.pauseTime()
	}
	j.slots().ReleaseSlot()
	if l != nil && l.queues {
		l.queued.Leave()
	}
}

// leaveKeys gives back the keys that the call holds against other calls of the conversation.
func (j *job) leaveKeys() {
	if l := j.limits.Load(); l != nil && l.queues {
		l.queued.LeaveKeys()
	}
}

// pauseTime ends the count of the call's time.
func (j *job) pauseTime() {
	if ledger, l := j.session().ledger, j.limits.Load(); ledger != nil && l != nil {
		ledger.pause(&l.spending)
	}
}

// withLimits returns the context for the tool, in which the calls that it makes find
// their outer call.
func (j *job) withLimits(own context.Context) context.Context {
	if j.limits.Load() == nil {
		return own
	}
	return context.WithValue(own, outerJobKey{}, j)
}

// stopWaiting ends the wait for keys and groups.
func (j *job) stopWaiting(cause error) {
	if l := j.limits.Load(); l != nil {
		l.waiting.Cancel(cause)
	}
}

// abandonLimits keeps the call's keys, and its places in the groups, so that no more tools of a
// group run than its limit says. Calls that would wait for these fail.
func (j *job) abandonLimits(reason error) {
	if l := j.limits.Load(); l != nil {
		j.pauseTime()
		l.queued.Abandon(reason)
	}
}

// overBudget fails if a budget is used up already.
func (j *job) overBudget() *failure {
	if ledger, l := j.session().ledger, j.limits.Load(); ledger != nil && l != nil {
		if err := ledger.usedUp(&l.spending); err != nil {
			j.stage = StageLimits
			return j.notStarted(err)
		}
	}
	return nil
}

// notStarted is the failure of a call that could not start.
func (j *job) notStarted(err error) *failure {
	name := j.call.Name
	if b := (*BudgetError)(nil); errors.As(err, &b) {
		return &failure{err: err, text: fmt.Sprintf("%s was not run: %s.", name, b.text()), stopTurn: b.everyTool()}
	}
	holder, keys := (*detachedError)(nil), (*throttle.KeysError)(nil)
	switch {
	case errors.As(err, &keys):
		return j.heldBack(&j.contexts.ctx, keys.Reason)
	case errors.As(err, &holder):
		return &failure{err: err, text: fmt.Sprintf("%s was not run: as many calls as may run at once were given up and have not returned (%s). "+
			"Do something else, or tell the user.", name, holder.name)}
	case errors.Is(err, ErrDeadlock):
		return &failure{err: err, text: fmt.Sprintf("%s was not run: %v. Call it again later, when nothing else runs beside it.", name, err)}
	}
	return j.stopped(err)
}

// closeLimits ends the call in its budgets, and adds their warnings for the model to the result.
func (j *job) closeLimits(r *Result) *Result {
	ledger, inner := j.session().ledger, j.batch.parent != nil
	if ledger == nil {
		return r
	}
	if l := j.limits.Load(); l != nil {
		tokens := 0
		if !inner { // the model reads it
			tokens = estimateTokens(r)
		}
		ledger.end(&l.spending, tokens)
	}
	if inner {
		return r
	}
	var lines []Part
	for _, line := range ledger.warnings() {
		lines = append(lines, Part{Text: line})
	}
	return withMessages(r, lines)
}

// withMessages returns r with further messages.
func withMessages(r *Result, more []Part) *Result {
	if len(more) == 0 {
		return r
	}
	added := *r
	added.Messages = append(added.Messages[:len(added.Messages):len(added.Messages)], more...)
	return &added
}

// A jobOwner is the goroutine to which a job belongs: at first that of the job, later perhaps
// one that answers in its place.
type jobOwner struct {
	replaced bool               // by another owner
	left     *lane.AbandonedJob // names the func that has not returned; guarded by batch.mu
}

// foreign calls a func of the tool or the host on the job's goroutine. If f does not return
// within the grace period after the call was stopped, a successor answers the call; foreign
// then ends the goroutine when f returns.
func (j *job) foreign(what string, f func()) { j.excursion(what, 1, f) }

// excursion is foreign for an f that has so many grace periods if the call was stopped before.
func (j *job) excursion(what string, graces int, f func()) {
	owner := j.owner
	j.calls = what
	number := j.excursions.Begin(graces)
	defer func() {
		if !j.excursions.End(number) {
			j.leave(owner)
		}
	}()
	f()
}

// ownFunc is foreign for a func of the tool other than Call, which has the tool's Timeout, too.
// It fails if f takes too long.
func (j *job) ownFunc(ctx context.Context, what string, f func(context.Context)) *failure {
	limit := j.entry.info.Timeout
	if limit <= 0 {
		j.foreign(what, func() { f(ctx) })
		return nil
	}
	late := fmt.Errorf("%w after %v", ErrTimeout, limit)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(limit, func() {
		cancel(late)
		j.limit(late)
	}).Stop()
	j.foreign(what, func() { f(ctx) })
	if errors.Is(context.Cause(ctx), late) {
		return j.stopped(late)
	}
	return nil
}

// cancel ends the context of the call, and limits the foreign funcs that do not heed it.
func (j *job) cancel(cause error) {
	j.batch.mu.Lock()
	contexts := j.contexts
	j.batch.mu.Unlock()
	contexts.ctx.Cancel(cause) // that of the batch has ended already
	j.limit(cause)
}

// limit gives each foreign func of a call that was stopped the grace period.
func (j *job) limit(cause error) {
	j.excursions.Stop(j.batch.grace, func(leave func() bool) { j.takeOver(cause, leave) })
}

// takeOver starts a successor if the job's goroutine is still where it was to leave.
func (j *job) takeOver(cause error, leave func() bool) {
	j.batch.mu.Lock()
	taken := leave()
	if taken {
		j.owner.left = j.session().abandoned.AddFree(j.calls + " of " + j.call.ToolName())
	}
	j.batch.mu.Unlock()
	if taken {
		goroutine.Start(&successor{job: j, cause: cause})
	}
}

// leave ends a goroutine to which the job does not belong any more.
func (j *job) leave(owner *jobOwner) {
	owner.replaced = true
	j.batch.mu.Lock()
	left := owner.left
	j.batch.mu.Unlock()
	left.Release()
	runtime.Goexit()
}

// A successor answers a call in the place of a goroutine that does not come back from a foreign
// func.
type successor struct {
	jobOwner
	job   *job
	cause error // of the stop
}

// Work implements [goroutine.Task].
func (s *successor) Work() {
	j := s.job
	j.owner = &s.jobOwner
	late := fmt.Errorf("%s has not returned, though the call was stopped: %w", j.calls, s.cause)
	j.batch.logCrash(j.call, j.stage, late)
	o := j.unhooked.outcome()
	switch {
	case !j.unhooked.kept && !j.ran():
		o = j.fail(j.stopped(s.cause))
	case !j.unhooked.kept:
		o = j.fail(&failure{err: late, text: fmt.Sprintf("%s ran, but its result could not be read. Tell the user.", j.call.Name)})
	case j.ran():
		j.withhold(&o, fmt.Errorf("%w: %w", errBlocked, late))
	}
	j.finish(o)
}

// unhooked keeps the outcome as it was before the hooks after the call ran.
type unhooked struct {
	kept           bool
	result         *Result
	err, outputErr error
	sameAs         *Call
	stopTurn       bool
}

func (u *unhooked) keep(o *Outcome) {
	*u = unhooked{true, o.Result, o.Err, o.OutputErr, o.SameAs, o.StopTurn}
}

func (u *unhooked) outcome() Outcome {
	return Outcome{Result: u.result, Err: u.err, OutputErr: u.outputErr, SameAs: u.sameAs, StopTurn: u.stopTurn}
}

// Leave implements [goroutine.Task].
func (s *successor) Leave(crash error) {
	if !s.replaced {
		s.job.end(crash)
	}
}

// The reasons for no further attempt, beside the number of attempts.
var (
	errLongPause = errors.New("the pause that is asked for is longer than a call may wait")
	errNoTime    = errors.New("there is no time left for another attempt")
	errHasMoved  = errors.New("its paths lead elsewhere now")
)

// attempts calls the tool, and calls it again when its transport fails, as its policy
// says.
func (j *job) attempts(own context.Context) (result *Result, err, crash error) {
	begun := time.Now()
	for n := 1; ; n++ {
		j.run.attempts.Store(int32(n)) //nolint:gosec // nobody makes so many
		result, err, crash = j.callTool(own)
		if crash != nil || err == nil || !j.mayRetry(own, err) {
			return result, attempted(err, n, nil), crash
		}
		retry := &j.entry.info.Retry
		if n >= retry.Attempts {
			return result, attempted(err, n, nil), nil
		}
		pause, ok := retry.pause(n, err)
		if !ok {
			return result, attempted(err, n, errLongPause), nil
		}
		if limit := j.run.timeout(); limit > 0 && time.Since(begun)+pause >= limit {
			return result, attempted(err, n, errNoTime), nil
		}
		if j.batch.exec.OnEvent != nil {
			j.emitUnlessOver(EventRetried, j.call, fmt.Sprintf("attempt %d of %d in %v: %v", n+1, retry.Attempts, pause.Round(time.Millisecond), err))
		}
		if ended := j.waitToRetry(own, pause); ended != nil {
			return result, attempted(err, n, ended), nil
		}
	}
}

// attempted returns err with the number of attempts, if there is something to say.
func attempted(err error, n int, ended error) error {
	if err == nil || n == 1 && ended == nil {
		return err
	}
	return &retriedError{last: err, attempts: n, ended: ended}
}

// callTool calls the tool once.
func (j *job) callTool(own context.Context) (result *Result, err, crash error) {
	invoke, t, c := j.batch.exec.Invoke, j.entry.tool, j.call
	begun := time.Now()
	crash = goroutine.Try(func() error {
		if invoke != nil && !j.entry.info.ExternalResult {
			result, err = invoke(own, t, c)
		} else {
			result, err = t.Call(own, c)
		}
		return nil
	})
	j.run.took += time.Since(begun)
	if p := (*PanicError)(nil); invoke != nil && errors.As(err, &p) { // of the tool, in another process
		return nil, nil, p
	}
	return result, err, crash
}

// mayRetry reports whether the call may be attempted again after err.
func (j *job) mayRetry(own context.Context, err error) bool {
	tr := &j.call.state.traits
	return j.entry.info.Retry.Attempts > 1 && (tr.ReadOnly || tr.Idempotent) && isTransient(err) &&
		own.Err() == nil && j.run.Running()
}

// waitToRetry waits for the next attempt and starts it. Meanwhile the call holds its keys against
// the other calls of its message, and nothing else. It returns why there is no next attempt, or nil.
func (j *job) waitToRetry(own context.Context, pause time.Duration) error {
	j.run.pausing.Store(true)
	defer j.run.pausing.Store(false)
	j.release()
	j.leaveKeys()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-own.Done():
		return context.Cause(own)
	}
	if !j.run.Running() { // abandoned in the moment before it paused
		return ErrDetached
	}
	waited, err := j.acquire(own)
	if err == nil && waited && j.hasMoved() {
		j.leaveKeys()
		err = errHasMoved
	}
	return err
}

// awaitResult waits until the host supplies the outcome of c, whose tool is running, or
// until ctx ends.
func (j *job) awaitResult(ctx context.Context, c *Call, decode func(json.RawMessage) (func() (*Result, error), error)) (*Result, error) {
	if j.supplied != nil {
		return j.supplied.outcome()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	j.answered.Store(false) // a wrapper may call the tool again
	accept := func(out ExternalResult) (submitted, error) {
		s, err := out.check(decode)
		if err == nil && j.run.Cause() != nil { // it was stopped before
			err = ErrNoExternalCall
		}
		if err == nil {
			j.answered.Store(true)
		}
		return s, err
	}
	line := j.session().awaited
	var call func() *ExternalCall
	open := line.Add(func(id string) *pendingResult {
		call = func() *ExternalCall {
			return &ExternalCall{ID: id, Tool: j.entry.tool, Call: c.copied(), AgentPath: slices.Clone(j.session().AgentPath())}
		}
		return &pendingResult{call: call, accept: accept}
	})
	defer open.Remove()
	j.emitAwaited(EventExternal, call(), "")
	select {
	case s := <-open.Answered():
		j.emitAwaited(EventReleased, call(), "")
		return s.outcome()
	case <-ctx.Done():
	}
	if !open.Withdraw() { // an answer was given, or is being checked
		if s, ok := <-open.Answered(); ok {
			j.emitAwaited(EventReleased, call(), "")
			return s.outcome()
		}
	}
	j.emitAwaited(EventReleased, call(), context.Cause(ctx).Error())
	return nil, context.Cause(ctx)
}

// stoppedBy returns why the tool was stopped before it returned err, or nil. A stop after
// the host has supplied the outcome does not count.
func (j *job) stoppedBy(err error) error {
	cause := j.run.Cause()
	if cause != nil && j.answered.Load() && !errors.Is(err, context.Canceled) && !errors.Is(err, cause) {
		return nil
	}
	return cause
}

// emitAwaited emits an event about a call that the host executes. A wrapper of the tool may
// have returned before, and the call may be over.
func (j *job) emitAwaited(kind EventKind, a *ExternalCall, text string) {
	j.batch.events.queue(Event{Kind: kind, Call: j.call, Text: text, External: a}, &j.over)
	j.batch.events.flush()
}
