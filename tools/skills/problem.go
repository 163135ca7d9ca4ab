package skills

// A Problem is something in a file that has no effect, or that keeps the file from being used.
type Problem struct {
	Path    string // in the file system, or absolute
	Reason  string
	Skipped bool // the file is not used at all
}

// String returns the path and the reason.
func (p Problem) String() string { return p.Path + ": " + p.Reason }
