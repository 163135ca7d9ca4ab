package files

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/media"
)

// Smaller makes an image small enough for a model, as [Read] does with the default
// options: it is turned as its EXIF data say, its edges are at most
// DefaultMaxImageEdge, and it is encoded anew if it has more than 500 KB. It fits
// [pegboard.ResultLimits], and may be called concurrently.
func Smaller(_ context.Context, image pegboard.Part) (pegboard.Part, error) {
	described, err := media.Describe(image.Data)
	if err != nil {
		return image, err
	}
	o := ReadOptions{}.withDefaults()
	if int64(len(image.Data)) > o.MaxImageBytes {
		return image, fmt.Errorf("the image has %d bytes, more than the %d that are decoded", len(image.Data), o.MaxImageBytes)
	}
	p, err := o.fitImage(image.Data, described.Type)
	if err != nil {
		return image, err
	}
	image.Data, image.MIME = p.data, p.mime
	return image, nil
}
