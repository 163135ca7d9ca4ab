package edit

import (
	"strings"
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
