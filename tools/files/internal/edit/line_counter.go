package edit

import (
	"strings"
)

// lineCount counts lines while text passes.
type lineCount struct {
	line    int
	started bool // something of the line has passed
}

func (c *lineCount) pass(text string) {
	if text == "" {
		return
	}
	c.line += strings.Count(text, "\n")
	c.started = text[len(text)-1] != '\n'
}

// over passes text and returns its lines. whole says that a line starts behind it.
func (c *lineCount) over(text string, whole bool) Range {
	first := *c
	c.pass(text)
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
