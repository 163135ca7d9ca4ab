package media

import "encoding/binary"

// describePNG reads the first chunk, which is the header.
func describePNG(data []byte) (i Image, ok bool) {
	const (
		signature = 8
		frame     = 12 // bytes of a chunk beside its content: length, name and checksum
		header    = 13
	)
	chunk := data[signature:]
	if len(chunk) < frame+header || binary.BigEndian.Uint32(chunk) != header || string(chunk[4:8]) != "IHDR" {
		return Image{}, false
	}
	i.Width = int64(binary.BigEndian.Uint32(chunk[8:]))
	i.Height = int64(binary.BigEndian.Uint32(chunk[12:]))
	return i, true
}
