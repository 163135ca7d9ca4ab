package asking_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
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

// A decision is what a decider of a table does, after a while.
type decision struct {
	after  time.Duration
	answer string
	panics bool
	leaves bool // by Goexit
}

func (d decision) decide(ctx context.Context) (string, bool) {
	answer, ok := decides(d.after, d.answer, d.answer != "")(ctx)
	switch {
	case d.panics && ctx.Err() == nil:
		panic("broken")
	case d.leaves:
		runtime.Goexit()
	}
	return answer, ok
}

const never = 24 * time.Hour

func TestDecidersHaveTheQuestionToThemselvesFirst(t *testing.T) {
	t.Parallel()
	abstains := decision{after: time.Second}
	tests := []struct {
		name     string
		deciders []decision
		after    time.Duration
		answer   string
		end      time.Duration
		shown    time.Duration // -1: never
	}{
		{name: "no time", deciders: []decision{{after: never}}, after: 0, answer: "person", end: time.Minute, shown: 0},
		{name: "less than no time", deciders: []decision{{after: never}}, after: -time.Hour, answer: "person", end: time.Minute, shown: 0},
		{name: "some time", deciders: []decision{{after: never}}, after: 2 * time.Second, answer: "person", end: time.Minute + 2*time.Second, shown: 2 * time.Second},
		{name: "decided within it", deciders: []decision{{after: never}, {after: time.Second, answer: "yes"}}, after: 2 * time.Second, answer: "yes", end: time.Second, shown: -1},
		{name: "decided after it", deciders: []decision{{after: 3 * time.Second, answer: "yes"}}, after: 2 * time.Second, answer: "yes", end: 3 * time.Second, shown: 2 * time.Second},
		{name: "no deciders", after: time.Hour, answer: "person", end: time.Minute, shown: 0},
		{name: "all abstain", deciders: []decision{abstains, abstains, {}}, after: time.Hour, answer: "person", end: time.Minute + time.Second, shown: time.Second},
		{name: "one abstains", deciders: []decision{abstains, {after: never}}, after: 2 * time.Second, answer: "person", end: time.Minute + 2*time.Second, shown: 2 * time.Second},
		{name: "a panic abstains", deciders: []decision{{after: time.Second, answer: "yes", panics: true}}, after: time.Hour, answer: "person", end: time.Minute + time.Second, shown: time.Second},
		{name: "a Goexit abstains", deciders: []decision{{after: time.Second, answer: "yes", leaves: true}}, after: time.Hour, answer: "person", end: time.Minute + time.Second, shown: time.Second},
		{name: "a panic beside a decision", deciders: []decision{{panics: true}, {after: time.Second, answer: "yes"}}, after: 2 * time.Second, answer: "yes", end: time.Second, shown: -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				started, shown, put := time.Now(), time.Duration(-1), time.Duration(-1)
				r := newRace(newLine())
				r.HeadStart = tt.after
				for _, d := range tt.deciders {
					r.Deciders = append(r.Deciders, d.decide)
				}
				r.OnQueued = func(string) { put = time.Since(started) }
				r.Prompt = func(ctx context.Context, id string) error {
					shown = time.Since(started)
					select {
					case <-time.After(time.Minute):
						return r.Line.Answer(id, say("person"))
					case <-ctx.Done():
						return nil
					}
				}
				answer, err := r.Run(t.Context())
				took := time.Since(started)
				r.Line.Wait()
				require.NoError(t, err)
				require.Equal(t, tt.answer, answer)
				require.Equal(t, tt.end, took)
				require.Equal(t, tt.shown, shown)
				require.Equal(t, tt.shown, put, "put when there is nobody before it")
			})
		})
	}
}

