package pegboard_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

// leftOut is the part that counts what was left out.
func leftOut(n int) pegboard.Part {
	return pegboard.Part{Text: fmt.Sprintf("(%d older messages of the program were left out: at most 256 are kept.)", n)}
}

func numberedParts(from, to int) (parts []pegboard.Part) {
	for i := from; i < to; i++ {
		parts = append(parts, pegboard.Part{Text: fmt.Sprint(i)})
	}
	return parts
}

// TestNews tells sessions, and looks at what the main session and its fork are handed out.
func TestNews(t *testing.T) {
	t.Parallel()
	image := pegboard.Part{MIME: "image/png", Data: []byte("\x89PNG")}
	type sessions struct{ main, fork, inner *pegboard.Session }
	closing := func(t *testing.T, s *pegboard.Session) {
		t.Helper()
		require.NoError(t, s.Close(t.Context()))
	}
	tests := []struct {
		name       string
		do         func(t *testing.T, s sessions)
		main, fork []pegboard.Part
	}{
		{name: "nothing", do: func(*testing.T, sessions) {}},
		{name: "what shows nothing", do: func(_ *testing.T, s sessions) { s.main.Notify(); s.main.Notify(partsOf("", " \n")...) }},
		{name: "each has its own", do: func(_ *testing.T, s sessions) {
			s.main.Notify(partsOf("a", "", "b")...)
			s.fork.Notify(image)
			s.main.Notify(partsOf("c")...)
		}, main: partsOf("a", "b", "c"), fork: []pegboard.Part{image}},
		{name: "as many as are kept", do: func(_ *testing.T, s sessions) { s.main.Notify(numberedParts(0, 256)...) }, main: numberedParts(0, 256)},
		{name: "one more", do: func(_ *testing.T, s sessions) {
			for _, p := range numberedParts(0, 257) {
				s.main.Notify(p)
			}
		}, main: append([]pegboard.Part{leftOut(1)}, numberedParts(1, 257)...)},
		{name: "many more at once", do: func(_ *testing.T, s sessions) { s.main.Notify(numberedParts(0, 1000)...) }, main: append([]pegboard.Part{leftOut(744)}, numberedParts(744, 1000)...)},
		{name: "the count begins anew", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.main.Notify(numberedParts(0, 300)...)
			require.Len(t, s.main.Notifications(), 257)
			s.main.Notify(partsOf("a")...)
		}, main: partsOf("a")},
		{name: "a fork that was closed", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.fork.Notify(partsOf("a")...)
			s.main.Notify(partsOf("b")...)
			closing(t, s.fork)
			s.fork.Notify(partsOf("late")...)
			closing(t, s.fork)
		}, main: partsOf("b", "a", "late")},
		{name: "a fork that was read before", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.fork.Notify(partsOf("a")...)
			require.Equal(t, partsOf("a"), s.fork.Notifications())
			closing(t, s.fork)
		}},
		{name: "a fork of a fork tells the main session", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.inner.Notify(partsOf("a")...)
			closing(t, s.inner)
		}, main: partsOf("a")},
		{name: "a fork closes its own", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.fork.Notify(partsOf("fork")...)
			s.inner.Notify(partsOf("inner")...)
			closing(t, s.fork)
			s.inner.Notify(partsOf("late")...)
		}, main: partsOf("inner", "fork", "late")},
		{name: "a fork had too many", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.main.Notify(partsOf("a")...)
			s.fork.Notify(numberedParts(0, 258)...)
			closing(t, s.fork)
		}, main: append([]pegboard.Part{leftOut(3)}, numberedParts(2, 258)...)},
		{name: "the main session was closed", do: func(t *testing.T, s sessions) {
			t.Helper()
			s.main.Notify(partsOf("a")...)
			s.fork.Notify(partsOf("b")...)
			closing(t, s.main)
			s.main.Notify(partsOf("c")...)
			s.fork.Notify(partsOf("d")...)
		}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			main := session(t, pegboard.SessionConfig{})
			fork := forked(t, main, pegboard.SessionConfig{AgentID: "fork"})
			s := sessions{main, fork, forked(t, fork, pegboard.SessionConfig{AgentID: "inner"})}
			tc.do(t, s)
			require.Equal(t, tc.fork, s.fork.Notifications())
			require.Equal(t, tc.main, s.main.Notifications())
			require.Empty(t, s.main.Notifications(), "handed out once")
			require.Empty(t, s.inner.Notifications())
		})
	}
}

