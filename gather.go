package pegboard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// gatherPatience is how long the calls of a gathering wait for one that is not handed in. A
// framework hands in the calls of a message at once; a person does not notice a second.
const gatherPatience = time.Second

// A Gathering is one message whose calls are handed in one at a time, see [Executor.Gather].
type Gathering struct {
	batch    batch
	calls    []gathered
	ended    sync.Once
	outcomes []Outcome // set by End

	mu      lock.Mutex // guards the fields below, and taken of calls
	moved   time.Time  // when a call was handed in last, or has ended
	unwatch func() bool
}

// A gathered is one announced call.
type gathered struct {
	job     *job
	call    *Call         // as announced
	refused bool          // it is of an unknown tool, or has the id of another: it has ended, or does so at once
	taken   bool          // it was handed in, or given up
	here    chan struct{} // closed once it is taken or refused
}

// newGathering implements [Executor.Gather].
func newGathering(ctx context.Context, e *Executor, p *Pool, calls []Call) *Gathering {
	g := &Gathering{calls: make([]gathered, len(calls)), moved: time.Now()}
	b := &g.batch
	b.init(ctx, e, p, 0)
	b.gather, b.reason = g, FinishToolCalls
	b.openRecord()
	for i, c := range calls {
		j := new(job)
		b.admit(j, c)
		_, known := p.lookup(c.Name)
		g.calls[i] = gathered{job: j, call: &j.snapshots.first[0].Call, refused: !known || j.duplicate, here: make(chan struct{})}
	}
	b.events.flush()
	for _, c := range g.calls {
		if c.refused {
			close(c.here)
			c.job.start()
		}
	}
	p.session.gatherings.add(g)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unwatch = context.AfterFunc(ctx, func() {
		b.interrupt(context.Cause(ctx))
		g.End()
	})
	return g
}

// End gives up the calls that were not handed in, waits for the others, calls the Batch hook and
// returns one outcome for each announced call, in their order. That of a call that was given up
// wraps [ErrCancelled], whatever became of it later. Run has returned the others already, before
// the Batch hook: what it changes in their results comes too late, and the log says so. A StopTurn
// of any outcome counts.
//
// End may be called more than once, and concurrently. OnEvent and the tools must not call it,
// since it waits for them.
func (g *Gathering) End() []Outcome {
	g.ended.Do(func() {
		g.batch.pool.session.gatherings.remove(g)
		g.giveUp(len(g.calls))
		g.outcomes = g.batch.end()
		g.mu.Lock()
		defer g.mu.Unlock()
		g.unwatch()
	})
	return slices.Clone(g.outcomes)
}

// take returns the announced call that c is, and marks it as handed in. It returns nil if there
// is none.
func (g *Gathering) take(c *Call) *gathered {
	g.mu.Lock()
	defer g.mu.Unlock()
	find := func(is func(announced *Call) bool) int {
		return slices.IndexFunc(g.calls, func(open gathered) bool { return !open.taken && open.call.Name == c.Name && is(open.call) })
	}
	i := find(func(announced *Call) bool { return c.ID != "" && c.ID == announced.ID })
	if i < 0 {
		i = find(func(announced *Call) bool {
			return (c.ID == "" || announced.ID == "") && sameInput(c.Input, announced.Input)
		})
	}
	if i < 0 {
		return nil
	}
	taken := &g.calls[i]
	taken.taken, g.moved = true, time.Now()
	if !taken.refused {
		close(taken.here)
	}
	return taken
}

// giveUp ends those of the first n calls that were not handed in.
func (g *Gathering) giveUp(n int) {
	g.mu.Lock()
	var missing []*job
	for i := range g.calls[:n] {
		if c := &g.calls[i]; !c.taken && !c.refused {
			c.taken = true
			close(c.here)
			missing = append(missing, c.job)
		}
	}
	g.mu.Unlock()
	for _, j := range missing {
		j.missing = true
		j.start()
	}
}

// move notes that a call has ended.
func (g *Gathering) move() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.moved = time.Now()
}

// still returns for how long no call has come or ended.
func (g *Gathering) still() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.moved)
}

// handIn runs c as the call of a gathering that it is. It reports false if no gathering waits for it.
func (p *Pool) handIn(ctx context.Context, c Call) (Outcome, bool) {
	for _, g := range p.session.gatherings.open() {
		if g.batch.pool != p {
			continue
		}
		if taken := g.take(&c); taken != nil {
			return g.run(ctx, taken, c), true
		}
	}
	return Outcome{}, false
}

// run returns the outcome of a call that was just taken.
func (g *Gathering) run(ctx context.Context, taken *gathered, c Call) Outcome {
	j := taken.job
	if !taken.refused {
		j.arrive(ctx, c)
		defer j.contexts.ctx.Cancel(nil)
		j.start()
		select {
		case <-j.ended:
		case <-ctx.Done():
			j.limit(context.Cause(ctx))
			j.run.interrupt(context.Cause(ctx))
		}
	}
	<-j.ended
	g.move()
	return j.published()
}

// arrive gives a call that was handed in by itself its own context, input and decision.
func (j *job) arrive(ctx context.Context, c Call) {
	b, own := j.batch, new(callContexts)
	own.init(ctx, b.exec, b.pool.session)
	b.mu.Lock()
	j.contexts = own
	b.mu.Unlock()
	if b.ctx.Err() != nil { // since then the batch has ended it, too
		own.ctx.Cancel(context.Cause(&b.ctx))
	}
	j.admitted = time.Now()
	if c.forced != nil {
		j.forced = c.forced
		j.replaced.Store(true) // it is not what was compared with the calls beside it
	}
	if !sameInput(c.Input, j.call.Input) {
		j.replaced.Store(true)
		j.replaceInput(slices.Clone(c.Input))
	}
	j.openLimits()
}

// sameInput reports whether a tool gets the same value of two inputs.
func sameInput(a, b json.RawMessage) bool { return sameJSON(orEmptyObject(a), orEmptyObject(b)) }

// waitForHandIn waits until all calls before this one were handed in, or gives them up.
func (j *job) waitForHandIn(ctx context.Context) *failure {
	g := j.batch.gather
	if g == nil {
		return nil
	}
	timer := time.NewTimer(gatherPatience)
	defer timer.Stop()
	for i := 0; i < j.index; {
		select {
		case <-g.calls[i].here:
			i++
		case <-ctx.Done():
			return j.mustStop(ctx)
		case <-timer.C:
			left := gatherPatience - g.still()
			if j.isHeldBack(ctx) {
				left = gatherPatience
			}
			if left > 0 {
				timer.Reset(left)
			} else {
				g.giveUp(j.index)
			}
		}
	}
	return nil
}

// isHeldBack reports whether the call waits for the keys of another one.
func (j *job) isHeldBack(ctx context.Context) bool {
	now, cancel := context.WithCancel(ctx)
	cancel() // or Blocker would wait for calls that have claimed nothing yet
	_, _, ok := j.schedule.ticket.Blocker(now)
	return ok
}

var errNotHandedIn = fmt.Errorf("%w: it was not handed in", ErrCancelled)

// notHandedIn is the failure of a call that was announced and not handed in.
func (j *job) notHandedIn() *failure {
	if f := j.mustStop(&j.contexts.ctx); f != nil {
		return f
	}
	return &failure{err: errNotHandedIn, text: j.call.Name + " was not run: the program did not hand it in. Nobody refused the call; repeat it if it is still wanted."}
}
