package atomicfile

import (
	"context"
	"io"
	"os"
)

// A disk is the part of the file system that tests make fail. The zero value
// is the real one.
type disk struct {
	writeAt func(f *os.File, p []byte, off int64) (int, error)
	fsync   func(f *os.File) error
	move    func(dir *os.Root, from, to string) error
	publish func(dir *os.Root, from, to string) error
}

// write writes all of p from off on, and looks at the context now and then.
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

// syncDir makes what was renamed, made and removed in dir survive a loss of power.
func (d *disk) syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := d.sync(f); !dirsHaveNoSync(err) {
		return err
	}
	return nil
}

// rename puts one name of dir in the place of another.
func (d *disk) rename(dir *os.Root, from, to string) error {
	if d.move != nil {
		return d.move(dir, from, to)
	}
	return dir.Rename(from, to)
}

// name gives the file from the name to, unless there is something of that name. On
// some systems it has both names then, until it is discarded under the first.
func (d *disk) name(dir *os.Root, from, to string) error {
	if d.publish != nil {
		return d.publish(dir, from, to)
	}
	return renameNoReplace(dir, from, to)
}
