package edit

// A Replacement puts New in place of Old.
type Replacement struct {
	Old string // text that the file contains; "\r\n" counts as "\n"
	New string // text that takes its place; "\r\n" counts as "\n"
	All bool   // replace every occurrence instead of the only one
}
