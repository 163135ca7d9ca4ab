package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// kept is where an output is stored.
type kept struct {
	path string // of the file, or another reference
	size int64  // bytes that are there
	ref  string // in the session's store, if it is there
	err  error  // why it is nowhere
}

const storeTime = time.Minute // as the executor gives the store

// store moves the output of a command from its file to the session's store. If that
// does not take it, it stays in the file.
func (k *command) store(ctx context.Context, exit proc.Exit, mimeType string) kept {
	switch {
	case k.file == "":
		return kept{err: k.fileErr}
	case exit.FileErr != nil:
		return kept{err: exit.FileErr}
	}
	f, err := os.Open(k.file)
	if err != nil {
		return kept{err: err}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	stored, err := k.call.StoreRaw(ctx, mimeType, f)
	_ = f.Close() // it was only read
	switch {
	case errors.Is(err, pegboard.ErrAlreadyStored) && showsFiles(&k.line):
		return kept{err: err}
	case err != nil:
		return kept{path: k.file, size: exit.Stored}
	}
	return kept{path: cmp.Or(stored.Path, stored.Ref), ref: stored.Ref, size: stored.Size}
}

// showsFiles reports whether the line prints nothing but what it reads from files. What
// others print may not come a second time.
func showsFiles(line *shellparse.Line) bool {
	for i := range line.Commands {
		cmd := &line.Commands[i]
		if cmd.Class != shellparse.ReadOnly || len(cmd.Paths) == 0 && !cmd.ReadsInput {
			return false
		}
	}
	return line.Unknown == ""
}

// binaryNote says that the output is no text, and where it is.
func binaryNote(at kept, total int64) string {
	switch {
	case errors.Is(at.err, pegboard.ErrAlreadyStored):
		return fmt.Sprintf("[Output is binary: %d bytes, not shown.]", total)
	case at.err != nil:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown, and it could not be stored: %v.]", total, at.err)
	case at.size < total:
		return fmt.Sprintf("[Output is binary: %d bytes, not shown. Its first %d bytes are in %s.]", total, at.size, at.path)
	}
	return fmt.Sprintf("[Output is binary: %d bytes, not shown. It is in %s.]", total, at.path)
}
