package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/repair"
	"github.com/seed49eaa51d/pegboard/policy"
)

// A job takes one call through the pipeline. Its stages stand below in the order in which
// they run; those from decode to permit run again when the input is replaced:
//
//	lookup ▸ decode ▸ findTargets ▸ waitForMessage ▸ waitForHandIn ▸ waitForKeys ▸ findSame ▸ validate ▸ permit ▸ invoke ▸ finish
//
// A job runs on a goroutine of its own. All fields but the atomic ones and run belong to
// that goroutine, or to the one that answers for an abandoned tool.
type job struct {
	batch    *batch
	contexts *callContexts // the batch's, unless the call was handed in by itself; batch.mu guards that change
	index    int           // in the message
	admitted time.Time
	stage    Stage

	// The request.
	call      *Call // the latest snapshot
	snapshots snapshots
	forced    *forcedDecision
	duplicate bool // an earlier call of the message has the same id
	late      bool // it was submitted after the message had ended
	missing   bool // it was announced and not handed in
	loop      loopCheck

	// Cause of Stream.Abandon, if the call was submitted after it. The call has no events.
	streamAbandoned error

	// The tool and the input.
	entry       *entry // of the pool; never written to
	definition  loadState
	invokeInput json.RawMessage // the decoded bytes for Executor.Invoke, which no hook has seen
	repair      repairState

	said hookWords

	schedule schedule
	order    questionOrder

	before   *neighbor   // the call before it, if the two are compared
	sameAs   *job        // the call whose outcome this one has, too
	replaced atomic.Bool // it is another than the model's: the input was replaced, or the caller has decided it

	supplied *submitted  // the outcome, which Executor.SubmitResult was given
	answered atomic.Bool // Session.SubmitResult has supplied the outcome

	// The decision.
	durable   *durableCall // nil in a session that does not suspend
	recalled  bool         // the outcome is that of an earlier process
	answer    earlierAnswer
	decided   policy.Decision // the last one
	grant     policy.Grant    // of the call, once it is allowed
	stopsTurn atomic.Bool     // the user, or a hook, wants the turn to end

	limits     atomic.Pointer[callLimits] // nil for a call without budgets, groups and keys
	excursions lifetime.Excursions        // into foreign funcs, but for the tool's Call
	calls      string                     // the foreign func that was called last
	owner      *jobOwner                  // the goroutine to which the job belongs
	first      jobOwner                   // the job's own

	run toolRun

	observation atomic.Pointer[observation] // the last one of any goroutine

	progress *progressLimit // nil without a listener

	// The outcome.
	afterHooksRan bool
	unhooked      unhooked
	over          atomic.Bool // no more events are emitted
	outcome       *Outcome
	ended         chan struct{} // closed when outcome is set
}

// A loopCheck is the loop breaker's verdict on a call.
type loopCheck struct {
	counted bool   // the breaker counts the call
	index   int    // of the call in the breaker's message
	reason  string // why the user is to be asked, or ""
}

// A loadState says whether the model knew the definition of the tool that it calls.
type loadState struct {
	deferred    bool // the definition is loaded on demand
	unseen      bool // the model has not seen it
	validUnseen bool // the input was valid although the model had not seen it
}

// A repairState records the repairs of a call's input.
type repairState struct {
	notes []string
	used  bool // Repair.Func was called
}

// hookWords are the parts that hooks have added for the model. They are guarded by batch.mu.
type hookWords struct {
	parts  []Part
	before int  // how many of them were added before the input was replaced
	all    bool // the outcome has all of them
}

// An earlierAnswer is an answer that the call has got before its input was replaced.
type earlierAnswer struct {
	decision *policy.Decision // allows exactly these bytes; nil without an answer
	place    *policy.Place    // of the call then
	brought  json.RawMessage  // the input that the hooks before the call have brought and allowed
}

// ran reports whether the tool was called.
func (j *job) ran() bool { return j.stage == StageCall || j.stage == StageResult }

