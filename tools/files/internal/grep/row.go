package grep

// A Row is a line of what was found in one file.
type Row struct {
	Number  int    // of the line, from 1
	Text    string // without the line feed at its end
	Omitted int    // how many bytes of the line Text lacks at its end
	Context bool   // it stands beside a match and holds none
	Gap     bool   // lines are missing between it and the row before
}

// memory is about how much memory r takes.
func (r *Row) memory() int { return 64 + len(r.Text) }
