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
	if !fit(content) {
		return nil, ErrBadText
	}
	if t.encoding == unknown && !isASCII(content) {
		return nil, &EncodingError{Encoding: t.Encoding(), Problem: "the new text is not plain ASCII, and other characters cannot be written to this file"}
	}
	content = strings.TrimPrefix(content, markUTF8)
	after := t.ends.view(content)
	if line, found := omission(after, t.view); found {
		return nil, &OmissionError{Line: line}
	}
	pairs := strings.Count(content, "\r\n")
	if pairs > 0 && pairs == strings.Count(content, "\n") && (t.ends.mixed || t.ends.first != "\r\n") {
		return t.convert(content)
	}
	return t.splice(Exact, t.differences(after))
}

// differences returns a cut for each stretch of lines that is not the same.
func (t *Text) differences(after string) []cut {
	p, lines := newPage(t.view), splitLines(after)
	var cuts []cut
	for _, r := range regions(splitLines(t.view), lines) {
		if !r.same {
			cuts = append(cuts, cut{p.starts[r.a], p.starts[r.aEnd], strings.Join(lines[r.b:r.bEnd], "")})
		}
	}
	return cuts
}

// convert rewrites the text with the line ends of content.
func (t *Text) convert(content string) (*Change, error) {
	data := t.encoding.encode(content)
	after, err := Parse(data)
	if err != nil {
		return nil, err
	}
	change := &Change{Data: data, Old: t.String(), New: after.String()}
	change.Spans = []Span{{Old: allLines(t.view), New: allLines(after.view)}}
	return change, nil
}

func allLines(text string) Range { return Range{First: 1, Last: len(splitLines(text))} }
