package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed49eaa51d/pegboard"
)

// A screen shows the executor's events. In a terminal each call that waits or runs has a
// line that changes in place. Elsewhere each event is a line of plain text.
type screen struct {
	out      io.Writer
	terminal bool
	dir      string // left out of the paths that are shown
	stop     chan struct{}

	mu      sync.Mutex
	numbers map[string]int // of the calls, by id
	spans   []*span
	folded  []*span // have ended, fold with the next call, and are not yet printed
	region  int     // how many lines at the end of the terminal are drawn anew
	asking  bool    // the region is gone, and other lines wait in later
	later   strings.Builder
}

func newScreen(out *os.File) *screen {
	fi, err := out.Stat()
	s := &screen{
		out: out, numbers: map[string]int{}, stop: make(chan struct{}),
		terminal: err == nil && fi.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
	if s.terminal {
		go s.tick()
	}
	return s
}

// close ends the changes in place.
func (s *screen) close() { close(s.stop) }

// heading begins a message of the speaker who.
func (s *screen) heading(who, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeFold()
	s.print("\n" + s.paint(bold, who) + "  " + text)
}

// piece prints the next piece of the model's text.
func (s *screen) piece(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.print(text)
}

// event handles the executor's events.
func (s *screen) event(e pegboard.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Kind == pegboard.EventAdmitted {
		s.numbers[e.Call.ID] = len(s.spans) + 1
		s.spans = append(s.spans, &span{number: len(s.spans) + 1, admitted: e.Time})
	}
	sp := s.spans[s.numbers[e.Call.ID]-1]
	sp.record(e)
	if e.Kind == pegboard.EventWaiting {
		sp.waited = s.waits(e)
		sp.note = "waits " + sp.waited
	}
	switch {
	case !s.terminal:
		s.logEvent(sp, e)
	case e.Kind == pegboard.EventFinished:
		s.ended(sp)
	default:
		s.print("") // draws the region
	}
}

// waits returns the call that holds this one back, and why: "for [1]: both write a.go".
func (s *screen) waits(e pegboard.Event) string {
	if e.WaitsFor == nil { // a group, which the text names
		return strings.TrimPrefix(e.Text, "waits ")
	}
	return fmt.Sprintf("for [%d]: %s", s.numbers[e.WaitsFor.ID], e.Text)
}

// short removes the working directory from paths.
func (s *screen) short(text string) string {
	return strings.ReplaceAll(text, s.dir+string(filepath.Separator), "")
}

const (
	bold   = "1"
	grey   = "90"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (s *screen) paint(code, text string) string {
	if !s.terminal || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
