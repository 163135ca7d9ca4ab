package grep

// A FileResult is what was found in one file.
type FileResult struct {
	Path    string
	Rows    []Row // in the mode Content
	Matches int   // all of the file, also those that no row shows
}

// rowCount is how many rows f has, as limits count them.
func (f *FileResult) rowCount(m Mode) int {
	if m == Content {
		return len(f.Rows)
	}
	return 1
}

// memory is about how much memory f takes.
func (f *FileResult) memory() int {
	n := 64 + len(f.Path)
	for i := range f.Rows {
		n += f.Rows[i].memory()
	}
	return n
}
