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
