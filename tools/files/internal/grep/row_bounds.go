package grep

import "unicode/utf8"

// rowBounds are the bounds of a row in a text.
type rowBounds struct {
	start, end int
	match      int // start of the first match in the row; start in a row without a match
}

// shownFrom returns the offset in b at which the text of the row begins. See
// [Query.LongLine].
func (r rowBounds) shownFrom(b []byte, longLine int) int {
	if longLine <= 0 || r.match-r.start <= longLine/2 || r.end-r.start <= longLine {
		return r.start
	}
	if utf8.RuneCount(b[r.start:r.match]) <= longLine/2 || utf8.RuneCount(b[r.start:r.end]) <= longLine {
		return r.start
	}
	from := r.match
	for range longLine / 20 {
		_, size := utf8.DecodeLastRune(b[r.start:from])
		from -= size
	}
	return from
}
