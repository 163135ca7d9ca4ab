package lifetime_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
)

var errLate = errors.New("late")

// end is what an owner does to close.
func end(ctx context.Context, l *lifetime.Closers) error {
	if err := l.BeginClose(ctx); err != nil {
		return err
	}
	defer l.EndClose()
	return errors.Join(l.Close(ctx)...)
}

func item(name string, end func(context.Context) error) *lifetime.Closer {
	return &lifetime.Closer{Name: name, Close: end}
}

// patience returns a context that ends with errLate.
func patience(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, errLate)
	t.Cleanup(cancel)
	return ctx
}

func TestNewestEndsFirst(t *testing.T) {
	t.Parallel()
	l := lifetime.NewClosers()
	var order []string
	for _, name := range []string{"a", "b", "c"} {
		require.True(t, l.Add(item(name, func(context.Context) error {
			order = append(order, name)
			return nil
		})))
	}
	require.True(t, l.AddFirst(item("last", func(context.Context) error {
		order = append(order, "last")
		return nil
	})))
	require.NoError(t, end(t.Context(), l))
	require.Equal(t, []string{"c", "b", "a", "last"}, order)
	require.False(t, l.AddFirst(item("late", nil)))
	require.NoError(t, end(t.Context(), l))
	require.Len(t, order, 4, "each ends once")
}

func TestFailuresAreNamed(t *testing.T) {
	t.Parallel()
	errBroken := errors.New("broken")
	tests := []struct {
		name string
		end  func(context.Context) error
		want string
	}{
		{name: "an error", end: func(context.Context) error { return errBroken }, want: "it: broken"},
		{name: "a panic", end: func(context.Context) error { panic("boom") }, want: "it: panic: boom"},
		{name: "the end of its goroutine", end: func(context.Context) error { runtime.Goexit(); return nil },
			want: "it: the function ended its goroutine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, ended := lifetime.NewClosers(), false
			l.Add(item("first", func(context.Context) error { ended = true; return nil }))
			l.Add(item("it", tt.end))
			require.EqualError(t, end(t.Context(), l), tt.want)
			require.True(t, ended, "the others end all the same")
			require.NoError(t, end(t.Context(), l), "it is reported once")
		})
	}
}

// TestGivesUp has an item that heeds nothing: it is given up, later ones are still
// told, and who ends the list again waits for it.
func TestGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, release := lifetime.NewClosers(), make(chan struct{})
		var told []string
		l.Add(item("old", func(ctx context.Context) error {
			told = append(told, "old")
			return context.Cause(ctx)
		}))
		l.Add(item("deaf", func(context.Context) error { <-release; return errors.New("at last") }))

		err := end(patience(t, time.Second), l)
		require.ErrorIs(t, err, errLate)
		require.ErrorContains(t, err, "deaf: late")
		synctest.Wait()
		require.Equal(t, []string{"old"}, told)

		started := time.Now()
		require.ErrorContains(t, end(patience(t, time.Minute), l), "deaf: late")
		require.Equal(t, time.Minute, time.Since(started), "a second time waits for it")

		close(release)
		synctest.Wait()
		require.ErrorContains(t, end(t.Context(), l), "deaf: at last")
		require.NoError(t, end(t.Context(), l))
	})
}

func TestSecondWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := lifetime.NewClosers()
		l.Add(item("slow", func(context.Context) error { time.Sleep(time.Minute); return nil }))
		started, first := time.Now(), make(chan error, 1)
		go func() { first <- end(t.Context(), l) }()
		synctest.Wait()
		require.ErrorIs(t, end(patience(t, time.Second), l), errLate, "it does not get its turn")
		require.NoError(t, end(t.Context(), l))
		require.Equal(t, time.Minute, time.Since(started))
		require.NoError(t, <-first)
	})
}

