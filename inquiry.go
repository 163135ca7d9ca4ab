package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// DefaultPromptDelay is how long hooks and the classifier have a question to
// themselves when [SessionConfig].PromptDelay is zero.
const DefaultPromptDelay = 2 * time.Second

// errStopTurn ends the calls beside one that the person refused for good.
var errStopTurn = fmt.Errorf("%w, who refused a call beside it", ErrUserInterrupt)

// An inquiry is a call for which somebody has to be asked, before it runs or from
// within it.
type inquiry struct {
	Decision // to ask, and why
	job      *job
	call     *Call // as it stands now; the job goes on without who was asked in vain
	targets  []Target
	about    *subject
	again    func() Decision // decides once more, under the permissions of that moment; on any goroutine
	running  bool            // its input stands
	saved    chan struct{}   // closed once the person's answer is saved
	ended    chan struct{}   // closed by the end of settle
}

func (q *inquiry) question(id string) *Question {
	j := q.job
	return &Question{ID: id, Tool: j.entry.tool, Call: q.call.copied(), Targets: cloneTargets(q.targets), Reason: q.Reason,
		AgentPath: j.batch.pool.session.agentPath(), about: q.about}
}

// settle asks the checks one after the other, and then the hook, the classifier
// and the person at once. The error says why there was no answer.
func (q *inquiry) settle(ctx context.Context) (Decision, error) {
	q.saved, q.ended = make(chan struct{}), make(chan struct{})
	defer close(q.ended)
	asked, s := "", q.job.batch.pool.session
	deciders, checks := []func(context.Context) (Decision, bool){}, s.cfg.Approvers
	switch {
	case q.job.entry.info.RequiresUser:
		checks = nil
	case q.mayClassify():
		deciders = append(deciders, q.decider(ByClassifier, q.classify))
		fallthrough
	default:
		if hook := s.cfg.Hooks.Permission; hook != nil {
			deciders = append(deciders, q.decider(ByHook, q.hooked(hook)))
		}
	}
	for _, check := range checks {
		alone := asking.Race[*pending, Decision]{Line: s.line, Deciders: []func(context.Context) (Decision, bool){q.decider(ByApprover, check)}}
		if d, err := alone.Run(ctx); !errors.Is(err, ErrNoApprover) {
			return q.take(ctx, d, err)
		}
	}
	race := asking.Race[*pending, Decision]{
		Line: s.line, Deciders: deciders, HeadStart: cmp.Or(s.cfg.PromptDelay, DefaultPromptDelay), PromptTimeout: s.cfg.AskTimeout,
		Question: func(id string) *pending {
			return &pending{q.question(id), func(d Decision) (Decision, error) { return q.accept(ByPerson, d) }, q.saved}
		},
		OnQueued: func(id string) {
			asked = id
			q.job.batch.emit(Event{Kind: EventAsked, Call: q.call, Targets: cloneTargets(q.targets), Text: q.Reason, Question: q.question(id)})
		},
		Recheck: func() (Decision, bool) { d := q.again(); return d, d.Behavior != Ask },
	}
	if s.cfg.Ask != nil && !s.cfg.NoPrompts {
		race.Prompt = q.person
	}
	d, err := race.Run(ctx)
	if asked != "" {
		q.job.batch.emit(Event{Kind: EventSettled, Call: q.call, Question: q.question(asked)})
	}
	d, err = q.take(ctx, d, err)
	if err == nil && d.StopTurn {
		q.job.stopTurn()
	}
	return d, err
}

// decider makes one of an asker that answers by itself. One that fails abstains.
func (q *inquiry) decider(by Decider, ask Asker) func(context.Context) (Decision, bool) {
	question := q.question("")
	return func(ctx context.Context) (d Decision, ok bool) {
		err := caught(goroutine.Try(func() (err error) { d, err = ask(ctx, question); return err }))
		if err != nil && ctx.Err() == nil {
			q.report(fmt.Errorf("%v: %w", by, err))
		}
		d.By = by
		return d, err == nil && (d.Behavior == Allow || d.Behavior == Deny)
	}
}

// hooked is the hook as an asker. One that fails denies, unless its OnFailure says
// otherwise.
func (q *inquiry) hooked(hook Asker) Asker {
	return func(ctx context.Context, question *Question) (Decision, error) {
		d, err := hook(ctx, question)
		if err != nil && ctx.Err() == nil {
			q.job.batch.hookFailed(q.call.Name, err)
			d = Decision{Behavior: Deny, Reason: "a hook that answers for the person failed"}
		}
		return d, nil
	}
}

// person shows the question to the person, who may be faster by another way.
func (q *inquiry) person(ctx context.Context, id string) error {
	s := q.job.batch.pool.session
	question := q.question(id)
	question.Others = len(s.line.Open()) - 1
	var d Decision
	err := caught(goroutine.Try(func() (err error) { d, err = s.cfg.Ask(ctx, question); return err }))
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTimeout):
		return fmt.Errorf("%w: %w", ErrExpired, err)
	case err != nil:
		return fmt.Errorf("asking: %w", err)
	case d.Behavior == Undecided:
		return ErrNoApprover
	}
	err = s.main().Answer(id, d)
	if d.Behavior == Deny && err != nil && !errors.Is(err, ErrQuestionClosed) && !errors.Is(err, ErrNotSaved) {
		q.report(err)
		d.Remember = nil // a refusal counts, whatever else it wants
		err = s.main().Answer(id, d)
	}
	if errors.Is(err, ErrNotSaved) {
		q.report(err)
	} else if err != nil && !errors.Is(err, ErrQuestionClosed) { // somebody was faster
		return err
	}
	if d.StopTurn { // before the next question is shown, which goes with the turn
		<-q.ended
	}
	return nil
}

// take makes the decision of what won.
func (q *inquiry) take(ctx context.Context, d Decision, err error) (Decision, error) {
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	if err != nil {
		return d, err
	}
	switch d.By {
	case ByPerson:
		select {
		case <-q.saved: // by who answered
		case <-ctx.Done():
			return d, context.Cause(ctx)
		}
	case ByClassifier:
		return q.stillAllowed(d), nil
	case ByHook, ByApprover:
		by, given := d.By, d
		if d, err = q.accept(by, given); err != nil && given.Behavior == Deny {
			q.report(err)
			given.Remember = nil
			d, err = q.accept(by, given)
		}
		if unsaved := q.job.batch.pool.session.main().save(d.Remember); unsaved != nil {
			q.report(unsaved)
		}
	}
	return d, err
}

// stillAllowed returns d unless what is denied by now is allowed by it.
func (q *inquiry) stillAllowed(d Decision) Decision {
	if d.Behavior == Allow {
		if now := q.again(); now.Behavior == Deny {
			return now
		}
	}
	return d
}

// accept makes a decision of an answer, and remembers what it wants remembered. It
// may be called when the job has gone on.
func (q *inquiry) accept(by Decider, d Decision) (Decision, error) {
	j := q.job
	switch {
	case d.Behavior != Allow && d.Behavior != Deny:
		return Decision{}, fmt.Errorf("the answer was %v, neither allow nor deny", d.Behavior)
	case d.Behavior == Deny || bytes.Equal(d.Input, q.call.Input):
		d.Input = nil
	case len(d.Input) > 0 && q.running:
		return Decision{}, errors.New("the input of a running call cannot be changed")
	case len(d.Input) > 0:
		d.Input = slices.Clone(d.Input)
		if _, err := q.call.state.spec.decode(d.Input); err != nil {
			return Decision{}, fmt.Errorf("the changed input: %w", err)
		}
	}
	reason := cmp.Or(d.Reason, fmt.Sprintf("a %v answered: %v", by, d.Behavior))
	d = Decision{Behavior: d.Behavior, Reason: reason, Input: d.Input, By: by, Remember: slices.Clone(d.Remember), StopTurn: d.StopTurn && d.Behavior == Deny}
	if now := q.stillAllowed(d); now.Behavior != d.Behavior {
		return now, nil
	}
	return d, j.batch.pool.session.remember(d.Remember)
}

// report tells who looks after the host.
func (q *inquiry) report(err error) {
	q.job.batch.reportCrash(q.call.Name, StagePermission, err)
}

// opine decides a call, given what hooks and the tool itself say. Whatever the rules
// allow is asked about if it goes round in a loop.
func opine(c *Call, hook, own Decision, loop string) Decision {
	d := c.decide(c.state.targets, hook, own)
	if d.Behavior == Allow && loop != "" {
		d = Decision{Behavior: Ask, Reason: loop}
	}
	return d
}

// ask lets others settle what the rules leave open. An input that was allowed in
// these very bytes is not asked about again.
func (j *job) ask(ctx context.Context, d, hook, own Decision) (Decision, error) {
	if j.approved != nil && bytes.Equal(j.approved.Input, j.call.Input) {
		d = *j.approved
		d.Input = nil
		return d, nil
	}
	c, loop := j.call, j.loop
	x := subject{hook: hook, own: own}
	c.put(&x, c.state.targets)
	q := inquiry{Decision: d, job: j, call: c, targets: c.state.targets, about: &x, again: func() Decision { return opine(c, hook, own, loop) }}
	return q.settle(ctx)
}

// stopTurn ends the turn as a person wants it who refused a call: for the calls
// beside it, and for the one from inside which it was made.
func (j *job) stopTurn() {
	j.stopsTurn.Store(true)
	j.batch.interrupt(errStopTurn)
	if outer := j.batch.parent; outer != nil && outer.state.job != nil {
		outer.state.job.stopTurn()
	}
}

// changes reports whether d puts another input in the place of the present one.
func (j *job) changes(d Decision) bool {
	return d.Behavior != Deny && len(d.Input) > 0 && !bytes.Equal(d.Input, j.call.Input)
}

func (j *job) decide(d Decision) {
	j.outcome.Decision = d
	if j.batch.OnEvent != nil {
		told := d
		j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: j.call.Targets(), Decision: &told})
	}
}

// decidedLater reports what was decided about targets that turned up in mid-call.
func (j *job) decidedLater(ts []Target, d Decision) {
	j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: cloneTargets(ts), Decision: &d})
}
