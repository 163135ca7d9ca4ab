package files

import (
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// drawUpright returns src rotated upright, with w by h pixels, which must not be more
// than src has. Every pixel of src contributes. Besides the two images it needs little
// memory.
func drawUpright(src image.Image, turned orientation, w, h int) *image.RGBA {
	before := image.Pt(w, h) // size in the orientation of src
	if turned.sideways() {
		before = image.Pt(h, w)
	}
	size := src.Bounds().Size()
	if x, y := size.X/before.X, size.Y/before.Y; x > 1 || y > 1 {
		src = averageBlocks(src, max(x, 1), max(y, 1))
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	// Scale would need fewer operations, but a table of 32 bytes for each row of src and
	// column of dst.
	xdraw.BiLinear.Transform(dst, turned.transform(src.Bounds(), w, h), src, src.Bounds(), xdraw.Src, nil)
	return dst
}

// fullFrame returns an image of the given size that contains src. The first frame of a
// GIF may cover only a part of the image.
func fullFrame(src image.Image, size image.Config) image.Image {
	all := image.Rect(0, 0, size.Width, size.Height)
	if src.Bounds() == all {
		return src
	}
	dst := image.NewRGBA(all)
	xdraw.Draw(dst, src.Bounds(), src, src.Bounds().Min, xdraw.Src)
	return dst
}

// onWhite returns img on a white background, since JPEG has no transparency.
func onWhite(img *image.RGBA) *image.RGBA {
	if img.Opaque() {
		return img
	}
	dst := image.NewRGBA(img.Bounds())
	xdraw.Draw(dst, dst.Bounds(), image.White, image.Point{}, xdraw.Src)
	xdraw.Draw(dst, dst.Bounds(), img, img.Bounds().Min, xdraw.Over)
	return dst
}

// averageBlocks returns src with each block of x by y pixels reduced to one pixel.
// Incomplete blocks on the right and at the bottom are dropped.
func averageBlocks(src image.Image, x, y int) *image.RGBA {
	b := src.Bounds()
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx()/x, b.Dy()/y))
	strip := image.NewRGBA(image.Rect(0, 0, dst.Rect.Dx()*x, y))
	sums := make([]uint64, dst.Stride)
	for row := range dst.Rect.Dy() {
		xdraw.Draw(strip, strip.Rect, src, b.Min.Add(image.Pt(0, row*y)), xdraw.Src)
		clear(sums)
		for line := range y {
			for i, v := range strip.Pix[line*strip.Stride:][:strip.Stride] {
				sums[i/(4*x)*4+i%4] += uint64(v)
			}
		}
		for i, sum := range sums {
			dst.Pix[row*dst.Stride+i] = byte(sum / uint64(x*y))
		}
	}
	return dst
}

// An ImageFile is an image.
type ImageFile struct {
	FilePath     string     `json:"filePath"`     // absolute
	Data         []byte     `json:"base64"`       // as shown to the model
	MIME         string     `json:"type"`         // of Data
	OriginalSize int64      `json:"originalSize"` // of the file, in bytes
	Dimensions   Dimensions `json:"dimensions"`

	note string // for the model; empty if Data is the content of the file
}

// Dimensions are the width and height of an image in pixels, after it is rotated
// upright.
type Dimensions struct {
	OriginalWidth  int `json:"originalWidth"`
	OriginalHeight int `json:"originalHeight"`
	DisplayWidth   int `json:"displayWidth"` // as shown to the model
	DisplayHeight  int `json:"displayHeight"`
}

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

// severalInGIF reports whether a GIF has more than one picture. What is damaged counts as
// its end.
func severalInGIF(data []byte) bool {
	const screen, descriptor = 13, 10
	if len(data) < screen {
		return false
	}
	rest := data[screen:]
	rest = rest[min(len(rest), colorTable(data[10])):]
	for pictures := 0; len(rest) > 0; {
		switch {
		case rest[0] == 0x21 && len(rest) > 2: // an extension, with its label
			rest = afterBlocks(rest[2:])
		case rest[0] == 0x2C && len(rest) > descriptor:
			if pictures++; pictures > 1 {
				return true
			}
			rest = rest[min(len(rest), descriptor+colorTable(rest[9])):]
			rest = afterBlocks(rest[min(len(rest), 1):]) // after the size of a code
		default:
			return false
		}
	}
	return false
}

// colorTable returns the length of the color table that the flags announce.
func colorTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// afterBlocks returns the data after a list of blocks, each after its length, and a 0.
func afterBlocks(data []byte) []byte {
	for len(data) > 0 {
		size := int(data[0])
		data = data[min(len(data), 1+size):]
		if size == 0 {
			break
		}
	}
	return data
}

// severalInTIFF reports whether a TIFF has more than one picture, not counting smaller
// versions of a picture and its masks.
func severalInTIFF(data []byte) bool {
	const entry, maxDirectories = 12, 1000
	if len(data) < 8 {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	pictures, at := 0, uint64(order.Uint32(data[4:]))
	for range maxDirectories {
		if at == 0 || at+2 > uint64(len(data)) {
			return false
		}
		directory := data[at+2:]
		count := int(order.Uint16(data[at:]))
		if len(directory) < count*entry+4 {
			return false
		}
		if !isPartOfPicture(order, directory[:count*entry]) {
			pictures++
		}
		if pictures > 1 {
			return true
		}
		at = uint64(order.Uint32(directory[count*entry:]))
	}
	return false
}

// isPartOfPicture reports whether a directory is of a smaller version or a mask.
func isPartOfPicture(order binary.ByteOrder, entries []byte) bool {
	const subfileType, smaller, mask = 254, 1, 4
	for ; len(entries) > 0; entries = entries[12:] {
		if order.Uint16(entries) == subfileType {
			return order.Uint32(entries[8:])&(smaller|mask) != 0
		}
	}
	return false
}
