package grep

import "github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"

// TreeOptions select the files to search and limit the result.
type TreeOptions struct {
	Walk walk.Options
	// The report leaves out the first Skip rows and has at most Limit of the rows after
	// them, in the byte order of paths. In the modes Files and Count each file is one
	// row. A Limit of 0 means no limit.
	Skip, Limit int
	// MaxBytes is the approximate memory that the rows may use, in bytes; 0 means
	// DefaultMaxBytes. The first row is kept in any case.
	MaxBytes int
	// Allow reports whether the caller may learn that a file has a match. It is called
	// once for each file with a match, not concurrently, before anything of the file is
	// kept. Nil allows all files.
	Allow func(rel string) bool
}

// DefaultMaxBytes is the default of TreeOptions.MaxBytes; our choice.
const DefaultMaxBytes = 20 << 20
