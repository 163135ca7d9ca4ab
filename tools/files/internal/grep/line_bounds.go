package grep

import "bytes"

// lineStart returns where the line begins that p is in, which is not before low.
func lineStart(b []byte, low, p int) int {
	return low + bytes.LastIndexByte(b[low:p], '\n') + 1
}

// lineEnd returns where the line ends that p is in.
func lineEnd(b []byte, p int) int {
	if i := bytes.IndexByte(b[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(b)
}

// linesAround returns the lines that a match is in, the last line feed included.
func linesAround(b []byte, from, to int) (start, end int) {
	start = lineStart(b, 0, from)
	if to > start && b[to-1] == '\n' {
		return start, to
	}
	return start, min(lineEnd(b, to)+1, len(b))
}
