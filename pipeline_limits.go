package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/throttle"
)

// callLimits are a call's part in the budgets and groups of its session. A session
// without these has none.
type callLimits struct {
	job     *job
	outer   *callLimits      // of the nearest call around this one that has some, or nil
	waiting lifetime.Context // of the wait for groups; also cancelled when all calls are stopped

	spending spending
	over     atomic.Pointer[BudgetError] // of the time that has run out while the tool ran

	grouped bool
	entry   throttle.Entry // if grouped
}

// openLimits makes the limits of a call that was just admitted, if its session has any. A
// call that is known not to run takes no part in them.
func (j *job) openLimits() {
	s := j.session()
	if s.ledger == nil && s.groups == nil || j.duplicate || j.late || j.isRecorded() {
		return
	}
	e, ok := j.batch.pool.lookup(j.call.Name)
	if !ok {
		return
	}
	l := &callLimits{job: j}
	for o := j.batch.outerJob(); o != nil && l.outer == nil; o = o.batch.outerJob() {
		l.outer = o.limits
	}
	l.waiting.Init(&j.batch.ctx)
	if s.ledger != nil {
		l.spending.call = l
		if l.outer != nil {
			l.spending.outer = &l.outer.spending
		}
		s.ledger.open(&l.spending, &e.info, j.supplied != nil)
	}
	j.limits = l
}

// enter waits until the call may start: until its groups and a worker slot are free. From
// then on it counts in its budgets, and the caller calls release.
func (j *job) enter(ctx context.Context) *failure {
	if l := j.limits; l != nil && j.supplied == nil { // or it was executed before
		ctx = &l.waiting
		if f := j.checkBudgets(ctx); f != nil { // before it waits
			return f
		}
		l.joinGroups()
	}
	if err := j.acquire(ctx); err != nil {
		return j.notStarted(err)
	}
	return nil
}

// joinGroups says in which groups the call is.
func (l *callLimits) joinGroups() {
	groups := l.job.session().groups.of(&l.job.entry.info)
	if len(groups) == 0 {
		return
	}
	var outer *throttle.Entry
	for o := l.outer; o != nil && outer == nil; o = o.outer {
		if o.grouped {
			outer = &o.entry
		}
	}
	l.entry.Init(outer, l.job.slots(), groups...)
	l.grouped = true
}

// acquire takes a worker slot and the places in the groups, and counts in the budgets. If
// it fails, the call holds nothing.
func (j *job) acquire(ctx context.Context) error {
	if err := j.acquireSlot(ctx); err != nil {
		return err
	}
	if cause := j.batch.stopCause(); cause != nil {
		j.release()
		return cause
	}
	if ledger := j.session().ledger; ledger != nil && j.limits != nil && j.supplied == nil {
		if err := ledger.begin(&j.limits.spending, !j.entry.info.Supplied); err != nil {
			j.release()
			return err
		}
	}
	return nil
}