// session returns the session that the call runs in.
func (j *job) session() *Session { return j.batch.pool.session }

// start runs the job on a goroutine of its own. Whatever a tool or a hook does to the
// goroutine, there is an outcome in the end.
func (j *job) start() { goroutine.Start(j) }

// Work implements [goroutine.Task].
func (j *job) Work() {
	ctx := &j.contexts.ctx
	if ctx.Err() != nil {
		j.limit(context.Cause(ctx))
	}
	if o := j.runStages(ctx); j.run.Finish() {
		j.finish(o)
	}
}

// Leave implements [goroutine.Task]. It runs last, even after a panic or Goexit.
func (j *job) Leave(crash error) {
	if j.first.replaced {
		return
	}
	if !j.run.Finish() {
		j.run.release()
		return
	}
	j.end(crash)
}

// end makes sure that there is an outcome, and announces it.
func (j *job) end(crash error) {
	defer close(j.ended)
	if crash != nil && !j.over.Load() { // a published outcome is never replaced
		j.finish(j.fail(j.crash(crash)))
	}
}

// runStages runs the stages in order. If a tool or hook panics or calls Goexit, it does
// not return; end then makes the outcome.
func (j *job) runStages(ctx context.Context) Outcome {
	if o, ended := j.recall(); ended {
		return o
	}
	if f := j.lookup(); f != nil {
		return j.fail(f)
	}
	for range maxRewrites + 1 {
		rewritten, f := j.decideInput(ctx)
		if f != nil {
			return j.fail(f)
		}
		if j.sameAs != nil {
			return j.sameOutcome()
		}
		if rewritten == nil {
			o, moved := j.invoke(ctx)
			if !moved {
				return o
			}
			j.answer = earlierAnswer{} // it was about another place
		}
		j.replaced.Store(true)
		j.keepSaid()
		if rewritten != nil {
			j.replaceInput(rewritten)
		}
	}
	return j.fail(&failure{
		err:  fmt.Errorf("%w: the input was changed more than %d times", ErrDenied, maxRewrites),
		text: fmt.Sprintf("%s was not run: the hooks of this session do not agree on its input. Tell the user.", j.call.Name),
	})
}

// nextSnapshot makes call a new snapshot and returns it. It may be written to until it is
// shared with a hook, a tool or a listener.
func (j *job) nextSnapshot() *snapshot {
	s := j.snapshots.next(j.call)
	j.call = &s.Call
	return s
}

// replaceInput takes the next snapshot, with another input than the present one.
func (j *job) replaceInput(rewritten json.RawMessage) {
	before := j.call
	s := j.nextSnapshot()
	s.Input = rewritten
	if s.st.sent == nil {
		s.st.sent = before
	}
}

// lookup finds the tool.
func (j *job) lookup() *failure {
	name := j.call.Name
	if j.duplicate {
		return &failure{
			err:  fmt.Errorf("%w: call id %q", ErrDuplicate, j.call.ID),
			text: fmt.Sprintf("%s was not run: another call of this message has the same id.", name),
		}
	}
	if j.streamAbandoned != nil {
		return j.stopped(j.streamAbandoned)
	}
	if cause := j.batch.stopCause(); j.late && cause != nil {
		return j.stopped(cause)
	} else if j.late {
		return j.cutOff()
	}
	if j.missing {
		return j.notHandedIn()
	}
	j.stage = StageLookup
	e, ok := j.batch.pool.lookup(name)
	if ok {
		j.entry = e
		j.definition.deferred, j.definition.unseen = j.batch.pool.deferralOf(e.info.Name)
		return nil
	}
	if d, denied := j.batch.pool.deniedWhole(name); denied {
		j.recordDecision(d)
		return j.denied(d)
	}
	text, known := j.batch.pool.explain(name)
	text += "."
	if near := j.batch.pool.suggest(name); len(near) > 0 && !known {
		text += fmt.Sprintf(" Did you mean %s?", strings.Join(near, ", "))
	}
	return &failure{err: fmt.Errorf("%w: %s", ErrUnknownTool, name), text: text + " Call one of the tools you were given."}
}

