package files

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
)

// readImage returns the image in r, which has size bytes.
func (o ReadOptions) readImage(r io.Reader, path, kind string, size int64) (ImageFile, error) {
	if size > o.MaxImageBytes {
		return ImageFile{}, &adviceError{text: fmt.Sprintf("%s is an image (%s) of %d bytes, more than the %d that are decoded. Make a smaller copy of it and read that.",
			path, kind, size, o.MaxImageBytes)}
	}
	data, err := io.ReadAll(io.LimitReader(r, o.MaxImageBytes))
	if err != nil {
		return ImageFile{}, err
	}
	p, err := o.fitImage(data, kind)
	if err != nil {
		return ImageFile{}, &adviceError{err: err, text: fmt.Sprintf("%s is an image (%s, %d bytes) that cannot be shown: %v.", path, kind, len(data), err)}
	}
	img := ImageFile{FilePath: path, Data: p.data, MIME: p.mime, OriginalSize: int64(len(data)), Dimensions: p.Dimensions}
	if !bytes.Equal(p.data, data) {
		img.note = p.note()
	}
	return img, nil
}

// fitImage returns the image in data in a form that fits the model. An image that is
// upright, small enough and in a suitable format is returned unchanged. The number of
// pixels is checked before any pixel is decoded.
func (o ReadOptions) fitImage(data []byte, kind string) (picture, error) {
	f := imageFormats[kind]
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
	p := picture{data: data, mime: kind, Dimensions: o.displayDimensions(size, turned)}
	kept := f.native && turned == upright && p.DisplayWidth == p.OriginalWidth && p.DisplayHeight == p.OriginalHeight
	src, err := f.decode(bytes.NewReader(data))
	if err != nil && kept && (f.incompleteDecoder || errors.As(err, new(jpeg.UnsupportedError))) {
		return p, nil
	}
	if err != nil {
		return picture{}, fmt.Errorf("it cannot be decoded; the file may be damaged: %w", err)
	}
	if kept && len(data) <= reencodeBytes {
		return p, nil
	}
	dst := drawUpright(fullFrame(src, size), turned, p.DisplayWidth, p.DisplayHeight)
	again, mime, err := encodeImage(dst, kind)
	if err != nil {
		return picture{}, fmt.Errorf("encode it anew: %w", err)
	}
	if !kept || len(again) < len(data) {
		p.data, p.mime, p.firstFrameOnly = again, mime, f.several != nil && f.several(data)
	}
	return p, nil
}

// displayDimensions returns the dimensions of an image, and those at which it is shown.
func (o ReadOptions) displayDimensions(size image.Config, turned orientation) Dimensions {
	w, h := size.Width, size.Height
	if turned.sideways() {
		w, h = h, w
	}
	d := Dimensions{OriginalWidth: w, OriginalHeight: h, DisplayWidth: w, DisplayHeight: h}
	if edge := max(w, h); edge > o.MaxImageEdge {
		d.DisplayWidth = scale(w, o.MaxImageEdge, edge)
		d.DisplayHeight = scale(h, o.MaxImageEdge, edge)
	}
	return d
}

// scale returns n * to / from, rounded and at least 1.
func scale(n, to, from int) int {
	return max(1, int((int64(n)*int64(to)+int64(from)/2)/int64(from)))
}
