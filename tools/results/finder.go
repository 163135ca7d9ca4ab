package results

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

const (
	maxLine       = 1_000   // bytes; of a longer line only the text around matches is shown
	contextBefore = 100     // bytes shown before a match in a long line
	contextAfter  = 400     // bytes shown from the start of the match on
	pieceOverlap  = 1 << 10 // bytes that two pieces of a line over chunkSize share
)

// A hit is a line, or a part of a long line, that is shown.
type hit struct {
	at   int64 // offset of its first byte
	text []byte
}

// A finder finds the matches of a pattern line by line.
type finder struct {
	pattern   *regexp.Regexp
	shownTo   int64 // offset of the end of the last hit
	truncated bool  // a part of a long line was shown
}

// hits returns the parts of a piece to show. The piece begins at offset at. The
// result is the whole line if the piece is a line of at most maxLine bytes, otherwise
// each match with the text around it. part says that the piece is not a whole line.
func (f *finder) hits(piece []byte, at int64, part bool) []hit {
	line := bytes.TrimRight(piece, "\r\n")
	if !part && len(line) <= maxLine {
		if len(piece) == 0 || !f.pattern.Match(line) {
			return nil
		}
		return []hit{{at, line}}
	}
	var hits []hit
	for _, match := range f.pattern.FindAllIndex(line, -1) {
		if at+int64(match[0]) < f.shownTo {
			continue // the previous hit contains it
		}
		from := max(0, match[0]-contextBefore, int(max(0, f.shownTo-at)))
		for from < match[0] && !utf8.RuneStart(line[from]) {
			from++
		}
		to := min(len(line), max(match[0]+contextAfter, from+1))
		to -= partialRune(line[from:to])
		if from == to {
			continue
		}
		f.shownTo, f.truncated = at+int64(to), true
		hits = append(hits, hit{at + int64(from), line[from:to]})
	}
	return hits
}
