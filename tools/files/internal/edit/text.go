package edit

import (
	"strings"
	"unicode/utf8"
)

// A Text is the text of a file, taken apart. It never changes.
type Text struct {
	encoding   encoding
	plain      string // without mark, in UTF-8 unless the encoding is unknown
	lineEnds   lineEnds
	normalized string // plain with "\n" for each line end
}

// Parse takes the bytes of a text file apart. It does not keep data.
//
// It returns [ErrBinary] for what is no text, and an [*EncodingError] for text
// that cannot be written back as it was: UTF-32 and broken UTF-16. UTF-16 is
// known by its byte order mark. Text that is neither UTF-8 nor marked is
// accepted, but see [Text.Replace] for what can be done with it.
func Parse(data []byte) (*Text, error) {
	e, plain, err := decode(data)
	if err != nil {
		return nil, err
	}
	ends := detectLineEnds(plain)
	return &Text{encoding: e, plain: plain, lineEnds: ends, normalized: ends.normalize(plain)}, nil
}

// NewFile returns the bytes of a new file: content as it is, in UTF-8. It returns
// [ErrBadText] for content that cannot stand in a text file.
func NewFile(content string) ([]byte, error) {
	if !isPlainText(content) {
		return nil, ErrBadText
	}
	return []byte(content), nil
}

// String returns the text as a model should see it: valid UTF-8 with "\n" line
// ends and without byte order mark. In a file that has no "\n" at all a lone "\r"
// is a line end, elsewhere it is a character. Bytes that are no UTF-8 are U+FFFD,
// one for each byte.
func (t *Text) String() string {
	if t.encoding != unknownEncoding {
		return t.normalized
	}
	return replaceInvalid(t.normalized)
}

// Encoding names the encoding: "UTF-8", "UTF-8 with BOM", "UTF-16LE", "UTF-16BE"
// (both with a mark), or "unknown 8-bit encoding" for what is not UTF-8.
func (t *Text) Encoding() string { return t.encoding.String() }

// LineEnd returns the end of the first line: "\n", "\r\n" or "\r". Added lines end
// like it. It is "\n" in a text of one line.
func (t *Text) LineEnd() string { return t.lineEnds.first }

// Mixed reports whether some lines end with "\n" and others with "\r\n".
func (t *Text) Mixed() bool { return t.lineEnds.mixed }

// replaceInvalid replaces each byte that is no UTF-8.
func replaceInvalid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for _, r := range text { // a wrong byte is U+FFFD
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

// isPlainText reports whether text can stand in a text file.
func isPlainText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }
