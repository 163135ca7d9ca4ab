package pegboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/asking"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// defaultPromptDelay is how long hooks and the classifier have before the user is asked
// when [SessionConfig].PromptDelay is zero.
const defaultPromptDelay = 2 * time.Second

// errStopTurn ends the other calls of a message when the user's answer stops the turn.
var errStopTurn = fmt.Errorf("%w, who refused a call beside it", ErrUserInterrupt)

// An inquiry asks whether a call may run, or whether a running call may access further
// targets.
type inquiry struct {
	policy.Decision // Ask, and why
	job             *job
	call            *Call // a snapshot: the job may go on before every Asker has returned
	targets         []policy.Target
	about           *policy.Request
	again           func() policy.Decision // decides again under the permissions of that moment, on any goroutine
	running         bool                   // the call runs, and its input cannot be changed
	besides         []policy.Decider       // decide at the same time as the user
	ahead           *aheadOfHooks          // a classifier that was asked before, or nil
	saved           chan struct{}          // closed when the user's answer is saved
	ended           chan struct{}          // closed when ask returns
	deferred        error                  // of a permission hook that puts off its answer; used if the hook's answer counts
}

// ask asks the approvers one after the other, and then the hook, the classifier and the
// user at the same time. The error says why there was no answer.
func (q *inquiry) ask(ctx context.Context) (policy.Decision, error) {
	q.saved, q.ended = make(chan struct{}), make(chan struct{})
	defer close(q.ended)
	s := q.session()
	deciders, approvers := q.deciders()
	for _, approver := range approvers {
		alone := asking.Race[*pending, policy.Decision]{Line: s.line, Deciders: []func(context.Context) (policy.Decision, bool){q.decider(policy.ByApprover, q.question(""), approver)}}
		if d, err := alone.Run(ctx); !errors.Is(err, ErrNoApprover) {
			return q.finish(ctx, d, err)
		}
	}
	if q.suspends() {
		d, err := q.suspend(ctx, deciders)
		if err == nil && d.StopTurn {
			q.job.stopTurn()
		}
		return d, err
	}
	prompted := "" // the id of the question, once it is in line
	race := asking.Race[*pending, policy.Decision]{
		Line: s.line, Deciders: deciders, HeadStart: cmp.Or(s.cfg.PromptDelay, defaultPromptDelay), PromptTimeout: s.cfg.AskTimeout,
		Question: func(id string) *pending {
			return &pending{q.question(id), func(d policy.Decision) (policy.Decision, error) { return q.accept(policy.ByPerson, d) }, q.saved}
		},
		OnQueued: func(id string) {
			prompted = id
			q.job.batch.emit(Event{Kind: EventAsked, Call: q.call, Targets: policy.Clone(q.targets), Text: q.Reason, Question: q.question(id)})
			q.job.endDeciding()
		},
		Recheck: func() (policy.Decision, bool) { d := q.again(); return d, d.Behavior != policy.Ask },
	}
	if !q.running {
		race.Hold = q.job.questionsBefore
	}
	if s.cfg.Ask != nil && !s.cfg.NoPrompts {
		race.Prompt = q.prompt
	}
	d, err := race.Run(ctx)
	if prompted != "" {
		q.job.batch.emit(Event{Kind: EventSettled, Call: q.call, Question: q.question(prompted)})
	}
	d, err = q.finish(ctx, d, err)
	if err == nil && d.StopTurn {
		q.job.stopTurn()
	}
	return d, err
}

func (q *inquiry) session() *Session { return q.job.session() }

// question returns the question as the host sees it.
func (q *inquiry) question(id string) *Question {
	d := q.Decision
	d.Input, d.Remember = nil, nil
	return &Question{ID: id, Tool: q.job.entry.tool, Call: q.call.copied(), Targets: policy.Clone(q.targets), Reason: q.Reason,
		AgentPath: q.session().AgentPath(), Decision: d, Besides: slices.Clone(q.besides), about: q.about}
}

