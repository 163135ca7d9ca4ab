package files

import "encoding/binary"

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

// afterBlocks returns what follows a list of blocks, each after its length, and a 0.
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
