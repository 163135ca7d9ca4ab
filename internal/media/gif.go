package media

import "encoding/binary"

// describeGIF reads the size of the canvas.
func describeGIF(data []byte) (i Image, ok bool) {
	const header = 13 // bytes, with the canvas
	if len(data) < header {
		return Image{}, false
	}
	i.Width = int64(binary.LittleEndian.Uint16(data[6:]))
	i.Height = int64(binary.LittleEndian.Uint16(data[8:]))
	return i, true
}
