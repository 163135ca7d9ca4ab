package grep

// Result is what was found in one file.
type Result struct {
	Rows    []Row // in the mode Content, as many as were wanted
	NumRows int   // how many there are
	Matches int   // what Count counts
	// Binary says that the file is not text: what was found in it is not all, and
	// not shown from where it ceases to be text.
	Binary bool
	// Truncated says that rows are missing because those before take up all memory that
	// was granted.
	Truncated bool
	// Denied says that there is a match that may not be told of. All else is zero.
	Denied bool
}

// Matched reports whether anything was found.
func (f *Result) Matched() bool { return f.Matches > 0 }
