package grep

// A Result is the result of a search of one file.
type Result struct {
	Rows    []Row // in the mode Content, up to the number that Accept returned
	NumRows int   // number of rows in the file, including those without an entry in Rows
	Matches int   // in the sense of the mode Count
	// Binary reports that the file is not text. The result is incomplete, and has no
	// rows from the first zero byte on.
	Binary bool
	// Truncated reports that rows are missing because the rows reached MaxBytes.
	Truncated bool
	// Denied reports that the file has a match and that Accept refused the file. All
	// other fields are zero.
	Denied bool
}

// Matched reports whether the file has a match.
func (f *Result) Matched() bool { return f.Matches > 0 }
