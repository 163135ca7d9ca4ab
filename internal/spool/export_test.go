package spool

// FailWrites makes writes to files of entries fail: fault is called with the place
// that is to be written.
func (d *Dir) FailWrites(fault func(off int64) error) { d.writeFault = fault }

// Names that the package makes.
var (
	EntryName   = func(id, ext string) string { return entryStem(id) + extension(ext) }
	IsEntryName = isEntryName
	IsTempName  = isTempName
	FolderName  = folderName
)

// MaxQueue is how many of the oldest entries a survey remembers.
const MaxQueue = maxQueue
