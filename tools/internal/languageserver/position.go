package languageserver

import (
	"unicode/utf16"
	"unicode/utf8"
)

// A Position is a place in a file. Lines and columns are counted from 1. A column is a
// Unicode code point; a tab and an emoji are one column each. A byte order mark has none. A
// line ends with "\n" or "\r\n".
type Position struct{ Line, Column int }

// A Range goes from Start to before End.
type Range struct{ Start, End Position }

// positionIn returns a position of a text as a server counts.
func positionIn(text string, at Position, e encoding) (wirePosition, error) {
	line, ok := lineOf(text, at.Line-1)
	if !ok {
		return wirePosition{}, &PositionError{Position: at, Lines: lineCount(text)}
	}
	character, ok := e.offset(line, at.Column)
	if !ok {
		return wirePosition{}, &PositionError{Position: at, Lines: lineCount(text), Columns: utf8.RuneCountInString(line)}
	}
	return wirePosition{Line: at.Line - 1, Character: character}, nil
}

// An encoding is the unit in which a server counts the characters of a line.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
	utf32Units encoding = "utf-32"
)

// units returns how many units the character has.
func (e encoding) units(r rune) int {
	switch e {
	case utf8Units:
		return utf8.RuneLen(r)
	case utf32Units:
		return 1
	}
	return utf16.RuneLen(r)
}

// offset returns the units before the column of a line. It reports false if the line has no
// such column. The end of the line is one.
func (e encoding) offset(line string, column int) (units int, ok bool) {
	if column < 1 {
		return 0, false
	}
	for _, r := range line {
		if column--; column == 0 {
			return units, true
		}
		units += e.units(r)
	}
	return units, column == 1
}

// column returns the column that starts after that many units of a line, or that of the
// character which they divide. More than the line has are its end.
func (e encoding) column(line string, units int) int {
	column := 1
	for _, r := range line {
		if units -= e.units(r); units < 0 {
			break
		}
		column++
	}
	return column
}
