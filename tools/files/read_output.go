package files

import (
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

	view  *reads.View     // nil if there is nothing to record
	names *notebook.Names // of the cells of a notebook
}

// modelBytes returns the size of the result for the model, in bytes. For a short result
// a notice would save nothing.
func (out *ReadOutput) modelBytes() (n int) {
	for _, p := range readResult(*out).Parts {
		n += len(p.Text) + len(p.Data)
	}
	return n
}

// readResult returns the result for the model.
func readResult(out ReadOutput) *pegboard.Result {
	r := &pegboard.Result{Data: out}
	switch f := out.File.(type) {
	case TextFile:
		r.Parts = []pegboard.Part{{Text: f.text}}
	case UnchangedFile:
		r.Parts = []pegboard.Part{{Text: f.text}}
	case NotebookFile:
		r.Parts = f.parts
	case PDFFile:
		r.Parts = f.parts
	case ImageFile:
		r.Parts = []pegboard.Part{{MIME: f.MIME, Data: f.Data}}
		if f.note != "" {
			r.Parts = append(r.Parts, pegboard.Part{Text: f.note})
		}
	}
	return r
}
