package pattern

import "strings"

// EscapePath returns a pattern that matches only path, for rules that a program writes. The
// path has slashes, as [Canonical] returns it. The caller adds the anchor: a rule on an
// absolute path is "/" and the path, since with a single slash it would be relative to the
// root of the rule's source.
func EscapePath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		first, last := i == 0, i == len(path)-1
		if strings.IndexByte(`\*?[`, c) >= 0 || first && (c == '!' || c == '#') || last && c == ' ' {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
