package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A span is the time of one call.
type span struct {
	line         string
	started, end time.Time
	failed       bool
}

// The colours of a terminal.
const (
	red, green = "\x1b[31m", "\x1b[32m"
	plain      = "\x1b[0m"
)

// isTerminal reports whether colours make sense on a file.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// paint gives a text a colour if the screen has colours.
func (s *screen) paint(failed bool, text string) string {
	switch {
	case !s.colours:
		return text
	case failed:
		return red + text + plain
	}
	return green + text + plain
}

// record keeps the time of a call.
func (s *screen) record(e pegboard.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Kind == pegboard.EventStarted {
		s.starts[e.Call] = e.Time
		return
	}
	started, ok := s.starts[e.Call]
	if !ok {
		started = e.Time // it was not run
	}
	delete(s.starts, e.Call)
	s.spans = append(s.spans, span{s.short(e.Outcome.View().Before), started, e.Time, e.Outcome.Result.IsError})
}

// timeline shows which calls ran at the same time.
func (s *screen) timeline() {
	if len(s.spans) == 0 {
		return
	}
	const width = 40
	begin, end := s.spans[0].started, s.spans[0].end
	for _, sp := range s.spans {
		if sp.started.Before(begin) {
			begin = sp.started
		}
		if sp.end.After(end) {
			end = sp.end
		}
	}
	column := func(t time.Time) int { return int((width - 1) * t.Sub(begin) / max(end.Sub(begin), 1)) }
	s.say("\nTimeline of %v", end.Sub(begin).Round(time.Millisecond))
	for _, sp := range s.spans {
		from, to := column(sp.started), column(sp.end)
		bar := strings.Repeat(" ", from) + s.paint(sp.failed, strings.Repeat("█", to-from+1)) + strings.Repeat(" ", width-1-to)
		s.say("  %s %s", bar, fmt.Sprintf("%.60s", sp.line))
	}
}
