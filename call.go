package pegboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A Call is one request by the model. ID, Name and Input are its message, byte for byte.
// [Executor] works on a copy: changing the original after it was handed over has no
// effect.
//
// The methods of a Call may be called concurrently, until the tool's Call returns.
type Call struct {
	ID    string          // the provider's id; empty if there is none
	Name  string          // of the tool, or an alias; see ToolName
	Input json.RawMessage // JSON, usually an object; blank counts as {}
	// FromText means that the model wrote the call into its text and did not make it in the
	// form of the API; a wire finds such calls if asked to. It is decided like any other.
	FromText bool

	decoded any             // Input as the tool's input type, or nil
	forced  *forcedDecision // nil if the caller decided nothing
	state   *callState
}

// callState is the executor's part of a call. It is nil for a Call that no executor has
// admitted.
type callState struct {
	session *Session
	pool    *Pool
	host    *hostContext // of the batch; nil for a call that was made again by Rebuild
	job     *job         // nil for a call that was decided elsewhere, or has no tool
	parent  *Call
	report  func(text string, data any) // of OnProgress, or nil
	made    *job                        // that takes the call through the pipeline; nil for a call that no executor has admitted
	sent    *Call                       // the call before its input was replaced for the first time; nil if it was not
	info    *Info
	spec    *inputSpec
	place   *place // in which the call is decided, and runs
	traits  Traits
	targets []Target // traits.Targets, resolved

	allowed      bool         // the call was decided, and runs
	allowedUnder *Permissions // the permissions that it was decided under
}

// maxRewrites is how often the input of one call may be replaced.
const maxRewrites = 8

// copied returns a Call that can be written to without effect on c.
func (c *Call) copied() *Call {
	d := *c
	d.Input = slices.Clone(c.Input)
	return &d
}

// Session returns the session that c runs in. It is nil for a Call that no Executor
// admitted, as in a unit test that calls a Tool directly.
func (c *Call) Session() *Session {
	if c.state == nil {
		return nil
	}
	return c.state.session
}

// Dir returns the working directory of c, absolute: that of its session when the decision on c
// began. It stays the same while c is decided and runs, whatever [Session.SetDir] does
// meanwhile; the relative paths of c start there. Inspect may be called more than once, with
// another Dir. It is empty for a Call that no Executor admitted.
func (c *Call) Dir() string {
	if c.state == nil || c.state.place == nil {
		return ""
	}
	return c.state.place.dir
}

// Dirs returns the working directories of c under the permissions in force, Dir first unless
// a parent has lost it. It is nil for a Call that no Executor admitted.
func (c *Call) Dirs() []string {
	if c.state == nil || c.state.place == nil {
		return nil
	}
	return spelledDirs(c.state.session.grants.inForceAt(c.state.place).work)
}

// ShortPath returns path as a person reads it: relative to Dir if it is absolute and lies
// there, and unchanged otherwise. Every path of a Call that no Executor admitted is unchanged.
func (c *Call) ShortPath(path string) string {
	if c.state == nil || c.state.place == nil {
		return path
	}
	return c.state.place.shortPath(path)
}

// resolve resolves targets of the call.
func (st *callState) resolve(ts []Target) []Target { return st.session.resolveTargets(st.place, ts) }

// ToolName returns the name of the tool that c calls, also if the model spelled it as an
// alias: for logs, which should have one name for each tool. [Call].Name is what the
// model wrote. They are equal for a name that the pool does not know, and for a Call that
// no Executor admitted.
func (c *Call) ToolName() string {
	switch {
	case c.state == nil || c.state.pool == nil && c.state.info == nil:
		return c.Name
	case c.state.info != nil:
		return c.state.info.Name
	}
	return c.state.pool.canonicalName(c.Name)
}

// Info returns the facts of c's tool as the pool has them: those of an attached tool have the
// name under which it is offered and its Origin, which its own [Tool].Info does not have. It is
// zero for a Call that was not made by an Executor or [Pool.Rebuild], and for an unknown tool.
func (c *Call) Info() Info {
	if c.state == nil || c.state.info == nil {
		return Info{}
	}
	info := *c.state.info
	info.Aliases = slices.Clone(info.Aliases)
	return info
}