// TestOnNews registers funcs, and looks at what two askings hand out.
func TestOnNews(t *testing.T) {
	t.Parallel()
	says := func(texts ...string) func() []pegboard.Part {
		return func() []pegboard.Part { return partsOf(texts...) }
	}
	tests := []struct {
		name          string
		do            func(t *testing.T, main, fork *pegboard.Session)
		first, second []pegboard.Part
	}{
		{name: "after what was told, in the order of the first registration", do: func(_ *testing.T, main, _ *pegboard.Session) {
			main.OnNotifications("b", says("old"))
			main.OnNotifications("a", says("a", " \n"))
			main.OnNotifications("b", says("b"))
			main.Notify(partsOf("told")...)
		}, first: partsOf("told", "b", "a"), second: partsOf("b", "a")},
		{name: "removed", do: func(_ *testing.T, main, _ *pegboard.Session) {
			main.OnNotifications("a", says("a"))
			main.OnNotifications("b", says("b"))
			main.OnNotifications("a", nil)
			main.OnNotifications("never there", nil)
		}, first: partsOf("b"), second: partsOf("b")},
		{name: "each session has its own", do: func(t *testing.T, _, fork *pegboard.Session) {
			t.Helper()
			fork.OnNotifications("a", says("a"))
			require.Equal(t, partsOf("a"), fork.Notifications())
			require.NoError(t, fork.Close(t.Context()))
			fork.OnNotifications("b", says("b"))
			require.Empty(t, fork.Notifications(), "a closed session asks nobody")
		}},
		{name: "one that uses the session", do: func(_ *testing.T, main, _ *pegboard.Session) {
			main.OnNotifications("a", func() []pegboard.Part {
				main.Notify(partsOf("later")...)
				main.OnNotifications("a", nil)
				return partsOf("now")
			})
		}, first: partsOf("now"), second: partsOf("later")},
		{name: "one that panics takes nothing from the others", do: func(_ *testing.T, main, _ *pegboard.Session) {
			main.Notify(partsOf("told")...)
			main.OnNotifications("the mailbox", func() []pegboard.Part { main.OnNotifications("the mailbox", nil); panic("torn") })
			main.OnNotifications("b", says("b"))
		}, first: partsOf("told", "(There may be more from the mailbox, which could not be read: panic: torn)", "b"), second: partsOf("b")},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			main := session(t, pegboard.SessionConfig{})
			fork := forked(t, main, pegboard.SessionConfig{AgentID: "fork"})
			tc.do(t, main, fork)
			require.Equal(t, tc.first, main.Notifications())
			require.Equal(t, tc.second, main.Notifications())
		})
	}
}

// TestNewsAtOnce tells and asks from many goroutines, while forks are closed. Every part is
// handed out once.
func TestNewsAtOnce(t *testing.T) {
	t.Parallel()
	main := session(t, pegboard.SessionConfig{})
	seen := map[string]int{}
	var mu sync.Mutex
	take := func(s *pegboard.Session) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range s.Notifications() {
			seen[p.Text]++
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		fork := forked(t, main, pegboard.SessionConfig{AgentID: fmt.Sprint(i)})
		all.Go(func() {
			for k := range 15 {
				fork.Notify(pegboard.Part{Text: fmt.Sprint("fork ", i, k)})
				main.Notify(pegboard.Part{Text: fmt.Sprint("main ", i, k)})
			}
		})
		all.Go(func() { _ = fork.Close(context.Background()) })
		all.Go(func() { take(main) })
	}
	all.Wait()
	take(main)
	require.Len(t, seen, 240)
	for text, n := range seen {
		require.Equal(t, 1, n, text)
	}
}

