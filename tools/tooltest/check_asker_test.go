package tooltest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/tooltest"
)

// dialogs show questions to a user, one dialog for each.
type dialogs struct {
	mu   sync.Mutex
	open map[string]chan pegboard.Decision // by the question's id
}

func newDialogs() *dialogs { return &dialogs{open: map[string]chan pegboard.Decision{}} }

func (d *dialogs) show(id string) <-chan pegboard.Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[id] = make(chan pegboard.Decision, 1)
	return d.open[id]
}

func (d *dialogs) hide(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
}

func (d *dialogs) ask(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
	answer := d.show(q.ID)
	defer d.hide(q.ID)
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return pegboard.Decision{}, context.Cause(ctx)
	}
}

// click is the user. A dialog that is not there any more cannot be clicked.
func (d *dialogs) click(q *pegboard.Question, answer pegboard.Decision) {
	for range 100 { // until the dialog is shown
		d.mu.Lock()
		dialog := d.open[q.ID]
		d.mu.Unlock()
		if dialog != nil {
			dialog <- answer
			return
		}
		time.Sleep(time.Millisecond)
	}
}

type badAsker struct {
	name string
	// make returns the asker and its user. What waits for ever ends with release.
	make  func(release <-chan struct{}) (pegboard.Asker, func(*pegboard.Question, pegboard.Decision))
	rules []string
	got   string
}

// over changes what an asker with dialogs returns.
func over(change func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (pegboard.Decision, error)) func(<-chan struct{}) (pegboard.Asker, func(*pegboard.Question, pegboard.Decision)) {
	return func(<-chan struct{}) (pegboard.Asker, func(*pegboard.Question, pegboard.Decision)) {
		d := newDialogs()
		return func(ctx context.Context, q *pegboard.Question) (pegboard.Decision, error) {
			return change(ctx, q, d.ask)
		}, d.click
	}
}

func badAskers() []badAsker {
	answers, panics := []string{tooltest.RuleAskerAnswers}, []string{tooltest.RuleAskerPanics}
	return []badAsker{
		{name: "allows whatever the user says", rules: answers, got: "the user denied the call, and its error is <nil>", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (pegboard.Decision, error) {
			d, err := ask(ctx, q)
			if err == nil {
				d.Behavior = pegboard.Allow
			}
			return d, err
		})},
		{name: "loses the answer to a long question", rules: answers, got: "the user allowed the call, and its error is", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (pegboard.Decision, error) {
			d, err := ask(ctx, q)
			if len(q.Call.Input) > 1<<20 {
				return pegboard.Decision{}, errors.New("too long")
			}
			return d, err
		})},
		{name: "waits for its user only", rules: []string{tooltest.RuleAskerEnds}, got: "when the call was cancelled, did not return within 5s", make: func(release <-chan struct{}) (pegboard.Asker, func(*pegboard.Question, pegboard.Decision)) {
			d := newDialogs()
			return func(_ context.Context, q *pegboard.Question) (pegboard.Decision, error) {
				answer := d.show(q.ID)
				select {
				case a := <-answer:
					return a, nil
				case <-release:
					return pegboard.Decision{}, nil
				}
			}, d.click
		}},
		{name: "allows in the end", rules: []string{tooltest.RuleAskerSilence}, got: "it returned Allow when the call was cancelled", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (pegboard.Decision, error) {
			d, err := ask(ctx, q)
			if err != nil {
				return pegboard.Decision{Behavior: pegboard.Allow}, nil //nolint:nilerr // the mistake that is to be found
			}
			return d, nil
		})},
		{name: "lines of a terminal", rules: []string{tooltest.RuleAskerOther}, got: "the user answered the question before", make: func(<-chan struct{}) (pegboard.Asker, func(*pegboard.Question, pegboard.Decision)) {
			lines := make(chan pegboard.Decision, 10)
			return func(ctx context.Context, _ *pegboard.Question) (pegboard.Decision, error) {
				select {
				case a := <-lines:
					return a, nil
				case <-ctx.Done():
					return pegboard.Decision{}, context.Cause(ctx)
				}
			}, func(_ *pegboard.Question, answer pegboard.Decision) { lines <- answer }
		}},
		{name: "passes it on", rules: []string{tooltest.RuleAskerKnown}, got: "it returned the behavior ask", make: over(func(context.Context, *pegboard.Question, pegboard.Asker) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Ask}, nil
		})},
		{name: "panics without targets", rules: panics, got: "panic: runtime error: index out of range", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (pegboard.Decision, error) {
			_ = fmt.Sprint("May ", q.Targets[0].Value, "?")
			return ask(ctx, q)
		})},
		{name: "panics at control characters", rules: panics, got: "panic: no such glyph", make: over(func(ctx context.Context, q *pegboard.Question, ask pegboard.Asker) (pegboard.Decision, error) {
			if strings.Contains(q.Call.Targets()[0].Value, "\x1b") {
				panic("no such glyph")
			}
			return ask(ctx, q)
		})},
		{name: "ends the goroutine", rules: panics, got: "ended its goroutine", make: over(func(context.Context, *pegboard.Question, pegboard.Asker) (pegboard.Decision, error) {
			runtime.Goexit()
			return pegboard.Decision{}, nil
		})},
	}
}

