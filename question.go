package pegboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An Asker puts a question to the user, a remote bridge, or a policy of the host. It
// returns Allow or Deny. Undecided abstains, and an error counts as no answer. A call
// that is not allowed is denied.
//
// With Allow it may change the call's input, which is then decoded, validated and
// decided again. With either it may change the permissions, by Decision.Remember; with
// Deny it may end the turn, by Decision.StopTurn. An answer that allows and cannot be
// applied, see [Session.Answer], denies.
//
// The context ends when the call ends, or when the question was answered in another way.
// The Asker must return then, perhaps after Run has returned: the next question is not
// shown before. It must not close the session, which waits for it. To check one, use
// tooltest.CheckAsker.
type Asker func(ctx context.Context, q *Question) (policy.Decision, error)

// AskLater is the [Asker] of a host that answers with [Session.Answer] only.
func AskLater(ctx context.Context, _ *Question) (policy.Decision, error) {
	<-ctx.Done()
	return policy.Decision{}, context.Cause(ctx)
}

// A Question is a call that waits for an answer.
type Question struct {
	// ID is the argument of [Session.Answer]. No other question has it, in this process
	// or another. It is empty as long as the user is not asked.
	ID        string
	Tool      Tool
	Call      *Call
	Targets   []policy.Target // that the answer is about, resolved
	Reason    string          // why it is asked
	AgentPath []string        // the ids of the agents that led to it, outermost first; empty for the main agent
	Others    int             // how many other questions were open when it was shown
	// ClassifierInput is the call as its tool describes it to a [Classifier]. The model has
	// written most of it. It is empty for all others who are asked.
	ClassifierInput string

	// Decision is how the call was decided so far: Ask, and by which rule, or for a [Guard]
	// Allow or Ask. It has neither Input nor Remember.
	Decision policy.Decision
	// Besides names those that decide at the same time as the user: ByHook, ByClassifier. It is
	// set in events and for the user.
	Besides []policy.Decider

	about *policy.Request // never written to
}

// copied returns a Question that can be written to without effect on q.
func (q *Question) copied() *Question {
	c := *q
	c.Call, c.Targets, c.AgentPath, c.Besides = q.Call.copied(), policy.Clone(q.Targets), slices.Clone(q.AgentPath), slices.Clone(q.Besides)
	return &c
}

// Answer is [Session.Answer] for a caller that has the question and no session. An Asker
// that lets the user correct a wrong answer calls it, and then returns the result of
// [AskLater].
func (q *Question) Answer(d policy.Decision) error {
	return q.Call.state.session.main().Answer(q.ID, d)
}

// Concerns is [HookCall.Concerns] for the targets that q is about: those of its call, or what
// that checks while it runs.
func (q *Question) Concerns(r policy.Rule) policy.Concern {
	if q.about == nil {
		return policy.ConcernMaybe
	}
	return q.Call.concerns(r, q.about.Targets)
}

// A Previewer is a [Tool] that can say which files a call would change. A Tool made by
// [Build] is one. A wrapper is one only if it has the method itself, since it may do other
// things than the tool in it.
type Previewer interface {
	Preview(ctx context.Context, c *Call) ([]Diff, error)
}

// Preview returns the changes of files that the call would make if it ran now, for the user
// or program that answers q. It changes nothing, waits for no other call and may be called
// concurrently. If a file changes before the call runs, the call applies to the file as it
// is then, or fails.
//
// It depends on q.Tool and not on the name in the call. If the tool is no [Previewer], or
// knows no preview of the call, the error wraps [ErrNoPreview]; a host that knows its
// wrapper can pass a copy of q with the inner tool. If the call would fail, the error is the
// one that the call would return, with a text for the model. This text, like the diffs, may
// quote files, so the model may see it only after the call is allowed.
func (q *Question) Preview(ctx context.Context) (diffs []Diff, err error) {
	p, ok := q.Tool.(Previewer)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoPreview, q.Call.Name)
	}
	if crash := goroutine.Try(func() error { diffs, err = p.Preview(ctx, q.Call.forPreview()); return nil }); crash != nil {
		return nil, crashError(crash)
	}
	return diffs, err
}

// Suggestions returns updates that an answer could remember, so that similar calls are
// not asked about again: alternatives, the narrowest first. Each is proven to allow this
// call, and none allows anything whatever. Outside the working directories and in protected
// files, they allow no more than this call does. Rules are spelled for the destination
// to; a mode is always for the session. The list may be empty: a rule or a mode may insist on
// asking, and calls that nothing is known of cannot be told apart.
//
// In ModeAsk, which asks whatever the rules say, the alternatives would allow the call
// in another mode.
func (q *Question) Suggestions(to policy.Source) (alternatives [][]policy.Update) {
	if q.about == nil {
		return nil
	}
	s := q.Call.Session()
	return s.grants.inForceAt(q.about.Place).Suggest(*q.about, to, s.permissionsAfter(q.about))
}

