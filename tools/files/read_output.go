package files

import (
	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/tools/internal/reads"
)

// ReadOutput is what a host gets as Result.Data of [Read].
type ReadOutput struct {
	// Type says what File is: "text" a TextFile, "image" an ImageFile,
	// "notebook" a NotebookFile, "pdf" or "parts" a PDFFile, "file_unchanged" an
	// UnchangedFile.
	Type string `json:"type"`
	File any    `json:"file"`

	FirstPage int `json:"firstPage,omitempty"` // of "parts": the first page shown
	Pages     int `json:"pages,omitempty"`     // of "parts": how many the document has

	view *reads.View // nil if there is nothing to remember
}

// modelBytes returns how much text the model is shown: of a short one a notice
// saves nothing.
func (out *ReadOutput) modelBytes() (n int) {
	for _, p := range readResult(*out).Parts {
		n += len(p.Text) + len(p.Data)
	}
	return n
}

// readResult is what the model is shown.
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