func TestCheckAskerFindsBadAskers(t *testing.T) {
	t.Parallel()
	for _, tt := range badAskers() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				err := tooltest.CheckAsker(tt.make(release))
				close(release)
				time.Sleep(time.Hour)
				require.ElementsMatch(t, tt.rules, rulesOf(t, err), "%v", err)
				require.ErrorContains(t, err, tt.got)
			})
		})
	}
}

func TestCheckAskerRulesAreComplete(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, tt := range badAskers() {
		broken[tt.rules[0]] = true
	}
	requireRules(t, "check_asker.go", tooltest.AskerRules(), broken)
}

func TestCheckAskerPassesGoodAskers(t *testing.T) {
	t.Parallel()
	d := newDialogs()
	for _, tt := range []struct {
		name string
		ask  pegboard.Asker
		user func(*pegboard.Question, pegboard.Decision)
	}{
		{name: "dialogs", ask: d.ask, user: d.click},
		{name: "answered by Session.Answer", ask: pegboard.AskLater, user: func(q *pegboard.Question, answer pegboard.Decision) {
			_ = q.Answer(answer) // the question may be over
		}},
		{name: "a policy that allows", ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{Behavior: pegboard.Allow}, nil
		}},
		{name: "a policy that abstains", ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{}, nil
		}},
		{name: "a bridge that fails", ask: func(context.Context, *pegboard.Question) (pegboard.Decision, error) {
			return pegboard.Decision{}, errors.New("not connected")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, tooltest.AskerChecker{Grace: time.Minute}.Check(tt.ask, tt.user))
		})
	}
}

// The user answers each question by its id, wherever it is shown.
func ExampleCheckAsker() {
	fmt.Println(tooltest.CheckAsker(pegboard.AskLater, func(q *pegboard.Question, answer pegboard.Decision) {
		if err := q.Answer(answer); err != nil && !errors.Is(err, pegboard.ErrQuestionClosed) {
			fmt.Println(err)
		}
	}))

	// An asker that reads the next line of a terminal, whichever question it was meant for.
	lines := make(chan pegboard.Decision, 10)
	err := tooltest.CheckAsker(func(ctx context.Context, _ *pegboard.Question) (pegboard.Decision, error) {
		select {
		case answer := <-lines:
			return answer, nil
		case <-ctx.Done():
			return pegboard.Decision{}, context.Cause(ctx)
		}
	}, func(_ *pegboard.Question, answer pegboard.Decision) { lines <- answer })
	var v *tooltest.ContractError
	if errors.As(err, &v) {
		fmt.Println(v.Rule)
		fmt.Println(v.Why)
	}
	// Output:
	// <nil>
	// other questions are not answered
	// a person has seen another call than the one that would run
}