// deciders returns those who decide beside the user, and those who decide before. A Guard
// that requires the user has neither, and a tool that does has those who answer in the user's
// place with another input.
func (q *inquiry) deciders() (beside []func(context.Context) (policy.Decision, bool), before []Asker) {
	s := q.session()
	if needsUser(q.about.Said) {
		return nil, nil
	}
	if info := &q.job.entry.info; info.RequiresUser {
		if q.running || info.Origin.External() {
			return nil, nil
		}
		if hook := s.cfg.Hooks.Permission; hook != nil {
			q.besides = append(q.besides, policy.ByHook)
			beside = append(beside, q.decider(policy.ByHook, q.question(""), q.bringing(policy.ByHook, q.permissionHook(hook))))
		}
		for _, approver := range s.cfg.Approvers {
			before = append(before, q.bringing(policy.ByApprover, approver))
		}
		return beside, before
	}
	if c := q.ahead.classifierOf(q); c != nil {
		beside = append(beside, c)
	} else if c := q.classifier(); c != nil {
		beside = append(beside, c)
	}
	if len(beside) > 0 {
		q.besides = append(q.besides, policy.ByClassifier)
	}
	if hook := s.cfg.Hooks.Permission; hook != nil {
		q.besides = append(q.besides, policy.ByHook)
		beside = append(beside, q.decider(policy.ByHook, q.question(""), q.permissionHook(hook)))
	}
	return beside, s.cfg.Approvers
}

// decider turns an Asker into a decider of a race. An error counts as Undecided.
func (q *inquiry) decider(by policy.Decider, question *Question, ask Asker) func(context.Context) (policy.Decision, bool) {
	return func(ctx context.Context) (d policy.Decision, ok bool) {
		err := markPanic(goroutine.Try(func() (err error) { d, err = ask(ctx, question); return err }))
		if err != nil && ctx.Err() == nil {
			q.logError(fmt.Errorf("%v: %w", by, err))
		}
		d.By = by
		return d, err == nil && (d.Behavior == policy.Allow || d.Behavior == policy.Deny)
	}
}

// bringing returns an Asker that abstains unless ask allows the call with another input that
// the tool accepts: an answer, and not only a permission.
func (q *inquiry) bringing(by policy.Decider, ask Asker) Asker {
	return func(ctx context.Context, question *Question) (policy.Decision, error) {
		d, err := ask(ctx, question)
		if err != nil || d.Behavior != policy.Allow {
			return policy.Decision{}, err
		}
		input := q.call.replacement(d.Input)
		if input == nil || sameJSON(input, q.call.Input) {
			return policy.Decision{}, nil
		}
		if _, err := q.call.state.spec.decode(input, q.session()); err != nil {
			q.logError(fmt.Errorf("%v: the changed input: %w", by, err))
			return policy.Decision{}, nil
		}
		return d, nil
	}
}

// A deferredAnswerError is the error of an inquiry whose answer was put off by a hook.
type deferredAnswerError struct{ error }

func (e *deferredAnswerError) Unwrap() error { return e.error }

// permissionHook turns the hook into an Asker. A hook that fails denies, unless its
// OnFailure says otherwise. A call that runs cannot be put off: the hook has failed then.
func (q *inquiry) permissionHook(hook Asker) Asker {
	return func(ctx context.Context, question *Question) (policy.Decision, error) {
		d, err := hook(ctx, question)
		if errors.Is(err, ErrDeferred) && !q.running {
			q.deferred = err
			return policy.Decision{Behavior: policy.Deny}, nil
		}
		if err != nil && ctx.Err() == nil {
			q.job.batch.logHookFailure(q.call, err)
			d = policy.Decision{Behavior: policy.Deny, Reason: "a hook that answers for the person failed"}
		}
		return d, nil
	}
}

// mayClassify reports whether the classifier may decide: in auto mode, unless only the user
// may, the loop breaker wants the user, or the classifier has denied too much.
func (q *inquiry) mayClassify() bool {
	s := q.session()
	p := s.grants.inForce()
	laxer := func(m policy.Mode) bool { return m != policy.ModeAuto && m != policy.ModeBypass }
	return !q.job.entry.info.RequiresUser && q.about.Said.Loop == "" && !s.classifier.tooMany() && !slices.ContainsFunc(p.Modes(), laxer) && p.Mode() == policy.ModeAuto && (q.Open() || q.OnlyPerson())
}

// classifier returns the decider that asks the classifier, or nil if it is not asked.
func (q *inquiry) classifier() func(context.Context) (policy.Decision, bool) {
	if !q.mayClassify() {
		return nil
	}
	question, text := q.question(""), ""
	if err := markPanic(q.job.contexts.await("ClassifierInput", goroutine.Go(func() { text = q.job.entry.tool.ClassifierInput(q.call) }))); err != nil {
		q.logError(fmt.Errorf("ClassifierInput: %w", err))
		return nil
	}
	if question.ClassifierInput = text; text == "" {
		return nil
	}
	return q.decider(policy.ByClassifier, question, q.classify)
}

