package grep

import "bytes"

// lineStart returns the start of the line that contains p. The line must not start
// before low.
func lineStart(b []byte, low, p int) int {
	return low + bytes.LastIndexByte(b[low:p], '\n') + 1
}

// lineEnd returns the end of the line that contains p, before its line feed.
func lineEnd(b []byte, p int) int {
	if i := bytes.IndexByte(b[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(b)
}

// linesAround returns the bounds of the lines that contain a match, including the last
// line feed.
func linesAround(b []byte, from, to int) (start, end int) {
	start = lineStart(b, 0, from)
	if to > start && b[to-1] == '\n' {
		return start, to
	}
	return start, min(lineEnd(b, to)+1, len(b))
}
