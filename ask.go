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
	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// DefaultAskAfter is how long hooks and the classifier have a question to
// themselves when [SessionConfig].AskAfter is zero.
const DefaultAskAfter = 2 * time.Second

// An Asker puts a question to a person, a remote bridge, or a policy of the
// host. It answers with Allow or Deny; Undecided abstains, and an error is no
// answer either. What is not allowed is denied.
//
// With Allow it may change the call's input, which is then decoded, validated and
// decided anew. With either it may change the permissions, by Decision.Remember;
// with Deny it may end the turn, by Decision.StopTurn.
//
// The context ends when the call does, or when somebody else has answered. An
// Asker must return then: nobody is shown the next question before.
type Asker func(ctx context.Context, q *Question) (Decision, error)

// AskLater is the [Asker] of a host that answers by [Session.Answer] alone.
func AskLater(ctx context.Context, _ *Question) (Decision, error) {
	<-ctx.Done()
	return Decision{}, context.Cause(ctx)
}

// A Question is a call that waits for an answer.
type Question struct {
	// ID is what [Session.Answer] takes. No other question has it, of this run or
	// another. It is empty as long as no person is asked.
	ID      string
	Tool    Tool
	Call    *Call
	Targets []Target // what the answer is about, resolved
	Reason  string   // why it is asked
	Agent   []string // the ids of the agents that led to it, outermost first; empty for the main agent

	about *subject // never written to
}

// Decider says who decided.
type Decider int

// The deciders.
const (
	ByDefault    Decider = iota // nobody had to: reading is harmless, the rest needs a reason
	ByRule                      // a rule
	ByMode                      // the mode
	ByTool                      // the tool itself
	ByHook                      // a hook
	ByCheck                     // one of [SessionConfig].Checks
	ByClassifier                // the classifier
	ByPerson                    // who answered for the person
	ByNobody                    // there was no answer
)

// String returns the decider in lower case.
func (d Decider) String() string {
	return nameOf(int(d), "default", "rule", "mode", "tool", "hook", "check", "classifier", "person", "nobody")
}

// copied returns a Question that can be written to without effect on q.
func (q *Question) copied() *Question {
	c := *q
	c.Call, c.Targets, c.Agent = q.Call.copied(), cloneTargets(q.Targets), slices.Clone(q.Agent)
	return &c
}

// agentPath returns the ids of the agents that led to s, outermost first.
func (s *Session) agentPath() (path []string) {
	for ; s.parent != nil; s = s.parent {
		path = append(path, s.cfg.AgentID)
	}
	slices.Reverse(path)
	return path
}

// pending is a question in line.
type pending struct {
	question *Question
	accept   func(Decision) (Decision, error)
}

// Questions returns the questions that a person has not answered yet, of this
// session's conversation with all its agents, in the order in which they are shown.
func (s *Session) Questions() []*Question {
	var qs []*Question
	for _, p := range s.line.Open() {
		qs = append(qs, p.question.copied())
	}
	return qs
}

// Answer answers an open question, shown or not yet, as its [Asker] would. The
// error is [ErrStale] if it is not open: it was answered, or its call has ended. An
// answer that is none, an input that the tool cannot read and permissions that
// cannot be changed so are errors, too, and the question stays open. Only an error
// that wraps [ErrNotSaved] means that the answer counts.
func (s *Session) Answer(id string, d Decision) error {
	var unsaved error
	err := s.line.Answer(id, func(p *pending) (Decision, error) {
		accepted, err := p.accept(d)
		if errors.Is(err, ErrNotSaved) {
			unsaved, err = err, nil
		}
		return accepted, err
	})
	return cmp.Or(err, unsaved)
}

// remember changes the permissions of the conversation as an answer wants it, and
// has the change saved.
func (s *Session) remember(ctx context.Context, updates []Update) error {
	if len(updates) == 0 {
		return nil
	}
	main := s.main()
	if err := main.UpdatePermissions(func(p Permissions) (Permissions, error) { return p.Apply(updates...) }); err != nil {
		return err
	}
	if err := s.addDirectories(additions(updates)); err != nil {
		return err
	}
	if save := main.cfg.Save; save != nil {
		if err := lane.Try(func() error { return save(context.WithoutCancel(ctx), slices.Clone(updates)) }); err != nil {
			return fmt.Errorf("%w: %w", ErrNotSaved, err)
		}
	}
	return nil
}

// addDirectories adds to a fork and those above it what the main session has.
func (s *Session) addDirectories(updates []Update) error {
	if s.parent == nil || len(updates) == 0 {
		return nil
	}
	if err := s.parent.addDirectories(updates); err != nil {
		return err
	}
	return s.UpdatePermissions(func(p Permissions) (Permissions, error) { return p.Apply(updates...) })
}

