package pegboard_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/effort"
)

// A cut ends a plan in its midst.
type cut struct {
	name    string
	cause   error                     // that the calls wrap which it ended
	streams bool                      // it ends a stream
	beside  bool                      // it waits for the calls, so the listener cannot do it
	lets    func(*pegboard.Call) bool // begin later
	do      func(*scene)
}

// looks says which calls may begin after a message was cut off: those that did not
// wait for its end.
func looks(c *pegboard.Call) bool { return c.ReadOnly() }

// inside says which calls may begin after a new message: those of a script that the
// message waits for.
func inside(c *pegboard.Call) bool { return c.Parent() != nil }

func cuts() []cut {
	interrupt := func(cause error) func(*scene) { return func(s *scene) { s.session.Interrupt(cause) } }
	finish := func(why pegboard.FinishReason) func(*scene) { return func(s *scene) { s.missed = !s.finish(why) } }
	return []cut{
		{name: "the user interrupts", cause: pegboard.ErrUserInterrupt, do: func(s *scene) { s.cancel(pegboard.ErrUserInterrupt) }},
		{name: "a new message", cause: pegboard.ErrNewMessage, lets: inside, do: func(s *scene) { s.cancel(pegboard.ErrNewMessage) }},
		{name: "the context ends", cause: context.Canceled, do: func(s *scene) { s.cancel(nil) }},
		{name: "the turn is over", cause: context.DeadlineExceeded, do: func(s *scene) { s.cancel(context.DeadlineExceeded) }},
		{name: "Session.Interrupt", cause: pegboard.ErrUserInterrupt, do: interrupt(pegboard.ErrUserInterrupt)},
		{name: "Session.Interrupt by a message", cause: pegboard.ErrNewMessage, do: interrupt(pegboard.ErrNewMessage)},
		{name: "Session.Interrupt without a cause", cause: pegboard.ErrCancelled, do: interrupt(nil)},
		{name: "Session.Close", cause: pegboard.ErrClosed, beside: true, do: func(s *scene) { _ = s.session.Close(context.Background()) }},
		{name: "Finish, too long", cause: pegboard.ErrCancelled, streams: true, lets: looks, do: finish(pegboard.FinishLength)},
		{name: "Finish, filtered", cause: pegboard.ErrCancelled, streams: true, lets: looks, do: finish(pegboard.FinishFilter)},
		{name: "Stream.Abandon", cause: pegboard.ErrAbandoned, streams: true, beside: true, do: func(s *scene) {
			s.stream.Abandon(nil)
		}},
	}
}

// TestInvariant1EveryCallHasOneOutcome plays random plans and ends each after
// its first event, after the second, and so on to the last, in turn by every cause
// there is, and as a message or as a stream.
func TestInvariant1EveryCallHasOneOutcome(t *testing.T) {
	t.Parallel()
	all, turn := cuts(), 0
	for seed := range effort.Of(t, uint64(30)) {
		p := draw(rand.New(rand.NewPCG(seed, 1)))
		for _, how := range []manner{{name: "together"}, {name: "streamed", streams: true}} {
			undisturbed := 0
			bubble(t, func() string { return "seed " + strconv.FormatUint(seed, 10) + ", undisturbed:" + p.String() }, func(t *testing.T) {
				t.Helper()
				undisturbed = len(play(t, p, 2, how, nil).events)
			})
			for k := 1; k <= undisturbed; k++ {
				c := all[turn%len(all)]
				if turn++; c.streams && !how.streams {
					continue
				}
				c.beside = c.beside || turn%2 == 0
				c.play(t, p, how, seed, k)
			}
		}
	}
}

