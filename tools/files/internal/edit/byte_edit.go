package edit

// A byteEdit is a place in the view and what shall stand there.
type byteEdit struct {
	start, end int
	text       string
}
