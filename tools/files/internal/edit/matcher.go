package edit

import (
	"strings"
)

// A ladder finds text that is not there to the letter.
type ladder struct {
	replacement Replacement
	wish        wish
	page        *page
}

func newLadder(view string, r Replacement) *ladder {
	return &ladder{replacement: r, wish: newWish(r), page: newPage(view)}
}

// hits returns the places that a rung finds, in order. With All they do not
// overlap.
func (l *ladder) hits(rung Rung) []cut {
	switch rung {
	case TrailingSpace:
		return l.cuts(rung, l.byKey(rightTrimmed))
	case Indentation:
		return l.cuts(rung, l.byKey(strings.TrimSpace))
	case Punctuation:
		if hits := l.folded(); len(hits) > 0 {
			return hits
		}
		return l.cuts(rung, l.byKey(foldedLine))
	case Anchors:
		return l.cuts(rung, anchored(l.page.lines, l.wish.old))
	case Fuzzy:
		return l.cuts(rung, similar(l.page.lines, l.wish.old))
	}
	return nil
}

// byKey finds lines that agree in what key leaves of them.
func (l *ladder) byKey(key func(string) string) []stretch {
	return find(keys(l.page.lines, key), keys(l.wish.old, key))
}

// cuts turns lines into cuts. There are none if the change cannot be carried over
// to one of them, since it is not known then which is meant.
func (l *ladder) cuts(rung Rung, found []stretch) []cut {
	all := l.replacement.All && rung <= lastForAll
	if all {
		found = apart(found)
	}
	var cuts []cut
	for _, s := range found {
		if len(found) > 1 && !all { // an error lists where they begin
			cuts = append(cuts, cut{start: l.page.starts[s.first]})
			continue
		}
		c, ok := l.wish.cut(l.page, s)
		if !ok {
			return nil
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// folded finds parts of lines that look alike.
func (l *ladder) folded() []cut {
	found := foldedHits(l.page.text, fold(l.replacement.Old))
	if l.replacement.All {
		found = apart(found)
	}
	var cuts []cut
	for _, s := range found {
		if len(found) > 1 && !l.replacement.All { // an error lists where they begin
			cuts = append(cuts, cut{start: s.first})
			continue
		}
		file := strings.Split(l.page.text[s.first:s.end], "\n")
		lines, ok := merge(strings.Split(l.replacement.Old, "\n"), file, strings.Split(l.replacement.New, "\n"))
		if !ok {
			return nil
		}
		cuts = append(cuts, cut{start: s.first, end: s.end, text: strings.Join(lines, "\n")})
	}
	return cuts
}
