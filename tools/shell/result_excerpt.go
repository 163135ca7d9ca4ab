package shell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/proc"
	"github.com/seed49eaa51d/pegboard/internal/shellparse"
)

// showPart puts into out what is shown of an output of that many bytes.
func (o *Output) showPart(x excerpt.Excerpt, total int64) {
	o.Stdout, o.Omitted = x.Text, total-x.Shown
	o.note(x.Note)
}

// advice tells how to see an output that is stored nowhere.
const advice = "to see it, run the command with its output going to a file, or through head, tail or grep"

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

// preview is the beginning of an output that is stored.
func (k *command) preview(exit proc.Exit, at kept) excerpt.Excerpt {
	s := k.source(exit)
	s.Output = s.Shrink(2 * PreviewSize) // half of it is the beginning
	s.Path, s.Stored, s.How = at.path, at.size, k.session.ReadMoreHint()
	return excerpt.Beginning(s, PreviewSize)
}

// ends is the beginning and the end of an output that is stored nowhere.
func (k *command) ends(exit proc.Exit, most int, how string) excerpt.Excerpt {
	s := k.source(exit)
	s.Output, s.How = s.Shrink(most), how
	return excerpt.Ends(s, most)
}

// source is the output of a command. The limits for it are in bytes, so that what
// is shown has to be cut to them before its characters are counted.
func (k *command) source(exit proc.Exit) excerpt.Source {
	return excerpt.Source{Name: "Output", Output: exit.Output, Lines: exit.Output.Lines(k.printed.count())}
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
