package media

import (
	"bytes"
	"encoding/binary"
)

// describeWebP reads the first chunk: lossy pixels, lossless pixels, or the header of an
// image of several chunks.
func describeWebP(chunks []byte) (i Image, ok bool) {
	name, body, ok := firstChunk(chunks)
	if !ok {
		return Image{}, false
	}
	switch name {
	case "VP8 ":
		if len(body) < 10 || body[0]&1 != 0 || !bytes.Equal(body[3:6], []byte{0x9d, 0x01, 0x2a}) {
			return Image{}, false
		}
		i.Width = int64(binary.LittleEndian.Uint16(body[6:]) & 0x3fff)
		i.Height = int64(binary.LittleEndian.Uint16(body[8:]) & 0x3fff)
	case "VP8L":
		if len(body) < 5 || body[0] != 0x2f {
			return Image{}, false
		}
		size := binary.LittleEndian.Uint32(body[1:])
		i.Width, i.Height = int64(size&0x3fff)+1, int64(size>>14&0x3fff)+1
	case "VP8X":
		if len(body) < 10 {
			return Image{}, false
		}
		i.Width, i.Height = uint24(body[4:])+1, uint24(body[7:])+1
	default:
		return Image{}, false
	}
	return i, true
}

// firstChunk returns the name and content of the first chunk. The content of a chunk that
// is cut off is the part that exists.
func firstChunk(chunks []byte) (name string, content []byte, ok bool) {
	const header = 8
	if len(chunks) < header {
		return "", nil, false
	}
	content = chunks[header:]
	if size := uint64(binary.LittleEndian.Uint32(chunks[4:])); size < uint64(len(content)) {
		content = content[:size]
	}
	return string(chunks[:4]), content, true
}

func uint24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }
