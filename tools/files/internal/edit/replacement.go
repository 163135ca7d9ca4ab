package edit

// A Replacement puts New in place of Old.
type Replacement struct {
	Old string // what the file has; "\r\n" counts as "\n"
	New string // what it shall have; "\r\n" counts as "\n"
	All bool   // replace every place and not the only one
}