// classify calls the classifier. It cannot allow a call that needs the user.
func (q *inquiry) classify(ctx context.Context, question *Question) (policy.Decision, error) {
	classifier := q.session().cfg.Classifier
	if classifier == nil {
		classifier = ClassifyByTargets
	}
	d, err := classifier(ctx, question)
	if err != nil || d.Behavior != policy.Deny && (d.Behavior != policy.Allow || !q.Open()) {
		return policy.Decision{}, err
	}
	return policy.Decision{Behavior: d.Behavior, Reason: "the classifier: " + d.Reason}, nil
}

// prompt asks the user. The question may be answered in another way meanwhile.
func (q *inquiry) prompt(ctx context.Context, id string) error {
	s := q.session()
	question := q.question(id)
	question.Others = len(s.main().Questions()) - 1
	var d policy.Decision
	err := markPanic(goroutine.Try(func() (err error) { d, err = s.cfg.Ask(ctx, question); return err }))
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTimeout):
		return fmt.Errorf("%w: %w", ErrExpired, err)
	case err != nil:
		return fmt.Errorf("asking: %w", err)
	case d.Behavior == policy.Undecided:
		return ErrNoApprover
	}
	err = s.main().Answer(id, d)
	if d.Behavior == policy.Deny && err != nil && !errors.Is(err, ErrQuestionClosed) && !errors.Is(err, ErrNotSaved) {
		q.logError(err)
		d.Remember = nil // a denial counts even if its updates cannot be applied
		err = s.main().Answer(id, d)
	}
	if errors.Is(err, ErrNotSaved) {
		q.logError(err)
	} else if err != nil && !errors.Is(err, ErrQuestionClosed) { // a closed question was answered in another way
		return err
	}
	if d.StopTurn { // the next question is not shown: the stop withdraws it first
		<-q.ended
	}
	return nil
}

// finish turns the winning answer into the decision.
func (q *inquiry) finish(ctx context.Context, d policy.Decision, err error) (policy.Decision, error) {
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	if err != nil {
		return d, err
	}
	switch d.By {
	case policy.ByPerson: // accept was called by Session.Answer
		select {
		case <-q.saved:
		case <-ctx.Done():
			return d, context.Cause(ctx)
		}
	case policy.ByClassifier:
		return q.recheckDeny(d), nil
	case policy.ByHook, policy.ByApprover:
		if d.By == policy.ByHook && q.deferred != nil {
			return policy.Decision{}, &deferredAnswerError{q.deferred}
		}
		by, given := d.By, d
		if d, err = q.accept(by, given); err != nil && given.Behavior == policy.Deny {
			q.logError(err)
			given.Remember = nil
			d, err = q.accept(by, given)
		}
		q.save(d.Remember)
	}
	return d, err
}

// save saves the updates that an answer in the user's place asks to remember.
func (q *inquiry) save(updates []policy.Update) {
	if len(updates) == 0 {
		return
	}
	var unsaved error
	late := q.job.contexts.await("OnRemember", goroutine.Go(func() { unsaved = q.session().grants.save(updates) }))
	if late != nil {
		q.logError(late)
	} else if unsaved != nil {
		q.logError(unsaved)
	}
}

// accept checks an answer and applies its updates. It may be called after the job has
// gone on.
func (q *inquiry) accept(by policy.Decider, d policy.Decision) (policy.Decision, error) {
	switch {
	case d.Behavior != policy.Allow && d.Behavior != policy.Deny:
		return policy.Decision{}, fmt.Errorf("the answer was %v, neither allow nor deny", d.Behavior)
	case d.Behavior == policy.Deny:
		d.Input = nil
	default:
		d.Input = q.call.replacement(d.Input)
	}
	switch {
	case d.Input == nil:
	case q.running:
		return policy.Decision{}, errors.New("the input of a running call cannot be changed")
	default:
		if _, err := q.call.state.spec.decode(d.Input, q.session()); err != nil {
			return policy.Decision{}, fmt.Errorf("the changed input: %w", err)
		}
	}
	reason := cmp.Or(d.Reason, fmt.Sprintf("%s answered: %v", article(by), d.Behavior))
	d = policy.Decision{Behavior: d.Behavior, Reason: reason, Input: d.Input, By: by, Remember: slices.Clone(d.Remember), StopTurn: d.StopTurn && d.Behavior == policy.Deny}
	if now := q.recheckDeny(d); now.Behavior != d.Behavior {
		return now, nil
	}
	if err := q.checkTogether(d); err != nil {
		return policy.Decision{}, err
	}
	if err := q.session().grants.remember(d.Remember, cmp.Or(q.about.Main, q.about.Place)); err != nil {
		return d, err
	}
	if by == policy.ByPerson && d.Behavior == policy.Allow {
		q.job.entry.redefined.approve()
	}
	return d, nil
}

