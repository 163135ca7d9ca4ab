package pegboard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/breaker"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// maxRewrites is how often the input of one call may be changed on its way.
const maxRewrites = 8

// job takes one call through the stages, which stand below in the order in
// which they run. A *Call that was shown to anybody is never written to again:
// a stage that learns more makes a new one.
type job struct {
	batch     *batch
	ticket    lane.Ticket
	place     int // in the message
	admitted  time.Time
	duplicate bool
	identity  breaker.Call // the tool and what it is asked, for noticing loops
	loop      string       // why somebody should be asked, whatever the rules say
	late      bool         // submitted after the message had ended
	waits     bool         // the definition of its tool waits
	unseen    bool         // and the model has not seen it
	guessed   bool         // and the input fits all the same

	stage     Stage
	entry     *entry // of a pool, not to be written to
	call      *Call
	approved  *Decision       // the answer that allows these very bytes
	exact     json.RawMessage // the input that was decoded, for an Invoke; nobody is shown it before
	repairs   []string
	repaired  bool        // the host's repair was used, once
	renews    bool        // its claim is made anew when something ends
	aimed     uint64      // how many calls had ended when its paths were resolved, plus 1; 0 means resolve again
	holding   bool        // it is counted as one that holds its keys
	hooked    bool        // the hooks that follow a call were run
	run       run         // of the tool
	over      atomic.Bool // nothing more is emitted
	stopsTurn atomic.Bool // a person wants it, who refused what the call was about to do

	versions [3]version // of call; one that nobody changes has no more
	shown    int        // how many of them may have been shown to somebody

	outcome *Outcome
	ended   chan struct{} // closed when outcome is set
}

// start takes the call through its stages on a goroutine of its own. Whatever
// foreign code does to that goroutine, there is an outcome in the end.
func (j *job) start() { goroutine.Start(j) }

// Work is the job's part of its goroutine.
func (j *job) Work() {
	if o := j.pass(&j.batch.scope); j.run.Finish() {
		j.finish(o)
	}
}

// Leave ends it.
func (j *job) Leave(crash error) {
	if !j.run.Finish() {
		j.giveBack()
		return
	}
	j.close(crash)
}

// close answers a call that a crash has left without an outcome, and says that
// there is one.
func (j *job) close(crash error) {
	defer close(j.ended)
	if crash != nil && !j.over.Load() { // an outcome that stands is never replaced
		j.finish(j.crashed(crash))
	}
}

// pass is the way of a call. It may end early, by a panic or Goexit of foreign
// code; then crashed says how far it came.
func (j *job) pass(ctx context.Context) Outcome {
	if f := j.lookup(); f != nil {
		return j.fail(f)
	}
	for range maxRewrites + 1 {
		rewritten, f := j.settle(ctx)
		if f != nil {
			return j.fail(f)
		}
		if rewritten == nil {
			return j.perform(ctx)
		}
		j.version().Input = rewritten
	}
	return j.fail(&failure{
		err:  fmt.Errorf("%w: the input was changed more than %d times", ErrDenied, maxRewrites),
		text: fmt.Sprintf("%s was not run: the hooks of this session do not agree on its input. Tell the user.", j.call.Name),
	})
}

// settle takes the present input up to a decision. It returns an input to start
// over with if one of those who were asked changed it.
func (j *job) settle(ctx context.Context) (rewritten json.RawMessage, f *failure) {
	for _, stage := range []func(context.Context) *failure{j.decode, j.targets, j.gate, j.hold, j.validate} {
		if f := stage(ctx); f != nil {
			return nil, f
		}
	}
	return j.permit(ctx)
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
	if j.late {
		return j.cutOff()
	}
	j.stage = StageLookup
	e, ok := j.batch.pool.lookup(name)
	if ok {
		j.entry = e
		j.waits, j.unseen = j.batch.pool.hides(e.info.Name)
		return nil
	}
	text, known := j.batch.pool.explain(name)
	text += "."
	if near := j.batch.pool.suggest(name); len(near) > 0 && !known {
		text += fmt.Sprintf(" Did you mean %s?", strings.Join(near, ", "))
	}
	return &failure{err: fmt.Errorf("%w: %s", ErrUnknownTool, name), text: text + " Call one of the tools you were given."}
}

// decode reads the input, once and strictly.
func (j *job) decode(ctx context.Context) *failure {
	j.stage = StageDecode
	spec := j.entry.tool.input()
	input := j.call.Input
	in, err := spec.decode(input)
	if err != nil {
		input, in = j.mend(ctx, err)
	}
	if in == nil && err != nil {
		next := "Correct the input and call it again."
		if j.unseen {
			next = "You have not seen its definition. " + j.batch.pool.howToLoad(j.entry.info.Name)
		}
		if j.waits {
			next += fmt.Sprintf("\nIts input has %s.", spec.schema.Summary())
		}
		return &failure{err: err, text: fmt.Sprintf("%s was not run, its input is wrong:\n%s\n%s",
			j.call.Name, strings.TrimPrefix(err.Error(), ErrInvalidInput.Error()+": "), next)}
	}
	j.guessed = j.unseen       // what it wrote without having seen how fits: it may go on so
	if j.batch.Invoke != nil { // which decodes again, whatever a wrapper wrote to what it was shown
		j.exact = slices.Clone(input)
	}
	v := j.version()
	v.Input, v.in = input, in
	v.st = callState{session: v.st.session, pool: v.st.pool, parent: v.st.parent, info: &j.entry.info, spec: spec}
	return nil
}

