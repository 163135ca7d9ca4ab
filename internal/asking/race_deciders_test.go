package asking_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

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