// article names a decider with its article.
func article(by policy.Decider) string {
	if by == policy.ByApprover {
		return "an " + by.String()
	}
	return "a " + by.String()
}

// checkTogether returns an error if the call with the input of an answer would be denied under
// the permissions that the same answer asks for: then half of the answer would count. What hooks
// and the tool say of the new input is not known yet; they are taken to say the same.
func (q *inquiry) checkTogether(d policy.Decision) error {
	if d.Input == nil || len(d.Remember) == 0 {
		return nil
	}
	st, s := *q.call.state, q.session()
	perms, err := s.permissionsAfter(q.about)(d.Remember...)
	if err != nil {
		return err
	}
	changed := *q.call
	changed.Input = d.Input
	if changed.decoded, err = st.spec.decode(d.Input, s); err != nil {
		return err
	}
	if err := goroutine.Try(func() error { st.traits = q.job.entry.tool.Traits(&changed).cautious(); return nil }); err != nil {
		return crashError(err)
	}
	r := *q.about
	r.Input, r.Facts, r.Targets, r.Observed = d.Input, st.traits.facts(), st.resolve(st.traits.Targets), nil
	if now := perms.Decide(context.Background(), r); now.Behavior == policy.Deny {
		return fmt.Errorf("the changed input and what is to be remembered do not go together: with both, the call is denied: %s", now.Reason)
	}
	return nil
}

// recheckDeny returns d, or the present decision if d allows a call that is denied by
// now.
func (q *inquiry) recheckDeny(d policy.Decision) policy.Decision {
	if d.Behavior == policy.Allow {
		if now := q.again(); now.Behavior == policy.Deny {
			return now
		}
	}
	return d
}

// logError logs to Executor.Logger.
func (q *inquiry) logError(err error) {
	q.job.batch.logCrash(q.call, StagePermission, err)
}

// An aheadOfHooks is a classifier that was asked before the hooks ran, so that both work
// at the same time. Nil means that no classifier was asked ahead.
type aheadOfHooks struct {
	question *inquiry
	answer   *asking.Ahead[policy.Decision]
}

// classifyAhead asks the classifier if the call will be put to it unless the hooks or the
// tool decide. The default classifier calls no model, and is not asked ahead.
func (j *job) classifyAhead(ctx context.Context) *aheadOfHooks {
	if j.session().cfg.Classifier == nil || j.session().grants.inForce().Mode() != policy.ModeAuto || j.isApproved() {
		return nil
	}
	o := policy.Opinions{Loop: j.loop.reason, Caller: j.callerOpinion()}
	q := j.inquiry(j.call.decide(o), o)
	if q.Behavior != policy.Ask {
		return nil
	}
	classifier := q.classifier()
	if classifier == nil {
		return nil
	}
	return &aheadOfHooks{question: q, answer: j.session().line.Ahead(ctx, classifier)}
}

// classifierOf returns the decider that waits for the answer, or nil if the question is
// another one than was asked ahead.
func (a *aheadOfHooks) classifierOf(q *inquiry) func(context.Context) (policy.Decision, bool) {
	if a == nil || !q.mayClassify() {
		return nil
	}
	asked := a.question
	if asked.call != q.call || asked.Reason != q.Reason || asked.Open() != q.Open() || asked.OnlyPerson() != q.OnlyPerson() {
		return nil
	}
	return a.answer.Decide
}

// drop ends the classifier, unless it has answered.
func (a *aheadOfHooks) drop() {
	if a != nil {
		a.answer.Drop()
	}
}