func TestWithoutAPrompt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		deciders []decision
		after    time.Duration
		want     outcome
		end      time.Duration
	}{
		{name: "nobody at all", want: outcome{err: asking.ErrNoApprover}},
		{name: "abstains at once", deciders: []decision{{}}, after: time.Hour, want: outcome{err: asking.ErrNoApprover}},
		{name: "all abstain, the last after its time", deciders: []decision{{after: time.Second}, {after: time.Minute}}, after: 2 * time.Second, want: outcome{err: asking.ErrNoApprover}, end: time.Minute},
		{name: "decides after its time", deciders: []decision{{after: time.Second}, {after: time.Minute, answer: "yes"}}, after: 2 * time.Second, want: outcome{answer: "yes"}, end: time.Minute},
		{name: "decides without time of its own", deciders: []decision{{after: time.Second, answer: "yes"}}, after: -1, want: outcome{answer: "yes"}, end: time.Second},
		{name: "a panic and a Goexit abstain", deciders: []decision{{after: time.Second, answer: "yes", panics: true}, {answer: "yes", leaves: true}}, want: outcome{err: asking.ErrNoApprover}, end: time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				started := time.Now()
				r := &race{Line: newLine(), HeadStart: tt.after}
				for _, d := range tt.deciders {
					r.Deciders = append(r.Deciders, d.decide)
				}
				answer, err := r.Run(t.Context())
				got := outcome{answer: answer, err: err}
				require.Truef(t, got.is(tt.want), "%+v", got)
				require.Equal(t, tt.end, time.Since(started))
				require.Empty(t, r.Line.Open())
			})
		})
	}
}

func TestTheContextOfALoserSaysWhyItEnded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		enter func(r *race, cancel context.CancelCauseFunc)
		want  error
	}{
		{name: "somebody else was faster", enter: func(r *race, _ context.CancelCauseFunc) {
			r.Deciders = append(r.Deciders, decides(time.Second, "yes", true))
		}},
		{name: "the time was over", want: asking.ErrExpired, enter: func(r *race, _ context.CancelCauseFunc) { r.PromptTimeout = time.Second }},
		{name: "the call ended", want: errStopped, enter: func(_ *race, cancel context.CancelCauseFunc) {
			time.AfterFunc(time.Second, func() { cancel(errStopped) })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				r, causes := newRace(newLine()), make(chan error, 2)
				loses := func(ctx context.Context) error {
					<-ctx.Done()
					causes <- context.Cause(ctx)
					return nil
				}
				r.Prompt = func(ctx context.Context, _ string) error { return loses(ctx) }
				r.Deciders = append(r.Deciders, func(ctx context.Context) (string, bool) { return "late", loses(ctx) == nil })
				tt.enter(r, cancel)
				_, err := r.Run(ctx)
				require.ErrorIs(t, err, tt.want)
				r.Line.Wait()
				for range 2 {
					cause := <-causes
					require.NotErrorIs(t, cause, context.Canceled)
					if tt.want == nil {
						require.ErrorContains(t, cause, "somebody else has answered")
					} else {
						require.ErrorIs(t, cause, tt.want)
					}
				}
				cancel(nil)
			})
		})
	}
}

func TestACallThatHasEndedAsksNobody(t *testing.T) {
	t.Parallel()
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errStopped)
			r := newRace(newLine())
			asked := 0
			r.OnQueued = func(string) { asked++ }
			r.Prompt = func(context.Context, string) error { asked++; return nil }
			_, err := r.Run(ctx)
			require.ErrorIs(t, err, errStopped)
			r.Line.Wait()
			require.Zero(t, asked)
		})
	}
}

func TestADeciderThatIgnoresItsContextKeepsNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, started := newRace(newLine()), time.Now()
		r.Deciders = []func(context.Context) (string, bool){
			func(context.Context) (string, bool) { time.Sleep(time.Hour); return "late", true },
			decides(time.Second, "yes", true),
		}
		answer, err := r.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, "yes", answer)
		require.Equal(t, time.Second, time.Since(started))
		r.Line.Wait()
		require.Equal(t, time.Hour, time.Since(started), "Wait waits for all who were asked")
	})
}

