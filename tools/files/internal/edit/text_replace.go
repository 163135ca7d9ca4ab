package edit

import (
	"strings"
	"unicode/utf8"
)

// Replace makes one edit. The first rung that has the old text decides; more
// than one hit is an [*AmbiguousError] unless All is set, and none an
// [*AbsentError]. Without All, overlapping hits count as two.
//
// The rungs TrailingSpace, Indentation, Anchors and Fuzzy need whole lines;
// Exact and Punctuation find parts of lines too. Above Exact the new text is not
// taken as it is: lines and characters that do not differ from the old text stay
// as the file has them, and changed lines are indented like the file. With All
// the rungs up to Punctuation change all hits, the others take a single one.
//
// An empty old text fills an empty file. Where the encoding is unknown, only
// ASCII is exchanged for ASCII, on the rung Exact, and not next to a byte that is
// not ASCII, which may belong to the same character; otherwise the error is an
// [*EncodingError].
//
// A line end in New that has no counterpart in the file is that of the first
// line of the file. See [ErrBadText], [ErrSame], [ErrEmptyOld], [ErrPresent] and
// [*OmissionError] for what is refused.
func (t *Text) Replace(r Replacement) (*Change, error) {
	r.Old, r.New = t.ends.view(r.Old), t.ends.view(r.New)
	switch {
	case !fit(r.New):
		return nil, ErrBadText
	case r.Old == r.New:
		return nil, ErrSame
	case r.Old == "" && t.view != "":
		return nil, ErrEmptyOld
	}
	if line, found := omission(r.New, r.Old); found {
		return nil, &OmissionError{Line: line}
	}
	if r.Old == "" {
		return t.splice(Exact, []cut{{text: r.New}})
	}
	rung, cuts, err := t.match(r)
	if err != nil {
		return nil, err
	}
	change, err := t.splice(rung, cuts)
	if err != nil {
		return nil, err
	}
	if change.New == change.Old {
		return nil, ErrPresent
	}
	return change, nil
}

// match climbs the ladder.
func (t *Text) match(r Replacement) (Rung, []cut, error) {
	hits, more := exactHits(t.view, r)
	if t.encoding == unknown {
		if err := t.foreign(r, hits); err != nil {
			return 0, nil, err
		}
	}
	if len(hits) > 0 {
		cuts, err := t.only(Exact, hits, more, r.All)
		return Exact, cuts, err
	}
	if t.encoding != unknown && strings.TrimSpace(r.Old) != "" {
		l := newLadder(t.view, r)
		for _, rung := range []Rung{TrailingSpace, Indentation, Punctuation, Anchors, Fuzzy} {
			if hits := l.hits(rung); len(hits) > 0 {
				cuts, err := t.only(rung, hits, false, r.All && rung <= lastForAll)
				return rung, cuts, err
			}
		}
	}
	return 0, nil, t.absent(r)
}

// exactHits returns the places of the old text. Without All it lists those that
// overlap too, and stops when there are more than an error would list.
func exactHits(view string, r Replacement) (hits []cut, more bool) {
	for from := 0; ; {
		at := strings.Index(view[from:], r.Old)
		if at < 0 {
			return hits, false
		}
		if !r.All && len(hits) == maxPlaces {
			return hits, true
		}
		start := from + at
		hits = append(hits, cut{start: start, end: start + len(r.Old), text: r.New})
		from = start + 1
		if r.All {
			from = start + len(r.Old)
		}
	}
}

// only returns the hits if they may be replaced.
func (t *Text) only(rung Rung, hits []cut, more, all bool) ([]cut, error) {
	if len(hits) == 1 || all {
		return hits, nil
	}
	e := &AmbiguousError{Rung: rung, More: more}
	line, passed := 1, 0
	for _, h := range hits[:min(len(hits), maxPlaces)] {
		line += strings.Count(t.view[passed:h.start], "\n")
		passed = h.start
		e.Lines = append(e.Lines, line)
	}
	e.More = more || len(hits) > maxPlaces
	return nil, e
}

// maxPlaces is how many places an error lists.
const maxPlaces = 20

// foreign checks an edit of text whose encoding is unknown.
func (t *Text) foreign(r Replacement, hits []cut) error {
	problem := ""
	switch {
	case !isASCII(r.Old):
		problem = "the old text is not plain ASCII, and other characters of this file cannot be read"
	case !isASCII(r.New):
		problem = "the new text is not plain ASCII, and other characters cannot be written to this file"
	}
	for _, h := range hits {
		if h.start > 0 && t.view[h.start-1] >= utf8.RuneSelf || h.end < len(t.view) && t.view[h.end] >= utf8.RuneSelf {
			problem = "the old text stands next to a character that cannot be read; take text that begins and ends beside ASCII characters"
		}
	}
	if problem == "" {
		return nil
	}
	return &EncodingError{Encoding: t.Encoding(), Problem: problem}
}
