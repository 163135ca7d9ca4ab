package edit

import (
	"strings"
	"unicode"
)

// A lineIndex is text by lines.
type lineIndex struct {
	text   string
	lines  []string // without their ends
	starts []int    // where each line begins; one more for the end of the text
}

func newLineIndex(text string) *lineIndex {
	p := &lineIndex{text: text}
	at := 0
	for _, line := range splitLines(text) {
		p.starts = append(p.starts, at)
		p.lines = append(p.lines, strings.TrimSuffix(line, "\n"))
		at += len(line)
	}
	p.starts = append(p.starts, at)
	return p
}

// splitLines returns the lines with their ends. An empty text has no lines.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func linesWithoutEnds(text string) (lines []string, ended bool) {
	if text == "" {
		return nil, false
	}
	text, ended = strings.CutSuffix(text, "\n")
	return strings.Split(text, "\n"), ended
}

// lineKeys returns what is compared of each line.
func lineKeys(lines []string, key func(string) string) []string {
	all := make([]string, len(lines))
	for i, line := range lines {
		all[i] = key(line)
	}
	return all
}

func foldedLine(line string) string { return strings.TrimSpace(fold(line)) }

func rightTrimmed(line string) string { return strings.TrimRightFunc(line, unicode.IsSpace) }

// indentOf returns the white space at the beginning of a line.
func indentOf(line string) string {
	return line[:len(line)-len(strings.TrimLeftFunc(line, unicode.IsSpace))]
}

// trailingSpace returns the white space at the end of a line.
func trailingSpace(line string) string { return line[len(rightTrimmed(line)):] }

// findLines returns where the keys of a page are those that are wanted, one at least
// (Knuth, Morris, Pratt: files of equal lines take no longer than others).
func findLines(have, want []string) []interval {
	var found []interval
	again := borders(want)
	n := 0
	for i, key := range have {
		for n > 0 && (n == len(want) || key != want[n]) {
			n = again[n-1]
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

// borders returns for each beginning of want how much of it, and less than all,
// is both its beginning and its end.
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
