package edit

// A byteEdit replaces the bytes from start to end of the normalized text by text.
type byteEdit struct {
	start, end int
	text       string
}
