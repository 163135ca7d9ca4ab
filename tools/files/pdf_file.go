package files

import "github.com/seed49eaa51d/pegboard"

// A PDFFile is a PDF document, or pages of it.
type PDFFile struct {
	FilePath     string `json:"filePath"`         // absolute
	Data         []byte `json:"base64,omitempty"` // set if the model gets a document
	OriginalSize int64  `json:"originalSize"`     // of the file, in bytes
	Count        int    `json:"count,omitempty"`  // number of parts that show the pages

	parts []pegboard.Part // for the model
}
