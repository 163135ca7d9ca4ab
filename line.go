package pegboard

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/plain"
)

// MaxLine is how many characters a line of a [View] has at most.
const MaxLine = 200

// OneLine returns text as one line that a user interface may show to a person, of at most
// [MaxLine] characters. A longer text ends in "…". Space at the ends is dropped, a run of
// space is one blank, and one with a line break is " ⏎ ". Characters that a person does not
// see, such as those that move a terminal's cursor or change the direction of writing, are
// escaped as in a Go string. Invalid UTF-8 becomes U+FFFD.
//
// The text is not cut between a letter and its marks, or within a flag.
func OneLine(text string) string { return oneLine(text, MaxLine) }

// oneLine is OneLine for another number of characters.
func oneLine(text string, limit int) string {
	l := lineWriter{limit: limit}
	space := ""
	for _, r := range text {
		switch {
		case isLineBreak(r):
			space = " ⏎ "
		case unicode.IsSpace(r):
			if space == "" {
				space = " "
			}
		default:
			if l.count > 0 {
				for _, s := range space {
					l.write(s)
				}
			}
			space = ""
			l.write(r)
		}
		if l.count > limit {
			return l.text.String()[:l.cut] + "…"
		}
	}
	return l.text.String()
}

func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// A lineWriter collects a line, and remembers where it may be cut.
type lineWriter struct {
	limit int // of characters
	text  strings.Builder
	count int // of characters
	cut   int // length of the text that leaves room for "…"
	marks int // of characters that belong to the last one before them
	flags int // of regional indicators at the end of the text
}

func (l *lineWriter) write(r rune) {
	if !l.continues(r) && l.count < l.limit {
		l.cut = l.text.Len()
	}
	if !plain.IsHidden(r) {
		l.text.WriteRune(r)
		l.count++
		return
	}
	escaped := strings.Trim(strconv.QuoteRuneToASCII(r), "'")
	l.text.WriteString(escaped)
	l.count += utf8.RuneCountInString(escaped)
}

// maxMarks is how many marks of one letter are kept together: more than a language has.
const maxMarks = 10

// continues reports whether r belongs to the character before it.
func (l *lineWriter) continues(r rune) bool {
	isFlag := 0x1F1E6 <= r && r <= 0x1F1FF
	if isFlag {
		l.flags++
	} else {
		l.flags = 0
	}
	if joins := unicode.IsMark(r) || 0x1F3FB <= r && r <= 0x1F3FF; joins && l.marks < maxMarks { // marks, and the colors of skin
		l.marks++
		return true
	}
	l.marks = 0
	return isFlag && l.flags%2 == 0
}
