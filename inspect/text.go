package inspect

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
)

// Limits of texts that are shown, and kept, in bytes.
const (
	maxBlock  = 16 << 10 // of a text of several lines
	maxKept   = 4 << 10  // of such a text of one of many calls
	maxScan   = 2 << 10  // of a text that becomes one line
	maxNames  = 20       // of a list, such as the targets of a call
	maxPerTry = 64 << 10 // of the body of a request
)

// line returns text as one line of at most [pegboard.MaxLine] characters. The result does not
// keep text in memory.
func line(text string) string {
	if len(text) <= maxScan {
		return pegboard.OneLine(text)
	}
	return pegboard.OneLine(cut(text, maxScan) + "…")
}

// kept returns the first part of a text, which a view makes a line of. It is cheap, since every
// event has several. The result does not keep text in memory.
func kept(text string) string {
	if len(text) <= maxScan {
		return strings.Clone(text)
	}
	return cut(text, maxScan) + "…"
}

// block returns at most limit bytes of text, and says how much is left out. The result does not keep
// text in memory.
func block(text string, limit int) string {
	if len(text) <= limit {
		return strings.Clone(text)
	}
	kept := cut(text, limit)
	return fmt.Sprintf("%s\n… (%d more bytes)", kept, len(text)-len(kept))
}

// cut returns at most limit bytes of text without half a character at their end.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// isHidden reports whether a person does not see r, or sees something else because of it.
func isHidden(r rune) bool {
	return r != '\n' && r != '\t' && (!unicode.IsGraphic(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
}

// appendVisible appends text to b, with an escape in place of each hidden character. All that
// leaves the page goes through it, so that no section can forget it.
func appendVisible(b, text []byte) []byte {
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
		}
		if isHidden(r) {
			b = append(b, strings.Trim(strconv.QuoteRuneToASCII(r), "'")...)
		} else {
			b = utf8.AppendRune(b, r)
		}
		text = text[size:]
	}
	return b
}
