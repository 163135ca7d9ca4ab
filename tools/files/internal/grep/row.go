package grep

// A Row is one line of the result for a file.
type Row struct {
	Number  int    // of the line, counted from 1
	Text    string // without the line feed
	Skipped int    // bytes of the line before Text
	Omitted int    // bytes of the line that are cut off at the end of Text
	Context bool   // a line of context without a match
	Gap     bool   // lines are missing between this row and the one before
}

// memory returns the approximate memory of r, in bytes.
func (r *Row) memory() int { return 64 + len(r.Text) }
