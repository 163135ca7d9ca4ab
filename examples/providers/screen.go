package main

import (
	"fmt"
	"io"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/wire"
)

// A screen prints a conversation as it happens. It is used by one goroutine.
type screen struct {
	out  io.Writer
	last string // the kind of line that is being written; empty between lines
}

func (s *screen) title(text string) {
	s.end()
	_, _ = fmt.Fprintf(s.out, "\n%s\n", text)
}

func (s *screen) event(e wire.Event) {
	switch {
	case e.Call != nil:
		s.line("call", fmt.Sprintf("%s %s", e.Call.ToolName(), e.Call.Input))
	case e.Partial != nil: // the screen shows calls as a whole
	case e.Thinking != "":
		s.piece("thinking", e.Thinking)
	default:
		s.piece("text", e.Text)
	}
}

func (s *screen) outcome(o pegboard.Outcome) {
	word := "result"
	if o.Result.IsError {
		word = "failed"
	}
	s.line(word, o.Call.ToolName()+": "+o.Result.Text())
}

func (s *screen) line(what, text string) {
	s.end()
	_, _ = fmt.Fprintf(s.out, "  %-9s %s\n", what, text)
}

// piece continues the line that is being written, or begins one.
func (s *screen) piece(what, text string) {
	if s.last != what {
		s.end()
		_, _ = fmt.Fprintf(s.out, "  %-9s ", what)
		s.last = what
	}
	_, _ = io.WriteString(s.out, text)
}

// end ends the line that is being written.
func (s *screen) end() {
	if s.last != "" {
		_, _ = fmt.Fprintln(s.out)
		s.last = ""
	}
}