func TestAPersonWhoLeavesWithoutAnAnswerEndsTheRace(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		look func(l *line, id string) error
		want error // nil: any
	}{
		{name: "nil", look: func(*line, string) error { return nil }},
		{name: "error", look: func(*line, string) error { return errHungUp }, want: errHungUp},
		{name: "panic", look: func(*line, string) error { panic(errHungUp) }, want: errHungUp},
		{name: "Goexit", look: func(*line, string) error { runtime.Goexit(); return nil }},
		{name: "an answer that is none", look: func(l *line, id string) error { return l.Answer(id, no) }, want: errInvalid},
		{name: "nil after an answer that is none", look: func(l *line, id string) error { _ = l.Answer(id, no); return nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRace(newLine())
				r.Prompt = func(_ context.Context, id string) error { return tt.look(r.Line, id) }
				answer, err := r.Run(t.Context())
				require.Error(t, err)
				require.Empty(t, answer)
				if tt.want != nil {
					require.ErrorIs(t, err, tt.want)
				}
				require.NotErrorIs(t, err, asking.ErrNoApprover)
				require.NotErrorIs(t, err, asking.ErrExpired)
				require.Empty(t, r.Line.Open())
			})
		})
	}
}

func TestAPersonWhoIgnoresTheContextKeepsTheFloorAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, started := newLine(), time.Now()
		rude, next, third := newRace(l), newRace(l), newRace(l)
		rude.PromptTimeout = time.Second
		rude.Prompt = func(context.Context, string) error { time.Sleep(time.Hour); return nil }
		var shown time.Duration
		next.Prompt = func(_ context.Context, id string) error {
			shown = time.Since(started)
			return l.Answer(id, yes)
		}
		third.OnQueued = func(id string) { time.AfterFunc(time.Minute, func() { _ = l.Answer(id, yes) }) }
		ends := make(chan error, 2)
		for i, r := range []*race{next, third} {
			time.AfterFunc(time.Duration(i+1), func() { _, err := r.Run(t.Context()); ends <- err })
		}
		_, err := rude.Run(t.Context())
		require.ErrorIs(t, err, asking.ErrExpired)
		require.Equal(t, time.Second, time.Since(started), "the race itself does not wait")
		require.Len(t, l.Open(), 2)

		require.NoError(t, <-ends)
		require.Equal(t, time.Minute, time.Since(started).Truncate(time.Second), "who is answered from elsewhere does not wait, either")
		require.NoError(t, <-ends)
		require.Equal(t, time.Hour, shown)
		l.Wait()
	})
}

// The race is busy when it is answered, and when it gets the floor.
func TestWhatIsSettledIsNotShown(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		settle func(l *line, id string, cancel context.CancelFunc)
	}{
		{name: "answered", settle: func(l *line, id string, _ context.CancelFunc) { _ = l.Answer(id, yes) }},
		{name: "ended", settle: func(_ *line, _ string, cancel context.CancelFunc) { cancel() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 20 { // several things happen at once, and any may be seen first
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					l := newLine()
					first, shown := put(l, 1)[0], false
					r := newRace(l)
					r.OnQueued = func(id string) {
						tt.settle(l, id, cancel)
						first.Remove()
					}
					r.Prompt = func(context.Context, string) error { shown = true; return nil }
					_, _ = r.Run(ctx)
					l.Wait()
					require.False(t, shown)
					require.True(t, closed(put(l, 1)[0].Turn()), "it gives the floor away all the same")
				})
			}
		})
	}
}

func TestWhatADeciderHasDecidedIsNotShown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		first, shown := put(l, 1)[0], false
		r := newRace(l)
		r.Deciders = []func(context.Context) (string, bool){decides(time.Second, "yes", true)}
		r.OnQueued = func(id string) {
			go func() {
				_ = l.Answer(id, func(q string) (string, error) { time.Sleep(3 * time.Second); return no(q) })
			}()
			time.AfterFunc(2*time.Second, first.Remove) // while the answer is being accepted
		}
		r.Prompt = func(context.Context, string) error { shown = true; return nil }
		answer, err := r.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, "yes", answer)
		l.Wait()
		require.False(t, shown)
	})
}

// An answer that is being accepted when the call ends is lost. If it comes to
// nothing, the question is not open again, though its person still looks at it.
func TestNobodyAnswersWhatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, id := newRace(newLine()), ""
		r.OnQueued = func(put string) { id = put }
		r.Prompt = func(context.Context, string) error { time.Sleep(time.Hour); return nil }
		answered := make(chan error, 2)
		time.AfterFunc(time.Second, func() {
			answered <- r.Line.Answer(id, func(q string) (string, error) { time.Sleep(2 * time.Second); return no(q) })
		})
		time.AfterFunc(2*time.Second, cancel)
		_, err := r.Run(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, <-answered, errInvalid)
		require.Empty(t, r.Line.Open())
		require.ErrorIs(t, r.Line.Answer(id, yes), asking.ErrStale)
		r.Line.Wait()
	})
}

