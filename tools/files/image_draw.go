package files

import (
	"image"

	xdraw "golang.org/x/image/draw"
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
