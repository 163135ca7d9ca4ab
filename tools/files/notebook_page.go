package files

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/terminal"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

// A notebookPage is the part of a notebook that one call of Read shows.
type notebookPage struct {
	options ReadOptions
	file    NotebookFile
	tokens  int
	bytes   int
	images  int
	cell    int // index in the notebook of the cell that is rendered
}

// renderOutput returns one output of a cell for the host and for the model. It shows
// the end of a long stream or traceback, and the start of any other long text.
func (n *notebookPage) renderOutput(o notebook.Output) (CellOutput, []pegboard.Part) {
	text, atTail := o.Text, o.Kind == "stream"
	if o.Kind == "error" {
		text, atTail = errorOutputText(o), true
	}
	shown, _ := printable([]byte(terminal.Clean(text)))
	if text = string(shown); n.options.code.real == "" {
		text = n.excerptOutput(text, atTail)
	}
	out := CellOutput{Type: o.Kind, Text: text}
	head := fmt.Sprintf("<output type=%q", o.Kind)
	if o.Name != "" {
		head += fmt.Sprintf(" name=%q", o.Name)
	}
	head += ">\n"
	var pictures []pegboard.Part
	for _, img := range o.Images {
		out.Images = append(out.Images, img.MIME)
		pictures = append(pictures, n.renderImage(img))
	}
	if text == "" && len(o.Images) == 0 && len(o.Types) > 0 {
		head += fmt.Sprintf("[%s, not shown]\n", strings.Join(o.Types, ", "))
	}
	parts := append([]pegboard.Part{{Text: head + withNewline(text)}}, pictures...)
	return out, append(parts, pegboard.Part{Text: "</output>\n"})
}

// renderImage returns an image of an output, or a text that says why it is not shown.
func (n *notebookPage) renderImage(img notebook.Image) pegboard.Part {
	if n.images >= maxNotebookImages {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, not shown: %d images are enough for one call. Ask for this cell alone.]\n", img.MIME, len(img.Data), maxNotebookImages)}
	}
	if int64(len(img.Data)) > n.options.limits.ImageBytes {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, too large to be shown]\n", img.MIME, len(img.Data))}
	}
	p, err := n.options.fitImage(img.Data, img.MIME)
	if err != nil {
		return pegboard.Part{Text: fmt.Sprintf("[%s of %d bytes, not shown: %v]\n", img.MIME, len(img.Data), err)}
	}
	n.images++
	return pegboard.Part{MIME: p.mime, Data: p.data}
}

// notice says which cells are shown and how to read on.
func (n *notebookPage) notice() string {
	f, first, last := &n.file, n.file.StartCell, n.file.StartCell+len(n.file.Cells)-1
	switch {
	case f.TotalCells == 0:
		return "[The notebook has no cells.]"
	case len(f.Cells) == 0:
		return fmt.Sprintf("[Nothing to show: offset %d is past the end, the notebook has %s. Use a smaller offset.]", first, plural(f.TotalCells, "cell"))
	case f.TruncatedByTokenCap:
		return fmt.Sprintf("[PARTIAL view: cells %d to %d of %d. One call shows about %d tokens and %d bytes at most. Go on with offset %d and limit %d.]",
			first, last, f.TotalCells, n.options.MaxTokens, n.options.limits.Bytes, last+1, len(f.Cells))
	case last < f.TotalCells:
		return fmt.Sprintf("[PARTIAL view: cells %d to %d of %d. Go on with offset %d.]", first, last, f.TotalCells, last+1)
	}
	return fmt.Sprintf("[Notebook, cells %d to %d of %d]", first, last, f.TotalCells)
}

// tooManyTokens returns the error for requested cells with too many tokens. The first
// fit of them are within the limits.
func (n *notebookPage) tooManyTokens(asked []notebook.Cell, fit int) error {
	tokens, bytes := n.tokens, n.bytes
	for i, c := range asked[fit:] {
		n.cell = n.file.StartCell - 1 + fit + i
		_, parts := n.renderCell(c)
		t, b := n.textSize(parts)
		tokens, bytes = tokens+t, bytes+b
	}
	first := n.file.StartCell
	return &adviceError{text: fmt.Sprintf("Cells %d to %d are about %d tokens in %d bytes, more than the %d in %d that one call shows. Ask for offset %d and limit %d, which fits.",
		first, first+len(asked)-1, tokens, bytes, n.options.MaxTokens, n.options.limits.Bytes, first, fit)}
}

