package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// OpenFile opens a file for reading, for a tool of the host that runs c. The path is that
// of a target of c with policy.Read, as Inspect wrote it; any other path is decided first,
// see [pegboard.Call.PathTarget]. The file is the one that was decided: it is an error if
// the path leads to another one now, or to something that is no regular file.
func OpenFile(ctx context.Context, c *pegboard.Call, path string) (*os.File, error) {
	t, err := c.PathTarget(ctx, policy.Read, path)
	if err != nil {
		return nil, err
	}
	f, err := openDecided(t)
	if err != nil {
		return nil, readError(c, t, err)
	}
	return f, nil
}

// openDecided opens the file t for reading. It fails with realpath.ErrMoved if another file is
// there than was decided.
func openDecided(t policy.Target) (*os.File, error) {
	f, err := realpath.Open(t.Real())
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = checkDecided(t, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// checkDecided returns realpath.ErrMoved if info, of a file that was opened, is of another file
// than was decided.
func checkDecided(t policy.Target, info fs.FileInfo) error {
	if !t.WasDecided(info) {
		return &fs.PathError{Op: "open", Path: t.Real(), Err: realpath.ErrMoved}
	}
	return nil
}

// CreateFile creates a file and the missing directories above it, as [UpdateFile] does. It
// is an error that wraps fs.ErrExist if there is a file already.
func CreateFile(ctx context.Context, c *pegboard.Call, path string, data []byte) error {
	return UpdateFile(ctx, c, path, func(old []byte) ([]byte, error) {
		if old != nil {
			return nil, &adviceError{text: path + " exists already, so nothing was written. Choose another path, or change the file.", err: fs.ErrExist}
		}
		return data, nil
	})
}

// WriteFile gives a file the content data, as [UpdateFile] does, whether or not the file
// exists.
func WriteFile(ctx context.Context, c *pegboard.Call, path string, data []byte) error {
	return UpdateFile(ctx, c, path, func([]byte) ([]byte, error) { return data, nil })
}

// UpdateFile replaces the content of a file by the result of change, or creates the file,
// for a tool of the host that runs c. The path is that of a target of c with policy.Write,
// as Inspect wrote it; any other path is decided first, see [pegboard.Call.PathTarget].
//
// Change gets the present content, which it must not keep or modify. It is nil if there
// is no file. If change returns an error, nothing is written. Change may be called several
// times, since another program may change the file meanwhile, and must not write files.
//
// The file is the one that was decided, and is written as Write and Edit of this package
// write: calls take turns, a new file takes the place of the old one, and after an error
// the file has its old content. The limit of its size is [DefaultMaxWritten]. The session
// does not count the file as read: see [Note].
func UpdateFile(ctx context.Context, c *pegboard.Call, path string, change func(old []byte) ([]byte, error)) error {
	t, err := c.PathTarget(ctx, policy.Write, path)
	if err != nil {
		return err
	}
	f := newFileAt(WriteOptions{}, c, t)
	unlock, err := f.store.Lock(ctx, t.Real())
	if err != nil {
		return err
	}
	defer unlock()
	for range maxTries {
		if err = f.updateOnce(ctx, change); !errors.Is(err, atomicfile.ErrChanged) {
			break
		}
	}
	return err
}

// updateOnce loads the file, calls change and writes.
func (f targetFile) updateOnce(ctx context.Context, change func(old []byte) ([]byte, error)) error {
	snapshot, err := f.load(ctx)
	if err != nil {
		return err
	}
	var old []byte
	if snapshot != nil {
		old = snapshot.Data
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if snapshot != nil {
		_, err = snapshot.Replace(ctx, data)
	} else if _, err = f.store.Create(ctx, f.target.Real(), data, 0); errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: %w", atomicfile.ErrChanged, err) // since it was loaded
	}
	if err != nil && !errors.Is(err, atomicfile.ErrNotSynced) {
		return f.writeError(ctx, err)
	}
	return nil
}

// Note records that the session has seen content, which are the bytes of a file from
// offset on, for a tool of the host that has shown them to the model, or has written what
// the model sent. Edit and Write then treat the file as one that Read has shown. They
// compare content: a file that has other bytes there counts as changed since. A relative
// path starts from the [pegboard.Session.Cwd].
func Note(s *pegboard.Session, path string, offset int64, content []byte) {
	real := realpath.Resolve(realpath.Abs(s.Cwd(), s.Home(), path))
	to := offset + int64(len(content))
	if offset < 0 || to < offset {
		return // no file has such bytes
	}
	reads.Of(s).Record(real, reads.View{Size: -1, From: offset, To: to, Sum: sha256.Sum256(content)})
}
