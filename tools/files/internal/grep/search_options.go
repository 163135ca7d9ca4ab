package grep

// SearchOptions limit the search of one file.
type SearchOptions struct {
	// Accept is called at the first match, before anything of the file is kept. It
	// returns the maximum number of rows to keep, and whether the caller may learn of
	// the file at all. Nil accepts the file without a limit.
	Accept func() (rows int, ok bool)
	// MaxBytes is the approximate memory that the rows may use, in bytes; 0 means no
	// limit.
	MaxBytes int
	// IncludeBinary makes the search go on after a zero byte, although the result has
	// no rows from there on.
	IncludeBinary bool
}
