package edit

import (
	"strings"
)

// Rewrite puts content in the place of the whole text. Encoding and byte order
// mark stay; a mark at the beginning of content is left out.
//
// Lines that were there before keep their ends, and so does a line that takes
// the place of another; added lines end like the first line of the file. Only if
// every "\n" of content follows a "\r", all lines are written with "\r\n": a model
// never sees a "\r\n", so that is a wish and not a copy. Equal content is no
// error and gives equal bytes.
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

// lineDifferences returns a cut for each stretch of lines that is not the same.
func (t *Text) lineDifferences(after string) []byteEdit {
	p, lines := newLineIndex(t.normalized), splitLines(after)
	var cuts []byteEdit
	for _, r := range regions(splitLines(t.normalized), lines) {
		if !r.same {
			cuts = append(cuts, byteEdit{p.starts[r.a], p.starts[r.aEnd], strings.Join(lines[r.b:r.bEnd], "")})
		}
	}
	return cuts
}

// rewriteLineEnds rewrites the text with the line ends of content.
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
