package edit

import "strings"

// A matcher finds the old text at the levels above Exact.
type matcher struct {
	replacement Replacement
	lineEdit    lineEdit   // the replacement as whole lines
	index       *lineIndex // the text of the file
	// escapesUnclear reports that the old text was found but for escapes, and that the new
	// text cannot be written with those of the file.
	escapesUnclear bool
}

func newMatcher(normalized string, r Replacement) *matcher {
	return &matcher{replacement: r, lineEdit: newLineEdit(r), index: newLineIndex(normalized)}
}

// find returns the edits at a level, in order. With All they do not overlap.
func (m *matcher) find(level MatchLevel) []byteEdit {
	switch level {
	case Punctuation:
		if matches := m.findFolded(); len(matches) > 0 {
			return matches
		}
	case Escapes:
		edits, ok := m.findEscaped()
		m.escapesUnclear = !ok
		return edits
	}
	return m.byteEdits(level, m.findLines(level))
}

// findLines returns the whole lines that match the old lines at a level.
func (m *matcher) findLines(level MatchLevel) []interval {
	switch level {
	case Exact:
		return m.findByKey(func(line string) string { return line })
	case TrailingSpace:
		return m.findByKey(rightTrimmed)
	case Indentation:
		return m.findByKey(strings.TrimSpace)
	case Punctuation:
		return m.findByKey(foldedLine)
	case Anchors:
		return findAnchored(m.index.lines, m.lineEdit.old)
	case Fuzzy:
		return findSimilar(m.index.lines, m.lineEdit.old)
	}
	return nil
}

// findByKey returns the lines of the file whose keys equal the keys of the old lines.
func (m *matcher) findByKey(key func(string) string) []interval {
	return findLines(lineKeys(m.index.lines, key), lineKeys(m.lineEdit.old, key))
}

// byteEdits returns the edits for the intervals of lines that were found. It returns
// nil if the change cannot be merged into one of them, since that one may be the
// intended place.
func (m *matcher) byteEdits(level MatchLevel, found []interval) []byteEdit {
	all := m.replacement.All && level <= maxLevelForAll
	if all {
		found = dropOverlapping(found)
	}
	var edits []byteEdit
	for _, s := range found {
		if len(found) > 1 && !all { // the AmbiguousError needs the start only
			edits = append(edits, byteEdit{start: m.index.starts[s.start]})
			continue
		}
		c, ok := m.lineEdit.apply(m.index, s)
		if !ok {
			return nil
		}
		edits = append(edits, c)
	}
	return edits
}

// findFolded returns the edits for parts of lines that fold to the same text as the old
// text.
func (m *matcher) findFolded() []byteEdit {
	found := findFolded(m.index.text, fold(m.replacement.Old))
	if m.replacement.All {
		found = dropOverlapping(found)
	}
	var edits []byteEdit
	for _, s := range found {
		if len(found) > 1 && !m.replacement.All { // the AmbiguousError needs the start only
			edits = append(edits, byteEdit{start: s.start})
			continue
		}
		file := strings.Split(m.index.text[s.start:s.end], "\n")
		lines, ok := mergeLines(strings.Split(m.replacement.Old, "\n"), file, strings.Split(m.replacement.New, "\n"))
		if !ok {
			return nil
		}
		edits = append(edits, byteEdit{start: s.start, end: s.end, text: strings.Join(lines, "\n")})
	}
	return edits
}