func TestSealed(t *testing.T) {
	t.Parallel()
	l := lifetime.NewClosers()
	late := item("late", func(context.Context) error { panic("never called") })
	require.NoError(t, l.BeginClose(t.Context()))
	require.False(t, l.Add(late))
	require.Empty(t, l.Close(t.Context()))
	l.EndClose()
	require.False(t, l.Add(late))
	require.NoError(t, end(t.Context(), l))
}

func TestRemove(t *testing.T) {
	t.Parallel()
	l := lifetime.NewClosers()
	var ended []string
	items := map[string]*lifetime.Closer{}
	for _, name := range []string{"a", "b", "c"} {
		items[name] = item(name, func(context.Context) error { ended = append(ended, name); return nil })
		l.Add(items[name])
	}
	l.Remove(items["b"])
	l.Remove(items["b"])
	require.NoError(t, end(t.Context(), l))
	l.Remove(items["a"])
	require.Equal(t, []string{"c", "a"}, ended)
}

// TestBeginWithoutEnd checks that what the first did not end is left to the next.
func TestBeginWithoutEnd(t *testing.T) {
	t.Parallel()
	l, ended := lifetime.NewClosers(), false
	l.Add(item("it", func(context.Context) error { ended = true; return nil }))
	require.NoError(t, l.BeginClose(t.Context()))
	l.EndClose()
	require.False(t, ended)
	require.NoError(t, end(t.Context(), l))
	require.True(t, ended)
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	l := lifetime.NewClosers()
	var causes []error
	none := func(context.Context) error { return nil }
	l.Add(item("cannot be", none))
	l.Add(&lifetime.Closer{Name: "can be", Close: none, Interrupt: func(cause error) { causes = append(causes, cause) }})
	l.Interrupt(errLate)
	require.Equal(t, []error{errLate}, causes)
	require.NoError(t, l.BeginClose(t.Context()))
	l.Interrupt(errLate)
	require.Len(t, causes, 1, "what is ended is not interrupted")
	l.EndClose()
}

func TestExcursions(t *testing.T) {
	t.Parallel()
	const grace = time.Second
	tests := []struct {
		name      string
		stopAfter time.Duration // of the beginning; negative: before it
		takes     time.Duration
		graces    int
		replaced  bool
	}{
		{name: "no stop", stopAfter: time.Hour, takes: time.Minute, graces: 1},
		{name: "it heeds the stop", stopAfter: time.Minute, takes: time.Minute + grace - 1, graces: 1},
		{name: "it does not", stopAfter: time.Minute, takes: time.Minute + grace + 1, graces: 1, replaced: true},
		{name: "stopped before, within the grace", stopAfter: -1, takes: grace - 1, graces: 1},
		{name: "stopped before, too late", stopAfter: -1, takes: grace + 1, graces: 1, replaced: true},
		{name: "stopped before, within two", stopAfter: -1, takes: 2*grace - 1, graces: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var x lifetime.Excursions
				var replaced atomic.Bool
				stop := func() {
					x.Stop(grace, func(leave func() bool) { replaced.Store(leave()) })
					x.Stop(0, func(func() bool) { t.Error("only the first stop counts") })
				}
				if tt.stopAfter < 0 {
					stop()
				} else {
					time.AfterFunc(tt.stopAfter, stop)
				}
				number := x.Begin(tt.graces)
				time.Sleep(tt.takes)
				require.Equal(t, !tt.replaced, x.End(number))
				require.Equal(t, tt.replaced, replaced.Load())
				next := x.Begin(1)
				require.False(t, x.End(number), "that one is over")
				require.True(t, x.End(next))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

// TestExcursionHasOneOwner lets who returns and who takes over meet.
func TestExcursionHasOneOwner(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 200) {
		var x lifetime.Excursions
		over := make(chan bool, 1)
		number := x.Begin(1)
		x.Stop(0, func(leave func() bool) { over <- leave() })
		if x.End(number) {
			select {
			case taken := <-over:
				require.False(t, taken)
			default:
			}
		} else {
			require.True(t, <-over)
		}
	}
}
