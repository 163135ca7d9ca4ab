package files

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

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

// NotebookFile is a Jupyter notebook, or some cells of one.
type NotebookFile struct {
	FilePath   string         `json:"filePath"` // absolute
	Cells      []NotebookCell `json:"cells"`
	StartCell  int            `json:"startCell"` // the number of the first one, counted from 1
	TotalCells int            `json:"totalCells"`
	// TruncatedByTokenCap says that more would have been shown if it had fewer
	// tokens, or bytes.
	TruncatedByTokenCap bool `json:"truncatedByTokenCap,omitempty"`

	parts []pegboard.Part // for the model
	short bool            // a cell was cut
}

// NotebookCell is a cell with all of its source.
type NotebookCell struct {
	ID             string       `json:"id"`       // cell-N, counted from 0, if the file gives none
	Type           string       `json:"cellType"` // code, markdown or raw
	Language       string       `json:"language,omitempty"`
	Source         string       `json:"source"`
	ExecutionCount *int         `json:"executionCount,omitempty"` // nil if the cell was not run
	Outputs        []CellOutput `json:"outputs,omitempty"`
}

// CellOutput is one output of a cell, with text as it is shown.
type CellOutput struct {
	Type   string   `json:"type"` // stream, execute_result, display_data or error
	Text   string   `json:"text,omitempty"`
	Images []string `json:"images,omitempty"` // their media types
}

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
	return ReadOutput{Type: "notebook", File: shown, seen: &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(), To: int64(len(data)), Sum: sha256.Sum256(data),
		Cut: shown.TruncatedByTokenCap, Part: !all || shown.short,
		Shown: all, // the view does not say which cells it has
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
	out, err := o.readLines(ctx, f, path, encodingOf(head[:n]), in)
	if text, ok := out.File.(TextFile); ok {
		text.text = fmt.Sprintf("[Shown as text, not by cell: %v.]\n", wrong) + text.text
		out.File = text
	}
	return out, err
}

// A sheet is what one call shows of a notebook.
type sheet struct {
	o      ReadOptions
	file   NotebookFile
	tokens int
	bytes  int
	images int
}

// showCells returns the cells that in asks for. Those that were asked for by
// number and have too many tokens are refused.
func (o ReadOptions) showCells(ctx context.Context, all []notebook.Cell, in readInput) (NotebookFile, error) {
	first := orDefault(in.Offset, 1)
	s := sheet{o: o, file: NotebookFile{StartCell: first, TotalCells: len(all), Cells: []NotebookCell{}}}
	asked := all[min(first-1, len(all)):]
	if in.Limit > 0 {
		asked = asked[:min(in.Limit, len(asked))]
	}
	for i, c := range asked {
		if ctx.Err() != nil {
			return NotebookFile{}, context.Cause(ctx)
		}
		cell, parts := s.render(c)
		tokens, bytes := s.cost(parts)
		if i == 0 && !s.fits(tokens, bytes) {
			s.file.short, parts = true, s.shorten(parts)
			tokens, bytes = o.MaxTokens, o.MaxBytes
		}
		if !s.fits(tokens, bytes) {
			if in.ranged() {
				return NotebookFile{}, s.tooMany(asked, i)
			}
			s.file.TruncatedByTokenCap = true
			break
		}
		s.bytes += bytes
		s.tokens += tokens
		s.file.Cells = append(s.file.Cells, cell)
		s.file.parts = append(s.file.parts, parts...)
	}
	s.file.parts = joined(append([]pegboard.Part{{Text: s.notice()}}, s.file.parts...))
	return s.file, nil
}

