package pegboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lane"
)

// An Asker puts a question to a person, a remote bridge, or a policy of the
// host. It answers with Allow or Deny; any other behavior, and an error, count
// as a denial. With Allow it may change the call's input, which is then decoded,
// validated and decided anew.
//
// It is called for one question at a time in a session and all its forks, and
// its context ends when the call does.
type Asker func(ctx context.Context, q *Question) (Decision, error)

// A Question is a call that waits for an answer.
type Question struct {
	Tool    Tool
	Call    *Call
	Targets []Target // what the answer is about, resolved
	Reason  string   // why it is asked
	Agent   []string // the ids of the agents that led to it, outermost first; empty for the main agent
}

// agentPath returns the ids of the agents that led to s, outermost first.
func (s *Session) agentPath() (path []string) {
	for ; s.parent != nil; s = s.parent {
		path = append(path, s.cfg.AgentID)
	}
	slices.Reverse(path)
	return path
}

// errNobody is the cause of a denial that no one was there to prevent.
var errNobody = errors.New("nobody can be asked")

// ask puts a question and returns Allow or Deny. The error says why there was
// no answer.
func (s *Session) ask(ctx context.Context, q *Question) (Decision, error) {
	if s.cfg.Ask == nil {
		return Decision{}, errNobody
	}
	select {
	case <-s.asking:
		defer func() { s.asking <- struct{}{} }()
	case <-ctx.Done():
		return Decision{}, context.Cause(ctx)
	}
	d, err := s.cfg.Ask(ctx, q)
	if err != nil {
		return Decision{}, fmt.Errorf("asking: %w", err)
	}
	if ctx.Err() != nil { // an answer to a call that has ended
		return Decision{}, context.Cause(ctx)
	}
	if d.Behavior != Allow && d.Behavior != Deny {
		return Decision{}, fmt.Errorf("the answer was %v, neither allow nor deny", d.Behavior)
	}
	return d, nil
}

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
func (s *Session) countBlock(d Decision, classified bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.Behavior == Allow:
		s.blocks.run = 0
	case classified && d.Behavior == Deny:
		s.blocks.run++
		s.blocks.all++
	}
}

// classify lets the classifier answer, in auto mode. It returns d if that does not
// settle it.
func (j *job) classify(ctx context.Context, d Decision, ts []Target) (_ Decision, classified bool) {
	s := j.batch.pool.session
	p := s.permissions()
	s.mu.Lock()
	tired := s.blocks.tooMany()
	s.mu.Unlock()
	auto := func(m Mode) bool { return m == ModeAuto || m == ModeBypass }
	if d.Behavior != Ask || tired || p.Mode() != ModeAuto || !all(p.outer, auto) || (!d.unruled && !d.cautious) || j.entry.info.RequiresUser {
		return d, false
	}
	classifier := s.cfg.Classifier
	if classifier == nil {
		classifier = ClassifyByTargets
	}
	var answer Decision
	if err := lane.Try(func() (err error) { answer, err = classifier(ctx, j.question(d, ts)); return err }); err != nil {
		j.batch.reportCrash(j.call.Name, StagePermission, fmt.Errorf("classifier: %w", err))
		return d, false
	}
	if answer.Behavior == Deny || answer.Behavior == Allow && d.unruled { // what needs a person is never allowed without one
		answer.Reason = "the classifier: " + answer.Reason
		return Decision{Behavior: answer.Behavior, Reason: answer.Reason}, true
	}
	return d, false
}

