// Package media tells what an image is from its first bytes, and whether a provider
// takes it, before it gets into a conversation: one that a provider refuses makes
// every later request of the conversation fail.
//
// No pixel is decoded. The functions are safe for hostile input: the time they take
// grows with the number of bytes at most, and nothing is allocated in proportion to
// what the input claims.
package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// The types of images that are known here; every provider takes them.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
)

var (
	// ErrUnknown is the error for what is no image of a known type.
	ErrUnknown = errors.New("not a PNG, JPEG, GIF or WebP image")
	errBroken  = errors.New("its header is broken or cut off")
)

// An Image is what the header of an image says. It may lie: the pixels were not
// looked at.
type Image struct {
	Type   string // [PNG], [JPEG], [GIF] or [WebP]
	Width  int64  // pixels, 1 to 2³²-1
	Height int64
	Frames int // as far as the data goes; 1 for an image that does not move
}

// Pixels returns width times height, or the largest number if that is more.
func (i Image) Pixels() int64 {
	hi, lo := bits.Mul64(uint64(i.Width), uint64(i.Height))
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// Edge returns the larger one of width and height.
func (i Image) Edge() int64 { return max(i.Width, i.Height) }

// Describe tells what an image is by its content. The error is [ErrUnknown], or says
// that the header of an image of the type that is returned is broken.
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

// describePNG reads the header, and counts the frames if one of the pieces before the
// pixels does.
func describePNG(data []byte) (i Image, ok bool) {
	const (
		frame  = 12 // bytes of a piece beside its content: length, name, sum
		header = 13
	)
	rest := data[8:]
	if len(rest) < frame+header || binary.BigEndian.Uint32(rest) != header || string(rest[4:8]) != "IHDR" {
		return Image{}, false
	}
	i.Width = int64(binary.BigEndian.Uint32(rest[8:]))
	i.Height = int64(binary.BigEndian.Uint32(rest[12:]))
	i.Frames = 1
	for len(rest) >= frame {
		size, name := uint64(binary.BigEndian.Uint32(rest)), string(rest[4:8])
		if name == "IDAT" || size > uint64(len(rest)-frame) {
			break
		}
		if name == "acTL" && size == 8 {
			frames := min(binary.BigEndian.Uint32(rest[8:]), math.MaxInt32)
			i.Frames = max(1, int(frames))
		}
		rest = rest[frame+size:]
	}
	return i, true
}

// describeJPEG reads to the frame header, which says how large the image is.
func describeJPEG(data []byte) (i Image, ok bool) {
	const frameHeader = 6 // bytes: length, precision, height, width; more follow
	rest := data[2:]
	for {
		start := bytes.IndexByte(rest, 0xff) // there may be anything between two segments
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
			continue // these have no content
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
			i.Frames = 1
			return i, true
		}
		rest = rest[size:]
	}
}

// isFrameHeader reports whether a segment is one of the frame headers: 0xc0 to 0xcf,
// of which three are something else.
func isFrameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// Extension returns the ending that names of files have for a MIME type, without the
// dot: "txt" for what is unknown or plain text.
func Extension(mimeType string) string {
	_, sub, ok := strings.Cut(normal(mimeType), "/")
	switch {
	case !ok || sub == "" || sub == "plain":
		return "txt"
	case sub == "jpeg":
		return "jpg"
	case sub == "octet-stream":
		return "bin"
	}
	return sub
}

// IsImage reports whether a MIME type, however it is spelled, is that of an image.
func IsImage(mimeType string) bool { return strings.HasPrefix(normal(mimeType), "image/") }