// decideInput takes the present input up to a decision. It returns another input if one
// of those who were asked replaced it.
func (j *job) decideInput(ctx context.Context) (rewritten json.RawMessage, f *failure) {
	if f := j.prepare(ctx); f != nil {
		return nil, f
	}
	if j.supplied != nil { // decided and executed before
		return nil, nil
	}
	if f := j.findSame(ctx); f != nil || j.sameAs != nil {
		return nil, f
	}
	if f := j.validate(ctx); f != nil {
		return nil, f
	}
	return j.permit(ctx)
}

// prepare takes the present input up to the point where its decision begins. If the session
// has moved on the way, the call begins again in the new place: from there on it keeps its
// place.
func (j *job) prepare(ctx context.Context) *failure {
	for range maxRewrites {
		for _, stage := range []func(context.Context) *failure{j.decode, j.findTargets, j.waitForMessage, j.waitForHandIn, j.waitForKeys} {
			if f := stage(ctx); f != nil {
				return f
			}
		}
		if j.call.state.place == j.session().grants.place() {
			return nil
		}
	}
	return &failure{
		err:  fmt.Errorf("%w: the working directory keeps changing", ErrDenied),
		text: fmt.Sprintf("%s was not run: the working directory of the session keeps changing. Try again later.", j.call.Name),
	}
}

// decode reads the input, once and strictly.
func (j *job) decode(ctx context.Context) *failure {
	j.stage = StageDecode
	spec := j.entry.tool.input()
	input := j.call.Input
	decoded, err := j.decodeBy(spec, input)
	if err != nil {
		if unbound := bindErrorIn(err); unbound != nil {
			return j.unbound(unbound)
		}
		if input, decoded = j.repairScalars(); decoded == nil {
			input, decoded = j.repairInput(ctx, err)
		}
	}
	if decoded == nil && err != nil {
		next := "Correct the input and call it again."
		if j.definition.unseen {
			next = "You have not seen its definition. " + j.batch.pool.howToLoad(j.entry.info.Name)
		}
		if j.definition.deferred {
			next += fmt.Sprintf("\nIts input has %s.", spec.schema.Summary())
		}
		return &failure{err: err, text: fmt.Sprintf("%s was not run, its input is wrong:\n%s\n%s",
			j.call.Name, strings.TrimPrefix(err.Error(), ErrInvalidInput.Error()+": "), next)}
	}
	j.definition.validUnseen = j.definition.unseen // from now on, the tool counts as loaded
	if j.batch.exec.Invoke != nil {
		j.invokeInput = slices.Clone(input) // Invoke decodes again: a wrapper must not have changed the bytes
	}
	s := j.nextSnapshot()
	s.Input, s.decoded = input, decoded
	s.st = callState{session: s.st.session, place: s.st.session.grants.place(), pool: s.st.pool, host: s.st.host, parent: s.st.parent, made: j, sent: s.st.sent, entry: j.entry, spec: spec}
	return nil
}

// decodeBy decodes an input. If the host has bound values, decodeBy asks for them. Decoding a large
// input may take long, but it ends.
func (j *job) decodeBy(spec *inputSpec, input json.RawMessage) (decoded any, err error) {
	if spec.bound == nil {
		return spec.decode(input, j.session())
	}
	j.foreign("what binds the input", func() { decoded, err = spec.decode(input, j.session()) })
	return decoded, err
}

// findTargets asks the tool for the call's traits, and claims the keys of its targets. If
// the tool panics, the call fails: without targets, no rule could be matched with it.
func (j *job) findTargets(ctx context.Context) *failure {
	j.stage = StageTargets
	var tr Traits
	var late *failure
	if err := goroutine.Try(func() error {
		late = j.ownFunc(ctx, "Inspect", func(context.Context) { tr = j.entry.tool.Traits(j.call).cautious() })
		return nil
	}); err != nil {
		return j.crash(err)
	} else if late != nil {
		return late
	}
	tr.Targets = policy.Clone(tr.Targets)
	j.claimKeys(tr)
	return nil
}

