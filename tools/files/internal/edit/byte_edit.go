package edit

// A cut is a place in the view and what shall stand there.
type cut struct {
	start, end int
	text       string
}
