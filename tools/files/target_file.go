package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
	"github.com/seed49eaa51d/pegboard/tools/internal/writes"
)

// A targetFile is the file that a call may change.
type targetFile struct {
	options WriteOptions
	call    *pegboard.Call
	target  policy.Target
	store   *atomicfile.Store
	// partly names the means of the model to change a part of a file, such as "Edit".
	partly string
}

// newTargetFile returns the file to which the permission decision about c applies.
func newTargetFile(o WriteOptions, c *pegboard.Call) (targetFile, error) {
	t, err := decidedTarget(c)
	if err != nil {
		return targetFile{}, err
	}
	return newFileAt(o, c, t), nil
}

// newFileAt returns the file of a target of c.
func newFileAt(o WriteOptions, c *pegboard.Call, t policy.Target) targetFile {
	return targetFile{options: o, call: c, target: t, partly: "Edit", store: writes.Of(c.Session())}
}

// load returns the current file, or nil if it does not exist.
func (f targetFile) load(ctx context.Context) (*atomicfile.Snapshot, error) {
	snapshot, err := f.store.Load(ctx, f.target.Real(), orDefault(f.options.MaxBytes, DefaultMaxWritten))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no file is an answer
	}
	if err == nil {
		err = checkDecided(f.target, snapshot.Info)
	}
	if err != nil {
		return nil, f.writeError(ctx, err)
	}
	return snapshot, nil
}

// save writes data to the file: it replaces the content of snapshot, or creates the
// file if snapshot is nil. It records that the model knows the new content; if partial
// is set, the model knows the rest of the file only as well as before. The caveat is
// for the model.
func (f targetFile) save(ctx context.Context, snapshot *atomicfile.Snapshot, data []byte, partial bool) (caveat string, err error) {
	if snapshot == nil {
		_, err = f.store.Create(ctx, f.target.Real(), data, 0)
	} else {
		partial = partial && len(snapshot.Data) > 0 && !f.state().SeenWhole(f.target.Real(), snapshot.Data)
		_, err = snapshot.Replace(ctx, data)
	}
	if errors.Is(err, atomicfile.ErrNotSynced) {
		caveat, err = " The system could not say that it is safe on the disk yet.", nil
	}
	if err != nil {
		return "", f.writeError(ctx, err)
	}
	f.state().RecordWrite(f.target.Real(), data, partial)
	return caveat, nil
}

// mayExplain reports whether a refusal that comes before the decision on the call may say what
// stands in the way of a change of the file, whose content is snapshot: no rule denies reading or
// changing the file, and it lies in a working directory or the model knows it.
func (f targetFile) mayExplain(snapshot *atomicfile.Snapshot) bool {
	if f.call.Behavior(f.target) == policy.Deny || f.options.permit(f.call).Behavior == policy.Deny {
		return false
	}
	real := f.target.Real()
	return snapshot != nil && f.knowledge(snapshot.Data) > reads.Unread ||
		slices.ContainsFunc(f.call.Dirs(), func(dir string) bool { return realpath.Contains(realpath.Resolve(dir), real) })
}

// recordSnapshot records that the session has seen the content of snapshot, or a part
// of it.
func (f targetFile) recordSnapshot(snapshot *atomicfile.Snapshot, partial bool) {
	size := int64(len(snapshot.Data))
	f.state().Record(f.target.Real(), reads.View{
		Info: snapshot.Info, Size: size, Changed: snapshot.Info.ModTime(), To: size, Sum: sha256.Sum256(snapshot.Data), Excerpt: partial,
	})
}

// state returns the record of the files that the session has read.
func (f targetFile) state() *reads.State { return reads.Of(f.call.Session()) }

// cellNames returns the record of the names of notebook cells.
func (f targetFile) cellNames() *cellNames { return cellNamesOf(f.call.Session()) }

// knowledge returns the session's knowledge about data, the current content of the file.
func (f targetFile) knowledge(data []byte) reads.Knowledge {
	return f.state().Knowledge(f.target.Real(), data)
}

// numberedLine formats a line with its number for the model.
func numberedLine(n int, text string) string {
	return string(appendNumbered(nil, n, []byte(text)))
}

// writeError returns the error for a file that could not be changed.
func (f targetFile) writeError(ctx context.Context, err error) error {
	path := f.target.Value
	var text string
	var tooBig *atomicfile.SizeError
	var broken *atomicfile.BackupError
	if ctx.Err() != nil && !errors.As(err, &broken) {
		return context.Cause(ctx)
	}
	switch {
	case errors.As(err, &broken):
		text = fmt.Sprintf("%s could not be written in place, and its old content could not be put back: it is in %s. Tell the user before anything else is done with these files.", path, broken.Backup)
	case errors.As(err, &tooBig):
		text = fmt.Sprintf("%s has %d bytes, more than the %d that can be edited. Change it with a program made for that.", path, tooBig.Size, tooBig.Limit)
	case errors.Is(err, atomicfile.ErrChanged), errors.Is(err, fs.ErrExist):
		text = path + " was changed by somebody else while it was being written, so nothing was written. Read it again, then repeat the change if it is still right."
	case errors.Is(err, realpath.ErrMoved), errors.Is(err, realpath.ErrDirectory):
		return readError(f.call, f.target, err)
	case errors.Is(err, realpath.ErrNotRegular):
		text = fmt.Sprintf("%s is %v. Only regular files can be written.", path, errorReason(err))
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, realpath.ErrNotDir):
		text = path + " cannot be: something on the way to it is a file and not a directory. List the directories above it with Glob, and choose another path."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		text = "the operating system does not let this program write " + path + ". It is as it was. Tell the user if it is needed."
	case errors.Is(err, syscall.ENOSPC):
		text = "there is no room left on the disk of " + path + ". It is as it was. Tell the user; nothing can be written before there is room."
	default:
		text = fmt.Sprintf("%s could not be written: %v. It is as it was.", path, err)
	}
	return &adviceError{text: text, err: err}
}

// isNotebook reports whether path names a Jupyter notebook.
func isNotebook(path string) bool { return strings.EqualFold(filepath.Ext(path), ".ipynb") }

// errUnseen is the cause of an error about a file whose current content the session has
// not seen.
var errUnseen = errors.New("the file was not read, or changed since")