// slots returns where the call gets its worker slot from. One that the host executes
// occupies no worker.
func (j *job) slots() throttle.Slots {
	if j.entry.info.Supplied {
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

func (j *job) acquireSlot(ctx context.Context) error {
	l := j.limits
	if l == nil || !l.grouped {
		return j.slots().AcquireSlot(ctx)
	}
	o := l.entry.Join()
	if o == nil {
		return nil
	}
	if o.Group != nil && j.batch.exec.OnEvent != nil {
		j.emitUnlessOver(EventWaiting, j.call, j.session().groups.describe(o))
	}
	return l.entry.Wait(ctx)
}

// release gives back what acquire took: when the tool has returned, abandoned or not, and
// between two attempts.
func (j *job) release() {
	l := j.limits
	if l != nil {
		j.pauseTime()
	}
	j.slots().ReleaseSlot()
	if l != nil && l.grouped {
		l.entry.Leave()
	}
}

// pauseTime ends the count of the call's time.
func (j *job) pauseTime() {
	if ledger := j.session().ledger; ledger != nil && j.limits != nil {
		ledger.pause(&j.limits.spending)
	}
}

// withLimits returns the context for the tool, in which the calls that it makes find
// their outer call.
func (j *job) withLimits(own context.Context) context.Context {
	if j.limits == nil {
		return own
	}
	if err := j.limits.over.Load(); err != nil { // the time ran out before the tool began
		j.run.stop(err)
	}
	return context.WithValue(own, outerJobKey{}, j)
}

// stopWaiting ends the wait for groups.
func (j *job) stopWaiting(cause error) {
	if j.limits != nil {
		j.limits.waiting.Cancel(cause)
	}
}

// abandonLimits keeps the places in the groups, so that no more tools of a group run than
// its limit says, and lets nobody wait for them.
func (j *job) abandonLimits(reason error) {
	if j.limits != nil {
		j.pauseTime()
		j.limits.entry.Abandon(reason)
	}
}

// overspent stops the call, whose time has run out.
func (l *callLimits) overspent(err *BudgetError) {
	l.over.CompareAndSwap(nil, err)
	l.job.run.stop(err)
}

// overBudget fails if a budget is used up already.
func (j *job) overBudget() *failure {
	if ledger := j.session().ledger; ledger != nil && j.limits != nil {
		if err := ledger.usedUp(&j.limits.spending); err != nil {
			j.stage = StageLimits
			return j.notStarted(err)
		}
	}
	return nil
}

// checkBudgets fails if a budget is used up. If that depends on earlier calls of the
// message, it waits until these are decided, so that it ends as in a serial run.
func (j *job) checkBudgets(ctx context.Context) *failure {
	ledger := j.session().ledger
	if ledger == nil {
		return nil
	}
	defer j.notifyHeld()
	for ledger.dependsOnOthers(&j.limits.spending) {
		held := j.holdCall()
		if held == nil {
			break
		}
		select {
		case <-held:
		case <-ctx.Done():
			return j.stopped(context.Cause(ctx))
		}
	}
	if err := ledger.check(&j.limits.spending); err != nil {
		return j.notStarted(err)
	}
	return nil
}

// holdCall returns nil if it is settled which earlier calls of the message count in the
// budgets, or a channel that is closed when it should be called again. An earlier call
// that waits for other calls, which may be this one, is not waited for.
func (j *job) holdCall() <-chan struct{} {
	b := j.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, earlier := range slices.Backward(b.jobs[:j.place]) {
		if earlier.limits == nil {
			continue
		}
		changed := earlier.order.watch()
		if j.session().ledger.isOpen(&earlier.limits.spending) && !earlier.schedule.ticket.Waits() {
			return changed
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
	holder := (*detachedError)(nil)
	switch {
	case errors.As(err, &holder):
		return &failure{err: err, text: fmt.Sprintf("%s was not run: as many calls as may run at once were given up and have not returned (%s). "+
			"Do something else, or tell the user.", name, holder.name)}
	case errors.Is(err, ErrDeadlock):
		return &failure{err: err, text: fmt.Sprintf("%s was not run: %v. Call it again later, when nothing else runs beside it.", name, err)}
	}
	return j.stopped(err)
}

// closeLimits ends the call in its budgets, and adds to the result what the model should
// know of them.
func (j *job) closeLimits(r *Result) *Result {
	ledger, inner := j.session().ledger, j.batch.parent != nil
	if ledger == nil {
		return r
	}
	if j.limits != nil {
		tokens := 0
		if !inner { // the model reads it
			tokens = j.countTokens(r)
		}
		ledger.end(&j.limits.spending, tokens)
		j.notifyHeld()
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

// countTokens counts the tokens of a result as the host wants.
func (j *job) countTokens(r *Result) int {
	count := j.session().cfg.CountTokens
	if count == nil {
		return EstimateTokens(r)
	}
	counted := 0
	if err := j.batch.await("CountTokens", goroutine.Go(func() { counted = count(r) })); err != nil {
		j.batch.exec.logError("CountTokens failed", err, "tool", j.call.Name)
		return EstimateTokens(r)
	}
	return max(0, counted)
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
