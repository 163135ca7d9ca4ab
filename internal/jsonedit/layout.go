package jsonedit

import (
	"strings"
)

// A Layout is the space around the parts of an object or list.
type Layout struct {
	Open    string // after the opening bracket
	Between string // between two parts, with the comma
	Close   string // before the closing bracket
}

// OnLines reports whether each part stands on its own line.
func (l Layout) OnLines() bool { return strings.Contains(l.Open, "\n") }

// line returns the line end before a part, and its indentation. Each part stands on its
// own line.
func (l Layout) line() (lineEnd, indent string) {
	at := strings.LastIndexByte(l.Open, '\n')
	lineEnd = "\n"
	if strings.HasSuffix(l.Open[:at], "\r") {
		lineEnd = "\r\n"
	}
	return lineEnd, l.Open[at+1:]
}

// List returns the text of a list of values.
func (l Layout) List(values []string) string {
	if len(values) == 0 {
		return "[]"
	}
	return "[" + l.Open + strings.Join(values, l.Between) + l.Close + "]"
}

// Object returns the text of an object, given the texts of its members.
func (l Layout) Object(members []string) string {
	return "{" + l.Open + strings.Join(members, l.Between) + l.Close + "}"
}

// onLines returns the layout of an object or list at an indentation, with each part on its
// own line.
func onLines(lineEnd, indent, unit string) Layout {
	inner := lineEnd + indent + unit
	return Layout{Open: inner, Between: "," + inner, Close: lineEnd + indent}
}
