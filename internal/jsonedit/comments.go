package jsonedit

import (
	"bytes"
	"encoding/json"
)

// Commented reports whether a text is not JSON but would be without its comments and
// without commas before closing brackets. Some editors allow both.
func Commented(data []byte) bool {
	body := bytes.TrimPrefix(data, []byte(utf8BOM))
	return !json.Valid(body) && json.Valid(withoutCommas(withoutComments(body)))
}

// withoutComments returns a copy of text with spaces in place of comments.
func withoutComments(text []byte) []byte {
	out, last := bytes.Clone(text), bytes.LastIndex(text, []byte("*/"))
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			i = stringEnd(out, i)
		case bytes.HasPrefix(out[i:], []byte("//")):
			i = blank(out, i, []byte("\n"))
		case bytes.HasPrefix(out[i:], []byte("/*")) && i+2 <= last:
			i = blank(out, i, []byte("*/"))
		}
	}
	return out
}

// blank overwrites the comment at start with spaces, and returns the index of its last
// byte. The end of the text also ends a comment.
func blank(text []byte, start int, closing []byte) int {
	end := len(text)
	if at := bytes.Index(text[start+2:], closing); at >= 0 {
		end = start + 2 + at + len(closing)
	}
	for i := start; i < end; i++ {
		text[i] = ' '
	}
	return end - 1
}

// withoutCommas overwrites each comma before a closing bracket with a space.
func withoutCommas(text []byte) []byte {
	comma := -1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i = stringEnd(text, i)
			comma = -1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			text[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return text
}

// stringEnd returns the index of the closing quote of the string at start, or of the last
// byte if the quote is missing.
func stringEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text) - 1
}
