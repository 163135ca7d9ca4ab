package grep

import "github.com/seed49eaa51d/pegboard/tools/files/internal/grep/walk"

// TreeOptions say which files are searched and how much is kept of what is
// found.
type TreeOptions struct {
	Walk walk.Options
	// Skip is how many rows are left out, and Limit how many are returned then,
	// in the order of paths, byte by byte. A file is a row in the modes Files and
	// Count. Limit 0 means all.
	Skip, Limit int
	// MaxBytes is how much memory the rows take, about; 0 means DefaultMaxBytes.
	// At least the first row is kept.
	MaxBytes int
	// Allow says whether it may be told that there is a match in a file. It is
	// called once for each file that has one, one after the other, and before
	// anything of the file is kept. Nil allows all.
	Allow func(rel string) bool
}

// DefaultMaxBytes is how much of what was found is kept; our choice.
const DefaultMaxBytes = 20 << 20
