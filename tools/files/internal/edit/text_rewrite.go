package edit

import "strings"

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
