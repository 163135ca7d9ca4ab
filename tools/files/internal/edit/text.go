package edit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Text is the decoded text of a file. It is immutable.
type Text struct {
	encoding   encoding
	plain      string // without byte order mark; UTF-8 unless the encoding is unknown
	lineEnds   lineEnds
	normalized string // plain with "\n" for each line end
}

// Parse decodes the bytes of a text file. It does not retain data.
//
// It returns [ErrBinary] for data that is not text. It returns an [*EncodingError] for
// text that could not be written back unchanged: UTF-32 and invalid UTF-16. UTF-16 is
// recognized by its byte order mark. Text that is neither UTF-8 nor has a byte order
// mark is accepted; [Text.Replace] says which edits are possible then.
func Parse(data []byte) (*Text, error) {
	e, plain, err := decode(data)
	if err != nil {
		return nil, err
	}
	ends := detectLineEnds(plain)
	return &Text{encoding: e, plain: plain, lineEnds: ends, normalized: ends.normalize(plain)}, nil
}

// NewFile returns the bytes of a new file: content unchanged, in UTF-8. It returns
// [ErrBadText] for content that cannot be stored in a text file.
func NewFile(content string) ([]byte, error) {
	if !isPlainText(content) {
		return nil, ErrBadText
	}
	return []byte(content), nil
}

// String returns the text as the model sees it: valid UTF-8 with "\n" line ends and
// without a byte order mark. A lone "\r" is a line end in a file without any "\n", and
// an ordinary character in other files. Each byte that is not UTF-8 becomes U+FFFD.
func (t *Text) String() string {
	if t.encoding != unknownEncoding {
		return t.normalized
	}
	return replaceInvalid(t.normalized)
}

// Encoding names the encoding: "UTF-8", "UTF-8 with BOM", "UTF-16LE", "UTF-16BE" (both
// with a byte order mark), or "unknown 8-bit encoding" for text that is not UTF-8.
func (t *Text) Encoding() string { return t.encoding.String() }

// replaceInvalid replaces each byte that is not UTF-8 by U+FFFD.
func replaceInvalid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for _, r := range text { // an invalid byte yields U+FFFD
		out.WriteRune(r)
	}
	return out.String()
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isPlainText reports whether text can be stored in a text file: it is UTF-8 without
// NUL.
func isPlainText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

const (
	// minNearestSimilarity is the minimum similarity of lines that an error shows, in
	// percent.
	minNearestSimilarity = 50
	// maxNearestCandidates is the maximum number of candidates that are compared in
	// full.
	maxNearestCandidates = 8
	// maxNearestWork bounds these comparisons, in pairs of characters.
	maxNearestWork = 40_000_000
	// maxDiffLines is the maximum number of lines of the difference that an error
	// shows.
	maxDiffLines = 40
	// maxDiffLineBytes is the maximum number of bytes of each of these lines.
	maxDiffLineBytes = 500
	// minAppliedLength is the minimum length of a new text, in bytes, whose presence
	// suggests that the edit was made before.
	minAppliedLength = 10
)

// absentError returns the error for an old text that is not in the file, with the lines, or
// the part of a line, that are most similar to it.
func (t *Text) absentError(r Replacement) *AbsentError {
	e := t.absentLines(r)
	old, _ := linesWithoutEnds(strings.Trim(r.Old, "\n"))
	if len(old) != 1 {
		return e
	}
	text := t.String()
	at, similarity, ok := nearestPart(text, old[0])
	line := 1 + strings.Count(text[:at.start], "\n")
	if ok && similarity > e.Similarity && text[at.start:at.end] != newLineIndex(text).lines[line-1] {
		e.Nearest, e.Similarity = Range{line, line}, similarity
		e.Part, e.Byte = true, at.start-strings.LastIndexByte(text[:at.start], '\n')-1
		e.Diff = shortDiff(old, []string{text[at.start:at.end]}, line, e.Byte)
	}
	return e
}

// absentLines returns the error for whole lines that are not in the file, with the lines
// that are most similar to them.
func (t *Text) absentLines(r Replacement) *AbsentError {
	e := &AbsentError{Numbered: hasLineNumbers(r.Old)}
	if at := strings.Index(t.normalized, r.New); at >= 0 && len(strings.TrimSpace(r.New)) >= minAppliedLength {
		e.Applied = 1 + strings.Count(t.normalized[:at], "\n")
	}
	old, _ := linesWithoutEnds(strings.Trim(r.Old, "\n"))
	lines := newLineIndex(t.String()).lines
	if at, similarity, ok := nearest(lines, old); ok {
		e.Nearest, e.Similarity = Range{at.start + 1, at.end}, similarity
		e.Diff = shortDiff(old, lines[at.start:at.end], at.start+1, 0)
	}
	return e
}

// hasLineNumbers reports whether each line that is not blank begins with a number, as
// in the output of a tool that lists lines.
func hasLineNumbers(text string) bool {
	prefix := regexp.MustCompile(`^ *[0-9]+(\t|→)`)
	found := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if found = prefix.MatchString(line); !found {
			return false
		}
	}
	return found
}

