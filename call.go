package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A Call is one request by the model. ID, Name and Input are its message, byte for byte.
// [Executor] works on a copy: changing the original after it was handed over has no
// effect.
//
// The methods of a Call may be called concurrently, until the tool's Call returns.
type Call struct {
	ID    string          // the provider's id; may be empty
	Name  string          // of the tool, or an alias; see ToolName
	Input json.RawMessage // JSON, usually an object; blank counts as {}

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
	entry   *entry                      // nil for an unknown tool
	spec    *inputSpec
	place   *policy.Place // in which the call is decided, and runs
	traits  Traits
	targets []policy.Target // traits.Targets, resolved

	granted  *policy.Grant // the access that the call was allowed; nil before it runs
	previews bool          // the call is that of a preview, for which nobody is asked
}

// info returns the facts of the tool, or nil if it is not known.
func (st *callState) info() *Info {
	if st.entry == nil {
		return nil
	}
	return &st.entry.info
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

// Dir returns the [Session.Dir] of c when the decision on c began, absolute. It stays the same
// while c is decided and runs, whatever [Session.SetDir] does meanwhile. Inspect may be called more
// than once, with another Dir. It is empty for a Call that no Executor admitted.
func (c *Call) Dir() string {
	if c.state == nil || c.state.place == nil {
		return ""
	}
	return c.state.place.Dir()
}

// Cwd returns the directory in which the relative paths of c start, absolute: the [Session.Cwd]
// when the decision on c began. It stays the same as Dir does.
func (c *Call) Cwd() string {
	if c.state == nil || c.state.place == nil {
		return ""
	}
	return c.state.place.Cwd()
}

// Dirs returns the working directories of c under the permissions in force, Dir first unless
// a parent has lost it. It is nil for a Call that no Executor admitted.
func (c *Call) Dirs() []string {
	if c.state == nil || c.state.place == nil {
		return nil
	}
	return c.state.session.grants.inForceAt(c.state.place).WorkDirs()
}

// ShortPath returns path as a person reads it: relative to Cwd if it is absolute and lies
// there, and unchanged otherwise. Every path of a Call that no Executor admitted is unchanged.
func (c *Call) ShortPath(path string) string {
	if c.state == nil || c.state.place == nil {
		return path
	}
	return c.state.place.Short(path)
}

// resolve resolves targets of the call.
func (st *callState) resolve(ts []policy.Target) []policy.Target {
	return st.session.grants.inForceAt(st.place).Resolve(ts)
}

// ToolName returns the name of the tool that c calls, also if the model used an alias. So logs
// have one name for each tool. [Call].Name is the name that the model wrote. The two are
// equal for a name that the pool does not know, and for a Call that no Executor admitted.
func (c *Call) ToolName() string {
	switch {
	case c.state == nil || c.state.pool == nil && c.state.entry == nil:
		return c.Name
	case c.state.entry != nil:
		return c.state.entry.info.Name
	}
	return c.state.pool.canonicalName(c.Name)
}

// Info returns the facts of c's tool as the pool has them: those of an attached tool have the
// name under which it is offered and its Origin, which its own [Tool].Info does not have. It is
// zero for a Call that was not made by an Executor or [Pool.Rebuild], and for an unknown tool.
func (c *Call) Info() Info {
	if c.state == nil || c.state.entry == nil {
		return Info{}
	}
	info := c.state.entry.info
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
func (c *Call) Targets() []policy.Target {
	if c.state == nil {
		return nil
	}
	return policy.Clone(c.state.targets)
}

// PathTarget returns the target of c that has this access to this path, as Inspect wrote
// it or as an absolute path. Open its Real, or have package tools/files open it. If c has
// no such target, the path is decided now, as by [Call.Check], and the error is Check's.
//
// Before c runs, in Validate and Permit, nothing is allowed yet, so the path is decided now in any
// case. In a preview the targets of c may be read, unless that is denied.
func (c *Call) PathTarget(ctx context.Context, access policy.Access, path string) (policy.Target, error) {
	if c.state == nil || c.state.job == nil && c.state.granted == nil {
		return policy.Target{}, errNotAdmitted
	}
	ts := c.state.resolve([]policy.Target{{Kind: policy.Path, Access: access, Value: path}})
	if c.state.granted != nil {
		for _, t := range c.state.targets {
			if t.Access == access && isNamed(t, ts[0].Value) {
				return policy.Clone([]policy.Target{t})[0], nil
			}
		}
	}
	if c.state.previews && access == policy.Read && c.decideRunning(ts).Behavior != policy.Deny {
		if slices.ContainsFunc(c.state.targets, func(t policy.Target) bool { return isNamed(t, ts[0].Value) }) {
			return ts[0], nil // for the person who decides about it
		}
	}
	if err := c.check(ctx, ts); err != nil {
		return policy.Target{}, err
	}
	return ts[0], nil
}

// isNamed reports whether a target is that path, and no guess.
func isNamed(t policy.Target, path string) bool {
	return t.Kind == policy.Path && t.Value == path && !t.Shell.Guess
}

// forPreview returns c for a preview, in which nobody can be asked: whoever is asked waits for it.
func (c *Call) forPreview() *Call {
	if c.state == nil {
		return c
	}
	d, st := *c, *c.state
	st.previews, d.state = true, &st
	return &d
}

// Decision returns the decision that allowed c, without Input and Remember, while c runs. It
// is zero before, and for a Call that was decided elsewhere, see [Pool.Rebuild].
func (c *Call) Decision() policy.Decision {
	if c.state == nil || c.state.job == nil || c.state.granted == nil {
		return policy.Decision{}
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
// So a tool can tell input that a person has added from claims of the model. For a Call that no
// Executor admitted, and for one that [Pool.Rebuild] has made, Sent returns Input. The result is
// a copy. Sent may be called concurrently.
func (c *Call) Sent() json.RawMessage {
	if c.state != nil && c.state.sent != nil {
		c = c.state.sent
	}
	return slices.Clone(c.Input)
}

// Facts returns what the tool says of the call, such as that it changes nothing. It is the
// zero value until the call was inspected.
func (c *Call) Facts() (f policy.Facts) {
	if c.state != nil {
		f = c.state.traits.facts()
	}
	return f
}

// readOnly reports whether the tool says that c changes nothing.
func (c *Call) readOnly() bool { return c.state != nil && c.state.traits.ReadOnly }

// Parent returns the call that made c with [Call.Run], or nil if the model made it. It is
// known in every stage, and nil for a Call that [Pool.Rebuild] has made.
//
// The result of a call with a parent is not sent to the model: code gets its
// [Outcome.Value]. So a tool that shortens its results, or adds notices for the model,
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

// StableID returns an id by which another process knows the call again: made of the ids of the
// session and its agents, the turn, see [WithTurn], and the id of the call, in 40 hexadecimal
// digits. Give the turn if the provider's ids are not unique in a conversation. It is "" for a
// call without an id, a call of a session without an id, and a call inside another one.
func (c *Call) StableID() string {
	s := c.Session()
	if c.ID == "" || c.Parent() != nil || s == nil || s.ID() == "" {
		return ""
	}
	text, _ := json.Marshal(append([]string{s.ID(), c.Turn(), c.ID}, s.AgentPath()...)) // strings have no error
	return digestOf(text)[:40]
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
// itself. Run returns one outcome for each call, in order. The code that makes the calls
// should get its [Outcome.Value].
//
// Before and after c runs, and for a Call that no Executor admitted, nothing runs.
func (c *Call) Run(ctx context.Context, calls ...Call) []Outcome {
	if c.state == nil || c.state.job == nil || c.state.granted == nil || c.state.job.over.Load() {
		outcomes := make([]Outcome, len(calls))
		for i := range calls {
			inner := calls[i].copied()
			err := &CallError{Tool: inner.Name, CallID: inner.ID, Stage: StageLookup, Err: fmt.Errorf("%w: %s does not run, so nothing runs inside it", ErrDenied, c.Name)}
			outcomes[i] = Outcome{Call: inner, Result: &Result{Parts: []Part{{Text: err.Error()}}, IsError: true}, Err: err}
		}
		return outcomes
	}
	outer := c.state.job.batch
	return outer.exec.run(ctx, outer.pool.inside(c.state.entry.info.Name), c, calls)
}

// Check decides targets that appear while the call runs, as they would have been decided
// before, and asks the user if necessary, but not in a preview. Nil means go on. The error wraps
// [ErrDenied] and is worded for the model. A Call that no Executor admitted may touch nothing.
func (c *Call) Check(ctx context.Context, targets ...policy.Target) error {
	if c.state == nil || c.state.job == nil && c.state.granted == nil {
		return errNotAdmitted
	}
	return c.check(ctx, c.state.resolve(targets))
}

// check is Check for resolved targets.
func (c *Call) check(ctx context.Context, ts []policy.Target) error {
	d := c.decideRunning(ts)
	j := c.state.job
	var err error
	if d.Behavior == policy.Ask && c.state.previews {
		return fmt.Errorf("%w: %s, and a preview asks nobody", ErrDenied, d.Reason)
	}
	if d.Behavior == policy.Ask {
		asked := d
		if err = ErrNoApprover; j != nil {
			_, r := c.request(ts)
			r.Running = c.state.granted
			q := inquiry{Decision: d, job: j, call: c, targets: ts, about: &r, again: func() policy.Decision { return c.decideRunning(ts) }, running: true}
			d, err = q.ask(ctx)
		}
		if err != nil {
			d = policy.Decision{Behavior: policy.Deny, By: policy.ByNobody, Rule: asked.Rule, Reason: unansweredReason(c, asked, ts, err)}
		}
	}
	if j != nil && c.state.granted != nil {
		j.batch.emit(Event{Kind: EventDecided, Call: c, Targets: policy.Clone(ts), Decision: &d})
	}
	switch {
	case err != nil:
		return &unansweredError{d.Reason, err}
	case d.Behavior != policy.Allow:
		return fmt.Errorf("%w: %s", ErrDenied, d.Reason)
	}
	return nil
}

// Filter reports whether t may be touched, and never asks: for walks over many files,
// which leave out the denied ones.
func (c *Call) Filter(t policy.Target) bool { return c.Behavior(t) == policy.Allow }

// Behavior is Filter for a tool that treats a denial and a question differently: it returns Ask
// where Check would ask, else Allow or Deny. It never asks. For a Call of no pool it is Deny.
func (c *Call) Behavior(t policy.Target) policy.Behavior {
	if c.state == nil {
		return policy.Deny
	}
	b := c.decideRunning(c.state.resolve([]policy.Target{t})).Behavior
	if b != policy.Allow && b != policy.Ask {
		return policy.Deny
	}
	return b
}

// request returns the permissions in force, and the request to decide about targets of c.
func (c *Call) request(ts []policy.Target) (*policy.Permissions, policy.Request) {
	st := c.state
	r := policy.Request{Facts: st.traits.facts(), Targets: ts, Place: st.place, Input: c.Input, Holds: st.session.holds}
	if st.session.parent != nil {
		r.Main = st.session.grants.main().place()
	}
	if st.spec != nil {
		if st.spec.schema != nil { // a nil *schema.Schema is no nil policy.Schema
			r.Schema = st.spec.schema
		}
		if st.spec.observe != nil {
			r.Observed = c.observed
		}
	}
	if st.entry != nil { // else the tool is not known yet
		r.Tool = st.entry.facts
		r.Tool.Unguarded = st.entry.info.RequiresGuard && st.session.cfg.Guard == nil
	}
	return st.session.grants.inForceAt(st.place), r
}

// decide decides c before it runs, given the opinions of others.
func (c *Call) decide(o policy.Opinions) policy.Decision {
	perms, r := c.request(c.state.targets)
	r.Said = o
	return perms.Decide(context.Background(), r)
}

// decideRunning decides targets while c runs.
func (c *Call) decideRunning(ts []policy.Target) policy.Decision {
	perms, r := c.request(ts)
	r.Running = c.state.granted
	return perms.Decide(context.Background(), r)
}

// Emit reports progress to the executor's OnEvent: at most ten events in a second of one
// call. Of more texts only the last is an event, when the second is over or the call ends.
// So Emit may be called for every line of an output, whose text belongs into the result.
func (c *Call) Emit(text string) { c.EmitData(text, nil) }

// EmitData is Emit with data for the host in [Event].Data, such as a count or a path. The
// tool must not change the data afterwards. Data whose event is left out is lost, so each
// should say the whole state and not only the change.
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

// awaitResult waits for the outcome of a call that the host executes.
func (c *Call) awaitResult(ctx context.Context, decode func(json.RawMessage) (func() (*Result, error), error)) (*Result, error) {
	if c.state == nil || c.state.job == nil || c.state.granted == nil {
		return nil, fmt.Errorf("%w: only an executor can wait for it", ErrNoExternalCall)
	}
	return c.state.job.awaitResult(ctx, c, decode)
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
	st := callState{session: p.session, place: at, pool: p, entry: e, spec: spec}
	forTraits := snapshots[0].set(c, st)
	if err := goroutine.Try(func() error { st.traits = e.tool.Traits(forTraits).cautious(); return nil }); err != nil {
		return nil, nil, crashError(err)
	}
	st.targets = st.resolve(st.traits.Targets)
	st.granted = &policy.Grant{Targets: st.targets, Under: p.session.grants.inForceAt(at)}
	return e.tool, snapshots[1].set(c, st), nil
}

// errNotAdmitted is returned by methods of a Call that no executor admitted.
var errNotAdmitted = fmt.Errorf("%w: the call was not admitted by an executor", ErrDenied)

// errNoInput is returned by a stage that is called with another tool's Call.
var errNoInput = errors.New("the call was decoded for another tool")

// Observed returns the input of c for code that watches or restricts calls, such as hooks,
// questions and logs. It is a copy of Input with the schema's defaults for absent properties,
// and with the properties that [Definition].Observe of the tool adds, such as absolute paths.
// Input itself stays as the model wrote it.
//
// A hook or an answer that returns these bytes as Decision.Input has not changed the input.
// Nor does a property that only Observed has become part of the input, if it is returned as it
// was.
//
// It is made when it is first asked for, and may be called concurrently. It is Input if that
// was not decoded yet, or is invalid. If Observe panics, only defaults are filled in.
func (c *Call) Observed() json.RawMessage {
	o, _ := c.observed()
	return slices.Clone(o)
}

// An observation is the result of [Call.Observed] for one input.
type observation struct {
	spec            *inputSpec
	input, observed json.RawMessage
	err             error
}

// observed is Observed, and says why Observe has failed. The caller must not change the bytes.
func (c *Call) observed() (json.RawMessage, error) {
	if c.state == nil || c.state.spec == nil {
		return c.Input, nil
	}
	j, spec := c.state.job, c.state.spec
	if j == nil {
		return spec.observed(c)
	}
	// A hook may have changed the bytes of its copy, so they are compared.
	o := j.observation.Load()
	if o == nil || o.spec != spec || !bytes.Equal(o.input, c.Input) {
		o = &observation{spec: spec, input: slices.Clone(c.Input)}
		if o.observed, o.err = askObserve(j, spec, c); o.err != nil && !errors.Is(o.err, ErrInvalidInput) {
			j.batch.logCrash(c, StageDecode, fmt.Errorf("the tool's Observe: %w", o.err))
		}
		j.observation.Store(o)
	}
	return o.observed, o.err
}

// askObserve makes an observation. If the tool's Observe does not return, it is Input.
func askObserve(j *job, spec *inputSpec, c *Call) (json.RawMessage, error) {
	if spec.observe == nil {
		return spec.observed(c)
	}
	var observed json.RawMessage
	var err error
	if late := j.contexts.await("Observe", goroutine.Go(func() { observed, err = spec.observed(c) })); late != nil {
		return c.Input, late
	}
	return observed, err
}

// replacement returns the new input of c if a hook, a Guard or an answer has returned input, or
// nil if that replaces nothing.
func (c *Call) replacement(input json.RawMessage) json.RawMessage {
	if len(input) == 0 || bytes.Equal(input, c.Input) {
		return nil
	}
	observed, _ := c.observed()
	if bytes.Equal(input, observed) {
		return nil
	}
	if c.state == nil || c.state.spec == nil || c.state.spec.observe == nil {
		return slices.Clone(input)
	}
	return c.withoutDerived(input, observed)
}

// withoutDerived returns input without the properties that are unchanged from observed and
// that are there for observers only.
func (c *Call) withoutDerived(input, observed json.RawMessage) json.RawMessage {
	changed, err := jsonobject.Parse(input)
	if err != nil {
		return slices.Clone(input)
	}
	seen, _ := jsonobject.Parse(observed) // an input that is no object has no properties
	written, _ := jsonobject.Parse(c.Input)
	derived := func(m jsonobject.Member) bool {
		value := seen.Get(m.Name)
		return value != nil && written.Get(m.Name) == nil && !c.state.spec.schema.Declares(m.Name) && sameJSON(value, m.Value)
	}
	if !slices.ContainsFunc(changed, derived) {
		return slices.Clone(input)
	}
	return slices.DeleteFunc(changed, derived).Encode()
}

type messageKey struct{}

// WithMessage returns a context for [Executor.Run], Stream and Gather that carries the model's
// message, whose calls they run. Tools get it from [Call.Message]. The message is
// whatever the host has: package wire's, or that of an SDK. Tools must not change it.
func WithMessage(ctx context.Context, message any) context.Context {
	return context.WithValue(ctx, messageKey{}, message)
}

// Message returns the message that c belongs to, or for a call that another call makes the
// message of that one. It is nil if the host gave none, see [WithMessage], and for a Call
// that no Executor admitted or that [Pool.Rebuild] has made.
func (c *Call) Message() any {
	if c.state == nil || c.state.host == nil {
		return nil
	}
	if m := c.state.host.Context.Value(messageKey{}); m != nil {
		return m
	}
	if c.state.parent == nil {
		return nil
	}
	return c.state.parent.Message()
}

type turnKey struct{}

// WithTurn returns a context for [Executor.Run], Stream and Gather that names the message
// whose calls they run, in a session that suspends calls. The name is unique in the session,
// such as the id under which the host keeps the message. If the program is killed while the
// calls run, the same calls under the same name go on in another process: those that have
// finished keep their outcome, see [Journal]. Without a name, later processes
// know only the content of a [Suspension].
func WithTurn(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, turnKey{}, name)
}

// Turn returns the name of the message that c belongs to: that of [WithTurn], or in a session
// that suspends the one that was made in its place. It is "" if the message has no name, and
// for a call inside another one.
func (c *Call) Turn() string {
	if c.state == nil || c.state.host == nil || c.state.parent != nil {
		return ""
	}
	return c.state.host.turn()
}

// Hold keeps targets of c until release is called. It is for work that c has started and that goes
// on after the tool has returned, such as a command in the background. The targets are some of
// those that [Call.Targets] returned. What describes the work, such as by its id and its command.
//
// Until then the user is asked about a command line, of any agent of the conversation, with
// a path that lies where a held target moves names, see [policy.ShellFacts].MovesNames, and about
// one that moves names where a held path lies: the paths of both were decided on before. A
// question that is open when release is called is decided again. Release may be called more
// than once. Hold does nothing for a Call that no Executor admitted.
func (c *Call) Hold(what string, targets ...policy.Target) (release func()) {
	if c.state == nil || c.state.session == nil || len(targets) == 0 {
		return func() {}
	}
	s := c.state.session
	remove := s.holds.Add(what, targets)
	return func() {
		remove()
		s.line.NotifyChange()
	}
}

// concerns implements [HookCall.Concerns] and [Question.Concerns], for targets of c.
func (c *Call) concerns(r policy.Rule, ts []policy.Target) policy.Concern {
	if c.state.session == nil || c.state.entry == nil {
		return policy.ConcernMaybe
	}
	perms, request := c.request(ts)
	return perms.Concerns(request, r)
}

// A snapshot is a Call with everything that was known of it after one stage. A *Call that
// a hook, a tool or a listener may hold is never written again: a stage that learns more
// takes the next snapshot.
type snapshot struct {
	Call
	st callState
}

// set stores c with the state st, and returns the stored call.
func (s *snapshot) set(c Call, st callState) *Call {
	s.Call, s.st = c, st
	s.state = &s.st
	return &s.Call
}

// snapshots are the snapshots of one call. The first three, which suffice for a call
// whose input does not change, are part of the job: this saves two of its allocations.
type snapshots struct {
	first  [3]snapshot
	shared int // how many of first may be held by a hook, a tool or a listener
}

// next returns a copy of c that may be written to until it is shared.
func (s *snapshots) next(c *Call) *snapshot {
	var next *snapshot
	if s.shared < len(s.first) {
		next = &s.first[s.shared]
	} else {
		next = new(snapshot)
	}
	s.shared++
	next.set(*c, *c.state)
	return next
}

// A forcedDecision is a decision of an executor's caller about a call.
type forcedDecision struct {
	policy.Decision
	name  string // of the call that it is about
	input []byte // likewise
}

// ForceDecision returns c with a decision of the caller, for [Executor.Run] and
// [Stream.Submit]: a person has answered before, or the caller refuses the call.
//
//   - Deny refuses the call. The model reads the reason.
//   - Ask has the call asked about, whatever allows it.
//   - Allow answers, as the user would, the question about a call that no rule allows or that
//     the mode asks about. It was given before any other reason to ask was known: an ask
//     rule, a tool that requires the user, a protected file, a hook, a [Guard], a loop. So it
//     answers no such question, overrides no deny rule, and has no effect in a mode that
//     never asks or on a write in plan mode. It holds for exactly these bytes of the input.
//   - Undecided has no effect.
//
// Calls that a tool makes with [Call.Run], and calls in a fork, are never allowed by it, since an
// agent may have made them. Deny and Ask hold there, too.
func ForceDecision(c Call, b policy.Behavior, reason string) Call {
	reason = cmp.Or(reason, "the program decided so")
	c.forced = &forcedDecision{Decision: policy.Decision{Behavior: b, Reason: reason, By: policy.ByCaller}, name: c.Name, input: slices.Clone(c.Input)}
	return c
}

// opinion returns the decision as far as it holds for c, or nil. Main says that c is a call
// of the main agent's model.
func (f *forcedDecision) opinion(c *Call, main bool) *policy.Decision {
	switch {
	case f == nil:
		return nil
	case f.Behavior != policy.Allow:
		return &f.Decision
	case !main || f.name != c.Name || !bytes.Equal(f.input, c.Input):
		return nil
	}
	return &f.Decision
}
