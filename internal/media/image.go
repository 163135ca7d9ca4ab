// Package media reads the headers of images and checks, before an image becomes part of
// a conversation, whether a provider accepts it: a provider that refuses one image refuses
// every later request of the conversation.
//
// It decodes no pixels. The functions are safe on hostile input: the time they take is at
// most linear in the number of bytes, and they allocate nothing in proportion to the sizes
// that the input claims.
package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// The types of images that this package knows. Every provider accepts them.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
)

var (
	// ErrUnknown means that data is not an image of a known type.
	ErrUnknown = errors.New("not a PNG, JPEG, GIF or WebP image")
	errBroken  = errors.New("its header is broken or cut off")
)

// An Image is the content of an image's header. The header may lie: the pixels are not
// read.
type Image struct {
	Type   string // [PNG], [JPEG], [GIF] or [WebP]
	Width  int64  // pixels, 1 to 2³²-1
	Height int64
}

// Pixels returns width times height, or the largest int64 if that overflows.
func (i Image) Pixels() int64 {
	hi, lo := bits.Mul64(uint64(i.Width), uint64(i.Height))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// Edge returns the larger of width and height.
func (i Image) Edge() int64 { return max(i.Width, i.Height) }

// Describe reads the header of an image. The error is [ErrUnknown], or it says that the
// header is broken; then the type is set.
func Describe(data []byte) (Image, error) {
	var i Image
	var ok bool
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		i, ok = describePNG(data)
		i.Type = PNG
	case bytes.HasPrefix(data, []byte{0xff, 0xd8, 0xff}):
		i, ok = describeJPEG(data)
		i.Type = JPEG
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		i, ok = describeGIF(data)
		i.Type = GIF
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		i, ok = describeWebP(data[12:])
		i.Type = WebP
	default:
		return Image{}, ErrUnknown
	}
	if !ok || i.Width <= 0 || i.Height <= 0 {
		return Image{Type: i.Type}, fmt.Errorf("%s: %w", i.Type, errBroken)
	}
	return i, nil
}

// describeGIF reads the size of the canvas.
func describeGIF(data []byte) (i Image, ok bool) {
	const header = 13 // bytes, with the canvas
	if len(data) < header {
		return Image{}, false
	}
	i.Width = int64(binary.LittleEndian.Uint16(data[6:]))
	i.Height = int64(binary.LittleEndian.Uint16(data[8:]))
	return i, true
}

// describePNG reads the first chunk, which is the header.
func describePNG(data []byte) (i Image, ok bool) {
	const (
		signature = 8
		frame     = 12 // bytes of a chunk beside its content: length, name and checksum
		header    = 13
	)
	chunk := data[signature:]
	if len(chunk) < frame+header || binary.BigEndian.Uint32(chunk) != header || string(chunk[4:8]) != "IHDR" {
		return Image{}, false
	}
	i.Width = int64(binary.BigEndian.Uint32(chunk[8:]))
	i.Height = int64(binary.BigEndian.Uint32(chunk[12:]))
	return i, true
}

// describeJPEG reads up to the frame header, which has the size of the image.
func describeJPEG(data []byte) (i Image, ok bool) {
	const frameHeader = 6 // bytes: length, precision, height, width; more follow
	rest := data[2:]
	for {
		start := bytes.IndexByte(rest, 0xff) // any bytes may stand between two segments
		if start < 0 {
			return Image{}, false
		}
		for rest = rest[start:]; len(rest) > 0 && rest[0] == 0xff; {
			rest = rest[1:]
		}
		if len(rest) < 3 {
			return Image{}, false
		}
		marker := rest[0]
		rest = rest[1:]
		if marker == 0 || marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 {
			continue // a marker without content
		}
		if marker == 0xd9 || marker == 0xda { // the end, or the pixels
			return Image{}, false
		}
		size := int(binary.BigEndian.Uint16(rest))
		if size < 2 || size > len(rest) {
			return Image{}, false
		}
		if isFrameHeader(marker) {
			if size < frameHeader+1 {
				return Image{}, false
			}
			i.Height = int64(binary.BigEndian.Uint16(rest[3:]))
			i.Width = int64(binary.BigEndian.Uint16(rest[5:]))
			return i, true
		}
		rest = rest[size:]
	}
}

// isFrameHeader reports whether a marker begins a frame header: 0xc0 to 0xcf, without
// three that have other meanings.
func isFrameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

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
