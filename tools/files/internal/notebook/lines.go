package notebook

import (
	"strings"
	"unicode/utf8"
)

// splitLines splits text after each line end. It recognizes the same line ends as
// Jupyter, so that saving the notebook in Jupyter does not change the file.
func splitLines(text string) []string {
	var lines []string
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if !endsLine(r) || r == '\r' && strings.HasPrefix(text[end:], "\n") {
			continue
		}
		lines = append(lines, text[start:end])
		start = end
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}

func endsLine(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}
