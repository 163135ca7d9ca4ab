package files

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// The limits of a notebook as shown.
const (
	maxNotebookBytes  = 100 << 20 // size of the file, as in Claude Code
	maxOutputBytes    = 10_000    // text of one output; our choice
	maxNotebookImages = 10        // images in one call; our choice
)

// readNotebook returns the cells of f that in names. Cells go by the names known. It shows
// a file that is not a valid notebook as text.
func (o ReadOptions) readNotebook(ctx context.Context, f *os.File, path string, in readInput, known *notebook.Names) (ReadOutput, error) {
	fi, err := f.Stat()
	if err != nil {
		return ReadOutput{}, err
	}
	if fi.Size() > maxNotebookBytes {
		return ReadOutput{}, &adviceError{text: fmt.Sprintf("%s is a notebook of %d bytes, more than the %d that are read. Clear its outputs, or look at cells in a shell, as with jq '.cells[0]'.",
			path, fi.Size(), maxNotebookBytes)}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxNotebookBytes))
	if err != nil {
		return ReadOutput{}, err
	}
	book, wrong := notebook.ParseAs(data, known)
	if wrong != nil {
		return o.notebookAsText(ctx, f, path, in, wrong)
	}
	shown, err := o.showCells(ctx, book.Cells(), in)
	if err != nil {
		return ReadOutput{}, err
	}
	shown.FilePath = path
	var value any
	if o.code.real != "" {
		value = shown
	}
	all := len(shown.Cells) == shown.TotalCells
	return ReadOutput{Type: "notebook", File: shown, names: book.Names(), value: value, view: &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(), To: int64(len(data)), Sum: sha256.Sum256(data),
		Truncated: shown.TruncatedByTokenCap, Excerpt: !all || shown.cellCut,
	}, repeats: all}, nil // a view does not record which cells it has
}

// notebookAsText shows a notebook that cannot be parsed.
func (o ReadOptions) notebookAsText(ctx context.Context, f *os.File, path string, in readInput, wrong error) (ReadOutput, error) {
	head := make([]byte, len("\xFF\xFE\x00"))
	n, err := f.ReadAt(head, 0)
	if err != nil && n == 0 {
		return ReadOutput{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return ReadOutput{}, err
	}
	out, err := o.readTextFile(ctx, f, path, encodingOf(head[:n]), in)
	if text, ok := out.File.(TextFile); ok {
		text.text = fmt.Sprintf("[Shown as text, not by cell: %v.]\n", wrong) + text.text
		out.File = text
	}
	return out, err
}

// showCells returns the cells that in names. Cells that the call names by number are
// refused if they have too many tokens.
func (o ReadOptions) showCells(ctx context.Context, all []notebook.Cell, in readInput) (NotebookFile, error) {
	first := orDefault(in.Offset, 1)
	n := notebookPage{options: o, file: NotebookFile{StartCell: first, TotalCells: len(all), Cells: []NotebookCell{}}}
	asked := all[min(first-1, len(all)):]
	if in.Limit > 0 {
		asked = asked[:min(in.Limit, len(asked))]
	}
	for i, c := range asked {
		if ctx.Err() != nil {
			return NotebookFile{}, context.Cause(ctx)
		}
		n.cell = first - 1 + i
		cell, parts := n.renderCell(c)
		tokens, bytes := n.textSize(parts)
		if i == 0 && !n.fits(tokens, bytes) {
			n.file.cellCut, parts = true, n.shorten(parts)
			tokens, bytes = o.MaxTokens, o.MaxBytes
		}
		if !n.fits(tokens, bytes) {
			if in.hasRange() {
				return NotebookFile{}, n.tooManyTokens(asked, i)
			}
			n.file.TruncatedByTokenCap = true
			break
		}
		n.bytes += bytes
		n.tokens += tokens
		n.file.Cells = append(n.file.Cells, cell)
		n.file.parts = append(n.file.parts, parts...)
	}
	n.file.parts = joinText(append([]pegboard.Part{{Text: n.notice()}}, n.file.parts...))
	return n.file, nil
}
