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

// An imageFormat is an image format that Read supports.
type imageFormat struct {
	config            func(io.Reader) (image.Config, error)
	decode            func(io.Reader) (image.Image, error)
	native            bool              // models accept the format
	several           func([]byte) bool // reports whether there are several pictures, of which the first is decoded; nil for a format that has one
	incompleteDecoder bool              // the decoder does not support all valid files, so its failure does not mean that the file is damaged
}

// imageFormats are the supported formats by media type.
var imageFormats = map[string]imageFormat{
	"image/png":  {config: png.DecodeConfig, decode: png.Decode, native: true},
	"image/jpeg": {config: jpeg.DecodeConfig, decode: jpeg.Decode, native: true},
	"image/gif":  {config: gif.DecodeConfig, decode: gif.Decode, native: true, several: severalInGIF},
	"image/webp": {config: webp.DecodeConfig, decode: webp.Decode, native: true, incompleteDecoder: true},
	"image/bmp":  {config: bmp.DecodeConfig, decode: bmp.Decode},
	"image/tiff": {config: tiff.DecodeConfig, decode: tiff.Decode, several: severalInTIFF},
}
