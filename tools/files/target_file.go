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

// A targetFile is a file that a call may change.
type targetFile struct {
	options WriteOptions
	call    *pegboard.Call
	target  pegboard.Target
	store   *atomicfile.Store
}

// storeKey lets the agents of a conversation take turns.
var storeKey = pegboard.NewKey[*atomicfile.Store]("file writes")

// newTargetFile returns the file that c was or will be decided on.
func newTargetFile(o WriteOptions, c *pegboard.Call) (targetFile, error) {
	t, err := decidedTarget(c)
	if err != nil {
		return targetFile{}, err
	}
	return targetFile{options: o, call: c, target: t, store: storeKey.GetOrInitRoot(c.Session(), func() *atomicfile.Store { return &atomicfile.Store{} })}, nil
}

// load returns the file as it is, or nil if there is none.
func (p targetFile) load(ctx context.Context) (*atomicfile.Snapshot, error) {
	was, err := p.store.Load(ctx, p.target.Real(), orDefault(p.options.MaxBytes, DefaultMaxWritten))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no file is an answer
	}
	if err != nil {
		return nil, p.explainWrite(ctx, err)
	}
	return was, nil
}

// save writes data in the place of what was, or makes the file, and remembers that
// the model knows it. If only a part was changed, it knows the rest as well as
// before. The caveat is for the model.
func (p targetFile) save(ctx context.Context, was *atomicfile.Snapshot, data []byte, part bool) (caveat string, err error) {
	if was == nil {
		_, err = p.store.Create(ctx, p.target.Real(), data, 0)
	} else {
		part = part && len(was.Data) > 0 && !p.state().SeenWhole(p.target.Real(), was.Data)
		_, err = was.Replace(ctx, data)
	}
	if errors.Is(err, atomicfile.ErrNotSynced) {
		caveat, err = " The system could not say that it is safe on the disk yet.", nil
	}
	if err != nil {
		return "", p.explainWrite(ctx, err)
	}
	p.state().RecordWrite(p.target.Real(), data, part)
	return caveat, nil
}

// recordSnapshot remembers that the session saw the file as it was loaded, all of it or
// a part.
func (p targetFile) recordSnapshot(was *atomicfile.Snapshot, part bool) {
	size := int64(len(was.Data))
	p.state().Record(p.target.Real(), reads.View{
		Info: was.Info, Size: size, Changed: was.Info.ModTime(), To: size, Sum: sha256.Sum256(was.Data), Excerpt: part,
	})
}

func (p targetFile) state() *reads.State { return reads.Of(p.call.Session()) }

// knowledge returns what the session knows of the file's content now.
func (p targetFile) knowledge(data []byte) reads.Knowledge {
	return p.state().Knowledge(p.target.Real(), data)
}

// diagnosis is what the host says of the file after a change, ready to append.
func (p targetFile) diagnosis(ctx context.Context) string {
	if p.options.Diagnose == nil {
		return ""
	}
	if text := strings.TrimSpace(p.options.Diagnose(ctx, p.target.Value)); text != "" {
		return "\n" + text
	}
	return ""
}

// numberedLine numbers a line as the model sees it.
func (p targetFile) numberedLine(n int, text string) string {
	ro := ReadOptions{Line: p.options.Line}
	return string(ro.appendNumbered(nil, n, []byte(text)))
}

// shortNumberedLine is line for the lines around a change, of which a long one is cut.
func (p targetFile) shortNumberedLine(n int, text string) string {
	ro := ReadOptions{MaxLineLength: DefaultMaxLineLength}
	shown, _, _ := ro.renderLine([]byte(text), int64(len(text)), false)
	return p.numberedLine(n, string(shown))
}

// explainWrite words why the file could not be changed.
func (p targetFile) explainWrite(ctx context.Context, err error) error {
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
		return explainRead(p.call, p.target, err)
	case errors.Is(err, realpath.ErrNotRegular):
		text = fmt.Sprintf("%s is %v. Only regular files can be written.", path, errorReason(err))
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
