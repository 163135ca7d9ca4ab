package shell

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEventFeed: what becomes of pieces of output.
func TestEventFeed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxEventSize)
	tests := []struct {
		name      string
		pieces    []string
		want      string
		overflown bool
	}{
		{name: "nothing"},
		{name: "a line", pieces: []string{"one\n"}, want: "1 event:\n    one"},
		{name: "a line in pieces", pieces: []string{"o", "n", "e\ntw", "o\n"}, want: "2 events:\n    one\n    two"},
		{name: "a last line without its end", pieces: []string{"one\ntwo"}, want: "2 events:\n    one\n    two"},
		{name: "blank lines", pieces: []string{"\n  \n\t\none\r\n\n"}, want: "1 event:\n    one"},
		{name: "as long as may be", pieces: []string{long, "\n"}, want: "1 event:\n    " + long},
		{name: "longer", pieces: []string{long, "y", "z\none\n"}, want: "2 events:\n    " + long + "…\n    one"},
		{name: "longer, cut within a character", pieces: []string{"x" + strings.Repeat("ü", maxEventSize) + "\n"}, want: "1 event:\n    x" + strings.Repeat("ü", maxEventSize/2-1) + "…"},
		{name: "invalid UTF-8", pieces: []string{"a\xffb\n"}, want: "1 event:\n    a\ufffdb"},
		{name: "invalid UTF-8 that grows", pieces: []string{strings.Repeat("a\xff", maxEventSize/2) + "\n"}, want: "1 event:\n    " + strings.Repeat("a\ufffd", maxEventSize/4) + "…"},
		{name: "what would move a cursor", pieces: []string{"a\x1b[2Jb\rc\u2028d\n"}, want: "1 event:\n    a [2Jb c d"},
		{name: "as many as may be", pieces: []string{strings.Repeat("a\n", maxEvents)}, want: "20 events:" + strings.Repeat("\n    a", maxEvents)},
		{name: "more", pieces: []string{strings.Repeat("a\n", maxEvents+5)}, want: "25 events, the first 20 of them here, all in its output file:" + strings.Repeat("\n    a", maxEvents), overflown: true},
		{name: "too long together", pieces: []string{strings.Repeat(long+"\n", 9)}, want: "9 events, the first 8 of them here, all in its output file:" + strings.Repeat("\n    "+long, 8), overflown: true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := newMonitorEvents()
			for _, p := range tc.pieces {
				f.write([]byte(p))
			}
			f.finish()
			require.Equal(t, tc.want != "", len(f.ready) == 1)
			text, overflown := f.drain()
			require.Equal(t, tc.want, text)
			require.Equal(t, tc.overflown, overflown)
			require.Empty(t, f.ready)
			again, _ := f.drain()
			require.Empty(t, again)
		})
	}
}

// message is what a teller told, and when.
type message struct {
	at   time.Duration
	text string
}

// runTeller runs a teller for the given time, after f has begun to write.
func runTeller(lasts time.Duration, full func() bool, f func(*monitorEvents)) (told []message, stops []error) {
	begin, done := time.Now(), make(chan struct{})
	feed := newMonitorEvents()
	t := monitorSender{
		events: feed, fileFull: full,
		send: func(text string) {
			first, rest, _ := strings.Cut(text, "\n")
			if rest = strings.TrimSpace(rest); strings.HasPrefix(first, "1 event:") {
				first = rest
			}
			told = append(told, message{time.Since(begin), first})
		},
		stop: func(cause error) { stops = append(stops, cause) },
	}
	go f(feed)
	time.AfterFunc(lasts, func() { close(done) })
	t.run(done)
	return told, stops
}

func never() bool { return false }

// TestTellerKeepsItsPace: events that come together are one message, and messages
// come no more often than they may.
func TestTellerKeepsItsPace(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		told, stops := runTeller(time.Minute, never, func(f *monitorEvents) {
			for _, step := range []struct {
				pause time.Duration
				piece string
			}{
				{0, "a\n"}, {100 * ms, "b\n"}, // together
				{400 * ms, "c\n"},                  // told at 1.2 s
				{300 * ms, "d\n"},                  // with c
				{10 * time.Second, "e\n"},          // on its own
				{10 * time.Second, "without end "}, // no event yet
				{10 * time.Second, "but now\n"},
				{20 * time.Second, "last"}, // told at the end
			} {
				time.Sleep(step.pause)
				f.write([]byte(step.piece))
			}
		})
		require.Equal(t, []message{
			{200 * ms, "2 events:"}, {1200 * ms, "2 events:"}, {11_000 * ms, "e"}, {31_000 * ms, "without end but now"}, {time.Minute, "last"},
		}, told)
		require.Empty(t, stops)
	})
}

// TestTellerStopsAFlood, but not a burst now and then.
func TestTellerStopsAFlood(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		pause time.Duration
		lines int
		want  []error
		tells int // in a minute
	}{
		{name: "flood", pause: time.Millisecond, lines: 1, want: []error{errMonitorFlood}, tells: maxOverflows},
		{name: "bursts, each too large", pause: 2 * time.Second, lines: 1000, want: []error{errMonitorFlood}, tells: maxOverflows},
		{name: "bursts that can be told", pause: 2 * time.Second, lines: maxEvents, tells: 30},
		{name: "an event each second", pause: time.Second, lines: 1, tells: 60},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				told, stops := runTeller(time.Minute, never, func(f *monitorEvents) {
					for range time.Minute / tc.pause {
						f.write([]byte(strings.Repeat("event\n", tc.lines)))
						time.Sleep(tc.pause)
					}
				})
				require.Equal(t, tc.want, stops)
				require.Len(t, told, tc.tells)
			})
		})
	}
}

// TestTellerCountsFloodsInARow: a message that holds all its events begins anew.
func TestTellerCountsFloodsInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, stops := runTeller(time.Minute, never, func(f *monitorEvents) {
			for i := range 20 {
				n := 1000
				if i%maxOverflows == maxOverflows-1 {
					n = 1
				}
				f.write([]byte(strings.Repeat("event\n", n)))
				time.Sleep(2 * time.Second)
			}
		})
		require.Empty(t, stops)
	})
}

// TestTellerLooksAtTheFile, events or none.
func TestTellerLooksAtTheFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, stops := runTeller(10500*time.Millisecond, func() bool { return time.Since(begin) >= 10*time.Second }, func(*monitorEvents) {})
		require.Equal(t, []error{errMonitorFile}, stops)
	})
}

// FuzzEventFeed: whatever is printed, what is told is bounded, and no line of it is
// ours but the first.
func FuzzEventFeed(f *testing.F) {
	f.Add([]byte("one\ntwo"), 3)
	f.Add([]byte("a\xff\r\n\x1b[0m\u2028\n"), 1)
	f.Fuzz(func(t *testing.T, printed []byte, step int) {
		feed := newMonitorEvents()
		for step = max(1, step); len(printed) > 0; printed = printed[min(step, len(printed)):] {
			feed.write(printed[:min(step, len(printed))])
		}
		feed.finish()
		text, _ := feed.drain()
		if text == "" {
			return
		}
		require.LessOrEqual(t, len(text), maxMessageSize+maxEvents*len("\n    …")+100)
		require.Equal(t, text, strings.ToValidUTF8(text, "?"))
		lines := strings.Split(text, "\n")
		require.Regexp(t, `^[0-9]+ events?[:,]`, lines[0])
		for _, line := range lines[1:] {
			require.Greater(t, len(line), len("    "))
			require.True(t, strings.HasPrefix(line, "    "))
		}
	})
}
