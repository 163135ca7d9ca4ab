package pegboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/enum"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/policy"
)

// Hooks run around the calls of a session. Any of them may be nil. The hooks of one call
// run one after the other, those of different calls may run concurrently.
//
// A hook can deny a call, have it asked about, or change its input or result. It can spare
// the user a question. It never overrides a deny rule, and an ask rule only in Permission,
// which answers in the user's place.
type Hooks struct {
	// Select is called with the names of a pool's tools, in its order, and returns those
	// to keep, by name or alias. It cannot add any. If it panics, none is kept.
	Select func(s *Session, names []string) []string
	// Pre runs before permission is decided. A changed input is decoded, validated and
	// decided again, with all hooks, at most eight times.
	//
	// An error that wraps [ErrDeferred] is no failure, whatever OnFailure says: the host
	// answers the call later, for example by running the same Call again. Nothing runs, no
	// question is asked, and the outcome wraps the error and has StopTurn. Another hook that
	// denies is stronger, and so are deny rules, the tool's own refusal and plan mode.
	Pre func(ctx context.Context, h *HookCall) (policy.Decision, error)
	// Permission runs when a call must be asked about: before the user is asked and, if it
	// takes longer than [SessionConfig].PromptDelay, beside. Allow and Deny answer the
	// question. An error denies, unless OnFailure says otherwise; one that wraps ErrDeferred
	// puts the call off as in Pre. Of a running call, it denies the targets in question.
	Permission func(ctx context.Context, q *Question) (policy.Decision, error)
	// Post runs after a call that succeeded. It may change h.Outcome.Result, and end the
	// turn with h.Outcome.StopTurn.
	Post func(ctx context.Context, h *HookCall) error
	// PostFailure runs after a call that failed while it ran, instead of Post. A call that is
	// answered later, see [ErrDeferred], counts as one.
	PostFailure func(ctx context.Context, h *HookCall) error
	// NotRun runs after a call whose tool was not called, instead of Post: its name is
	// unknown, its input is wrong, it was denied, it was stopped before, or the same call
	// before it was its answer. The error in h.Outcome says which, h.Outcome.Decision who
	// denied it, and h.Outcome.SameAs which call is the same; only then the error may be nil.
	// The hook may change the text of h.Outcome.Result, in which an error stays one, and end
	// the turn. If it fails, that is
	// logged and changes nothing. So one of Post, PostFailure and NotRun runs for every
	// call, except one that is submitted after [Stream.Abandon].
	NotRun func(ctx context.Context, h *HookCall) error
	// Batch runs when all calls of a message have ended. It may set the Result and StopTurn
	// of their outcomes, which it must not keep. For words that the model should read it calls
	// [SayInBatch]. A [Stream] yields outcomes before it is finished, and the others when Batch has
	// returned.
	// A change of a result that was yielded has no effect and is logged; for StopTurn of such
	// an outcome see [Stream.StopTurn]. Of a [Gathering] it runs in End, which is after all results.
	Batch func(ctx context.Context, outcomes []Outcome) error

	// Timeout is how long each hook except Select may take; 0 means no limit. A hook that
	// exceeds it has failed, and is abandoned. Post, PostFailure, NotRun and Batch also run
	// after the turn was interrupted; their context then ends after [Executor].Grace.
	Timeout time.Duration
	// OnFailure says how an error, a panic or a timeout of a hook is treated.
	OnFailure FailMode
}

// A FailMode says what happens to a call whose hook failed.
type FailMode int

// The modes.
const (
	FailDefault  FailMode = iota // Pre and Permission block, the others continue
	FailBlock                    // the call is denied, or its result replaced by an error
	FailContinue                 // the failure is logged, and the hook ignored
)

// String returns the mode in lower case.
func (m FailMode) String() string { return enum.Name(m, "by kind", "block", "continue") }

// A HookCall is the argument of a hook.
type HookCall struct {
	Tool    Tool     // nil in NotRun if the pool has no tool of that name
	Call    *Call    // in NotRun, its Input may not be JSON
	Outcome *Outcome // nil in Pre

	host     hookHost // nil for a HookCall that no executor has made
	snapshot *Call    // the call as it is in events
}

