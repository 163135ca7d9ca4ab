package lifetime_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/lifetime"
	"github.com/seed49eaa51d/pegboard/internal/lock"
)

type key string

// scoped returns a Scope in the form in which the standard library gives its contexts.
func scoped(parent context.Context) (context.Context, context.CancelCauseFunc) {
	s := new(lifetime.Context)
	return s.Init(parent), s.Cancel
}

func TestCancelBeforeAnybodyLooked(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	ctx, end := scoped(context.WithValue(t.Context(), key("k"), "v"))
	require.NoError(t, ctx.Err())
	require.NoError(t, context.Cause(ctx))
	require.Equal(t, "v", ctx.Value(key("k")))
	end(cause)
	end(errors.New("too late"))
	require.Equal(t, context.Canceled, ctx.Err())
	require.Equal(t, cause, context.Cause(ctx))
	require.Equal(t, "v", ctx.Value(key("k")))
	<-ctx.Done()
}

// TestEndAllocatesNothing: what nobody waits for is not made.
func TestEndAllocatesNothing(t *testing.T) {
	parent, stop := context.WithCancel(t.Context())
	defer stop()
	scopes := make([]lifetime.Context, 101)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		s := &scopes[0]
		scopes = scopes[1:]
		ctx := s.Init(parent)
		if ctx.Err() == nil {
			s.Cancel(nil)
		}
		if ctx.Err() == nil {
			t.Error("it has not ended")
		}
	}))
}

// family is a context under test with a parent and what was made from it.
type family struct {
	parent, ctx context.Context //nolint:containedctx // they are under test
	endParent   context.CancelCauseFunc
	end         context.CancelCauseFunc
	stops       []context.CancelFunc
	children    []context.Context
	after       []func() bool
	told        []bool
	mu          lock.Mutex
}

func newFamily(begin func(context.Context) (context.Context, context.CancelCauseFunc), limit time.Duration) *family {
	f := new(family)
	base := context.WithValue(context.Background(), key("k"), "v")
	f.parent, f.endParent = context.WithCancelCause(base)
	if limit > 0 {
		var stop context.CancelFunc
		f.parent, stop = context.WithTimeoutCause(f.parent, limit, errors.New("slow"))
		f.stops = append(f.stops, stop)
	}
	f.ctx, f.end = begin(f.parent)
	return f
}

// step does one thing to the family and says what could be seen of it.
func (f *family) step(op, n int) string {
	cause := fmt.Errorf("cause %d", n)
	switch op {
	case 0:
		f.end(cause)
	case 1:
		f.end(nil)
	case 2:
		f.endParent(cause)
	case 3:
		child, stop := context.WithCancel(f.ctx)
		f.stops = append(f.stops, stop)
		f.children = append(f.children, context.WithValue(child, key("n"), n))
	case 4:
		i := len(f.told)
		f.told = append(f.told, false)
		f.after = append(f.after, context.AfterFunc(f.ctx, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.told[i] = true
		}))
	case 5:
		if len(f.after) > 0 {
			return fmt.Sprint(f.after[n%len(f.after)]())
		}
	case 6:
		select {
		case <-f.ctx.Done():
			return "done"
		default:
			return "not done"
		}
	case 7:
		time.Sleep(time.Second)
	case 8:
		at, ok := f.ctx.Deadline()
		return fmt.Sprint(time.Until(at), ok, f.ctx.Value(key("k")), f.ctx.Value(key("other")))
	case 9:
		child, stop := context.WithTimeoutCause(context.WithoutCancel(f.ctx), time.Second, cause)
		defer stop()
		return fmt.Sprint(child.Err(), child.Value(key("k")))
	case 10:
		return fmt.Sprint(f.ctx.Err(), context.Cause(f.ctx))
	}
	return ""
}

func (f *family) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := fmt.Sprint(f.ctx.Err(), context.Cause(f.ctx), f.told)
	for _, c := range f.children {
		text += fmt.Sprint(" ", c.Err(), context.Cause(c), c.Value(key("k")))
	}
	return text
}

// TestLikeTheStandardLibrary does the same things, in random order, to a Scope and to
// what it stands in for, and sees the same.
func TestLikeTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(2000)) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			limit := time.Duration(random.IntN(4)) * 1500 * time.Millisecond
			want, got := newFamily(context.WithCancelCause, limit), newFamily(scoped, limit)
			look := random.IntN(2) == 0 // or only in the end
			for n := range random.IntN(12) {
				op := random.IntN(11)
				require.Equal(t, want.step(op, n), got.step(op, n), "seed %d: operation %d, the %dth", seed, op, n)
				synctest.Wait()
				if look {
					require.Equal(t, want.seen(), got.seen(), "seed %d: operation %d, the %dth", seed, op, n)
				}
			}
			require.Equal(t, want.seen(), got.seen(), "seed %d", seed)
			for _, f := range []*family{want, got} {
				f.end(nil)
				f.endParent(nil)
				for _, stop := range f.stops {
					stop()
				}
			}
		})
	}
}

// TestOneEnd lets everything happen at once: all who look see one and the same end,
// and none takes it back.
func TestOneEnd(t *testing.T) {
	t.Parallel()
	for range effort.Of(t, 300) {
		parent, endParent := context.WithCancelCause(context.Background())
		ctx, end := scoped(parent)
		var group sync.WaitGroup
		group.Go(func() { endParent(errors.New("the parent's")) })
		group.Go(func() { end(errors.New("its own")) })
		var causes [4]error
		for i := range causes {
			group.Go(func() {
				for causes[i] == nil {
					causes[i] = context.Cause(ctx)
				}
			})
		}
		group.Go(func() { <-ctx.Done() })
		group.Wait()
		for _, cause := range causes {
			require.Equal(t, context.Cause(ctx), cause)
		}
	}
}

func BenchmarkScope(b *testing.B) {
	for _, bb := range []struct {
		name string
		make func(context.Context) (context.Context, context.CancelCauseFunc)
		done bool
	}{
		{name: "unlooked/std", make: context.WithCancelCause},
		{name: "unlooked/scope", make: scoped},
		{name: "done/std", make: context.WithCancelCause, done: true},
		{name: "done/scope", make: scoped, done: true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, end := bb.make(b.Context())
				if bb.done {
					ctx.Done()
				}
				end(nil)
			}
		})
	}
}
