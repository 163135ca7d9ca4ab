package grep

// A FileFound is what was found in one file.
type FileFound struct {
	Path    string
	Rows    []Row // in the mode Content
	Matches int   // all of the file, also those that no row shows
}

// size is how many rows f has, as limits count them.
func (f *FileFound) size(m Mode) int {
	if m == Content {
		return len(f.Rows)
	}
	return 1
}

// bytes is about how much memory f takes.
func (f *FileFound) bytes() int {
	n := 64 + len(f.Path)
	for i := range f.Rows {
		n += f.Rows[i].bytes()
	}
	return n
}