func TestRecheckIsForTheNewQuestionAndForChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLine()
		r, looks := newRace(l), 0
		r.Recheck = func() (string, bool) { looks++; return "a rule", looks == 3 }
		others := put(l, 2)
		end := make(chan error, 1)
		go func() { _, err := r.Run(t.Context()); end <- err }()
		synctest.Wait()
		require.Equal(t, 1, looks)
		require.ErrorIs(t, l.Answer(others[0].ID, no), errInvalid)
		require.NoError(t, l.Answer(others[0].ID, yes))
		others[1].Withdraw()
		synctest.Wait()
		require.Equal(t, 1, looks, "the answer to another question is no change by itself")
		l.NotifyChange()
		synctest.Wait()
		require.Equal(t, 2, looks)
		l.NotifyChange()
		require.NoError(t, <-end)
	})
}

func TestAChangeIsSeenWheneverItComes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(l *line, look int) // what happens while Recheck runs
		before bool                    // the first look finds it settled
		looks  int
	}{
		{name: "before the question is put", before: true, looks: 1},
		{name: "in the first look", looks: 2, change: func(l *line, look int) {
			if look == 1 {
				l.NotifyChange()
			}
		}},
		{name: "in the second look", looks: 3, change: func(l *line, look int) {
			if look < 3 {
				l.NotifyChange()
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l, started := newLine(), time.Now()
				r, looks, shown := newRace(l), 0, false
				r.HeadStart, r.Deciders = time.Second, []func(context.Context) (string, bool){decides(never, "late", true)}
				r.Recheck = func() (string, bool) {
					looks++
					if tt.change != nil {
						tt.change(l, looks)
					}
					return "a rule", looks == tt.looks
				}
				r.Prompt = func(ctx context.Context, _ string) error { shown = true; <-ctx.Done(); return nil }
				time.AfterFunc(time.Second/2, l.NotifyChange)
				answer, err := r.Run(t.Context())
				require.NoError(t, err)
				require.Equal(t, "a rule", answer)
				require.Equal(t, time.Second, time.Since(started))
				require.Equal(t, tt.looks, looks)
				l.Wait()
				if tt.before {
					require.False(t, shown)
				}
			})
		})
	}
}

// A host may end a conversation in the midst of it.
func TestWaitBesideARace(t *testing.T) {
	t.Parallel()
	l := newLine()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r := newRace(l)
			r.Prompt = func(_ context.Context, id string) error { return l.Answer(id, yes) }
			_, _ = r.Run(context.Background())
		})
		all.Go(l.Wait)
	}
	all.Wait()
	l.Wait()
	require.Empty(t, l.Open())
}

func TestAThousandQuestionsAnsweredInAnyOrder(t *testing.T) {
	t.Parallel()
	const n = 1000
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	order := rand.New(rand.NewPCG(seed, 0)).Perm(n)
	l, looks := newLine(), 0
	got, questions := make([]string, n), make([]string, n)
	var standing, all sync.WaitGroup
	for i := range n {
		r := newRace(l)
		r.Question = func(id string) string { return fmt.Sprintf("%s of race %d", id, i) }
		r.OnQueued = func(id string) { questions[i] = id; standing.Done() }
		show := r.Prompt
		r.Prompt = func(ctx context.Context, id string) error { looks++; return show(ctx, id) }
		standing.Add(1)
		all.Go(func() { got[i], _ = r.Run(t.Context()) })
	}
	standing.Wait()
	require.Len(t, l.Open(), n)
	for step, i := range order {
		require.NoError(t, l.Answer(questions[i], yes))
		require.ErrorIs(t, l.Answer(questions[i], yes), asking.ErrStale)
		if step%100 == 0 {
			require.Len(t, l.Open(), n-step-1)
		}
	}
	all.Wait()
	l.Wait()
	for i := range n {
		require.Equal(t, fmt.Sprintf("yes to %s of race %d", questions[i], i), got[i])
	}
	require.LessOrEqual(t, looks, n, "nobody saw a question twice")
	require.Empty(t, l.Open())
}
