package files

import (
	"bytes"
	"errors"
	"fmt"
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

// sentBytes is the size above which an image is encoded anew, as JPEG: 500 KB in
// the best-known harness.
const sentBytes = 500_000

// A picture is an image as a model takes it.
type picture struct {
	data []byte
	mime string
	Dimensions
	frames bool // the first picture stands for all there are
}

// Dimensions are the sizes of an image in pixels, upright as a person sees it.
type Dimensions struct {
	OriginalWidth  int `json:"originalWidth"`
	OriginalHeight int `json:"originalHeight"`
	DisplayWidth   int `json:"displayWidth"` // as the model is shown it
	DisplayHeight  int `json:"displayHeight"`
}

// readImage returns the image of size bytes that r holds.
func (o ReadOptions) readImage(r io.Reader, path, kind string, size int64) (ImageFile, error) {
	if size > o.MaxImageBytes {
		return ImageFile{}, &adviceError{text: fmt.Sprintf("%s is an image (%s) of %d bytes, more than the %d that are decoded. Make a smaller copy of it and read that.",
			path, kind, size, o.MaxImageBytes)}
	}
	data, err := io.ReadAll(io.LimitReader(r, o.MaxImageBytes))
	if err != nil {
		return ImageFile{}, err
	}
	p, err := o.fit(data, kind)
	if err != nil {
		return ImageFile{}, &adviceError{err: err, text: fmt.Sprintf("%s is an image (%s, %d bytes) that cannot be shown: %v.", path, kind, len(data), err)}
	}
	img := ImageFile{FilePath: path, Data: p.data, MIME: p.mime, OriginalSize: int64(len(data)), Dimensions: p.Dimensions}
	if !bytes.Equal(p.data, data) {
		img.note = p.note()
	}
	return img, nil
}

// note tells the model how the picture differs from the file.
func (p picture) note() string {
	note := fmt.Sprintf("[The image has %d x %d pixels and is shown as %s", p.OriginalWidth, p.OriginalHeight, p.mime)
	if p.DisplayWidth != p.OriginalWidth || p.DisplayHeight != p.OriginalHeight {
		note += fmt.Sprintf(" with %d x %d; multiply coordinates by %.3g to get those in the file",
			p.DisplayWidth, p.DisplayHeight, float64(p.OriginalWidth)/float64(p.DisplayWidth))
	}
	if p.frames {
		note += "; of several pictures only the first is shown"
	}
	return note + ".]"
}

// fit returns the image that data holds, smaller if it is too large for a model.
// What is small enough and upright stays as it is, to the byte. The number of
// pixels is known before any is decoded.
func (o ReadOptions) fit(data []byte, kind string) (picture, error) {
	f := formats[kind]
	size, err := f.config(bytes.NewReader(data))
	if err != nil {
		return picture{}, fmt.Errorf("its header cannot be decoded; the file may be damaged: %w", err)
	}
	if size.Width <= 0 || size.Height <= 0 {
		return picture{}, errors.New("it has no pixels")
	}
	if int64(size.Width)*int64(size.Height) > int64(o.MaxImagePixels) {
		return picture{}, fmt.Errorf("its %d x %d pixels are more than the %d that are decoded; make a smaller copy and read that", size.Width, size.Height, o.MaxImagePixels)
	}
	turned := upright
	if kind == "image/jpeg" {
		turned = orientationOf(data)
	}
	p := picture{data: data, mime: kind, Dimensions: o.dimensions(size, turned)}
	kept := f.sent && turned == upright && p.DisplayWidth == p.OriginalWidth && p.DisplayHeight == p.OriginalHeight
	src, err := f.decode(bytes.NewReader(data))
	if err != nil && kept && (f.loose || errors.As(err, new(jpeg.UnsupportedError))) {
		return p, nil
	}
	if err != nil {
		return picture{}, fmt.Errorf("it cannot be decoded; the file may be damaged: %w", err)
	}
	if kept && len(data) <= sentBytes {
		return p, nil
	}
	dst := draw(whole(src, size), turned, p.DisplayWidth, p.DisplayHeight)
	again, mime, err := encode(dst, kind)
	if err != nil {
		return picture{}, fmt.Errorf("encode it anew: %w", err)
	}
	if !kept || len(again) < len(data) {
		p.data, p.mime, p.frames = again, mime, f.frames
	}
	return p, nil
}

// dimensions returns how large an image of that size is, and is shown.
func (o ReadOptions) dimensions(size image.Config, turned orientation) Dimensions {
	w, h := size.Width, size.Height
	if turned.sideways() {
		w, h = h, w
	}
	d := Dimensions{OriginalWidth: w, OriginalHeight: h, DisplayWidth: w, DisplayHeight: h}
	if edge := max(w, h); edge > o.MaxImageEdge {
		d.DisplayWidth = scaled(w, o.MaxImageEdge, edge)
		d.DisplayHeight = scaled(h, o.MaxImageEdge, edge)
	}
	return d
}

// scaled returns n * to / from, rounded, and at least 1.
func scaled(n, to, from int) int {
	return max(1, int((int64(n)*int64(to)+int64(from)/2)/int64(from)))
}

// encode returns img in the form it had, or as JPEG if that is too large. What
// was no JPEG becomes PNG, which loses nothing.
func encode(img *image.RGBA, kind string) ([]byte, string, error) {
	var out bytes.Buffer
	if kind != "image/jpeg" {
		if err := png.Encode(&out, img); err != nil {
			return nil, "", err
		}
		if out.Len() <= sentBytes {
			return out.Bytes(), "image/png", nil
		}
		img = onWhite(img)
	}
	for _, quality := range []int{85, 70, 50} {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
			return nil, "", err
		}
		if out.Len() <= sentBytes {
			break
		}
	}
	return out.Bytes(), "image/jpeg", nil
}
