package serve

import (
	"context"
	"path/filepath"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
	"github.com/seed49eaa51d/pegboard/internal/lock"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A turn is the place of a call among those of its client. The calls of a message are
// ordered by the executor; those of a client come as messages of their own. A call has its
// turn until it ends, except while it waits for an answer and has not begun: a client that
// does not come back holds up nothing.
type turn struct {
	lane *lane.Lane

	mu      lock.Mutex
	ticket  *lane.Ticket // nil without a place
	started bool
}

// take waits until no call is in the way. The error is the cause of ctx.
func (t *turn) take(ctx context.Context, claim lane.Claim) error {
	ticket := t.enter()
	ticket.Claim(claim)
	if err := ticket.Wait(ctx); err != nil {
		return err
	}
	return ticket.AcquireSlot(ctx)
}

func (t *turn) enter() *lane.Ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ticket == nil {
		t.ticket = t.lane.Admit()
	} else {
		t.ticket.ReleaseSlot() // a call that waits for another one has no slot
	}
	return t.ticket
}

// begin is take for a call that is about to run. From now on, leave has no effect.
func (t *turn) begin(ctx context.Context, claim lane.Claim) error {
	t.mu.Lock()
	t.started = true
	t.mu.Unlock()
	return t.take(ctx, claim)
}

// leave gives the place up if the call has not begun.
func (t *turn) leave() {
	t.mu.Lock()
	started := t.started
	t.mu.Unlock()
	if !started {
		t.end()
	}
}

// end gives the place up.
func (t *turn) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ticket != nil {
		t.ticket.ReleaseSlot()
		t.ticket.Done()
		t.ticket = nil
	}
}

// claimFor returns the claim of a call that was not decided yet. It is zero for a call that
// will not run.
func claimFor(pool *pegboard.Pool, c pegboard.Call) (claim lane.Claim) {
	if tool, made, err := pool.Rebuild(c); err == nil {
		claim = claimOf(tool, made)
	}
	return claim
}

// claimOf returns the claim of a call: the same that the executor makes for the calls of a
// message.
func claimOf(tool pegboard.Tool, c *pegboard.Call) lane.Claim {
	var traits pegboard.Traits
	if err := goroutine.Try(func() error { traits = tool.Traits(c); return nil }); err != nil || traits.Concurrency == pegboard.Exclusive || traits.Concurrency == pegboard.ByReadOnly && !c.Facts().ReadOnly {
		return lane.Claim{Exclusive: true}
	}
	var keys []lane.Key
	for _, target := range c.Targets() {
		if target.Kind == policy.Opaque || target.Kind == policy.Command {
			if traits.Concurrency == pegboard.PerTarget {
				return lane.Claim{Exclusive: true}
			}
			continue
		}
		if target.Shell.Guess {
			continue
		}
		name := target.Value
		if real := target.Real(); real != "" {
			name = real
		}
		for _, n := range append([]string{name}, target.Aliases...) {
			writes := target.Access != policy.Read
			keys = append(keys, lane.Key{
				Name: target.Kind.String() + ":" + filepath.ToSlash(n), Write: writes,
				Tree: target.Tree || target.Kind == policy.Path && writes,
			})
		}
	}
	return lane.Claim{Exclusive: len(keys) == 0 && traits.Concurrency == pegboard.PerTarget, Keys: keys}
}