// waitForMessage holds back a call that writes until the model's message has ended. A
// call of a built-in tool that only reads does not wait.
func (j *job) waitForMessage(ctx context.Context) *failure {
	external := j.entry.info.Origin.External()
	if j.call.state.traits.ReadOnly && !external || j.batch.exec.StartWritesEarly {
		return nil
	}
	if j.batch.message != nil {
		j.schedule.resolvedAt = 0 // a message takes long, and other programs use the disk meanwhile
		j.order.inMessage.Store(true)
		defer j.order.inMessage.Store(false)
		j.notifyHeld()
		select {
		case <-j.batch.message:
		case <-ctx.Done():
		}
	}
	if f := j.mustStop(ctx); f != nil {
		return f
	}
	if !j.batch.reason.whole() {
		return j.cutOff()
	}
	return nil
}

// validate calls the tool's Validate.
func (j *job) validate(ctx context.Context) *failure {
	j.stage = StageValidate
	var err error
	if f := j.ownFunc(ctx, "Validate", func(ctx context.Context) { err = j.entry.tool.Validate(ctx, j.call) }); f != nil {
		return f
	} else if f := j.mustStop(ctx); err != nil && f != nil {
		return f
	} else if err != nil {
		return &failure{err: fmt.Errorf("%w: %w", ErrInvalidInput, err),
			text: fmt.Sprintf("%s was not run: %v", j.call.Name, err)}
	}
	return nil
}

// permit decides the call: by the hooks, the tool's Permit and the rules, and then by
// asking.
func (j *job) permit(ctx context.Context) (rewritten json.RawMessage, f *failure) {
	ahead := j.classifyAhead(ctx)
	defer ahead.drop()
	hook, f := j.preHooks(ctx)
	if f != nil {
		return nil, f
	}
	if hook.Behavior == policy.Deny && hook.StopTurn {
		j.stopTurn()
	}
	if rewritten := j.rewritten(hook); rewritten != nil {
		j.noteAnswer(hook, rewritten)
		return rewritten, nil
	}
	j.stage = StagePermission
	own, f := j.permitOf(ctx)
	if f != nil {
		return nil, f
	}
	if rewritten := j.rewritten(own); rewritten != nil {
		return rewritten, nil
	}
	o := j.opinions(hook, own)
	d := j.call.decide(o)
	if o.Guard, f = j.askGuard(ctx, d, o); f != nil {
		return nil, f
	}
	if o.Guard != nil {
		if rewritten := j.rewritten(*o.Guard); rewritten != nil {
			return rewritten, nil
		}
		d = j.decideGuarded(o)
	}
	if d.Behavior == policy.Ask || d.Behavior == policy.Allow && j.isAnswered() {
		if d, rewritten, f = j.putQuestion(ctx, d, o, ahead); rewritten != nil || f != nil {
			return rewritten, f
		}
	}
	return nil, j.conclude(d)
}

// permitOf calls the tool's Permit.
func (j *job) permitOf(ctx context.Context) (own policy.Decision, f *failure) {
	f = j.ownFunc(ctx, "Permit", func(ctx context.Context) { own = j.entry.tool.Permit(ctx, j.call) })
	return own, f
}

// putQuestion has the call asked about, which was decided as d. It returns the answer, or the
// input that the answer brings.
func (j *job) putQuestion(ctx context.Context, d policy.Decision, o policy.Opinions, ahead *aheadOfHooks) (answer policy.Decision, rewritten json.RawMessage, f *failure) {
	if f := j.overBudget(); f != nil { // a call that cannot run is not asked about
		return d, nil, f
	}
	answer, err := j.ask(ctx, d, o, ahead)
	if err != nil {
		return d, nil, j.unanswered(ctx, d, err)
	}
	if answer.Behavior == policy.Allow && j.loop.reason != "" {
		j.allowLoop()
		j.loop.reason = ""
	}
	if rewritten := j.rewritten(answer); rewritten != nil {
		answer.Input = rewritten
		j.answer.decision, j.answer.place = &answer, j.call.state.place
		return answer, slices.Clone(rewritten), nil
	}
	return answer, nil, nil
}

