package media_test

import (
	"bytes"
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	_ "golang.org/x/image/webp"

	"github.com/seed49eaa51d/pegboard/internal/media"
)

const moves = 2 // the flag of a WebP with several frames

func TestDescribe(t *testing.T) {
	t.Parallel()
	odd := webpChunk("ANMF", make([]byte, 17)...)
	tests := []struct {
		name string
		data []byte
		want media.Image
		deaf bool // the oracle does not read it
	}{
		{name: "PNG", data: pngOf(t, 3, 2), want: media.Image{Type: media.PNG, Width: 3, Height: 2}},
		{name: "PNG, moving", data: movingPNG(pngOf(t, 3, 2), 7), want: media.Image{Type: media.PNG, Width: 3, Height: 2}},
		{name: "PNG, moving without frames", data: movingPNG(pngOf(t, 3, 2), 0), want: media.Image{Type: media.PNG, Width: 3, Height: 2}},
		{name: "PNG, moving a lot", data: movingPNG(pngOf(t, 3, 2), math.MaxUint32),
			want: media.Image{Type: media.PNG, Width: 3, Height: 2}},
		{name: "PNG, huge", data: pngHeader(math.MaxInt32, 1), want: media.Image{Type: media.PNG, Width: math.MaxInt32, Height: 1}},
		{name: "PNG, larger than any", data: pngHeader(math.MaxUint32, math.MaxUint32), deaf: true,
			want: media.Image{Type: media.PNG, Width: math.MaxUint32, Height: math.MaxUint32}},
		{name: "JPEG", data: jpegOf(t, 300, 200), want: media.Image{Type: media.JPEG, Width: 300, Height: 200}},
		{name: "JPEG with stuffing", want: media.Image{Type: media.JPEG, Width: 300, Height: 200},
			data: bytes.Replace(jpegOf(t, 300, 200), []byte{0xff, 0xc0}, []byte{7, 0xff, 0xd0, 0xff, 0, 0xff, 0xff, 0xff, 0xc0}, 1)},
		{name: "GIF", data: gifOf(t, 30, 20, 1), want: media.Image{Type: media.GIF, Width: 30, Height: 20}},
		{name: "GIF, moving", data: gifOf(t, 30, 20, 5), want: media.Image{Type: media.GIF, Width: 30, Height: 20}},
		{name: "GIF without images", data: []byte("GIF87a\x01\x00\x02\x00\x00\x00\x00"), want: media.Image{Type: media.GIF, Width: 1, Height: 2}},
		{name: "WebP, lossy", data: webpOf(lossy(300, 200)), want: media.Image{Type: media.WebP, Width: 300, Height: 200}},
		{name: "WebP, lossless", data: webpOf(lossless(16384, 1)), want: media.Image{Type: media.WebP, Width: 16384, Height: 1}},
		{name: "WebP, extended", data: webpOf(extended(0, 70_000, 3), odd), want: media.Image{Type: media.WebP, Width: 70_000, Height: 3}},
		{name: "WebP, moving", data: webpOf(extended(moves, 5, 3), webpChunk("ANIM", 1), odd, odd, odd),
			want: media.Image{Type: media.WebP, Width: 5, Height: 3}},
		{name: "WebP, larger than any", data: webpOf(extended(moves, 1<<24, 1<<24)), deaf: true,
			want: media.Image{Type: media.WebP, Width: 1 << 24, Height: 1 << 24}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := media.Describe(tt.data)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			oracle, format, err := image.DecodeConfig(bytes.NewReader(tt.data))
			if tt.deaf {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, media.Image{
				Type: "image/" + format, Width: int64(oracle.Width), Height: int64(oracle.Height),
			})
		})
	}
}