// TestNewsOfNoSession: Tell and News name themselves when they are called wrongly.
func TestNewsOfNoSession(t *testing.T) {
	t.Parallel()
	var none *pegboard.Session
	require.PanicsWithValue(t, "pegboard: Notify of a nil or zero Session; make one with NewSession or Session.Fork", func() { none.Notify() })
	require.PanicsWithValue(t, "pegboard: OnNotifications of a nil or zero Session; make one with NewSession or Session.Fork", func() { none.OnNotifications("box", nil) })
	require.PanicsWithValue(t, "pegboard: Notifications of a nil or zero Session; make one with NewSession or Session.Fork", func() { new(pegboard.Session).Notifications() })
}

// isClosed reports whether something has arrived.
func isClosed(arrival <-chan struct{}) bool {
	select {
	case <-arrival:
		return true
	default:
		return false
	}
}

// TestArrival follows one session through what makes something wait and what takes it away.
func TestArrival(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(t *testing.T, s, fork *pegboard.Session)
		want bool
	}{
		{name: "nothing", do: func(*testing.T, *pegboard.Session, *pegboard.Session) {}},
		{name: "told", do: func(_ *testing.T, s, _ *pegboard.Session) { s.Notify(partsOf("a")...) }, want: true},
		{name: "told nothing", do: func(_ *testing.T, s, _ *pegboard.Session) { s.Notify(partsOf(" ")...) }},
		{name: "told and handed out", do: func(_ *testing.T, s, _ *pegboard.Session) { s.Notify(partsOf("a")...); s.Notifications() }},
		{name: "handed out and told again", do: func(_ *testing.T, s, _ *pegboard.Session) {
			s.Notify(partsOf("a")...)
			s.Notifications()
			s.Notify(partsOf("b")...)
		}, want: true},
		{name: "a fork was told", do: func(_ *testing.T, _, fork *pegboard.Session) { fork.Notify(partsOf("a")...) }},
		{name: "a fork was told and closed", do: func(t *testing.T, _, fork *pegboard.Session) {
			t.Helper()
			fork.Notify(partsOf("a")...)
			require.NoError(t, fork.Close(t.Context()))
		}, want: true},
		{name: "announced", do: func(_ *testing.T, s, _ *pegboard.Session) { s.AnnounceNotifications("box", true) }, want: true},
		{name: "announced twice and taken back once", do: func(_ *testing.T, s, _ *pegboard.Session) {
			s.AnnounceNotifications("box", true)
			s.AnnounceNotifications("box", true)
			s.AnnounceNotifications("box", false)
		}},
		{name: "one of two taken back", do: func(_ *testing.T, s, _ *pegboard.Session) {
			s.AnnounceNotifications("box", true)
			s.AnnounceNotifications("other", true)
			s.AnnounceNotifications("box", false)
		}, want: true},
		{name: "taken back without announcing", do: func(_ *testing.T, s, _ *pegboard.Session) { s.AnnounceNotifications("box", false) }},
		{name: "announced and not taken back", do: func(_ *testing.T, s, _ *pegboard.Session) { s.AnnounceNotifications("box", true); s.Notifications() }, want: true},
		{name: "closed", do: func(t *testing.T, s, _ *pegboard.Session) { t.Helper(); require.NoError(t, s.Close(t.Context())) }, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := pegboard.NewSession(pegboard.SessionConfig{})
			require.NoError(t, err)
			fork, err := s.Fork(pegboard.SessionConfig{AgentID: "a1"})
			require.NoError(t, err)
			before := s.Notified()
			require.False(t, isClosed(before))
			tt.do(t, s, fork)
			require.Equal(t, tt.want, isClosed(s.Notified()), "asked for afterwards")
			if tt.want {
				require.True(t, isClosed(before), "asked for before")
			}
		})
	}
}

// TestArrivalMissesNothing: a goroutine that waits and takes gets all that others tell meanwhile.
func TestArrivalMissesNothing(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{})
	require.NoError(t, err)
	const tellers, each = 4, 50
	for range tellers {
		go func() {
			for range each {
				s.Notify(partsOf("a")...)
			}
		}()
	}
	for got := 0; got < tellers*each; {
		select {
		case <-s.Notified():
			got += len(s.Notifications())
		case <-t.Context().Done():
			require.FailNow(t, "a message was told and nobody was woken")
		}
	}
	require.False(t, isClosed(s.Notified()))
}
