package files

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// A picture is an image in the form for the model.
type picture struct {
	data []byte
	mime string
	Dimensions
	firstFrameOnly bool // the image has several frames, and only the first is shown
}

// note says how the picture differs from the file.
func (p picture) note() string {
	note := fmt.Sprintf("[The image has %d x %d pixels and is shown as %s", p.OriginalWidth, p.OriginalHeight, p.mime)
	if p.DisplayWidth != p.OriginalWidth || p.DisplayHeight != p.OriginalHeight {
		note += fmt.Sprintf(" with %d x %d; multiply coordinates by %.3g to get those in the file",
			p.DisplayWidth, p.DisplayHeight, float64(p.OriginalWidth)/float64(p.DisplayWidth))
	}
	if p.firstFrameOnly {
		note += "; of several pictures only the first is shown"
	}
	return note + ".]"
}

// reencodeBytes is the size in bytes above which an image is encoded again as JPEG: 500
// KB, as in Claude Code.
const reencodeBytes = 500_000

// encodeImage encodes img as JPEG if it was JPEG, and else as PNG, which is lossless,
// or as JPEG if the PNG is too large.
func encodeImage(img *image.RGBA, kind string) ([]byte, string, error) {
	var out bytes.Buffer
	if kind != "image/jpeg" {
		if err := png.Encode(&out, img); err != nil {
			return nil, "", err
		}
		if out.Len() <= reencodeBytes {
			return out.Bytes(), "image/png", nil
		}
		img = onWhite(img)
	}
	for _, quality := range []int{85, 70, 50} {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", err
		}
		if out.Len() <= reencodeBytes {
			break
		}
	}
	return out.Bytes(), "image/jpeg", nil
}
