package spool

import "context"

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

// Remove removes an entry and corrects the counts.
func (d *Dir) Remove(ctx context.Context, ref string) error {
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	info, err := d.Stat(ref)
	if err != nil {
		return err
	}
	if err := d.dir.Remove(ref); err != nil {
		return err
	}
	d.addToCounts(-info.Size())
	return nil
}
