package main

import (
	"os"

	"github.com/seed49eaa51d/pegboard/policy"
)

// isTerminal reports whether a person reads what is written to f, at a terminal with colours.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// The colours of a terminal.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

// colour returns text in a colour, if there are colours.
func (p *program) colour(colour, text string) string {
	if !p.colours || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// verdictColour is the colour of a decision.
func verdictColour(b policy.Behavior) string {
	switch b {
	case policy.Allow:
		return green
	case policy.Ask:
		return yellow
	default:
		return red
	}
}