// A hookHost is the running call that a hook belongs to.
type hookHost interface {
	say(parts []Part)
	emitFromHook(c *Call, text string)
}

// Say adds words that the model reads after the results of the message, whatever becomes of
// the call: it is denied, invalid, stopped, or its tool is not known. They join the Messages
// of the outcome's [Result] in the order in which they are said, and are within the limits of
// results. What hooks say once more when the input was replaced is added once. What is said of
// a call that another call made with [Call.Run] joins the words of the outer call, since the
// model does not read the inner result. Once the call has ended, the words become news of the
// session, see [Session.Notify].
//
// The model reads the words as the user's: foreign text in them is for the caller to mark.
// Parts that show nothing are left out. The bytes of parts must not be changed afterwards.
// Say may be called concurrently. It does nothing for a HookCall that no executor has made.
func (h *HookCall) Say(parts ...Part) {
	if h.host != nil {
		h.host.say(parts)
	}
}

// Concerns reports whether r is about the call, as a deny rule of its text would see it,
// whatever the behavior of r is: for a hook that runs only for such calls. It is
// [policy.ConcernMaybe] where part of the call cannot be seen, as with a command in a variable; if the
// input could not be read; and if r is no rule. A hook that restricts calls counts Maybe as Yes.
//
// The call is seen as it is before it runs, in Post and PostFailure, too, and as the hook got
// it, whatever the hook has changed. It is not parsed again, but a rule on files may look at the
// disk, as deny rules do. Concerns may be called concurrently.
func (h *HookCall) Concerns(r policy.Rule) policy.Concern {
	if h.snapshot == nil {
		return policy.ConcernMaybe
	}
	return h.snapshot.concerns(r, h.snapshot.state.targets)
}

// Identity returns a value that all hooks of one call have and those of no other call: the key
// of a map in which a hook keeps something from Pre until the call has ended. An id is no such
// key, since calls that a call makes with [Call.Run] may have none, and calls of different
// messages the same. The value is not to be kept longer than the call. It is nil for a
// HookCall that no executor has made.
func (h *HookCall) Identity() any { return h.host }

// requiresUser reports whether only the user may allow the call.
func (h *HookCall) requiresUser() bool { return h.Tool != nil && h.Tool.Info().RequiresUser }

// Emit reports the hook's progress to the executor's OnEvent.
func (h *HookCall) Emit(text string) {
	if h.host != nil {
		h.host.emitFromHook(h.snapshot, text)
	}
}

// JoinHooks returns hooks that run hs in the order given. All Pre and Permission hooks
// see the same call. The strictest decision wins, Deny before [ErrDeferred] and that before the
// others, and of several changed inputs the last.
// Select keeps the tools that every Select keeps, under the same name or alias. Each of hs keeps its own Timeout and
// OnFailure.
func JoinHooks(hs ...Hooks) Hooks {
	if len(hs) == 1 {
		return hs[0]
	}
	var joined Hooks
	for _, h := range hs {
		g := h.guarded()
		joined.Select = joinSelect(joined.Select, g.Select)
		joined.Pre = joinDecisions(joined.Pre, g.Pre)
		joined.Permission = joinAnswers(joined.Permission, g.Permission)
		joined.Post = joinErrors(joined.Post, g.Post)
		joined.PostFailure = joinErrors(joined.PostFailure, g.PostFailure)
		joined.NotRun = joinErrors(joined.NotRun, g.NotRun)
		joined.Batch = joinErrors(joined.Batch, g.Batch)
	}
	return joined
}

func joinSelect(a, b func(*Session, []string) []string) func(*Session, []string) []string {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(s *Session, names []string) []string {
		kept := a(s, slices.Clone(names))
		return slices.DeleteFunc(b(s, slices.Clone(names)), func(n string) bool { return !slices.Contains(kept, n) })
	}
}

