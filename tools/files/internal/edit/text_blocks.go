package edit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ReplaceBlocks replaces several blocks of lines, each of which is searched for after the
// one before it, and then in the lines before. It returns the levels at which they were
// found. A block without old lines is added after its last header or, without headers, at
// the end of the text.
//
// The lines of a block must be found once, unless a header names the place: then the first
// that follow count. A header that is not found is ignored. The new lines are merged into
// the file as by [Text.Replace]. The error is a *[BlockError] with an [*AbsentError], a
// [*BlockPlaceError], an [*OmissionError], an [*EncodingError], [ErrBadText] or ErrOverlap,
// or it is [ErrPresent].
func (t *Text) ReplaceBlocks(blocks []Block) (*Change, []MatchLevel, error) {
	p := &blockPlacer{text: t, index: newLineIndex(t.normalized)}
	levels, highest := make([]MatchLevel, len(blocks)), Exact
	for i, b := range blocks {
		level, err := p.place(b)
		if err != nil {
			return nil, nil, &BlockError{Index: i, Err: err}
		}
		levels[i], highest = level, max(highest, level)
	}
	slices.SortStableFunc(p.edits, func(a, b byteEdit) int { return cmp.Compare(a.start, b.start) })
	change, err := t.splice(highest, p.edits)
	if err != nil {
		return nil, nil, err
	}
	if change.New == change.Old {
		return nil, nil, ErrPresent
	}
	return change, levels, nil
}

// A blockPlacer finds the places of blocks.
type blockPlacer struct {
	text  *Text
	index *lineIndex
	used  []interval // lines of the blocks so far
	edits []byteEdit
	next  int // line after the block before
}

// place finds the place of a block and adds its edit.
func (p *blockPlacer) place(b Block) (MatchLevel, error) {
	r := Replacement{Old: joinLines(b.Old), New: joinLines(b.New)}
	if !isPlainText(r.New) {
		return 0, ErrBadText
	}
	if line, found := findOmission(r.New, r.Old); found {
		return 0, &OmissionError{Line: line}
	}
	from, headed := p.afterHeaders(b.Headers)
	if len(b.Old) == 0 {
		return Exact, p.insert(b, from, headed)
	}
	// Blank lines at the start are part of a block, other than in newLineEdit: it is found
	// by all of its lines.
	m := &matcher{replacement: r, lineEdit: lineEdit{old: b.Old, new: b.New, oldHasEnd: true, newHasEnd: len(b.New) > 0}, index: p.index}
	level, at, err := p.find(m, b.AtEnd, from, headed)
	if err != nil {
		return 0, err
	}
	e, ok := m.lineEdit.apply(p.index, at)
	if !ok {
		return 0, p.text.absentLines(r)
	}
	if b.AddsEnd && e.end == len(p.index.text) && !strings.HasSuffix(e.text, "\n") {
		e.text += "\n"
	}
	if p.text.encoding == unknownEncoding {
		if err := p.text.checkUnknownEncoding(r, []byteEdit{e}); err != nil {
			return 0, err
		}
	}
	return level, p.add(e, at)
}

// add adds an edit of the lines at.
func (p *blockPlacer) add(e byteEdit, at interval) error {
	if p.isUsed(at) {
		return ErrOverlap
	}
	p.used, p.edits, p.next = append(p.used, at), append(p.edits, e), at.end
	return nil
}

// isUsed reports whether a block so far has some of the lines at.
func (p *blockPlacer) isUsed(at interval) bool {
	return slices.ContainsFunc(p.used, func(u interval) bool { return u.start < at.end && at.start < u.end })
}

// afterHeaders returns the line of the last header that is found, and reports whether one
// is. The first header is searched for after the block before, and then from the start.
func (p *blockPlacer) afterHeaders(headers []string) (line int, found bool) {
	line = p.next
	for _, header := range headers {
		from := line
		if found {
			from++
		}
		at, ok := p.header(header, from)
		if !ok && !found {
			at, ok = p.header(header, 0)
		}
		if ok {
			line, found = at, true
		}
	}
	return line, found
}

// header returns the first line from from on that is the header: it has the same text, or
// begins with the same words.
func (p *blockPlacer) header(header string, from int) (line int, found bool) {
	want := foldedLine(header)
	for _, same := range []func(line string) bool{
		func(line string) bool { return line == want },
		func(line string) bool { return strings.HasPrefix(line, want) && !startsInWord(line[len(want):]) },
	} {
		for i := from; i < len(p.index.lines) && want != ""; i++ {
			if same(foldedLine(p.index.lines[i])) {
				return i, true
			}
		}
	}
	return 0, false
}

// startsInWord reports whether text begins with a letter or a digit.
func startsInWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// insert adds lines after the line of a header, or at the end.
func (p *blockPlacer) insert(b Block, header int, headed bool) error {
	at, place := len(p.index.text), interval{len(p.index.lines), len(p.index.lines)}
	if headed && !b.AtEnd {
		at, place = p.index.starts[header+1], interval{header + 1, header + 1}
	}
	text := joinLines(b.New)
	if at == len(p.index.text) && !p.endsLine() {
		text = "\n" + text
	}
	return p.add(byteEdit{start: at, end: at, text: text}, place)
}

// endsLine reports whether the text so far ends with a line end, or is empty.
func (p *blockPlacer) endsLine() bool {
	text := p.index.text
	for _, e := range p.edits {
		if e.end == len(p.index.text) && e.text != "" {
			text = e.text
		}
	}
	return text == "" || strings.HasSuffix(text, "\n")
}

// find returns the place of a block, from the line from on or, if it is not there, before
// it.
func (p *blockPlacer) find(m *matcher, atEnd bool, from int, headed bool) (MatchLevel, interval, error) {
	levels := []MatchLevel{Exact, TrailingSpace, Indentation, Punctuation, Anchors, Fuzzy}
	if p.text.encoding == unknownEncoding {
		levels = levels[:1]
	}
	for _, level := range levels {
		all := m.findLines(level)
		if end := endingAt(all, len(p.index.lines)); atEnd && len(end) > 0 {
			all = end
		}
		free := slices.DeleteFunc(slices.Clone(all), p.isUsed)
		if len(free) == 0 && len(all) > 0 {
			return 0, interval{}, ErrOverlap
		}
		all = free
		later := slices.DeleteFunc(slices.Clone(all), func(s interval) bool { return s.start < from })
		switch {
		case len(later) == 1, len(later) > 1 && headed:
			return level, later[0], nil
		case len(later) == 0 && len(all) == 1:
			return level, all[0], nil
		case len(later) == 0 && len(all) == 0:
			continue
		case len(later) == 0:
			later = all
		}
		e := &BlockPlaceError{Level: level, More: len(later) > maxListedPlaces}
		for _, s := range later[:min(len(later), maxListedPlaces)] {
			e.Lines = append(e.Lines, s.start+1)
		}
		return 0, interval{}, e
	}
	return 0, interval{}, p.text.absentLines(m.replacement)
}

// endingAt returns the intervals that end at a line.
func endingAt(all []interval, line int) []interval {
	return slices.DeleteFunc(slices.Clone(all), func(s interval) bool { return s.end != line })
}

// joinLines returns lines as a text.
func joinLines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
