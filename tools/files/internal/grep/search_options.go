package grep

// A SearchOptions says what is wanted of one file.
type SearchOptions struct {
	// Accept is asked when the first match is found, and before anything is kept
	// of it. It returns how many rows to keep and whether the file may be told of
	// at all. Nil means all.
	Accept func() (rows int, ok bool)
	// MaxBytes is how much memory the rows may take, about; 0 means any.
	MaxBytes int
	// IncludeBinary makes a file be searched that holds zero bytes, although nothing of
	// it is shown.
	IncludeBinary bool
}
