package walk

import "runtime"

// Options say which files a walk finds. The zero value is ripgrep's default.
type Options struct {
	// NoIgnore leaves ignore files unread: .gitignore and .git/info/exclude in a
	// repository, .ignore and .rgignore anywhere, those of the directories above
	// included.
	NoIgnore bool
	// Hidden also finds names that begin with a dot.
	Hidden bool
	// Globs choose files like ripgrep's -g, the last that matches wins. One that
	// begins with "!" leaves out what it matches. If one does not, a file that
	// matches none is left out. What they choose is found even if it is hidden
	// or ignored, but not below a directory that is.
	Globs []string
	// Types choose files by the names of their types, as TypeNames lists them.
	// "all" stands for every type.
	Types []string
	// User is the absolute path of the user's own ignore file, which counts in
	// repositories, after theirs. Empty: none.
	User string
	// MaxDepth is how many names a path has at most; 0 means any number.
	MaxDepth int
	// Enter says whether to look into the directory at rel. Nil looks into all.
	// What lies in the others is not counted anywhere. It is called
	// concurrently.
	Enter func(rel string) bool
	// Filter says whether to go on with a file or directory that was chosen. Nil
	// keeps all. What it refuses is counted. It is called concurrently.
	Filter func(rel string, dir bool) bool
	// Workers is how many goroutines walk; 0 means GOMAXPROCS.
	Workers int
}

// NumWorkers returns how many workers a walk with these options has.
func (o Options) NumWorkers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}
