package grep

// A Row is a line of what was found in one file.
type Row struct {
	Number  int    // of the line, from 1
	Text    string // without the line feed at its end
	Cut     int    // how many bytes of the line Text lacks at its end
	Context bool   // it stands beside a match and holds none
	Gap     bool   // lines are missing between it and the row before
}

// bytes is about how much memory r takes.
func (r *Row) bytes() int { return 64 + len(r.Text) }

// Found is what was found in one file.
type Found struct {
	Rows    []Row // in the mode Content, as many as were wanted
	NumRows int   // how many there are
	Matches int   // what Count counts
	// Binary says that the file is not text: what was found in it is not all, and
	// not shown from where it ceases to be text.
	Binary bool
	// Full says that rows are missing because those before take up all memory that
	// was granted.
	Full bool
	// Denied says that there is a match that may not be told of. All else is zero.
	Denied bool
}

// Matched reports whether anything was found.
func (f *Found) Matched() bool { return f.Matches > 0 }
