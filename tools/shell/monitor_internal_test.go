package shell

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/tools/background"
)

// TestMonitorEvents: what becomes of pieces of output.
func TestMonitorEvents(t *testing.T) {
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
		{name: "what would move a cursor", pieces: []string{"a\x1b[2Jb\x01c\u2028d\n"}, want: "1 event:\n    ab c d"},
		{name: "a progress bar", pieces: []string{"\r 1%\r 50", "%\r100%\nend \r"}, want: "2 events:\n    100%\n    end"},
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

// FuzzMonitorEvents: whatever is printed, what is told is bounded, and no line of it is
// ours but the first.
func FuzzMonitorEvents(f *testing.F) {
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

// TestMonitorLog: after an error nothing more is written, and the first error is
// what is said.
func TestMonitorLog(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	log, err := newMonitorLog(background.Of(s), 1000)
	require.NoError(t, err)
	log.write([]byte("one\n"))
	require.NoError(t, log.file.Close())
	log.write([]byte("two\n"))
	log.write([]byte("three\n"))
	require.ErrorIs(t, log.close(), os.ErrClosed)
	require.ErrorContains(t, log.close(), "write ", "the first")
	log.discard()
	require.NoFileExists(t, log.path)
}

// TestMonitorLogKeepsTheBeginning: a monitor cannot fill the disk.
func TestMonitorLogKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	s, err := pegboard.NewSession(pegboard.SessionConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
	log, err := newMonitorLog(background.Of(s), 10)
	require.NoError(t, err)
	log.write([]byte("0123456789"))
	select {
	case <-log.full:
		require.Fail(t, "all of it fits")
	default:
	}
	for range 3 {
		log.write([]byte("more"))
	}
	<-log.full
	require.NoError(t, log.close())
	data, err := os.ReadFile(log.path)
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(data))
	log.discard()
}

func TestMonitorEnd(t *testing.T) {
	t.Parallel()
	zero, three, full := 0, 3, errors.New("no space left")
	tests := []struct {
		name    string
		exit    proc.Exit
		fileErr error
		state   background.State
		code    *int
		err     string
	}{
		{name: "well", state: background.Completed, code: &zero},
		{name: "well, on a full disk", fileErr: full, state: background.Completed, code: &zero, err: "its output file lacks something: no space left"},
		{name: "an exit code", exit: proc.Exit{Code: 3}, state: background.Failed, code: &three},
		{name: "a signal", exit: proc.Exit{Code: -1, Signal: "killed"}, state: background.Failed, err: "ended by a signal: killed"},
		{name: "its time", exit: proc.Exit{Code: -1, Signal: "terminated", Err: errMonitorTime}, state: background.Killed, err: "its time of 1m0s is over; start it again if it is still needed"},
		{name: "too much", exit: proc.Exit{Err: errMonitorFlood}, state: background.Killed, err: errMonitorFlood.Error()},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			state, code, err := monitorEnd(tc.exit, time.Minute, tc.fileErr)
			require.Equal(t, tc.state, state)
			require.Equal(t, tc.code, code)
			if tc.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tc.err)
			}
		})
	}
}

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