// TestInvariant1HoldsWhereFailuresCancel plays plans in which a call that fails stops
// those beside it. A call that was stopped was beside one that did fail.
func TestInvariant1HoldsWhereFailuresCancel(t *testing.T) {
	t.Parallel()
	c := cut{cause: pegboard.ErrSiblingFailed}
	for seed := range effort.Of(t, uint64(60)) {
		p := draw(rand.New(rand.NewPCG(seed, 3)))
		for _, how := range []manner{{name: "together", siblings: true}, {name: "streamed", siblings: true, streams: true}} {
			what := func() string { return "seed " + strconv.FormatUint(seed, 10) + ", " + how.name + ":" + p.String() }
			bubble(t, what, func(t *testing.T) {
				t.Helper()
				s := play(t, p, 0, how, nil)
				c.check(t, s, time.Now(), what)
				stopped := func(o pegboard.Outcome) bool { return errors.Is(o.Err, pegboard.ErrSiblingFailed) }
				failed := func(o pegboard.Outcome) bool {
					return o.Call.Name == "DoOrStop" && o.Result.IsError && s.ran[o.Call.ID] > 0 && !stopped(o)
				}
				require.True(t, !slices.ContainsFunc(s.outs, stopped) || slices.ContainsFunc(s.outs, failed), what())
			})
		}
	}
}

// play plays a plan up to its k-th event, cuts it there, and sees what becomes of it.
func (c cut) play(t *testing.T, p plan, how manner, seed uint64, k int) {
	t.Helper()
	what := func() string {
		return "seed " + strconv.FormatUint(seed, 10) + ", " + how.name + ", after event " + strconv.Itoa(k) + " " + c.name + ":" + p.String()
	}
	bubble(t, what, func(t *testing.T) {
		t.Helper()
		var at time.Time
		done := make(chan struct{})
		s := play(t, p, 2, how, func(s *scene, n int) {
			if n != k {
				return
			}
			at = time.Now()
			if !c.beside {
				c.do(s)
				close(done)
				return
			}
			go func() {
				defer close(done)
				c.do(s)
			}()
		})
		if at.IsZero() {
			return // it went another way this time, which had fewer events
		}
		if <-done; s.missed {
			return
		}
		c.check(t, s, at, what)
	})
}

// check sees that each call ended as it was foreseen for it alone, or by the cut;
// that none began later, and that all ended soon.
func (c cut) check(t *testing.T, s *scene, at time.Time, what func() string) {
	t.Helper()
	for i, o := range s.outs {
		var ce *pegboard.CallError
		require.True(t, o.Err == nil || errors.As(o.Err, &ce), "%s: %v\n%s", o.Call.ID, o.Err, what())
		cancelled, detached := errors.Is(o.Err, pegboard.ErrCancelled), errors.Is(o.Err, pegboard.ErrDetached)
		switch {
		case cancelled:
			require.ErrorIs(t, o.Err, c.cause, "%s\n%s", o.Call.ID, what())
			require.NotErrorIs(t, o.Err, pegboard.ErrDenied, "%s\n%s", o.Call.ID, what())
			require.True(t, o.Result.IsError, "%s\n%s", o.Call.ID, what())
		case detached: // itself, or what has its keys
		case s.plan[i].Post == "block" && errors.Is(o.Err, errPlanned): // whatever came before it
		case slices.ContainsFunc(s.plan[:i], func(p planned) bool { return p.id == o.Call.ID }):
			require.ErrorIs(t, o.Err, pegboard.ErrDuplicate, "%s\n%s", o.Call.ID, what())
		default:
			alone := foresee(plan{s.plan[i]}, true)[0]
			if o.SameAs != nil { // it is checked with nothing in between
				alone.same = o.SameAs.ID
			}
			if alone.says = o.Result.Text(); s.plan[i].Ends == "hang" && o.Err == nil {
				t.Fatalf("%s hangs, and ended by itself\n%s", o.Call.ID, what())
			}
			alone.check(t, o, what)
		}
	}
	for _, e := range s.events {
		if e.Kind == pegboard.EventStarted && e.Time.After(at) {
			require.True(t, c.lets != nil && c.lets(e.Call), "%s began %v after it was cut\n%s", e.Call.ID, e.Time.Sub(at), what())
		}
		if e.Kind == pegboard.EventFinished && c.lets == nil && e.Call.Parent() == nil {
			require.Less(t, e.Time.Sub(at), pegboard.DefaultGrace+time.Second, "%s ended late\n%s", e.Call.ID, what())
		}
	}
}
