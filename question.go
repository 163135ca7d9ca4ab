package pegboard

import (
	"context"
	"slices"
)

// An Asker puts a question to a person, a remote bridge, or a policy of the
// host. It answers with Allow or Deny; Undecided abstains, and an error is no
// answer either. What is not allowed is denied.
//
// With Allow it may change the call's input, which is then decoded, validated and
// decided anew. With either it may change the permissions, by Decision.Remember;
// with Deny it may end the turn, by Decision.StopTurn. An answer that allows and
// cannot be what it says, see [Session.Answer], denies.
//
// The context ends when the call does, or when somebody else has answered. An
// Asker must return then, perhaps after Run has: nobody is shown the next question
// before. It must not close the session, which waits for it.
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
	ID        string
	Tool      Tool
	Call      *Call
	Targets   []Target // what the answer is about, resolved
	Reason    string   // why it is asked
	AgentPath []string // the ids of the agents that led to it, outermost first; empty for the main agent
	Others    int      // how many others were open when it was shown

	about *subject // never written to
}

// copied returns a Question that can be written to without effect on q.
func (q *Question) copied() *Question {
	c := *q
	c.Call, c.Targets, c.AgentPath = q.Call.copied(), cloneTargets(q.Targets), slices.Clone(q.AgentPath)
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
	saved    chan struct{} // closed once the answer is saved, or cannot be
}

// Answer is [Session.Answer] for who was shown q and holds no session: an Asker
// that lets a wrong answer be mended answers so, and returns what [AskLater] does.
func (q *Question) Answer(d Decision) error { return q.Call.state.session.main().Answer(q.ID, d) }

// Questions returns the questions that a person has not answered yet, of a main
// session and all its agents, in the order in which they are shown. A fork, which
// may belong to somebody who must not answer for the person, has none.
func (s *Session) Questions() []*Question {
	var qs []*Question
	if s.parent != nil {
		return nil
	}
	for _, p := range s.line.Open() {
		qs = append(qs, p.question.copied())
	}
	return qs
}

// Answer answers an open question of a main session or any of its agents, shown or
// not yet, as its [Asker] would. It may be called from anywhere but
// [SessionConfig].OnRemember.
//
// The error is [ErrQuestionClosed] if the question is not open: it was answered, its call has
// ended, or s is a fork. An answer that is none, an input that the tool cannot read
// and permissions that cannot be changed so are errors, too, and the question stays
// open. Only an error that wraps [ErrNotSaved] means that the answer counts.
func (s *Session) Answer(id string, d Decision) error {
	if s.parent != nil {
		return ErrQuestionClosed
	}
	var answered *pending
	var remembered []PermissionUpdate
	if err := s.line.Answer(id, func(p *pending) (Decision, error) {
		answered = p
		accepted, err := p.accept(d)
		remembered = accepted.Remember
		return accepted, err
	}); err != nil {
		return err
	}
	defer close(answered.saved)
	return s.save(remembered)
}
