package pegboard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/policy"
)

// preHooks runs the hooks before the decision.
func (j *job) preHooks(ctx context.Context) (policy.Decision, *failure) {
	pre := j.session().cfg.Hooks.Pre
	if pre == nil {
		return policy.Decision{}, nil
	}
	j.stage = StageHook
	var d policy.Decision
	var err error
	j.foreign("a hook before the call", func() { d, err = pre(ctx, j.hookCall(nil)) })
	if f := j.mustStop(ctx); err != nil && f != nil {
		return policy.Decision{}, f
	}
	if errors.Is(err, ErrDeferred) {
		return policy.Decision{}, j.deferredOrDenied(ctx, err)
	}
	if err != nil {
		j.batch.logHookFailure(j.call, err)
		j.recordDecision(policy.Decision{Behavior: policy.Deny, By: policy.ByHook, Reason: "a hook failed: " + err.Error()})
		return policy.Decision{}, &failure{err: fmt.Errorf("%w: %w", ErrDenied, err),
			text: fmt.Sprintf("%s was denied: a hook that guards it failed. Tell the user; repeating the call will not help.", j.call.Name)}
	}
	return d, nil
}

// deferredOrDenied is the failure of a call that a hook before it has put off. If the call would be
// denied whatever the answer is, it is denied now.
func (j *job) deferredOrDenied(ctx context.Context, err error) *failure {
	j.stage = StagePermission
	own, f := j.permitOf(ctx)
	if f != nil {
		return f
	}
	perms, r := j.call.request(j.call.state.targets)
	r.Said = policy.Opinions{Tool: own, Caller: j.callerOpinion()}
	if d := perms.DeniesForGood(r); d.Behavior == policy.Deny {
		j.recordDecision(d)
		return j.denied(d)
	}
	j.stage = StageHook
	return j.deferredCall(err)
}

// deferredCall is the failure of a call that the host answers later, before it ran.
func (j *job) deferredCall(err error) *failure {
	return &failure{err: err, text: j.call.Name + " was not run yet. The answer comes later.", stopTurn: true}
}

// hookCall returns the argument of a hook: copies, of which only the result is read
// again. The argument and its call are one allocation.
func (j *job) hookCall(o *Outcome) *HookCall {
	h := &struct {
		HookCall
		call Call
	}{HookCall: HookCall{host: j, snapshot: j.call}, call: *j.call}
	if j.entry != nil {
		h.Tool = j.entry.tool
	} else {
		h.Tool, _ = j.batch.pool.Lookup(j.call.Name)
	}
	h.call.Input = slices.Clone(j.call.Input)
	h.Call = &h.call
	if o != nil {
		copied := *o
		copied.Call = h.Call
		h.Outcome = &copied
	}
	return &h.HookCall
}

// emitFromHook implements [HookCall.Emit].
func (j *job) emitFromHook(c *Call, text string) { j.emitUnlessOver(EventHook, c, text) }

// afterHooks runs one of the hooks after the call.
func (j *job) afterHooks(o *Outcome) {
	if j.afterHooksRan {
		return
	}
	j.afterHooksRan = true // a hook that ends the goroutine is not called again
	if j.ran() {
		j.postHooks(o)
	} else {
		j.notRunHook(o)
	}
}

// hookGraces: a hook after a call that was stopped has the grace period until its context ends,
// and another one to return.
const hookGraces = 2

// notRunHook runs the hook for a call whose tool was not called. The hook may replace the
// text of the result, and nothing else that says what happened.
func (j *job) notRunHook(o *Outcome) {
	hook := j.session().cfg.Hooks.NotRun
	if hook == nil || j.streamAbandoned != nil {
		return
	}
	h := j.hookCall(o)
	ctx, cancel := j.contexts.afterContext()
	defer cancel()
	j.unhooked.keep(o)
	var err error
	j.excursion("a hook after the call", hookGraces, func() { err = hook(ctx, h) })
	if err != nil {
		j.batch.logHookFailure(j.call, err)
	}
	changed := h.Outcome
	if changed == nil {
		return
	}
	o.StopTurn = o.StopTurn || changed.StopTurn
	if changed.Result != nil {
		r := *changed.Result
		r.IsError, r.UpdateSession = r.IsError || o.Result.IsError, nil
		if r.empty() {
			r.Parts = o.Result.Parts
		}
		o.Result = &r
	}
}