// conclude records the final decision. It returns a failure unless the call is allowed.
func (j *job) conclude(d policy.Decision) *failure {
	j.endDeciding()
	j.session().classifier.count(d)
	if d.Behavior == policy.Deny && d.Open() { // by a mode without questions
		d.Reason = withRemedy(j.call, d.Reason, j.call.state.targets)
	}
	j.recordDecision(d)
	if f := j.recordDecided(d); f != nil {
		return f
	}
	if d.Behavior != policy.Allow {
		return j.denied(d)
	}
	return nil
}

// noteAnswer keeps the input that the hooks before the call have brought, if they allow it and
// it is another value: a hook that only spells the input anew answers nothing.
func (j *job) noteAnswer(hook policy.Decision, rewritten json.RawMessage) {
	if j.answer.brought = nil; hook.Behavior == policy.Allow && !sameJSON(rewritten, j.call.Input) {
		j.answer.brought = slices.Clone(rewritten)
	}
}

// opinions returns the opinions on the call other than those of the rules and the Guard. Hooks that
// have brought the present input need not allow it again.
func (j *job) opinions(hook, own policy.Decision) policy.Opinions {
	o := policy.Opinions{Hook: hook, Tool: own, Loop: j.loop.reason, Caller: j.callerOpinion()}
	if o.Answered = j.answer.brought != nil && bytes.Equal(j.answer.brought, j.call.Input); o.Answered {
		o.Hook = policy.Stricter(hook, policy.Decision{Behavior: policy.Allow, Reason: "with the input that it brought"})
	}
	return o
}

// ask asks whether the call may run. An answer that has allowed exactly these bytes
// before still counts.
func (j *job) ask(ctx context.Context, d policy.Decision, o policy.Opinions, ahead *aheadOfHooks) (policy.Decision, error) {
	if j.isApproved() && (j.answer.decision.By == policy.ByPerson || !needsUser(o)) {
		d = *j.answer.decision
		d.Input = nil
		return d, nil
	}
	q := j.inquiry(d, o)
	q.ahead = ahead
	if answer, ok, err := j.takeAnswer(ctx, q); ok || err != nil {
		return answer, err
	}
	if d.Behavior == policy.Allow {
		return d, nil
	}
	return q.ask(ctx)
}

// allowLoop tells the loop breaker that the user lets the call go on. It has not counted a call
// that was suspended before.
func (j *job) allowLoop() {
	if j.loop.counted {
		j.batch.loops.Allowed(j.loop.index)
	}
}

// isApproved reports whether an answer has allowed exactly these bytes in this place.
func (j *job) isApproved() bool {
	return j.answer.decision != nil && j.answer.place == j.call.state.place && bytes.Equal(j.answer.decision.Input, j.call.Input)
}

// inquiry returns the inquiry about the call, which was decided as d.
func (j *job) inquiry(d policy.Decision, o policy.Opinions) *inquiry {
	c := j.call
	_, r := c.request(c.state.targets)
	r.Said = o
	return &inquiry{Decision: d, job: j, call: c, targets: c.state.targets, about: &r, again: func() policy.Decision { return c.decide(o) }}
}

// needsUser reports whether the Guard insists on an answer of the user.
func needsUser(o policy.Opinions) bool { return o.Guard != nil && o.Guard.Behavior == policy.Ask }

// callerOpinion returns the caller's decision if it holds for the call, or nil.
func (j *job) callerOpinion() *policy.Decision {
	return j.forced.opinion(j.call, j.batch.parent == nil && j.session().parent == nil)
}

