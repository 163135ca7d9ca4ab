package grep

// A FileResult is the result for one file of a Report.
type FileResult struct {
	Path    string
	Rows    []Row // in the mode Content
	Matches int   // in the whole file, including those without a row
}

// rowCount returns the number of rows of f for the limits.
func (f *FileResult) rowCount(m Mode) int {
	if m == Content {
		return len(f.Rows)
	}
	return 1
}

// memory returns the approximate memory of f, in bytes.
func (f *FileResult) memory() int {
	n := 64 + len(f.Path)
	for i := range f.Rows {
		n += f.Rows[i].memory()
	}
	return n
}
