package main

import (
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// logEvent prints an event in plain text. Each line begins with the number of its call,
// because the lines of several calls may mix.
func (s *screen) logEvent(sp *span, e pegboard.Event) {
	switch e.Kind {
	case pegboard.EventAdmitted:
		s.line(sp, "call", sp.view.Before)
	case pegboard.EventAsked:
		s.line(sp, "asked", pegboard.OneLine(e.Text))
	case pegboard.EventDecided:
		for _, t := range e.Targets {
			s.line(sp, "target", pegboard.OneLine(t.String()))
		}
		s.line(sp, e.Decision.Behavior.String(), pegboard.OneLine(e.Decision.Reason))
	case pegboard.EventWaiting:
		s.line(sp, "waits", sp.waited)
	case pegboard.EventStarted:
		s.line(sp, "runs", sp.view.While)
	case pegboard.EventProgress:
		s.line(sp, "progress", sp.note)
	case pegboard.EventFinished:
		word := "done"
		if sp.failed {
			word = "failed"
		}
		size := len(e.Outcome.Result.Text())
		s.line(sp, word, fmt.Sprintf("%s  (%d bytes for the model, took %s)", sp.view.After, size, millis(e.Outcome.Elapsed)))
		if sp.failed {
			s.line(sp, "told", sp.told)
		}
	}
}

func (s *screen) line(sp *span, word, text string) {
	s.print(fmt.Sprintf("  [%d] %-8s %s\n", sp.number, word, s.short(text)))
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000) }