// rewritten returns the input with which d replaces the present one, or nil.
func (j *job) rewritten(d policy.Decision) json.RawMessage {
	if d.Behavior == policy.Deny {
		return nil
	}
	return j.call.replacement(d.Input)
}

// recordDecision puts d into the outcome and emits it.
func (j *job) recordDecision(d policy.Decision) {
	j.outcome.Decision, j.decided = d, d
	if j.batch.exec.OnEvent != nil {
		copied := d
		j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: j.call.Targets(), Decision: &copied})
	}
}

// stopTurn stops the other calls of the message, and of the message whose call made this
// one.
func (j *job) stopTurn() {
	j.stopsTurn.Store(true)
	j.batch.interrupt(errStopTurn)
	if outer := j.batch.parent; outer != nil && outer.state.job != nil {
		outer.state.job.stopTurn()
	}
}

// invoke waits until the call may start and calls the tool. Moved says that the paths of the call
// lead elsewhere after the wait: then nothing has run, and the call is decided anew.
func (j *job) invoke(ctx context.Context) (o Outcome, moved bool) {
	j.stage = StageLimits
	waited, f := j.enter(ctx)
	if f != nil {
		return j.fail(f), false
	}
	defer j.release() // also when an abandoned tool returns
	if waited && len(j.schedule.keys) > 0 {
		if j.hasMoved() {
			j.leaveKeys()
			return Outcome{}, true
		}
		if f := j.validate(ctx); f != nil { // others have changed what it touches
			return j.fail(f), false
		}
	}
	if f := j.recordStarted(); f != nil {
		return j.fail(f), false
	}
	j.stage = StageCall
	s := j.nextSnapshot()
	j.grant.Targets, j.grant.Under = s.st.targets, s.st.session.grants.inForceAt(s.st.place)
	s.st.granted = &j.grant
	if j.invokeInput != nil {
		s.Input = j.invokeInput
	}
	j.batch.emit(Event{Kind: EventStarted, Call: j.call})
	j.batch.events.waitDelivered() // a listener knows of the call before the tool does anything

	result, err, crash := j.attempts(j.withLimits(j.run.begin(ctx)))
	if !j.run.Finish() { // abandoned: another goroutine has made the outcome
		return Outcome{}, false
	}
	return j.outcomeOf(result, err, crash), false
}

// finish runs the hooks after the call, releases the keys and publishes the outcome.
func (j *job) finish(o Outcome) {
	j.emitHeldProgress(true)
	j.endDeciding()
	if j.recalled {
		j.finishRecalled(o)
		return
	} else if o.suspended != nil {
		j.finishSuspended(o)
		return
	}
	o.Call, o.Decision, o.Repairs = j.call, j.outcome.Decision, j.repair.notes
	o.Attempts, o.Elapsed = int(j.run.attempts.Load()), j.run.elapsed()
	failed := j.failedByItself(&o)
	j.afterHooks(&o)
	o.Result = j.closeLimits(j.fitResult(&j.contexts.uncancelled, j.withSaid(o.Result)))
	o.StopTurn = o.StopTurn || o.Result.StopTurn || j.stopsTurn.Load()
	if outer := j.batch.parent; o.StopTurn && outer != nil && outer.state.job != nil {
		outer.state.job.stopsTurn.Store(true)
	}
	o.Elapsed = time.Since(j.admitted)
	j.recordFinished(&o)
	if failed {
		j.batch.stopSiblings(j.entry.info)
	}
	if j.schedule.acquired {
		j.schedule.acquired = false
		if crash := j.batch.releaseKeys(j.index, o.Result.UpdateSession); crash != nil {
			j.addUpdateCrash(&o, crash)
		}
	}
	if !j.run.isAbandoned() { // an abandoned call keeps its keys
		j.leaveKeys()
		j.schedule.ticket.Done()
	}
	j.publish(o)
}

