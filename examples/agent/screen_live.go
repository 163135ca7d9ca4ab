package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
)

const (
	frame      = 100 * time.Millisecond // between two drawings
	regionMax  = 8                      // lines that change in place
	columnsMax = 60                     // of the words for a call
)

// tick draws the region again and again, for its clocks.
func (s *screen) tick() {
	t := time.NewTicker(frame)
	defer t.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-t.C:
			s.mu.Lock()
			if s.region > 0 {
				s.print("")
			}
			s.mu.Unlock()
		}
	}
}

// print prints text above the region. While a person is asked it keeps the text.
func (s *screen) print(text string) {
	if s.asking {
		s.later.WriteString(text)
		return
	}
	var b strings.Builder
	if s.region > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", s.region)
	}
	b.WriteString(text)
	lines := s.live()
	if s.region = len(lines); s.region > 0 {
		b.WriteString("\x1b[?7l" + strings.Join(lines, "\n") + "\n\x1b[?7h") // a long line is cut, not wrapped
	}
	_, _ = io.WriteString(s.out, b.String())
}

// live returns the lines that change in place: the calls that fold, and those that wait
// or run.
func (s *screen) live() (lines []string) {
	if !s.terminal {
		return nil
	}
	if len(s.folded) > 0 {
		lines = append(lines, s.foldedLine())
	}
	more := 0
	for _, sp := range s.spans {
		switch {
		case !sp.ended.IsZero():
		case len(lines) == regionMax:
			more++
		default:
			lines = append(lines, s.liveLine(sp, time.Now()))
		}
	}
	if more > 0 {
		lines = append(lines, s.paint(grey, fmt.Sprintf("    and %d more", more)))
	}
	return lines
}

// liveLine returns the line of a call that has not ended.
func (s *screen) liveLine(sp *span, now time.Time) string {
	since, sign, colour := sp.admitted, "·", grey
	switch {
	case sp.ran:
		turns := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
		since, sign, colour = sp.start, turns[int(now.Sub(sp.start)/frame)%len(turns)], green
	case sp.note == "asks":
		sign, colour = "?", yellow
	}
	text := sp.view.Before
	if sp.ran {
		text = sp.view.While
	}
	line := fmt.Sprintf("  %s [%d] %5.1fs  %s", s.paint(colour, sign), sp.number, now.Sub(since).Seconds(), cut(s.short(text), columnsMax))
	if sp.note != "" {
		line += "  " + s.paint(grey, s.short(sp.note))
	}
	return line
}

// ended prints the lines that stay of a call: the action, the decision and the outcome. A call
// that folds waits for its neighbours.
func (s *screen) ended(sp *span) {
	if sp.folds() {
		s.folded = append(s.folded, sp)
		s.print("")
		return
	}
	s.closeFold()
	sign := s.paint(green, "✓")
	if sp.failed {
		sign = s.paint(red, "✗")
	}
	took := "not run"
	if sp.ran {
		took = millis(sp.ended.Sub(sp.start))
	}
	text := fmt.Sprintf("  %s [%d] %s  %s\n", sign, sp.number, s.short(sp.view.Before), s.paint(grey, took))
	note := func(colour, what string) { text += "        " + s.paint(colour, s.short(what)) + "\n" }
	if sp.waited != "" {
		note(grey, "waited "+sp.waited)
	}
	if sp.ran {
		note(grey, sp.decision.Behavior.String()+": "+pegboard.OneLine(sp.decision.Reason))
		note("0", sp.view.After)
	} else {
		note(red, sp.view.After)
	}
	if sp.told != "" {
		note(grey, "the model reads: "+sp.told)
	}
	s.print(text)
}

// closeFold prints the calls that fold, which get no more neighbours.
func (s *screen) closeFold() {
	if len(s.folded) == 0 {
		return
	}
	line := s.foldedLine()
	s.folded = nil
	s.print(line + "\n")
}

// foldedLine returns the line of the calls that fold: their number and kinds, and their names in
// request order.
func (s *screen) foldedLine() string {
	slices.SortFunc(s.folded, func(a, b *span) int { return a.number - b.number })
	var views []pegboard.View
	var names []string
	for _, sp := range s.folded {
		views = append(views, sp.view)
		names = append(names, fmt.Sprintf("[%d] %s", sp.number, s.short(sp.view.Before)))
	}
	if len(views) == 1 {
		return "  " + s.paint(green, "✓") + " " + names[0] + "  " + s.paint(grey, s.folded[0].view.After)
	}
	return "  " + s.paint(green, "✓") + " " + pegboard.FoldedLine(views...) + "  " + s.paint(grey, strings.Join(names, ", "))
}

// cut returns the beginning of a text that is too long.
func cut(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}
