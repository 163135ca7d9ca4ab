package pegboard

import (
	"context"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

// An aheadOfHooks is a classifier that was asked before the hooks ran, so that both work
// at the same time. A nil one is none.
type aheadOfHooks struct {
	question *inquiry
	answer   *asking.Ahead[Decision]
}

// classifyAhead asks the classifier if the call will be put to it unless the hooks or the
// tool decide. The default classifier calls no model, and is not asked ahead.
func (j *job) classifyAhead(ctx context.Context) *aheadOfHooks {
	if j.session().cfg.Classifier == nil || j.session().grants.inForce().Mode() != ModeAuto || j.isApproved() {
		return nil
	}
	o := opinions{loop: j.loopReason, caller: j.callerOpinion()}
	q := j.inquiry(j.call.decide(o), o)
	if q.Behavior != Ask {
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
func (a *aheadOfHooks) classifierOf(q *inquiry) func(context.Context) (Decision, bool) {
	if a == nil || !q.mayClassify() {
		return nil
	}
	asked := a.question
	if asked.call != q.call || asked.Reason != q.Reason || asked.unruled != q.unruled || asked.cautious != q.cautious {
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
