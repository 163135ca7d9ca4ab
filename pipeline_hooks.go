package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

func (j *job) preHooks(ctx context.Context) (Decision, *failure) {
	pre := j.batch.pool.session.cfg.Hooks.Pre
	if pre == nil {
		return Decision{}, nil
	}
	j.stage = StageHook
	d, err := pre(ctx, j.hookCall(nil))
	if err != nil && ctx.Err() != nil {
		return Decision{}, j.stopped(context.Cause(ctx))
	}
	if err != nil {
		j.batch.hookFailed(j.call.Name, err)
		j.decide(Decision{Behavior: Deny, By: ByHook, Reason: "a hook failed: " + err.Error()})
		return Decision{}, &failure{err: fmt.Errorf("%w: %w", ErrDenied, err),
			text: fmt.Sprintf("%s was denied: a hook that guards it failed. Tell the user; repeating the call will not help.", j.call.Name)}
	}
	return d, nil
}

// hookCall is what hooks are told: copies, of which only a result comes back.
func (j *job) hookCall(o *Outcome) *HookCall {
	h := &struct {
		HookCall
		call Call
	}{HookCall: HookCall{Tool: j.entry.tool}, call: *j.call}
	h.call.Input = slices.Clone(j.call.Input)
	h.Call = &h.call
	if o != nil {
		told := *o
		told.Call = h.Call
		h.Outcome = &told
	}
	if j.batch.OnEvent != nil {
		c := j.call
		h.emit = func(text string) { j.tell(EventHook, c, text) }
	}
	return &h.HookCall
}

func (j *job) postHooks(o *Outcome) {
	hooks := j.batch.pool.session.cfg.Hooks
	hook := hooks.Post
	if o.Result.IsError {
		hook = hooks.PostFailure
	}
	if hook == nil {
		return
	}
	h := j.hookCall(o)
	ctx, cancel := j.batch.after()
	defer cancel()
	err := hook(ctx, h)
	told := h.Outcome
	if err != nil {
		j.batch.hookFailed(j.call.Name, err)
	}
	if errors.Is(err, errBlocked) {
		did := " ran"
		if errors.Is(o.Err, ErrDetached) {
			did = " goes on in the background"
		}
		if call := (*CallError)(nil); errors.As(o.Err, &call) { // why it failed before
			err = fmt.Errorf("%w: %w", call.Err, err)
		}
		withheld := j.fail(&failure{err: err, text: j.call.Name + did + ", but a hook that checks its result failed, so the result is withheld. Tell the user."})
		o.Result, o.Err = withheld.Result, withheld.Err
		return
	}
	if told != nil && told.Result != nil {
		o.Result = told.Result
	}
	o.Result = j.presentable(o.Result)
}

// batchHook tells the hook of that name what became of a message.
func (b *batch) batchHook(outcomes []Outcome) {
	hook := b.pool.session.cfg.Hooks.Batch
	if hook == nil || b.parent != nil {
		return // it is about the calls of a message
	}
	told := slices.Clone(outcomes)
	for i := range told {
		told[i].Call = told[i].Call.copied()
	}
	ctx, cancel := b.after()
	defer cancel()
	err := hook(ctx, told)
	if err != nil {
		b.hookFailed("", err)
	}
	for i, j := range b.admitted() {
		if errors.Is(err, errBlocked) {
			outcomes[i].Result = &Result{IsError: true, Parts: []Part{{Text: "A hook that checks the results failed, so this one is withheld. Tell the user."}}}
		}
		if r := told[i].Result; r != nil && r != outcomes[i].Result && !errors.Is(err, errBlocked) {
			outcomes[i].Result = j.fit(&b.lasting, j.presentable(r))
		}
	}
}

func (b *batch) hookFailed(tool string, err error) { b.reportCrash(tool, StageHook, err) }
