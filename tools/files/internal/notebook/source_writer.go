package notebook

import (
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A sourceWriter writes a source in the form that the file uses.
type sourceWriter struct {
	layout           jsonedit.Layout // of a list of lines
	asString         bool            // write one string instead of a list of lines
	spelling         jsonedit.Spelling
	oldLiterals      map[string]string // JSON strings of the old source by line; "" if equal lines had different JSON strings
	hadLoneSurrogate bool              // the old source has a lone surrogate, which a Go string cannot represent
}

// write returns source as a JSON value. Lines that are also in the old source keep
// their JSON strings.
func (w *sourceWriter) write(id, source string) (string, error) {
	lines := splitLines(source)
	if w.asString {
		lines = []string{source}
	}
	literals := make([]string, len(lines))
	for i, line := range lines {
		literal := w.oldLiterals[line]
		if literal == "" {
			if w.hadLoneSurrogate && strings.ContainsRune(line, utf8.RuneError) {
				return "", &EditError{ID: id, Msg: loneSurrogateMsg}
			}
			literal = string(w.spelling.Quote(nil, line))
		}
		literals[i] = literal
	}
	if w.asString {
		return literals[0], nil
	}
	return w.layout.List(literals), nil
}

const loneSurrogateMsg = "its source has half a character (a lone surrogate escape), shown as U+FFFD; " +
	"leave the lines with it as they are or take U+FFFD out of them"

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
