package files

import (
	"context"
	"io"

	"github.com/seed49eaa51d/pegboard"
)

// A PDF shows documents. There is none here: a host brings one, made with a
// library or a program of its choice. Its methods may be called concurrently,
// and end when ctx does.
type PDF interface {
	// Pages returns how many pages the document has.
	Pages(ctx context.Context, doc *io.SectionReader) (int, error)
	// Show returns the pages first to last, counted from 1, for the model:
	// text, images, or one part of type "application/pdf" for a model that
	// takes documents.
	Show(ctx context.Context, doc *io.SectionReader, first, last int) ([]pegboard.Part, error)
}

// Limits of PDF documents, as the best-known harness has them.
const (
	DefaultMaxPDFBytes = 20 << 20
	DefaultMaxPDFPages = 100
	maxDefaultPages    = 10 // shown if the call names none
	maxPagesPerCall    = 20
)

const mimePDF = "application/pdf"
