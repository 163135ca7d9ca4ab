package files

import (
	"io/fs"

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

	seen *reads.View // nil if there is nothing to remember
}

// TextFile is a part of a text.
type TextFile struct {
	FilePath string `json:"filePath"` // absolute
	// Content is the lines as they are shown, without their numbers. Line ends
	// are "\n"; a byte order mark is left out.
	Content    string `json:"content"`
	NumLines   int    `json:"numLines"`
	StartLine  int    `json:"startLine"`
	TotalLines int    `json:"totalLines"`        // -1: too long to be counted
	Partial    bool   `json:"partial,omitempty"` // lines follow the last one shown
	// TruncatedByTokenCap says that more lines would have been shown if they had
	// fewer tokens.
	TruncatedByTokenCap bool `json:"truncatedByTokenCap,omitempty"`

	text  string // for the model
	cut   bool   // a limit of the tool, not of the call, left lines out
	short bool   // a line was cut
}

// view returns what the model has seen of the file, or nil if that proves
// nothing about its content.
func (t *TextFile) view(fi fs.FileInfo, s stretch) *reads.View {
	if s.from == s.to && fi.Size() > 0 {
		return nil // past the end
	}
	return &reads.View{
		Info: fi, Size: fi.Size(), Changed: fi.ModTime(),
		From: s.from, To: s.to, Sum: s.digest(), Cut: t.cut, Part: t.short, Shown: true,
	}
}

// ImageFile is an image.
type ImageFile struct {
	FilePath     string     `json:"filePath"`     // absolute
	Data         []byte     `json:"base64"`       // as the model is shown it
	MIME         string     `json:"type"`         // of Data
	OriginalSize int64      `json:"originalSize"` // of the file, in bytes
	Dimensions   Dimensions `json:"dimensions"`

	note string // for the model; empty if Data is what the file holds
}

// PDFFile is a document, or pages of one.
type PDFFile struct {
	FilePath     string `json:"filePath"`         // absolute
	Data         []byte `json:"base64,omitempty"` // if it is shown as a document
	OriginalSize int64  `json:"originalSize"`     // of the file, in bytes
	Count        int    `json:"count,omitempty"`  // of the parts that the pages are shown as

	parts []pegboard.Part // for the model
}

// UnchangedFile is a text or notebook of which the conversation has the part
// that was asked for.
type UnchangedFile struct {
	FilePath string `json:"filePath"` // absolute

	text string // for the model
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
