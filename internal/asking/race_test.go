package asking_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

type race = asking.Race[string, string]

type outcome struct {
	answer string
	err    error // what it is, by errors.Is
}

var (
	errStopped = errors.New("the turn was stopped")
	errHungUp  = errors.New("the bridge hung up")
)

// newRace returns a race that only ctx ends: the person looks at the question
// for as long as ctx lets them.
func newRace(l *line) *race {
	return &race{
		Line:     l,
		Question: func(id string) string { return id },
		OnQueued: func(string) {},
		Recheck:  func() (string, bool) { return "", false },
		Prompt:   func(ctx context.Context, _ string) error { <-ctx.Done(); return context.Cause(ctx) },
	}
}

// decides returns a decider that says the same after a while.
func decides(after time.Duration, answer string, ok bool) func(context.Context) (string, bool) {
	return func(ctx context.Context) (string, bool) {
		select {
		case <-time.After(after):
			return answer, ok
		case <-ctx.Done():
			return "", false
		}
	}
}

// A contender ends a race at its own time, in its own way.
type contender struct {
	name  string
	enter func(s *scene, at time.Duration)
	want  outcome
}

// A scene is a race with its contenders, and another that waits for the same person.
type scene struct {
	race    *race
	run     func() (string, error)
	cancel  context.CancelCauseFunc // of the context it runs with
	ended   func() bool             // whether that was called
	id      chan string
	settled atomic.Bool // what Recheck returns
	answers []int       // how many Line.Answer delivered, by who answers
	others  sync.WaitGroup
}

// answer answers the question as soon as it is put.
func (s *scene) answer(by int, accept func(string) (string, error)) {
	id := <-s.id
	s.id <- id
	if s.race.Line.Answer(id, accept) == nil {
		s.answers[by]++
	}
}

// look has the person look at the question for a while, and then do something.
func (s *scene) look(at time.Duration, then func() error) {
	s.race.Prompt = func(ctx context.Context, _ string) error {
		select {
		case <-time.After(at):
			return then()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func say(answer string) func(string) (string, error) {
	return func(string) (string, error) { return answer, nil }
}

// later does f at a time of its own.
func (s *scene) later(at time.Duration, f func()) {
	s.others.Go(func() { time.Sleep(at); f() })
}

func decider(name string) contender {
	return contender{name: name, want: outcome{answer: name}, enter: func(s *scene, at time.Duration) {
		s.race.Deciders = append(s.race.Deciders, decides(at, name, true))
	}}
}

func person(name string, want outcome, then func(s *scene) error) contender {
	return contender{name: name, want: want, enter: func(s *scene, at time.Duration) {
		s.look(at, func() error { return then(s) })
	}}
}

func contenders() []contender {
	return []contender{
		decider("the classifier"),
		decider("the hook"),
		person("the person answers", outcome{answer: "the person"}, func(s *scene) error { s.answer(0, say("the person")); return nil }),
		person("the person leaves", outcome{err: errHungUp}, func(*scene) error { return errHungUp }),
		person("the person panics", outcome{err: errHungUp}, func(*scene) error { panic(errHungUp) }),
		{name: "an answer from elsewhere", want: outcome{answer: "elsewhere"}, enter: func(s *scene, at time.Duration) {
			s.later(at, func() { s.answer(1, say("elsewhere")) })
		}},
		{name: "a change", want: outcome{answer: "a rule"}, enter: func(s *scene, at time.Duration) {
			s.race.Recheck = func() (string, bool) { return "a rule", s.settled.Load() }
			s.later(at, func() { s.settled.Store(true); s.race.Line.NotifyChange() })
		}},
		{name: "the time-out", want: outcome{err: asking.ErrExpired}, enter: func(s *scene, at time.Duration) { s.race.PromptTimeout = at }},
		{name: "the end of the call", want: outcome{err: errStopped}, enter: func(s *scene, at time.Duration) {
			s.later(at, func() { s.cancel(errStopped) })
		}},
	}
}

// play runs the race, and another behind it, and returns how the first ended. It
// requires what holds of every race.
func (s *scene) play(t *testing.T) (outcome, time.Duration) {
	t.Helper()
	const goodbye = 5 * time.Second // the time a person needs to leave
	started, look := time.Now(), s.race.Prompt
	var left, shown time.Duration
	s.race.Prompt = func(ctx context.Context, id string) error {
		defer func() { left = time.Since(started) }()
		err := look(ctx, id)
		if err == nil || ctx.Err() != nil {
			time.Sleep(goodbye)
		}
		return err
	}
	s.race.OnQueued = func(id string) { s.id <- id }

	next, alone := newRace(s.race.Line), false
	next.Prompt = func(_ context.Context, id string) error {
		alone, shown = left > 0, time.Since(started)
		return s.race.Line.Answer(id, yes)
	}
	behind := make(chan error, 1)
	s.later(time.Nanosecond, func() { _, err := next.Run(t.Context()); behind <- err })

	answer, err := s.run()
	took := time.Since(started)
	require.NoError(t, <-behind)
	require.True(t, alone, "the next is shown only after the person's function has returned")
	require.Equal(t, left, shown, "and no later")
	s.race.Line.Wait()
	s.others.Wait()
	require.Empty(t, s.race.Line.Open())
	return outcome{answer: answer, err: err}, took
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{race: newRace(newLine()), id: make(chan string, 2), answers: make([]int, 2)}
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	s.run, s.cancel, s.ended = func() (string, error) { return s.race.Run(ctx) }, cancel, func() bool { return ctx.Err() != nil }
	return s
}

func (o outcome) is(want outcome) bool {
	if want.err != nil {
		return o.answer == "" && errors.Is(o.err, want.err)
	}
	return o == want
}

func TestOfTwoContendersTheFirstDecides(t *testing.T) {
	t.Parallel()
	for i, a := range contenders() {
		for j, b := range contenders() {
			if i == j || i >= 2 && i <= 4 && j >= 2 && j <= 4 {
				continue // there is one person
			}
			t.Run(a.name+" before "+b.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					s := newScene(t)
					a.enter(s, time.Second)
					b.enter(s, 2*time.Second)
					got, took := s.play(t)
					require.Truef(t, got.is(a.want), "%+v", got)
					require.Equal(t, time.Second, took, "nobody waits for the others")
					requireDelivered(t, s, got)
				})
			})
			t.Run(a.name+" and "+b.name, func(t *testing.T) {
				t.Parallel()
				for range 5 {
					synctest.Test(t, func(t *testing.T) {
						s := newScene(t)
						a.enter(s, time.Second)
						b.enter(s, time.Second)
						got, took := s.play(t)
						require.Truef(t, got.is(a.want) || got.is(b.want), "%+v", got)
						require.Equal(t, time.Second, took)
						requireDelivered(t, s, got)
					})
				}
			})
		}
	}
}