// notice tells which cells are shown and how to see more.
func (s *sheet) notice() string {
	f, first, last := &s.file, s.file.StartCell, s.file.StartCell+len(s.file.Cells)-1
	switch {
	case f.TotalCells == 0:
		return "[The notebook has no cells.]"
	case len(f.Cells) == 0:
		return fmt.Sprintf("[Nothing to show: offset %d is past the end, the notebook has %s. Use a smaller offset.]", first, plural(f.TotalCells, "cell"))
	case f.TruncatedByTokenCap:
		return fmt.Sprintf("[PARTIAL view: cells %d to %d of %d. One call shows about %d tokens and %d bytes at most. Go on with offset %d and limit %d.]",
			first, last, f.TotalCells, s.o.MaxTokens, s.o.MaxBytes, last+1, len(f.Cells))
	case last < f.TotalCells:
		return fmt.Sprintf("[PARTIAL view: cells %d to %d of %d. Go on with offset %d.]", first, last, f.TotalCells, last+1)
	}
	return fmt.Sprintf("[Notebook, cells %d to %d of %d]", first, last, f.TotalCells)
}

// tooMany words that the cells asked for have too many tokens; the first fit of
// them have not.
func (s *sheet) tooMany(asked []notebook.Cell, fit int) error {
	tokens, bytes := s.tokens, s.bytes
	for _, c := range asked[fit:] {
		_, parts := s.render(c)
		t, b := s.cost(parts)
		tokens, bytes = tokens+t, bytes+b
	}
	first := s.file.StartCell
	return &adviceError{text: fmt.Sprintf("Cells %d to %d are about %d tokens in %d bytes, more than the %d in %d that one call shows. Ask for offset %d and limit %d, which fits.",
		first, first+len(asked)-1, tokens, bytes, s.o.MaxTokens, s.o.MaxBytes, first, fit)}
}

// cost counts the tokens and the bytes of the text in parts.
func (s *sheet) cost(parts []pegboard.Part) (tokens, bytes int) {
	for _, p := range parts {
		tokens += s.o.tokens([]byte(p.Text))
		bytes += len(p.Text)
	}
	return tokens, bytes
}

// fits reports whether so much more can be shown.
func (s *sheet) fits(tokens, bytes int) bool {
	return tokens <= s.o.MaxTokens-s.tokens && bytes <= s.o.MaxBytes-s.bytes
}

// shorten cuts the text of one cell until it fits in a call.
func (s *sheet) shorten(parts []pegboard.Part) []pegboard.Part {
	text := joined(parts)[0].Text
	keep := min(len(text), s.o.MaxBytes)
	for keep > 1 && s.o.tokens([]byte(text[:keep])) > s.o.MaxTokens {
		keep /= 2
	}
	kept := strings.ToValidUTF8(text[:keep], "")
	return []pegboard.Part{{Text: kept + fmt.Sprintf("\n[%d more bytes of this cell are not shown]", len(text)-len(kept))}}
}

// render returns a cell for the host and for the model.
func (s *sheet) render(c notebook.Cell) (NotebookCell, []pegboard.Part) {
	cell := NotebookCell{ID: c.ID, Type: c.Type, Source: c.Source, Language: c.Language, ExecutionCount: c.ExecutionCount}
	var b strings.Builder
	fmt.Fprintf(&b, "<cell id=%q type=%q", c.ID, c.Type)
	if c.Language != "" && c.Language != c.Type {
		fmt.Fprintf(&b, " language=%q", c.Language)
	}
	if c.ExecutionCount != nil {
		b.WriteString(" run=" + strconv.Quote(strconv.Itoa(*c.ExecutionCount)))
	}
	source, _ := readable([]byte(c.Source))
	b.WriteString(">\n" + withEnd(string(source)))
	parts := []pegboard.Part{{Text: b.String()}}
	for _, o := range c.Outputs {
		output, shown := s.output(o)
		cell.Outputs = append(cell.Outputs, output)
		parts = append(parts, shown...)
	}
	return cell, append(parts, pegboard.Part{Text: "</cell>\n"})
}

// withEnd returns text with an end to its last line.
func withEnd(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// joined makes one part of texts that follow each other.
func joined(parts []pegboard.Part) []pegboard.Part {
	var all []pegboard.Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, pegboard.Part{Text: strings.TrimSuffix(text.String(), "\n")})
			text.Reset()
		}
	}
	for _, p := range parts {
		if p.MIME == "" {
			text.WriteString(withEnd(p.Text))
			continue
		}
		flush()
		all = append(all, p)
	}
	flush()
	return all
}
