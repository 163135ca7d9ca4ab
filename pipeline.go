package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// maxRewrites is how often the input of one call may be changed on its way.
const maxRewrites = 8

// job takes one call through the stages, which stand below in the order in
// which they run. A *Call that was shown to anybody is never written to again:
// a stage that learns more makes a new one.
type job struct {
	batch     *batch
	ticket    *lane.Ticket
	admitted  time.Time
	duplicate bool

	stage    Stage
	entry    entry
	call     *Call
	approved json.RawMessage // the input that a person allowed in these very bytes
	decision Decision
	hooked   bool
	over     atomic.Bool // nothing more is emitted
	outcome  Outcome
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
		j.show(rewritten, j.call.in, j.call.state)
	}
	return j.fail(&failure{
		err:  fmt.Errorf("%w: the input was changed more than %d times", ErrDenied, maxRewrites),
		text: fmt.Sprintf("%s was not run: the hooks of this session do not agree on its input. Tell the user.", j.call.Name),
	})
}

// settle takes the present input up to a decision. It returns an input to start
// over with if one of those who were asked changed it.
func (j *job) settle(ctx context.Context) (rewritten json.RawMessage, f *failure) {
	for _, stage := range []func(context.Context) *failure{j.decode, j.targets, j.hold, j.validate} {
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
	j.stage = StageLookup
	e, ok := j.batch.pool.lookup(name)
	if ok {
		j.entry = e
		return nil
	}
	text := j.batch.pool.Explain(name) + "."
	if near := j.batch.pool.suggest(name); len(near) > 0 && strings.HasSuffix(text, "not a registered tool.") {
		text += fmt.Sprintf(" Did you mean %s?", strings.Join(near, ", "))
	}
	return &failure{err: fmt.Errorf("%w: %s", ErrUnknownTool, name), text: text + " Call one of the tools you were given."}
}

// decode reads the input, once and strictly.
func (j *job) decode(context.Context) *failure {
	j.stage = StageDecode
	spec := j.entry.tool.input()
	in, err := spec.decode(j.call.Input)
	if err != nil {
		return &failure{err: err, text: fmt.Sprintf("%s was not run, its input is wrong:\n%s\nCorrect the input and call it again.",
			j.call.Name, strings.TrimPrefix(err.Error(), ErrInvalidInput.Error()+": "))}
	}
	j.show(j.call.Input, in, &callState{session: j.batch.pool.session, info: j.entry.info})
	return nil
}

// targets asks the tool what the call will do, and takes the keys that follow.
// A tool that fails to say so counts as one that could do anything.
func (j *job) targets(context.Context) *failure {
	j.stage = StageTargets
	var tr Traits
	if err := lane.Try(func() error { tr = j.entry.tool.Traits(j.call); return nil }); err != nil {
		j.batch.reportCrash(j.call.Name, j.stage, err)
		tr = Traits{}
	}
	tr.Targets = cloneTargets(tr.Targets)
	j.aim(tr)
	return nil
}

// aim resolves the targets of tr and claims their keys.
func (j *job) aim(tr Traits) {
	st := *j.call.state
	st.traits, st.targets = tr, st.session.resolve(tr.Targets)
	st.emit, st.ask = j.progress, j.askAbout
	j.show(j.call.Input, j.call.in, &st)
	j.ticket.Claim(claimOf(tr, st.targets))
}

// show replaces the call by one that knows more.
func (j *job) show(input json.RawMessage, in any, st *callState) {
	j.call = &Call{ID: j.call.ID, Name: j.call.Name, Input: input, in: in, state: st}
}

// hold waits for the keys. What a path leads to may have changed meanwhile, by
// the very call that was waited for, so it is resolved again until it stays.
func (j *job) hold(ctx context.Context) *failure {
	for range maxRewrites {
		if err := j.ticket.Wait(ctx); err != nil {
			return j.cancelled(ctx)
		}
		st := j.call.state
		if !slices.ContainsFunc(st.targets, func(t Target) bool { return t.Kind == Path }) {
			return nil
		}
		before, now := claimOf(st.traits, st.targets), claimOf(st.traits, st.session.resolve(st.traits.Targets))
		if now.Exclusive == before.Exclusive && slices.Equal(now.Keys, before.Keys) {
			return nil
		}
		j.aim(st.traits)
	}
	return &failure{
		err:  fmt.Errorf("%w: its paths keep changing", ErrDenied),
		text: fmt.Sprintf("%s was not run: what its paths lead to keeps changing. Try again later.", j.call.Name),
	}
}

// validate lets the tool object to its input.
func (j *job) validate(ctx context.Context) *failure {
	j.stage = StageValidate
	if err := j.entry.tool.Validate(ctx, j.call); err != nil {
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
	if j.changes(hook) {
		return hook.Input, nil
	}
	j.stage = StagePermission
	own := j.entry.tool.Permit(ctx, j.call)
	if j.changes(own) {
		return own.Input, nil
	}
	d := j.call.decide(j.call.state.targets, hook, own)
	if d.Behavior == Ask && j.approved != nil && bytes.Equal(j.approved, j.call.Input) {
		d = Decision{Behavior: Allow, Reason: "a person allowed this input"}
	}
	if d.Behavior == Ask {
		answer, err := j.askAbout(ctx, d, j.call.state.targets)
		if err != nil {
			return nil, j.unanswered(ctx, d, err)
		}
		if j.changes(answer) {
			j.approved = answer.Input
			return answer.Input, nil
		}
		d = answer
	}
	j.decide(d)
	if d.Behavior != Allow {
		return nil, &failure{err: fmt.Errorf("%w: %s", ErrDenied, d.Reason),
			text: fmt.Sprintf("%s was denied: %s. Do not try the same by other means; do something else or tell the user.", j.call.Name, d.Reason)}
	}
	return nil, nil
}

func (j *job) preHooks(ctx context.Context) (Decision, *failure) {
	pre := j.batch.pool.session.cfg.Hooks.Pre
	if pre == nil {
		return Decision{}, nil
	}
	j.stage = StageHook
	d, err := pre(ctx, &HookCall{Tool: j.entry.tool, Call: j.call})
	if err != nil {
		j.batch.logger.Error("hook failed", "tool", j.call.Name, "error", err)
		j.decide(Decision{Behavior: Deny, Reason: "a hook failed: " + err.Error()})
		return Decision{}, &failure{err: fmt.Errorf("%w: %w", ErrDenied, err),
			text: fmt.Sprintf("%s was denied: a hook that guards it failed. Tell the user; repeating the call will not help.", j.call.Name)}
	}
	return d, nil
}

// changes reports whether d puts another input in the place of the present one.
func (j *job) changes(d Decision) bool {
	return d.Behavior != Deny && len(d.Input) > 0 && !bytes.Equal(d.Input, j.call.Input)
}

func (j *job) decide(d Decision) {
	j.decision = d
	j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: j.call.Targets(), Decision: &d})
}

