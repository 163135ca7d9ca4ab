package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// summary prints when each call waited and ran. In a terminal it also draws a bar
// with a dot for waiting, a block for running and a cross for a call that was not run, so that
// overlaps can be seen.
func (s *screen) summary(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.spans) == 0 {
		return
	}
	begin, end := s.spans[0].admitted, s.spans[0].ended
	var work time.Duration
	failed := 0
	for _, sp := range s.spans {
		if sp.ended.After(end) {
			end = sp.ended
		}
		if sp.failed {
			failed++
		}
		work += sp.ended.Sub(sp.start)
	}
	s.closeFold()
	s.print(fmt.Sprintf("\n%s  %d calls, %d of them failed; %s of work, %s in all\n",
		s.paint(bold, "timeline"), len(s.spans), failed, millis(work), millis(took)))
	for _, sp := range s.spans {
		bar := ""
		if s.terminal {
			bar = s.bar(sp, begin, end) + "  "
		}
		when := "not run"
		if sp.ran {
			when = fmt.Sprintf("ran from %s to %s", millis(sp.start.Sub(begin)), millis(sp.ended.Sub(begin)))
		}
		s.print(fmt.Sprintf("  %s[%d] %s  (%s)\n", bar, sp.number, cut(s.short(sp.view.Before), columnsMax), when))
	}
	for _, line := range s.inShort() {
		s.print("  " + line + "\n")
	}
}

// inShort returns the calls in short: neighbours that fold are one line.
func (s *screen) inShort() []string {
	lines := []string{"in short:"}
	var open []pegboard.View
	closeGroup := func() {
		if len(open) > 0 {
			lines = append(lines, "  "+pegboard.FoldedLine(open...))
		}
		open = nil
	}
	for _, sp := range s.spans {
		if sp.folds() {
			open = append(open, sp.view)
			continue
		}
		closeGroup()
		lines = append(lines, "  "+sp.view.Before+": "+sp.view.After)
	}
	closeGroup()
	return lines
}

func (s *screen) bar(sp *span, begin, end time.Time) string {
	const width = 40
	column := func(t time.Time) int {
		return int(int64(width-1) * int64(t.Sub(begin)) / max(int64(end.Sub(begin)), 1))
	}
	wait, start, stop := column(sp.admitted), column(sp.start), column(sp.ended)
	colour, sign := green, "█"
	if sp.failed {
		colour = red
	}
	if !sp.ran {
		sign = "✗"
	}
	return strings.Repeat(" ", wait) + s.paint(grey, strings.Repeat("·", start-wait)) +
		s.paint(colour, strings.Repeat(sign, stop-start+1)) + strings.Repeat(" ", width-1-stop)
}
