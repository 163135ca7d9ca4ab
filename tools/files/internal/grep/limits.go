package grep

// Limits limit the result of a search. The zero value limits only the memory.
type Limits struct {
	// The report leaves out the first Skip rows and has at most Limit of the rows after
	// them, in the byte order of paths. In the modes Files and Count each file is one
	// row. A Limit of 0 means no limit.
	Skip, Limit int
	// MaxBytes is the approximate memory that the rows may use, in bytes; 0 means
	// DefaultMaxBytes. The first row is kept in any case.
	MaxBytes int
	// Allow reports whether the caller may learn that a file has a match. It gets the path
	// of the file in the report. It is called once for each file with a match, not
	// concurrently, before anything of the file is kept. Nil allows all files.
	Allow func(path string) bool
	// Overlap says that a search may come upon a file several times, since one directory
	// is below another. The file counts once.
	Overlap bool
}

// DefaultMaxBytes is the default of Limits.MaxBytes; our choice.
const DefaultMaxBytes = 20 << 20
