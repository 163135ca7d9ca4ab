package files

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
)

// A picture is an image as a model takes it.
type picture struct {
	data []byte
	mime string
	Dimensions
	firstFrameOnly bool // the first picture stands for all there are
}

// note tells the model how the picture differs from the file.
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

// reencodeBytes is the size above which an image is encoded anew, as JPEG: 500 KB in
// the best-known harness.
const reencodeBytes = 500_000

// encodeImage returns img in the form it had, or as JPEG if that is too large. What
// was no JPEG becomes PNG, which loses nothing.
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