// permit hears the hooks, the tool, the rules and at last a person.
func (j *job) permit(ctx context.Context) (rewritten json.RawMessage, f *failure) {
	hook, f := j.preHooks(ctx)
	if f != nil {
		return nil, f
	}
	if j.changes(hook) {
		return slices.Clone(hook.Input), nil
	}
	j.stage = StagePermission
	own := j.entry.tool.Permit(ctx, j.call)
	if j.changes(own) {
		return slices.Clone(own.Input), nil
	}
	d := j.call.decide(j.call.state.targets, hook, own)
	if d.Behavior == Ask && j.approved != nil && bytes.Equal(j.approved, j.call.Input) {
		d = Decision{Behavior: Allow, Reason: "a person allowed this input"}
	}
	if d.Behavior == Allow && j.loop != "" {
		d = Decision{Behavior: Ask, Reason: j.loop}
	}
	d, classified := j.classify(ctx, d, j.call.state.targets)
	if d.Behavior == Ask {
		answer, err := j.askAbout(ctx, d, j.call.state.targets)
		if err != nil {
			return nil, j.unanswered(ctx, d, err)
		}
		if answer.Behavior == Allow && j.loop != "" {
			j.batch.pool.session.loops.Allowed(j.identity)
			j.loop = ""
		}
		if j.changes(answer) {
			j.approved = slices.Clone(answer.Input)
			return slices.Clone(answer.Input), nil
		}
		d = answer
	}
	j.batch.pool.session.countBlock(d, classified)
	if d.Behavior == Deny && d.unruled { // by a mode that asks nobody
		d.Reason = j.call.withRemedy(d.Reason, j.call.state.targets)
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
	d, err := pre(ctx, j.hookCall(nil))
	if err != nil {
		j.batch.hookFailed(j.call.Name, err)
		j.decide(Decision{Behavior: Deny, Reason: "a hook failed: " + err.Error()})
		return Decision{}, &failure{err: fmt.Errorf("%w: %w", ErrDenied, err),
			text: fmt.Sprintf("%s was denied: a hook that guards it failed. Tell the user; repeating the call will not help.", j.call.Name)}
	}
	return d, nil
}

// hookCall is what hooks are told: copies, of which only a result comes back.
func (j *job) hookCall(o *Outcome) *HookCall {
	h := &struct {
		HookCall
		call    Call
		outcome Outcome
	}{HookCall: HookCall{Tool: j.entry.tool}, call: *j.call}
	h.call.Input = slices.Clone(j.call.Input)
	h.Call = &h.call
	if o != nil {
		h.outcome = *o
		h.outcome.Call = h.Call
		h.Outcome = &h.outcome
	}
	if j.batch.OnEvent != nil {
		h.emit = func(text string) { j.batch.emit(Event{Kind: EventHook, Call: j.call, Text: text}) }
	}
	return &h.HookCall
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
	j.batch.emit(Event{Kind: EventDecided, Call: j.call, Targets: cloneTargets(ts), Decision: &d})
}

func (j *job) question(d Decision, ts []Target) *Question {
	return &Question{Tool: j.entry.tool, Call: j.call.copied(), Targets: cloneTargets(ts), Reason: d.Reason, Agent: j.batch.pool.session.agentPath()}
}

// askAbout puts a question, before the call or from within it.
func (j *job) askAbout(ctx context.Context, d Decision, ts []Target) (Decision, error) {
	s := j.batch.pool.session
	q := j.question(d, ts)
	if hook := s.cfg.Hooks.Permission; hook != nil && !j.entry.info.RequiresUser {
		answer, err := hook(ctx, q)
		if err != nil {
			j.batch.hookFailed(j.call.Name, err)
			return Decision{Behavior: Deny, Reason: "a hook that answers for the person failed"}, nil
		}
		if answer.Behavior == Allow || answer.Behavior == Deny {
			answer.Reason = cmp.Or(answer.Reason, "a hook answered: "+answer.Behavior.String())
			return answer, nil
		}
	}
	if s.cfg.Ask != nil {
		j.batch.emit(Event{Kind: EventAsked, Call: j.call, Targets: cloneTargets(ts), Text: d.Reason})
	}
	answer, err := s.ask(ctx, q)
	answer.Reason = cmp.Or(answer.Reason, "a person answered: "+answer.Behavior.String())
	return answer, err
}

// unanswered is the denial of a call that had to be asked about.
func (j *job) unanswered(ctx context.Context, d Decision, err error) *failure {
	if ctx.Err() != nil {
		return j.stopped(context.Cause(ctx))
	}
	d = Decision{Behavior: Deny, Rule: d.Rule, Reason: j.call.unanswered(d, j.call.state.targets, err)}
	j.decide(d)
	return &failure{err: fmt.Errorf("%w: %s", ErrDenied, d.Reason),
		text: fmt.Sprintf("%s was denied: %s. No person refused it; do something else or tell the user what is needed.", j.call.Name, d.Reason)}
}
