package edit

import (
	"strings"
)

// lineCounter counts lines while text passes.
type lineCounter struct {
	line    int
	started bool // something of the line has passed
}

func (c *lineCounter) advance(text string) {
	if text == "" {
		return
	}
	c.line += strings.Count(text, "\n")
	c.started = text[len(text)-1] != '\n'
}

// advanceOver passes text and returns its lines. whole says that a line starts behind it.
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