// Known returns the Targets without guesses, for a person. A guess is a word of a command line that
// may be the name of a file or host, such as one in the message of a commit; rules are compared
// with it, and Reason names it where it is the reason.
func (q *Question) Known() []policy.Target {
	return slices.DeleteFunc(policy.Clone(q.Targets), func(t policy.Target) bool { return t.Shell.Guess })
}

// unansweredReason words the denial of a call whose question got no answer.
func unansweredReason(c *Call, d policy.Decision, ts []policy.Target, err error) string {
	reason := fmt.Sprintf("%s, and %v", d.Reason, err)
	if !errors.Is(err, ErrNoApprover) || !d.Open() {
		return reason
	}
	return withRemedy(c, reason, ts)
}

// withRemedy adds to the reason of a denial the rule that would have allowed the call, as
// [Question.Suggestions] offer it.
func withRemedy(c *Call, reason string, ts []policy.Target) string {
	perms, r := c.request(ts)
	if rule := perms.Remedy(r, c.state.session.permissionsAfter(&r)); rule != "" {
		return reason + fmt.Sprintf("; the allow rule %s would permit it", rule)
	}
	return reason + "; no allow rule for it alone would permit it"
}

// permissionsAfter returns a func that says what permissions would be in force for r after updates.
func (s *Session) permissionsAfter(r *policy.Request) func(...policy.Update) (policy.Permissions, error) {
	return func(updates ...policy.Update) (policy.Permissions, error) {
		return s.grants.after(updates, r.Place, cmp.Or(r.Main, r.Place))
	}
}

// A pending question is in line, or shown to the user. That of a [Elicitation] is zero.
type pending struct {
	question *Question
	accept   func(policy.Decision) (policy.Decision, error)
	saved    chan struct{} // closed when the host has saved the answer, or failed to
}

// A Guard decides about each call that would run or be asked about, even if a rule, the
// mode, a hook, the tool or the caller has approved it. Question.Decision is how the call was
// decided so far. It can deny the call or have it asked about, and only the user answers
// then. It can change the input by Decision.Input, which is then decoded, validated and
// decided again, with the Guard. Deny with StopTurn ends the turn. It cannot allow anything:
// any other decision changes nothing, and Decision.Remember is ignored.
//
// An error or a panic denies the call. A Guard may be called concurrently. It is called
// before the user is asked, so that the user sees the input that runs. It is not called for
// targets that a running call checks.
type Guard func(ctx context.Context, q *Question) (policy.Decision, error)

// joinGuards returns a Guard that calls both. The stricter decision wins, and of two
// changed inputs the second.
func joinGuards(a, b Guard) Guard {
	return joinOpinions(a, b, func(q *Question, x, y policy.Decision) policy.Decision {
		d := policy.Stricter(x, y)
		d.Input = x.Input
		if q.Call.replacement(y.Input) != nil {
			d.Input = y.Input
		}
		return d
	})
}

// A Classifier decides in [policy.ModeAuto] calls that no rule decides, in the user's place. Any
// behavior but Allow and Deny, and an error, leave the call to the user. It may be called
// concurrently.
//
// Its question has the tool's text about the call, see [Question].ClassifierInput. It is
// not asked about a call whose tool has no such text: the user is. A tool of the host's own
// has one if its [Definition] has a ClassifierInput.
type Classifier func(ctx context.Context, q *Question) (policy.Decision, error)

// ClassifyByTargets is the default classifier. It denies calls that need the user's
// attention, such as the removal of a home directory, and leaves all others to the user.
// It calls no model.
func ClassifyByTargets(_ context.Context, q *Question) (policy.Decision, error) {
	for _, t := range q.Targets {
		if t.AskReason != "" {
			return policy.Decision{Behavior: policy.Deny, Reason: t.AskReason}, nil
		}
	}
	return policy.Decision{}, nil
}

// After this many denials by the classifier, in a row or in all, the user is asked
// again: the numbers that Claude Code documents for its auto mode.
const (
	maxRefusalsInARow = 3
	maxRefusals       = 20
)

// classifierRefusals count the calls that a session's classifier has denied.
type classifierRefusals struct{ inARow, all atomic.Int64 }

func (c *classifierRefusals) tooMany() bool {
	return c.inARow.Load() >= maxRefusalsInARow || c.all.Load() >= maxRefusals
}

// count counts a decision.
func (c *classifierRefusals) count(d policy.Decision) {
	switch {
	case d.Behavior == policy.Allow:
		c.inARow.Store(0)
	case d.By == policy.ByClassifier:
		c.inARow.Add(1)
		c.all.Add(1)
	}
}
