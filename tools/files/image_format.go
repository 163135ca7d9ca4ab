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

// A imageFormat is a kind of image that Read shows.
type imageFormat struct {
	config            func(io.Reader) (image.Config, error)
	decode            func(io.Reader) (image.Image, error)
	native            bool // models take it as it is
	multiFrame        bool // it may hold several pictures, of which the first is decoded
	incompleteDecoder bool // the decoder does not know all of it, so that its failure proves nothing
}

// imageFormats are the kinds of image by media type.
var imageFormats = map[string]imageFormat{
	"image/png":  {config: png.DecodeConfig, decode: png.Decode, native: true},
	"image/jpeg": {config: jpeg.DecodeConfig, decode: jpeg.Decode, native: true},
	"image/gif":  {config: gif.DecodeConfig, decode: gif.Decode, native: true, multiFrame: true},
	"image/webp": {config: webp.DecodeConfig, decode: webp.Decode, native: true, multiFrame: true, incompleteDecoder: true},
	"image/bmp":  {config: bmp.DecodeConfig, decode: bmp.Decode},
	"image/tiff": {config: tiff.DecodeConfig, decode: tiff.Decode, multiFrame: true},
}