// publish sets the outcome, and emits the last event.
func (j *job) publish(o Outcome) {
	j.over.Store(true)
	o = j.batch.publish(j, o)
	if j.batch.exec.OnEvent != nil && j.streamAbandoned == nil {
		copied := o
		j.batch.emit(Event{Kind: EventFinished, Call: j.call, Outcome: &copied})
	}
}

// emitUnlessOver emits an event of a tool or hook that may still run after its call has
// finished. Then the event is dropped.
func (j *job) emitUnlessOver(kind EventKind, c *Call, text string) {
	j.queueUnlessOver(Event{Kind: kind, Call: c, Text: text})
	j.batch.events.flush()
}

func (j *job) queueUnlessOver(e Event) { j.batch.events.queue(e, &j.over) }

// repairScalars repairs scalars of the wrong type, which have only one reading, for a
// built-in tool. It returns nil if the input is wrong in another way, too.
func (j *job) repairScalars() (input json.RawMessage, in any) {
	if j.batch.exec.Repair.NoScalars || j.entry.info.Origin.External() {
		return nil, nil
	}
	spec := j.entry.tool.input()
	input, repairs, ok := repair.Values(slices.Clone(j.call.Input), spec.schema.Bytes(), repair.KindsOf(repair.Scalars, repair.DropNulls))
	if !ok {
		return nil, nil
	}
	in, err := j.decodeBy(spec, input)
	if err != nil {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, decoded: in, state: &callState{session: j.batch.pool.session, place: j.call.state.place, entry: j.entry, spec: spec}}
	j.noteRepairs(c, notesOf(repairs))
	return input, in
}

// repairInput repairs an input in the ways that the host permits. It returns nil unless
// the tool says that the repaired call is read-only.
func (j *job) repairInput(ctx context.Context, problem error) (input json.RawMessage, in any) {
	how, spec := j.batch.exec.Repair, j.entry.tool.input()
	input = slices.Clone(j.call.Input)
	var notes []string
	if how.Syntax {
		repaired, rs, _ := repair.Text(input, repair.KindsOf(repair.ControlCharacters, repair.CodeFence, repair.TrailingText))
		notes = append(notes, notesOf(rs)...)
		input = repaired
	}
	if how.Values {
		repaired, rs, _ := repair.Values(input, spec.schema.Bytes(), repair.KindsOf(repair.JSONInString, repair.JoinStrings, repair.DropNulls, repair.Scalars))
		notes = append(notes, notesOf(rs)...)
		input = repaired
	}
	in, err := j.decodeBy(spec, input)
	if err != nil && how.Func != nil && !j.repair.used {
		j.repair.used = true
		notes = []string{"the host's repair was used"}
		j.foreign("Repair.Func", func() { input = slices.Clone(how.Func(ctx, j.entry.tool, j.call.copied(), problem)) })
		in, err = j.decodeBy(spec, input)
	}
	if err != nil || len(notes) == 0 || len(input) == 0 {
		return nil, nil
	}
	c := &Call{ID: j.call.ID, Name: j.call.Name, Input: input, decoded: in, state: &callState{session: j.batch.pool.session, place: j.call.state.place, entry: j.entry, spec: j.entry.tool.input()}}
	var tr Traits // the zero Traits are cautious
	_ = goroutine.Try(func() error { j.foreign("Inspect", func() { tr = j.entry.tool.Traits(c) }); return nil })
	if !tr.ReadOnly || tr.Destructive || j.entry.info.Origin.External() {
		return nil, nil
	}
	j.noteRepairs(c, notes)
	return input, in
}

// noteRepairs records the repairs that made the input of c.
func (j *job) noteRepairs(c *Call, notes []string) {
	j.repair.notes = append(j.repair.notes, notes...)
	j.batch.emit(Event{Kind: EventRepaired, Call: c, Text: strings.Join(notes, "; ")})
}

func notesOf(repairs []repair.Repair) (notes []string) {
	for _, r := range repairs {
		notes = append(notes, r.Note)
	}
	return notes
}
