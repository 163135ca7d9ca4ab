package asking_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/asking"
)

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
