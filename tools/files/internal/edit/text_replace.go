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
	r.Old, r.New = t.lineEnds.normalize(r.Old), t.lineEnds.normalize(r.New)
	switch {
	case !isPlainText(r.New):
		return nil, ErrBadText
	case r.Old == r.New:
		return nil, ErrSame
	case r.Old == "" && t.normalized != "":
		return nil, ErrEmptyOld
	}
	if line, found := findOmission(r.New, r.Old); found {
		return nil, &OmissionError{Line: line}
	}
	if r.Old == "" {
		return t.splice(Exact, []byteEdit{{text: r.New}})
	}
	rung, cuts, err := t.findEdits(r)
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

// findEdits climbs the ladder.
func (t *Text) findEdits(r Replacement) (MatchLevel, []byteEdit, error) {
	hits, more := findExact(t.normalized, r)
	if t.encoding == unknownEncoding {
		if err := t.checkUnknownEncoding(r, hits); err != nil {
			return 0, nil, err
		}
	}
	if len(hits) > 0 {
		cuts, err := t.requireUnique(Exact, hits, more, r.All)
		return Exact, cuts, err
	}
	if t.encoding != unknownEncoding && strings.TrimSpace(r.Old) != "" {
		l := newMatcher(t.normalized, r)
		for _, rung := range []MatchLevel{TrailingSpace, Indentation, Punctuation, Anchors, Fuzzy} {
			if hits := l.find(rung); len(hits) > 0 {
				cuts, err := t.requireUnique(rung, hits, false, r.All && rung <= maxLevelForAll)
				return rung, cuts, err
			}
		}
	}
	return 0, nil, t.absentError(r)
}

// findExact returns the places of the old text. Without All it lists those that
// overlap too, and stops when there are more than an error would list.
func findExact(view string, r Replacement) (hits []byteEdit, more bool) {
	for from := 0; ; {
		at := strings.Index(view[from:], r.Old)
		if at < 0 {
			return hits, false
		}
		if !r.All && len(hits) == maxListedPlaces {
			return hits, true
		}
		start := from + at
		hits = append(hits, byteEdit{start: start, end: start + len(r.Old), text: r.New})
		from = start + 1
		if r.All {
			from = start + len(r.Old)
		}
	}
}

// requireUnique returns the hits if they may be replaced.
func (t *Text) requireUnique(rung MatchLevel, hits []byteEdit, more, all bool) ([]byteEdit, error) {
	if len(hits) == 1 || all {
		return hits, nil
	}
	e := &AmbiguousError{Level: rung, More: more}
	line, passed := 1, 0
	for _, h := range hits[:min(len(hits), maxListedPlaces)] {
		line += strings.Count(t.normalized[passed:h.start], "\n")
		passed = h.start
		e.Lines = append(e.Lines, line)
	}
	e.More = more || len(hits) > maxListedPlaces
	return nil, e
}

// maxListedPlaces is how many places an error lists.
const maxListedPlaces = 20

// checkUnknownEncoding checks an edit of text whose encoding is unknown.
func (t *Text) checkUnknownEncoding(r Replacement, hits []byteEdit) error {
	problem := ""
	switch {
	case !isASCII(r.Old):
		problem = "the old text is not plain ASCII, and other characters of this file cannot be read"
	case !isASCII(r.New):
		problem = "the new text is not plain ASCII, and other characters cannot be written to this file"
	}
	for _, h := range hits {
		if h.start > 0 && t.normalized[h.start-1] >= utf8.RuneSelf || h.end < len(t.normalized) && t.normalized[h.end] >= utf8.RuneSelf {
			problem = "the old text stands next to a character that cannot be read; take text that begins and ends beside ASCII characters"
		}
	}
	if problem == "" {
		return nil
	}
	return &EncodingError{Encoding: t.Encoding(), Problem: problem}
}
