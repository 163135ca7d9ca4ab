package files

import (
	"fmt"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// A ReadOutput is the Result.Data of a [Read] call.
type ReadOutput struct {
	// Type is the type of File: "text" for a TextFile, "image" for an ImageFile,
	// "notebook" for a NotebookFile, "pdf" or "parts" for a PDFFile, "file_unchanged"
	// for an UnchangedFile.
	Type string `json:"type"`
	File any    `json:"file"`

	FirstPage int `json:"firstPage,omitempty"` // of "parts": first page shown
	Pages     int `json:"pages,omitempty"`     // of "parts": number of pages in the document

	view    *reads.View     // nil if there is nothing to record
	repeats bool            // the same view means the same output
	real    string          // resolved path of the file, if shown is to be called
	names   *notebook.Names // of the cells of a notebook
	value   any             // for code, see Result.Value; nil if the model made the call, or if the value is the output itself
}

// modelBytes returns the size of the result for the model, in bytes. For a short result
// a notice would save nothing.
func (out *ReadOutput) modelBytes() (n int) {
	for _, p := range out.parts() {
		n += len(p.Text) + len(p.Data)
	}
	return n
}

// readResult returns the result for the model, and what a person reads of it.
func readResult(out ReadOutput) *pegboard.Result {
	r := &pegboard.Result{Parts: out.parts(), Data: out, Line: out.line(), Value: out.value}
	if f, ok := out.File.(TextFile); ok {
		r.SearchText = f.Content
	}
	if out.real != "" {
		r.Shown = out.shown
	}
	return r
}

// parts returns the result for the model.
func (out *ReadOutput) parts() []pegboard.Part {
	switch f := out.File.(type) {
	case TextFile:
		return []pegboard.Part{{Text: f.text}}
	case UnchangedFile:
		return []pegboard.Part{{Text: f.text}}
	case NotebookFile:
		return f.parts
	case PDFFile:
		return f.parts
	case ImageFile:
		var parts []pegboard.Part
		if f.Data != nil {
			parts = append(parts, pegboard.Part{MIME: f.MIME, Data: f.Data})
		}
		if f.note != "" {
			parts = append(parts, pegboard.Part{Text: f.note})
		}
		return parts
	}
	return nil
}

// line says for a person what was read.
func (out *ReadOutput) line() string {
	switch f := out.File.(type) {
	case TextFile:
		if f.NumLines == 0 && f.TotalLines == 0 {
			return "Read an empty file"
		}
		return "Read " + plural(f.NumLines, "line")
	case UnchangedFile:
		return "Unchanged since it was read"
	case NotebookFile:
		return "Read " + plural(len(f.Cells), "cell")
	case PDFFile:
		if f.Count > 0 {
			return "Read " + plural(f.Count, "page")
		}
		return "Read a document"
	case ImageFile:
		if f.Data == nil {
			return "Found an image"
		}
		return fmt.Sprintf("Read an image of %d × %d pixels", f.Dimensions.OriginalWidth, f.Dimensions.OriginalHeight)
	}
	return ""
}
