package notebook

import (
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A sourceWriter writes sources the way the file has them.
type sourceWriter struct {
	layout           jsonedit.Layout // of a list of lines
	asString         bool            // one string instead of a list
	spelling         jsonedit.Spelling
	oldLiterals      map[string]string // lines that keep the bytes they had; "" for one that had several
	hadLoneSurrogate bool              // what is replaced has half a character, which no text can hold
}

// write returns source as a JSON value. Its lines that the old source had too
// are written as they were.
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
