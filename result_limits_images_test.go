package pegboard_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
)

func picture(t testing.TB, w, h int) pegboard.Part {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
	return pegboard.Part{MIME: "image/png", Data: b.Bytes()}
}

func TestImagesMustFit(t *testing.T) {
	t.Parallel()
	small := picture(t, 10, 10)
	wrong := small
	wrong.MIME = "image/jpeg"
	huge := pegboard.Part{MIME: "image/png", Data: append(bytes.Clone(small.Data), make([]byte, 4<<20)...)}
	smaller := func(_ ctx, p pegboard.Part) (pegboard.Part, error) { return small, nil }
	broken := func(ctx, pegboard.Part) (pegboard.Part, error) { return pegboard.Part{}, errors.New("no") }
	panics := func(ctx, pegboard.Part) (pegboard.Part, error) { panic("no") }
	tests := []struct {
		name   string
		limits pegboard.ResultLimits
		parts  []pegboard.Part
		want   []pegboard.Part // Text is what the part must say
		stored int
	}{
		{name: "small", parts: []pegboard.Part{small}, want: []pegboard.Part{small}},
		{name: "of another type than it says", parts: []pegboard.Part{wrong}, want: []pegboard.Part{small}},
		{name: "too many bytes in base64", parts: []pegboard.Part{{Text: "a"}, huge}, want: []pegboard.Part{{Text: "a"}, {Text: "in base64"}}, stored: 1},
		{name: "too wide", parts: []pegboard.Part{picture(t, 8_001, 1)}, want: []pegboard.Part{{Text: "8001 by 1 pixels"}}, stored: 1},
		{name: "too many pixels", limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Pixels: 99}}, parts: []pegboard.Part{small}, want: []pegboard.Part{{Text: "at most 99"}}, stored: 1},
		{name: "no limits", limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Bytes: -1, Edge: -1, Pixels: -1, Count: -1}}, parts: []pegboard.Part{huge}, want: []pegboard.Part{huge}},
		{name: "too many", limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Count: 1}}, parts: []pegboard.Part{small, small}, want: []pegboard.Part{small, {Text: "1 at most"}}, stored: 1},
		{name: "no image at all", parts: []pegboard.Part{{MIME: "image/png", Data: []byte("x")}}, want: []pegboard.Part{{Text: "cannot be shown"}}, stored: 1},
		{name: "made smaller", limits: pegboard.ResultLimits{Downscale: smaller}, parts: []pegboard.Part{huge}, want: []pegboard.Part{small}},
		{name: "not made smaller", limits: pegboard.ResultLimits{Downscale: broken}, parts: []pegboard.Part{huge}, want: []pegboard.Part{{Text: "in base64"}}, stored: 1},
		{name: "a crash", limits: pegboard.ResultLimits{Downscale: panics}, parts: []pegboard.Part{huge}, want: []pegboard.Part{{Text: "in base64"}}, stored: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, store := tell(t, pegboard.SessionConfig{Limits: tt.limits}, pegboard.Info{}, &pegboard.Result{Parts: tt.parts}, nil)
			require.Len(t, out.Result.Parts, len(tt.want))
			for i, want := range tt.want {
				got := out.Result.Parts[i]
				if want.Text != "" {
					require.Contains(t, got.Text, want.Text)
					require.Empty(t, got.Data)
					continue
				}
				require.Equal(t, want, got)
			}
			require.Len(t, files(t, store), tt.stored)
		})
	}
}

// The media type of an image counts in any case, with space before it and with
// parameters.
func TestImageTypeMayBeSpelledInManyWays(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"IMAGE/PNG", "Image/png", " image/png", "image/png; x=y"} {
		out, _ := tell(t, pegboard.SessionConfig{}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{{MIME: kind, Data: []byte("nonsense")}}}, nil)
		require.Empty(t, out.Result.Parts[0].Data, kind)
	}
}

// An image that is refused does not count towards the number that is shown.
func TestRefusedImageDoesNotCount(t *testing.T) {
	t.Parallel()
	good := picture(t, 10, 10)
	out, _ := tell(t, pegboard.SessionConfig{Limits: pegboard.ResultLimits{Images: pegboard.ImageLimits{Count: 1}}}, pegboard.Info{},
		&pegboard.Result{Parts: []pegboard.Part{{MIME: "image/svg+xml", Data: []byte("<svg/>")}, good}}, nil)
	require.Equal(t, good.Data, out.Result.Parts[1].Data)
}

// When Downscale returns an empty part, the model reads a note.
func TestEmptyDownscaledImageLeavesANote(t *testing.T) {
	t.Parallel()
	limits := pegboard.ResultLimits{Downscale: func(ctx, pegboard.Part) (pegboard.Part, error) { return pegboard.Part{}, nil }}
	out, _ := tell(t, pegboard.SessionConfig{Limits: limits}, pegboard.Info{}, &pegboard.Result{Parts: []pegboard.Part{picture(t, 9_000, 1)}}, nil)
	require.NotEmpty(t, out.Result.Text(), "the model sees nothing at all")
}
