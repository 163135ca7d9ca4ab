package media

import (
	"bytes"
	"encoding/binary"
)

// describeGIF reads the size of the canvas and counts the images, as far as there are
// whole ones.
func describeGIF(data []byte) (i Image, ok bool) {
	const header = 13 // bytes, with the canvas
	if len(data) < header {
		return Image{}, false
	}
	i.Width = int64(binary.LittleEndian.Uint16(data[6:]))
	i.Height = int64(binary.LittleEndian.Uint16(data[8:]))
	rest, ok := skip(data[header:], colors(data[10]))
	for ok && len(rest) > 0 {
		switch rest[0] {
		case '!': // an extension: its label, then blocks
			if rest, ok = skip(rest, 2); ok {
				rest, ok = skipBlocks(rest)
			}
		case ',': // an image: its place and colours, the width of a code, then blocks
			if rest, ok = skipImage(rest); ok {
				i.Frames++
			}
		default: // the end
			ok = false
		}
	}
	i.Frames = max(i.Frames, 1)
	return i, true
}

func skipImage(rest []byte) (after []byte, ok bool) {
	const descriptor = 10
	if len(rest) < descriptor {
		return nil, false
	}
	if rest, ok = skip(rest, descriptor+colors(rest[descriptor-1])+1); !ok {
		return nil, false
	}
	return skipBlocks(rest)
}

// colors returns how many bytes the colour table takes that flags announce.
func colors(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// skipBlocks steps over blocks, each behind its length, and the empty one at the end.
func skipBlocks(rest []byte) (after []byte, ok bool) {
	for len(rest) > 0 {
		size := int(rest[0])
		if rest, ok = skip(rest, 1+size); !ok || size == 0 {
			return rest, ok
		}
	}
	return nil, false
}

func skip(rest []byte, n int) (after []byte, ok bool) {
	if n > len(rest) {
		return nil, false
	}
	return rest[n:], true
}

// describeWebP reads the first chunk, which is one of three: pixels in the one or the
// other coding, or a header for what has several parts.
func describeWebP(chunks []byte) (i Image, ok bool) {
	name, body, rest, ok := nextChunk(chunks)
	if !ok {
		return Image{}, false
	}
	i.Frames = 1
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
		if moves := body[0]&2 != 0; moves {
			i.Frames = max(1, webPFrames(rest))
		}
	default:
		return Image{}, false
	}
	return i, true
}

func webPFrames(chunks []byte) (frames int) {
	for {
		name, _, rest, ok := nextChunk(chunks)
		if !ok {
			return frames
		}
		if name == "ANMF" {
			frames++
		}
		chunks = rest
	}
}

// nextChunk splits the first chunk off. What is there of one that is cut off is body.
func nextChunk(chunks []byte) (name string, body, rest []byte, ok bool) {
	const header = 8
	if len(chunks) < header {
		return "", nil, nil, false
	}
	name = string(chunks[:4])
	size := uint64(binary.LittleEndian.Uint32(chunks[4:]))
	body = chunks[header:]
	if size >= uint64(len(body)) {
		return name, body, nil, true
	}
	padded := min(size+size%2, uint64(len(body)))
	return name, body[:size], body[padded:], true
}

func uint24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }
