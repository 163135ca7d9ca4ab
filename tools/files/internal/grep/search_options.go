package grep

// A Want says what is wanted of one file.
type Want struct {
	// Accept is asked when the first match is found, and before anything is kept
	// of it. It returns how many rows to keep and whether the file may be told of
	// at all. Nil means all.
	Accept func() (rows int, ok bool)
	// Bytes is how much memory the rows may take, about; 0 means any.
	Bytes int
	// Binary makes a file be searched that holds zero bytes, although nothing of
	// it is shown.
	Binary bool
}
