package atomicfile

import "os"

// Faults are what a disk does instead of what it should. A nil one does it.
type Faults struct {
	WriteAt func(f *os.File, p []byte, off int64) (int, error)
	Sync    func(f *os.File) error
	Rename  func(dir *os.Root, from, to string) error
	Publish func(dir *os.Root, from, to string) error
}

// Inject makes the disk of s fail.
func (s *Store) Inject(f Faults) {
	s.disk = disk{writeAt: f.WriteAt, fsync: f.Sync, move: f.Rename, publish: f.Publish}
}

// TempName is the name of a temporary file.
func TempName(target string) string { return tempName(target, newContent) }

// Locked is how many names are locked.
func (s *Store) Locked() int { return len(s.edits.named) + len(s.writes.named) }
