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

// Limits of what is shown of a notebook.
const (
	maxNotebookBytes  = 100 << 20 // of the file, as in the best-known harness
	maxOutputBytes    = 10_000    // of the text of one output: our choice
	maxNotebookImages = 10        // in one call: our choice
)

// readNotebook returns the cells of f that in asks for. What is no notebook by
// its content is shown as text.
func (o ReadOptions) readNotebook(ctx context.Context, f *os.File, path string, in readInput) (ReadOutput, error) {
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
	book, wrong := notebook.Parse(data)
	if wrong != nil {
		return o.notebookAsText(ctx, f, path, in, wrong)
	}
	shown, err := o.showCells(ctx, book.Cells(), in)
	if err != nil {
		return ReadOutput{}, err
	}
	shown.FilePath = path
	all := len(shown.Cells) == shown.TotalCells
	return ReadOutput{Type: "notebook", File: shown, view: &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(), To: int64(len(data)), Sum: sha256.Sum256(data),
		Truncated: shown.TruncatedByTokenCap, Excerpt: !all || shown.cellCut,
		InConversation: all, // the view does not say which cells it has
	}}, nil
}

// notebookAsText shows a notebook that cannot be taken apart.
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

// showCells returns the cells that in asks for. Those that were asked for by
// number and have too many tokens are refused.
func (o ReadOptions) showCells(ctx context.Context, all []notebook.Cell, in readInput) (NotebookFile, error) {
	first := orDefault(in.Offset, 1)
	s := notebookPage{options: o, file: NotebookFile{StartCell: first, TotalCells: len(all), Cells: []NotebookCell{}}}
	asked := all[min(first-1, len(all)):]
	if in.Limit > 0 {
		asked = asked[:min(in.Limit, len(asked))]
	}
	for i, c := range asked {
		if ctx.Err() != nil {
			return NotebookFile{}, context.Cause(ctx)
		}
		cell, parts := s.renderCell(c)
		tokens, bytes := s.textSize(parts)
		if i == 0 && !s.fits(tokens, bytes) {
			s.file.cellCut, parts = true, s.shorten(parts)
			tokens, bytes = o.MaxTokens, o.MaxBytes
		}
		if !s.fits(tokens, bytes) {
			if in.hasRange() {
				return NotebookFile{}, s.tooManyTokens(asked, i)
			}
			s.file.TruncatedByTokenCap = true
			break
		}
		s.bytes += bytes
		s.tokens += tokens
		s.file.Cells = append(s.file.Cells, cell)
		s.file.parts = append(s.file.parts, parts...)
	}
	s.file.parts = joinText(append([]pegboard.Part{{Text: s.notice()}}, s.file.parts...))
	return s.file, nil
}
