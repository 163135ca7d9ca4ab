package files

import (
	"context"
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/media"
)

// Smaller fits an image to the limits of models, as [Read] does with default options:
// it rotates the image as its EXIF data say, scales it down to edges of at most
// DefaultMaxImageEdge pixels, and encodes it again if it exceeds 500 KB. It fits the
// field Downscale of [pegboard.ResultLimits], and may be called concurrently. The error
// says why the image cannot be decoded.
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
