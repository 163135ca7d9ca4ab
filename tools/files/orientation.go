package files

import (
	"bytes"
	"encoding/binary"
	"image"

	"golang.org/x/image/math/f64"
)

// An orientation is the rotation and reflection of a stored image, as numbered by EXIF.
type orientation int

// upright is the orientation of an image that needs no rotation.
const upright orientation = 1

// orientationTransforms map the unit square as stored to the unit square as seen.
var orientationTransforms = [9]f64.Aff3{
	1: {1, 0, 0, 0, 1, 0},
	2: {-1, 0, 1, 0, 1, 0},
	3: {-1, 0, 1, 0, -1, 1},
	4: {1, 0, 0, 0, -1, 1},
	5: {0, 1, 0, 1, 0, 0},
	6: {0, -1, 1, 1, 0, 0},
	7: {0, -1, 1, -1, 0, 1},
	8: {0, 1, 0, -1, 0, 1},
}

// transform returns the transform from a point in a stored image with bounds b to its
// place in the upright image, which has w by h pixels.
func (o orientation) transform(b image.Rectangle, w, h int) f64.Aff3 {
	m := orientationTransforms[o]
	for i := range m {
		side := float64(h)
		if i < 3 {
			side = float64(w)
		}
		m[i] *= side
	}
	for _, row := range []int{0, 3} {
		m[row] /= float64(b.Dx())
		m[row+1] /= float64(b.Dy())
		m[row+2] -= m[row]*float64(b.Min.X) + m[row+1]*float64(b.Min.Y)
	}
	return m
}

// sideways reports whether width and height are swapped.
func (o orientation) sideways() bool { return o > 4 }

// The parts of a JPEG file, and of the TIFF data in it, that lead to the orientation.
const (
	jpegStart   = 0xD8
	jpegScan    = 0xDA // image data follow
	jpegExif    = 0xE1
	exifHeader  = "Exif\x00\x00"
	tagOriented = 0x0112
	typeShort   = 3
	entrySize   = 12
)

// orientationOf returns the orientation that a JPEG file declares, or upright if it
// declares none or an invalid one.
func orientationOf(jpeg []byte) orientation {
	if len(jpeg) < 2 || jpeg[0] != 0xFF || jpeg[1] != jpegStart {
		return upright
	}
	for rest := jpeg[2:]; len(rest) >= 4 && rest[0] == 0xFF; {
		if rest[1] == 0xFF { // padding
			rest = rest[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(rest[2:])) // including these two bytes
		if rest[1] == jpegScan || size < 2 || size > len(rest)-2 {
			break
		}
		body := rest[4 : 2+size]
		if tiff, ok := bytes.CutPrefix(body, []byte(exifHeader)); ok && rest[1] == jpegExif {
			return orientationIn(tiff)
		}
		rest = rest[2+size:]
	}
	return upright
}

// orientationIn returns the orientation from the first directory of TIFF data.
func orientationIn(tiff []byte) orientation {
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(tiff, []byte("MM")) {
		order = binary.BigEndian
	}
	if len(tiff) < 8 {
		return upright
	}
	at := int64(order.Uint32(tiff[4:]))
	if at > int64(len(tiff)-2) {
		return upright
	}
	directory := tiff[at:]
	count := int(order.Uint16(directory))
	for entry := directory[2:]; count > 0 && len(entry) >= entrySize; count, entry = count-1, entry[entrySize:] {
		if order.Uint16(entry) != tagOriented || order.Uint16(entry[2:]) != typeShort {
			continue
		}
		if o := orientation(order.Uint16(entry[8:])); o >= upright && int(o) < len(orientationTransforms) {
			return o
		}
	}
	return upright
}
