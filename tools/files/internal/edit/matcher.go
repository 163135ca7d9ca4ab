package edit

import (
	"strings"
)

// A matcher finds text that is not there to the letter.
type matcher struct {
	replacement Replacement
	lineEdit    lineEdit
	index       *lineIndex
}

func newMatcher(view string, r Replacement) *matcher {
	return &matcher{replacement: r, lineEdit: newLineEdit(r), index: newLineIndex(view)}
}

// find returns the places that a rung finds, in order. With All they do not
// overlap.
func (l *matcher) find(rung MatchLevel) []byteEdit {
	switch rung {
	case TrailingSpace:
		return l.byteEdits(rung, l.findByKey(rightTrimmed))
	case Indentation:
		return l.byteEdits(rung, l.findByKey(strings.TrimSpace))
	case Punctuation:
		if hits := l.findFolded(); len(hits) > 0 {
			return hits
		}
		return l.byteEdits(rung, l.findByKey(foldedLine))
	case Anchors:
		return l.byteEdits(rung, findAnchored(l.index.lines, l.lineEdit.old))
	case Fuzzy:
		return l.byteEdits(rung, findSimilar(l.index.lines, l.lineEdit.old))
	}
	return nil
}

// findByKey finds lines that agree in what key leaves of them.
func (l *matcher) findByKey(key func(string) string) []interval {
	return findLines(lineKeys(l.index.lines, key), lineKeys(l.lineEdit.old, key))
}

// byteEdits turns lines into cuts. There are none if the change cannot be carried over
// to one of them, since it is not known then which is meant.
func (l *matcher) byteEdits(rung MatchLevel, found []interval) []byteEdit {
	all := l.replacement.All && rung <= maxLevelForAll
	if all {
		found = dropOverlapping(found)
	}
	var cuts []byteEdit
	for _, s := range found {
		if len(found) > 1 && !all { // an error lists where they begin
			cuts = append(cuts, byteEdit{start: l.index.starts[s.start]})
			continue
		}
		c, ok := l.lineEdit.apply(l.index, s)
		if !ok {
			return nil
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// findFolded finds parts of lines that look alike.
func (l *matcher) findFolded() []byteEdit {
	found := findFolded(l.index.text, fold(l.replacement.Old))
	if l.replacement.All {
		found = dropOverlapping(found)
	}
	var cuts []byteEdit
	for _, s := range found {
		if len(found) > 1 && !l.replacement.All { // an error lists where they begin
			cuts = append(cuts, byteEdit{start: s.start})
			continue
		}
		file := strings.Split(l.index.text[s.start:s.end], "\n")
		lines, ok := mergeLines(strings.Split(l.replacement.Old, "\n"), file, strings.Split(l.replacement.New, "\n"))
		if !ok {
			return nil
		}
		cuts = append(cuts, byteEdit{start: s.start, end: s.end, text: strings.Join(lines, "\n")})
	}
	return cuts
}