// askAbout puts a question, before the call or from within it.
func (j *job) askAbout(ctx context.Context, d Decision, ts []Target) (Decision, error) {
	s := j.batch.pool.session
	if s.cfg.Ask != nil {
		j.batch.emit(Event{Kind: EventAsked, Call: j.call, Targets: cloneTargets(ts), Text: d.Reason})
	}
	answer, err := s.ask(ctx, &Question{Tool: j.entry.tool, Call: j.call, Targets: cloneTargets(ts), Reason: d.Reason})
	if err == nil && answer.Reason == "" {
		answer.Reason = "a person answered: " + answer.Behavior.String()
	}
	return answer, err
}

// unanswered is the denial of a call that had to be asked about.
func (j *job) unanswered(ctx context.Context, d Decision, err error) *failure {
	if ctx.Err() != nil {
		return j.cancelled(ctx)
	}
	d = Decision{Behavior: Deny, Rule: d.Rule, Reason: j.call.unanswered(d, j.call.state.targets, err)}
	j.decide(d)
	return &failure{err: fmt.Errorf("%w: %s", ErrDenied, d.Reason),
		text: fmt.Sprintf("%s was denied: %s. No person refused it; do something else or tell the user what is needed.", j.call.Name, d.Reason)}
}

// perform takes a worker's place and calls the tool.
func (j *job) perform(ctx context.Context) Outcome {
	release, err := j.ticket.Slot(ctx)
	if err != nil {
		return j.fail(j.cancelled(ctx))
	}
	defer release()
	j.stage = StageCall
	j.batch.emit(Event{Kind: EventStarted, Call: j.call})
	var r *Result
	err = lane.Try(func() (err error) { r, err = j.entry.tool.Call(ctx, j.call); return err })
	var panicked *lane.PanicError
	switch {
	case errors.As(err, &panicked):
		return j.crashed(err)
	case err != nil && ctx.Err() != nil:
		return j.fail(j.cancelled(ctx))
	case err != nil:
		return j.fail(&failure{err: err, text: err.Error()})
	}
	j.stage = StageResult
	return Outcome{Result: j.presentable(r)}
}