// Pool returns the pool of the batch that c belongs to. It is nil for a Call that no
// Executor admitted.
func (c *Call) Pool() *Pool {
	if c.state == nil {
		return nil
	}
	return c.state.pool
}

// Targets returns the targets of c, resolved, on which it was or will be decided.
func (c *Call) Targets() []Target {
	if c.state == nil {
		return nil
	}
	return cloneTargets(c.state.targets)
}

// PathTarget returns the target of c that has this access to this path, as Inspect wrote
// it or as an absolute path. Open its Real, or have package tools/files open it. If c has
// no such target, the path is decided now, as by [Call.Check], and the error is Check's.
func (c *Call) PathTarget(ctx context.Context, access Access, path string) (Target, error) {
	if c.state == nil || c.state.job == nil && !c.state.allowed {
		return Target{}, errNotAdmitted
	}
	ts := c.state.resolve([]Target{{Kind: TargetPath, Access: access, Value: path}})
	if c.state.allowed {
		for _, t := range c.state.targets {
			if t.Kind == TargetPath && t.Access == access && t.Value == ts[0].Value && !t.Shell.Guess {
				return cloneTargets([]Target{t})[0], nil
			}
		}
	}
	if err := c.check(ctx, ts); err != nil {
		return Target{}, err
	}
	return ts[0], nil
}

// Decision returns the decision that allowed c, without Input and Remember, while c runs. It
// is zero before, and for a Call that was decided elsewhere, see [Pool.Rebuild].
func (c *Call) Decision() Decision {
	if c.state == nil || c.state.job == nil || !c.state.allowed {
		return Decision{}
	}
	d := c.state.job.decided
	d.Input, d.Remember = nil, nil
	if d.Rule != nil {
		rule := *d.Rule
		d.Rule = &rule
	}
	return d
}

// Sent returns the input as the model wrote it, or, if it was repaired (see [Repair]), as it
// was read: the bytes of Input, unless a hook, the tool, a [Guard] or an answer to a question
// has replaced them. For a call inside another one, the code that made it counts as the model.
//
// So a tool can tell what a person has put into an input from what the model claims. For a
// Call that no Executor admitted, and one that [Pool.Rebuild] has made, it is Input. It is a
// copy, and may be called concurrently.
func (c *Call) Sent() json.RawMessage {
	if c.state != nil && c.state.sent != nil {
		c = c.state.sent
	}
	return slices.Clone(c.Input)
}

// ReadOnly reports whether the tool says that c changes nothing.
func (c *Call) ReadOnly() bool { return c.state != nil && c.state.traits.ReadOnly }

// Parent returns the call that made c with [Call.Run], or nil if the model made it. It is
// known in every stage, and nil for a Call that [Pool.Rebuild] has made.
//
// The result of a call with a parent is not sent to the model: code gets its
// [Outcome.Value]. So a tool that shortens what it returns, or adds notices for the model,
// returns everything to such a call, up to [MaxInMemory] bytes, and more than that as a
// [FileValue].
func (c *Call) Parent() *Call {
	if c.state == nil {
		return nil
	}
	return c.state.parent
}

// Identity returns a value that all events and hooks of one call have and those of no other
// call, equal to [HookCall.Identity]: the key of a map in which a listener keeps something until
// [EventFinished]. An id is no such key, since calls may have none, and calls of different
// messages the same. The value is not to be kept longer than the call. It is nil for a Call
// that no Executor admitted.
func (c *Call) Identity() any {
	if c.state == nil || c.state.made == nil {
		return nil
	}
	return c.state.made
}

// NamesTool reports whether the model named a tool: one that is in the pool of c, or was
// excluded from it, by name or alias. Any other name is a text of the model, which a log that
// must not contain such texts does not write. It is true for a Call without a pool, whose name
// comes from the host.
func (c *Call) NamesTool() bool {
	if c.state == nil || c.state.pool == nil {
		return true
	}
	p := c.state.pool
	_, ok := p.byName[c.Name]
	return ok || slices.ContainsFunc(p.excluded, func(x Exclusion) bool { return x.isCalled(c.Name) })
}

