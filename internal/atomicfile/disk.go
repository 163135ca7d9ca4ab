package atomicfile

import (
	"context"
	"io"
	"os"
)

// A disk holds the operations on the file system that tests replace to make them fail.
// A nil function means the real operation.
type disk struct {
	writeAt func(f *os.File, p []byte, off int64) (int, error)
	fsync   func(f *os.File) error
	move    func(dir *os.Root, from, to string) error
	publish func(dir *os.Root, from, to string) error
}

// write writes all of p at offset off. It checks the context between chunks.
func (d *disk) write(ctx context.Context, f *os.File, p []byte, off int64) error {
	put := d.writeAt
	if put == nil {
		put = (*os.File).WriteAt
	}
	for len(p) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := p[:min(len(p), chunk)]
		n, err := put(f, part, off)
		if err == nil && n < len(part) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

func (d *disk) sync(f *os.File) error {
	if d.fsync != nil {
		return d.fsync(f)
	}
	return f.Sync()
}

// syncDir syncs a directory, so that renamed, created and removed entries survive a loss
// of power. It ignores that the system cannot sync directories.
func (d *disk) syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := d.sync(f); !isDirSyncUnsupported(err) {
		return err
	}
	return nil
}

// rename renames a file within dir and replaces the file of the new name.
func (d *disk) rename(dir *os.Root, from, to string) error {
	if d.move != nil {
		return d.move(dir, from, to)
	}
	return dir.Rename(from, to)
}

// publishAs gives the file from the name to, unless that name is taken. On some systems
// the file has both names then, until the caller removes the first.
func (d *disk) publishAs(dir *os.Root, from, to string) error {
	if d.publish != nil {
		return d.publish(dir, from, to)
	}
	return renameNoReplace(dir, from, to)
}