// presentable makes sure that the model is told something: some stop at an
// empty result.
func (j *job) presentable(r *Result) *Result {
	if r == nil {
		r = &Result{}
	}
	if r.empty() {
		marked := *r
		marked.Parts = []Part{{Text: fmt.Sprintf("(%s ran and returned nothing)", j.call.Name)}}
		return &marked
	}
	return r
}

// finish runs the hooks that follow a call, gives the keys back and publishes
// the outcome.
func (j *job) finish(ctx context.Context, o Outcome) {
	o.Call, o.Decision = j.call, j.decision
	o.Elapsed = time.Since(j.admitted)
	if !j.hooked && (j.stage == StageCall || j.stage == StageResult) {
		j.hooked = true // a hook that ends the goroutine is not called twice
		j.postHooks(ctx, &o)
	}
	j.ticket.Done()
	j.over.Store(true)
	j.outcome = o
	j.batch.emit(Event{Kind: EventFinished, Call: j.call, Outcome: &o})
}

func (j *job) postHooks(ctx context.Context, o *Outcome) {
	hooks := j.batch.pool.session.cfg.Hooks
	hook := hooks.Post
	if o.Result.IsError {
		hook = hooks.Failure
	}
	if hook == nil {
		return
	}
	before := o.Result
	err := lane.Try(func() error {
		return hook(ctx, &HookCall{Tool: j.entry.tool, Call: j.call, Outcome: o})
	})
	if err != nil {
		j.batch.logger.Error("hook failed", "tool", j.call.Name, "error", err)
	}
	if o.Result == nil {
		o.Result = before
	}
	o.Result = j.presentable(o.Result)
}

func (j *job) progress(text string) {
	if !j.over.Load() {
		j.batch.emit(Event{Kind: EventProgress, Call: j.call, Text: text})
	}
}

// resolve gives paths their absolute spelling and their real place. It is the
// only I/O between a tool's word and a decision.
func (s *Session) resolve(ts []Target) []Target {
	ts = cloneTargets(ts)
	for i := range ts {
		if ts[i].Kind != Path {
			continue
		}
		ts[i].Value, ts[i].real = s.locate(ts[i].Value)
		var also []string
		for _, name := range ts[i].Also {
			abs, real := s.locate(name)
			also = append(also, abs)
			if real != abs {
				also = append(also, real)
			}
		}
		ts[i].Also = also
	}
	return ts
}

// claimOf says which keys a call holds while it is decided and runs.
func claimOf(tr Traits, ts []Target) lane.Claim {
	if tr.Concurrency == Exclusive {
		return lane.Claim{Exclusive: true}
	}
	var keys []lane.Key
	for _, t := range ts {
		if t.Kind == Opaque || t.Kind == Command {
			if tr.Concurrency == ByTarget { // nobody knows what it touches
				return lane.Claim{Exclusive: true}
			}
			continue
		}
		names := t.names()
		if t.Kind == Path && t.real != "" {
			names = append([]string{t.real}, t.Also...)
		}
		for _, n := range names {
			keys = append(keys, lane.Key{Name: t.Kind.String() + ":" + filepath.ToSlash(n), Write: t.Access == Write, Tree: t.Tree})
		}
	}
	if len(keys) == 0 && tr.Concurrency == ByTarget {
		return lane.Claim{Exclusive: true}
	}
	return lane.Claim{Keys: keys}
}