// textSize returns the tokens and the bytes of the text in parts.
func (n *notebookPage) textSize(parts []pegboard.Part) (tokens, bytes int) {
	for _, p := range parts {
		tokens += n.options.countTokens([]byte(p.Text))
		bytes += len(p.Text)
	}
	return tokens, bytes
}

// fits reports whether the call can show that much more.
func (n *notebookPage) fits(tokens, bytes int) bool {
	return tokens <= n.options.MaxTokens-n.tokens && bytes <= n.options.limits.Bytes-n.bytes
}

// shorten cuts the text of a single cell to the limits of a call.
func (n *notebookPage) shorten(parts []pegboard.Part) []pegboard.Part {
	text := joinText(parts)[0].Text
	keep := min(len(text), n.options.limits.Bytes)
	for keep > 1 && n.options.countTokens([]byte(text[:keep])) > n.options.MaxTokens {
		keep /= 2
	}
	kept := strings.ToValidUTF8(text[:keep], "")
	return []pegboard.Part{{Text: kept + fmt.Sprintf("\n[%d more bytes of this cell are not shown; a shell shows them, as with jq '.cells[%d]']", len(text)-len(kept), n.cell)}}
}

// renderCell returns a cell for the host and for the model.
func (n *notebookPage) renderCell(c notebook.Cell) (NotebookCell, []pegboard.Part) {
	cell := NotebookCell{ID: c.ID, Type: c.Type, Source: c.Source, Language: c.Language, ExecutionCount: c.ExecutionCount}
	var b strings.Builder
	fmt.Fprintf(&b, "<cell id=%q type=%q", c.ID, c.Type)
	if c.Language != "" && c.Language != c.Type {
		fmt.Fprintf(&b, " language=%q", c.Language)
	}
	if c.ExecutionCount != nil {
		b.WriteString(" run=" + strconv.Quote(strconv.Itoa(*c.ExecutionCount)))
	}
	source, _ := printable([]byte(c.Source))
	b.WriteString(">\n" + withNewline(string(source)))
	parts := []pegboard.Part{{Text: b.String()}}
	for _, o := range c.Outputs {
		output, shown := n.renderOutput(o)
		cell.Outputs = append(cell.Outputs, output)
		parts = append(parts, shown...)
	}
	return cell, append(parts, pegboard.Part{Text: "</cell>\n"})
}

// withNewline returns text with a line end after its last line.
func withNewline(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// joinText joins adjacent text parts into one part.
func joinText(parts []pegboard.Part) []pegboard.Part {
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
			text.WriteString(withNewline(p.Text))
			continue
		}
		flush()
		all = append(all, p)
	}
	flush()
	return all
}

// errorOutputText returns the traceback, or the error if there is no traceback.
func errorOutputText(o notebook.Output) string {
	if len(o.Traceback) > 0 {
		return strings.Join(o.Traceback, "\n")
	}
	return o.Ename + ": " + o.Evalue
}

// excerptOutput returns text, or only its end or start if it is long.
func (n *notebookPage) excerptOutput(text string, atTail bool) string {
	rest := len(text) - maxOutputBytes
	if rest <= 0 {
		return text
	}
	if atTail {
		kept := strings.ToValidUTF8(text[rest:], "")
		return fmt.Sprintf("[%d bytes before this are not shown; a shell shows them, as with jq '.cells[%d].outputs']\n%s", len(text)-len(kept), n.cell, kept)
	}
	kept := strings.ToValidUTF8(text[:maxOutputBytes], "")
	return fmt.Sprintf("%s\n[%d bytes after this are not shown; a shell shows them, as with jq '.cells[%d].outputs']", kept, len(text)-len(kept), n.cell)
}
