package code

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard/internal/realpath"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/internal/languageserver"
)

// An adviceError is an error with a text for the model.
type adviceError struct {
	text string
	err  error
}

// Error returns the text.
func (e *adviceError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *adviceError) Unwrap() error { return e.err }

// checkFile returns an error if no regular file is where t was decided.
func checkFile(t policy.Target) error {
	file, err := realpath.Open(t.Real())
	var info os.FileInfo
	if err == nil {
		defer func() { _ = file.Close() }() // nothing was written
		info, err = file.Stat()
	}
	if err == nil && !t.WasDecided(info) {
		err = realpath.ErrMoved
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &adviceError{t.Value + " does not exist. Look for it with Glob.", err}
	case errors.Is(err, realpath.ErrDirectory):
		return &adviceError{t.Value + " is a directory. Send the path of a file in it.", err}
	case errors.Is(err, realpath.ErrMoved):
		return &adviceError{t.Value + " leads elsewhere now than when permission was decided. Look at its links before you try again.", err}
	}
	return &adviceError{fmt.Sprintf("%s cannot be read: %v. Tell the user if it is needed.", t.Value, err), err}
}

// explain returns err of a server with the next step for the model. The text quotes the server,
// and imitates no words of the host: of its lines only the first is not indented.
func explain(file string, err error) error {
	var (
		late  *languageserver.TimeoutError
		crash *languageserver.CrashError
		start *languageserver.StartError
		place *languageserver.PositionError
		reply *languageserver.ResponseError
	)
	next := ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &late):
		return err
	case errors.As(err, &late):
		next = "The server may still be indexing: try again later, or use Grep and Read."
	case errors.As(err, &crash), errors.As(err, &start):
		next = "Use Grep and Read instead, and tell the user."
	case errors.As(err, &place):
		next = "Read " + file + " and send the line and the column of the name, both counted from 1."
	case errors.As(err, &reply):
		next = "Read the line and send the position of a name in it, or use Grep."
	case errors.Is(err, languageserver.ErrUnsupported), errors.Is(err, languageserver.ErrNotText), errors.Is(err, languageserver.ErrTooLarge):
		next = "Use Grep and Read instead."
	case errors.Is(err, fs.ErrNotExist):
		next = "It was removed meanwhile. Look for it with Glob."
	}
	text := untrusted.Indent(strings.TrimRight(err.Error(), ".\n "), "    ")
	if next != "" {
		text += ".\n" + next
	}
	return &adviceError{text, err}
}
