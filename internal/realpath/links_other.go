//go:build !unix

package realpath

import "io/fs"

// HasLinks returns false: these systems do not say how many links a file has unless it is
// opened.
func HasLinks(fs.FileInfo) bool { return false }