// Run makes calls from inside c, as a script does that a tool runs. They are ordinary
// calls of the same agent: each is decided for itself and takes all stages of the same
// [Executor], in a batch of its own that does not wait for c. They may use the tools of
// the agent's pool and the tools that [Gates] hide behind c's tool, but never c's tool
// itself. There is one outcome for each, in order; [Outcome.Value] is what the code that
// makes the calls should get.
//
// Before and after c runs, and for a Call that no Executor admitted, nothing runs.
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
	return outer.exec.run(ctx, outer.pool.inside(c.state.info.Name), c, calls)
}

// Check decides targets that appear while the call runs, as they would have been decided
// before, and asks the user if necessary. Nil means go on. The error wraps [ErrDenied]
// and is worded for the model. A Call that no Executor admitted may touch nothing.
func (c *Call) Check(ctx context.Context, targets ...Target) error {
	if c.state == nil || c.state.job == nil && !c.state.allowed {
		return errNotAdmitted
	}
	return c.check(ctx, c.state.resolve(targets))
}

// check is Check for resolved targets.
func (c *Call) check(ctx context.Context, ts []Target) error {
	d := c.decideRunning(ts)
	j := c.state.job
	var err error
	if d.Behavior == Ask {
		asked := d
		if err = ErrNoApprover; j != nil {
			var e evaluation
			c.prepareRunning(&e, ts)
			q := inquiry{Decision: d, job: j, call: c, targets: ts, about: &e, again: func() Decision { return c.decideRunning(ts) }, running: true}
			d, err = q.ask(ctx)
		}
		if err != nil {
			d = Decision{Behavior: Deny, By: ByNobody, Rule: asked.Rule, FactRule: asked.FactRule, Reason: unansweredReason(c, asked, ts, err)}
		}
	}
	if j != nil && c.state.allowed {
		j.batch.emit(Event{Kind: EventDecided, Call: c, Targets: cloneTargets(ts), Decision: &d})
	}
	switch {
	case err != nil:
		return &unansweredError{d.Reason, err}
	case d.Behavior != Allow:
		return fmt.Errorf("%w: %s", ErrDenied, d.Reason)
	}
	return nil
}

// Filter reports whether t may be touched, and never asks: for walks over many files,
// which leave out the denied ones.
func (c *Call) Filter(t Target) bool { return c.Behavior(t) == Allow }

// Behavior is Filter for a tool that tells what is denied from what needs a question: Ask
// where Check would ask, else Allow or Deny. It never asks. For a Call of no pool it is Deny.
func (c *Call) Behavior(t Target) Behavior {
	if c.state == nil {
		return Deny
	}
	b := c.decideRunning(c.state.resolve([]Target{t})).Behavior
	if b != Allow && b != Ask {
		return Deny
	}
	return b
}

// prepare fills e to decide targets of c under the permissions in force.
func (c *Call) prepare(e *evaluation, ts []Target) {
	st := c.state
	e.perms = st.session.grants.inForceAt(st.place)
	e.info, e.traits, e.input, e.holds = st.info, &st.traits, c.Input, st.session.holds
	e.place, e.main = st.place, st.place
	if st.session.parent != nil {
		e.main = st.session.grants.main().place()
	}
	e.targets, e.platform, e.dirs, e.readable = ts, st.place.platform, e.perms.work, st.place.readable.all()
	e.home = st.place.home
	if st.spec != nil {
		e.schema = st.spec.schema
		if st.spec.observe != nil {
			e.observer = c
		}
	}
	if e.info != nil {
		e.unguarded = e.info.RequiresGuard && st.session.cfg.Guard == nil
	} else { // the tool is not known yet
		e.info = &Info{}
	}
}

// prepareRunning is prepare for targets that the call checks while it runs.
func (c *Call) prepareRunning(e *evaluation, ts []Target) {
	c.prepare(e, ts)
	if c.state.allowed {
		e.approved, e.approvedUnder = c.state.targets, c.state.allowedUnder
	}
	if c.state.job != nil {
		e.linked = &c.state.job.linked
	}
}

