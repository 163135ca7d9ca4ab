package pegboard

import (
	"context"
	"sync/atomic"
)

// mayClassify reports whether the classifier may settle d, in auto mode.
func (q *inquiry) mayClassify() bool {
	s := q.job.batch.pool.session
	p := s.permissions()
	auto := func(m Mode) bool { return m == ModeAuto || m == ModeBypass }
	return !s.blocks.tooMany() && p.Mode() == ModeAuto && all(p.outer, auto) && (q.unruled || q.cautious)
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
		if t.AskReason != "" {
			return Decision{Behavior: Deny, Reason: t.AskReason}, nil
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
type blocks struct{ run, all atomic.Int64 }

func (b *blocks) tooMany() bool { return b.run.Load() >= maxBlocksInARow || b.all.Load() >= maxBlocks }

// countBlock notes what became of a call.
func (s *Session) countBlock(d Decision) {
	switch {
	case d.Behavior == Allow:
		s.blocks.run.Store(0)
	case d.By == ByClassifier:
		s.blocks.run.Add(1)
		s.blocks.all.Add(1)
	}
}
