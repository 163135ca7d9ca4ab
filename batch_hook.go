package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

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
	} else { // it may still change what it was given
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
		if changed[i].StopTurn && !outcomes[i].StopTurn {
			b.stream.stopsTurn = true
			if yielded < len(changed) {
				changed[len(changed)-1].StopTurn = true
			}
		}
	}
	return late
}

// notYielded calls change with the number of outcomes that a stream has yielded. None is
// yielded meanwhile.
func (b *batch) notYielded(change func(yielded int)) {
	if b.stream == nil {
		change(0)
		return
	}
	b.stream.mu.Lock()
	defer b.stream.mu.Unlock()
	change(b.stream.next)
}

// SayInBatch is [HookCall.Say] for a Batch hook, whose context it needs. The words join the
// Messages of the last outcome of [Executor.Run]; of a [Stream], which may have yielded that
// outcome, they become news of the session, see [Session.Tell]. So do words that are said
// once the hook has ended. SayInBatch reports whether ctx is that of a Batch hook, and does
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
		b.pool.session.Tell(parts...)
	}
}

// addSaid adds what the Batch hook has said to the last outcome that the model is sent. Of
// a stream, and if there is no such outcome, it becomes news of the session.
func (b *batch) addSaid(jobs []*job, outcomes []Outcome) {
	b.mu.Lock()
	said := b.said
	b.saidAll = true
	b.mu.Unlock()
	if len(said) == 0 {
		return
	}
	for i, j := range slices.Backward(jobs) {
		if o := &outcomes[i]; b.stream == nil && !errors.Is(o.Err, ErrDuplicate) {
			o.Result = withMessages(o.Result, j.fitMessages(&b.uncancelled, said))
			return
		}
	}
	b.pool.session.Tell(said...)
}
