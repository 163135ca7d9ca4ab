package applypatch

// A Section is what a patch does to one file.
type Section struct {
	Action Action
	Path   string // as written
	MoveTo string // of Update: the new path, or ""
	// Content is the content of a file that is added.
	Content string
	// Hunks are the changes of a file that is updated. There are none if it is only moved.
	Hunks []Hunk
	Line  int // of its header in the patch, counted from 1
}

// An Action is what a Section does.
type Action int

// The actions.
const (
	Add Action = iota
	Update
	Delete
)

// String returns the verb in the header of a section.
func (a Action) String() string { return [...]string{"Add", "Update", "Delete"}[a] }

// A Hunk replaces the lines Old of a file by the lines New. Both have the unchanged lines
// around the change.
type Hunk struct {
	// Headers name lines of the file that come before the hunk, one below the other.
	Headers  []string
	Old, New []string
	// AddsEnd reports that the last line of New is not in Old.
	AddsEnd bool
	AtEnd   bool // the hunk ends where the file ends
	Line    int  // of its first line in the patch, counted from 1
}
