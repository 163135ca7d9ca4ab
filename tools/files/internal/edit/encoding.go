package edit

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An encoding says how the bytes of a file represent text.
type encoding int

const (
	plainUTF8 encoding = iota
	markedUTF8
	utf16LE
	utf16BE
	// unknownEncoding is text that is neither UTF-8 nor has a byte order mark: one of
	// the many older 8-bit encodings. Only its ASCII characters are known.
	unknownEncoding
)

// Byte order marks.
const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
	bomUTF32LE = "\xff\xfe\x00\x00"
	bomUTF32BE = "\x00\x00\xfe\xff"
)

func (e encoding) String() string {
	switch e {
	case plainUTF8:
		return "UTF-8"
	case markedUTF8:
		return "UTF-8 with BOM"
	case utf16LE:
		return "UTF-16LE"
	case utf16BE:
		return "UTF-16BE"
	}
	return "unknown 8-bit encoding"
}

// bom returns the byte order mark of the encoding, or "".
func (e encoding) bom() string {
	switch e {
	case markedUTF8:
		return bomUTF8
	case utf16LE:
		return bomUTF16LE
	case utf16BE:
		return bomUTF16BE
	}
	return ""
}

// decode returns the encoding and the text of a file, without its byte order mark.
func decode(data []byte) (encoding, string, error) {
	all := string(data)
	switch {
	case strings.HasPrefix(all, bomUTF32LE), strings.HasPrefix(all, bomUTF32BE):
		return 0, "", &EncodingError{Encoding: "UTF-32", Problem: "UTF-32 cannot be edited"}
	case strings.HasPrefix(all, bomUTF16LE):
		return decodeUTF16(utf16LE, data[len(bomUTF16LE):], binary.LittleEndian)
	case strings.HasPrefix(all, bomUTF16BE):
		return decodeUTF16(utf16BE, data[len(bomUTF16BE):], binary.BigEndian)
	case strings.IndexByte(all, 0) >= 0:
		return 0, "", ErrBinary
	case !utf8.ValidString(all):
		return unknownEncoding, all, nil
	case strings.HasPrefix(all, bomUTF8):
		return markedUTF8, all[len(bomUTF8):], nil
	}
	return plainUTF8, all, nil
}

func decodeUTF16(e encoding, data []byte, order binary.ByteOrder) (encoding, string, error) {
	if len(data)%2 != 0 {
		return 0, "", &EncodingError{Encoding: e.String(), Problem: "the file ends in the middle of a character"}
	}
	var text strings.Builder
	text.Grow(len(data) / 2)
	for i := 0; i < len(data); i += 2 {
		r := rune(order.Uint16(data[i:]))
		if r == 0 {
			return 0, "", ErrBinary
		}
		if utf16.IsSurrogate(r) {
			if len(data) < i+4 {
				return 0, "", unpairedSurrogate(e)
			}
			r = utf16.DecodeRune(r, rune(order.Uint16(data[i+2:])))
			if r == utf8.RuneError {
				return 0, "", unpairedSurrogate(e)
			}
			i += 2
		}
		text.WriteRune(r)
	}
	return e, text.String(), nil
}

func unpairedSurrogate(e encoding) error {
	return &EncodingError{Encoding: e.String(), Problem: "the file has half of a surrogate pair"}
}

// encode is the inverse of decode. It encodes each character on its own, so equal text
// gives equal bytes at any position.
func (e encoding) encode(text string) []byte {
	mark := e.bom()
	switch e {
	case utf16LE:
		return appendUTF16([]byte(mark), text, binary.LittleEndian)
	case utf16BE:
		return appendUTF16([]byte(mark), text, binary.BigEndian)
	}
	return []byte(mark + text)
}

func appendUTF16(data []byte, text string, order binary.AppendByteOrder) []byte {
	for _, r := range text {
		if utf16.RuneLen(r) == 1 {
			data = order.AppendUint16(data, uint16(r))
			continue
		}
		high, low := utf16.EncodeRune(r)
		data = order.AppendUint16(data, uint16(high))
		data = order.AppendUint16(data, uint16(low))
	}
	return data
}