// errStopTurn ends the calls beside one that the person refused for good.
var errStopTurn = fmt.Errorf("%w, who refused a call beside it", ErrUserInterrupt)

// A Classifier answers in [ModeAuto] in the place of the person, of calls that no
// rule settles. Any behavior but Allow and Deny, and an error, leave the call to
// the person. It may be called concurrently.
type Classifier func(ctx context.Context, q *Question) (Decision, error)

// ClassifyByTargets is the classifier of a session that has none: it refuses what
// must not happen unseen, such as the removal of a home directory, and leaves
// everything else that is more than reading and editing inside the working
// directories to the person. It asks no model and says the same at all times.
func ClassifyByTargets(_ context.Context, q *Question) (Decision, error) {
	for _, t := range q.Targets {
		if t.Caution != "" {
			return Decision{Behavior: Deny, Reason: t.Caution}, nil
		}
	}
	return Decision{}, nil
}

// After so many refusals of the classifier in a row, or in all, a session asks the
// person again: the documented numbers of the best-known harness.
const (
	maxBlocksInARow = 3
	maxBlocks       = 20
)

// blocks counts the refusals of a session's classifier.
type blocks struct{ run, all int }

func (b blocks) tooMany() bool { return b.run >= maxBlocksInARow || b.all >= maxBlocks }

// countBlock notes what became of a call.
func (s *Session) countBlock(d Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.Behavior == Allow:
		s.blocks.run = 0
	case d.By == ByClassifier:
		s.blocks.run++
		s.blocks.all++
	}
}

// mayClassify reports whether the classifier may settle d, in auto mode.
func (q *inquiry) mayClassify() bool {
	s := q.job.batch.pool.session
	p := s.permissions()
	s.mu.Lock()
	tired := s.blocks.tooMany()
	s.mu.Unlock()
	auto := func(m Mode) bool { return m == ModeAuto || m == ModeBypass }
	return !tired && p.Mode() == ModeAuto && all(p.outer, auto) && (q.unruled || q.cautious)
}

// classify is the classifier as a decider. What needs a person is never allowed
// without one.
func (q *inquiry) classify(ctx context.Context, question *Question) (Decision, error) {
	classifier := q.job.batch.pool.session.cfg.Classifier
	if classifier == nil {
		classifier = ClassifyByTargets
	}
	d, err := classifier(ctx, question)
	if err != nil || d.Behavior != Deny && (d.Behavior != Allow || !q.unruled) {
		return Decision{}, err
	}
	return Decision{Behavior: d.Behavior, Reason: "the classifier: " + d.Reason}, nil
}

// An inquiry is a call for which somebody has to be asked, before it runs or from
// within it.
type inquiry struct {
	Decision // to ask, and why
	job      *job
	call     *Call // as it stands now; the job goes on without who was asked in vain
	targets  []Target
	about    *subject
	again    func() Decision // decides once more, under the permissions of that moment
	running  bool            // its input stands
}

func (q *inquiry) question(id string) *Question {
	j := q.job
	return &Question{ID: id, Tool: j.entry.tool, Call: q.call.copied(), Targets: cloneTargets(q.targets), Reason: q.Reason,
		Agent: j.batch.pool.session.agentPath(), about: q.about}
}

// settle asks the checks one after the other, and then the hook, the classifier
// and the person at once. The error says why there was no answer.
func (q *inquiry) settle(ctx context.Context) (Decision, error) {
	s := q.job.batch.pool.session
	deciders, checks := []func(context.Context) (Decision, bool){}, s.cfg.Checks
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
		alone := asking.Race[*pending, Decision]{Line: s.line, Deciders: []func(context.Context) (Decision, bool){q.decider(ByCheck, check)}}
		if d, err := alone.Run(ctx); !errors.Is(err, ErrNoApprover) {
			return q.take(ctx, d, err)
		}
	}
	race := asking.Race[*pending, Decision]{
		Line: s.line, Deciders: deciders, After: cmp.Or(s.cfg.AskAfter, DefaultAskAfter), Timeout: s.cfg.AskTimeout,
		Question: func(id string) *pending {
			return &pending{q.question(id), func(d Decision) (Decision, error) { return q.accept(ctx, ByPerson, d) }}
		},
		Put: func(id string) {
			q.job.batch.emit(Event{Kind: EventAsked, Call: q.call, Targets: cloneTargets(q.targets), Text: q.Reason, Question: q.question(id)})
		},
		Again: func() (Decision, bool) { d := q.again(); return d, d.Behavior != Ask },
	}
	if s.cfg.Ask != nil && !s.cfg.NoPrompts {
		race.Person = q.person
	}
	d, err := race.Run(ctx)
	return q.take(ctx, d, err)
}

