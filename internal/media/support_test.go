package media_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
)

func pngOf(t testing.TB, width, height int) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

func jpegOf(t testing.TB, width, height int) []byte {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, width, height)), nil))
	return b.Bytes()
}

func gifOf(t testing.TB, width, height, frames int) []byte {
	all := gif.GIF{Config: image.Config{Width: width, Height: height}}
	for i := range frames {
		palette := color.Palette{color.Black, color.Gray{Y: uint8(i)}}
		all.Image = append(all.Image, image.NewPaletted(image.Rect(0, 0, width, height), palette))
		all.Delay = append(all.Delay, 1)
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &all))
	return b.Bytes()
}

// pngChunk returns a piece of a PNG.
func pngChunk(name string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, name...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// pngHeader is the beginning of a PNG of any size.
func pngHeader(width, height uint32) []byte {
	body := binary.BigEndian.AppendUint32(nil, width)
	body = append(binary.BigEndian.AppendUint32(body, height), 8, 0, 0, 0, 0)
	return append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", body)...)
}

// movingPNG puts into a PNG how many frames it has.
func movingPNG(still []byte, frames uint32) []byte {
	const header = 8 + 12 + 13
	body := binary.BigEndian.AppendUint32(nil, frames)
	body = binary.BigEndian.AppendUint32(body, 0)
	b := append(bytes.Clone(still[:header]), pngChunk("acTL", body)...)
	return append(b, still[header:]...)
}

// webpOf returns a WebP of these chunks.
func webpOf(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func webpChunk(name string, body ...byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return b
}

func lossy(width, height int) []byte {
	return webpChunk("VP8 ", 0x10, 0, 0, 0x9d, 0x01, 0x2a, byte(width), byte(width>>8), byte(height), byte(height>>8), 0, 0, 0)
}

func lossless(width, height int) []byte {
	size := uint32(width-1) | uint32(height-1)<<14
	return webpChunk("VP8L", binary.LittleEndian.AppendUint32([]byte{0x2f}, size)...)
}

func extended(flags byte, width, height int) []byte {
	w, h := width-1, height-1
	return webpChunk("VP8X", flags, 0, 0, 0, byte(w), byte(w>>8), byte(w>>16), byte(h), byte(h>>8), byte(h>>16))
}