// nearest returns the lines that are most similar to the old lines, and their
// similarity in percent.
func nearest(lines, old []string) (best interval, similarity int, found bool) {
	old = old[:min(len(old), len(lines))]
	text := []rune(strings.Join(old, "\n"))
	if strings.TrimSpace(string(text)) == "" {
		return interval{}, 0, false
	}
	all := candidates(lines, old)
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	lev := levenshtein{budget: maxNearestWork}
	similarity = minNearestSimilarity - 1
	for _, c := range all[:min(len(all), maxNearestCandidates)] {
		joined := strings.Join(lines[c.start:c.end], "\n")
		whole := max(weightOfRunes(text), weightOfText(joined))
		limit := whole * (100 - similarity) / 100
		if c.distance > limit { // before a huge line is converted to runes, which takes memory
			continue
		}
		d, ok := lev.distance(text, []rune(joined), limit)
		if s := 100 - 100*d/whole; ok && s > similarity {
			best, similarity, found = c.interval, s, true
		}
	}
	return best, similarity, found
}

// shortDiff returns the difference between the old lines and those of the file from the line
// first on, with one line of context and without line numbers. Of the first line only the
// text from the byte from on is given.
func shortDiff(old, file []string, first, from int) string {
	var shown []string
	for _, h := range Patch(strings.Join(old, "\n")+"\n", strings.Join(file, "\n")+"\n", 1) {
		if len(shown) > 0 {
			shown = append(shown, "...")
		}
		number, starts := first+h.NewStart-1, windowStarts(h.Lines)
		for i, line := range h.Lines {
			shown = append(shown, cutLine(line, starts[i], number, from))
			if line[0] != '-' {
				number++
			}
		}
	}
	if len(shown) > maxDiffLines {
		shown = append(shown[:maxDiffLines], "...")
	}
	return strings.Join(shown, "\n")
}

// windowStarts returns for each line of a difference the byte from which on it is shown if
// it is long: shortly before the place where a line and the one that it became differ.
func windowStarts(lines []string) []int {
	starts := make([]int, len(lines))
	var olds []int // indexes of removed lines whose new ones have not come yet
	for i, line := range lines {
		switch {
		case line[0] == '-':
			olds = append(olds, i)
		case line[0] == '+' && len(olds) > 0:
			old := olds[0]
			olds = olds[1:]
			at := max(0, commonPrefix(lines[old][1:], line[1:])-maxDiffLineBytes/4)
			starts[old], starts[i] = at, at
		default:
			olds = nil
		}
	}
	return starts
}

