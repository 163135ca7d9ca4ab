package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

// A screen prints events as they happen. Each line begins with the number of its
// call, because the lines of several calls may mix.
type screen struct {
	out    io.Writer
	colour bool
	dir    string

	mu      sync.Mutex
	numbers map[string]int
	spans   []*span
}

// A span is one call in the timeline.
type span struct {
	number                 int
	view                   pegboard.View
	admitted, start, ended time.Time
	ran, failed            bool
}

func newScreen(out *os.File, dir string) *screen {
	fi, err := out.Stat()
	return &screen{
		out: out, dir: dir, numbers: map[string]int{},
		colour: err == nil && fi.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "",
	}
}

const (
	bold   = "1"
	grey   = "90"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (s *screen) paint(code, text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *screen) heading(who, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.out, "\n%s  %s", s.paint(bold, who), text)
}

// piece prints the next piece of the model's text.
func (s *screen) piece(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.out, text)
}

// event handles the executor's events.
func (s *screen) event(e pegboard.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Kind == pegboard.EventAdmitted {
		s.numbers[e.Call.ID] = len(s.spans) + 1
		view := e.Call.View()
		s.spans = append(s.spans, &span{number: len(s.spans) + 1, view: view, admitted: e.Time})
		s.line(e, bold, "call", view.Before)
		return
	}
	sp := s.spans[s.numbers[e.Call.ID]-1]
	switch e.Kind {
	case pegboard.EventAsked:
		s.line(e, yellow, "asked", e.Text)
	case pegboard.EventDecided:
		for _, t := range e.Targets {
			s.line(e, grey, "target", t.String())
		}
		colour := green
		if e.Decision.Behavior != pegboard.Allow {
			colour = red
		}
		s.line(e, colour, e.Decision.Behavior.String(), e.Decision.Reason)
	case pegboard.EventStarted:
		sp.start, sp.ran = e.Time, true
		s.line(e, grey, "runs", e.Call.View().While)
	case pegboard.EventProgress:
		s.line(e, grey, "progress", pegboard.OneLine(e.Text))
	case pegboard.EventFinished:
		s.finished(sp, e)
	}
}

func (s *screen) finished(sp *span, e pegboard.Event) {
	sp.ended, sp.failed = e.Time, e.Outcome.Result.IsError
	if sp.start.IsZero() {
		sp.start = e.Time
	}
	colour, word := green, "done"
	if sp.failed {
		colour, word = red, "failed"
	}
	sp.view = e.Outcome.View()
	size := len(e.Outcome.Result.Text())
	s.line(e, colour, word, fmt.Sprintf("%s  (%d bytes for the model, took %s)", sp.view.After, size, millis(e.Outcome.Elapsed)))
	if sp.failed { // the model reads more than a person, to act on it
		s.line(e, grey, "told", pegboard.OneLine(e.Outcome.Result.Text()))
	}
}

func (s *screen) line(e pegboard.Event, colour, word, text string) {
	_, _ = fmt.Fprintf(s.out, "  [%d] %s %s\n", s.numbers[e.Call.ID], s.paint(colour, fmt.Sprintf("%-8s", word)), s.short(text))
}

// short removes the working directory from paths.
func (s *screen) short(text string) string {
	return strings.ReplaceAll(text, s.dir+string(filepath.Separator), "")
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1fms", float64(d.Microseconds())/1000) }
