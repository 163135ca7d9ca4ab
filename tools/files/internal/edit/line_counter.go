package edit

import "strings"

// A lineCounter tracks the line number of a position that moves through a text.
type lineCounter struct {
	line    int  // number of the line, counted from 1
	started bool // the position is not at the start of the line
}

// advance moves past text.
func (c *lineCounter) advance(text string) {
	if text == "" {
		return
	}
	c.line += strings.Count(text, "\n")
	c.started = text[len(text)-1] != '\n'
}

// advanceOver moves past text and returns the lines of text. whole reports whether a
// line starts after text.
func (c *lineCounter) advanceOver(text string, whole bool) Range {
	first := *c
	c.advance(text)
	switch {
	case c.started:
		return Range{First: first.line, Last: c.line}
	case text == "" && whole:
		return Range{First: first.line, Last: first.line - 1}
	case text == "":
		return Range{First: first.line, Last: first.line}
	}
	return Range{First: first.line, Last: c.line - 1}
}
