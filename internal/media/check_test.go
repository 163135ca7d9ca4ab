package media_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/media"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	// As large as a PNG may be that has 5 MiB in base64, and one byte more.
	fits := append(pngHeader(3, 2), make([]byte, media.AnthropicEncoded/4*3-33)...)
	tests := []struct {
		name     string
		data     []byte
		mimeType string
		limits   media.Limits
		want     media.Reason // "" if there is nothing against it
		text     string
	}{
		{name: "PNG", data: pngOf(t, 3, 2), mimeType: media.PNG},
		{name: "spelled otherwise", data: jpegOf(t, 3, 2), mimeType: "Image/JPG; q=1"},
		{name: "the largest", data: fits, mimeType: media.PNG},
		{name: "one byte more", data: append(fits[:len(fits):len(fits)], 0), mimeType: media.PNG, want: media.TooManyBytes,
			text: "The image cannot be shown: it has 3932161 bytes, 5242884 in base64, and at most 5242880 are allowed there. Make it smaller, or save it as JPEG."},
		{name: "one byte more, without a limit", data: append(fits[:len(fits):len(fits)], 0), mimeType: media.PNG, limits: media.Limits{Encoded: -1}},
		{name: "no image", data: []byte("text"), mimeType: media.PNG, want: media.Unreadable,
			text: "The image cannot be shown: not a PNG, JPEG, GIF or WebP image. Convert it to PNG or JPEG."},
		{name: "broken", data: pngHeader(0, 1), mimeType: media.PNG, want: media.Unreadable,
			text: "The image cannot be shown: image/png: its header is broken or cut off. Convert it to PNG or JPEG."},
		{name: "another type", data: pngOf(t, 3, 2), mimeType: "image/jpeg", want: media.WrongType,
			text: `The image cannot be shown: it was sent as "image/jpeg" but is image/png. Send it as that.`},
		{name: "no type", data: pngOf(t, 3, 2), want: media.WrongType,
			text: `The image cannot be shown: it was sent as "" but is image/png. Send it as that.`},
		{name: "as long as may be", data: pngHeader(8000, 8000), mimeType: media.PNG},
		{name: "a long edge", data: pngHeader(1, 8001), mimeType: media.PNG, want: media.EdgeTooLong,
			text: "The image cannot be shown: it is 1 by 8001 pixels, and at most 8000 are allowed on each side. Make it smaller, or cut a part out of it."},
		{name: "a long edge, among many", data: pngHeader(2001, 1), mimeType: media.PNG,
			limits: media.Limits{Edge: media.AnthropicManyEdge}, want: media.EdgeTooLong,
			text: "The image cannot be shown: it is 2001 by 1 pixels, and at most 2000 are allowed on each side. Make it smaller, or cut a part out of it."},
		{name: "many pixels", data: pngHeader(100, 101), mimeType: media.PNG, limits: media.Limits{Pixels: 10_000}, want: media.TooManyPixels,
			text: "The image cannot be shown: it is 100 by 101 pixels, and at most 10000 are allowed in all. Make it smaller, or cut a part out of it."},
		{name: "more than can be counted", data: pngHeader(math.MaxUint32, math.MaxUint32), mimeType: media.PNG,
			limits: media.Limits{Edge: -1}, want: media.TooManyPixels,
			text: "The image cannot be shown: it is 4294967295 by 4294967295 pixels, and at most 64000000 are allowed in all. Make it smaller, or cut a part out of it."},
		{name: "no limit at all", data: pngHeader(math.MaxUint32, math.MaxUint32), mimeType: media.PNG, limits: media.Limits{Edge: -1, Pixels: -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refusal := media.Check(tt.data, tt.mimeType, tt.limits)
			if tt.want == "" {
				require.Nil(t, refusal)
				return
			}
			require.NotNil(t, refusal)
			require.Equal(t, tt.want, refusal.Reason)
			require.Equal(t, tt.text, refusal.Text)
			if tt.want == media.WrongType {
				require.Nil(t, media.Check(tt.data, refusal.Image.Type, tt.limits), "it can be sent as what it is")
			}
		})
	}
}

func TestExtension(t *testing.T) {
	t.Parallel()
	for mimeType, want := range map[string]string{
		"": "txt", "nonsense": "txt", "text/plain; charset=utf-8": "txt", "text/": "txt",
		"image/jpg": "jpg", "Image/PNG": "png", "application/json": "json",
	} {
		require.Equal(t, want, media.Extension(mimeType), mimeType)
	}
}
