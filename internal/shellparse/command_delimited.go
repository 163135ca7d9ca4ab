package shellparse

import "strings"

// cutDelimited cuts text at the first delimiter that no backslash precedes. It reports
// false if the line ends before a delimiter.
func cutDelimited(text string, delimiter byte) (body, rest string, ok bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return "", "", false
		case delimiter:
			return text[:i], text[i+1:], true
		}
	}
	return "", "", false
}

// bracketsClosed reports whether every bracket expression of a regular expression is
// closed, whether or not a program treats a backslash in it as an escape. A delimiter
// inside an open one would end the expression only for some programs.
func bracketsClosed(expression string) bool {
	return bracketsClosedAs(expression, true) && bracketsClosedAs(expression, false)
}

func bracketsClosedAs(expression string, escapes bool) bool {
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[':
			n := bracketLen(expression[i:], escapes)
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// bracketLen returns the length of the bracket expression at the start of text, or 0 if
// it does not end.
func bracketLen(text string, escapes bool) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	if strings.HasPrefix(text[i:], "]") {
		i++
	}
	for i < len(text) {
		switch {
		case text[i] == ']':
			return i + 1
		case text[i] == '\\' && escapes:
			i += 2
		case text[i] == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			n := strings.Index(text[i+2:], text[i+1:i+2]+"]")
			if n < 0 {
				return 0
			}
			i += n + 4
		default:
			i++
		}
	}
	return 0
}
