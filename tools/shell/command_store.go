package shell

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

const storeTimeout = time.Minute // the executor's own limit for the store

// store copies the output of a command from its file to the session's store. If the
// store does not accept it, the output stays in the file.
func (k *command) store(ctx context.Context, exit proc.Exit, mimeType string) storedOutput {
	switch {
	case k.outputFile == "":
		return storedOutput{err: k.outputFileErr}
	case exit.FileErr != nil:
		return storedOutput{err: exit.FileErr}
	}
	f, err := os.Open(k.outputFile)
	if err != nil {
		return storedOutput{err: err}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	stored, err := k.call.StoreRaw(ctx, mimeType, f)
	_ = f.Close() // it was only read
	switch {
	case errors.Is(err, pegboard.ErrAlreadyStored) && showsFiles(&k.line):
		return storedOutput{err: err}
	case err != nil:
		return storedOutput{path: k.outputFile, size: exit.Stored}
	}
	return storedOutput{path: cmp.Or(stored.Path, stored.Ref), ref: stored.Ref, size: stored.Size}
}

// showsFiles reports whether the line prints only the content of files. The output of
// such a line can be had again; another line may print something else the next time.
func showsFiles(line *shellparse.Line) bool {
	for i := range line.Commands {
		cmd := &line.Commands[i]
		if cmd.Class != shellparse.ReadOnly || len(cmd.Paths) == 0 && !cmd.ReadsInput {
			return false
		}
	}
	return line.Unknown == ""
}