// postHooks runs the hooks after a call that ran, which may replace its result.
func (j *job) postHooks(o *Outcome) {
	hooks := j.session().cfg.Hooks
	hook := hooks.Post
	if o.Result.IsError {
		hook = hooks.PostFailure
	}
	if hook == nil {
		return
	}
	h := j.hookCall(o)
	ctx, cancel := j.contexts.afterContext()
	defer cancel()
	var before Result
	if j.batch.parent != nil {
		before = *o.Result
		before.Parts = slices.Clone(before.Parts)
	}
	j.unhooked.keep(o)
	var err error
	j.excursion("a hook after the call", hookGraces, func() { err = hook(ctx, h) })
	changed := h.Outcome
	if err != nil {
		j.batch.logHookFailure(j.call, err)
	}
	if errors.Is(err, errBlocked) {
		j.withhold(o, err)
		return
	}
	if changed != nil && changed.Result != nil {
		o.Result = changed.Result
	}
	if j.batch.parent != nil {
		o.Result = o.Result.withValueAfterHook(&before)
	}
	o.StopTurn = o.StopTurn || changed != nil && changed.StopTurn
	o.Result = j.nonEmpty(o.Result)
}

// withhold puts an error in the place of a result that a hook could not check.
func (j *job) withhold(o *Outcome, err error) {
	did := " ran"
	if errors.Is(o.Err, ErrDetached) {
		did = " goes on in the background"
	}
	if call := (*CallError)(nil); errors.As(o.Err, &call) { // keep why the call itself failed
		err = fmt.Errorf("%w: %w", call.Err, err)
	}
	withheld := j.fail(&failure{err: err, text: j.call.Name + did + ", but a hook that checks its result failed, so the result is withheld. Tell the user."})
	o.Result, o.Err = withheld.Result, withheld.Err
}

// afterBatchHook returns the outcome o of the call with the changes of the Batch hook,
// which are its result and StopTurn. Err is the hook's.
func (j *job) afterBatchHook(o, changed Outcome, err error) Outcome {
	r := changed.Result
	o.StopTurn = o.StopTurn || changed.StopTurn || r != nil && r.StopTurn
	if errors.Is(err, errBlocked) {
		if call := (*CallError)(nil); errors.As(o.Err, &call) { // keep why the call itself failed
			err = fmt.Errorf("%w: %w", call.Err, err)
		}
		o.Err = &CallError{Tool: j.call.ToolName(), CallID: j.call.ID, Stage: StageHook, Err: err}
		o.Result = &Result{IsError: true, Parts: []Part{{Text: "A hook that checks the results failed, so this one is withheld. Tell the user."}}}
	} else if r != nil && r != o.Result {
		o.Result = j.fitResult(&j.batch.uncancelled, j.nonEmpty(r))
	}
	return o
}

// say implements [HookCall.Say].
func (j *job) say(parts []Part) {
	if parts = visibleParts(parts); len(parts) == 0 {
		return
	}
	if outer := j.batch.parent; outer != nil && outer.state.job != nil {
		outer.state.job.say(parts)
	} else if !j.addSaid(parts) {
		j.session().Notify(parts...)
	}
}

// addSaid adds parts to the outcome, and reports false if the outcome was made already. The hooks
// before a call run again when its input was replaced; parts that they add again are left out.
func (j *job) addSaid(parts []Part) bool {
	j.batch.mu.Lock()
	defer j.batch.mu.Unlock()
	if j.said.all {
		return false
	}
	before := j.said.parts[:j.said.before]
	for _, p := range parts {
		if !slices.ContainsFunc(before, p.equal) {
			j.said.parts = append(j.said.parts, p)
		}
	}
	return true
}

// keepSaid notes that the hooks before the call run again.
func (j *job) keepSaid() {
	j.batch.mu.Lock()
	defer j.batch.mu.Unlock()
	j.said.before = len(j.said.parts)
}

// withSaid returns r with the words that hooks have said. Later ones are news.
func (j *job) withSaid(r *Result) *Result {
	j.batch.mu.Lock()
	defer j.batch.mu.Unlock()
	j.said.all = true
	return withMessages(r, j.said.parts)
}
