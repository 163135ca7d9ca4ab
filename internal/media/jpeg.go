package media

import (
	"bytes"
	"encoding/binary"
)

// describeJPEG reads up to the frame header, which has the size of the image.
func describeJPEG(data []byte) (i Image, ok bool) {
	const frameHeader = 6 // bytes: length, precision, height, width; more follow
	rest := data[2:]
	for {
		start := bytes.IndexByte(rest, 0xff) // any bytes may stand between two segments
		if start < 0 {
			return Image{}, false
		}
		for rest = rest[start:]; len(rest) > 0 && rest[0] == 0xff; {
			rest = rest[1:]
		}
		if len(rest) < 3 {
			return Image{}, false
		}
		marker := rest[0]
		rest = rest[1:]
		if marker == 0 || marker == 0x01 || marker >= 0xd0 && marker <= 0xd8 {
			continue // a marker without content
		}
		if marker == 0xd9 || marker == 0xda { // the end, or the pixels
			return Image{}, false
		}
		size := int(binary.BigEndian.Uint16(rest))
		if size < 2 || size > len(rest) {
			return Image{}, false
		}
		if isFrameHeader(marker) {
			if size < frameHeader+1 {
				return Image{}, false
			}
			i.Height = int64(binary.BigEndian.Uint16(rest[3:]))
			i.Width = int64(binary.BigEndian.Uint16(rest[5:]))
			return i, true
		}
		rest = rest[size:]
	}
}

// isFrameHeader reports whether a marker begins a frame header: 0xc0 to 0xcf, without
// three that have other meanings.
func isFrameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}
