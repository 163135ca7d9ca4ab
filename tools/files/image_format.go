package files

import (
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// A format is a kind of image that Read shows.
type format struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	sent   bool // models take it as it is
	frames bool // it may hold several pictures, of which the first is decoded
	loose  bool // the decoder does not know all of it, so that its failure proves nothing
}

// formats are the kinds of image by media type.
var formats = map[string]format{
	"image/png":  {config: png.DecodeConfig, decode: png.Decode, sent: true},
	"image/jpeg": {config: jpeg.DecodeConfig, decode: jpeg.Decode, sent: true},
	"image/gif":  {config: gif.DecodeConfig, decode: gif.Decode, sent: true, frames: true},
	"image/webp": {config: webp.DecodeConfig, decode: webp.Decode, sent: true, frames: true, loose: true},
	"image/bmp":  {config: bmp.DecodeConfig, decode: bmp.Decode},
	"image/tiff": {config: tiff.DecodeConfig, decode: tiff.Decode, frames: true},
}