// version makes the call a new one, which is like the one before until it is
// completed. The one before may have been shown to somebody.
func (j *job) version() *version {
	var v *version
	if j.shown < len(j.versions) {
		v = &j.versions[j.shown]
	} else {
		v = new(version)
	}
	j.shown++
	j.call = v.set(*j.call, *j.call.state)
	return v
}

// gate keeps a call that writes back until its message is whole. One that reads
// may begin while the model still writes.
func (j *job) gate(ctx context.Context) *failure {
	external := j.entry.info.Origin.External() // whose word nobody checked
	if j.call.state.traits.ReadOnly && !external || j.batch.StartWritesEarly {
		return nil
	}
	if j.batch.finish != nil {
		j.aimed = 0 // a message takes its time, and others use the disk, too
		select {
		case <-j.batch.finish:
		case <-ctx.Done():
			return j.stopped(context.Cause(ctx))
		}
	}
	if cause := j.batch.whyHalted(); cause != nil {
		return j.stopped(cause)
	}
	if !j.batch.reason.whole() {
		return j.cutOff()
	}
	return nil
}

// validate lets the tool object to its input.
func (j *job) validate(ctx context.Context) *failure {
	j.stage = StageValidate
	if err := j.entry.tool.Validate(ctx, j.call); err != nil && ctx.Err() != nil {
		return j.stopped(context.Cause(ctx))
	} else if err != nil {
		return &failure{err: fmt.Errorf("%w: %w", ErrInvalidInput, err),
			text: fmt.Sprintf("%s was not run: %v", j.call.Name, err)}
	}
	return nil
}

// permit hears the hooks, the tool, the rules and at last a person.
func (j *job) permit(ctx context.Context) (rewritten json.RawMessage, f *failure) {
	hook, f := j.preHooks(ctx)
	if f != nil {
		return nil, f
	}
	if hook.Behavior == Deny && hook.StopTurn {
		j.stopTurn()
	}
	if j.changes(hook) {
		return slices.Clone(hook.Input), nil
	}
	j.stage = StagePermission
	own := j.entry.tool.Permit(ctx, j.call)
	if j.changes(own) {
		return slices.Clone(own.Input), nil
	}
	d := opine(j.call, hook, own, j.loop)
	if d.Behavior == Ask {
		answer, err := j.ask(ctx, d, hook, own)
		if err != nil {
			return nil, j.unanswered(ctx, d, err)
		}
		if answer.Behavior == Allow && j.loop != "" {
			j.batch.pool.session.loops.Allowed(j.identity)
			j.loop = ""
		}
		if j.changes(answer) {
			j.approved = &answer
			return slices.Clone(answer.Input), nil
		}
		d = answer
	}
	j.batch.pool.session.countBlock(d)
	if d.Behavior == Deny && d.unruled { // by a mode that asks nobody
		d.Reason = j.call.withRemedy(d.Reason, j.call.state.targets)
	}
	j.decide(d)
	if d.Behavior != Allow {
		return nil, j.denied(d)
	}
	return nil, nil
}

// perform takes a worker's place and calls the tool.
func (j *job) perform(ctx context.Context) Outcome {
	if j.ticket.AcquireSlot(ctx) != nil {
		return j.fail(j.stopped(context.Cause(ctx)))
	}
	defer j.ticket.ReleaseSlot()
	if cause := j.batch.whyHalted(); cause != nil {
		return j.fail(j.stopped(cause))
	}
	j.stage = StageCall
	v := j.version()
	v.st.allowed, v.st.under = true, v.st.session.permissions()
	if j.exact != nil {
		v.Input = j.exact
	}
	j.batch.emit(Event{Kind: EventStarted, Call: j.call})
	j.batch.events.reach() // whoever watches knows of it before it does anything

	invoke, t, c := j.batch.Invoke, j.entry.tool, j.call
	own := j.begin(ctx)
	var result *Result
	var err error
	crash := goroutine.Try(func() error {
		if invoke != nil {
			result, err = invoke(own, t, c)
		} else {
			result, err = t.Call(own, c)
		}
		return nil
	})
	if !j.run.Finish() {
		return Outcome{}
	}
	return j.judge(result, err, crash)
}

// finish runs the hooks that follow a call, gives the keys back and publishes
// the outcome.
func (j *job) finish(o Outcome) {
	o.Call, o.Decision, o.Repairs = j.call, j.outcome.Decision, j.repairs
	failed := j.failed(&o)
	if !j.hooked && (j.stage == StageCall || j.stage == StageResult) {
		j.hooked = true // a hook that ends the goroutine is not called twice
		j.postHooks(&o)
	}
	o.Result = j.fit(&j.batch.lasting, o.Result)
	o.StopTurn = o.StopTurn || o.Result.StopTurn || j.stopsTurn.Load()
	j.count(&o)
	o.Elapsed = time.Since(j.admitted)
	if failed {
		j.batch.siblingFailed(j.entry.info)
	}
	if j.holding {
		j.holding = false
		j.batch.letGo(j.place, o.Result.UpdateSession)
	}
	if j.run.held == nil {
		j.ticket.Done()
	}
	j.over.Store(true)
	*j.outcome = o
	if j.batch.OnEvent != nil {
		told := o
		j.batch.emit(Event{Kind: EventFinished, Call: j.call, Outcome: &told})
	}
}

// tell reports what somebody says who may still talk when the call is over.
func (j *job) tell(kind EventKind, c *Call, text string) {
	j.batch.events.queue(Event{Kind: kind, Call: c, Text: text}, &j.over)
	j.batch.events.flush()
}
