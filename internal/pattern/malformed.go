package pattern

import (
	"strings"
	"unicode"
)

// Malformed returns why a target's value has no clear meaning, as the end of a sentence
// about the value, or "". Hosts are checked by [CanonicalHost] instead.
func Malformed(kind Kind, value string) string {
	switch {
	case strings.IndexByte(value, 0) >= 0:
		return "it holds a NUL character"
	case kind == Path:
		if scheme, ok := urlScheme(value); ok {
			return "it is a URL, of the scheme " + scheme + ", where a path alone belongs"
		}
		return ""
	case kind == Command:
		return "" // an empty line runs nothing
	case strings.TrimSpace(value) == "":
		return "it is empty"
	case strings.ContainsFunc(value, unicode.IsControl) || strings.ToValidUTF8(value, "") != value:
		return "it holds a control character or is not UTF-8"
	}
	return ""
}

// urlScheme returns the scheme of a text that programs read as a URL: "scheme://…" or
// "file:…".
func urlScheme(text string) (scheme string, ok bool) {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || len(scheme) < 2 || strings.ContainsFunc(scheme, notInScheme) { // one letter is a drive
		return "", false
	}
	return scheme, strings.HasPrefix(rest, "//") || strings.EqualFold(scheme, "file")
}

func notInScheme(r rune) bool { return r != '+' && r != '.' && (r == '_' || notInName(r)) }
