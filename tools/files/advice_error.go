package files

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/policy"
)

// An adviceError is an error whose text tells the model the problem and the next step.
type adviceError struct {
	text string
	err  error // for the host; nil if there is no cause
}

func (e *adviceError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *adviceError) Unwrap() error { return e.err }

// A shownError is a refusal that shows the model the current content of the file.
type shownError struct {
	adviceError
	file     targetFile
	snapshot *atomicfile.Snapshot
	partial  bool // only parts of the content are shown
}

// readError returns the error for a path that could not be read.
func readError(c *pegboard.Call, t policy.Target, err error) error {
	path := t.Value
	var text string
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = missingFile(c, t)
	case errors.Is(err, realpath.ErrMoved):
		text = path + " leads elsewhere now than when permission was decided, or round in circles. Look at its links before you try again."
	case errors.Is(err, realpath.ErrNotDir):
		text = path + " is not a directory. Give the directory it is in, or use Read."
	case errors.Is(err, realpath.ErrDirectory):
		text = fmt.Sprintf("%s is a directory. List it with Glob (path %q, pattern \"*\") or with ls.", path, path)
	case errors.Is(err, realpath.ErrNotRegular):
		text = fmt.Sprintf("%s is %v. Read opens regular files only.", path, errorReason(err))
	case errors.Is(err, fs.ErrPermission):
		text = "the operating system does not let this program read " + path + ". Tell the user if it is needed."
	default:
		text = fmt.Sprintf("%s could not be read: %v.", path, errorReason(err))
	}
	return &adviceError{text: text, err: err}
}

// errorReason returns err without the operation and the path.
func errorReason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