func TestDescribeRefuses(t *testing.T) {
	t.Parallel()
	jpeg := jpegOf(t, 3, 2)
	tests := []struct {
		name     string
		data     []byte
		mimeType string // "" if it is unknown
	}{
		{name: "nothing"},
		{name: "text", data: []byte("GIF, JPEG and PNG")},
		{name: "another RIFF", data: []byte("RIFF\x04\x00\x00\x00WAVEfmt ")},
		{name: "only PNG's first bytes", data: pngOf(t, 3, 2)[:8], mimeType: media.PNG},
		{name: "PNG without width", data: pngHeader(0, 5), mimeType: media.PNG},
		{name: "PNG without height", data: pngHeader(5, 0), mimeType: media.PNG},
		{name: "JPEG that ends before its size", data: jpeg[:20], mimeType: media.JPEG},
		{name: "JPEG that ends", data: []byte{0xff, 0xd8, 0xff, 0xd9, 0, 0}, mimeType: media.JPEG},
		{name: "JPEG of pixels alone", data: append([]byte{0xff, 0xd8, 0xff, 0xda, 0, 2}, jpeg...), mimeType: media.JPEG},
		{name: "JPEG with a short size", data: []byte{0xff, 0xd8, 0xff, 0xc0, 0, 5, 8, 0, 1, 0, 1}, mimeType: media.JPEG},
		{name: "GIF without a canvas", data: []byte("GIF89a\x01\x00"), mimeType: media.GIF},
		{name: "GIF of no size", data: []byte("GIF89a\x00\x00\x00\x00\x00\x00\x00"), mimeType: media.GIF},
		{name: "WebP without chunks", data: webpOf(), mimeType: media.WebP},
		{name: "WebP of another chunk", data: webpOf(webpChunk("ICCP", 1, 2)), mimeType: media.WebP},
		{name: "WebP, lossy, no key frame", data: webpOf(webpChunk("VP8 ", 1, 0, 0, 0x9d, 1, 0x2a, 1, 0, 1, 0)), mimeType: media.WebP},
		{name: "WebP, lossless, without its sign", data: webpOf(webpChunk("VP8L", 0x2e, 0, 0, 0, 0)), mimeType: media.WebP},
		{name: "WebP, extended, short", data: webpOf(webpChunk("VP8X", 0, 0, 0, 0)), mimeType: media.WebP},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := media.Describe(tt.data)
			require.Error(t, err)
			require.Equal(t, media.Image{Type: tt.mimeType}, got)
			if tt.mimeType == "" {
				require.ErrorIs(t, err, media.ErrUnknown)
			}
		})
	}
}

// TestDescribeWhatIsCutOff: every beginning of an image is read without harm, and as
// soon as the size is known it is the right one.
func TestDescribeWhatIsCutOff(t *testing.T) {
	t.Parallel()
	for _, whole := range [][]byte{
		movingPNG(pngOf(t, 3, 2), 4), jpegOf(t, 3, 2), gifOf(t, 3, 2, 4), webpOf(lossy(3, 2)), webpOf(lossless(3, 2)),
		webpOf(extended(moves, 3, 2), webpChunk("ANMF", 1, 2, 3), webpChunk("ANMF", 1, 2, 3)),
	} {
		want, err := media.Describe(whole)
		require.NoError(t, err)
		known := false
		for n := range whole {
			got, err := media.Describe(whole[:n:n])
			if err != nil {
				require.False(t, known, "%d bytes of %s", n, want.Type)
				continue
			}
			known = true
			require.Equal(t, want, got)
		}
		require.True(t, known)
	}
}

func TestPixels(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 6, media.Image{Width: 3, Height: 2}.Pixels())
	require.Equal(t, int64(math.MaxUint32*math.MaxInt32), media.Image{Width: math.MaxUint32, Height: math.MaxInt32}.Pixels())
	require.Equal(t, int64(math.MaxInt64), media.Image{Width: math.MaxUint32, Height: math.MaxUint32}.Pixels())
	require.EqualValues(t, 3, media.Image{Width: 3, Height: 2}.Edge())
}

// FuzzDescribe compares with decoders that read more of an image, and so accept less.
func FuzzDescribe(f *testing.F) {
	for _, seed := range [][]byte{
		movingPNG(pngOf(f, 3, 2), 4), jpegOf(f, 3, 2), gifOf(f, 3, 2, 2), webpOf(lossy(3, 2)), webpOf(lossless(3, 2)),
		webpOf(extended(moves, 3, 2), webpChunk("ANMF", 1, 2, 3)), webpOf(extended(16, 3, 2)),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := media.Describe(data)
		if err == nil {
			require.Positive(t, got.Width)
			require.Positive(t, got.Height)
			require.Positive(t, got.Pixels())
			require.LessOrEqual(t, got.Edge(), got.Pixels())
		}
		oracle, format, oracleErr := image.DecodeConfig(bytes.NewReader(data))
		if oracleErr != nil || oracle.Width == 0 || oracle.Height == 0 || isLenient(data, format) {
			return
		}
		require.NoError(t, err)
		require.Equal(t, media.Image{
			Type: "image/" + format, Width: int64(oracle.Width), Height: int64(oracle.Height),
		}, got)
	})
}

// isLenient reports whether the oracle reads what begins in a way that no encoder
// writes.
func isLenient(data []byte, format string) bool {
	switch format {
	case "jpeg":
		return data[2] != 0xff
	case "webp":
		return !bytes.Contains([]byte("VP8 VP8L VP8X"), data[12:16])
	}
	return false
}