// joinDecisions joins Pre hooks. Each sees the original call; the changed input is
// decided again.
func joinDecisions(a, b func(context.Context, *HookCall) (policy.Decision, error)) func(context.Context, *HookCall) (policy.Decision, error) {
	return joinOpinions(a, b, func(h *HookCall, x, y policy.Decision) policy.Decision {
		d := policy.Stricter(x, y)
		d.Input = x.Input
		bringer := x
		if h.Call.replacement(y.Input) != nil {
			d.Input, bringer = y.Input, y
		}
		if d.Behavior == policy.Allow && bringer.Behavior != policy.Allow && h.requiresUser() { // the hook that allows has not brought the input
			d.Behavior = policy.Undecided
		}
		return d
	})
}

// joinAnswers joins Permission hooks. A hook allows one input and no other: if two allow
// different inputs, neither is allowed.
func joinAnswers(a, b func(context.Context, *Question) (policy.Decision, error)) func(context.Context, *Question) (policy.Decision, error) {
	return joinOpinions(a, b, func(q *Question, x, y policy.Decision) policy.Decision {
		d := policy.Stricter(x, y)
		if x.Behavior != y.Behavior {
			return d
		}
		if d.Behavior == policy.Allow && !bytes.Equal(q.Call.replacement(x.Input), q.Call.replacement(y.Input)) {
			return policy.Decision{}
		}
		d.Remember, d.StopTurn = slices.Concat(x.Remember, y.Remember), x.StopTurn || y.StopTurn
		return d
	})
}

func joinOpinions[T any](a, b func(context.Context, T) (policy.Decision, error), join func(t T, x, y policy.Decision) policy.Decision) func(context.Context, T) (policy.Decision, error) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, t T) (policy.Decision, error) {
		x, deferred := a(ctx, t)
		if deferred != nil && !errors.Is(deferred, ErrDeferred) || deferred == nil && x.Behavior == policy.Deny {
			return x, deferred
		}
		y, err := b(ctx, t)
		switch {
		case err != nil && !errors.Is(err, ErrDeferred), err == nil && deferred != nil && policy.Stricter(y, policy.Decision{}).Behavior == policy.Deny:
			return y, err
		case deferred != nil:
			return policy.Decision{}, deferred
		case err != nil:
			return policy.Decision{}, err
		}
		return join(t, x, y), nil
	}
}

func joinErrors[T any](a, b func(context.Context, T) error) func(context.Context, T) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, x T) error {
		err := a(ctx, x)
		return errors.Join(err, b(ctx, x))
	}
}

// guarded returns h with Timeout and OnFailure applied to each hook. The remaining
// failures are treated as FailDefault says.
func (h Hooks) guarded() Hooks {
	g := Hooks{Select: h.Select}
	if h.Pre != nil {
		g.Pre = guardDecision(h, h.Pre)
	}
	if h.Permission != nil {
		g.Permission = guardDecision(h, h.Permission)
	}
	if h.Post != nil {
		g.Post = guardError(h, h.Post, ownCall)
	}
	if h.PostFailure != nil {
		g.PostFailure = guardError(h, h.PostFailure, ownCall)
	}
	if h.NotRun != nil {
		g.NotRun = guardError(h, h.NotRun, ownCall)
	}
	if h.Batch != nil {
		g.Batch = guardError(h, h.Batch, ownOutcomes)
	}
	return g
}

// narrowing returns h without the power to allow, for a fork.
func (h Hooks) narrowing() Hooks {
	h.Pre, h.Permission = withoutAllow(h.Pre), withoutAllow(h.Permission)
	return h
}

func narrowingAll(checks []Asker) []Asker {
	var narrowed []Asker
	for _, check := range checks {
		narrowed = append(narrowed, withoutAllow(check))
	}
	return narrowed
}

func withoutAllow[T any](hook func(context.Context, T) (policy.Decision, error)) func(context.Context, T) (policy.Decision, error) {
	if hook == nil {
		return nil
	}
	return func(ctx context.Context, x T) (policy.Decision, error) {
		d, err := hook(ctx, x)
		if d.Behavior == policy.Allow {
			d.Behavior = policy.Undecided
		}
		d.Remember = nil
		return d, err
	}
}

// errBlocked is wrapped by the failure of a hook whose OnFailure is FailBlock.
var errBlocked = errors.New("a hook that guards the call failed")

