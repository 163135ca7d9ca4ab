package edit

import (
	"strings"
	"unicode"
)

// A lineIndex is a text with its lines and their offsets.
type lineIndex struct {
	text   string
	lines  []string // without line ends
	starts []int    // offset of each line, and then the length of the text
}

func newLineIndex(text string) *lineIndex {
	x := &lineIndex{text: text}
	at := 0
	for _, line := range splitLines(text) {
		x.starts = append(x.starts, at)
		x.lines = append(x.lines, strings.TrimSuffix(line, "\n"))
		at += len(line)
	}
	x.starts = append(x.starts, at)
	return x
}

// splitLines returns the lines of text with their line ends. An empty text has no
// lines.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// linesWithoutEnds returns the lines of text without their line ends. ended reports
// whether the last line has one.
func linesWithoutEnds(text string) (lines []string, ended bool) {
	if text == "" {
		return nil, false
	}
	text, ended = strings.CutSuffix(text, "\n")
	return strings.Split(text, "\n"), ended
}

// lineKeys returns key of each line.
func lineKeys(lines []string, key func(string) string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = key(line)
	}
	return all
}

// foldedLine returns a line without the differences that the levels up to Punctuation
// ignore.
func foldedLine(line string) string { return strings.TrimSpace(fold(line)) }

// rightTrimmed returns a line without the white space at its end.
func rightTrimmed(line string) string { return strings.TrimRightFunc(line, unicode.IsSpace) }

// indentOf returns the white space at the beginning of a line.
func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsSpace))]
}

// trailingSpace returns the white space at the end of a line.
func trailingSpace(line string) string { return line[len(rightTrimmed(line)):] }

// findLines returns each place in have where the lines equal want, which must not be
// empty. It is the algorithm of Knuth, Morris and Pratt: a file of many equal lines
// takes no longer than any other.
func findLines(have, want []string) []interval {
	var found []interval
	border := borders(want)
	n := 0
	for i, key := range have {
		for n > 0 && (n == len(want) || key != want[n]) {
			n = border[n-1]
		}
		if key == want[n] {
			n++
		}
		if n == len(want) {
			found = append(found, interval{i + 1 - n, i + 1})
		}
	}
	return found
}

// borders returns, for each prefix of want, the length of the longest shorter prefix
// that is also its suffix.
func borders(want []string) []int {
	all := make([]int, len(want))
	n := 0
	for i := 1; i < len(want); i++ {
		for n > 0 && want[i] != want[n] {
			n = all[n-1]
		}
		if want[i] == want[n] {
			n++
		}
		all[i] = n
	}
	return all
}
