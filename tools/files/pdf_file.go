package files

import "github.com/seed49eaa51d/pegboard"

// PDFFile is a document, or pages of one.
type PDFFile struct {
	FilePath     string `json:"filePath"`         // absolute
	Data         []byte `json:"base64,omitempty"` // if it is shown as a document
	OriginalSize int64  `json:"originalSize"`     // of the file, in bytes
	Count        int    `json:"count,omitempty"`  // of the parts that the pages are shown as

	parts []pegboard.Part // for the model
}
