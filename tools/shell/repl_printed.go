package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
)

// printed is all that the code of one call prints: in memory, and in a file if it is more than the
// model is shown. It is not safe for concurrent use.
type printed struct {
	newFile func() (path string, err error)

	begin []byte   // what was printed before there was a file
	file  *os.File // nil if there is none
	size  int64    // of the file
	total int64    // bytes that were printed
	err   error    // why the file has not all of it, or is not there
	kept  bool     // the result names the file
}

// write adds what was printed.
func (p *printed) write(b []byte) {
	p.total += int64(len(b))
	if p.file == nil && p.err == nil {
		if p.begin = append(p.begin, b...); len(p.begin) <= MaxREPLShown {
			return
		}
		b, p.begin = p.begin, nil
		p.err = p.open()
	}
	if p.err == nil {
		var n int
		n, p.err = p.file.Write(b[:min(int64(len(b)), MaxStored-p.size)])
		p.size += int64(n)
	}
}

func (p *printed) open() error {
	path, err := p.newFile()
	if err == nil {
		p.file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}
	return err
}

// show sets the output of a call to what the model is shown of it, and returns a note about the
// rest. That is stored, unless the call was cancelled: then its result is still awaited.
func (p *printed) show(ctx context.Context, c *pegboard.Call, out *REPLOutput, shown *capture) (note string) {
	s := excerpt.Source{Name: "Output", Output: shown.output()}
	s.Lines = shown.lines(s.Output)
	at := storedOutput{err: errNotStored}
	if s.Omitted > 0 && !out.Interrupted {
		at = p.store(ctx, c)
	}
	const advice = "print less at once, or write it to a file"
	switch {
	case at.err == nil:
		out.PersistedOutputPath, out.PersistedOutputSize, out.ref = at.path, at.size, at.ref
		s.Path, s.Stored, s.Hint = at.path, at.size, c.Session().ReadMoreHint()
	case errors.Is(at.err, errNotStored):
		s.Hint = advice
	default:
		s.Hint = fmt.Sprintf("it could not be stored (%v); %s", at.err, advice)
	}
	s.Total = max(p.total, s.Total)
	x := excerpt.Ends(s, MaxREPLShown)
	out.Output, out.Omitted = strings.TrimRight(x.Text, "\n"), s.Total-x.Shown
	return x.Note
}

// store copies the file to the session's store. If the store does not accept it, it stays where it
// is.
func (p *printed) store(ctx context.Context, c *pegboard.Call) storedOutput {
	switch {
	case p.file == nil && p.err != nil:
		return storedOutput{err: p.err}
	case p.file == nil:
		return storedOutput{err: errNotStored}
	}
	at, _ := storeFile(ctx, c, p.file.Name(), p.size, "text/plain") // at tells of the error
	p.kept = at.path == p.file.Name()
	return at
}

// close removes the file, unless the result names it.
func (p *printed) close() {
	if p.file == nil {
		return
	}
	_ = p.file.Close() // every write was checked
	if !p.kept {
		_ = os.Remove(p.file.Name()) // or it is removed with its directory
	}
}
