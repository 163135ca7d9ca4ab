package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Call is one request by the model. ID, Name and Input are its message, byte
// for byte. [Executor] works on a copy: what becomes of the original after it
// was handed over has no effect.
//
// The methods of a Call may be used concurrently, until the tool's Call returns.
type Call struct {
	ID    string          // the provider's id; empty if it has none
	Name  string          // of the tool, or an alias
	Input json.RawMessage // JSON, as a rule an object; blank counts as {}

	in    any // Input, decoded once
	state *callState
}

// callState is the executor's part of a call.
type callState struct {
	session *Session
	pool    *Pool
	job     *job // nil for a call that was decided elsewhere, or has no tool
	parent  *Call
	info    *Info
	spec    *inputSpec
	traits  Traits
	targets []Target     // traits.Targets, resolved
	allowed bool         // the call was decided, and runs
	under   *Permissions // what it was decided under
}

// version is a call as far as it was known at one stage.
type version struct {
	Call
	st callState
}

// set makes v the call c in the state st.
func (v *version) set(c Call, st callState) *Call {
	v.Call, v.st = c, st
	v.state = &v.st
	return &v.Call
}

// copied returns a Call that can be written to without effect on c.
func (c *Call) copied() *Call {
	d := *c
	d.Input = slices.Clone(c.Input)
	return &d
}

// Session returns on whose behalf c runs. It is nil for a Call that no Executor
// admitted, as in a unit test that calls a Tool directly.
func (c *Call) Session() *Session {
	if c.state == nil {
		return nil
	}
	return c.state.session
}

// Pool returns the pool that c was made from: what the agent may use in this turn. It
// is nil for a Call that no Executor admitted.
func (c *Call) Pool() *Pool {
	if c.state == nil {
		return nil
	}
	return c.state.pool
}

// Targets returns what c acts on, resolved, as it was or will be decided.
func (c *Call) Targets() []Target {
	if c.state == nil {
		return nil
	}
	return cloneTargets(c.state.targets)
}

// ReadOnly reports whether the tool says that c changes nothing.
func (c *Call) ReadOnly() bool { return c.state != nil && c.state.traits.ReadOnly }

// Parent returns the call from inside which c was made with [Call.Run], or nil if
// the model made it.
func (c *Call) Parent() *Call {
	if c.state == nil {
		return nil
	}
	return c.state.parent
}

// Run makes calls from inside c, as a script does that a tool runs. They are
// ordinary calls of the same agent, each decided for itself, and take all stages
// of the same [Executor], in a batch of their own that does not wait for c. What
// they may use is what the agent's pool has and, where [Gates] hide tools behind
// c's, those too; never the tool of c itself. There is one outcome for each, in
// order.
//
// It is for the time in which c runs: before and after, and for a Call that no
// Executor admitted, nothing runs.
func (c *Call) Run(ctx context.Context, calls ...Call) []Outcome {
	if c.state == nil || c.state.job == nil || !c.state.allowed || c.state.job.over.Load() {
		outcomes := make([]Outcome, len(calls))
		for i := range calls {
			inner := calls[i].copied()
			err := &CallError{Tool: inner.Name, CallID: inner.ID, Stage: StageLookup, Err: fmt.Errorf("%w: %s does not run, so nothing runs inside it", ErrDenied, c.Name)}
			outcomes[i] = Outcome{Call: inner, Result: &Result{Parts: []Part{{Text: err.Error()}}, IsError: true}, Err: err}
		}
		return outcomes
	}
	outer := c.state.job.batch
	return outer.run(ctx, outer.pool.behind(c.state.info.Name), c, calls)
}

// Check decides targets that turn up while the call runs, exactly as it would
// have decided them before, and asks if it must. A nil error means go on. The
// error wraps [ErrDenied] and is worded for the model. A Call that no Executor
// admitted may touch nothing.
func (c *Call) Check(ctx context.Context, targets ...Target) error {
	if c.state == nil || c.state.job == nil && !c.state.allowed {
		return errNotAdmitted
	}
	ts := c.state.session.resolve(targets)
	d := c.decideLater(ts)
	j := c.state.job
	var err error
	if d.Behavior == Ask {
		asked := d
		if err = ErrNoApprover; j != nil {
			var x subject
			c.putLater(&x, ts)
			q := inquiry{Decision: d, job: j, call: c, targets: ts, about: &x, again: func() Decision { return c.decideLater(ts) }, running: true}
			d, err = q.settle(ctx)
		}
		if err != nil {
			d = Decision{Behavior: Deny, By: ByNobody, Rule: asked.Rule, Reason: c.unanswered(asked, ts, err)}
		}
	}
	if j != nil && c.state.allowed {
		j.decidedLater(ts, d)
	}
	switch {
	case err != nil:
		return &unansweredError{d.Reason, err}
	case d.Behavior != Allow:
		return fmt.Errorf("%w: %s", ErrDenied, d.Reason)
	}
	return nil
}

// Filter reports whether t may be touched, without ever asking: for walks over
// many things of which the denied ones are left out.
func (c *Call) Filter(t Target) bool {
	if c.state == nil {
		return false
	}
	return c.decideLater(c.state.session.resolve([]Target{t})).Behavior == Allow
}

// Emit reports progress to whoever watches the executor's events.
func (c *Call) Emit(text string) {
	if c.state != nil && c.state.job != nil {
		c.state.job.tell(EventProgress, c, text)
	}
}

// input returns c's decoded input, decoding it first if no executor did.
func (c *Call) input(spec *inputSpec) (any, error) {
	if c.in != nil {
		return c.in, nil
	}
	return spec.decode(c.Input)
}

// errNotAdmitted is what the methods of a Call say that nobody decided.
var errNotAdmitted = fmt.Errorf("%w: the call was not admitted by an executor", ErrDenied)

// errNoInput is what a stage meets when it is called on a Call for another tool.
var errNoInput = errors.New("the call was decoded for another tool")

// Rebuild makes a call anew from its id, name and bytes, where [Executor].Invoke
// has sent it: decoded, its targets resolved, ready for the tool's Call. It
// decides nothing but what the call checks in its midst, under the permissions of
// this moment, and then asks nobody; what the call emits reaches nobody. The
// caller vouches that the call was decided where it came from.
func (p *Pool) Rebuild(c Call) (Tool, *Call, error) {
	e, ok := p.lookup(c.Name)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %s", ErrUnknownTool, c.Name)
	}
	spec := e.tool.input()
	c.Input = slices.Clone(c.Input)
	var err error
	if c.in, err = spec.decode(c.Input); err != nil {
		return nil, nil, err
	}
	made := new([2]version)
	st := callState{session: p.session, pool: p, info: &e.info, spec: spec, allowed: true, under: p.session.permissions()}
	shown := made[0].set(c, st)
	_ = goroutine.Try(func() error { st.traits = e.tool.Traits(shown); return nil }) // as where it came from: the zero Traits are cautious
	st.targets = p.session.resolve(st.traits.Targets)
	return e.tool, made[1].set(c, st), nil
}
