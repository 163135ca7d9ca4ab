package edit

import (
	"strings"
	"unicode/utf8"
)

// Replace makes one edit. The levels are tried in order, and the first one that finds
// the old text is used. More than one match is an [*AmbiguousError] unless All is set;
// no match is an [*AbsentError]. Without All, overlapping matches count as two.
//
// Exact, Punctuation and Escapes also match parts of lines; the other levels match whole lines
// only. Above Exact the new text is merged into the file: lines and characters that the
// model did not change stay as they are in the file, and changed lines get the
// indentation of the file. With All, the levels up to Escapes replace every match;
// at Anchors and Fuzzy more than one match is an [*AmbiguousError].
//
// An empty old text fills an empty file. If the encoding is unknown, Replace only
// replaces ASCII by ASCII, at the level Exact, and not next to a byte that is not
// ASCII, which may belong to the same character; any other edit is an [*EncodingError].
//
// A line end in New without a counterpart in the file becomes the line end of the
// file's first line. The other errors are [ErrBadText], [ErrSame], [ErrEmptyOld],
// [ErrPresent] and [*OmissionError].
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
	level, edits, err := t.findEdits(r)
	if err != nil {
		return nil, err
	}
	change, err := t.splice(level, edits)
	if err != nil {
		return nil, err
	}
	if change.New == change.Old {
		return nil, ErrPresent
	}
	return change, nil
}

// findEdits returns the edits at the first level that finds the old text.
func (t *Text) findEdits(r Replacement) (MatchLevel, []byteEdit, error) {
	matches, more := findExact(t.normalized, r)
	if t.encoding == unknownEncoding {
		if err := t.checkUnknownEncoding(r, matches); err != nil {
			return 0, nil, err
		}
	}
	if len(matches) > 0 {
		edits, err := t.requireUnique(Exact, matches, more, r.All)
		return Exact, edits, err
	}
	escapesUnclear := false
	if t.encoding != unknownEncoding && strings.TrimSpace(r.Old) != "" {
		m := newMatcher(t.normalized, r)
		for _, level := range []MatchLevel{TrailingSpace, Indentation, Punctuation, Escapes, Anchors, Fuzzy} {
			if m.escapesUnclear {
				break // a similar text would be the same place, without care for its escapes
			}
			if matches := m.find(level); len(matches) > 0 {
				edits, err := t.requireUnique(level, matches, false, r.All && level <= maxLevelForAll)
				return level, edits, err
			}
		}
		escapesUnclear = m.escapesUnclear
	}
	absent := t.absentError(r)
	absent.Escapes = escapesUnclear
	return 0, nil, absent
}

// findExact returns the exact matches of the old text. Without All it includes
// overlapping matches, and stops and reports more when there are more than an error
// lists.
func findExact(normalized string, r Replacement) (matches []byteEdit, more bool) {
	for from := 0; ; {
		at := strings.Index(normalized[from:], r.Old)
		if at < 0 {
			return matches, false
		}
		if !r.All && len(matches) == maxListedPlaces {
			return matches, true
		}
		start := from + at
		matches = append(matches, byteEdit{start: start, end: start + len(r.Old), text: r.New})
		from = start + 1
		if r.All {
			from = start + len(r.Old)
		}
	}
}

// requireUnique returns the matches if there is one only or if all are to be replaced,
// and an [*AmbiguousError] otherwise.
func (t *Text) requireUnique(level MatchLevel, matches []byteEdit, more, all bool) ([]byteEdit, error) {
	if len(matches) == 1 || all {
		return matches, nil
	}
	e := &AmbiguousError{Level: level, More: more}
	line, passed := 1, 0
	for _, h := range matches[:min(len(matches), maxListedPlaces)] {
		line += strings.Count(t.normalized[passed:h.start], "\n")
		passed = h.start
		e.Lines = append(e.Lines, line)
	}
	e.More = more || len(matches) > maxListedPlaces
	return nil, e
}

// maxListedPlaces is the maximum number of places that an error lists.
const maxListedPlaces = 20

// checkUnknownEncoding returns an [*EncodingError] if the edit is not safe in a text
// whose encoding is unknown.
func (t *Text) checkUnknownEncoding(r Replacement, matches []byteEdit) error {
	problem := ""
	switch {
	case !isASCII(r.Old):
		problem = "the old text is not plain ASCII, and other characters of this file cannot be read"
	case !isASCII(r.New):
		problem = "the new text is not plain ASCII, and other characters cannot be written to this file"
	}
	for _, h := range matches {
		if h.start > 0 && t.normalized[h.start-1] >= utf8.RuneSelf || h.end < len(t.normalized) && t.normalized[h.end] >= utf8.RuneSelf {
			problem = "the old text stands next to a character that cannot be read; take text that begins and ends beside ASCII characters"
		}
	}
	if problem == "" {
		return nil
	}
	return &EncodingError{Encoding: t.Encoding(), Problem: problem}
}