// decide decides c before it runs, given the opinions of others.
func (c *Call) decide(o opinions) Decision {
	var e evaluation
	c.prepare(&e, c.state.targets)
	e.opinions = o
	return e.decide()
}

// decideRunning decides targets while c runs.
func (c *Call) decideRunning(ts []Target) Decision {
	var e evaluation
	c.prepareRunning(&e, ts)
	return e.decide()
}

// Emit reports progress to the executor's OnEvent: at most ten events in a second of one
// call. Of more texts only the last is an event, when the second is over or the call ends.
// So Emit may be called for every line of an output, whose text belongs into the result.
func (c *Call) Emit(text string) { c.EmitData(text, nil) }

// EmitData is Emit with data for the host in [Event].Data, such as a count or a path. The
// tool must not change the data afterwards. Data whose event is left out is lost, so each
// should say the whole state and not what has changed.
func (c *Call) EmitData(text string, data any) {
	switch {
	case c.state == nil:
	case c.state.job != nil:
		c.state.job.emitProgress(c, progress{text, data})
	case c.state.report != nil:
		c.state.report(text, data)
	}
}

// OnProgress sets the func that gets the reports of c, by Emit and EmitData, before c is passed to
// the tool. It is for a Call that [Pool.Rebuild] has made: on any other it has no
// effect. Report may be called concurrently, and for every report, however many there are.
func (c *Call) OnProgress(report func(text string, data any)) {
	if c.state != nil && c.state.made == nil && c.state.job == nil {
		c.state.report = report
	}
}

// ToolDigest identifies the definition of c's tool: its name, its input schema, and of an
// attached tool all that its source says. It is equal in two processes whose tools accept the
// same inputs. It is 64 hexadecimal digits, and "" for a Call without a pool, or with an
// unknown tool.
func (c *Call) ToolDigest() string {
	if c.state == nil || c.state.pool == nil {
		return ""
	}
	e, ok := c.state.pool.lookup(c.Name)
	if !ok {
		return ""
	}
	return e.definitionDigest()
}

// awaitSupply waits for the outcome of a call that the host executes.
func (c *Call) awaitSupply(ctx context.Context, decode func(json.RawMessage) (func() (*Result, error), error)) (*Result, error) {
	if c.state == nil || c.state.job == nil || !c.state.allowed {
		return nil, fmt.Errorf("%w: only an executor can wait for it", ErrNotAwaited)
	}
	return c.state.job.awaitSupply(ctx, c, decode)
}

// input returns the decoded input. It decodes it if no executor did.
func (c *Call) input(spec *inputSpec) (any, error) {
	if c.decoded != nil {
		return c.decoded, nil
	}
	return spec.decode(c.Input, c.Session())
}

// rebuild implements [Pool.Rebuild].
func rebuild(p *Pool, c Call) (Tool, *Call, error) {
	e, ok := p.lookup(c.Name)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %s", ErrUnknownTool, c.Name)
	}
	spec := e.tool.input()
	c.Input, c.forced = slices.Clone(c.Input), nil
	var err error
	if c.decoded, err = spec.decode(c.Input, p.session); err != nil {
		return nil, nil, err
	}
	snapshots := new([2]snapshot)
	at := p.session.grants.place()
	if c.state != nil && c.state.session == p.session {
		at = c.state.place
	}
	st := callState{session: p.session, place: at, pool: p, info: &e.info, spec: spec, allowed: true, allowedUnder: p.session.grants.inForceAt(at)}
	forTraits := snapshots[0].set(c, st)
	if err := goroutine.Try(func() error { st.traits = e.tool.Traits(forTraits).cautious(); return nil }); err != nil {
		return nil, nil, crashError(err)
	}
	st.targets = st.resolve(st.traits.Targets)
	return e.tool, snapshots[1].set(c, st), nil
}

// errNotAdmitted is returned by methods of a Call that no executor admitted.
var errNotAdmitted = fmt.Errorf("%w: the call was not admitted by an executor", ErrDenied)

// errNoInput is returned by a stage that is called with another tool's Call.
var errNoInput = errors.New("the call was decoded for another tool")
