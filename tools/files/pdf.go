package files

import (
	"context"
	"io"

	"github.com/seed49eaa51d/pegboard"
)

// A PDF renders PDF documents. Module contrib/pdf has an implementation; a host may also
// provide one with a library or program of its choice. The methods may be called concurrently
// and must return when ctx ends.
type PDF interface {
	// Pages returns the number of pages in the document.
	Pages(ctx context.Context, doc *io.SectionReader) (int, error)
	// Show returns the pages from first to last, counted from 1, for the model: text,
	// images, or a single part of type "application/pdf" for a model that accepts
	// documents.
	Show(ctx context.Context, doc *io.SectionReader, first, last int) ([]pegboard.Part, error)
}

// A PDFCutter is a [PDF] that can also make a document of some pages. Read shows that to an
// agent whose model takes documents, see [pegboard.FileLimits].Documents.
type PDFCutter interface {
	// Cut returns a document of the pages from first to last, counted from 1.
	Cut(ctx context.Context, doc *io.SectionReader, first, last int) ([]byte, error)
}

// The limits of PDF documents, as in Claude Code.
const (
	MaxPDFBytes     = 20 << 20 // 20 MiB
	MaxPDFPages     = 100
	maxDefaultPages = 10 // pages of a document that a call shows without naming pages
	maxPagesPerCall = 20
)

const mimePDF = "application/pdf"

// A PDFFile is a PDF document, or pages of it.
type PDFFile struct {
	FilePath     string `json:"filePath"`         // absolute
	Data         []byte `json:"base64,omitempty"` // set if the model gets a document
	OriginalSize int64  `json:"originalSize"`     // of the file, in bytes
	Count        int    `json:"count,omitempty"`  // number of parts that show the pages

	parts []pegboard.Part // for the model
}
