package files

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// A place is a file that a call may change.
type place struct {
	o      WriteOptions
	c      *pegboard.Call
	target pegboard.Target
	store  *atomicfile.Store
}

// stores lets the agents of a conversation take turns.
var stores = pegboard.NewKey[*atomicfile.Store]("file writes")

// placeOf returns the file that c was or will be decided on.
func placeOf(o WriteOptions, c *pegboard.Call) (place, error) {
	t, err := decided(c)
	if err != nil {
		return place{}, err
	}
	return place{o: o, c: c, target: t, store: stores.GetOrInitRoot(c.Session(), func() *atomicfile.Store { return &atomicfile.Store{} })}, nil
}

// load returns the file as it is, or nil if there is none.
func (p place) load(ctx context.Context) (*atomicfile.Snapshot, error) {
	was, err := p.store.Load(ctx, p.target.Real(), orDefault(p.o.MaxBytes, DefaultMaxWritten))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no file is an answer
	}
	if err != nil {
		return nil, p.explain(ctx, err)
	}
	return was, nil
}

// put writes data in the place of what was, or makes the file, and remembers that
// the model knows it. If only a part was changed, it knows the rest as well as
// before. The caveat is for the model.
func (p place) put(ctx context.Context, was *atomicfile.Snapshot, data []byte, part bool) (caveat string, err error) {
	if was == nil {
		_, err = p.store.Create(ctx, p.target.Real(), data, 0)
	} else {
		part = part && len(was.Data) > 0 && !p.state().Whole(p.target.Real(), was.Data)
		_, err = was.Replace(ctx, data)
	}
	if errors.Is(err, atomicfile.ErrNotSynced) {
		caveat, err = " The system could not say that it is safe on the disk yet.", nil
	}
	if err != nil {
		return "", p.explain(ctx, err)
	}
	p.state().Wrote(p.target.Real(), data, part)
	return caveat, nil
}

// noteAll remembers that the session saw the file as it was loaded, all of it or
// a part.
func (p place) noteAll(was *atomicfile.Snapshot, part bool) {
	size := int64(len(was.Data))
	p.state().Note(p.target.Real(), reads.View{
		Info: was.Info, Size: size, Changed: was.Info.ModTime(), To: size, Sum: sha256.Sum256(was.Data), Part: part,
	})
}

func (p place) state() *reads.State { return reads.Of(p.c.Session()) }

// seen returns what the session knows of the file's content now.
func (p place) seen(data []byte) reads.Standing {
	return p.state().Standing(p.target.Real(), data)
}

// diagnosis is what the host says of the file after a change, ready to append.
func (p place) diagnosis(ctx context.Context) string {
	if p.o.Diagnose == nil {
		return ""
	}
	if text := strings.TrimSpace(p.o.Diagnose(ctx, p.target.Value)); text != "" {
		return "\n" + text
	}
	return ""
}

// line numbers a line as the model sees it.
func (p place) line(n int, text string) string {
	ro := ReadOptions{Line: p.o.Line}
	return string(ro.appendLine(nil, n, []byte(text)))
}

// brief is line for the lines around a change, of which a long one is cut.
func (p place) brief(n int, text string) string {
	ro := ReadOptions{MaxLineLength: DefaultMaxLineLength}
	shown, _, _ := ro.wording([]byte(text), int64(len(text)), false)
	return p.line(n, string(shown))
}

// explain words why the file could not be changed.
func (p place) explain(ctx context.Context, err error) error {
	path := p.target.Value
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
	case errors.Is(err, realpath.ErrMoved), errors.Is(err, realpath.ErrDirectory), errors.Is(err, realpath.ErrNotDir):
		return explain(p.c, p.target, err)
	case errors.Is(err, realpath.ErrNotRegular):
		text = fmt.Sprintf("%s is %v. Only regular files can be written.", path, reason(err))
	case errors.Is(err, syscall.ENOTDIR):
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

// errUnseen is the cause of refusals to change what the session has not seen.
var errUnseen = errors.New("the file was not read, or changed since")