// askGuard asks the session's Guard about the call, which was decided as d. It returns the
// Guard's decision if that is a stricter one or changes the input.
func (j *job) askGuard(ctx context.Context, d policy.Decision, o policy.Opinions) (*policy.Decision, *failure) {
	guard := j.session().cfg.Guard
	if guard == nil || d.Behavior == policy.Deny {
		return nil, nil
	}
	q := j.inquiry(d, o).question("")
	q.Decision = d
	var said policy.Decision
	err := markPanic(goroutine.Try(func() (err error) {
		j.foreign("the Guard", func() { said, err = guard(ctx, q) })
		return err
	}))
	if f := j.mustStop(ctx); err != nil && f != nil {
		return nil, f
	}
	if err != nil {
		j.batch.logCrash(j.call, StagePermission, err)
		j.recordDecision(policy.Decision{Behavior: policy.Deny, By: policy.ByGuard, Reason: "the guard failed: " + err.Error()})
		return nil, &failure{err: fmt.Errorf("%w: %w", ErrDenied, err),
			text: fmt.Sprintf("%s was denied: the program could not check it. Tell the user; repeating the call will not help.", j.call.Name)}
	}
	if said = policy.Stricter(said, policy.Decision{}); said.Behavior <= policy.Allow && j.rewritten(said) == nil {
		return nil, nil
	}
	if said.Behavior == policy.Deny && said.StopTurn {
		j.stopTurn()
	}
	return &policy.Decision{Behavior: said.Behavior, By: policy.ByGuard, Reason: said.Reason, Input: said.Input}, nil
}

// decideGuarded decides the call with the opinion of the Guard, whose reason to ask is
// added to any other.
func (j *job) decideGuarded(o policy.Opinions) policy.Decision {
	d := j.call.decide(o)
	if d.Behavior == policy.Ask && d.By != policy.ByGuard && o.Guard.Reason != "" {
		d.Reason += "; " + o.Guard.Reason
	}
	return d
}

// A questionOrder is the state of a call that the questions of later calls wait for.
// Questions enter the line in the order of the message. A question is held back while an
// earlier call may still ask: its hooks, its tool or an approver decide. An earlier call
// that waits for other calls, or for the end of the message, holds back no question,
// since that may take as long as those run.
type questionOrder struct {
	decided   atomic.Bool // the call has asked, was decided, or has ended
	inMessage atomic.Bool // the call waits for the message, or was just woken by its end
	forSame   atomic.Bool // the call waits for the outcome of the same call before it

	watched atomic.Bool   // changed is not nil
	changed chan struct{} // closed when a field above changes, or the call begins to wait; guarded by batch.mu
}

// endDeciding says that the call no longer holds back questions.
func (j *job) endDeciding() {
	j.order.decided.Store(true)
	j.notifyHeld()
}

// mayAskSoon reports whether the call holds back the questions of later calls.
func (j *job) mayAskSoon() bool {
	if j.order.decided.Load() || j.order.forSame.Load() || j.schedule.ticket.Waits() {
		return false
	}
	if j.order.inMessage.Load() {
		select {
		case <-j.batch.message:
		default:
			return false
		}
	}
	return true
}

// questionsBefore returns nil if the question about the call may enter the line, or a
// channel that is closed when it should be called again. Of many calls each waits for the
// one before it, so that an end wakes one of them.
func (j *job) questionsBefore() <-chan struct{} {
	b := j.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, earlier := range slices.Backward(b.jobs[:j.index]) {
		o := &earlier.order
		if o.decided.Load() {
			continue
		}
		changed := o.watch() // before the check, so that no change after it is missed
		if earlier.mayAskSoon() {
			return changed
		}
	}
	return nil
}

// watch returns the channel that is closed at the next change. The caller holds batch.mu.
func (o *questionOrder) watch() <-chan struct{} {
	if o.changed == nil {
		o.changed = make(chan struct{})
		o.watched.Store(true)
	}
	return o.changed
}

// notifyHeld has the questions and calls that the call holds back looked at again. Without
// any it costs one atomic load.
func (j *job) notifyHeld() {
	if !j.order.watched.Load() {
		return
	}
	j.batch.mu.Lock()
	defer j.batch.mu.Unlock()
	if j.order.changed != nil {
		close(j.order.changed)
		j.order.changed = nil
		j.order.watched.Store(false)
	}
}
