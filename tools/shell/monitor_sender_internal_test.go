package shell

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// message is what a teller told, and when.
type message struct {
	at   time.Duration
	text string
}

// runSender runs a teller for the given time, after f has begun to write.
func runSender(lasts time.Duration, full <-chan struct{}, f func(*monitorEvents)) (told []message, stops []error) {
	begin, done := time.Now(), make(chan struct{})
	feed := newMonitorEvents()
	t := monitorSender{
		events: feed, full: full,
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

// TestMonitorSenderKeepsItsPace: events that come together are one message, and messages
// come no more often than they may.
func TestMonitorSenderKeepsItsPace(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		told, stops := runSender(time.Minute, nil, func(f *monitorEvents) {
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

// TestMonitorSenderStopsAFlood, but not a burst now and then.
func TestMonitorSenderStopsAFlood(t *testing.T) {
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
				told, stops := runSender(time.Minute, nil, func(f *monitorEvents) {
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

// TestMonitorSenderCountsFloodsInARow: a message that holds all its events begins anew.
func TestMonitorSenderCountsFloodsInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, stops := runSender(time.Minute, nil, func(f *monitorEvents) {
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

// TestMonitorSenderStopsWhenTheFileIsFull, events or none, once.
func TestMonitorSenderStopsWhenTheFileIsFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := make(chan struct{})
		time.AfterFunc(10*time.Second, func() { close(full) })
		_, stops := runSender(20*time.Second, full, func(*monitorEvents) {})
		require.Equal(t, []error{errMonitorFile}, stops)
	})
}