// commonPrefix returns the number of equal bytes at the start of a and b.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// cutLine returns a line of a difference. Of a long line it returns maxDiffLineBytes from the byte
// start on, and a note about the rest. number and from say where the text of the line begins in
// the file.
func cutLine(line string, start, number, from int) string {
	mark, text := line[:1], line[1:]
	if len(text) <= maxDiffLineBytes {
		return line
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	kept := text[start:min(start+maxDiffLineBytes, len(text))]
	kept = strings.ToValidUTF8(kept, "")
	cut := mark + kept
	if mark == "-" {
		from = 0
	}
	if start > 0 {
		cut = fmt.Sprintf("%s[from byte %d] … %s", mark, from+start, kept)
	}
	switch more := len(text) - start - len(kept); {
	case more > 0 && mark == "-":
		cut += fmt.Sprintf(" … [%d more bytes, as given]", more)
	case more > 0:
		cut += fmt.Sprintf(" … [%d more bytes in this line; Read shows them with offset %d and byte_offset %d]", more, number, from+start+len(kept))
	}
	return cut
}

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

// Rewrite replaces the whole text by content. The encoding and the byte order mark of
// the file stay; a byte order mark at the start of content is dropped.
//
// Unchanged lines keep their line ends, and so does a line that replaces another; added
// lines get the line end of the file's first line. There is one exception: if every
// "\n" of content follows a "\r", all lines are written with "\r\n". The model never
// sees a "\r\n", so it did not copy them and wants the line ends changed. Content that
// equals the text is no error and returns the same bytes.
//
// The errors are [ErrBadText], an [*OmissionError], and an [*EncodingError] if the
// encoding of the file is unknown and content is not ASCII.
func (t *Text) Rewrite(content string) (*Change, error) {
	if !isPlainText(content) {
		return nil, ErrBadText
	}
	if t.encoding == unknownEncoding && !isASCII(content) {
		return nil, &EncodingError{Encoding: t.Encoding(), Problem: "the new text is not plain ASCII, and other characters cannot be written to this file"}
	}
	content = strings.TrimPrefix(content, bomUTF8)
	after := t.lineEnds.normalize(content)
	if line, found := findOmission(after, t.normalized); found {
		return nil, &OmissionError{Line: line}
	}
	pairs := strings.Count(content, "\r\n")
	if pairs > 0 && pairs == strings.Count(content, "\n") && (t.lineEnds.mixed || t.lineEnds.first != "\r\n") {
		return t.rewriteLineEnds(content)
	}
	return t.splice(Exact, t.lineDifferences(after))
}

// lineDifferences returns an edit for each run of lines that differs from after.
func (t *Text) lineDifferences(after string) []byteEdit {
	index, lines := newLineIndex(t.normalized), splitLines(after)
	var edits []byteEdit
	for _, r := range regions(splitLines(t.normalized), lines) {
		if !r.same {
			edits = append(edits, byteEdit{index.starts[r.a], index.starts[r.aEnd], strings.Join(lines[r.b:r.bEnd], "")})
		}
	}
	return edits
}

// rewriteLineEnds replaces the whole text by content, with the line ends of content.
func (t *Text) rewriteLineEnds(content string) (*Change, error) {
	data := t.encoding.encode(content)
	after, err := Parse(data)
	if err != nil {
		return nil, err
	}
	change := &Change{Data: data, Old: t.String(), New: after.String()}
	change.Spans = []Span{{Old: wholeRange(t.normalized), New: wholeRange(after.normalized)}}
	return change, nil
}

func wholeRange(text string) Range { return Range{First: 1, Last: len(splitLines(text))} }

// splice applies edits, which must be in order and not overlap.
func (t *Text) splice(level MatchLevel, edits []byteEdit) (*Change, error) {
	var plain strings.Builder
	change := &Change{Old: t.String(), Level: level}
	at := plainCursor{lineEnds: t.lineEnds}
	before, after := lineCounter{line: 1}, lineCounter{line: 1}
	done := 0
	for _, c := range edits {
		if t.normalized[c.start:c.end] == c.text {
			continue
		}
		c = t.narrow(c)
		start := at.advance(t.plain, t.normalized[done:c.start])
		from := at.offset
		end := at.advance(t.plain, t.normalized[c.start:c.end])
		plain.WriteString(t.plain[start[0]:start[1]])
		plain.WriteString(t.lineEnds.restore(t.plain[from:end[1]], c.text))

		before.advance(t.normalized[done:c.start])
		after.advance(t.normalized[done:c.start])
		whole := c.end == len(t.normalized) || t.isLineStart(c.end)
		change.Spans = append(change.Spans, Span{
			Old: before.advanceOver(t.normalized[c.start:c.end], whole),
			New: after.advanceOver(c.text, whole),
		})
		done = c.end
	}
	plain.WriteString(t.plain[at.offset:])
	change.Data = t.encoding.encode(plain.String())
	// Parse the new bytes instead of composing the new text: bytes at the border of an
	// edit may combine, such as "\r" and "\n".
	result, err := Parse(change.Data)
	if err != nil {
		return nil, err
	}
	change.New = result.String()
	return change, nil
}

// narrow removes unchanged lines from both ends of an edit.
func (t *Text) narrow(c byteEdit) byteEdit {
	for c.start < c.end {
		line, _, ended := strings.Cut(t.normalized[c.start:c.end], "\n")
		if !ended || !strings.HasPrefix(c.text, line+"\n") {
			break
		}
		c.start += len(line) + 1
		c.text = c.text[len(line)+1:]
	}
	for c.start < c.end {
		from := c.start + strings.LastIndexByte(t.normalized[c.start:c.end-1], '\n') + 1
		line := t.normalized[from:c.end]
		// The line must start in both texts, or the end of a longer line would match.
		before, found := strings.CutSuffix(c.text, line)
		begins := strings.HasSuffix(before, "\n") || before == "" && t.isLineStart(c.start)
		if !found || !begins || !t.isLineStart(from) {
			break
		}
		c.end, c.text = from, before
	}
	return c
}

// isLineStart reports whether a line of the normalized text starts at an offset.
func (t *Text) isLineStart(at int) bool { return at == 0 || t.normalized[at-1] == '\n' }

// A byteEdit replaces the bytes from start to end of the normalized text by text.
type byteEdit struct {
	start, end int
	text       string
}

// A Replacement puts New in place of Old.
type Replacement struct {
	Old string // text that the file contains; "\r\n" counts as "\n"
	New string // text that takes its place; "\r\n" counts as "\n"
	All bool   // replace every occurrence instead of the only one
}

// An interval is the indexes from start up to but not including end: of lines, bytes or
// words, counted from 0.
type interval struct {
	start, end int
}

// dropOverlapping leaves out each interval that overlaps the one kept before it.
func dropOverlapping(all []interval) []interval {
	var kept []interval
	for _, s := range all {
		if len(kept) == 0 || kept[len(kept)-1].end <= s.start {
			kept = append(kept, s)
		}
	}
	return kept
}

// A Change is the result of an edit.
type Change struct {
	Data  []byte     // new bytes of the file
	Old   string     // text before the edit, as Text.String returns it
	New   string     // text after the edit, as Text.String returns it
	Level MatchLevel // level on which the old text was found
	// Spans are the replaced places in the order of the file. Spans do not overlap, but
	// two of them may share a line.
	Spans []Span
}

// A Span is one replaced place.
type Span struct {
	Old Range // in the text before the edit
	New Range // in the text after the edit
}

// A Range is a run of lines from First to Last, both included and counted from 1. Last
// is First - 1 in an empty range: lines were inserted or deleted before First.
type Range struct {
	First, Last int
}
