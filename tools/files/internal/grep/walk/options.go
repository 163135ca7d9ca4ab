package walk

import "runtime"

// Options select the files that a walk finds. The zero value is ripgrep's default.
type Options struct {
	// NoIgnore ignores all ignore files: .gitignore and .git/info/exclude in a
	// repository, .ignore and .rgignore anywhere, including those in the directories
	// above.
	NoIgnore bool
	// Hidden includes names that begin with a dot.
	Hidden bool
	// Globs select files like ripgrep's option -g; the last glob that matches decides.
	// A glob that begins with "!" excludes the files that it matches. If there is a
	// glob without "!", a file that matches no glob is excluded. A file that a glob
	// selects is found even if it is hidden or ignored, but not below a directory that
	// is hidden or ignored.
	Globs []string
	// Types select files by file type; TypeNames lists the types. "all" stands for all
	// types.
	Types []string
	// User is the absolute path of the user's own ignore file. It applies in
	// repositories, after the ignore files there. Empty means that there is no such
	// file.
	User string
	// MaxDepth is the maximum number of names in a path; 0 means no limit.
	MaxDepth int
	// Enter reports whether to enter the directory at rel. The report counts nothing
	// below a directory that is not entered. Nil enters all directories. Enter is
	// called concurrently.
	Enter func(rel string) bool
	// Other is called for each directory and symbolic link that the other fields select,
	// whatever Enter and Filter say. It is called concurrently as visit is. Nil leaves
	// them out.
	Other func(worker int, rel string, link bool)
	// Filter reports whether to include a selected file or directory. The report counts
	// the entries that it refuses. Nil includes all. Filter is called concurrently.
	Filter func(rel string, dir bool) bool
	// Workers is the number of goroutines; 0 means GOMAXPROCS.
	Workers int
}

// NumWorkers returns the number of workers of a walk with these options.
func (o Options) NumWorkers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}