// decider makes one of an asker that answers by itself. One that fails abstains.
func (q *inquiry) decider(by Decider, ask Asker) func(context.Context) (Decision, bool) {
	question := q.question("")
	return func(ctx context.Context) (d Decision, ok bool) {
		err := caught(lane.Try(func() (err error) { d, err = ask(ctx, question); return err }))
		if err != nil && ctx.Err() == nil {
			q.job.batch.reportCrash(q.call.Name, StagePermission, fmt.Errorf("%v: %w", by, err))
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
	var d Decision
	err := caught(lane.Try(func() (err error) { d, err = s.cfg.Ask(ctx, q.question(id)); return err }))
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrTimeout):
		return fmt.Errorf("%w: %w", ErrExpired, err)
	case err != nil:
		return fmt.Errorf("asking: %w", err)
	case d.Behavior == Undecided:
		return ErrNoApprover
	}
	if err := s.Answer(id, d); !errors.Is(err, ErrStale) {
		return q.saved(err)
	}
	return nil
}

// take makes the decision of what won.
func (q *inquiry) take(ctx context.Context, d Decision, err error) (Decision, error) {
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	if err != nil || d.By != ByHook && d.By != ByCheck {
		return d, err
	}
	d, err = q.accept(ctx, d.By, d)
	return d, q.saved(err)
}

// accept makes a decision of an answer, and remembers what it wants remembered.
func (q *inquiry) accept(ctx context.Context, by Decider, d Decision) (Decision, error) {
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
	d = Decision{Behavior: d.Behavior, Reason: reason, Input: d.Input, By: by, Remember: d.Remember, StopTurn: d.StopTurn && d.Behavior == Deny}
	return d, j.batch.pool.session.remember(ctx, d.Remember)
}

// saved reports what was not saved to who looks after the host, and leaves other
// errors to the caller.
func (q *inquiry) saved(err error) error {
	if !errors.Is(err, ErrNotSaved) {
		return err
	}
	q.job.batch.reportCrash(q.call.Name, StagePermission, err)
	return nil
}

// opine decides the call, given what hooks and the tool itself say.
func (j *job) opine(hook, own Decision) Decision {
	d := j.call.decide(j.call.state.targets, hook, own)
	if d.Behavior == Ask && j.approved != nil && bytes.Equal(j.approved, j.call.Input) {
		d = Decision{Behavior: Allow, By: ByPerson, Reason: "a person allowed this input"}
	}
	if d.Behavior == Allow && j.loop != "" {
		d = Decision{Behavior: Ask, Reason: j.loop}
	}
	return d
}

// ask lets others settle what the rules leave open.
func (j *job) ask(ctx context.Context, d, hook, own Decision) (Decision, error) {
	targets := j.call.state.targets
	x := subject{hook: hook, own: own}
	j.call.put(&x, targets)
	q := inquiry{Decision: d, job: j, call: j.call, targets: targets, about: &x, again: func() Decision { return j.opine(hook, own) }}
	return q.settle(ctx)
}

// denied words a refusal, and ends the turn if that was asked for.
func (j *job) denied(d Decision) *failure {
	next := "Do not try the same by other means; do something else or tell the user."
	if d.StopTurn {
		next = "The user wants you to stop here."
		defer j.batch.interrupt(errStopTurn)
	}
	return &failure{err: fmt.Errorf("%w: %s", ErrDenied, d.Reason), text: fmt.Sprintf("%s was denied: %s. %s", j.call.Name, d.Reason, next)}
}

// unanswered is the denial of a call that had to be asked about.
func (j *job) unanswered(ctx context.Context, d Decision, err error) *failure {
	if ctx.Err() != nil {
		return j.stopped(context.Cause(ctx))
	}
	d = Decision{Behavior: Deny, By: ByNobody, Rule: d.Rule, Reason: j.call.unanswered(d, j.call.state.targets, err)}
	j.decide(d)
	return &failure{err: &unansweredError{d.Reason, err},
		text: fmt.Sprintf("%s was denied: %s. No person refused it; do something else or tell the user what is needed.", j.call.Name, d.Reason)}
}

// changes reports whether d puts another input in the place of the present one.
func (j *job) changes(d Decision) bool {
	return d.Behavior != Deny && len(d.Input) > 0 && !bytes.Equal(d.Input, j.call.Input)
}

func (j *job) decide(d Decision) {
	j.decision = d
	if j.batch.OnEvent != nil {
		told := d
		j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: j.call.Targets(), Decision: &told})
	}
}

// decidedLater reports what was decided about targets that turned up in mid-call.
func (j *job) decidedLater(ts []Target, d Decision) {
	if d.StopTurn {
		j.stopTurn.Store(true)
		j.batch.interrupt(errStopTurn)
	}
	j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: cloneTargets(ts), Decision: &d})
}