func guardDecision[T any](h Hooks, hook func(context.Context, T) (policy.Decision, error)) func(context.Context, T) (policy.Decision, error) {
	return func(ctx context.Context, x T) (policy.Decision, error) {
		d, err := call(ctx, h.Timeout, hook, x)
		if err != nil && h.OnFailure == FailContinue && !errors.Is(err, ErrDeferred) {
			return policy.Decision{}, nil
		}
		return d, err
	}
}

// guardError guards a hook that changes its argument. A hook with a timeout works on a
// copy, whose changes are taken over if it returns in time.
func guardError[T any](h Hooks, hook func(context.Context, T) error, copyOf func(T) (own T, takeOver func())) func(context.Context, T) error {
	return func(ctx context.Context, x T) error {
		var err error
		if h.Timeout <= 0 {
			err = markPanic(goroutine.Try(func() error { return hook(ctx, x) }))
		} else {
			own, takeOver := copyOf(x)
			_, err = withTimeout(ctx, h.Timeout, func(ctx context.Context, x T) (struct{}, error) { return struct{}{}, hook(ctx, x) }, own)
			if late := (*hookTimeoutError)(nil); !errors.As(err, &late) {
				takeOver()
			}
		}
		if err != nil && h.OnFailure == FailBlock {
			return fmt.Errorf("%w: %w", errBlocked, err)
		}
		return err
	}
}

// call runs a hook, and abandons it after limit; 0 means no limit.
func call[X, R any](ctx context.Context, limit time.Duration, hook func(context.Context, X) (R, error), x X) (r R, err error) {
	if limit > 0 {
		return withTimeout(ctx, limit, hook, x)
	}
	err = markPanic(goroutine.Try(func() (err error) { r, err = hook(ctx, x); return err }))
	return r, err
}

// markPanic wraps the error of a panic with [ErrPanic].
func markPanic(err error) error {
	if err == nil {
		return nil
	}
	var crash *goroutine.PanicError
	if errors.As(err, &crash) {
		return fmt.Errorf("%w: %w", ErrPanic, err)
	}
	return err
}

// withTimeout runs a hook on a goroutine of its own, and abandons it after limit.
func withTimeout[X, R any](ctx context.Context, limit time.Duration, hook func(context.Context, X) (R, error), x X) (R, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("hook %w after %v", ErrTimeout, limit))
	defer cancel()
	var r, none R
	var err error
	ended := goroutine.Go(func() { r, err = hook(ctx, x) })
	select {
	case crash := <-ended:
		if crash != nil {
			return none, fmt.Errorf("%w: %w", ErrPanic, crash)
		}
		return r, err
	case <-ctx.Done():
		return none, &hookTimeoutError{context.Cause(ctx)}
	}
}

// A hookTimeoutError is the error of a hook that was abandoned. It may still be running.
type hookTimeoutError struct{ error }

func (e *hookTimeoutError) Unwrap() error { return e.error }

func ownCall(h *HookCall) (own *HookCall, takeOver func()) {
	m := *h
	if h.Outcome != nil { // an earlier hook may have set it to nil
		o := *h.Outcome
		m.Outcome = &o
	}
	return &m, func() { h.Outcome = m.Outcome }
}

func ownOutcomes(outcomes []Outcome) (own []Outcome, takeOver func()) {
	own = slices.Clone(outcomes)
	return own, func() { copy(outcomes, own) }
}

// ResultOf returns the result that the tool of the call would have with another output, which
// is JSON of its output type. A Post hook can replace the tool's result with it. The
// output is read strictly, as that of a [ExternalResult]; an error says why it does not fit. A
// tool that keeps the text for the model beside its output has none for another one: the
// result then shows the output as JSON. ResultOf is for tools of this program; the results of a
// server's tools have no type.
func (h *HookCall) ResultOf(output json.RawMessage) (r *Result, err error) {
	if h.Tool == nil {
		return nil, errors.New("the call has no tool")
	}
	mapped, err := h.Tool.decodeOutput(output)
	if err != nil {
		return nil, err
	}
	err = markPanic(goroutine.Try(func() (err error) { r, err = mapped(); return err }))
	if err == nil && r == nil {
		r = &Result{}
	}
	if err == nil && r.empty() && string(output) != `""` {
		copied := *r
		copied.Parts = []Part{{Text: string(output)}}
		r = &copied
	}
	return r, err
}