// requireDelivered requires that Line.Answer told the truth: what it delivered is
// what the race returned, unless the call ended.
func requireDelivered(t *testing.T, s *scene, got outcome) {
	t.Helper()
	want := []int{0, 0}
	switch {
	case got.answer == "the person":
		want[0] = 1
	case got.answer == "elsewhere":
		want[1] = 1
	case s.ended():
		require.LessOrEqual(t, s.answers[0]+s.answers[1], 1)
		return
	}
	require.Equal(t, want, s.answers)
}

// While an answer is being accepted, from the first second to the fourth, others
// come along.
func TestARaceWaitsForAnAnswerThatIsBeingAccepted(t *testing.T) {
	t.Parallel()
	accepts := []struct {
		name   string
		end    func() (string, error)
		counts bool
	}{
		{name: "counts", counts: true, end: func() (string, error) { return "accepted", nil }},
		{name: "is none", end: func() (string, error) { return "", errInvalid }},
		{name: "panics", end: func() (string, error) { panic("broken") }},
	}
	all := contenders()
	for i, a := range all {
		for j := i; j < len(all); j++ {
			b := all[j] // the one behind a, if it is not the same
			if i != j && i >= 2 && j <= 4 {
				continue
			}
			for _, accept := range accepts {
				t.Run(fmt.Sprintf("%s, %s, the answer %s", a.name, b.name, accept.name), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						s := newScene(t)
						s.later(time.Second, func() {
							defer func() { _ = recover() }()
							s.answer(1, func(string) (string, error) { time.Sleep(3 * time.Second); return accept.end() })
						})
						a.enter(s, 2*time.Second)
						if i != j {
							b.enter(s, 3*time.Second)
						}
						requireAccepted(t, s, a, b, accept.counts)
					})
				})
			}
		}
	}
}

func requireAccepted(t *testing.T, s *scene, a, b contender, counts bool) {
	t.Helper()
	got, took := s.play(t)
	want, end := a.want, 4*time.Second
	switch {
	case errors.Is(a.want.err, errStopped):
		end = 2 * time.Second
	case errors.Is(b.want.err, errStopped):
		want, end = b.want, 3*time.Second
	case counts:
		want = outcome{answer: "accepted"}
	case waits(a) && waits(b):
		require.Truef(t, got.is(a.want) || got.is(b.want), "%+v", got)
		return
	case waits(a) && a.name != b.name:
		want = b.want // which was there before the answer was none
	}
	require.Truef(t, got.is(want), "%+v", got)
	require.Equal(t, end, took)
}

// waits reports whether c answers by the line, where it has to wait for others.
func waits(c contender) bool { return c.want.answer == "the person" || c.want.answer == "elsewhere" }
