package results

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

const (
	maxLine       = 1_000   // bytes; of a longer line the surroundings of matches are shown
	contextBefore = 100     // bytes that are shown before a match in a long line
	contextAfter  = 400     // and from its beginning on
	pieceOverlap  = 1 << 10 // of the pieces of a line over chunk
)

// A hit is a line, or a part of a long one, that is shown.
type hit struct {
	at   int64 // of its first byte
	text []byte
}

// A finder looks for a pattern line by line.
type finder struct {
	pattern   *regexp.Regexp
	shownTo   int64 // the end of the last hit
	truncated bool  // a line was too long to be shown
}

// hits returns what of a piece, which begins at that offset, is to be shown: the line
// that it is, or if that is long each match with its surroundings. part says that the
// piece is not all of its line.
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
			continue // it was seen with the one before
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
